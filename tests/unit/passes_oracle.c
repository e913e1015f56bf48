/* SPDX-License-Identifier: BSD-2-Clause */
/* The oracle of several passes (passes_oracle.h): all pairs of nodes, and nodes beyond the ends of
 * a grid spelt out. */
#include "passes_oracle.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NODES = 4000, MARGIN = 4 };

/* A pass's grid, as much of it as image 1 has. */
typedef struct grid {
    int32_t across, down;
    double x0, y0;
    xncc_track_pass pass;
    int deformed, smooth; /* its images, its displacements */
    char needed[NODES];
    xncc_track_point node[NODES];
} grid;

static void make_grid(grid *g, const xncc_track_pass *pass)
{
    *g = (grid){ .across = (PASS_WIDTH - pass->chip_width) / pass->step_x + 1,
                 .down = (PASS_HEIGHT - pass->chip_height) / pass->step_y + 1,
                 .x0 = (pass->chip_width - 1) / 2.0,
                 .y0 = (pass->chip_height - 1) / 2.0,
                 .pass = *pass };
    for (int32_t i = 0; i < g->across * g->down; i++) {
        g->node[i].x = g->x0 + i % g->across * pass->step_x;
        g->node[i].y = g->y0 + i / g->across * pass->step_y;
    }
}

/* The node before a place, in nodes. */
static int32_t before(double place, double first, int32_t step, int32_t nodes, double *rest)
{
    double t = (place - first) / step;
    t = t < -1 ? -1 : t > nodes ? nodes : t;
    const int32_t at = t >= nodes - 1 ? nodes - 1 : (int32_t)floor(t);
    *rest = t - at;
    return at;
}

/* The four nodes around the place, or those at the end. */
static void need_along(double place, double first, int32_t step, int32_t nodes, int32_t range[2])
{
    double rest;
    range[0] = before(place, first, step, nodes, &rest) - 1;
    if (range[0] + 3 > nodes - 1)
        range[0] = nodes - 4;
    if (range[0] < 0)
        range[0] = 0;
    range[1] = range[0] + 3 < nodes ? range[0] + 3 : nodes - 1;
}

/* Marks what interpolation up to (rx, ry) from a place needs, and two nodes around it if they are
 * smoothed. */
static void need(grid *g, double x, double y, double rx, double ry)
{
    int32_t left[2], right[2], top[2], bottom[2];
    const int32_t more = g->smooth ? 2 : 0;
    if (!isfinite(x) || !isfinite(y))
        return;
    need_along(x - rx, g->x0, g->pass.step_x, g->across, left);
    need_along(x + rx, g->x0, g->pass.step_x, g->across, right);
    need_along(y - ry, g->y0, g->pass.step_y, g->down, top);
    need_along(y + ry, g->y0, g->pass.step_y, g->down, bottom);
    for (int32_t j = top[0] - more; j <= bottom[1] + more; j++)
        for (int32_t i = left[0] - more; i <= right[1] + more; i++)
            if (i >= 0 && j >= 0 && i < g->across && j < g->down)
                g->needed[j * g->across + i] = 1;
}

/* Catmull and Rom's curve through p1 and p2, as a polynomial in t. */
static double curve(double p0, double p1, double p2, double p3, double t)
{
    return p1 + t * ((p2 - p0) / 2 +
                     t * (p0 - 2.5 * p1 + 2 * p2 - p3 / 2 + t * ((p3 - p0) / 2 + 1.5 * (p1 - p2))));
}

/* A row or a column of a grid. */
typedef struct line {
    const double *v;
    int32_t n, stride;
} line;

/* A node of it, also beyond its ends. */
static double value(const line *l, int32_t i)
{
    const double *v = l->v;
    if (l->n == 1)
        return v[0];
    if (i < 0)
        return v[0] - i * (v[0] - v[l->stride]);
    if (i >= l->n)
        return v[(l->n - 1) * l->stride] +
               (i - l->n + 1) * (v[(l->n - 1) * l->stride] - v[(l->n - 2) * l->stride]);
    return v[i * l->stride];
}

static double along(const line *l, int32_t at, double t)
{
    return curve(value(l, at - 1), value(l, at), value(l, at + 1), value(l, at + 2), t);
}

