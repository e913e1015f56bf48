/* SPDX-License-Identifier: BSD-2-Clause */
/* The chips of a coarse pass (grid.h). */
#include "track/grid.h"

#include "base/memory.h"
#include "track/outliers.h"

#include <math.h>

enum { AROUND = 8 /* neighbours of the median */, SMOOTHED = 2 /* nodes on each side */ };

/* The nodes of an axis that are needed around a place. */
static void nodes_near(const xncc_track_grid *g, const xncc_field_axis *axis, double place,
                       double reach, int32_t range[2])
{
    const xncc_field_taps low = xncc_field_taps_at(axis, place - reach),
                          high = xncc_field_taps_at(axis, place + reach);
    const int32_t margin = g->smooth ? SMOOTHED : 0, end = high.first + high.count - 1 + margin;
    range[0] = low.first < margin ? 0 : low.first - margin;
    range[1] = end < axis->nodes ? end : axis->nodes - 1;
}

static xncc_field_axis axis_of(int32_t chip, int32_t step, int32_t extent)
{
    return (xncc_field_axis){ ((double)chip - 1.0) / 2.0, step,
                              extent < chip ? 0 : (extent - chip) / step + 1 };
}

static int is_somewhere(const xncc_track_point *p)
{
    return isfinite(p->x) && isfinite(p->y);
}

/* The part of an axis that is needed; no nodes if there are none. */
static void cut_axis(const xncc_track_grid *g, const xncc_track_need *need, int down,
                     xncc_field_axis *axis)
{
    int32_t all[2] = { axis->nodes, -1 }, one[2];
    for (size_t i = 0; i < need->count; i++) {
        const xncc_track_point *p = &need->point[i];
        if (!is_somewhere(p))
            continue;
        nodes_near(g, axis, down ? p->y : p->x, need->reach[down], one);
        all[0] = one[0] < all[0] ? one[0] : all[0];
        all[1] = one[1] > all[1] ? one[1] : all[1];
    }
    axis->first += (double)all[0] * (double)axis->step;
    axis->nodes = all[1] < all[0] ? 0 : all[1] - all[0] + 1;
}

/* Marks the nodes of the field that are needed, and returns their number. whole: the axes of the
 * whole grid. */
static size_t mark(const xncc_track_grid *g, const xncc_field_axis whole[2],
                   const xncc_track_need *need, uint8_t *needed)
{
    const xncc_field *f = &g->field;
    const int32_t left = (int32_t)((f->x.first - whole[0].first) / (double)f->x.step),
                  top = (int32_t)((f->y.first - whole[1].first) / (double)f->y.step);
    int32_t across[2], down[2];
    size_t marked = 0;
    for (size_t i = 0; i < need->count; i++) {
        const xncc_track_point *p = &need->point[i];
        if (!is_somewhere(p))
            continue;
        nodes_near(g, &whole[0], p->x, need->reach[0], across);
        nodes_near(g, &whole[1], p->y, need->reach[1], down);
        for (int32_t y = down[0] - top; y <= down[1] - top; y++)
            for (int32_t x = across[0] - left; x <= across[1] - left; x++) {
                uint8_t *at = &needed[(int64_t)y * f->x.nodes + x];
                marked += !*at;
                *at = 1;
            }
    }
    return marked;
}

static xncc_status no_memory(const xncc_field *f, xncc_error *error)
{
    return xncc_fail(error, XNCC_ERROR_MEMORY, "track: no memory for a pass of %d x %d chips",
                     f->x.nodes, f->y.nodes);
}

/* Lists the nodes that are marked. */
static xncc_status list_nodes(xncc_track_grid *grid, const uint8_t *needed, size_t marked,
                              xncc_error *error)
{
    const xncc_field *f = &grid->field;
    const size_t nodes = (size_t)f->x.nodes * (size_t)f->y.nodes;
    grid->node = xncc_alloc(marked, sizeof *grid->node);
    grid->place = xncc_alloc(marked, sizeof *grid->place);
    if (!grid->node || !grid->place)
        return no_memory(f, error);
    for (size_t i = 0; i < nodes; i++) {
        if (!needed[i])
            continue;
        const size_t across = (size_t)f->x.nodes;
        grid->place[grid->count] = i;
        grid->node[grid->count++] = (xncc_track_point){
            .x = f->x.first + (double)(i % across) * (double)f->x.step,
            .y = f->y.first + (double)(i / across) * (double)f->y.step
        };
    }
    return XNCC_OK;
}

xncc_status xncc_track_grid_make(xncc_track_grid *grid, const xncc_track_need *need,
                                 xncc_error *error)
{
    const xncc_track_pass *pass = grid->pass;
    const xncc_field_axis whole[2] = { axis_of(pass->chip_width, pass->step_x, grid->width),
                                       axis_of(pass->chip_height, pass->step_y, grid->height) };
    xncc_field *f = &grid->field;
    if (whole[0].nodes == 0 || whole[1].nodes == 0)
        return XNCC_OK;
    *f = (xncc_field){ .x = whole[0], .y = whole[1] };
    cut_axis(grid, need, 0, &f->x);
    cut_axis(grid, need, 1, &f->y);
    const uint64_t nodes = (uint64_t)f->x.nodes * (uint64_t)f->y.nodes;
    if (nodes == 0)
        return XNCC_OK;
    uint8_t *needed = xncc_alloc(nodes, 1);
    f->dx = xncc_alloc(nodes, sizeof *f->dx);
    f->dy = xncc_alloc(nodes, sizeof *f->dy);
    xncc_status status = !needed || !f->dx || !f->dy ? no_memory(f, error) : XNCC_OK;
    if (!status)
        status = list_nodes(grid, needed, mark(grid, whole, need, needed), error);
    xncc_free(needed);
    return status;
}

