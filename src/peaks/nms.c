/* Merges the matches of several templates into one list: sorted, then accepted greedily. */
#include "peaks/nms.h"

#include <math.h>
#include <stdlib.h>

static int compare_large(const void *a, const void *b)
{
    return xncc_candidate_compare(a, b, 0);
}

static int compare_small(const void *a, const void *b)
{
    return xncc_candidate_compare(a, b, 1);
}

static int is_valid(const xncc_candidate *c)
{
    return c->width >= 1 && c->width <= XNCC_MAX_SIDE && c->height >= 1 &&
           c->height <= XNCC_MAX_SIDE && c->match.x >= -XNCC_MAX_SIDE &&
           c->match.x <= XNCC_MAX_SIDE && c->match.y >= -XNCC_MAX_SIDE &&
           c->match.y <= XNCC_MAX_SIDE;
}

xncc_merge_options xncc_merge_defaults(void)
{
    return (xncc_merge_options){ .method = XNCC_CCOEFF_NORMED,
                                 .rule = XNCC_MERGE_OVERLAP,
                                 .limit = 0.5 };
}

int xncc_merge_is_valid(const xncc_merge_options *o)
{
    const double most = o->rule == XNCC_MERGE_DISTANCE ? 2147483648.0 : 1.0;
    return o->method >= XNCC_CCOEFF_NORMED && o->method <= XNCC_SQDIFF_NORMED && o->limit >= 0.0 &&
           o->limit <= most && (o->rule == XNCC_MERGE_DISTANCE || o->rule == XNCC_MERGE_OVERLAP);
}

static int are_valid(const xncc_candidate *candidate, size_t count)
{
    size_t i = 0;
    while (i < count && is_valid(&candidate[i]))
        i++;
    return i == count;
}

void xncc_candidates_sort(xncc_candidate *candidate, size_t count, xncc_method method)
{
    if (count > 1)
        qsort(candidate, count, sizeof *candidate,
              xncc_method_is_distance(method) ? compare_small : compare_large);
}

/* Moves the candidates whose score is not NaN to the front, and returns their number. */
static size_t drop_nan(xncc_candidate *candidate, size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (!isnan(candidate[i].match.score)) {
            const xncc_candidate c = candidate[i];
            candidate[i] = candidate[kept];
            candidate[kept++] = c;
        }
    return kept;
}

xncc_status xncc_matches_merge(xncc_candidate *candidate, size_t count,
                               const xncc_merge_options *options, size_t *kept)
{
    const xncc_merge_options none = xncc_merge_defaults(), *o = options ? options : &none;
    if (!kept)
        return XNCC_ERROR_ARGUMENT;
    *kept = 0;
    if ((!candidate && count) || !xncc_merge_is_valid(o) || !are_valid(candidate, count))
        return XNCC_ERROR_ARGUMENT;
    count = drop_nan(candidate, count);
    xncc_candidates_sort(candidate, count, o->method);
    size_t taken = 0;
    for (size_t i = 0; i < count && (o->top == 0 || taken < o->top); i++) {
        size_t k = 0;
        while (k < taken && !xncc_candidate_same(o, &candidate[k], &candidate[i]))
            k++;
        if (k < taken)
            continue;
        const xncc_candidate c = candidate[i];
        candidate[i] = candidate[taken];
        candidate[taken++] = c;
    }
    *kept = taken;
    return XNCC_OK;
}
