/* Plans: the choice of a kernel, the checks of the arguments, and the calls of the engine. */
#include "api/objects.h"

#include "base/memory.h"
#include "image/image.h"
#include "plan/decide.h"
#include "plan/explain.h"

#include <math.h>

/* Does the engine have what the chosen kernel needs? */
static int is_ready(const xncc_context *context, const xncc_decision *decision)
{
    xncc_engine *engine = context->engine[xncc_slot(decision->engine)];
    return !engine->ops->ready || engine->ops->ready(engine, decision->kernel);
}

/* Decides which kernel to run. An engine may find out that something is missing only when a kernel
 * needs it. It then no longer offers that kernel, and the decision is repeated. */
static xncc_status decide(const xncc_context *context, const xncc_problem *problem,
                          const xncc_preference *preference, xncc_decision *decision,
                          xncc_error *error)
{
    xncc_status status;
    do {
        xncc_machine machine = xncc_context_machine(context);
        status = xncc_decide(problem, &machine, preference, decision, error);
    } while (!status && !is_ready(context, decision));
    return status;
}

static xncc_status make_plan(xncc_plan *plan, const xncc_problem *problem,
                             const xncc_preference *preference, xncc_error *error)
{
    xncc_status status = decide(plan->context, problem, preference, &plan->decision, error);
    if (status)
        return status;
    plan->problem = *problem;
    const xncc_extent map = xncc_problem_extent(problem);
    plan->map_width = map.width;
    plan->map_height = map.height;
    plan->x0 = map.x0;
    plan->y0 = map.y0;
    xncc_engine *engine = plan->context->engine[xncc_slot(plan->decision.engine)];
    plan->engine = engine;
    return engine->ops->bind(engine, problem, &plan->decision, &plan->watch, &plan->engine_plan,
                             error);
}

xncc_status xncc_plan_create(xncc_context *context, const xncc_problem *problem,
                             const xncc_preference *preference, xncc_plan **result)
{
    xncc_error error = { "" };
    if (!result)
        return xncc_context_note(
            context, xncc_fail(&error, XNCC_ERROR_ARGUMENT, "plan: result is a null pointer"),
            &error);
    *result = NULL;
    if (!context)
        return XNCC_ERROR_ARGUMENT;
    xncc_plan *plan = xncc_alloc(1, sizeof *plan);
    if (!plan)
        return xncc_context_note(context, xncc_fail(&error, XNCC_ERROR_MEMORY, "plan: no memory"),
                                 &error);
    plan->context = context;
    plan->watch = xncc_watch_make(&context->progress);
    xncc_status status = make_plan(plan, problem, preference, &error);
    if (status)
        xncc_plan_destroy(plan);
    else
        *result = plan;
    return xncc_context_note(context, status, &error);
}

void xncc_plan_destroy(xncc_plan *plan)
{
    if (!plan)
        return;
    if (plan->engine_plan)
        plan->engine->ops->unbind(plan->engine_plan);
    xncc_free(plan);
}

const char *xncc_plan_kernel(const xncc_plan *plan)
{
    return xncc_kernel_table[plan->decision.kernel].name;
}

const char *xncc_plan_explain(const xncc_plan *plan, char *text, size_t size)
{
    if (!text || size == 0)
        return "";
    xncc_decision_explain(&plan->decision, text, size);
    return text;
}

