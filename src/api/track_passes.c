/* SPDX-License-Identifier: BSD-2-Clause */
/* Tracking in several passes (track_pass.h). The passes before that of the points are a list of
 * steps. What a step needs of the one before is known before any of them runs: the grids are made
 * from the last one to the first. */
#include "api/track_pass.h"

#include "base/memory.h"
#include "track/grid.h"

#include <math.h>

enum { DEFORMED_SEARCH = 4 }; /* pixels: what a deformation leaves is small */

/* A pass over a grid, whose displacements are smoothed if an image is deformed by them. */
typedef struct step {
    xncc_track_pass pass;
    int deformed; /* 1: image 2 is deformed by the field of the step before */
    xncc_track_grid grid;
} step;

/* Lists the steps of a call. */
static void list_steps(const xncc_track_call *call, step *steps)
{
    const xncc_track_options *o = &call->options;
    for (size_t i = 0; i < o->coarse_count; i++)
        steps[i].pass = call->coarse[i];
    for (int32_t i = 0; i < o->deform; i++) {
        step *s = &steps[o->coarse_count + (size_t)i];
        const xncc_track_pass plain = XNCC_TRACK_PASS_INIT;
        s->pass = plain;
        s->pass.chip_width = o->chip_width;
        s->pass.chip_height = o->chip_height;
        s->pass.search_x = i ? DEFORMED_SEARCH : o->search_x;
        s->pass.search_y = i ? DEFORMED_SEARCH : o->search_y;
        s->pass.step_x = o->deform_step_x;
        s->pass.step_y = o->deform_step_y;
        s->pass.median = 0;
        s->deformed = i > 0;
        s->grid.smooth = 1;
    }
}

/* Makes the grids of the steps for what follows each of them. */
static xncc_status make_grids(const xncc_track_call *call, const xncc_track_point *point,
                              size_t count, step *steps, size_t number, xncc_error *error)
{
    const xncc_track_options *o = &call->options;
    xncc_status status = XNCC_OK;
    for (size_t i = number; i-- > 0 && !status;) {
        const int deformed = i + 1 < number ? steps[i + 1].deformed : o->deform > 0;
        /* a deformed chip needs the field in all windows of its search */
        const double more = DEFORMED_SEARCH + 1.0;
        const xncc_track_need need = { point,
                                       count,
                                       { deformed ? o->chip_width / 2.0 + more : 0.0,
                                         deformed ? o->chip_height / 2.0 + more : 0.0 } };
        steps[i].grid.pass = &steps[i].pass;
        steps[i].grid.width = call->source.width1;
        steps[i].grid.height = call->source.height1;
        status = xncc_track_grid_make(&steps[i].grid, &need, error);
        point = steps[i].grid.node;
        count = steps[i].grid.count;
    }
    return status;
}

/* Tracks in image 2 deformed by the field, and adds what the field says at the place where a chip
 * was found. */
static xncc_status run_deformed(xncc_track_call *call, const xncc_field *field,
                                const xncc_track_point *point, size_t count,
                                xncc_displacement *found, xncc_error *error)
{
    call->field = field;
    call->options.search_x = call->options.search_y = DEFORMED_SEARCH;
    const xncc_status status = xncc_track_run_pass(call, point, count, found, error);
    for (size_t i = 0; i < count && !status; i++) {
        xncc_displacement *d = &found[i];
        double dx, dy;
        if (d->state & XNCC_TRACK_MISSING)
            continue;
        xncc_field_at(field, d->x + d->dx, d->y + d->dy, &dx, &dy);
        d->dx += dx;
        d->dy += dy;
        d->whole_dx = (int32_t)floor(d->dx + 0.5);
        d->whole_dy = (int32_t)floor(d->dy + 0.5);
    }
    return status;
}

/* Tracks the nodes of a step, and makes its field. before: the step before; NULL for the first. */
static xncc_status run_step(const xncc_track_call *call, const step *before, step *s,
                            xncc_error *error)
{
    xncc_track_call one = *call;
    one.options.chip_width = s->pass.chip_width;
    one.options.chip_height = s->pass.chip_height;
    one.options.search_x = s->pass.search_x;
    one.options.search_y = s->pass.search_y;
    one.options.back = 0;
    xncc_displacement *found = xncc_alloc(s->grid.count, sizeof *found);
    if (!found)
        return xncc_fail(error, XNCC_ERROR_MEMORY, "track: no memory for a pass of %llu chips",
                         (unsigned long long)s->grid.count);
    if (before)
        xncc_track_grid_interpolate(&before->grid, s->grid.node, s->grid.count);
    xncc_status status = s->deformed
                             ? run_deformed(&one, &before->grid.field, s->grid.node, s->grid.count,
                                            found, error)
                             : xncc_track_run_pass(&one, s->grid.node, s->grid.count, found, error);
    if (!status)
        status = xncc_track_grid_settle(&s->grid, found, error);
    xncc_free(found);
    return status;
}

/* Runs the steps, and the pass of the points after them. */
static xncc_status run_steps(const xncc_track_call *call, step *steps, size_t number,
                             xncc_track_point *point, size_t count, xncc_displacement *found,
                             xncc_error *error)
{
    const step *last = &steps[number - 1];
    xncc_track_call one = *call;
    xncc_status status = make_grids(call, point, count, steps, number, error);
    if (!status)
        status = xncc_track_grid_predict(&steps[0].grid, point, count, error);
    for (size_t i = 0; i < number && last->grid.count > 0 && !status; i++)
        status = run_step(call, i ? &steps[i - 1] : NULL, &steps[i], error);
    if (status)
        return status;
    xncc_track_grid_interpolate(&last->grid, point, count);
    return call->options.deform > 0 && last->grid.count > 0
               ? run_deformed(&one, &last->grid.field, point, count, found, error)
               : xncc_track_run_pass(call, point, count, found, error);
}

xncc_status xncc_track_run(const xncc_track_call *call, const xncc_track_point *point, size_t count,
                           xncc_displacement *found, xncc_error *error)
{
    const size_t number = call->options.coarse_count + (size_t)call->options.deform;
    if (number == 0 || count == 0)
        return xncc_track_run_pass(call, point, count, found, error);
    step *steps = xncc_alloc(number, sizeof *steps);
    xncc_track_point *predicted = xncc_alloc(count, sizeof *predicted);
    xncc_status status = XNCC_OK;
    if (!steps || !predicted)
        status = xncc_fail(error, XNCC_ERROR_MEMORY, "track: no memory for %llu points",
                           (unsigned long long)count);
    for (size_t i = 0; i < count && !status; i++)
        predicted[i] = point[i];
    if (!status) {
        list_steps(call, steps);
        status = run_steps(call, steps, number, predicted, count, found, error);
    }
    for (size_t i = 0; i < number && steps; i++)
        xncc_track_grid_clear(&steps[i].grid);
    xncc_free(steps);
    xncc_free(predicted);
    return status;
}
