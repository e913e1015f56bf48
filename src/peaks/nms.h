/* The rules of xncc_matches_merge (include/exactncc/merge.h), one text for both compilers. */
#ifndef XNCC_PEAKS_NMS_H
#define XNCC_PEAKS_NMS_H

#include "base/host_device.h"
#include "exactncc/merge.h"
#include "peaks/peaks.h"

/* Negative when a comes before b, 0 when nothing tells them apart. Neither score is NaN. */
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

static XNCC_HD int xncc_candidate_is_close(const xncc_candidate *a, const xncc_candidate *b,
                                           double limit)
{
    const int64_t dx = 2 * ((int64_t)a->match.x - b->match.x) + a->width - b->width;
    const int64_t dy = 2 * ((int64_t)a->match.y - b->match.y) + a->height - b->height;
    const int64_t x = dx < 0 ? -dx : dx, y = dy < 0 ? -dy : dy;
    return (double)(x > y ? x : y) < 2 * limit;
}

/* How many pixels two spans share. */
static XNCC_HD int64_t xncc_span_shared(int32_t a, int32_t a_length, int32_t b, int32_t b_length)
{
    const int64_t first = a > b ? a : b, a_end = (int64_t)a + a_length,
                  b_end = (int64_t)b + b_length;
    const int64_t end = a_end < b_end ? a_end : b_end;
    return end > first ? end - first : 0;
}

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

/* Are they the same thing? */
static XNCC_HD int xncc_candidate_same(const xncc_merge_options *o, const xncc_candidate *a,
                                       const xncc_candidate *b)
{
    return o->rule == XNCC_MERGE_DISTANCE ? xncc_candidate_is_close(a, b, o->limit)
                                          : xncc_candidate_overlaps(a, b, o->limit);
}

/* The options that NULL stands for. */
xncc_merge_options xncc_merge_defaults(void);

/* Are the options in their ranges? */
int xncc_merge_is_valid(const xncc_merge_options *options);

/* Puts candidates without NaN into the order of the rule. */
void xncc_candidates_sort(xncc_candidate *candidate, size_t count, xncc_method method);

#endif
