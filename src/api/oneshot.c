/* SPDX-License-Identifier: BSD-2-Clause */
/* The one-call functions: each creates a plan, runs it and frees it. */
#include "api/objects.h"

#include "base/float_env.h"
#include "base/options.h"
#include "image/image.h"

/* Begins a one-call function: creates the plan for its arguments. A cancellation while the plan is
 * created also cancels its run. */
static xncc_status plan_for(xncc_context *context, xncc_problem problem, const xncc_image *image,
                            const xncc_template *templ, const char *kernel, xncc_memory map_memory,
                            xncc_plan **plan, xncc_error *error)
{
    const xncc_watch call = xncc_watch_make(&context->progress);
    xncc_preference preference = XNCC_PREFERENCE_INIT;
    xncc_status status = xncc_problem_set(&problem, image, templ, error);
    if (status)
        return status;
    preference.kernel = kernel;
    preference.image_memory = image->memory;
    preference.map_memory = map_memory;
    status = xncc_plan_create(context, &problem, &preference, plan, error);
    if (!status)
        xncc_watch_join(&(*plan)->watch, &call);
    return status;
}

/* Ends a one-call function: waits for its work, and frees the plan. */
static xncc_status end_plan(xncc_plan *plan, xncc_status status, xncc_error *error)
{
    if (!status && plan->engine->ops->wait)
        status = plan->engine->ops->wait(plan->engine_plan, error);
    xncc_plan_destroy(plan);
    return xncc_done(status, error);
}

xncc_status xncc_correlate(xncc_context *context, const xncc_image *image,
                           const xncc_template *templ, const xncc_correlate_options *options,
                           const xncc_map *map, xncc_error *error)
{
    XNCC_ENTER;
    xncc_correlate_options o;
    if (!context || !templ || !map)
        return xncc_fail_null(error, !context ? "context" : !templ ? "templ" : "map");
    xncc_problem problem = XNCC_PROBLEM_INIT;
    xncc_plan *plan = NULL;
    xncc_status status = XNCC_READ(&o, options, xncc_correlate_options, XNCC_CORRELATE_OPTIONS_INIT,
                                   kernel, error);
    if (!status) {
        problem.rule = o.rule;
        status = plan_for(context, problem, image, templ, o.kernel, map->memory, &plan, error);
    }
    if (!status)
        status = xncc_plan_correlate(plan, image, templ, map, NULL, error);
    return end_plan(plan, status, error);
}

xncc_status xncc_find(xncc_context *context, const xncc_image *image, const xncc_template *templ,
                      const xncc_find_options *options, xncc_match *match, size_t capacity,
                      size_t *found, xncc_error *error)
{
    XNCC_ENTER;
    xncc_find_options o;
    if (found)
        *found = 0;
    if (!context || !image || !templ || !found)
        return xncc_fail_null(error, !context ? "context"
                                     : !image ? "image"
                                     : !templ ? "templ"
                                              : "found");
    xncc_problem problem = XNCC_PROBLEM_INIT;
    xncc_plan *plan = NULL;
    xncc_status status = XNCC_READ(&o, options, xncc_find_options, XNCC_FIND_OPTIONS_INIT, kernel,
                                   error);
    if (!status) {
        problem.rule = o.rule;
        status = plan_for(context, problem, image, templ, o.kernel, image->memory, &plan, error);
    }
    if (!status)
        status = xncc_plan_find(plan, image, templ, &o.peaks, match, capacity, found, NULL, error);
    return end_plan(plan, status, error);
}

xncc_status xncc_convolve(xncc_context *context, const xncc_image *image, const xncc_filter *filter,
                          const xncc_convolve_options *options, const xncc_map *out,
                          xncc_error *error)
{
    XNCC_ENTER;
    xncc_convolve_options o;
    if (!context || !filter || !out)
        return xncc_fail_null(error, !context ? "context" : !filter ? "filter" : "out");
    xncc_problem problem = XNCC_PROBLEM_INIT;
    xncc_plan *plan = NULL;
    xncc_status status = XNCC_READ(&o, options, xncc_convolve_options, XNCC_CONVOLVE_OPTIONS_INIT,
                                   kernel, error);
    if (!status) {
        problem.task = XNCC_TASK_CONVOLVE;
        problem.templ_width = filter->width;
        problem.templ_height = filter->height;
        problem.rule.border = o.border;
        status = plan_for(context, problem, image, NULL, o.kernel, out->memory, &plan, error);
    }
    if (!status)
        status = xncc_plan_convolve(plan, image, filter, out, NULL, error);
    return end_plan(plan, status, error);
}
