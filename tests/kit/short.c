/* SPDX-License-Identifier: BSD-2-Clause */
/* Fills the library's structs from flat ones and calls it. */
#include "kit/short.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static _Thread_local xncc_error thread_error;

xncc_error *kit_error_of_thread(void)
{
    return &thread_error;
}

static double valid_of(double min_valid)
{
    return min_valid == 0.0 ? 0.5 : min_valid == KIT_NONE_VALID ? 0.0 : min_valid;
}

xncc_problem kit_problem(xncc_problem problem)
{
    problem.size = sizeof problem;
    problem.rule.size = sizeof problem.rule;
    problem.rule.min_valid = valid_of(problem.rule.min_valid);
    problem.channels = problem.channels ? problem.channels : 1;
    return problem;
}

xncc_match_rule kit_match_rule(const kit_options *o)
{
    xncc_match_rule rule = XNCC_MATCH_RULE_INIT;
    rule.method = o->method;
    rule.mode = o->mode;
    rule.border = o->border;
    rule.flat = o->flat;
    rule.min_valid = valid_of(o->min_valid);
    return rule;
}

static xncc_match_rule rule_of(const kit_find_options *o)
{
    return kit_match_rule(&(kit_options){
        .method = o->method, .mode = o->mode, .border = o->border, .min_valid = o->min_valid });
}

xncc_peak_rule kit_peak_rule(const kit_find_options *o, xncc_method method)
{
    xncc_peak_rule rule = XNCC_PEAK_RULE_INIT;
    if (o->top)
        rule.top = o->top;
    if (o->min_distance)
        rule.min_distance = o->min_distance;
    if (!xncc_method_is_distance(method))
        rule.min_score = o->min_score;
    else if (o->max_score != 0.0f)
        rule.max_score = o->max_score;
    return rule;
}

xncc_suppress_rule kit_suppress_rule(const kit_suppress_options *o)
{
    xncc_suppress_rule rule = XNCC_SUPPRESS_RULE_INIT;
    rule.kind = o->kind;
    rule.limit = o->limit;
    if (o->top)
        rule.top = o->top;
    return rule;
}

xncc_status kit_correlate(xncc_context *context, const xncc_image *image,
                          const xncc_template *templ, const kit_options *o, const xncc_map *map)
{
    xncc_correlate_options options = XNCC_CORRELATE_OPTIONS_INIT;
    if (!o)
        return xncc_correlate(context, image, templ, NULL, map, &kit_error);
    options.rule = kit_match_rule(o);
    options.kernel = o->kernel;
    return xncc_correlate(context, image, templ, &options, map, &kit_error);
}

static xncc_find_options find_options(const kit_find_options *o)
{
    xncc_find_options options = XNCC_FIND_OPTIONS_INIT;
    options.rule = rule_of(o);
    options.peaks = kit_peak_rule(o, o->method);
    options.kernel = o->kernel;
    return options;
}

xncc_status kit_find(xncc_context *context, const xncc_image *image, const xncc_template *templ,
                     const kit_find_options *o, xncc_match *match, size_t capacity, size_t *found)
{
    if (!o)
        return xncc_find(context, image, templ, NULL, match, capacity, found, &kit_error);
    const xncc_find_options options = find_options(o);
    return xncc_find(context, image, templ, &options, match, capacity, found, &kit_error);
}

xncc_status kit_refine(xncc_context *context, const xncc_image *image, const xncc_template *templ,
                       const kit_find_options *o, const xncc_match *match, size_t count,
                       xncc_refined *refined)
{
    if (!o)
        return xncc_refine(context, image, templ, NULL, match, count, refined, &kit_error);
    const xncc_match_rule rule = rule_of(o);
    return xncc_refine(context, image, templ, &rule, match, count, refined, &kit_error);
}

xncc_status kit_filter_create(xncc_context *context, const float *coefficients, int32_t width,
                              int32_t height, const kit_filter_options *o, xncc_filter **filter)
{
    xncc_filter_options options = XNCC_FILTER_OPTIONS_INIT;
    if (!o)
        return xncc_filter_create(context, coefficients, width, height, NULL, filter, &kit_error);
    options.correlate = o->correlate;
    if (o->anchored) {
        options.anchor_x = o->anchor_x;
        options.anchor_y = o->anchor_y;
    }
    return xncc_filter_create(context, coefficients, width, height, &options, filter, &kit_error);
}

