/* SPDX-License-Identifier: BSD-2-Clause */
/* Scans: xncc_plan_find in steps, as the rows of the image arrive. */
#include "api/objects.h"

#include "base/float_env.h"
#include "base/memory.h"
#include "exactncc/scan.h"

struct xncc_scan {
    xncc_plan *plan;
    xncc_image image;
    const xncc_template *templ;
    xncc_search_rule rule;
    xncc_sweep *sweep;  /* NULL: the engine searches at the end, or no matches are wanted */
    int32_t rows;       /* number of rows that are final */
    xncc_status status; /* status of the failure that ended the scan */
    int finished;
};

static xncc_status scan_begin(xncc_scan *scan, const xncc_peak_rule *peaks, size_t capacity,
                              xncc_error *error)
{
    xncc_plan *plan = scan->plan;
    xncc_status status = xncc_plan_check_template(plan, scan->templ, error);
    if (!status)
        status = xncc_plan_check_image(plan, &scan->image, error);
    if (!status)
        status = xncc_search_rule_make(&plan->problem, peaks, capacity, &scan->rule, error);
    if (!status && scan->rule.top > 0 && plan->engine->ops->sweep_begin)
        status = plan->engine->ops->sweep_begin(plan->engine_plan, &scan->image, scan->templ,
                                                &scan->rule, &scan->sweep, error);
    return status;
}

xncc_status xncc_scan_create(xncc_plan *plan, const xncc_image *image, const xncc_template *templ,
                             const xncc_peak_rule *peaks, size_t capacity, xncc_scan **result,
                             xncc_error *error)
{
    XNCC_ENTER;
    if (result)
        *result = NULL;
    if (!plan || !image || !result)
        return xncc_fail_null(error, !plan ? "plan" : !image ? "image" : "scan");
    xncc_watch_begin(&plan->watch);
    xncc_scan *scan = xncc_alloc(1, sizeof *scan);
    if (!scan)
        return xncc_fail(error, XNCC_ERROR_MEMORY, "scan: no memory");
    *scan = (xncc_scan){ .plan = plan, .image = *image, .templ = templ };
    xncc_status status = scan_begin(scan, peaks, capacity, error);
    if (status) {
        xncc_free(scan);
    } else {
        plan->scanned = 1;
        *result = scan;
    }
    return xncc_done(status, error);
}

/* Continues as far as the first `rows` rows of the image allow. */
static xncc_status advance(xncc_scan *scan, int32_t rows, xncc_error *error)
{
    if (scan->status)
        return xncc_fail(error, scan->status, "scan: it has failed; create a new one");
    if (scan->finished)
        return xncc_fail(error, XNCC_ERROR_ARGUMENT, "scan: it is finished; create a new one");
    if (rows < 0 || rows > scan->image.height)
        return xncc_fail(error, XNCC_ERROR_ARGUMENT, "scan: %d rows are not within 0 .. %d", rows,
                         scan->image.height);
    if (rows <= scan->rows)
        return XNCC_OK;
    scan->rows = rows;
    if (scan->sweep)
        scan->status = scan->plan->engine->ops->sweep_rows(scan->sweep, rows, error);
    return scan->status;
}

xncc_status xncc_scan_rows(xncc_scan *scan, int32_t rows, xncc_error *error)
{
    XNCC_ENTER;
    if (!scan)
        return xncc_fail_null(error, "scan");
    xncc_watch_begin(&scan->plan->watch);
    return xncc_done(advance(scan, rows, error), error);
}

static xncc_status scan_end(xncc_scan *scan, xncc_match *match, size_t *found, xncc_stream stream,
                            xncc_error *error)
{
    const xncc_plan *plan = scan->plan;
    xncc_status status = advance(scan, scan->image.height, error);
    if (status)
        return status;
    scan->finished = 1;
    if (scan->sweep)
        return plan->engine->ops->sweep_finish(scan->sweep, match, found, error);
    if (scan->rule.top > 0)
        return plan->engine->ops->find(plan->engine_plan, &scan->image, scan->templ, &scan->rule,
                                       match, found, stream, error);
    return XNCC_OK;
}

xncc_status xncc_scan_finish(xncc_scan *scan, xncc_match *match, size_t *found, xncc_stream stream,
                             xncc_error *error)
{
    XNCC_ENTER;
    if (found)
        *found = 0;
    if (!scan || !found || (!match && scan->rule.top > 0))
        return xncc_fail_null(error, !scan ? "scan" : !found ? "found" : "match");
    xncc_watch_begin(&scan->plan->watch);
    xncc_status status = scan_end(scan, match, found, stream, error);
    if (status)
        *found = 0;
    else
        xncc_matches_move(match, *found, scan->plan->map.x0, scan->plan->map.y0);
    return xncc_done(status, error);
}

void xncc_scan_destroy(xncc_scan *scan)
{
    if (!scan)
        return;
    if (scan->sweep)
        scan->plan->engine->ops->sweep_end(scan->sweep);
    scan->plan->scanned = 0;
    xncc_free(scan);
}
