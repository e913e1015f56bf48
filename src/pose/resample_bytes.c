/* SPDX-License-Identifier: BSD-2-Clause */
/* Resampled rows of bytes with one channel, at scale 1 or more. */
#include "pose/sampling.h"

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

uint64_t xncc_pose_byte_rows_portable(const xncc_sampling *s, int32_t first, int32_t end,
                                      uint8_t *pixels, uint8_t *mask)
{
    uint64_t count = 0;
    for (int32_t y = first; y < end; y++) {
        const xncc_sampled_row row = xncc_sampled_row_of(s, y);
        const size_t at = (size_t)(y - first) * (size_t)s->width;
        count += xncc_pose_byte_pixels(s, y, &row, pixels + at, mask + at);
    }
    return count;
}
