/* Scans: cm_plan_find in steps, as the rows of the image arrive. */
#include "run/run.h"

#include "base/memory.h"
#include "corrmatch/scan.h"

struct cm_scan {
    cm_plan *plan;
    cm_image image;
    const cm_template *part;
    cm_peak_rule rule;
    cm_sweep *sweep;  /* NULL: the engine finds at the end, or nothing is wanted */
    int32_t rows;     /* that are final */
    cm_status status; /* of the first failure that ended it */
    int finished;
};

static cm_status scan_begin(cm_scan *scan, const cm_find_options *options, size_t capacity, cm_error *error)
{
    cm_plan *plan = scan->plan;
    cm_status status = cm_plan_check_template(plan, scan->part, error);
    if (!status)
        status = cm_plan_check_image(plan, &scan->image, error);
    if (!status)
        status = cm_plan_rule(plan, options, capacity, &scan->rule, error);
    if (!status && scan->rule.top > 0 && plan->engine->ops->sweep_begin)
        status = plan->engine->ops->sweep_begin(plan->work, &scan->image, scan->part, &scan->rule, &scan->sweep, error);
    return status;
}

cm_status cm_scan_create(cm_plan *plan, const cm_image *image, const cm_template *part, const cm_find_options *options,
                         size_t capacity, cm_scan **result)
{
    cm_error error = { "" };
    if (result)
        *result = NULL;
    if (!plan)
        return CM_ERROR_ARGUMENT;
    if (!result || !image)
        return cm_context_note(
            plan->context, cm_fail(&error, CM_ERROR_ARGUMENT, "scan: %s is a null pointer", image ? "result" : "image"),
            &error);
    cm_scan *scan = cm_alloc(1, sizeof *scan);
    if (!scan)
        return cm_context_note(plan->context, cm_fail(&error, CM_ERROR_MEMORY, "scan: no memory"), &error);
    *scan = (cm_scan){ .plan = plan, .image = *image, .part = part };
    cm_status status = scan_begin(scan, options, capacity, &error);
    if (status) {
        cm_free(scan);
    } else {
        plan->scanned = 1;
        *result = scan;
    }
    return cm_context_note(plan->context, status, &error);
}

/* Goes on to where so many rows allow. */
static cm_status advance(cm_scan *scan, int32_t rows, cm_error *error)
{
    if (scan->status)
        return cm_fail(error, scan->status, "scan: it has failed before; begin again");
    if (scan->finished)
        return cm_fail(error, CM_ERROR_ARGUMENT, "scan: it is finished; make another");
    if (rows < 0 || rows > scan->image.height)
        return cm_fail(error, CM_ERROR_ARGUMENT, "scan: %d rows are not within 0 .. %d", rows, scan->image.height);
    if (rows <= scan->rows)
        return CM_OK;
    scan->rows = rows;
    if (scan->sweep)
        scan->status = scan->plan->engine->ops->sweep_rows(scan->sweep, rows, error);
    return scan->status;
}

cm_status cm_scan_rows(cm_scan *scan, int32_t rows)
{
    cm_error error = { "" };
    return scan ? cm_context_note(scan->plan->context, advance(scan, rows, &error), &error) : CM_ERROR_ARGUMENT;
}

static cm_status scan_end(cm_scan *scan, cm_match *match, size_t *found, cm_stream stream, cm_error *error)
{
    const cm_plan *plan = scan->plan;
    cm_status status = advance(scan, scan->image.height, error);
    if (status)
        return status;
    scan->finished = 1;
    if (scan->sweep)
        return plan->engine->ops->sweep_finish(scan->sweep, match, found, error);
    if (scan->rule.top > 0)
        return plan->engine->ops->find(plan->work, &scan->image, scan->part, &scan->rule, match, found, stream, error);
    return CM_OK;
}

cm_status cm_scan_finish(cm_scan *scan, cm_match *match, size_t *found, cm_stream stream)
{
    cm_error error = { "" };
    if (!scan)
        return CM_ERROR_ARGUMENT;
    cm_context *context = scan->plan->context;
    if (!found || (!match && scan->rule.top > 0))
        return cm_context_note(context, cm_fail(&error, CM_ERROR_ARGUMENT, "scan: match or found is a null pointer"),
                               &error);
    *found = 0;
    cm_status status = scan_end(scan, match, found, stream, &error);
    if (status)
        *found = 0;
    else
        cm_plan_move_matches(scan->plan, match, *found);
    return cm_context_note(context, status, &error);
}

void cm_scan_destroy(cm_scan *scan)
{
    if (!scan)
        return;
    if (scan->sweep)
        scan->plan->engine->ops->sweep_end(scan->sweep);
    scan->plan->scanned = 0;
    cm_free(scan);
}
