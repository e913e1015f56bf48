/* SPDX-License-Identifier: BSD-2-Clause */
/* Resamples templates. */
#include "pose/resample.h"

#include "base/memory.h"
#include "image/samples.h"
#include "pose/probe.h"
#include "pose/sampling.h"
#include "pose/turn.h"

#include <math.h>
#include <string.h>

/* One more than `extent` pixels, rounded down; a little below a whole number counts as that
 * number, because sine and cosine are rounded. */
static int32_t side_of(double extent)
{
    const double side = floor(extent + 0x1p-12) + 1.0;
    return side > XNCC_MAX_SIDE ? XNCC_MAX_SIDE : (int32_t)side;
}

xncc_pose_place xncc_pose_place_of(const xncc_pose_source *source, double angle, double scale)
{
    const xncc_turn turn = xncc_turn_of(angle);
    const double across = source->width - 1, down = source->height - 1;
    const double c = fabs((double)turn.cos) * 0x1p-30, s = fabs((double)turn.sin) * 0x1p-30;
    xncc_pose_place place = { .angle = angle, .scale = scale };
    if (source->support == XNCC_SUPPORT_DISC) {
        place.width = place.height = side_of(scale * (across < down ? across : down));
        return place;
    }
    place.width = side_of(scale * (across * c + down * s));
    place.height = side_of(scale * (across * s + down * c));
    return place;
}

/* a * b / 2^shift, rounded; the product is below 2^63 in magnitude. */
static int64_t scaled(int64_t a, int64_t b, int shift)
{
    return (a * b + (INT64_C(1) << (shift - 1))) >> shift;
}

xncc_sampling xncc_sampling_of(const xncc_pose_source *source, const xncc_pose_place *place)
{
    const xncc_turn turn = xncc_turn_of(place->angle);
    const double inverse = 1.0 / place->scale;
    const int64_t reduction = (int64_t)floor(inverse * 0x1p28 + 0.5);
    xncc_sampling s = { .source = source,
                        .width = place->width,
                        .height = place->height,
                        .cos = scaled(turn.cos, reduction, XNCC_TURN_BITS + 28 - 32),
                        .sin = scaled(turn.sin, reduction, XNCC_TURN_BITS + 28 - 32),
                        .fine = 1,
                        .disc = INFINITY };
    s.per_cos = s.cos == 0 ? 0.0 : 0.5 / (double)s.cos;
    s.per_sin = s.sin == 0 ? 0.0 : 0.5 / (double)s.sin;
    const int64_t shift_x = (int64_t)floor(place->shift_x * 0x1p17 + 0.5),
                  shift_y = (int64_t)floor(place->shift_y * 0x1p17 + 0.5); /* half pixels */
    s.centre_x = ((int64_t)(source->width - 1) << 32) - scaled(s.cos, shift_x, 16) +
                 scaled(s.sin, shift_y, 16);
    s.centre_y = ((int64_t)(source->height - 1) << 32) - scaled(s.sin, shift_x, 16) -
                 scaled(s.cos, shift_y, 16);
    double spread = 0.0;
    while (s.fine < inverse) {
        s.fine *= 2;
        s.fine_bits++;
    }
    if (s.fine > 1) {
        const double k = s.fine, step = sqrt((inverse * inverse - 1.0) / (k * k - 1.0));
        const int64_t fixed = (int64_t)floor(step * 0x1p28 + 0.5);
        s.fine_cos = scaled(turn.cos, fixed, XNCC_TURN_BITS + 28 - 32);
        s.fine_sin = scaled(turn.sin, fixed, XNCC_TURN_BITS + 28 - 32);
        spread = step * (k - 1.0) * 0.70710678118654757;
    }
    if (source->support == XNCC_SUPPORT_DISC) {
        const int32_t side = source->width < source->height ? source->width : source->height;
        const double radius = place->scale * (side - 1 - 2.0 * (spread + 0x1p-6));
        s.disc = radius > 0.0 ? radius * radius : -1.0;
    }
    return s;
}

/* The sample of a channel at a pixel of the template. */
__attribute__((always_inline)) static inline uint64_t sample(const xncc_pose_source *from,
                                                             int bytes, size_t at)
{
    return bytes == 1   ? ((const uint8_t *)from->pixels)[at]
           : bytes == 2 ? ((const uint16_t *)from->pixels)[at]
                        : ((const uint32_t *)from->pixels)[at];
}

/* Four pixels, weighted; the weights add up to 2^(2 * XNCC_TAP_BITS). */
__attribute__((always_inline)) static inline uint64_t
weighted(const xncc_pose_source *from, int bytes, int32_t channels, const xncc_tap *tap, int32_t c)
{
    const size_t at = ((size_t)tap->y * (size_t)from->width + (size_t)tap->x) * (size_t)channels +
                      (size_t)c,
                 right = tap->wx ? (size_t)channels : 0,
                 below = tap->wy ? (size_t)from->width * (size_t)channels : 0;
    const uint64_t wx = (uint64_t)tap->wx, wy = (uint64_t)tap->wy, vx = XNCC_TAP_ONE - wx,
                   vy = XNCC_TAP_ONE - wy;
    return (sample(from, bytes, at) * vx + sample(from, bytes, at + right) * wx) * vy +
           (sample(from, bytes, at + below) * vx + sample(from, bytes, at + below + right) * wx) *
               wy;
}