void xncc_track_grid_clear(xncc_track_grid *grid)
{
    xncc_free(grid->field.dx);
    xncc_free(grid->field.dy);
    xncc_free(grid->node);
    xncc_free(grid->place);
}

/* Do all points predict the same? */
static int predict_alike(const xncc_track_point *point, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (point[i].dx != point[0].dx || point[i].dy != point[0].dy)
            return 0;
    return 1;
}

xncc_status xncc_track_grid_predict(xncc_track_grid *grid, const xncc_track_point *point,
                                    size_t count, xncc_error *error)
{
    const int alike = predict_alike(point, count);
    xncc_neighbours n = { .found = NULL };
    xncc_status status = XNCC_OK;
    xncc_displacement *d = alike ? NULL : xncc_alloc((uint64_t)count + 1, sizeof *d);
    if (!alike && !d)
        return xncc_fail(error, XNCC_ERROR_MEMORY, "track: no memory for %llu points",
                         (unsigned long long)count);
    for (size_t i = 0; i < count && d; i++) {
        const int known = isfinite(point[i].dx) && isfinite(point[i].dy);
        d[i].x = point[i].x;
        d[i].y = point[i].y;
        d[i].state = known ? 0 : XNCC_TRACK_MISSING;
    }
    if (d)
        status = xncc_neighbours_make(d, count, &n, error);
    for (size_t i = 0; i < grid->count && !status; i++) {
        size_t nearest = 0;
        if (d) { /* the last one stands for the node */
            d[count].x = grid->node[i].x;
            d[count].y = grid->node[i].y;
            if (xncc_neighbours_find(&n, count, 0, 1, &nearest) == 0)
                continue; /* nothing is predicted anywhere */
        }
        grid->node[i].dx = point[nearest].dx;
        grid->node[i].dy = point[nearest].dy;
    }
    xncc_neighbours_free(&n);
    xncc_free(d);
    return status;
}

void xncc_track_grid_interpolate(const xncc_track_grid *grid, xncc_track_point *point, size_t count)
{
    for (size_t i = 0; i < count && grid->count > 0; i++)
        if (is_somewhere(&point[i]))
            xncc_field_at(&grid->field, point[i].x, point[i].y, &point[i].dx, &point[i].dy);
}

/* Writes the medians of what was found, which is all there, to the nodes. */
static xncc_status take_medians(xncc_track_grid *grid, const xncc_displacement *found,
                                xncc_error *error)
{
    xncc_neighbours n;
    xncc_status status = xncc_neighbours_make(found, grid->count, &n, error);
    for (size_t i = 0; i < grid->count && !status; i++) {
        size_t near[AROUND + 1];
        const int32_t count = xncc_neighbours_find(&n, i, 0, AROUND, near);
        near[count] = i;
        grid->node[i].dx = xncc_median_of(found, near, count + 1, 0, NULL);
        grid->node[i].dy = xncc_median_of(found, near, count + 1, 1, NULL);
    }
    xncc_neighbours_free(&n);
    return status;
}

/* Writes the displacements of the nodes to the field. The others, which nobody needs, get those of
 * a node before or after. */
static void fill_field(xncc_track_grid *grid)
{
    xncc_field *f = &grid->field;
    const size_t nodes = (size_t)f->x.nodes * (size_t)f->y.nodes;
    size_t next = 0;
    for (size_t i = 0; i < nodes; i++) {
        const size_t from = next < grid->count ? next : grid->count - 1;
        f->dx[i] = grid->node[from].dx;
        f->dy[i] = grid->node[from].dy;
        next += next < grid->count && grid->place[next] == i;
    }
}

/* Smooths the field. */
static xncc_status smooth(xncc_field *f, xncc_error *error)
{
    const int32_t nodes = f->x.nodes > f->y.nodes ? f->x.nodes : f->y.nodes;
    double *line = xncc_alloc((uint64_t)nodes, sizeof *line);
    if (!line)
        return no_memory(f, error);
    xncc_field_smooth(f, line);
    xncc_free(line);
    return XNCC_OK;
}

/* What a prediction may be wrong by anyway, in pixels: the next pass searches around it. */
static const double test_noise = 0.5;

xncc_status xncc_track_grid_settle(xncc_track_grid *grid, xncc_displacement *found,
                                   xncc_error *error)
{
    xncc_track_check_options test = XNCC_TRACK_CHECK_OPTIONS_INIT;
    test.limit = grid->pass->limit;
    test.noise = test_noise;
    test.replace = 1;
    xncc_status status = xncc_outliers_mark(&test, found, grid->count, error);
    for (size_t i = 0; i < grid->count && !status; i++) {
        xncc_displacement *d = &found[i];
        if (!isfinite(d->dx) || !isfinite(d->dy)) {
            d->dx = isfinite(grid->node[i].dx) ? grid->node[i].dx : 0.0;
            d->dy = isfinite(grid->node[i].dy) ? grid->node[i].dy : 0.0;
        }
        d->state = 0;
        grid->node[i].dx = d->dx;
        grid->node[i].dy = d->dy;
    }
    if (!status && grid->pass->median)
        status = take_medians(grid, found, error);
    if (status)
        return status;
    fill_field(grid);
    return grid->smooth ? smooth(&grid->field, error) : XNCC_OK;
}
