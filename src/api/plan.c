/* SPDX-License-Identifier: BSD-2-Clause */
/* Plans: the choice of a kernel, the checks of the arguments, and the calls of the engine. */
#include "api/objects.h"

#include "base/float_env.h"
#include "base/memory.h"
#include "base/options.h"
#include "image/image.h"
#include "plan/decide.h"
#include "plan/spread.h"

#include <math.h>

/* Does the engine have what the chosen kernel needs? */
static int is_ready(const xncc_context *context, const xncc_decision *decision)
{
    return xncc_engine_is_ready(xncc_context_engine(context, decision->engine), decision->kernel);
}

/* Decides which kernel to run. An engine may find out that something is missing only when a kernel
 * needs it. It then no longer offers that kernel, and the decision is repeated. known: as in
 * xncc_plan_decide. */
static xncc_status decide(xncc_plan *plan, const xncc_problem *problem,
                          const xncc_preference *preference, const xncc_machine *known,
                          xncc_error *error)
{
    xncc_decision *d = &plan->decision;
    xncc_status status;
    do {
        xncc_machine machine;
        status = XNCC_OK;
        if (known)
            machine = *known;
        else
            status = xncc_context_machine(plan->context, &machine, error);
        known = NULL; /* it may have changed */
        if (!status)
            status = xncc_decide(problem, &machine, preference, d, error);
        if (!status) {
            d->spread = xncc_spread_choose(problem, &machine, preference, d);
            d->stack = xncc_stack_choose(problem, &machine, preference, d, &plan->stack);
        }
    } while (!status && !(is_ready(plan->context, d) &&
                          (d->stack.images < 2 || is_ready(plan->context, &plan->stack.decision))));
    return status;
}

xncc_status xncc_plan_bind(xncc_plan *plan, xncc_batch_context *shared, xncc_error *error)
{
    xncc_engine *engine = plan->engine;
    if (shared && engine->ops->bind_shared)
        return engine->ops->bind_shared(shared, &plan->problem, &plan->decision, &plan->watch,
                                        &plan->engine_plan, error);
    return engine->ops->bind(engine, &plan->problem, &plan->decision, &plan->stack, &plan->watch,
                             &plan->engine_plan, error);
}

void xncc_plan_unbind(xncc_plan *plan)
{
    if (plan->engine_plan)
        plan->engine->ops->unbind(plan->engine_plan);
    plan->engine_plan = NULL;
}

xncc_status xncc_plan_decide(xncc_context *context, const xncc_problem *problem,
                             const xncc_preference *preference, const xncc_machine *known,
                             xncc_plan **result, xncc_error *error)
{
    *result = NULL;
    xncc_plan *plan = xncc_alloc(1, sizeof *plan);
    if (!plan)
        return xncc_fail(error, XNCC_ERROR_MEMORY, "plan: no memory");
    plan->context = context;
    plan->watch = xncc_watch_make(&context->progress);
    plan->problem = *problem;
    const xncc_status status = decide(plan, problem, preference, known, error);
    if (status) {
        xncc_plan_destroy(plan);
        return status;
    }
    plan->map = xncc_problem_extent(problem);
    plan->engine = xncc_context_engine(context, plan->decision.engine);
    *result = plan;
    return XNCC_OK;
}

xncc_status xncc_plan_create(xncc_context *context, const xncc_problem *problem,
                             const xncc_preference *preference, xncc_plan **result,
                             xncc_error *error)
{
    XNCC_ENTER;
    xncc_problem p;
    xncc_preference wanted;
    if (result)
        *result = NULL;
    if (!context || !problem || !result)
        return xncc_fail_null(error, !context ? "context" : !problem ? "problem" : "plan");
    xncc_status status = XNCC_READ(&p, problem, xncc_problem, XNCC_PROBLEM_INIT, rule, error);
    if (!status)
        status = XNCC_READ(&wanted, preference, xncc_preference, XNCC_PREFERENCE_INIT, map_memory,
                           error);
    xncc_plan *plan = NULL;
    if (!status)
        status = xncc_plan_decide(context, &p, &wanted, NULL, &plan, error);
    if (!status)
        status = xncc_plan_bind(plan, NULL, error);
    if (status)
        xncc_plan_destroy(plan);
    else
        *result = plan;
    return xncc_done(status, error);
}