/* Computes a pixel. Returns 0 if it does not count. */
__attribute__((always_inline)) static inline int integer_pixel(const xncc_sampling *s, int bytes,
                                                               int32_t channels, int32_t fine,
                                                               int32_t x, int32_t y, void *out)
{
    uint64_t sum[XNCC_MAX_CHANNELS];
    const int shift = 2 * (XNCC_TAP_BITS + s->fine_bits);
    for (int32_t c = 0; c < channels; c++)
        sum[c] = UINT64_C(1) << (shift - 1);
    for (int32_t j = 0; j < fine; j++)
        for (int32_t i = 0; i < fine; i++) {
            xncc_tap tap;
            if (!xncc_tap_of(s, x, y, i, j, &tap))
                return 0;
            for (int32_t c = 0; c < channels; c++)
                sum[c] += weighted(s->source, bytes, channels, &tap, c);
        }
    for (int32_t c = 0; c < channels; c++) {
        const uint64_t v = sum[c] >> shift;
        if (bytes == 1)
            ((uint8_t *)out)[c] = (uint8_t)v;
        else if (bytes == 2)
            ((uint16_t *)out)[c] = (uint16_t)v;
        else
            ((uint32_t *)out)[c] = (uint32_t)v;
    }
    return 1;
}

/* Computes a pixel of any type. */
static int pixel_of(const xncc_sampling *s, int32_t x, int32_t y, void *out)
{
    const xncc_pose_source *from = s->source;
    if (xncc_pixel_is_float(from->pixel))
        return xncc_pose_real_pixel(s, x, y, out);
    switch (xncc_pixel_digits(from->pixel)) {
    case 1: return integer_pixel(s, 1, from->channels, s->fine, x, y, out);
    case 2: return integer_pixel(s, 2, from->channels, s->fine, x, y, out);
    default: return integer_pixel(s, 4, from->channels, s->fine, x, y, out);
    }
}

static uint64_t any_row(const xncc_sampling *s, int32_t y, char *pixels, size_t bytes,
                        uint8_t *mask)
{
    uint64_t count = 0;
    for (int32_t x = 0; x < s->width; x++) {
        if (xncc_is_beyond_disc(s, x, y))
            continue;
        mask[x] = (uint8_t)pixel_of(s, x, y, pixels + (size_t)x * bytes);
        count += mask[x];
    }
    return count;
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

xncc_status xncc_pose_place_check(const xncc_pose_source *source, const xncc_pose_place *place,
                                  xncc_error *error)
{
    if (place->width > XNCC_MAX_POSE_SIDE || place->height > XNCC_MAX_POSE_SIDE ||
        source->width > XNCC_MAX_POSE_SIDE || source->height > XNCC_MAX_POSE_SIDE)
        return xncc_fail(error, XNCC_ERROR_UNSUPPORTED,
                         "poses: a template of %d x %d pixels at scale %g has sides above %d; "
                         "reduce image and template",
                         source->width, source->height, place->scale, XNCC_MAX_POSE_SIDE);
    return XNCC_OK;
}

uint64_t xncc_pose_resample_rows(const xncc_pose_source *source, const xncc_pose_place *place,
                                 int32_t first, int32_t end, const xncc_pose_pixels *out)
{
    const size_t bytes = (size_t)source->channels * xncc_pixel_size(source->pixel);
    const size_t pixels = (size_t)(end - first) * (size_t)place->width;
    const xncc_sampling s = xncc_sampling_of(source, place);
    uint64_t count = 0;
    memset(out->pixels, 0, pixels * bytes);
    memset(out->mask, 0, pixels);
    if (bytes == 1 && s.fine == 1)
        return source->loops->byte_rows(&s, first, end, out->pixels, out->mask);
    for (int32_t y = first; y < end; y++) {
        const size_t at = (size_t)(y - first) * (size_t)place->width;
        count += any_row(&s, y, (char *)out->pixels + at * bytes, bytes, out->mask + at);
    }
    return count;
}

xncc_status xncc_pose_resample(const xncc_pose_source *source, const xncc_pose_place *place,
                               xncc_pose_pixels *out, xncc_error *error)
{
    const size_t bytes = (size_t)source->channels * xncc_pixel_size(source->pixel);
    *out = (xncc_pose_pixels){ .width = place->width, .height = place->height };
    const xncc_status status = xncc_pose_place_check(source, place, error);
    if (status)
        return status;
    out->pixels = xncc_alloc_unset((uint64_t)place->width * (uint64_t)place->height, bytes);
    out->mask = xncc_alloc_unset((uint64_t)place->height, (uint64_t)place->width);
    if (!out->pixels || !out->mask)
        return xncc_fail(error, XNCC_ERROR_MEMORY, "poses: no memory for a template of %d x %d",
                         place->width, place->height);
    out->count = xncc_pose_resample_rows(source, place, 0, place->height, out);
    return XNCC_OK;
}

void xncc_pose_pixels_clear(xncc_pose_pixels *pixels)
{
    xncc_free(pixels->pixels);
    xncc_free(pixels->mask);
    *pixels = (xncc_pose_pixels){ 0 };
}
