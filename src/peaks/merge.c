/* One list out of the matches of several templates: sorted, then greedy. */
#include "corrmatch/merge.h"

#include "peaks/peaks.h"

#include <math.h>
#include <stdlib.h>

static int compare(const cm_candidate *a, const cm_candidate *b, int smallest)
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

static int compare_large(const void *a, const void *b)
{
    return compare(a, b, 0);
}

static int compare_small(const void *a, const void *b)
{
    return compare(a, b, 1);
}

static int is_close(const cm_candidate *a, const cm_candidate *b, double limit)
{
    const int64_t dx = 2 * ((int64_t)a->match.x - b->match.x) + a->width - b->width;
    const int64_t dy = 2 * ((int64_t)a->match.y - b->match.y) + a->height - b->height;
    const int64_t x = dx < 0 ? -dx : dx, y = dy < 0 ? -dy : dy;
    return (double)(x > y ? x : y) < 2 * limit;
}

/* How many pixels two spans share. */
static int64_t shared(int32_t a, int32_t a_length, int32_t b, int32_t b_length)
{
    const int64_t first = a > b ? a : b, a_end = (int64_t)a + a_length, b_end = (int64_t)b + b_length;
    const int64_t end = a_end < b_end ? a_end : b_end;
    return end > first ? end - first : 0;
}

static int overlaps(const cm_candidate *a, const cm_candidate *b, double limit)
{
    const int64_t both =
        shared(a->match.x, a->width, b->match.x, b->width) * shared(a->match.y, a->height, b->match.y, b->height);
    const int64_t either = (int64_t)a->width * a->height + (int64_t)b->width * b->height - both;
    return (double)both / (double)either > limit;
}

static int is_valid(const cm_candidate *c)
{
    return c->width >= 1 && c->width <= CM_MAX_SIDE && c->height >= 1 && c->height <= CM_MAX_SIDE &&
           c->match.x >= -CM_MAX_SIDE && c->match.x <= CM_MAX_SIDE && c->match.y >= -CM_MAX_SIDE &&
           c->match.y <= CM_MAX_SIDE;
}

static int are_valid(const cm_merge_options *o, const cm_candidate *candidate, size_t count)
{
    const double most = o->rule == CM_MERGE_DISTANCE ? 2147483648.0 : 1.0;
    if (o->method < CM_CCOEFF_NORMED || o->method > CM_SQDIFF_NORMED || !(o->limit >= 0.0) || !(o->limit <= most) ||
        (o->rule != CM_MERGE_DISTANCE && o->rule != CM_MERGE_OVERLAP))
        return 0;
    for (size_t i = 0; i < count; i++)
        if (!is_valid(&candidate[i]))
            return 0;
    return 1;
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
    static const cm_merge_options none = { .method = CM_CCOEFF_NORMED, .rule = CM_MERGE_OVERLAP, .limit = 0.5 };
    const cm_merge_options *o = options ? options : &none;
    if (!kept)
        return CM_ERROR_ARGUMENT;
    *kept = 0;
    if ((!candidate && count) || !are_valid(o, candidate, count))
        return CM_ERROR_ARGUMENT;
    count = drop_nan(candidate, count);
    if (count > 1)
        qsort(candidate, count, sizeof *candidate, cm_method_is_distance(o->method) ? compare_small : compare_large);
    int (*const same)(const cm_candidate *, const cm_candidate *, double) =
        o->rule == CM_MERGE_DISTANCE ? is_close : overlaps;
    size_t taken = 0;
    for (size_t i = 0; i < count && (o->top == 0 || taken < o->top); i++) {
        size_t k = 0;
        while (k < taken && !same(&candidate[k], &candidate[i], o->limit))
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
