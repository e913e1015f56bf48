#include "run/run.h"

#include "base/memory.h"
#include "image/image.h"

#include <math.h>
#include <stdio.h>

/* Has the engine what the decided kernel needs? */
static int is_ready(const cm_context *context, const cm_decision *decision)
{
    cm_engine *engine = context->engine[cm_slot(decision->engine)];
    return !engine->ops->ready || engine->ops->ready(engine, decision->kernel);
}

/* An engine may find that it lacks what a kernel needs only when the kernel is wanted; then it says less, and the decision is made again. */
static cm_status decide(const cm_context *context, const cm_problem *problem, const cm_preference *preference, cm_decision *decision,
                        cm_error *error)
{
    cm_status status;
    do {
        cm_machine machine = cm_context_machine(context);
        status = cm_decide(problem, &machine, preference, decision, error);
    } while (!status && !is_ready(context, decision));
    return status;
}

static cm_status make_plan(cm_plan *plan, const cm_problem *problem, const cm_preference *preference, cm_error *error)
{
    cm_status status = decide(plan->context, problem, preference, &plan->decision, error);
    if (status)
        return status;
    plan->problem = *problem;
    const cm_extent map = cm_problem_extent(problem);
    plan->map_width = map.width;
    plan->map_height = map.height;
    plan->x0 = map.x0;
    plan->y0 = map.y0;
    cm_engine *engine = plan->context->engine[cm_slot(plan->decision.engine)];
    plan->engine = engine;
    return engine->ops->bind(engine, problem, &plan->decision, &plan->context->progress, &plan->work, error);
}

cm_status cm_plan_create(cm_context *context, const cm_problem *problem, const cm_preference *preference,
                         cm_plan **result)
{
    cm_error error = { "" };
    if (!result)
        return cm_context_note(context, cm_fail(&error, CM_ERROR_ARGUMENT, "plan: result is a null pointer"), &error);
    *result = NULL;
    if (!context)
        return CM_ERROR_ARGUMENT;
    cm_plan *plan = cm_alloc(1, sizeof *plan);
    if (!plan)
        return cm_context_note(context, cm_fail(&error, CM_ERROR_MEMORY, "plan: no memory"), &error);
    plan->context = context;
    cm_status status = make_plan(plan, problem, preference, &error);
    if (status)
        cm_plan_destroy(plan);
    else
        *result = plan;
    return cm_context_note(context, status, &error);
}

void cm_plan_destroy(cm_plan *plan)
{
    if (!plan)
        return;
    if (plan->work)
        plan->engine->ops->unbind(plan->work);
    cm_free(plan);
}

const char *cm_plan_kernel(const cm_plan *plan)
{
    return cm_kernel_table[plan->decision.kernel].name;
}

const char *cm_plan_explain(const cm_plan *plan, char *text, size_t size)
{
    const cm_decision *d = &plan->decision;
    char tile[160] = "";
    if (!text || size == 0)
        return "";
    if (d->tile_width)
        (void)snprintf(tile, sizeof tile,
                       "block of %d x %d map elements, tile pitch %d, %d rows, %d bytes of shared memory\n",
                       d->tile_width, d->tile_height, d->tile_pitch, d->tile_rows, d->shared_bytes);
    if (d->fft.batch)
        (void)snprintf(tile, sizeof tile, "transforms of %d x %d points, %d at a time, template pieces of %d x %d\n", d->fft.width,
                       d->fft.height, d->fft.batch, d->fft.columns, d->fft.rows);
    char route[160] = "";
    const cm_problem inner = cm_problem_inner(&plan->problem);
    if (d->engine == CM_DEVICE_CUDA && cm_problem_route(&plan->problem) == CM_ROUTE_PADDED)
        (void)snprintf(route, sizeof route, "the image is laid out with its border first, %d x %d pixels\n", inner.image_width,
                       inner.image_height);
    if (d->joint.products || d->joint.windows)
        (void)snprintf(route, sizeof route, "exact sums by %d products of byte planes and %d sums over windows\n", d->joint.products,
                       d->joint.windows);
    char band[96] = "";
    if (d->band_height)
        (void)snprintf(band, sizeof band, "bands of %d x %d map elements\n", d->band_width, d->band_height);
    (void)snprintf(text, size, "kernel %s on the %s engine: %s\n%s%s%s", cm_kernel_table[d->kernel].name,
                   d->engine == CM_DEVICE_CPU ? "CPU" : "CUDA", d->reason, route, tile, band);
    return text;
}