xncc_status xncc_problem_set(xncc_problem *problem, const xncc_image *image,
                             const xncc_template *templ, xncc_error *error)
{
    XNCC_ENTER;
    if (!problem)
        return xncc_fail_null(error, "problem");
    xncc_status status = xncc_check_size(
        problem->size, offsetof(xncc_problem, rule) + sizeof problem->rule, "xncc_problem", error);
    if (!status)
        status = xncc_image_check(image, "image", error);
    if (status)
        return status;
    problem->pixel = image->pixel;
    problem->channels = xncc_image_channels(image);
    problem->image_width = image->width;
    problem->image_height = image->height;
    problem->image_masked = xncc_image_is_masked(image);
    if (templ) {
        problem->templ_width = templ->width;
        problem->templ_height = templ->height;
        problem->templ_masked = xncc_template_is_masked(templ);
    }
    return xncc_done(XNCC_OK, error);
}

void xncc_plan_destroy(xncc_plan *plan)
{
    if (!plan)
        return;
    xncc_plan_unbind(plan);
    xncc_free(plan);
}

xncc_status xncc_plan_describe(const xncc_plan *plan, xncc_plan_info *info, xncc_error *error)
{
    XNCC_ENTER;
    xncc_plan_info all;
    if (!plan || !info)
        return xncc_fail_null(error, plan ? "info" : "plan");
    xncc_decision_describe(&plan->decision, plan->map.width, plan->map.height, &all);
    return XNCC_GIVE(info, &all, xncc_plan_info, estimate_ms, error);
}

const char *xncc_plan_explain(const xncc_plan *plan, char *text, size_t size)
{
    XNCC_ENTER;
    if (!text || size == 0)
        return "";
    xncc_decision_explain(&plan->decision, text, size);
    return text;
}

size_t xncc_kernel_list(xncc_context *context, const xncc_problem *problem, const char **name,
                        size_t capacity)
{
    XNCC_ENTER;
    double cost[XNCC_KERNEL_COUNT];
    const char *sorted[XNCC_KERNEL_COUNT];
    size_t count = 0;
    xncc_problem p;
    if (!context || !problem || (!name && capacity) ||
        XNCC_READ(&p, problem, xncc_problem, XNCC_PROBLEM_INIT, rule, NULL) != XNCC_OK)
        return 0;
    xncc_machine machine;
    if (xncc_context_machine(context, &machine, NULL) != XNCC_OK)
        return 0;
    for (int k = 0; k < XNCC_KERNEL_COUNT; k++) {
        xncc_decision d;
        xncc_preference force = XNCC_PREFERENCE_INIT;
        force.device = xncc_kernel_table[k].engine;
        force.kernel = xncc_kernel_table[k].name;
        if (xncc_decide(&p, &machine, &force, &d, NULL) != XNCC_OK || d.kernel != (xncc_kernel)k ||
            !is_ready(context, &d))
            continue;
        size_t at = count++;
        for (; at > 0 && cost[at - 1] > d.estimate_ms; at--) {
            cost[at] = cost[at - 1];
            sorted[at] = sorted[at - 1];
        }
        cost[at] = d.estimate_ms;
        sorted[at] = xncc_kernel_table[k].name;
    }
    for (size_t i = 0; i < count && i < capacity; i++)
        name[i] = sorted[i];
    return count;
}

