/* exactncc: convolution and correlation with float coefficients.
 * SPDX-License-Identifier: BSD-2-Clause */
#ifndef EXACTNCC_CONVOLVE_H
#define EXACTNCC_CONVOLVE_H

#include "context.h"
#include "image.h"
#include "rules.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The largest width and height of a filter, in coefficients. (127 x 127 floats fill the constant
 * memory of a GPU.) */
#define XNCC_MAX_FILTER 127

/* The coefficients of a convolution. A filter is prepared once and never changes. */
typedef struct xncc_filter xncc_filter;

/* How a filter is placed on the image. Set by XNCC_FILTER_OPTIONS_INIT: convolution, anchored at
 * the middle.
 *
 * Let f be the w x h coefficients, (a, b) the anchor, and I the image with its border:
 *
 *     convolution:    out(x, y) = sum over i, j of  f(i, j) * I(x + a - i, y + b - j)
 *     correlate = 1:  out(x, y) = sum over i, j of  f(i, j) * I(x - a + i, y - b + j)
 *
 * So convolution rotates the filter by 180 degrees. The anchor is the coefficient that is over the
 * output pixel. By default it is (w/2, h/2), with integer division. */
typedef struct xncc_filter_options {
    uint32_t size;     /* sizeof(xncc_filter_options) */
    int32_t correlate; /* 0: convolution; nonzero: correlation */
    int32_t anchor_x;  /* 0 .. w-1; XNCC_AUTO: w/2 */
    int32_t anchor_y;  /* 0 .. h-1; XNCC_AUTO: h/2 */
} xncc_filter_options;

/* Convolution, anchored at the middle. */
#define XNCC_FILTER_OPTIONS_INIT                                                                   \
    {                                                                                              \
        sizeof(xncc_filter_options), 0, XNCC_AUTO, XNCC_AUTO                                       \
    }

/* Prepares a filter.
 *
 * - coefficients: width x height finite numbers in host memory, row by row, tightly packed. Copied.
 * - width, height: 1 .. XNCC_MAX_FILTER each, odd or even.
 * - options: NULL means XNCC_FILTER_OPTIONS_INIT. Copied.
 * - filter: receives the filter, or NULL after a failure. The caller owns it and must give it to
 *   xncc_filter_destroy before the context is destroyed.
 *
 * Returns XNCC_OK, XNCC_ERROR_ARGUMENT, XNCC_ERROR_MEMORY or XNCC_ERROR_DEVICE. Any number of
 * threads and plans may use a filter at once. */
XNCC_API xncc_status xncc_filter_create(xncc_context *context, const float *coefficients,
                                        int32_t width, int32_t height,
                                        const xncc_filter_options *options, xncc_filter **filter,
                                        xncc_error *error);

/* Frees a filter. NULL is allowed. No call that uses it may be running, and no work that uses it
 * may be queued on a stream. */
XNCC_API void xncc_filter_destroy(xncc_filter *filter);

/* Options of xncc_convolve. */
typedef struct xncc_convolve_options {
    uint32_t size;      /* sizeof(xncc_convolve_options) */
    xncc_border border; /* XNCC_BORDER_CLAMP or XNCC_BORDER_ZERO */
    const char *kernel; /* as in xncc_correlate_options */
} xncc_convolve_options;

/* XNCC_BORDER_CLAMP and the fastest kernel. */
#define XNCC_CONVOLVE_OPTIONS_INIT                                                                 \
    {                                                                                              \
        sizeof(xncc_convolve_options), XNCC_BORDER_CLAMP, NULL                                     \
    }

/* Convolves an image with a filter.
 *
 * - context: the engines to use. It must be the context of the filter.
 * - image: XNCC_U8, XNCC_U16 or XNCC_F32, one channel, without mask and no-data value; in host or
 *   device memory. Integer pixels are converted to float, which is exact.
 * - options: NULL means XNCC_CONVOLVE_OPTIONS_INIT.
 * - out: receives the result, with the extents of the image; in host or device memory.
 *
 * Each result starts at 0 and adds one product at a time with a float fused multiply-add, which
 * rounds once. The order is that of the pixels under the filter: row by row from the top, each row
 * from the left. So every kernel on every device returns the same bits.
 *
 * Statuses, memory and threads as for xncc_correlate. An image of another kind, or another border,
 * is XNCC_ERROR_UNSUPPORTED. */
XNCC_API xncc_status xncc_convolve(xncc_context *context, const xncc_image *image,
                                   const xncc_filter *filter, const xncc_convolve_options *options,
                                   const xncc_map *out, xncc_error *error);

#ifdef __cplusplus
}
#endif
#endif