size_t cm_kernels(cm_context *context, const cm_problem *problem, const char **name, size_t capacity)
{
    double cost[CM_KERNEL_COUNT];
    const char *sorted[CM_KERNEL_COUNT];
    size_t count = 0;
    if (!context || !problem)
        return 0;
    cm_machine machine = cm_context_machine(context);
    for (int k = 0; k < CM_KERNEL_COUNT; k++) {
        cm_decision d;
        cm_preference force = { .device = cm_kernel_table[k].engine, .kernel = cm_kernel_table[k].name };
        if (cm_decide(problem, &machine, &force, &d, NULL) != CM_OK || d.kernel != (cm_kernel)k || !is_ready(context, &d))
            continue;
        size_t at = count++;
        for (; at > 0 && cost[at - 1] > d.estimate_ms; at--) {
            cost[at] = cost[at - 1];
            sorted[at] = sorted[at - 1];
        }
        cost[at] = d.estimate_ms;
        sorted[at] = cm_kernel_table[k].name;
    }
    for (size_t i = 0; i < count && i < capacity; i++)
        name[i] = sorted[i];
    return count;
}

cm_status cm_plan_check_image(const cm_plan *plan, const cm_image *image, cm_error *error)
{
    cm_status status = cm_image_check(image, "image", error);
    if (status)
        return status;
    const cm_problem *p = &plan->problem;
    if (image->width != p->image_width || image->height != p->image_height || image->pixel != p->pixel ||
        cm_image_channels(image) != cm_problem_channels(p))
        return cm_fail(error, CM_ERROR_ARGUMENT, "image: %d x %d %s of %d channels does not fit the plan's %d x %d %s of %d",
                       image->width, image->height, cm_pixel_name(image->pixel), cm_image_channels(image), p->image_width,
                       p->image_height, cm_pixel_name(p->pixel), cm_problem_channels(p));
    if (cm_image_is_masked(image) && !p->image_masked)
        return cm_fail(error, CM_ERROR_ARGUMENT, "image: it has a mask or a no-data value and the plan is for images without; set "
                                                 "image_masked in the problem");
    if (image->memory == CM_DEVICE && plan->decision.engine != CM_DEVICE_CUDA)
        return cm_fail(error, CM_ERROR_ARGUMENT,
                       "image: it lies in device memory and the plan runs on the CPU; say so in the preference");
    return CM_OK;
}

static cm_status check_map(const cm_plan *plan, const cm_map *map, cm_error *error)
{
    cm_status status = cm_map_check(map, error);
    if (status)
        return status;
    if (map->width != plan->map_width || map->height != plan->map_height)
        return cm_fail(error, CM_ERROR_ARGUMENT, "map: %d x %d does not fit the plan's %d x %d", map->width,
                       map->height, plan->map_width, plan->map_height);
    if (map->memory == CM_DEVICE && plan->decision.engine != CM_DEVICE_CUDA)
        return cm_fail(error, CM_ERROR_ARGUMENT,
                       "map: it lies in device memory and the plan runs on the CPU; say so in the preference");
    return CM_OK;
}

/* A template or a filter: what it has and what the plan wants. */
typedef struct sought {
    const char *what;
    const cm_context *context;
    int32_t width, height;
    cm_task task;
} sought;

static cm_status check_sought(const cm_plan *plan, const sought *s, cm_error *error)
{
    if (plan->problem.task != s->task)
        return cm_fail(error, CM_ERROR_ARGUMENT, "plan: it was not made for a %s", s->what);
    if (plan->scanned)
        return cm_fail(error, CM_ERROR_ARGUMENT, "plan: a scan is using it; finish and destroy that first, or make another plan");
    if (s->context != plan->context)
        return cm_fail(error, CM_ERROR_ARGUMENT, "%s: it was made with another context than the plan", s->what);
    if (s->width != plan->problem.width || s->height != plan->problem.height)
        return cm_fail(error, CM_ERROR_ARGUMENT, "%s: %d x %d does not fit the plan's %d x %d", s->what, s->width,
                       s->height, plan->problem.width, plan->problem.height);
    return CM_OK;
}