xncc_status kit_convolve(xncc_context *context, const xncc_image *image, const xncc_filter *filter,
                         const kit_convolve_options *o, const xncc_map *out)
{
    xncc_convolve_options options = XNCC_CONVOLVE_OPTIONS_INIT;
    if (!o)
        return xncc_convolve(context, image, filter, NULL, out, &kit_error);
    options.border = o->border;
    options.kernel = o->kernel;
    return xncc_convolve(context, image, filter, &options, out, &kit_error);
}

xncc_status kit_plan_find(xncc_plan *plan, const xncc_image *image, const xncc_template *templ,
                          const kit_find_options *o, xncc_match *match, size_t capacity,
                          size_t *found, xncc_stream stream)
{
    xncc_peak_rule peaks = XNCC_PEAK_RULE_INIT;
    if (o)
        peaks = kit_peak_rule(o, o->method);
    return xncc_plan_find(plan, image, templ, o ? &peaks : NULL, match, capacity, found, stream,
                          &kit_error);
}

xncc_status kit_plan_find_on_device(xncc_plan *plan, const xncc_image *image,
                                    const xncc_template *templ, const kit_find_options *o,
                                    xncc_match *match, size_t capacity, uint32_t *found,
                                    xncc_stream stream)
{
    xncc_peak_rule peaks = XNCC_PEAK_RULE_INIT;
    if (o)
        peaks = kit_peak_rule(o, o->method);
    return xncc_plan_find_on_device(plan, image, templ, o ? &peaks : NULL, match, capacity, found,
                                    stream, &kit_error);
}

xncc_status kit_scan_create(xncc_plan *plan, const xncc_image *image, const xncc_template *templ,
                            const kit_find_options *o, size_t capacity, xncc_scan **scan)
{
    xncc_peak_rule peaks = XNCC_PEAK_RULE_INIT;
    if (o)
        peaks = kit_peak_rule(o, o->method);
    return xncc_scan_create(plan, image, templ, o ? &peaks : NULL, capacity, scan, &kit_error);
}

xncc_status kit_find_batch(xncc_context *context, const xncc_image *image,
                           const xncc_template *const *templ, size_t count,
                           const kit_find_options *o, const kit_suppress_options *suppress,
                           xncc_candidate *match, size_t capacity, size_t *found)
{
    xncc_find_options options = XNCC_FIND_OPTIONS_INIT;
    xncc_suppress_rule rule = XNCC_SUPPRESS_RULE_INIT;
    if (o)
        options = find_options(o);
    if (suppress)
        rule = kit_suppress_rule(suppress);
    return xncc_find_batch(context, image, templ, count, o ? &options : NULL,
                           suppress ? &rule : NULL, match, capacity, found, &kit_error);
}

/* The problem of a batch: without a template. */
static xncc_problem batch_problem(const xncc_problem *problem)
{
    xncc_problem p = kit_problem(*problem);
    p.templ_width = p.templ_height = p.templ_masked = 0;
    return p;
}

xncc_status kit_batch_create(xncc_context *context, const xncc_problem *problem,
                             const xncc_preference *preference, const xncc_template *const *templ,
                             size_t count, const kit_batch_options *o, xncc_batch **batch)
{
    xncc_batch_options options = XNCC_BATCH_OPTIONS_INIT;
    xncc_suppress_rule rule = XNCC_SUPPRESS_RULE_INIT;
    xncc_problem p = XNCC_PROBLEM_INIT;
    if (problem)
        p = batch_problem(problem);
    if (o && o->find)
        options.peaks = kit_peak_rule(o->find, p.rule.method);
    if (o && o->suppress) {
        rule = kit_suppress_rule(o->suppress);
        options.suppress = &rule;
    }
    if (o)
        options.capacity = o->capacity;
    return xncc_batch_create(context, problem ? &p : NULL, preference, templ, count,
                             o ? &options : NULL, batch, &kit_error);
}

