/* SPDX-License-Identifier: BSD-2-Clause */
/* Resampled rows of bytes with one channel, at scale 1 or more. */
#include "pose/sampling.h"

#include <math.h>

/* The pixels of a row that can count: those whose position is in the template along one axis, and a
 * few more. A position is start + i * step in units of 2^-33 pixels. */
static void cut_range(int64_t start, int64_t step, int32_t extent, int32_t *first, int32_t *end)
{
    const double low = -0x1p32, high = (double)extent * 0x1p33, a = (double)start, b = (double)step;
    if (step == 0) {
        *end = a < low || a > high ? *first : *end;
        return;
    }
    const double p = (low - a) / b, q = (high - a) / b, from = floor(p < q ? p : q) - 1.0,
                 to = ceil(p < q ? q : p) + 2.0;
    if (from > *first)
        *first = from < *end ? (int32_t)from : *end;
    if (to < *end)
        *end = to > *first ? (int32_t)to : *first;
}

xncc_sampled_row xncc_sampled_row_of(const xncc_sampling *s, int32_t y)
{
    const int64_t dy = 2 * (int64_t)y - (s->height - 1), left = 1 - (int64_t)s->width;
    xncc_sampled_row row = { .u = s->centre_x + s->cos * left - s->sin * dy,
                             .v = s->centre_y + s->sin * left + s->cos * dy,
                             .end = s->width };
    cut_range(row.u, 2 * s->cos, s->source->width, &row.first, &row.end);
    cut_range(row.v, 2 * s->sin, s->source->height, &row.first, &row.end);
    return row;
}

uint64_t xncc_pose_byte_pixels(const xncc_sampling *s, int32_t y, const xncc_sampled_row *row,
                               uint8_t *pixels, uint8_t *mask)
{
    const xncc_pose_source *from = s->source;
    const uint8_t *data = from->pixels;
    uint64_t count = 0;
    for (int32_t x = row->first; x < row->end; x++) {
        xncc_tap tap;
        if (!xncc_tap_at(from, row->u + 2 * s->cos * x, row->v + 2 * s->sin * x, &tap) ||
            xncc_is_beyond_disc(s, x, y))
            continue;
        const uint8_t *at = data + (size_t)tap.y * (size_t)from->width + tap.x,
                      *below = at + (tap.wy ? from->width : 0);
        const int32_t right = tap.wx > 0, vx = XNCC_TAP_ONE - tap.wx, vy = XNCC_TAP_ONE - tap.wy;
        const int32_t sum = (at[0] * vx + at[right] * tap.wx) * vy +
                            (below[0] * vx + below[right] * tap.wx) * tap.wy;
        pixels[x] = (uint8_t)((sum + (1 << (2 * XNCC_TAP_BITS - 1))) >> (2 * XNCC_TAP_BITS));
        mask[x] = 1;
        count++;
    }
    return count;
}

uint64_t xncc_pose_byte_row_portable(const xncc_sampling *s, int32_t y, uint8_t *pixels,
                                     uint8_t *mask)
{
    const xncc_sampled_row row = xncc_sampled_row_of(s, y);
    return xncc_pose_byte_pixels(s, y, &row, pixels, mask);
}