cm_status cm_plan_check_template(const cm_plan *plan, const cm_template *part, cm_error *error)
{
    if (!part)
        return cm_fail(error, CM_ERROR_ARGUMENT, "template: a null pointer");
    cm_status status =
        check_sought(plan, &(sought){ "template", part->context, part->width, part->height, CM_TASK_MATCH }, error);
    if (!status && part->pixel != plan->problem.pixel)
        status = cm_fail(error, CM_ERROR_ARGUMENT, "template: its pixels are %s and the plan's are %s",
                         cm_pixel_name(part->pixel), cm_pixel_name(plan->problem.pixel));
    if (!status && part->channels != cm_problem_channels(&plan->problem))
        status = cm_fail(error, CM_ERROR_ARGUMENT, "template: it has %d channels and the plan %d", part->channels,
                         cm_problem_channels(&plan->problem));
    if (!status && (part->mask != NULL) != (plan->problem.part_masked != 0))
        status = cm_fail(error, CM_ERROR_ARGUMENT, "template: %s, and the plan is for %s; set part_masked in the problem to fit",
                         part->mask ? "some of its pixels do not count" : "all of its pixels count",
                         part->mask ? "templates of which all count" : "masked ones");
    return status;
}

cm_status cm_plan_correlate(cm_plan *plan, const cm_image *image, const cm_template *part, const cm_map *map,
                            cm_stream stream)
{
    cm_error error = { "" };
    if (!plan)
        return CM_ERROR_ARGUMENT;
    cm_status status = cm_plan_check_template(plan, part, &error);
    if (!status)
        status = cm_plan_check_image(plan, image, &error);
    if (!status)
        status = check_map(plan, map, &error);
    if (!status)
        status = plan->engine->ops->correlate(plan->work, image, part, map, stream, &error);
    return cm_context_note(plan->context, status, &error);
}

cm_status cm_plan_convolve(cm_plan *plan, const cm_image *image, const cm_filter *filter, const cm_map *out,
                           cm_stream stream)
{
    cm_error error = { "" };
    if (!plan)
        return CM_ERROR_ARGUMENT;
    cm_status status =
        !filter ? cm_fail(&error, CM_ERROR_ARGUMENT, "filter: a null pointer")
                : check_sought(plan, &(sought){ "filter", filter->context, filter->width, filter->height, CM_TASK_CONVOLVE },
                               &error);
    if (!status)
        status = cm_plan_check_image(plan, image, &error);
    if (!status)
        status = check_map(plan, out, &error);
    if (!status)
        status = plan->engine->ops->convolve(plan->work, image, filter, out, stream, &error);
    return cm_context_note(plan->context, status, &error);
}

cm_status cm_plan_rule(const cm_plan *plan, const cm_find_options *options, size_t capacity, cm_peak_rule *rule,
                       cm_error *error)
{
    static const cm_find_options none = { .top = 0 };
    const cm_find_options *o = options ? options : &none;
    const cm_problem *p = &plan->problem;
    if (o->min_distance < 0)
        return cm_fail(error, CM_ERROR_ARGUMENT, "a minimum distance of %d is negative", o->min_distance);
    if (isnan(o->min_score) || isnan(o->max_score))
        return cm_fail(error, CM_ERROR_ARGUMENT, "the limit of the score is not a number");
    int32_t shorter = p->width < p->height ? p->width : p->height;
    rule->smallest = cm_method_is_distance(p->method);
    rule->limit = !rule->smallest ? o->min_score : o->max_score == 0.0f ? INFINITY : o->max_score;
    rule->min_distance = o->min_distance ? o->min_distance : shorter / 2 > 1 ? shorter / 2 : 1;
    rule->top = o->top && o->top < capacity ? o->top : capacity;
    if (rule->top > (size_t)1 << 31)
        rule->top = (size_t)1 << 31;
    return CM_OK;
}

void cm_plan_move_matches(const cm_plan *plan, cm_match *match, size_t found)
{
    for (size_t i = 0; i < found; i++) {
        match[i].x += plan->x0;
        match[i].y += plan->y0;
    }
}