xncc_status kit_correlate_best(xncc_context *context, const xncc_image *image,
                               const xncc_template *const *templ, size_t count,
                               const kit_options *o, const xncc_best *best)
{
    xncc_problem problem = XNCC_PROBLEM_INIT;
    xncc_preference preference = XNCC_PREFERENCE_INIT;
    xncc_batch *batch = NULL;
    xncc_status status = xncc_problem_set(&problem, image, NULL, &kit_error);
    if (status)
        return status;
    if (o)
        problem.rule = kit_match_rule(o);
    preference.kernel = o ? o->kernel : NULL;
    preference.image_memory = image->memory;
    preference.map_memory = best ? best->score.memory : XNCC_HOST;
    status = xncc_batch_create(context, &problem, &preference, templ, count, NULL, &batch,
                               &kit_error);
    if (!status)
        status = xncc_batch_best(batch, image, best, NULL, &kit_error);
    xncc_batch_destroy(batch);
    return status;
}

xncc_status kit_find_each(xncc_context *context, const xncc_problem *problem,
                          const xncc_image *image, const xncc_template *const *templ, size_t count,
                          const kit_find_options *o, xncc_match *match, size_t capacity,
                          size_t *found)
{
    xncc_batch_options options = XNCC_BATCH_OPTIONS_INIT;
    xncc_preference preference = XNCC_PREFERENCE_INIT;
    const xncc_problem p = batch_problem(problem);
    xncc_candidate *all = calloc(count * capacity + 1, sizeof *all);
    xncc_batch *batch = NULL;
    size_t many = 0;
    if (!all)
        return XNCC_ERROR_MEMORY;
    for (size_t i = 0; i < count; i++)
        found[i] = 0;
    preference.kernel = o->kernel;
    preference.image_memory = preference.map_memory = image->memory;
    options.peaks = kit_peak_rule(o, p.rule.method);
    options.peaks.top = options.peaks.top < capacity ? options.peaks.top : capacity;
    options.capacity = count * capacity;
    xncc_status status = xncc_batch_create(context, &p, &preference, templ, count, &options, &batch,
                                           &kit_error);
    if (!status)
        status = xncc_batch_find(batch, image, all, &many, NULL, &kit_error);
    /* The list is in the order of the matches of each template. */
    for (size_t i = 0; i < many; i++) {
        const size_t t = (size_t)all[i].templ;
        match[t * capacity + found[t]++] = all[i].match;
    }
    xncc_batch_destroy(batch);
    free(all);
    return status;
}

xncc_status kit_suppress(xncc_candidate *candidate, size_t count, const kit_suppress_options *o,
                         size_t *kept)
{
    if (!o)
        return xncc_suppress(XNCC_CCOEFF_NORMED, candidate, count, NULL, kept, &kit_error);
    const xncc_suppress_rule rule = kit_suppress_rule(o);
    return xncc_suppress(o->method, candidate, count, &rule, kept, &kit_error);
}

xncc_status kit_suppressor_run(xncc_suppressor *suppressor, const kit_suppress_options *o,
                               xncc_candidate *result, size_t capacity, uint32_t *kept,
                               xncc_stream stream)
{
    if (!o)
        return xncc_suppressor_run(suppressor, XNCC_CCOEFF_NORMED, NULL, result, capacity, kept,
                                   stream, &kit_error);
    const xncc_suppress_rule rule = kit_suppress_rule(o);
    return xncc_suppressor_run(suppressor, o->method, &rule, result, capacity, kept, stream,
                               &kit_error);
}

xncc_status kit_map_extent(xncc_mode mode, int32_t image_width, int32_t image_height,
                           int32_t templ_width, int32_t templ_height, int32_t *width,
                           int32_t *height, int32_t *x0, int32_t *y0)
{
    xncc_extent e;
    const xncc_status status = xncc_map_measure(mode, image_width, image_height, templ_width,
                                                templ_height, &e, &kit_error);
    if (!status) {
        *width = e.width;
        *height = e.height;
        *x0 = e.x0;
        *y0 = e.y0;
    }
    return status;
}

const char *kit_plan_kernel(const xncc_plan *plan)
{
    xncc_plan_info info = XNCC_PLAN_INFO_INIT;
    return xncc_plan_describe(plan, &info, &kit_error) == XNCC_OK ? info.kernel : "";
}