xncc_status xncc_plan_check_rows(const xncc_plan *plan, const xncc_image *image, int32_t height,
                                 const char *name, xncc_error *error)
{
    xncc_status status = xncc_image_check(image, name, error);
    if (status)
        return status;
    const xncc_problem *p = &plan->problem;
    if (image->width != p->image_width || image->height != height || image->pixel != p->pixel ||
        xncc_image_channels(image) != p->channels)
        return xncc_fail(error, XNCC_ERROR_ARGUMENT,
                         "%s: %d x %d pixels of %s with %d channel%s; %d x %d of %s with %d "
                         "channel%s are needed",
                         name, image->width, image->height, xncc_pixel_name(image->pixel),
                         xncc_image_channels(image), xncc_plural(xncc_image_channels(image)),
                         p->image_width, height, xncc_pixel_name(p->pixel), p->channels,
                         xncc_plural(p->channels));
    if (xncc_image_is_masked(image) && !p->image_masked)
        return xncc_fail(
            error, XNCC_ERROR_ARGUMENT,
            "%s: it has a mask or a no-data value, but the plan is for images without; set "
            "image_masked in the problem",
            name);
    if (image->memory == XNCC_DEVICE && plan->decision.engine != XNCC_DEVICE_CUDA)
        return xncc_fail(error, XNCC_ERROR_ARGUMENT,
                         "%s: it is in device memory, but the plan runs on the CPU; set "
                         "image_memory in the preference",
                         name);
    return XNCC_OK;
}

xncc_status xncc_plan_check_image(const xncc_plan *plan, const xncc_image *image, xncc_error *error)
{
    return xncc_plan_check_rows(plan, image, plan->problem.image_height, "image", error);
}

xncc_status xncc_plan_check_map(const xncc_plan *plan, const xncc_map *map, int32_t height,
                                xncc_error *error)
{
    xncc_status status = xncc_map_check(map, error);
    if (status)
        return status;
    if (map->width != plan->map.width || map->height != height)
        return xncc_fail(error, XNCC_ERROR_ARGUMENT, "map: %d x %d elements; %d x %d are needed",
                         map->width, map->height, plan->map.width, height);
    if (map->memory == XNCC_DEVICE && plan->decision.engine != XNCC_DEVICE_CUDA)
        return xncc_fail(error, XNCC_ERROR_ARGUMENT,
                         "map: it is in device memory, but the plan runs on the CPU; set "
                         "map_memory in the preference");
    return XNCC_OK;
}

/* The properties of a template or filter that must fit the plan. */
typedef struct operand {
    const char *what;
    const xncc_context *context;
    int32_t width, height;
    xncc_task task;
} operand;

static xncc_status check_operand(const xncc_plan *plan, const operand *s, xncc_error *error)
{
    if (plan->problem.task != s->task)
        return xncc_fail(error, XNCC_ERROR_ARGUMENT,
                         "plan: it was created for another task and takes no %s", s->what);
    if (plan->scanned)
        return xncc_fail(
            error, XNCC_ERROR_ARGUMENT,
            "plan: a scan is using it; destroy the scan first, or create another plan");
    if (s->context != plan->context)
        return xncc_fail(error, XNCC_ERROR_ARGUMENT, "%s: it belongs to another context", s->what);
    if (s->width != plan->problem.templ_width || s->height != plan->problem.templ_height)
        return xncc_fail(error, XNCC_ERROR_ARGUMENT, "%s: its size is %d x %d; %d x %d is needed",
                         s->what, s->width, s->height, plan->problem.templ_width,
                         plan->problem.templ_height);
    return XNCC_OK;
}

xncc_status xncc_plan_check_template(const xncc_plan *plan, const xncc_template *templ,
                                     xncc_error *error)
{
    if (!templ)
        return xncc_fail_null(error, "templ");
    xncc_status status = check_operand(
        plan,
        &(operand){ "template", templ->context, templ->width, templ->height, XNCC_TASK_MATCH },
        error);
    if (!status && templ->pixel != plan->problem.pixel)
        status = xncc_fail(error, XNCC_ERROR_ARGUMENT,
                           "template: its pixels are %s; %s is needed, as of the image",
                           xncc_pixel_name(templ->pixel), xncc_pixel_name(plan->problem.pixel));
    if (!status && templ->channels != plan->problem.channels)
        status = xncc_fail(error, XNCC_ERROR_ARGUMENT,
                           "template: it has %d channel%s; %d are needed, as in the image",
                           templ->channels, xncc_plural(templ->channels), plan->problem.channels);
    if (!status && (templ->mask != NULL) != (plan->problem.templ_masked != 0))
        status = xncc_fail(
            error, XNCC_ERROR_ARGUMENT,
            "template: %s, but the plan is for %s; set templ_masked in the problem accordingly",
            templ->mask ? "some of its pixels do not count" : "all of its pixels count",
            templ->mask ? "templates without a mask" : "masked templates");
    return status;
}

