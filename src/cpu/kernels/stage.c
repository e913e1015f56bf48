/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads a rectangle of the image (stage.h). */
#include "cpu/kernels/stage.h"

#include "cpu/kernels/border_row.h"
#include "image/image.h"

#include <assert.h>
#include <math.h>
#include <string.h>

uint64_t xncc_stage_layout(const xncc_problem *problem, int32_t width, char *memory,
                           xncc_stage *stage)
{
    const uint64_t pixels = (uint64_t)width, size = (uint64_t)xncc_pixel_size(problem->pixel);
    uint64_t total = 0;
    stage->ones = xncc_carve(memory, &total, pixels);
    stage->mask = xncc_carve(memory, &total, pixels);
    stage->raw = xncc_carve(memory, &total, pixels * size * (uint64_t)problem->channels);
    stage->pick = xncc_carve(memory, &total, pixels * size);
    if (memory)
        memset(stage->ones, 1, (size_t)pixels);
    return total;
}

const void *xncc_stage_raw(const xncc_stage *s, int32_t y)
{
    return xncc_border_row(s->job->image, s->job->problem->rule.border, s->top + y, s->left,
                           s->width, s->raw);
}

/* Defines a function that clears the count of pixels. A sample counts, or not, compared with a
 * value, a number of a type in which samples are exact. A pixel counts if any of its samples does
 * (none 0, op |=), or if all do (none 1, op &=). */
#define DEFINE_EXCLUDE(name, type, number, compare, none, op)                                      \
    static void name(const void *raw, int32_t channels, number value, int32_t count,               \
                     uint8_t *restrict out)                                                        \
    {                                                                                              \
        const type *restrict in = raw;                                                             \
        if (channels == 1) {                                                                       \
            for (int32_t i = 0; i < count; i++)                                                    \
                out[i] = (uint8_t)(out[i] & compare(in[i], value));                                \
            return;                                                                                \
        }                                                                                          \
        for (int32_t i = 0; i < count; i++, in += channels) {                                      \
            unsigned counts = none;                                                                \
            for (int32_t c = 0; c < channels; c++)                                                 \
                counts op compare(in[c], value);                                                   \
            out[i] = (uint8_t)(out[i] & counts);                                                   \
        }                                                                                          \
    }
#define DIFFERS(sample, value) ((sample) != (value))
#define IS_NUMBER(sample, value) ((void)(value), (sample) == (sample))
DEFINE_EXCLUDE(exclude_u8, uint8_t, uint8_t, DIFFERS, 0, |=)
DEFINE_EXCLUDE(exclude_u16, uint16_t, uint16_t, DIFFERS, 0, |=)
DEFINE_EXCLUDE(exclude_u32, uint32_t, uint32_t, DIFFERS, 0, |=)
DEFINE_EXCLUDE(exclude_f32, float, double, DIFFERS, 0, |=)
DEFINE_EXCLUDE(exclude_f64, double, double, DIFFERS, 0, |=)
DEFINE_EXCLUDE(exclude_nan_f32, float, double, IS_NUMBER, 1, &=)
DEFINE_EXCLUDE(exclude_nan_f64, double, double, IS_NUMBER, 1, &=)

static void exclude_no_data(const xncc_stage *s, const void *raw, uint8_t *out)
{
    const xncc_image *image = s->job->image;
    const int32_t channels = xncc_image_channels(image);
    const double value = image->no_data, bias = (double)xncc_pixel_bias(image->pixel);
    const int single = image->pixel == XNCC_F32;
    if (xncc_pixel_is_float(image->pixel)) {
        if (isnan(value))
            (single ? exclude_nan_f32 : exclude_nan_f64)(raw, channels, value, s->width, out);
        else
            (single ? exclude_f32 : exclude_f64)(raw, channels, value, s->width, out);
        return;
    }
    if (!(value >= -bias && value <= (double)xncc_pixel_max(image->pixel) - bias) ||
        value != floor(value))
        return; /* no sample equals the value */
    const uint64_t bits = (uint64_t)(int64_t)
        value; /* the low bits are those of the sample, signed or not */
    switch (xncc_pixel_digits(image->pixel)) {
    case 1: exclude_u8(raw, channels, (uint8_t)bits, s->width, out); return;
    case 2: exclude_u16(raw, channels, (uint16_t)bits, s->width, out); return;
    default: exclude_u32(raw, channels, (uint32_t)bits, s->width, out); return;
    }
}

