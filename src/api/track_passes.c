/* SPDX-License-Identifier: BSD-2-Clause */
/* Tracking in several passes (track_passes.h). What a pass needs of the pass before is known before
 * any of them runs: the grids are made from the last one to the first. */
#include "api/track_passes.h"

#include "base/memory.h"
#include "track/grid.h"

/* The call of a coarse pass alone. */
static xncc_track_call call_of_pass(const xncc_track_call *call, const xncc_track_pass *pass)
{
    xncc_track_call one = *call;
    one.options.chip_width = pass->chip_width;
    one.options.chip_height = pass->chip_height;
    one.options.search_x = pass->search_x;
    one.options.search_y = pass->search_y;
    one.options.back = 0;
    return one;
}

/* Tracks the nodes of a grid, and makes its field. */
static xncc_status run_grid(const xncc_track_call *call, const xncc_track_pass *pass,
                            xncc_track_grid *grid, xncc_error *error)
{
    const xncc_track_call one = call_of_pass(call, pass);
    xncc_displacement *found = xncc_alloc(grid->count, sizeof *found);
    if (!found)
        return xncc_fail(error, XNCC_ERROR_MEMORY, "track: no memory for a pass of %llu chips",
                         (unsigned long long)grid->count);
    xncc_status status = xncc_track_run_pass(&one, grid->node, grid->count, found, error);
    if (!status)
        status = xncc_track_grid_settle(grid, pass, found, error);
    xncc_free(found);
    return status;
}

static xncc_status make_grids(const xncc_track_call *call, const xncc_track_point *point,
                              size_t count, xncc_track_grid *grid, xncc_error *error)
{
    static const double reach[2] = { 0.0, 0.0 };
    xncc_status status = XNCC_OK;
    for (size_t i = call->options.coarse_count; i-- > 0 && !status;) {
        status = xncc_track_grid_make(&call->coarse[i], call->source.width1, call->source.height1,
                                      point, count, reach, &grid[i], error);
        point = grid[i].node;
        count = grid[i].count;
    }
    return status;
}

/* Runs the coarse passes, and predicts the displacements of the points. */
static xncc_status run_coarse(const xncc_track_call *call, xncc_track_grid *grid,
                              xncc_track_point *point, size_t count, xncc_error *error)
{
    const size_t passes = call->options.coarse_count;
    xncc_status status = make_grids(call, point, count, grid, error);
    if (!status)
        status = xncc_track_grid_predict(&grid[0], point, count, error);
    for (size_t i = 0; i < passes && grid[i].count > 0 && !status; i++) {
        status = run_grid(call, &call->coarse[i], &grid[i], error);
        if (!status && i + 1 < passes)
            xncc_track_grid_interpolate(&grid[i], grid[i + 1].node, grid[i + 1].count);
    }
    if (!status)
        xncc_track_grid_interpolate(&grid[passes - 1], point, count);
    return status;
}

xncc_status xncc_track_run(const xncc_track_call *call, const xncc_track_point *point, size_t count,
                           xncc_displacement *found, xncc_error *error)
{
    const size_t passes = call->options.coarse_count;
    if (passes == 0 || count == 0)
        return xncc_track_run_pass(call, point, count, found, error);
    xncc_track_grid *grid = xncc_alloc(passes, sizeof *grid);
    xncc_track_point *predicted = xncc_alloc(count, sizeof *predicted);
    xncc_status status = XNCC_OK;
    if (!grid || !predicted)
        status = xncc_fail(error, XNCC_ERROR_MEMORY, "track: no memory for %llu points",
                           (unsigned long long)count);
    for (size_t i = 0; i < count && !status; i++)
        predicted[i] = point[i];
    if (!status)
        status = run_coarse(call, grid, predicted, count, error);
    if (!status)
        status = xncc_track_run_pass(call, predicted, count, found, error);
    for (size_t i = 0; i < passes && grid; i++)
        xncc_track_grid_clear(&grid[i]);
    xncc_free(grid);
    xncc_free(predicted);
    return status;
}