/* Sets the displacement of a point to that between the nodes. */
static void interpolate(const grid *g, xncc_track_point *p)
{
    static double v[NODES], row[NODES];
    double tx, ty;
    if (!isfinite(p->x) || !isfinite(p->y))
        return;
    const int32_t ax = before(p->x, g->x0, g->pass.step_x, g->across, &tx),
                  ay = before(p->y, g->y0, g->pass.step_y, g->down, &ty);
    for (int axis = 0; axis < 2; axis++) {
        for (int32_t i = 0; i < g->across * g->down; i++)
            v[i] = axis ? g->node[i].dy : g->node[i].dx;
        for (int32_t i = 0; i < g->across; i++)
            row[i] = along(&(line){ v + i, g->down, g->across }, ay, ty);
        *(axis ? &p->dy : &p->dx) = along(&(line){ row, g->across, 1 }, ax, tx);
    }
}

static double distance(const xncc_track_point *a, const xncc_track_point *b)
{
    return (a->x - b->x) * (a->x - b->x) + (a->y - b->y) * (a->y - b->y);
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* The median of a node and its eight nearest that are needed. */
static void median_at(const grid *g, int32_t at, double out[2])
{
    double x[9], y[9];
    char taken[NODES] = { 0 };
    int32_t n = 0;
    for (; n < 9; n++) { /* the node itself is the nearest one */
        int32_t best = -1;
        for (int32_t i = 0; i < g->across * g->down; i++)
            if (g->needed[i] && !taken[i] &&
                (best < 0 ||
                 distance(&g->node[i], &g->node[at]) < distance(&g->node[best], &g->node[at])))
                best = i;
        if (best < 0)
            break;
        taken[best] = 1;
        x[n] = g->node[best].dx;
        y[n] = g->node[best].dy;
    }
    qsort(x, (size_t)n, sizeof *x, ascending);
    qsort(y, (size_t)n, sizeof *y, ascending);
    out[0] = n % 2 ? x[n / 2] : (x[n / 2 - 1] + x[n / 2]) / 2;
    out[1] = n % 2 ? y[n / 2] : (y[n / 2 - 1] + y[n / 2]) / 2;
}

/* Five nodes of a line as a parabola: its value in the middle. */
static double parabola(const line *l, int32_t at)
{
    double sum = 0, squares = 0; /* of the values, and of the values times i^2 - 2 */
    for (int32_t i = -2; i <= 2; i++) {
        sum += value(l, at + i);
        squares += (i * i - 2) * value(l, at + i);
    }
    return sum / 5 - 2 * squares / 14;
}

static void smooth(grid *g)
{
    static double v[NODES], w[NODES];
    for (int axis = 0; axis < 2; axis++) {
        const int32_t n = g->across * g->down;
        for (int32_t i = 0; i < n; i++)
            v[i] = axis ? g->node[i].dy : g->node[i].dx;
        for (int32_t i = 0; i < n; i++)
            w[i] = parabola(&(line){ v + i / g->across * g->across, g->across, 1 }, i % g->across);
        for (int32_t i = 0; i < n; i++)
            *(axis ? &g->node[i].dy : &g->node[i].dx) = parabola(
                &(line){ w + i % g->across, g->down, g->across }, i / g->across);
    }
}

static int counts(const xncc_image *image, int32_t x, int32_t y)
{
    return (!image->mask || kit_mask(image, x, y)) &&
           !(image->has_no_data && kit_pixel(image, x, y) == image->no_data);
}

static int32_t within(int32_t i, int32_t extent)
{
    return i < 0 ? 0 : i >= extent ? extent - 1 : i;
}

/* The polynomial through eight values at -3 .. 4, by Neville's scheme. */
static double neville(const double from[8], double t)
{
    double p[8];
    memcpy(p, from, sizeof p);
    for (int step = 1; step < 8; step++)
        for (int i = 0; i + step < 8; i++)
            p[i] = ((t - (i + step - 3)) * p[i] - (t - (i - 3)) * p[i + 1]) / -step;
    return p[0];
}

/* The value of an 8-bit image between its pixels; NAN if it does not count. */
static double sample(const xncc_image *image, double x, double y)
{
    double row[8], column[8];
    if (!(x >= 0 && y >= 0 && x <= image->width - 1 && y <= image->height - 1))
        return NAN;
    const int32_t left = (int32_t)floor(x), top = (int32_t)floor(y);
    for (int j = 0; j < 8; j++) {
        const int32_t py = within(top + j - 3, image->height);
        for (int i = 0; i < 8; i++) {
            const int32_t px = within(left + i - 3, image->width);
            if (!counts(image, px, py) && (x > left || i == 3) && (y > top || j == 3))
                return NAN;
            row[i] = kit_pixel(image, px, py);
        }
        column[j] = neville(row, x - left);
    }
    return neville(column, y - top);
}

/* Image 2 deformed by a grid, with a margin. */
static kit_image deformed(const xncc_image *image, const grid *g)
{
    kit_image out = kit_image_create(XNCC_U8, PASS_WIDTH + 2 * MARGIN, PASS_HEIGHT + 2 * MARGIN, 0,
                                     KIT_AFTER);
    kit_image_mask(&out, (kit_room){ 0, KIT_AFTER });
    for (int32_t y = 0; y < out.view.height; y++)
        for (int32_t x = 0; x < out.view.width; x++) {
            xncc_track_point p = { x - MARGIN, y - MARGIN, 0, 0 };
            interpolate(g, &p);
            const double v = sample(image, p.x + p.dx, p.y + p.dy);
            kit_mask_set(&out.view, x, y, (uint8_t)(isnan(v) ? 0 : 1));
            kit_pixel_set(&out.view, x, y, isnan(v) ? 0 : floor(fmin(fmax(v, 0), 255) + 0.5));
        }
    return out;
}

/* Tracks points in image 2 deformed by a grid. */
static void track_deformed(xncc_context *context, const oracle_call *call,
                           const xncc_track_options *o, const grid *g,
                           const xncc_track_point *point, size_t count, xncc_displacement *found)
{
    static xncc_track_point moved[NODES];
    kit_image image[2];
    xncc_track_pair pair[2];
    xncc_track_options one = *o;
    one.search_x = one.search_y = MARGIN;
    for (size_t p = 0; p < call->pairs; p++) {
        image[p] = deformed(call->pair[p].image2, g);
        pair[p] = (xncc_track_pair){ call->pair[p].image1, &image[p].view };
    }
    for (size_t i = 0; i < count; i++)
        moved[i] = (xncc_track_point){ point[i].x, point[i].y, MARGIN, MARGIN };
    CHECK_STATUS(xncc_track(context, pair, call->pairs, &one, moved, count, found, &kit_error),
                 XNCC_OK);
    for (size_t i = 0; i < count; i++) {
        xncc_displacement *d = &found[i];
        if (d->state & XNCC_TRACK_MISSING)
            continue;
        xncc_track_point p = { d->x + d->dx - MARGIN, d->y + d->dy - MARGIN, 0, 0 };
        interpolate(g, &p);
        d->dx += p.dx - MARGIN;
        d->dy += p.dy - MARGIN;
        d->whole_dx = (int32_t)floor(d->dx + 0.5);
        d->whole_dy = (int32_t)floor(d->dy + 0.5);
    }
    for (size_t p = 0; p < call->pairs; p++)
        kit_image_destroy(&image[p]);
}

/* Tracks the nodes that are needed, and makes their displacements those of the pass. before: what
 * deforms the images. */
static void run_pass(xncc_context *context, const oracle_call *call, const grid *before, grid *g)
{
    static xncc_track_point point[NODES];
    static xncc_displacement found[NODES];
    static double medians[NODES][2];
    const xncc_track_pass *p = &g->pass;
    xncc_track_options one = *call->options;
    xncc_track_check_options test = XNCC_TRACK_CHECK_OPTIONS_INIT;
    const int32_t nodes = g->across * g->down;
    size_t n = 0;
    for (int32_t i = 0; i < nodes; i++)
        if (g->needed[i])
            point[n++] = g->node[i];
    one.chip_width = p->chip_width;
    one.chip_height = p->chip_height;
    one.search_x = p->search_x;
    one.search_y = p->search_y;
    one.back = one.deform = 0;
    one.coarse_count = 0;
    if (g->deformed)
        track_deformed(context, call, &one, before, point, n, found);
    else
        CHECK_STATUS(
            xncc_track(context, call->pair, call->pairs, &one, point, n, found, &kit_error),
            XNCC_OK);
    test.limit = p->limit;
    test.noise = 0.5;
    test.replace = 1;
    CHECK_STATUS(xncc_track_check(&test, found, n, &kit_error), XNCC_OK);
    n = 0;
    for (int32_t i = 0; i < nodes; i++) {
        if (g->needed[i] && !isnan(found[n].dx)) {
            g->node[i].dx = found[n].dx;
            g->node[i].dy = found[n].dy;
        }
        n += g->needed[i] != 0;
    }
    for (int32_t i = 0; i < nodes && p->median; i++)
        median_at(g, i, medians[i]);
    for (int32_t i = 0; i < nodes && p->median; i++) {
        g->node[i].dx = medians[i][0];
        g->node[i].dy = medians[i][1];
    }
    if (g->smooth)
        smooth(g);
}

static void predict_nearest(grid *g, const xncc_track_point *point, size_t count)
{
    for (int32_t i = 0; i < g->across * g->down; i++) {
        const xncc_track_point *best = NULL;
        for (size_t k = 0; k < count; k++)
            if (isfinite(point[k].x + point[k].y) && isfinite(point[k].dx + point[k].dy) &&
                (!best || distance(&point[k], &g->node[i]) < distance(best, &g->node[i])))
                best = &point[k];
        g->node[i].dx = best ? best->dx : 0;
        g->node[i].dy = best ? best->dy : 0;
    }
}

/* Makes the grids of the passes before that of the points. Returns their number. */
static size_t make_grids(const xncc_track_options *o, grid *g)
{
    for (size_t i = 0; i < o->coarse_count; i++)
        make_grid(&g[i], &o->coarse[i]);
    for (int32_t i = 0; i < o->deform; i++) {
        xncc_track_pass pass = XNCC_TRACK_PASS_INIT;
        pass.chip_width = o->chip_width;
        pass.chip_height = o->chip_height;
        pass.search_x = i ? MARGIN : o->search_x;
        pass.search_y = i ? MARGIN : o->search_y;
        pass.step_x = o->deform_step_x;
        pass.step_y = o->deform_step_y;
        pass.median = 0;
        grid *one = &g[o->coarse_count + (size_t)i];
        make_grid(one, &pass);
        one->deformed = i > 0;
        one->smooth = 1;
    }
    return o->coarse_count + (size_t)o->deform;
}

/* Marks what is needed, from the last grid to the first. */
static void mark_needed(const oracle_call *call, grid *g, size_t number)
{
    const xncc_track_options *o = call->options;
    for (size_t i = number; i-- > 0;) {
        const grid *next = i + 1 < number ? &g[i + 1] : NULL;
        const int reach = next ? next->deformed : o->deform > 0;
        const double rx = reach ? o->chip_width / 2.0 + 5 : 0,
                     ry = reach ? o->chip_height / 2.0 + 5 : 0;
        for (int32_t k = 0; next && k < next->across * next->down; k++)
            if (next->needed[k])
                need(&g[i], next->node[k].x, next->node[k].y, rx, ry);
        for (size_t k = 0; !next && k < call->count; k++)
            need(&g[i], call->point[k].x, call->point[k].y, rx, ry);
    }
}

void oracle_passes(xncc_context *context, const oracle_call *call, xncc_displacement *found)
{
    static grid g[6];
    static xncc_track_point last[NODES];
    xncc_track_options one = *call->options;
    const size_t number = make_grids(call->options, g);
    mark_needed(call, g, number);
    predict_nearest(&g[0], call->point, call->count);
    for (size_t i = 0; i < number; i++) {
        run_pass(context, call, i ? &g[i - 1] : NULL, &g[i]);
        for (int32_t k = 0; i + 1 < number && k < g[i + 1].across * g[i + 1].down; k++)
            interpolate(&g[i], &g[i + 1].node[k]);
    }
    memcpy(last, call->point, call->count * sizeof *last);
    for (size_t k = 0; k < call->count; k++)
        interpolate(&g[number - 1], &last[k]);
    one.coarse_count = 0;
    one.deform = 0;
    if (call->options->deform)
        track_deformed(context, call, &one, &g[number - 1], last, call->count, found);
    else
        CHECK_STATUS(xncc_track(context, call->pair, call->pairs, &one, last, call->count, found,
                                &kit_error),
                     XNCC_OK);
}