/* Pixels outside the image count with the zero border, and do not with the overlap border. */
static void count_outside(const xncc_stage *s, uint8_t *out)
{
    const xncc_border border = s->job->problem->rule.border;
    const int64_t left = -s->left, right = s->job->image->width - s->left;
    if (border != XNCC_BORDER_ZERO && border != XNCC_BORDER_OVERLAP)
        return;
    if (left > 0)
        memset(out, border == XNCC_BORDER_ZERO, (size_t)(left < s->width ? left : s->width));
    if (right < s->width)
        memset(out + (right > 0 ? right : 0), border == XNCC_BORDER_ZERO,
               (size_t)(s->width - (right > 0 ? right : 0)));
}

void xncc_stage_count_row(const xncc_stage *s, int32_t y, uint8_t *out)
{
    const xncc_image *image = s->job->image;
    const xncc_border border = s->job->problem->rule.border;
    const int64_t line = xncc_border_index(border, s->top + y, image->height);
    if (line < 0) {
        memset(out, border == XNCC_BORDER_ZERO, (size_t)s->width);
        return;
    }
    if (image->mask) {
        const xncc_source_row row = { xncc_image_mask_row(image, (int32_t)line), image->width, 1,
                                      border };
        const uint8_t *mask = xncc_border_row_elements(&row, s->left, s->width, s->mask);
        for (int32_t i = 0; i < s->width; i++)
            out[i] = mask[i] != 0;
    } else {
        memset(out, 1, (size_t)s->width);
    }
    if (image->has_no_data)
        exclude_no_data(s, xncc_stage_raw(s, y), out);
    count_outside(s, out);
}

xncc_counts xncc_stage_counts(xncc_stage *s)
{
    unsigned any = 0, all = 1;
    for (int32_t y = 0; y < s->height && !xncc_is_cancelled(s->job->watch); y++) {
        uint8_t *row = s->count + (int64_t)y * s->pitch;
        xncc_stage_count_row(s, y, row);
        uint8_t some = 0, every = 1;
        for (int32_t i = 0; i < s->width; i++) {
            some |= row[i];
            every &= row[i];
        }
        any |= some;
        all &= every;
    }
    return all ? XNCC_COUNTS_ALL : any ? XNCC_COUNTS_SOME : XNCC_COUNTS_NONE;
}

uint32_t xncc_stage_plane(const xncc_stage *s, const xncc_isa_rows *isa, const xncc_plane_of *plane,
                          int bytes, void *out)
{
    xncc_plane_row row = { .pixel = s->job->image->pixel,
                           .channels = xncc_image_channels(s->job->image),
                           .channel = plane->channel,
                           .square = plane->kind == XNCC_PLANE_SQUARE,
                           .digit = plane->digit,
                           .bytes = bytes,
                           .pixels = s->width,
                           .every = s->count == NULL,
                           .buffer = s->pick };
    assert(bytes == 1 || bytes == 2);
    uint32_t any = 0;
    for (int32_t y = 0; y < s->height && !xncc_is_cancelled(s->job->watch); y++) {
        row.raw = xncc_stage_raw(s, y);
        row.count = s->count ? s->count + (int64_t)y * s->pitch : s->ones;
        row.out = (char *)out + (int64_t)y * s->pitch * bytes;
        any |= isa->plane(&row);
    }
    return any;
}