size_t xncc_kernels(xncc_context *context, const xncc_problem *problem, const char **name,
                    size_t capacity)
{
    double cost[XNCC_KERNEL_COUNT];
    const char *sorted[XNCC_KERNEL_COUNT];
    size_t count = 0;
    if (!context || !problem)
        return 0;
    xncc_machine machine = xncc_context_machine(context);
    for (int k = 0; k < XNCC_KERNEL_COUNT; k++) {
        xncc_decision d;
        xncc_preference force = { .device = xncc_kernel_table[k].engine,
                                  .kernel = xncc_kernel_table[k].name };
        if (xncc_decide(problem, &machine, &force, &d, NULL) != XNCC_OK ||
            d.kernel != (xncc_kernel)k || !is_ready(context, &d))
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

xncc_status xncc_plan_check_image(const xncc_plan *plan, const xncc_image *image, xncc_error *error)
{
    xncc_status status = xncc_image_check(image, "image", error);
    if (status)
        return status;
    const xncc_problem *p = &plan->problem;
    if (image->width != p->image_width || image->height != p->image_height ||
        image->pixel != p->pixel || xncc_image_channels(image) != xncc_problem_channels(p))
        return xncc_fail(
            error, XNCC_ERROR_ARGUMENT,
            "image: %d x %d %s of %d channels does not fit the plan's %d x %d %s of %d",
            image->width, image->height, xncc_pixel_name(image->pixel), xncc_image_channels(image),
            p->image_width, p->image_height, xncc_pixel_name(p->pixel), xncc_problem_channels(p));
    if (xncc_image_is_masked(image) && !p->image_masked)
        return xncc_fail(
            error, XNCC_ERROR_ARGUMENT,
            "image: it has a mask or a no-data value, but the plan is for images without; set "
            "image_masked in the problem");
    if (image->memory == XNCC_DEVICE && plan->decision.engine != XNCC_DEVICE_CUDA)
        return xncc_fail(error, XNCC_ERROR_ARGUMENT,
                         "image: it is in device memory, but the plan runs on the CPU; set "
                         "image_memory in the preference");
    return XNCC_OK;
}

static xncc_status check_map(const xncc_plan *plan, const xncc_map *map, xncc_error *error)
{
    xncc_status status = xncc_map_check(map, error);
    if (status)
        return status;
    if (map->width != plan->map_width || map->height != plan->map_height)
        return xncc_fail(error, XNCC_ERROR_ARGUMENT, "map: %d x %d does not fit the plan's %d x %d",
                         map->width, map->height, plan->map_width, plan->map_height);
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
        return xncc_fail(error, XNCC_ERROR_ARGUMENT,
                         "%s: it belongs to another context than the plan", s->what);
    if (s->width != plan->problem.width || s->height != plan->problem.height)
        return xncc_fail(error, XNCC_ERROR_ARGUMENT, "%s: %d x %d does not fit the plan's %d x %d",
                         s->what, s->width, s->height, plan->problem.width, plan->problem.height);
    return XNCC_OK;
}

xncc_status xncc_plan_check_template(const xncc_plan *plan, const xncc_template *templ,
                                     xncc_error *error)
{
    if (!templ)
        return xncc_fail(error, XNCC_ERROR_ARGUMENT, "template is a null pointer");
    xncc_status status = check_operand(
        plan,
        &(operand){ "template", templ->context, templ->width, templ->height, XNCC_TASK_MATCH },
        error);
    if (!status && templ->pixel != plan->problem.pixel)
        status = xncc_fail(error, XNCC_ERROR_ARGUMENT,
                           "template: its pixels are %s, but the plan's are %s",
                           xncc_pixel_name(templ->pixel), xncc_pixel_name(plan->problem.pixel));
    if (!status && templ->channels != xncc_problem_channels(&plan->problem))
        status = xncc_fail(error, XNCC_ERROR_ARGUMENT,
                           "template: it has %d channels, but the plan has %d", templ->channels,
                           xncc_problem_channels(&plan->problem));
    if (!status && (templ->mask != NULL) != (plan->problem.templ_masked != 0))
        status = xncc_fail(
            error, XNCC_ERROR_ARGUMENT,
            "template: %s, but the plan is for %s; set templ_masked in the problem accordingly",
            templ->mask ? "some of its pixels do not count" : "all of its pixels count",
            templ->mask ? "templates without a mask" : "masked templates");
    return status;
}

xncc_status xncc_plan_correlate(xncc_plan *plan, const xncc_image *image,
                                const xncc_template *templ, const xncc_map *map, xncc_stream stream)
{
    xncc_error error = { "" };
    if (!plan)
        return XNCC_ERROR_ARGUMENT;
    xncc_watch_begin(&plan->watch);
    xncc_status status = xncc_plan_check_template(plan, templ, &error);
    if (!status)
        status = xncc_plan_check_image(plan, image, &error);
    if (!status)
        status = check_map(plan, map, &error);
    if (!status)
        status = plan->engine->ops->correlate(plan->engine_plan, image, templ, map, stream, &error);
    return xncc_context_note(plan->context, status, &error);
}

xncc_status xncc_plan_convolve(xncc_plan *plan, const xncc_image *image, const xncc_filter *filter,
                               const xncc_map *out, xncc_stream stream)
{
    xncc_error error = { "" };
    if (!plan)
        return XNCC_ERROR_ARGUMENT;
    xncc_watch_begin(&plan->watch);
    xncc_status status = !filter
                             ? xncc_fail(&error, XNCC_ERROR_ARGUMENT, "filter is a null pointer")
                             : check_operand(plan,
                                             &(operand){ "filter", filter->context, filter->width,
                                                         filter->height, XNCC_TASK_CONVOLVE },
                                             &error);
    if (!status)
        status = xncc_plan_check_image(plan, image, &error);
    if (!status)
        status = check_map(plan, out, &error);
    if (!status)
        status = plan->engine->ops->convolve(plan->engine_plan, image, filter, out, stream, &error);
    return xncc_context_note(plan->context, status, &error);
}

xncc_status xncc_plan_rule(const xncc_plan *plan, const xncc_find_options *options, size_t capacity,
                           xncc_peak_rule *rule, xncc_error *error)
{
    static const xncc_find_options none = { .top = 0 };
    const xncc_find_options *o = options ? options : &none;
    const xncc_problem *p = &plan->problem;
    if (o->min_distance < 0)
        return xncc_fail(error, XNCC_ERROR_ARGUMENT, "a minimum distance of %d is negative",
                         o->min_distance);
    if (isnan(o->min_score) || isnan(o->max_score))
        return xncc_fail(error, XNCC_ERROR_ARGUMENT, "the score limit is not a number");
    int32_t shorter = p->width < p->height ? p->width : p->height;
    rule->smallest = xncc_method_is_distance(p->method);
    rule->limit = !rule->smallest ? o->min_score : o->max_score == 0.0f ? INFINITY : o->max_score;
    rule->min_distance = o->min_distance ? o->min_distance : shorter / 2 > 1 ? shorter / 2 : 1;
    rule->top = o->top && o->top < capacity ? o->top : capacity;
    if (rule->top > (size_t)1 << 31)
        rule->top = (size_t)1 << 31;
    return XNCC_OK;
}

void xncc_plan_move_matches(const xncc_plan *plan, xncc_match *match, size_t found)
{
    for (size_t i = 0; i < found; i++) {
        match[i].x += plan->x0;
        match[i].y += plan->y0;
    }
}

xncc_status xncc_plan_find(xncc_plan *plan, const xncc_image *image, const xncc_template *templ,
                           const xncc_find_options *options, xncc_match *match, size_t capacity,
                           size_t *found, xncc_stream stream)
{
    xncc_error error = { "" };
    xncc_peak_rule rule = { 0 };
    if (!plan)
        return XNCC_ERROR_ARGUMENT;
    xncc_watch_begin(&plan->watch);
    if (!found || (!match && capacity))
        return xncc_context_note(
            plan->context,
            xncc_fail(&error, XNCC_ERROR_ARGUMENT, "find: match or found is a null pointer"),
            &error);
    *found = 0;
    xncc_status status = xncc_plan_check_template(plan, templ, &error);
    if (!status)
        status = xncc_plan_check_image(plan, image, &error);
    if (!status)
        status = xncc_plan_rule(plan, options, capacity, &rule, &error);
    if (!status && rule.top > 0)
        status = plan->engine->ops->find(plan->engine_plan, image, templ, &rule, match, found,
                                         stream, &error);
    if (status)
        *found = 0;
    xncc_plan_move_matches(plan, match, *found);
    return xncc_context_note(plan->context, status, &error);
}

xncc_status xncc_plan_find_on_device(xncc_plan *plan, const xncc_image *image,
                                     const xncc_template *templ, const xncc_find_options *options,
                                     xncc_match *match, size_t capacity, uint32_t *found,
                                     xncc_stream stream)
{
    xncc_error error = { "" };
    xncc_peak_rule rule = { 0 };
    if (!plan)
        return XNCC_ERROR_ARGUMENT;
    xncc_watch_begin(&plan->watch);
    xncc_status status = XNCC_OK;
    if (!found || !match || !capacity)
        status = xncc_fail(&error, XNCC_ERROR_ARGUMENT,
                           "find: match or found is a null pointer, or the capacity is 0");
    else if (!plan->engine->ops->find_on_device)
        status = xncc_fail(
            &error, XNCC_ERROR_ARGUMENT,
            "find: the plan runs on the CPU, which cannot leave matches in device memory");
    if (!status)
        status = xncc_plan_check_template(plan, templ, &error);
    if (!status)
        status = xncc_plan_check_image(plan, image, &error);
    if (!status)
        status = xncc_plan_rule(plan, options, capacity, &rule, &error);
    xncc_peak_target target = { &rule, match, found, plan->x0, plan->y0 };
    if (!status)
        status = plan->engine->ops->find_on_device(plan->engine_plan, image, templ, &target, stream,
                                                   &error);
    return xncc_context_note(plan->context, status, &error);
}

static xncc_status check_batch(const xncc_plan *plan, const xncc_plan_batch *batch,
                               xncc_error *error)
{
    if (batch->count && (!batch->templ || !batch->found || (!batch->match && batch->capacity)))
        return xncc_fail(error, XNCC_ERROR_ARGUMENT,
                         "find: templ, match or found is a null pointer");
    xncc_status status = XNCC_OK;
    for (size_t i = 0; i < batch->count && !status; i++)
        status = xncc_plan_check_template(plan, batch->templ[i], error);
    return status;
}

/* Searches one template after the other; for engines without find_batch. */
static xncc_status find_each(const xncc_plan *plan, const xncc_image *image,
                             const xncc_plan_batch *batch, const xncc_peak_rule *rule,
                             xncc_stream stream, xncc_error *error)
{
    xncc_status status = XNCC_OK;
    for (size_t i = 0; i < batch->count && !status; i++)
        status = plan->engine->ops->find(plan->engine_plan, image, batch->templ[i], rule,
                                         batch->match + i * batch->capacity, &batch->found[i],
                                         stream, error);
    return status;
}

xncc_status xncc_plan_find_batch(xncc_plan *plan, const xncc_image *image,
                                 const xncc_template *const *templ, size_t count,
                                 const xncc_find_options *options, xncc_match *match,
                                 size_t capacity, size_t *found, xncc_stream stream)
{
    xncc_error error = { "" };
    xncc_peak_rule rule = { 0 };
    xncc_plan_batch batch = { templ, count, capacity, match, found };
    if (!plan)
        return XNCC_ERROR_ARGUMENT;
    xncc_watch_begin(&plan->watch);
    xncc_status status = check_batch(plan, &batch, &error);
    for (size_t i = 0; i < count && found; i++)
        found[i] = 0;
    if (!status)
        status = xncc_plan_check_image(plan, image, &error);
    if (!status)
        status = xncc_plan_rule(plan, options, capacity, &rule, &error);
    if (!status && rule.top > 0 && count > 0)
        status = plan->engine->ops->find_batch
                     ? plan->engine->ops->find_batch(plan->engine_plan, image, &batch, &rule,
                                                     stream, &error)
                     : find_each(plan, image, &batch, &rule, stream, &error);
    for (size_t i = 0; i < count && found; i++) {
        if (status)
            found[i] = 0;
        xncc_plan_move_matches(plan, match + i * capacity, found[i]);
    }
    return xncc_context_note(plan->context, status, &error);
}
