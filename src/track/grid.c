/* SPDX-License-Identifier: BSD-2-Clause */
/* The chips of a coarse pass (grid.h). */
#include "track/grid.h"

#include "base/memory.h"
#include "track/median.h"
#include "track/outliers.h"

#include <math.h>

/* Nodes first .. last of an axis. */
typedef struct range {
    int32_t first, last;
} range;

static range nodes_near(const xncc_field_axis *axis, double place, double reach)
{
    const xncc_field_taps low = xncc_field_taps_at(axis, place - reach),
                          high = xncc_field_taps_at(axis, place + reach);
    return (range){ low.first, high.first + high.count - 1 };
}

static xncc_field_axis axis_of(int32_t chip, int32_t step, int32_t extent)
{
    return (xncc_field_axis){ ((double)chip - 1.0) / 2.0, step, (extent - chip) / step + 1 };
}

static int is_somewhere(const xncc_track_point *p)
{
    return isfinite(p->x) && isfinite(p->y);
}

/* The part of an axis that the points need; no nodes if there are none. */
static void cut_axis(xncc_field_axis *axis, const xncc_track_point *point, size_t count, int down,
                     double reach)
{
    range all = { axis->nodes, -1 };
    for (size_t i = 0; i < count; i++) {
        if (!is_somewhere(&point[i]))
            continue;
        const range r = nodes_near(axis, down ? point[i].y : point[i].x, reach);
        all.first = r.first < all.first ? r.first : all.first;
        all.last = r.last > all.last ? r.last : all.last;
    }
    axis->first += (double)all.first * (double)axis->step;
    axis->nodes = all.last < all.first ? 0 : all.last - all.first + 1;
}

/* Marks the nodes of the field that the points need, and returns their number. whole: the axes of
 * the whole grid. */
static size_t mark(const xncc_field *f, const xncc_field_axis whole[2],
                   const xncc_track_point *point, size_t count, const double reach[2],
                   uint8_t *needed)
{
    const int32_t left = (int32_t)((f->x.first - whole[0].first) / (double)f->x.step),
                  top = (int32_t)((f->y.first - whole[1].first) / (double)f->y.step);
    size_t marked = 0;
    for (size_t i = 0; i < count; i++) {
        if (!is_somewhere(&point[i]))
            continue;
        const range across = nodes_near(&whole[0], point[i].x, reach[0]),
                    down = nodes_near(&whole[1], point[i].y, reach[1]);
        for (int32_t y = down.first - top; y <= down.last - top; y++)
            for (int32_t x = across.first - left; x <= across.last - left; x++) {
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

xncc_status xncc_track_grid_make(const xncc_track_pass *pass, int32_t width, int32_t height,
                                 const xncc_track_point *point, size_t count, const double reach[2],
                                 xncc_track_grid *grid, xncc_error *error)
{
    const xncc_field_axis whole[2] = { axis_of(pass->chip_width, pass->step_x, width),
                                       axis_of(pass->chip_height, pass->step_y, height) };
    xncc_field *f = &grid->field;
    *grid = (xncc_track_grid){ .field = { .x = whole[0], .y = whole[1] } };
    cut_axis(&f->x, point, count, 0, reach[0]);
    cut_axis(&f->y, point, count, 1, reach[1]);
    const uint64_t nodes = (uint64_t)f->x.nodes * (uint64_t)f->y.nodes;
    if (nodes == 0)
        return XNCC_OK;
    uint8_t *needed = xncc_alloc(nodes, 1);
    f->dx = xncc_alloc(nodes, sizeof *f->dx);
    f->dy = xncc_alloc(nodes, sizeof *f->dy);
    xncc_status status = !needed || !f->dx || !f->dy ? no_memory(f, error) : XNCC_OK;
    if (!status)
        status = list_nodes(grid, needed, mark(f, whole, point, count, reach, needed), error);
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

enum { AROUND = 8 }; /* neighbours of the median */

/* Writes the medians of what was found, which is all there, to the nodes. */
static xncc_status take_medians(xncc_track_grid *grid, const xncc_displacement *found,
                                xncc_error *error)
{
    xncc_neighbours n;
    xncc_status status = xncc_neighbours_make(found, grid->count, &n, error);
    for (size_t i = 0; i < grid->count && !status; i++) {
        size_t near[AROUND + 1];
        double x[AROUND + 1], y[AROUND + 1];
        const int32_t count = xncc_neighbours_find(&n, i, 0, AROUND, near);
        near[count] = i;
        for (int32_t k = 0; k <= count; k++) {
            x[k] = found[near[k]].dx;
            y[k] = found[near[k]].dy;
        }
        grid->node[i].dx = xncc_median(x, count + 1);
        grid->node[i].dy = xncc_median(y, count + 1);
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

xncc_status xncc_track_grid_settle(xncc_track_grid *grid, const xncc_track_pass *pass,
                                   xncc_displacement *found, xncc_error *error)
{
    xncc_track_check_options test = XNCC_TRACK_CHECK_OPTIONS_INIT;
    test.limit = pass->limit;
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
    if (!status && pass->median)
        status = take_medians(grid, found, error);
    if (!status)
        fill_field(grid);
    return status;
}
