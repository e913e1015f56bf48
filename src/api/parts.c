/* SPDX-License-Identifier: BSD-2-Clause */
/* Images and maps of which each device holds a part. */
#include "exactncc/parts.h"

#include "api/objects.h"

#include "base/float_env.h"
#include "base/options.h"
#include "plan/spread.h"

/* The rows of a part. A plan without parts has one: the whole image. */
static xncc_part part_of(const xncc_plan *plan, int32_t number)
{
    const xncc_band band = xncc_spread_band(&plan->problem, &plan->decision.spread, number, 1);
    const xncc_problem p = xncc_spread_problem(&plan->problem, &band);
    return (xncc_part){ .size = sizeof(xncc_part),
                        .device = number,
                        .map_y = band.first,
                        .map_height = band.count,
                        .image_y = band.first - band.above,
                        .image_height = p.image_height };
}

static xncc_status check_plan(const xncc_plan *plan, xncc_error *error)
{
    if (!plan)
        return xncc_fail_null(error, "plan");
    return plan->decision.spread.parts ? XNCC_OK
                                       : xncc_fail(error, XNCC_ERROR_ARGUMENT,
                                                   "plan: it was made for images in one piece; set "
                                                   "parts in the preference");
}

xncc_status xncc_plan_part(const xncc_plan *plan, int32_t number, xncc_part *part,
                           xncc_error *error)
{
    XNCC_ENTER;
    xncc_status status = check_plan(plan, error);
    if (status)
        return status;
    if (!part)
        return xncc_fail_null(error, "part");
    if (number < 0 || number >= plan->decision.spread.devices)
        return xncc_fail(error, XNCC_ERROR_ARGUMENT, "part: %d is not one of 0 .. %d", number,
                         plan->decision.spread.devices - 1);
    const xncc_part all = part_of(plan, number);
    return XNCC_GIVE(part, &all, xncc_part, image_height, error);
}

/* Checks the views of all parts. map: NULL for a search. */
static xncc_status check_parts(const xncc_plan *plan, const xncc_image *image, size_t count,
                               const xncc_map *map, xncc_error *error)
{
    if (count != (size_t)plan->decision.spread.devices)
        return xncc_fail(error, XNCC_ERROR_ARGUMENT, "parts: there are %zu; the plan has %d", count,
                         plan->decision.spread.devices);
    for (int32_t i = 0; i < plan->decision.spread.devices; i++) {
        const xncc_part part = part_of(plan, i);
        xncc_error why = { "" };
        xncc_status status = xncc_plan_check_rows(plan, &image[i], part.image_height, "image",
                                                  &why);
        if (!status && map)
            status = xncc_plan_check_map(plan, &map[i], part.map_height, &why);
        if (status)
            return xncc_fail(error, status, "part %d: %s", i, why.text);
    }
    return XNCC_OK;
}

xncc_status xncc_plan_correlate_parts(xncc_plan *plan, const xncc_image *image, size_t count,
                                      const xncc_template *templ, const xncc_map *map,
                                      const xncc_stream *stream, xncc_error *error)
{
    XNCC_ENTER;
    xncc_status status = check_plan(plan, error);
    if (status)
        return status;
    if (!image || !map)
        return xncc_fail_null(error, image ? "map" : "image");
    xncc_watch_begin(&plan->watch);
    status = xncc_plan_check_template(plan, templ, error);
    if (!status)
        status = check_parts(plan, image, count, map, error);
    if (!status)
        status = plan->engine->ops->correlate_parts
                     ? plan->engine->ops->correlate_parts(plan->engine_plan, image, templ, map,
                                                          stream, error)
                     : plan->engine->ops->correlate(plan->engine_plan, image, templ, map,
                                                    stream ? *stream : NULL, error);
    return xncc_done(status, error);
}

xncc_status xncc_plan_find_parts(xncc_plan *plan, const xncc_image *image, size_t count,
                                 const xncc_template *templ, const xncc_peak_rule *peaks,
                                 xncc_match *match, size_t capacity, size_t *found,
                                 const xncc_stream *stream, xncc_error *error)
{
    XNCC_ENTER;
    xncc_search_rule rule = { 0 };
    if (found)
        *found = 0;
    xncc_status status = check_plan(plan, error);
    if (status)
        return status;
    if (!image || !found || (!match && capacity))
        return xncc_fail_null(error, !image ? "image" : !found ? "found" : "match");
    xncc_watch_begin(&plan->watch);
    status = xncc_plan_check_template(plan, templ, error);
    if (!status)
        status = check_parts(plan, image, count, NULL, error);
    if (!status)
        status = xncc_search_rule_make(&plan->problem, peaks, capacity, &rule, error);
    if (!status && rule.top > 0)
        status = plan->engine->ops->find_parts
                     ? plan->engine->ops->find_parts(plan->engine_plan, image, templ, &rule, match,
                                                     found, stream, error)
                     : plan->engine->ops->find(plan->engine_plan, image, templ, &rule, match, found,
                                               stream ? *stream : NULL, error);
    if (status)
        *found = 0;
    return xncc_done(status, error);
}
