/* The rules of cm_matches_merge (include/corrmatch/merge.h), one text for both compilers. */
#ifndef CM_PEAKS_MERGE_H
#define CM_PEAKS_MERGE_H

#include "base/both.h"
#include "corrmatch/merge.h"
#include "peaks/peaks.h"

/* Negative when a comes before b, 0 when nothing tells them apart. Neither score is NaN. */
static CM_BOTH int cm_candidate_compare(const cm_candidate *a, const cm_candidate *b, int smallest)
{
    if (cm_match_before(&a->match, &b->match, smallest))
        return -1;
    if (cm_match_before(&b->match, &a->match, smallest))
        return 1;
    if (a->part != b->part)
        return a->part < b->part ? -1 : 1;
    if (a->width != b->width)
        return a->width < b->width ? -1 : 1;
    return (a->height > b->height) - (a->height < b->height);
}

static CM_BOTH int cm_candidate_is_close(const cm_candidate *a, const cm_candidate *b, double limit)
{
    const int64_t dx = 2 * ((int64_t)a->match.x - b->match.x) + a->width - b->width;
    const int64_t dy = 2 * ((int64_t)a->match.y - b->match.y) + a->height - b->height;
    const int64_t x = dx < 0 ? -dx : dx, y = dy < 0 ? -dy : dy;
    return (double)(x > y ? x : y) < 2 * limit;
}

/* How many pixels two spans share. */
static CM_BOTH int64_t cm_span_shared(int32_t a, int32_t a_length, int32_t b, int32_t b_length)
{
    const int64_t first = a > b ? a : b, a_end = (int64_t)a + a_length, b_end = (int64_t)b + b_length;
    const int64_t end = a_end < b_end ? a_end : b_end;
    return end > first ? end - first : 0;
}

static CM_BOTH int cm_candidate_overlaps(const cm_candidate *a, const cm_candidate *b, double limit)
{
    const int64_t both =
        cm_span_shared(a->match.x, a->width, b->match.x, b->width) * cm_span_shared(a->match.y, a->height, b->match.y, b->height);
    if (both == 0)
        return 0;
    const int64_t either = (int64_t)a->width * a->height + (int64_t)b->width * b->height - both;
    return (double)both / (double)either > limit;
}

/* Are they the same thing? */
static CM_BOTH int cm_candidate_same(const cm_merge_options *o, const cm_candidate *a, const cm_candidate *b)
{
    return o->rule == CM_MERGE_DISTANCE ? cm_candidate_is_close(a, b, o->limit) : cm_candidate_overlaps(a, b, o->limit);
}

/* The options that NULL stands for. */
cm_merge_options cm_merge_defaults(void);

/* Are the options in their ranges? */
int cm_merge_is_valid(const cm_merge_options *options);

/* Puts candidates without NaN into the order of the rule. */
void cm_candidates_sort(cm_candidate *candidate, size_t count, cm_method method);

#endif
