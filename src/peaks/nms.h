/* SPDX-License-Identifier: BSD-2-Clause */
/* The order and the comparisons of xncc_suppress (include/exactncc/suppress.h). Compiled for the
 * host and for the device. */
#ifndef XNCC_PEAKS_NMS_H
#define XNCC_PEAKS_NMS_H

#include "base/host_device.h"
#include "exactncc/suppress.h"
#include "peaks/peaks.h"

/* Returns a negative number if a precedes b, a positive one if b precedes a, and 0 if they are
 * equal in every respect. Neither score may be NaN. */
static XNCC_HD int xncc_candidate_compare(const xncc_candidate *a, const xncc_candidate *b,
                                          int smallest)
{
    if (xncc_match_before(&a->match, &b->match, smallest))
        return -1;
    if (xncc_match_before(&b->match, &a->match, smallest))
        return 1;
    if (a->templ != b->templ)
        return a->templ < b->templ ? -1 : 1;
    if (a->width != b->width)
        return a->width < b->width ? -1 : 1;
    return (a->height > b->height) - (a->height < b->height);
}

/* Returns 1 if the centres of the two windows are closer than `limit` pixels. The centres are
 * compared in half pixels, where they are integers, so the comparison is exact. */
static XNCC_HD int xncc_candidate_is_close(const xncc_candidate *a, const xncc_candidate *b,
                                           double limit)
{
    const int64_t dx = 2 * ((int64_t)a->match.x - b->match.x) + a->width - b->width;
    const int64_t dy = 2 * ((int64_t)a->match.y - b->match.y) + a->height - b->height;
    const int64_t x = dx < 0 ? -dx : dx, y = dy < 0 ? -dy : dy;
    return (double)(x > y ? x : y) < 2 * limit;
}

/* The number of pixels that two spans share. A span is its first pixel and its length. */
static XNCC_HD int64_t xncc_span_shared(int32_t a, int32_t a_length, int32_t b, int32_t b_length)
{
    const int64_t first = a > b ? a : b, a_end = (int64_t)a + a_length,
                  b_end = (int64_t)b + b_length;
    const int64_t end = a_end < b_end ? a_end : b_end;
    return end > first ? end - first : 0;
}

/* Returns 1 if the intersection of the two windows over their union exceeds `limit`. Both areas are
 * below 2^61. */
static XNCC_HD int xncc_candidate_overlaps(const xncc_candidate *a, const xncc_candidate *b,
                                           double limit)
{
    const int64_t both = xncc_span_shared(a->match.x, a->width, b->match.x, b->width) *
                         xncc_span_shared(a->match.y, a->height, b->match.y, b->height);
    if (both == 0)
        return 0;
    const int64_t either = (int64_t)a->width * a->height + (int64_t)b->width * b->height - both;
    return (double)both / (double)either > limit;
}

/* Returns 1 if the rule takes the two candidates for the same object. */
static XNCC_HD int xncc_candidate_same(const xncc_suppress_rule *rule, const xncc_candidate *a,
                                       const xncc_candidate *b)
{
    return rule->kind == XNCC_SUPPRESS_DISTANCE ? xncc_candidate_is_close(a, b, rule->limit)
                                                : xncc_candidate_overlaps(a, b, rule->limit);
}

/* Copies a caller's rule; NULL: the defaults. Returns XNCC_OK, or XNCC_ERROR_ARGUMENT for a value
 * out of range. */
xncc_status xncc_suppress_rule_read(xncc_suppress_rule *to, const xncc_suppress_rule *from,
                                    xncc_error *error);

/* Sorts candidates, best first, as xncc_suppress orders them. No score may be NaN. */
void xncc_candidates_sort(xncc_candidate *candidate, size_t count, xncc_method method);

#endif
