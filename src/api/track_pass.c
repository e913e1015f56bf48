/* SPDX-License-Identifier: BSD-2-Clause */
/* One pass of tracking (track_pass.h). The points are sorted by where they are sought, so that
 * those that follow each other read the same pixels, and divided into bands, of which each reads
 * some rows of every image. A band is one run of the engine (engine/chip_ops.h), and another one on
 * the way back. */
#include "api/track_pass.h"

#include "api/track_band.h"
#include "base/memory.h"
#include "cpu/cpu.h"

#include <math.h>
#include <stdlib.h>

enum { CELL = 128 }; /* pixels of the scene; points are sorted by cells of this side */

static int64_t cell_of(int64_t v)
{
    return (v + (INT64_C(1) << 32)) / CELL;
}

static int compare(const void *left, const void *right)
{
    const xncc_track_place *a = left, *b = right;
    const int64_t rows = cell_of(a->wy) - cell_of(b->wy), columns = cell_of(a->wx) - cell_of(b->wx);
    if (rows || columns)
        return rows ? (rows < 0 ? -1 : 1) : columns < 0 ? -1 : 1;
    return a->index < b->index ? -1 : a->index > b->index;
}

/* A chip's first pixel along an axis of an image of `extent` pixels. Returns 0 if the chip is not
 * inside. */
static int first_pixel(double centre, int32_t chip, int32_t extent, int32_t *first)
{
    const double at = floor(centre - ((double)chip - 1.0) / 2.0 + 0.5);
    if (!(at >= 0.0 && at <= (double)extent - (double)chip))
        return 0;
    *first = (int32_t)at;
    return 1;
}

/* Where the window of the best score may begin along an axis: a prediction that is not a number or
 * far outside gives a place where there is no window. */
static int first_window(double predicted, int32_t first, int32_t search, int32_t *window)
{
    if (!(fabs(predicted) <= 2.0 * XNCC_MAX_SIDE - 65536.0))
        return 0;
    const double at = (double)first + floor(predicted + 0.5) - (double)search;
    *window = at < -XNCC_MAX_SIDE  ? -XNCC_MAX_SIDE
              : at > XNCC_MAX_SIDE ? XNCC_MAX_SIDE
                                   : (int32_t)at;
    return 1;
}

/* Places a point's chip and its search. Returns 0 if there is nothing to search. */
static int place_point(const xncc_track_call *call, const xncc_track_point *point,
                       xncc_track_place *place, xncc_displacement *d)
{
    const xncc_track_options *o = &call->options;
    const xncc_track_source *s = &call->source;
    *d = (xncc_displacement){ .x = point->x,
                              .y = point->y,
                              .dx = NAN,
                              .dy = NAN,
                              .score = NAN,
                              .second = NAN,
                              .ratio = NAN,
                              .snr = NAN,
                              .curve_xx = NAN,
                              .curve_xy = NAN,
                              .curve_yy = NAN,
                              .cov_xx = NAN,
                              .cov_xy = NAN,
                              .cov_yy = NAN,
                              .loop = NAN,
                              .residual = NAN,
                              .state = XNCC_TRACK_MISSING };
    if (!first_pixel(point->x, o->chip_width, s->width1, &place->left) ||
        !first_pixel(point->y, o->chip_height, s->height1, &place->top))
        return 0;
    d->x = (double)place->left + ((double)o->chip_width - 1.0) / 2.0;
    d->y = (double)place->top + ((double)o->chip_height - 1.0) / 2.0;
    return first_window(call->field ? 0.0 : point->dx, place->left, o->search_x, &place->wx) &&
           first_window(call->field ? 0.0 : point->dy, place->top, o->search_y, &place->wy);
}

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static void add_rows(xncc_track_rows_of *rows, int image, int64_t first, int64_t end)
{
    rows->first[image] = smaller(rows->first[image], first);
    rows->end[image] = larger(rows->end[image], end);
}

/* The rows of the images that a point needs, added to those of a band. */
static xncc_track_rows_of rows_with(const xncc_track_band *band, const xncc_track_place *place,
                                    const xncc_track_rows_of *before)
{
    const xncc_track_warps *warps = band->warps;
    const xncc_track_options *o = &band->call->options;
    const xncc_track_source *s = &band->call->source;
    const int64_t back = o->back ? o->search_y : 0,
                  end2 = (int64_t)place->wy + 2 * o->search_y + o->chip_height;
    xncc_track_rows_of r = *before;
    add_rows(&r, XNCC_IMAGE1, larger(place->top - back, 0),
             smaller(place->top + back + o->chip_height, s->height1));
    if (!warps) {
        add_rows(&r, XNCC_IMAGE2, smaller(larger(place->wy, 0), s->height2 - 1),
                 larger(smaller(end2, s->height2), 1));
        return r;
    }
    add_rows(&r, XNCC_DEFORMED, place->wy, end2);
    for (int64_t y = place->wy; y < end2; y++) {
        const xncc_warp_reads reads = warps->reads[y - warps->warp.top];
        if (reads.end > 0)
            add_rows(&r, XNCC_IMAGE2, reads.first, reads.end);
    }
    return r;
}

