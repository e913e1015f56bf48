/* SPDX-License-Identifier: BSD-2-Clause */
/* Warped images (warp.h). */
#include "track/warp.h"

#include "base/memory.h"
#include "image/image.h"
#include "image/samples.h"
#include "track/lagrange.h"

#include <math.h>

enum { TAPS = XNCC_LAGRANGE_TAPS, BEFORE = TAPS / 2 - 1 };

xncc_status xncc_warp_make(xncc_warp *w, int32_t threads, xncc_error *error)
{
    const uint64_t line = 2 * ((uint64_t)w->field->x.nodes + (uint64_t)w->width);
    w->column = xncc_alloc((uint64_t)w->width, sizeof *w->column);
    w->line = xncc_alloc(line * (uint64_t)threads, sizeof *w->line);
    if (!w->column || !w->line)
        return xncc_fail(error, XNCC_ERROR_MEMORY,
                         "track: no memory for a deformed image of %d columns", w->width);
    for (int32_t x = 0; x < w->width; x++)
        w->column[x] = xncc_field_taps_at(&w->field->x, (double)w->left + (double)x);
    return XNCC_OK;
}

void xncc_warp_clear(xncc_warp *w)
{
    xncc_free(w->column);
    xncc_free(w->line);
}

/* The places in image 2 of a row's pixels, one array for x and one for y. */
typedef struct places {
    double *x, *y;
} places;

static places find_places(const xncc_warp *w, int32_t y, int32_t slot)
{
    const xncc_field *f = w->field;
    const size_t nodes = (size_t)f->x.nodes, width = (size_t)w->width;
    double *line = w->line + 2 * (nodes + width) * (size_t)slot;
    const places at = { line + 2 * nodes, line + 2 * nodes + width };
    const xncc_field_taps down = xncc_field_taps_at(&f->y, (double)y);
    for (size_t i = 0; i < nodes; i++) {
        line[i] = line[nodes + i] = 0.0;
        for (int32_t j = 0; j < down.count; j++) {
            const size_t node = (size_t)(down.first + j) * nodes + i;
            line[i] += down.weight[j] * f->dx[node];
            line[nodes + i] += down.weight[j] * f->dy[node];
        }
    }
    for (size_t x = 0; x < width; x++) {
        const xncc_field_taps *across = &w->column[x];
        double dx = 0.0, dy = 0.0;
        for (int32_t i = 0; i < across->count; i++) {
            dx += across->weight[i] * line[across->first + i];
            dy += across->weight[i] * line[nodes + (size_t)(across->first + i)];
        }
        at.x[x] = (double)w->left + (double)x + dx;
        at.y[x] = (double)y + dy;
    }
    return at;
}

static int is_inside(const xncc_warp *w, double x, double y)
{
    return x >= 0.0 && y >= 0.0 && x <= (double)w->width2 - 1.0 && y <= (double)w->height2 - 1.0;
}

static int32_t within(int32_t v, int32_t extent)
{
    return v < 0 ? 0 : v < extent ? v : extent - 1;
}

xncc_warp_reads xncc_warp_find_reads(const xncc_warp *w, int32_t y, int32_t slot)
{
    const places at = find_places(w, y, slot);
    double low = INFINITY, high = -INFINITY;
    for (int32_t x = 0; x < w->width; x++)
        if (is_inside(w, at.x[x], at.y[x])) {
            low = at.y[x] < low ? at.y[x] : low;
            high = at.y[x] > high ? at.y[x] : high;
        }
    if (low > high)
        return (xncc_warp_reads){ 0, 0 };
    return (xncc_warp_reads){ within((int32_t)low - BEFORE, w->height2),
                              within((int32_t)high + TAPS - BEFORE - 1, w->height2) + 1 };
}

/* The eight pixels along an axis from which a place is interpolated, and their weights. Pixels
 * beyond the image are those at its edge. */
typedef struct taps {
    int32_t at[TAPS];
    double weight[TAPS];
    int together; /* 1: they follow each other */
} taps;

static taps taps_at(double place, int32_t extent)
{
    taps t;
    const int32_t first = (int32_t)place - BEFORE;
    xncc_lagrange_weights(place - (double)(int32_t)place, t.weight);
    t.together = first >= 0 && first + TAPS <= extent;
    for (int32_t i = 0; i < TAPS; i++)
        t.at[i] = within(first + i, extent);
    return t;
}

