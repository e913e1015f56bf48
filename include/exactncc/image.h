/* exactncc: borrowed views of images and maps. SPDX-License-Identifier: BSD-2-Clause */
#ifndef EXACTNCC_IMAGE_H
#define EXACTNCC_IMAGE_H

#include "status.h"
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The largest width and height of an image or map, in pixels. A larger one is
 * XNCC_ERROR_ARGUMENT. */
#define XNCC_MAX_SIDE 1073741824 /* 2^30 */

/* The type of a sample. */
typedef enum xncc_pixel {
    XNCC_U8 = 0,  /* uint8_t, 0 .. 255; scores are exact */
    XNCC_U16 = 1, /* uint16_t, 0 .. 65535; scores are exact */
    XNCC_F32 = 2, /* float; scores are exact; NaN and infinity: see xncc_method */
    XNCC_S8 = 3,  /* int8_t, -128 .. 127; scores are exact */
    XNCC_S16 = 4, /* int16_t, -32768 .. 32767; scores are exact */
    XNCC_U32 = 5, /* uint32_t, 0 .. 2^32 - 1; scores are exact (sums have 128 bits) */
    XNCC_F64 = 6  /* double; scores are exact; NaN and infinity: see xncc_method */
} xncc_pixel;

/* Does DO(pixel, name, type) for each pixel type, in the order of xncc_pixel. name: that of
 * xncc_pixel_name, without quotes. type: the type of a sample in C. For code that has a part for
 * each type. */
#define XNCC_EACH_PIXEL(DO)                                                                        \
    DO(XNCC_U8, u8, uint8_t)                                                                       \
    DO(XNCC_U16, u16, uint16_t)                                                                    \
    DO(XNCC_F32, f32, float)                                                                       \
    DO(XNCC_S8, s8, int8_t)                                                                        \
    DO(XNCC_S16, s16, int16_t)                                                                     \
    DO(XNCC_U32, u32, uint32_t)                                                                    \
    DO(XNCC_F64, f64, double)

/* The largest number of samples per pixel. */
#define XNCC_MAX_CHANNELS 64

/* Where data is. */
typedef enum xncc_memory {
    XNCC_HOST = 0,  /* host memory, pageable or pinned */
    XNCC_DEVICE = 1 /* memory of the context's CUDA device */
} xncc_memory;

/* A borrowed view of an image: a scene, or the pixels of a template.
 *
 * Lifetime. The library reads the data during a call and keeps no pointer to it afterwards. Calls
 * that take a stream may read it until the stream has executed their work.
 *
 * Layout. x points right and y down, both from 0. The samples of a pixel are adjacent. With `size`
 * the bytes per sample, pixel (x, y) begins at
 *
 *     (const char *)data + y * pitch + x * channels * size
 *
 * data must be aligned to `size` bytes. The pitch must be a multiple of `size`, and at least
 * width * channels * size. No other alignment is required.
 *
 * Which pixels count. By default all of them. A mask and a no-data value exclude pixels; if both
 * are present, a pixel counts only if neither excludes it.
 *
 * - mask: a pixel counts if its mask byte is not 0. The mask has one byte per pixel, in the same
 *   memory as the pixels; the byte of pixel (x, y) is at mask + y * mask_pitch + x.
 * - no-data value: a pixel does not count if all of its samples equal no_data, compared exactly as
 *   numbers. If no_data is a NaN, a pixel does not count if any of its samples is a NaN.
 *
 * Matching uses only those pixels of a window that count both in the image and in the template
 * (xncc_method has the formulas). Convolution accepts neither masks nor no-data values. */
typedef struct xncc_image {
    const void *data;    /* the top-left pixel; must not be NULL */
    int32_t width;       /* pixels, 1 .. XNCC_MAX_SIDE */
    int32_t height;      /* pixels, 1 .. XNCC_MAX_SIDE */
    int64_t pitch;       /* bytes per row; 0: rows are tightly packed */
    xncc_pixel pixel;    /* the type of a sample */
    xncc_memory memory;  /* where data and mask are */
    int32_t channels;    /* samples per pixel, 1 .. XNCC_MAX_CHANNELS; 0 means 1 */
    const uint8_t *mask; /* one byte per pixel; NULL: no mask */
    int64_t mask_pitch;  /* bytes per row of the mask, at least width; 0: tightly packed */
    int32_t has_no_data; /* nonzero: no_data is in use; 0: it is ignored */
    double no_data;      /* the no-data value; may be a NaN */
} xncc_image;

/* A borrowed view of a map that a call writes: one float per position. The layout is that of
 * xncc_image with one channel of floats, so data must be aligned to 4 bytes and the pitch must be a
 * multiple of 4. Every element of the width x height rectangle is written. The bytes between rows
 * are not. */
typedef struct xncc_map {
    float *data;        /* the top-left element; must not be NULL */
    int32_t width;      /* elements, 1 .. XNCC_MAX_SIDE */
    int32_t height;     /* elements, 1 .. XNCC_MAX_SIDE */
    int64_t pitch;      /* bytes per row; 0: rows are tightly packed */
    xncc_memory memory; /* where data is */
} xncc_map;

/* Returns the bytes per sample (1, 2, 4 or 8), or 0 if the value is not a pixel type. Any thread
 * may call it. */
XNCC_API size_t xncc_pixel_size(xncc_pixel pixel);

/* Returns "u8", "u16", "f32", "s8", "s16", "u32" or "f64", or "?" if the value is not a pixel type.
 * The string is constant and must not be freed. Any thread may call it. */
XNCC_API const char *xncc_pixel_name(xncc_pixel pixel);

/* Makes a view of a rectangle of an image, its mask included. No pixel is copied, so the new view
 * is valid as long as the data of the old one.
 *
 * - image: a legal view.
 * - x, y: the rectangle's top-left pixel.
 * - width, height: the rectangle's extents, in pixels. It must be inside the image and not empty.
 * - crop: receives the view. May be the same struct as *image.
 *
 * Returns XNCC_OK or XNCC_ERROR_ARGUMENT. After a failure *crop is unchanged. Any thread may call
 * it. */
XNCC_API xncc_status xncc_image_crop(const xncc_image *image, int32_t x, int32_t y, int32_t width,
                                     int32_t height, xncc_image *crop, xncc_error *error);

#ifdef __cplusplus
}
#endif
#endif