/* Returns how many places of a sorted list the next band has, and its rows. */
static size_t next_band(const xncc_track_band *band, const xncc_track_place *place, size_t count,
                        xncc_track_rows_of *rows)
{
    const xncc_track_source *s = &band->call->source;
    size_t n = 0;
    if (band->device && band->call->on_device) { /* nothing is copied, so all rows are at hand */
        *rows = (xncc_track_rows_of){ { 0, 0, 0 }, { s->height1, s->height2, 0 } };
        return count;
    }
    *rows = (xncc_track_rows_of){ { INT32_MAX, INT32_MAX, INT32_MAX }, { 0, 0, INT32_MIN } };
    for (; n < count; n++) {
        const xncc_track_rows_of more = rows_with(band, &place[n], rows);
        int fits = 1;
        for (int i = 0; i < XNCC_TRACK_IMAGES; i++)
            fits = fits && more.end[i] - more.first[i] <= s->rows;
        if (n > 0 && !fits)
            break;
        *rows = more;
    }
    if (rows->end[XNCC_IMAGE2] == 0) /* no pixel of it is asked for */
        add_rows(rows, XNCC_IMAGE2, 0, 1);
    return n;
}

/* Sorts the places, unless all of them are one band of a device, which needs no order. */
static void sort_places(const xncc_track_band *band, xncc_track_place *place, size_t places)
{
    const xncc_track_source *s = &band->call->source;
    if (!band->device || s->rows < s->height1 || s->rows < s->height2)
        qsort(place, places, sizeof *place, compare);
}

/* Runs the bands of a pass. */
static xncc_status run_bands(const xncc_track_call *call, const xncc_track_warps *warps,
                             xncc_track_place *place, size_t places, xncc_displacement *found,
                             xncc_error *error)
{
    xncc_track_band band;
    size_t done = 0;
    xncc_status status = xncc_track_band_make(&band, call, warps, places, found, error);
    if (!status)
        sort_places(&band, place, places);
    while (done < places && !status) {
        band.place = place + done;
        band.count = next_band(&band, band.place, places - done, &band.rows);
        status = xncc_track_band_run(&band, error);
        done += band.count;
    }
    xncc_track_band_clear(&band);
    return status;
}

/* Placing points on the threads of the CPU. */
typedef struct placing {
    const xncc_track_call *call;
    const xncc_track_point *point;
    size_t count;
    xncc_track_place *place; /* index NOWHERE: there is nothing to search */
    xncc_displacement *found;
} placing;

enum { POINTS = 512 }; /* per task */
static const size_t NOWHERE = SIZE_MAX;

static void place_task(void *argument, uint64_t index, int32_t slot)
{
    const placing *p = argument;
    (void)slot;
    for (size_t i = (size_t)index * POINTS; i < (size_t)(index + 1) * POINTS && i < p->count; i++)
        p->place[i].index = place_point(p->call, &p->point[i], &p->place[i], &p->found[i])
                                ? i
                                : NOWHERE;
}

/* Places all points, and returns how many places there are. */
static size_t place_points(placing *p)
{
    size_t places = 0;
    xncc_pool_run(xncc_cpu_engine_pool(p->call->engine), (p->count + POINTS - 1) / POINTS,
                  place_task, p);
    for (size_t i = 0; i < p->count; i++)
        if (p->place[i].index != NOWHERE) {
            if (places < i)
                p->place[places] = p->place[i];
            places++;
        }
    return places;
}

xncc_status xncc_track_run_pass(const xncc_track_call *call, const xncc_track_point *point,
                                size_t count, xncc_displacement *found, xncc_error *error)
{
    if (count == 0)
        return XNCC_OK;
    placing p = { call, point, count, xncc_alloc(count, sizeof(xncc_track_place)), found };
    if (!p.place)
        return xncc_fail(error, XNCC_ERROR_MEMORY, "track: no memory for %llu points",
                         (unsigned long long)count);
    const size_t places = place_points(&p);
    xncc_track_warps warps = { .reads = NULL };
    xncc_status status = call->field ? xncc_track_warps_make(&warps, call, error) : XNCC_OK;
    if (!status)
        status = run_bands(call, call->field ? &warps : NULL, p.place, places, found, error);
    if (call->field)
        xncc_track_warps_clear(&warps);
    xncc_free(p.place);
    return status;
}
