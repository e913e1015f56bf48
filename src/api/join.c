/* SPDX-License-Identifier: BSD-2-Clause */
/* xncc_join: the matches of an image that was searched in parts. */
#include "exactncc/join.h"

#include "base/float_env.h"
#include "api/objects.h"
#include "plan/problem.h"

/* Adds the candidates that the rule allows. Coordinates become those of the map. */
static xncc_status add_all(xncc_peaks *peaks, const xncc_search_rule *rule, const xncc_extent *map,
                           const xncc_match *candidate, size_t count, xncc_error *error)
{
    xncc_status status = XNCC_OK;
    for (size_t i = 0; i < count && !status; i++) {
        const int64_t x = (int64_t)candidate[i].x - map->x0, y = (int64_t)candidate[i].y - map->y0;
        const float score = candidate[i].score;
        if (x < 0 || y < 0 || x >= map->width || y >= map->height)
            return xncc_fail(error, XNCC_ERROR_ARGUMENT,
                             "join: candidate %zu at (%d, %d) is outside of the map", i,
                             candidate[i].x, candidate[i].y);
        if (rule->smallest ? score <= rule->limit : score >= rule->limit)
            status = xncc_peaks_add(peaks, (xncc_match){ (int32_t)x, (int32_t)y, score }, error);
    }
    return status;
}

static xncc_status choose(const xncc_search_rule *rule, const xncc_extent *map,
                          const xncc_match *candidate, size_t count, xncc_match *match,
                          size_t *found, xncc_error *error)
{
    xncc_peaks *peaks = NULL;
    xncc_status status = xncc_peaks_create(rule, (uint64_t)map->width * (uint64_t)map->height,
                                           &peaks, error);
    if (!status)
        status = add_all(peaks, rule, map, candidate, count, error);
    if (!status)
        status = xncc_peaks_finish(peaks, match, found, error);
    xncc_peaks_destroy(peaks);
    if (!status)
        xncc_matches_move(match, *found, map->x0, map->y0);
    return status;
}

xncc_status xncc_join(const xncc_problem *problem, const xncc_peak_rule *peaks,
                      const xncc_match *candidate, size_t count, xncc_match *match, size_t capacity,
                      size_t *found, xncc_error *error)
{
    XNCC_ENTER;
    xncc_search_rule rule;
    if (found)
        *found = 0;
    if (!problem || !found || (!candidate && count) || (!match && capacity))
        return xncc_fail_null(error, !problem              ? "problem"
                                     : !found              ? "found"
                                     : !candidate && count ? "candidate"
                                                           : "match");
    xncc_status status = xncc_problem_check(problem, error);
    if (!status)
        status = xncc_search_rule_make(problem, peaks, capacity, &rule, error);
    if (!status && rule.top > 0) {
        const xncc_extent map = xncc_problem_extent(problem);
        status = choose(&rule, &map, candidate, count, match, found, error);
    }
    if (status)
        *found = 0;
    return xncc_done(status, error);
}
