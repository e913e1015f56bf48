/* exactncc: convolution, the unnormalized special case. SPDX-License-Identifier: BSD-2-Clause */
#ifndef EXACTNCC_CONVOLVE_H
#define EXACTNCC_CONVOLVE_H

#include "find.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The widest and highest filter, in coefficients (127 x 127 floats fill the constant memory of a
 * GPU). */
#define XNCC_MAX_FILTER 127

/* The coefficients of a convolution, prepared once, never changed. */
typedef struct xncc_filter xncc_filter;

/* How a filter is laid over the image. All zero: convolution, anchored at the middle.
 * With f the coefficients, w x h their extents, (a, b) the anchor, and I the image with its border:
 *   convolution         out(x, y) = sum over i, j of  f(i, j) * I(x + a - i, y + b - j)     the
 * filter is turned by 180 degrees correlate = 1       out(x, y) = sum over i, j of  f(i, j) * I(x -
 * a + i, y - b + j) The anchor is the coefficient that lies over the output pixel; by default (w/2,
 * h/2), integer division, for odd and even extents alike. */
typedef struct xncc_filter_options {
    int32_t correlate; /* 1: without the turn */
    int32_t anchored;  /* 1: use anchor_x and anchor_y */
    int32_t anchor_x;  /* 0 .. w-1 */
    int32_t anchor_y;  /* 0 .. h-1 */
} xncc_filter_options;

/* Prepares a filter from width x height coefficients in host memory, row by row, tightly packed
 * (copied). Each extent is 1 .. XNCC_MAX_FILTER, odd or even. Coefficients must be finite. options
 * may be NULL. On success *result is the caller's, to be given to xncc_filter_destroy before the
 * context goes; on failure it is NULL. A filter may be used by any number of threads and plans at
 * once. */
XNCC_API xncc_status xncc_filter_create(xncc_context *context, const float *coefficients,
                                        int32_t width, int32_t height,
                                        const xncc_filter_options *options, xncc_filter **result);

/* Frees a filter. NULL is allowed. */
XNCC_API void xncc_filter_destroy(xncc_filter *filter);

/* All zero: clamp border, the fastest kernel. */
typedef struct xncc_convolve_options {
    xncc_border border;
    const char *kernel; /* as in xncc_options */
} xncc_convolve_options;

/* Convolves the image: out has the image's extents. XNCC_U8 and XNCC_U16 pixels are turned into
 * float first, exactly. Each result starts at 0 and adds one product a step with a fused
 * multiply-add in float (one rounding a step), window row by window row from the top, and within a
 * row from the left, as the pixels lie in the image. So CPU and GPU return the same bits. options
 * may be NULL. Memory, threads and errors as xncc_correlate. */
XNCC_API xncc_status xncc_convolve(xncc_context *context, const xncc_image *image,
                                   const xncc_filter *filter, const xncc_convolve_options *options,
                                   const xncc_map *out);

#ifdef __cplusplus
}
#endif
#endif