xncc_status xncc_plan_correlate(xncc_plan *plan, const xncc_image *image,
                                const xncc_template *templ, const xncc_map *map, xncc_stream stream,
                                xncc_error *error)
{
    XNCC_ENTER;
    if (!plan)
        return xncc_fail_null(error, "plan");
    xncc_watch_begin(&plan->watch);
    xncc_status status = xncc_plan_check_template(plan, templ, error);
    if (!status)
        status = xncc_plan_check_image(plan, image, error);
    if (!status)
        status = xncc_plan_check_map(plan, map, plan->map.height, error);
    if (!status)
        status = plan->engine->ops->correlate(plan->engine_plan, image, templ, map, stream, error);
    return xncc_done(status, error);
}

xncc_status xncc_plan_convolve(xncc_plan *plan, const xncc_image *image, const xncc_filter *filter,
                               const xncc_map *out, xncc_stream stream, xncc_error *error)
{
    XNCC_ENTER;
    if (!plan)
        return xncc_fail_null(error, "plan");
    xncc_watch_begin(&plan->watch);
    xncc_status status = !filter
                             ? xncc_fail_null(error, "filter")
                             : check_operand(plan,
                                             &(operand){ "filter", filter->context, filter->width,
                                                         filter->height, XNCC_TASK_CONVOLVE },
                                             error);
    if (!status)
        status = xncc_plan_check_image(plan, image, error);
    if (!status)
        status = xncc_plan_check_map(plan, out, plan->map.height, error);
    if (!status)
        status = plan->engine->ops->convolve(plan->engine_plan, image, filter, out, stream, error);
    return xncc_done(status, error);
}

xncc_status xncc_search_rule_make(const xncc_problem *p, const xncc_peak_rule *peaks,
                                  size_t capacity, xncc_search_rule *rule, xncc_error *error)
{
    xncc_peak_rule r = XNCC_PEAK_RULE_INIT;
    if (peaks)
        r = *peaks;
    if (r.size != sizeof r || r.reserved != 0)
        return xncc_fail(error, XNCC_ERROR_ARGUMENT,
                         "xncc_peak_rule: its size is %u instead of %zu, or reserved is not 0; "
                         "initialize it with XNCC_PEAK_RULE_INIT",
                         (unsigned)r.size, sizeof r);
    if (r.min_distance < 0 && r.min_distance != XNCC_AUTO)
        return xncc_fail(error, XNCC_ERROR_ARGUMENT, "a minimum distance of %d is negative",
                         r.min_distance);
    if (isnan(r.min_score) || isnan(r.max_score))
        return xncc_fail(error, XNCC_ERROR_ARGUMENT, "the score limit is not a number");
    rule->smallest = xncc_method_is_distance(p->rule.method);
    if (rule->smallest ? r.min_score > 0.0f : r.max_score < INFINITY)
        return xncc_fail(error, XNCC_ERROR_ARGUMENT,
                         "xncc_peak_rule: %s of %g would exclude the best scores of %s; leave it "
                         "out, or set %s",
                         rule->smallest ? "min_score" : "max_score",
                         (double)(rule->smallest ? r.min_score : r.max_score),
                         xncc_method_name(p->rule.method),
                         rule->smallest ? "max_score" : "min_score");
    const int32_t shorter = p->templ_width < p->templ_height ? p->templ_width : p->templ_height;
    const int32_t distance = r.min_distance == XNCC_AUTO ? shorter / 2 : r.min_distance;
    rule->limit = rule->smallest ? r.max_score : r.min_score;
    rule->min_distance = distance > 1 ? distance : 1;
    rule->top = r.top < capacity ? r.top : capacity;
    if (rule->top > (size_t)1 << 31)
        rule->top = (size_t)1 << 31;
    return XNCC_OK;
}

