/* SPDX-License-Identifier: BSD-2-Clause */
/* The nearest points of a point: rings of cells around its own (neighbours.h). */
#include "track/neighbours.h"

#include "base/memory.h"

#include <math.h>

static int is_there(const xncc_displacement *d)
{
    return !(d->state & XNCC_TRACK_MISSING) && isfinite(d->x) && isfinite(d->y);
}

static int64_t cell_along(double v, double origin, double side, int64_t cells)
{
    const double at = floor((v - origin) / side);
    return at < 0.0 ? 0 : at >= (double)cells ? cells - 1 : (int64_t)at;
}

static int64_t cell_of(const xncc_neighbours *n, const xncc_displacement *d)
{
    return cell_along(d->y, n->y0, n->side, n->down) * n->across +
           cell_along(d->x, n->x0, n->side, n->across);
}

/* Chooses cells of about two points each, and at most about three per point where all points lie
 * along a line. */
static void choose_cells(const xncc_displacement *found, size_t count, xncc_neighbours *n)
{
    double x1 = -INFINITY, y1 = -INFINITY, there = 0.0;
    n->x0 = n->y0 = INFINITY;
    for (size_t i = 0; i < count; i++) {
        if (!is_there(&found[i]))
            continue;
        n->x0 = fmin(n->x0, found[i].x);
        n->y0 = fmin(n->y0, found[i].y);
        x1 = fmax(x1, found[i].x);
        y1 = fmax(y1, found[i].y);
        there += 1.0;
    }
    const double width = there > 0.0 ? x1 - n->x0 : 0.0, height = there > 0.0 ? y1 - n->y0 : 0.0;
    n->side = fmax(sqrt(width * height * 2.0 / (there + 1.0)), fmax(width, height) / (there + 1.0));
    if (!(n->side > 0.0 && isfinite(n->side)))
        n->side = 1.0;
    n->across = (int64_t)fmin(floor(width / n->side), there) + 1;
    n->down = (int64_t)fmin(floor(height / n->side), there) + 1;
}

xncc_status xncc_neighbours_make(const xncc_displacement *found, size_t count, xncc_neighbours *n,
                                 xncc_error *error)
{
    *n = (xncc_neighbours){ .found = found };
    choose_cells(found, count, n);
    const size_t cells = (size_t)n->across * (size_t)n->down;
    n->first = xncc_alloc((uint64_t)cells + 2, sizeof *n->first);
    n->index = xncc_alloc((uint64_t)count + 1, sizeof *n->index);
    if (!n->first || !n->index)
        return xncc_fail(error, XNCC_ERROR_MEMORY,
                         "track: no memory for the neighbours of %llu points",
                         (unsigned long long)count);
    /* first[c + 2] counts the points of cell c, then first[c + 1] is where its next point goes */
    for (size_t i = 0; i < count; i++)
        if (is_there(&found[i]))
            n->first[cell_of(n, &found[i]) + 2]++;
    for (size_t c = 2; c < cells + 2; c++)
        n->first[c] += n->first[c - 1];
    for (size_t i = 0; i < count; i++)
        if (is_there(&found[i]))
            n->index[n->first[cell_of(n, &found[i]) + 1]++] = i;
    return XNCC_OK;
}

void xncc_neighbours_free(xncc_neighbours *n)
{
    xncc_free(n->first);
    xncc_free(n->index);
}

/* The nearest points so far, nearest first. */
typedef struct list {
    size_t *nearest;
    double distance[XNCC_MOST_NEIGHBOURS]; /* squared */
    int32_t count, most;
} list;

static void insert(list *l, size_t index, double distance)
{
    int32_t at = l->count;
    if (at == l->most) {
        if (distance > l->distance[at - 1] ||
            (distance == l->distance[at - 1] && index > l->nearest[at - 1]))
            return;
        at--;
    } else {
        l->count++;
    }
    for (; at > 0 && (l->distance[at - 1] > distance ||
                      (l->distance[at - 1] == distance && l->nearest[at - 1] > index));
         at--) {
        l->distance[at] = l->distance[at - 1];
        l->nearest[at] = l->nearest[at - 1];
    }
    l->distance[at] = distance;
    l->nearest[at] = index;
}

static void visit_cell(const xncc_neighbours *n, int64_t cx, int64_t cy, size_t at,
                       uint32_t without, list *l)
{
    if (cx < 0 || cy < 0 || cx >= n->across || cy >= n->down)
        return;
    const int64_t c = cy * n->across + cx;
    for (size_t i = n->first[c]; i < n->first[c + 1]; i++) {
        const size_t k = n->index[i];
        const double dx = n->found[k].x - n->found[at].x, dy = n->found[k].y - n->found[at].y;
        if (k != at && !(n->found[k].state & without))
            insert(l, k, dx * dx + dy * dy);
    }
}

int32_t xncc_neighbours_find(const xncc_neighbours *n, size_t at, uint32_t without, int32_t most,
                             size_t *nearest)
{
    const xncc_displacement *d = &n->found[at];
    list l = { .nearest = nearest, .most = most };
    if (!isfinite(d->x) || !isfinite(d->y))
        return 0;
    const int64_t cx = cell_along(d->x, n->x0, n->side, n->across),
                  cy = cell_along(d->y, n->y0, n->side, n->down),
                  rings = n->across > n->down ? n->across : n->down;
    /* A point outside of the cells is nearer to the first ring than its cell is. */
    const double outside = fmax(fmax(n->x0 - d->x, d->x - n->x0 - (double)n->across * n->side),
                                fmax(n->y0 - d->y, d->y - n->y0 - (double)n->down * n->side));
    for (int64_t ring = 0; ring <= rings; ring++) {
        for (int64_t y = -ring; y <= ring; y++)
            for (int64_t x = -ring; x <= ring;
                 x += y == -ring || y == ring || ring == 0 ? 1 : 2 * ring)
                visit_cell(n, cx + x, cy + y, at, without, &l);
        const double safe = (double)ring * n->side - fmax(outside, 0.0);
        if (l.count == most && safe > 0.0 && l.distance[most - 1] < safe * safe)
            break;
    }
    return l.count;
}