/* Do all pixels count that have a weight? */
static int all_count(const xncc_warp_row *r, const taps *across, const taps *down)
{
    const int32_t channels = xncc_image_channels(r->image);
    for (int j = 0; j < TAPS; j++) {
        const int32_t y = down->at[j] - r->first;
        for (int i = 0; i < TAPS && down->weight[j] != 0.0; i++)
            if (across->weight[i] != 0.0 &&
                !xncc_pixel_counts(r->image, channels, xncc_image_row(r->image, y),
                                   xncc_image_mask_row(r->image, y), across->at[i]))
                return 0;
    }
    return 1;
}

/* Adds a row of eight samples to the sums of the columns. */
#define ADD_ROW(type)                                                                              \
    do {                                                                                           \
        const type *samples = row;                                                                 \
        if (across->together && channels == 1)                                                     \
            for (int i = 0; i < TAPS; i++)                                                         \
                sum[i] += weight * (double)samples[across->at[0] + i];                             \
        else                                                                                       \
            for (int i = 0; i < TAPS; i++)                                                         \
                sum[i] += weight * (double)samples[across->at[i] * channels + channel];            \
    } while (0)

static void add_row(xncc_pixel pixel, const void *row, const taps *across, double weight,
                    int64_t channels, int64_t channel, double sum[TAPS])
{
    switch (pixel) {
#define CASE(pixel, name, type)                                                                    \
    case pixel: ADD_ROW(type); break;
        XNCC_EACH_PIXEL(CASE)
#undef CASE
    }
}

/* The value at a place: columns first, from top to bottom, then across, from left to right. Samples
 * without weight are not read, so that a NaN stays where it is at whole places. */
static double value_at(const xncc_warp_row *r, const taps *across, const taps *down,
                       int64_t channel)
{
    const int64_t channels = xncc_image_channels(r->image);
    double sum[TAPS] = { 0 }, value = 0.0;
    for (int j = 0; j < TAPS; j++)
        if (down->weight[j] != 0.0)
            add_row(r->image->pixel, xncc_image_row(r->image, down->at[j] - r->first), across,
                    down->weight[j], channels, channel, sum);
    for (int i = 0; i < TAPS; i++)
        if (across->weight[i] != 0.0)
            value += across->weight[i] * sum[i];
    return value;
}

/* Rounds to the nearest whole number within low .. high; halves go up. */
static int64_t rounded(double value, double low, double high)
{
    const double kept = value < low ? low : value > high ? high : value;
    return (int64_t)(kept - low + 0.5) + (int64_t)low;
}

static void store(xncc_pixel pixel, void *pixels, int64_t i, double value)
{
    const double low = -(double)xncc_pixel_bias(pixel), high = (double)xncc_pixel_max(pixel) + low;
    switch (pixel) {
#define CASE(pixel, name, type)                                                                    \
    case pixel:                                                                                    \
        ((type *)pixels)[i] = xncc_pixel_is_float(pixel) ? (type)value                             \
                                                         : (type)rounded(value, low, high);        \
        break;
        XNCC_EACH_PIXEL(CASE)
#undef CASE
    }
}

/* Makes pixel x of a row from its place in image 2. Returns 1 if it counts. */
static int make_pixel(const xncc_warp *w, const xncc_warp_row *r, int32_t x, double at_x,
                      double at_y)
{
    const int64_t channels = xncc_image_channels(r->image);
    if (is_inside(w, at_x, at_y)) {
        const taps across = taps_at(at_x, w->width2), down = taps_at(at_y, w->height2);
        if (!xncc_image_is_masked(r->image) || all_count(r, &across, &down)) {
            for (int64_t c = 0; c < channels; c++)
                store(r->image->pixel, r->pixels, x * channels + c, value_at(r, &across, &down, c));
            return 1;
        }
    }
    for (int64_t c = 0; c < channels; c++)
        store(r->image->pixel, r->pixels, x * channels + c, 0.0);
    return 0;
}

int32_t xncc_warp_make_row(const xncc_warp *w, int32_t y, int32_t slot, const xncc_warp_row *r)
{
    const places at = find_places(w, y, slot);
    int32_t missing = 0;
    for (int32_t x = 0; x < w->width; x++) {
        r->mask[x] = (uint8_t)make_pixel(w, r, x, at.x[x], at.y[x]);
        missing += !r->mask[x];
    }
    return missing;
}
