/* SPDX-License-Identifier: BSD-2-Clause */
/* Samples of every pixel type, which pixels count, and where the pixels outside an image come from.
 * Compiled for the host and for the device. */
#ifndef XNCC_IMAGE_SAMPLES_H
#define XNCC_IMAGE_SAMPLES_H

#include "base/host_device.h"
#include "exactncc/find.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

/* The index, along one axis of `extent` pixels, of the pixel that is used for index i. If i is
 * outside the image, the border decides; -1: there is none (XNCC_BORDER_ZERO,
 * XNCC_BORDER_OVERLAP). */
static XNCC_HD int64_t xncc_border_index(xncc_border border, int64_t i, int64_t extent)
{
    if (i >= 0 && i < extent)
        return i;
    switch (border) {
    case XNCC_BORDER_CLAMP: return i < 0 ? 0 : extent - 1;
    case XNCC_BORDER_MIRROR: {
        int64_t period = 2 * (extent - 1);
        if (period == 0)
            return 0;
        int64_t at = i % period;
        at = at < 0 ? at + period : at;
        return at < extent ? at : period - at;
    }
    case XNCC_BORDER_WRAP: {
        int64_t at = i % extent;
        return at < 0 ? at + extent : at;
    }
    case XNCC_BORDER_ZERO:
    case XNCC_BORDER_OVERLAP: return -1;
    }
    return -1;
}

/* Where an edge of the image is in a template of `size` columns or rows, if its first one is `at`
 * before the edge: limited to the template. */
static XNCC_HD int32_t xncc_clip_index(int64_t at, int32_t size)
{
    return at < 0 ? 0 : at > size ? size : (int32_t)at;
}

/* Returns 1 for floats. */
static XNCC_CONST_HD int xncc_pixel_is_float(xncc_pixel pixel)
{
    switch (pixel) {
#define CASE(pixel, name, type)                                                                    \
    case pixel: return (type)0.5 > 0;
        XNCC_EACH_PIXEL(CASE)
#undef CASE
    }
    return 0;
}

/* Bytes of a sample: the digits of a biased integer. */
static XNCC_CONST_HD int xncc_pixel_digits(xncc_pixel pixel)
{
    switch (pixel) {
#define CASE(pixel, name, type)                                                                    \
    case pixel: return (int)sizeof(type);
        XNCC_EACH_PIXEL(CASE)
#undef CASE
    }
    return 0;
}

/* The bias of a pixel type: what is added to a signed integer, so that all sums are of unsigned
 * integers. It flips the highest bit. 0 for the other types. */
static XNCC_CONST_HD uint64_t xncc_pixel_bias(xncc_pixel pixel)
{
    switch (pixel) {
#define CASE(pixel, name, type)                                                                    \
    case pixel:                                                                                    \
        return (type)0.5 > 0 || (double)(type)-1 > 0.0 ? 0 : (uint64_t)1 << (8 * sizeof(type) - 1);
        XNCC_EACH_PIXEL(CASE)
#undef CASE
    }
    return 0;
}

/* The largest biased sample of an integer type. */
static XNCC_CONST_HD uint64_t xncc_pixel_max(xncc_pixel pixel)
{
    return UINT64_MAX >> (64 - 8 * xncc_pixel_digits(pixel));
}

/* Returns 1 for integers of more than 16 bits, whose sums of products have 128 bits. */
static XNCC_CONST_HD int xncc_pixel_is_wide(xncc_pixel pixel)
{
    return !xncc_pixel_is_float(pixel) && xncc_pixel_digits(pixel) > 2;
}

/* Returns 1 for pixels whose sums are taken in double, with bounds of their errors: floats, and the
 * integers whose sums of products have 128 bits. */
static XNCC_CONST_HD int xncc_pixel_is_of_doubles(xncc_pixel pixel)
{
    return xncc_pixel_is_float(pixel) || xncc_pixel_is_wide(pixel);
}

/* The type of a template's samples: signed integers are stored biased, as unsigned ones. */
static XNCC_CONST_HD xncc_pixel xncc_pixel_stored(xncc_pixel pixel)
{
    if (xncc_pixel_bias(pixel) == 0)
        return pixel;
    return xncc_pixel_digits(pixel) == 1   ? XNCC_U8
           : xncc_pixel_digits(pixel) == 2 ? XNCC_U16
                                           : XNCC_U32;
}

/* The biased sample i of a row; 0 for float types. */
static XNCC_HD uint64_t xncc_sample(xncc_pixel pixel, const void *row, int64_t i)
{
    if (xncc_pixel_is_float(pixel))
        return 0;
    switch (xncc_pixel_digits(pixel)) {
    case 1: return ((const uint8_t *)row)[i] ^ xncc_pixel_bias(pixel);
    case 2: return ((const uint16_t *)row)[i] ^ xncc_pixel_bias(pixel);
    default: return ((const uint32_t *)row)[i] ^ xncc_pixel_bias(pixel);
    }
}

/* Copies samples and flips their highest bit if they are signed integers: this adds the bias, or
 * subtracts it. to: may be from. */
static inline void xncc_flip_bias(xncc_pixel pixel, const void *from, void *to, size_t count)
{
    const uint64_t bias = xncc_pixel_bias(pixel);
    if (bias == 0 && to != from)
        memcpy(to, from, count * (size_t)xncc_pixel_digits(pixel));
    for (size_t i = 0; i < count && bias == 1u << 7; i++)
        ((uint8_t *)to)[i] = (uint8_t)(((const uint8_t *)from)[i] ^ bias);
    for (size_t i = 0; i < count && bias == 1u << 15; i++)
        ((uint16_t *)to)[i] = (uint16_t)(((const uint16_t *)from)[i] ^ bias);
    for (size_t i = 0; i < count && bias == 1u << 31; i++)
        ((uint32_t *)to)[i] = (uint32_t)(((const uint32_t *)from)[i] ^ bias);
}

/* The value of sample i of a row, without bias. Exact for every type. */
static XNCC_HD double xncc_sample_value(xncc_pixel pixel, const void *row, int64_t i)
{
    if (pixel == XNCC_F32)
        return (double)((const float *)row)[i];
    if (pixel == XNCC_F64)
        return ((const double *)row)[i];
    return (double)((int64_t)xncc_sample(pixel, row, i) - (int64_t)xncc_pixel_bias(pixel));
}

/* Returns 1 unless pixel x of a row is the no-data value (xncc_image). */
static XNCC_HD int xncc_pixel_has_data(xncc_pixel pixel, int32_t channels, double no_data,
                                       const void *row, int64_t x)
{
    int equal = 1;
    for (int64_t i = x * channels; i < (x + 1) * channels; i++) {
        double v = xncc_sample_value(pixel, row, i);
        if (no_data != no_data && v != v)
            return 0;
        equal = equal && v == no_data;
    }
    return !equal;
}

/* Returns 1 if pixel x of a row counts. mask: that of the row, or NULL. */
static XNCC_HD int xncc_pixel_counts(const xncc_image *image, int32_t channels, const void *row,
                                     const uint8_t *mask, int64_t x)
{
    if (mask && !mask[x])
        return 0;
    return !image->has_no_data ||
           xncc_pixel_has_data(image->pixel, channels, image->no_data, row, x);
}

#endif
