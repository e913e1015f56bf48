/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes one list of the matches of several templates: sorted, then accepted greedily. */
#include "peaks/nms.h"

#include "base/float_env.h"
#include "base/options.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

xncc_status xncc_suppress_rule_read(xncc_suppress_rule *to, const xncc_suppress_rule *from,
                                    xncc_error *error)
{
    xncc_status status = XNCC_READ(to, from, xncc_suppress_rule, XNCC_SUPPRESS_RULE_INIT, top,
                                   error);
    if (status)
        return status;
    if (to->kind != XNCC_SUPPRESS_DISTANCE && to->kind != XNCC_SUPPRESS_OVERLAP)
        return xncc_fail(error, XNCC_ERROR_ARGUMENT, "suppress: %d is not a kind of rule",
                         (int)to->kind);
    const double most = to->kind == XNCC_SUPPRESS_DISTANCE ? 2147483648.0 : 1.0;
    if (!(to->limit >= 0.0 && to->limit <= most))
        return xncc_fail(error, XNCC_ERROR_ARGUMENT,
                         "suppress: the limit %g is not within 0 .. %.0f", to->limit, most);
    return XNCC_OK;
}

static xncc_status check_candidates(const xncc_candidate *candidate, size_t count,
                                    xncc_error *error)
{
    for (size_t i = 0; i < count; i++)
        if (!is_valid(&candidate[i]))
            return xncc_fail(error, XNCC_ERROR_ARGUMENT,
                             "suppress: candidate %zu, %d x %d at (%d, %d), is out of range", i,
                             candidate[i].width, candidate[i].height, candidate[i].match.x,
                             candidate[i].match.y);
    return XNCC_OK;
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

xncc_status xncc_suppress(xncc_method method, xncc_candidate *candidate, size_t count,
                          const xncc_suppress_rule *rule, size_t *kept, xncc_error *error)
{
    XNCC_ENTER;
    xncc_suppress_rule r;
    if (kept)
        *kept = 0;
    if (!kept || (!candidate && count))
        return xncc_fail_null(error, kept ? "candidate" : "kept");
    if (strcmp(xncc_method_name(method), "?") == 0)
        return xncc_fail(error, XNCC_ERROR_ARGUMENT, "%d is not a method", (int)method);
    xncc_status status = xncc_suppress_rule_read(&r, rule, error);
    if (!status)
        status = check_candidates(candidate, count, error);
    if (status)
        return status;
    count = drop_nan(candidate, count);
    xncc_candidates_sort(candidate, count, method);
    size_t taken = 0;
    for (size_t i = 0; i < count && taken < r.top; i++) {
        size_t k = 0;
        while (k < taken && !xncc_candidate_same(&r, &candidate[k], &candidate[i]))
            k++;
        if (k < taken)
            continue;
        const xncc_candidate c = candidate[i];
        candidate[i] = candidate[taken];
        candidate[taken++] = c;
    }
    *kept = taken;
    return xncc_done(XNCC_OK, error);
}
