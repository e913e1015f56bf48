/* One list out of the matches of several templates: sorted, then greedy. */
#include "peaks/merge.h"

#include <math.h>
#include <stdlib.h>

static int compare_large(const void *a, const void *b)
{
    return cm_candidate_compare(a, b, 0);
}

static int compare_small(const void *a, const void *b)
{
    return cm_candidate_compare(a, b, 1);
}

static int is_valid(const cm_candidate *c)
{
    return c->width >= 1 && c->width <= CM_MAX_SIDE && c->height >= 1 && c->height <= CM_MAX_SIDE &&
           c->match.x >= -CM_MAX_SIDE && c->match.x <= CM_MAX_SIDE && c->match.y >= -CM_MAX_SIDE &&
           c->match.y <= CM_MAX_SIDE;
}

cm_merge_options cm_merge_defaults(void)
{
    return (cm_merge_options){ .method = CM_CCOEFF_NORMED, .rule = CM_MERGE_OVERLAP, .limit = 0.5 };
}

int cm_merge_is_valid(const cm_merge_options *o)
{
    const double most = o->rule == CM_MERGE_DISTANCE ? 2147483648.0 : 1.0;
    return o->method >= CM_CCOEFF_NORMED && o->method <= CM_SQDIFF_NORMED && o->limit >= 0.0 && o->limit <= most &&
           (o->rule == CM_MERGE_DISTANCE || o->rule == CM_MERGE_OVERLAP);
}

static int are_valid(const cm_candidate *candidate, size_t count)
{
    size_t i = 0;
    while (i < count && is_valid(&candidate[i]))
        i++;
    return i == count;
}

void cm_candidates_sort(cm_candidate *candidate, size_t count, cm_method method)
{
    if (count > 1)
        qsort(candidate, count, sizeof *candidate, cm_method_is_distance(method) ? compare_small : compare_large);
}

/* The candidates with a score, in front. */
static size_t drop_nan(cm_candidate *candidate, size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (!isnan(candidate[i].match.score)) {
            const cm_candidate c = candidate[i];
            candidate[i] = candidate[kept];
            candidate[kept++] = c;
        }
    return kept;
}

cm_status cm_matches_merge(cm_candidate *candidate, size_t count, const cm_merge_options *options, size_t *kept)
{
    const cm_merge_options none = cm_merge_defaults(), *o = options ? options : &none;
    if (!kept)
        return CM_ERROR_ARGUMENT;
    *kept = 0;
    if ((!candidate && count) || !cm_merge_is_valid(o) || !are_valid(candidate, count))
        return CM_ERROR_ARGUMENT;
    count = drop_nan(candidate, count);
    cm_candidates_sort(candidate, count, o->method);
    size_t taken = 0;
    for (size_t i = 0; i < count && (o->top == 0 || taken < o->top); i++) {
        size_t k = 0;
        while (k < taken && !cm_candidate_same(o, &candidate[k], &candidate[i]))
            k++;
        if (k < taken)
            continue;
        const cm_candidate c = candidate[i];
        candidate[i] = candidate[taken];
        candidate[taken++] = c;
    }
    *kept = taken;
    return CM_OK;
}
