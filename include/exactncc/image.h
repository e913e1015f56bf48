/* exactncc: borrowed views of pixels and maps. SPDX-License-Identifier: BSD-2-Clause */
#ifndef EXACTNCC_IMAGE_H
#define EXACTNCC_IMAGE_H

#include "status.h"
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The widest and highest image or map, in pixels. A larger one is XNCC_ERROR_ARGUMENT. */
#define XNCC_MAX_SIDE 1073741824 /* 2^30 */

/* What a sample is. */
typedef enum xncc_pixel {
    XNCC_U8 = 0,  /* uint8_t,  0..255: scores are exact */
    XNCC_U16 = 1, /* uint16_t, 0..65535: scores are exact */
    XNCC_F32 = 2, /* float, finite: scores hold the error bound of docs/numerics.md */
    XNCC_S8 = 3,  /* int8_t: exact */
    XNCC_S16 = 4, /* int16_t: exact */
    XNCC_U32 = 5, /* uint32_t: exact, in 128 bits */
    XNCC_F64 = 6  /* double, finite, magnitudes up to 1e140: the error bound of docs/numerics.md */
} xncc_pixel;

/* The most samples a pixel. */
#define XNCC_MAX_CHANNELS 64

/* Where the pixels lie. */
typedef enum xncc_memory {
    XNCC_HOST = 0,  /* ordinary memory, pageable or pinned */
    XNCC_DEVICE = 1 /* memory of the CUDA device that the context uses */
} xncc_memory;

/* A borrowed view of an image: the scene, or a template's pixels. The library reads it during a
 * call and keeps no pointer to it after the call (after the stream has passed it, for the calls
 * that take a stream). Pixel (x, y) lies at (const char *)data + y * pitch + x * channels * size of
 * a sample; x runs right, y down, from 0; the samples of a pixel lie next to each other. The pitch
 * is in bytes, at least width * channels * size of a sample and a multiple of that size; it may be
 * odd for XNCC_U8. No other alignment is asked for. 0 for the pitch means tightly packed rows.
 *
 * Which pixels count. With a mask, those whose byte is not 0: it lies in the memory that the pixels
 * lie in, one byte a pixel, byte (x, y) at mask + y * mask_pitch + x. With has_no_data, those that
 * are not the no-data value: a pixel does not count when all its samples equal no_data (exactly, as
 * numbers), or, where no_data is a NaN, when any of them is a NaN. With both, those that both
 * count. All zero: every pixel counts. Matching looks only at the pixels of a window that count
 * there and in the template (xncc_method has the formulas); convolution takes images without
 * either. */
typedef struct xncc_image {
    const void *data;
    int32_t width;  /* pixels, 1 .. XNCC_MAX_SIDE */
    int32_t height; /* pixels, 1 .. XNCC_MAX_SIDE */
    int64_t pitch;  /* bytes a row; 0: tight */
    xncc_pixel pixel;
    xncc_memory memory;
    int32_t channels;    /* samples a pixel, 1 .. XNCC_MAX_CHANNELS; 0: 1 */
    const uint8_t *mask; /* NULL: none */
    int64_t mask_pitch;  /* bytes a row of the mask, at least width; 0: tight */
    int32_t has_no_data; /* 1: no_data is meant */
    double no_data;
} xncc_image;

/* A borrowed view of a map that a call writes: one float a position, laid out as in xncc_image
 * (pitch a multiple of 4, data aligned to 4 bytes). Every element of the width x height rectangle
 * is written; the bytes between rows are not. */
typedef struct xncc_map {
    float *data;
    int32_t width;
    int32_t height;
    int64_t pitch; /* bytes a row; 0: tight */
    xncc_memory memory;
} xncc_map;

/* Bytes a sample: 1, 2, 4 or 8; 0 for a value that is no pixel type. */
XNCC_API size_t xncc_pixel_size(xncc_pixel pixel);

/* "u8", "u16", "f32", "s8", "s16", "u32", "f64"; "?" for a value that is no pixel type. */
XNCC_API const char *xncc_pixel_name(xncc_pixel pixel);

/* The view of a rectangle inside a view, its mask with it: nothing is copied. (x, y) is the
 * rectangle's top-left pixel. XNCC_ERROR_ARGUMENT when the view is not valid or the rectangle is
 * empty or not wholly inside; *part is untouched then. */
XNCC_API xncc_status xncc_image_crop(const xncc_image *image, int32_t x, int32_t y, int32_t width,
                                     int32_t height, xncc_image *templ);

#ifdef __cplusplus
}
#endif
#endif