cm_status cm_plan_find(cm_plan *plan, const cm_image *image, const cm_template *part, const cm_find_options *options,
                       cm_match *match, size_t capacity, size_t *found, cm_stream stream)
{
    cm_error error = { "" };
    cm_peak_rule rule = { 0 };
    if (!plan)
        return CM_ERROR_ARGUMENT;
    if (!found || (!match && capacity))
        return cm_context_note(plan->context, cm_fail(&error, CM_ERROR_ARGUMENT, "find: match or found is a null pointer"),
                               &error);
    *found = 0;
    cm_status status = cm_plan_check_template(plan, part, &error);
    if (!status)
        status = cm_plan_check_image(plan, image, &error);
    if (!status)
        status = cm_plan_rule(plan, options, capacity, &rule, &error);
    if (!status && rule.top > 0)
        status = plan->engine->ops->find(plan->work, image, part, &rule, match, found, stream, &error);
    if (status)
        *found = 0;
    cm_plan_move_matches(plan, match, *found);
    return cm_context_note(plan->context, status, &error);
}

cm_status cm_plan_find_on_device(cm_plan *plan, const cm_image *image, const cm_template *part, const cm_find_options *options,
                                 cm_match *match, size_t capacity, uint32_t *found, cm_stream stream)
{
    cm_error error = { "" };
    cm_peak_rule rule = { 0 };
    if (!plan)
        return CM_ERROR_ARGUMENT;
    cm_status status = CM_OK;
    if (!found || !match || !capacity)
        status = cm_fail(&error, CM_ERROR_ARGUMENT, "find: match or found is a null pointer, or the capacity is 0");
    else if (!plan->engine->ops->find_on_device)
        status = cm_fail(&error, CM_ERROR_ARGUMENT, "find: the plan runs on the CPU, which cannot leave matches in device memory");
    if (!status)
        status = cm_plan_check_template(plan, part, &error);
    if (!status)
        status = cm_plan_check_image(plan, image, &error);
    if (!status)
        status = cm_plan_rule(plan, options, capacity, &rule, &error);
    cm_peak_target target = { &rule, match, found, plan->x0, plan->y0 };
    if (!status)
        status = plan->engine->ops->find_on_device(plan->work, image, part, &target, stream, &error);
    return cm_context_note(plan->context, status, &error);
}

static cm_status check_bank(const cm_plan *plan, const cm_bank *bank, cm_error *error)
{
    if (bank->count && (!bank->part || !bank->found || (!bank->match && bank->capacity)))
        return cm_fail(error, CM_ERROR_ARGUMENT, "find: part, match or found is a null pointer");
    cm_status status = CM_OK;
    for (size_t i = 0; i < bank->count && !status; i++)
        status = cm_plan_check_template(plan, bank->part[i], error);
    return status;
}

/* For engines that have nothing better. */
static cm_status find_each(const cm_plan *plan, const cm_image *image, const cm_bank *bank, const cm_peak_rule *rule, cm_stream stream,
                           cm_error *error)
{
    cm_status status = CM_OK;
    for (size_t i = 0; i < bank->count && !status; i++)
        status = plan->engine->ops->find(plan->work, image, bank->part[i], rule, bank->match + i * bank->capacity, &bank->found[i],
                                         stream, error);
    return status;
}

cm_status cm_plan_find_bank(cm_plan *plan, const cm_image *image, const cm_template *const *part, size_t count,
                            const cm_find_options *options, cm_match *match, size_t capacity, size_t *found, cm_stream stream)
{
    cm_error error = { "" };
    cm_peak_rule rule = { 0 };
    cm_bank bank = { part, count, capacity, match, found };
    if (!plan)
        return CM_ERROR_ARGUMENT;
    cm_status status = check_bank(plan, &bank, &error);
    for (size_t i = 0; i < count && found; i++)
        found[i] = 0;
    if (!status)
        status = cm_plan_check_image(plan, image, &error);
    if (!status)
        status = cm_plan_rule(plan, options, capacity, &rule, &error);
    if (!status && rule.top > 0 && count > 0)
        status = plan->engine->ops->find_bank
                     ? plan->engine->ops->find_bank(plan->work, image, &bank, &rule, stream, &error)
                     : find_each(plan, image, &bank, &rule, stream, &error);
    for (size_t i = 0; i < count && found; i++) {
        if (status)
            found[i] = 0;
        cm_plan_move_matches(plan, match + i * capacity, found[i]);
    }
    return cm_context_note(plan->context, status, &error);
}