xncc_status xncc_plan_find(xncc_plan *plan, const xncc_image *image, const xncc_template *templ,
                           const xncc_peak_rule *peaks, xncc_match *match, size_t capacity,
                           size_t *found, xncc_stream stream, xncc_error *error)
{
    XNCC_ENTER;
    xncc_search_rule rule = { 0 };
    if (found)
        *found = 0;
    if (!plan || !found || (!match && capacity))
        return xncc_fail_null(error, !plan ? "plan" : !found ? "found" : "match");
    xncc_watch_begin(&plan->watch);
    xncc_status status = xncc_plan_check_template(plan, templ, error);
    if (!status)
        status = xncc_plan_check_image(plan, image, error);
    if (!status)
        status = xncc_search_rule_make(&plan->problem, peaks, capacity, &rule, error);
    if (!status && rule.top > 0)
        status = plan->engine->ops->find(plan->engine_plan, image, templ, &rule, match, found,
                                         stream, error);
    if (status)
        *found = 0;
    xncc_matches_move(match, *found, plan->map.x0, plan->map.y0);
    return xncc_done(status, error);
}

xncc_status xncc_plan_find_on_device(xncc_plan *plan, const xncc_image *image,
                                     const xncc_template *templ, const xncc_peak_rule *peaks,
                                     xncc_match *match, size_t capacity, uint32_t *found,
                                     xncc_stream stream, xncc_error *error)
{
    XNCC_ENTER;
    xncc_search_rule rule = { 0 };
    if (!plan)
        return xncc_fail_null(error, "plan");
    xncc_watch_begin(&plan->watch);
    xncc_status status = XNCC_OK;
    if (!found || !match || !capacity)
        status = xncc_fail(error, XNCC_ERROR_ARGUMENT,
                           "find: match or found is a null pointer, or the capacity is 0");
    else if (!plan->engine->ops->find_on_device)
        status = xncc_fail(
            error, XNCC_ERROR_ARGUMENT,
            "find: the plan runs on the CPU, which cannot leave matches in device memory");
    if (!status)
        status = xncc_plan_check_template(plan, templ, error);
    if (!status)
        status = xncc_plan_check_image(plan, image, error);
    if (!status)
        status = xncc_search_rule_make(&plan->problem, peaks, capacity, &rule, error);
    xncc_peak_target target = { &rule, match, found, plan->map.x0, plan->map.y0 };
    if (!status)
        status = plan->engine->ops->find_on_device(plan->engine_plan, image, templ, &target, stream,
                                                   error);
    return xncc_done(status, error);
}

xncc_status xncc_plan_find_group(xncc_plan *plan, const xncc_image *image,
                                 const xncc_templ_group *group, const xncc_peak_rule *peaks,
                                 xncc_stream stream, xncc_error *error)
{
    xncc_search_rule rule = { 0 };
    xncc_watch_begin(&plan->watch);
    xncc_status status = xncc_plan_check_image(plan, image, error);
    for (size_t i = 0; i < group->count; i++)
        group->found[i] = 0;
    if (!status)
        status = xncc_search_rule_make(&plan->problem, peaks, group->capacity, &rule, error);
    if (!status && rule.top > 0 && group->count > 0)
        status = plan->engine->ops->find_batch(plan->engine_plan, image, group, &rule, stream,
                                               error);
    for (size_t i = 0; i < group->count; i++) {
        if (status)
            group->found[i] = 0;
        xncc_matches_move(group->match + i * group->capacity, group->found[i], plan->map.x0,
                          plan->map.y0);
    }
    return status;
}
