/* SPDX-License-Identifier: BSD-2-Clause */
/* Where the chips of a band are sought, and what was found (track_band.h). */
#include "api/track_band.h"

#include "image/image.h"
#include "image/samples.h"
#include "track/measure.h"

#include <math.h>

int64_t xncc_track_count(const xncc_image *a, int64_t ax, int64_t ay, const xncc_image *b,
                         int64_t bx, int64_t by, int32_t width, int32_t height)
{
    int64_t n = 0;
    const int32_t channels = xncc_image_channels(a);
    for (int32_t y = 0; y < height; y++) {
        const void *row_a = xncc_image_row(a, (int32_t)(ay + y)),
                   *row_b = b ? xncc_image_row(b, (int32_t)(by + y)) : NULL;
        const uint8_t *mask_a = xncc_image_mask_row(a, (int32_t)(ay + y)),
                      *mask_b = b ? xncc_image_mask_row(b, (int32_t)(by + y)) : NULL;
        for (int32_t x = 0; x < width; x++)
            n += xncc_pixel_counts(a, channels, row_a, mask_a, ax + x) &&
                 (!b || xncc_pixel_counts(b, channels, row_b, mask_b, bx + x));
    }
    return n;
}

const xncc_image *xncc_track_view(const xncc_track_band *b, size_t pair, int scene)
{
    return &b->view[2 * pair + (size_t)(scene != b->back)];
}

/* The pixel of the whole image that is the first one of the chips' or of the scenes' views. */
static int64_t first_row(const xncc_track_band *b, int scene)
{
    return b->rows.first[scene == b->back ? XNCC_IMAGE1 : b->warps ? XNCC_DEFORMED : XNCC_IMAGE2];
}

static int64_t first_column(const xncc_track_band *b, int scene)
{
    return scene != b->back && b->warps ? b->warps->warp.left : 0;
}

/* The top-left pixel of a chip, and of its first window, in whole images. */
typedef struct search {
    int64_t left, top, wx, wy;
} search;

static search search_of(const xncc_track_band *b, const xncc_track_place *place)
{
    const xncc_track_options *o = &b->call->options;
    const xncc_displacement *d = &b->found[place->index];
    if (b->back)
        return (search){ (int64_t)place->left + d->whole_dx, (int64_t)place->top + d->whole_dy,
                         (int64_t)place->left - o->search_x, (int64_t)place->top - o->search_y };
    return (search){ place->left, place->top, place->wx, place->wy };
}

void xncc_track_find_chip(void *band, size_t item, xncc_chip_place *chip)
{
    const xncc_track_band *b = band;
    const xncc_track_options *o = &b->call->options;
    const xncc_image *scene = xncc_track_view(b, 0, 1);
    const xncc_track_place *place = &b->place[item];
    const search s = search_of(b, place);
    const int64_t left = s.left - first_column(b, 0), top = s.top - first_row(b, 0),
                  wx = s.wx - first_column(b, 1), wy = s.wy - first_row(b, 1), x0 = wx > 0 ? wx : 0,
                  y0 = wy > 0 ? wy : 0, x1 = wx + 2 * (int64_t)o->search_x,
                  y1 = wy + 2 * (int64_t)o->search_y,
                  most_x = (int64_t)scene->width - o->chip_width,
                  most_y = (int64_t)scene->height - o->chip_height;
    const int64_t width = (x1 < most_x ? x1 : most_x) - x0 + 1,
                  height = (y1 < most_y ? y1 : most_y) - y0 + 1;
    const int found = !b->back || !(b->found[place->index].state & XNCC_TRACK_MISSING);
    *chip = (xncc_chip_place){ .left = (int32_t)left,
                               .top = (int32_t)top,
                               .x = (int32_t)x0,
                               .y = (int32_t)y0,
                               .width = found && width > 0 && height > 0 ? (int32_t)width : 0,
                               .height = found && width > 0 && height > 0 ? (int32_t)height : 0 };
}

/* The fraction of the chip's pixels that count in image 1 and, if a window of image 2 is given, in
 * it. */
static double valid_of(const xncc_track_band *b, const search *s, const xncc_displacement *d,
                       int window)
{
    const xncc_track_options *o = &b->call->options;
    const size_t pairs = b->call->source.pairs;
    double sum = 0.0;
    for (size_t p = 0; p < pairs; p++) {
        const xncc_image *from = xncc_track_view(b, p, 0), *scene = xncc_track_view(b, p, 1);
        const double pixels = (double)o->chip_width * (double)o->chip_height;
        const int masked = xncc_image_is_masked(from) || (window && xncc_image_is_masked(scene));
        const int64_t n = masked ? xncc_track_count(from, s->left, s->top - first_row(b, 0),
                                                    window ? scene : NULL,
                                                    s->left + d->whole_dx - first_column(b, 1),
                                                    s->top + d->whole_dy - first_row(b, 1),
                                                    o->chip_width, o->chip_height)
                                 : 0;
        sum += masked ? (double)n / pixels : 1.0;
    }
    return sum / (double)pairs;
}

/* Fills the result of a point from its scores. */
static void set_found(const xncc_track_band *b, const xncc_chip_place *chip, const search *s,
                      const xncc_reading *r, xncc_displacement *d)
{
    const xncc_track_options *o = &b->call->options;
    const xncc_extent map = { .width = chip->width, .height = chip->height };
    if (r->x < 0) {
        d->valid = valid_of(b, s, d, 0);
        return;
    }
    d->state = 0;
    d->whole_dx = (int32_t)(chip->x + r->x + first_column(b, 1) - s->left);
    d->whole_dy = (int32_t)(chip->y + r->y + first_row(b, 1) - s->top);
    d->valid = valid_of(b, s, d, 1);
    xncc_reading_measure(r, &map, o,
                         d->valid * o->chip_width * o->chip_height * b->call->source.channels *
                             (double)b->call->source.pairs,
                         d);
    d->dx += d->whole_dx;
    d->dy += d->whole_dy;
}

/* Compares the displacement with the one found on the way back. */
static void set_loop(const xncc_track_band *b, const xncc_chip_place *chip, const search *s,
                     const xncc_reading *r, xncc_displacement *d)
{
    const xncc_extent map = { .width = chip->width, .height = chip->height };
    xncc_displacement back = { .state = 0 };
    if (r->x < 0)
        return;
    xncc_reading_measure(r, &map, &b->call->options, 0.0, &back);
    const double dx = back.dx + (double)(chip->x + r->x + first_column(b, 1) - s->left),
                 dy = back.dy + (double)(chip->y + r->y + first_row(b, 1) - s->top);
    d->loop = sqrt((d->dx + dx) * (d->dx + dx) + (d->dy + dy) * (d->dy + dy));
}

void xncc_track_set(void *band, size_t item, const xncc_chip_place *chip,
                    const xncc_reading *reading)
{
    const xncc_track_band *b = band;
    const xncc_track_place *place = &b->place[item];
    const search s = search_of(b, place);
    if (b->back)
        set_loop(b, chip, &s, reading, &b->found[place->index]);
    else
        set_found(b, chip, &s, reading, &b->found[place->index]);
}
