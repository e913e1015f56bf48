/* exactncc: templates, methods, and what a score is. SPDX-License-Identifier: BSD-2-Clause */
#ifndef EXACTNCC_TEMPLATE_H
#define EXACTNCC_TEMPLATE_H

#include "context.h"
#include "image.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How a window of the image is compared with the template. With I the window's pixels, T the
 * template's, the five sums and n taken over the pixels that count in both (all of them, unless
 * there are masks, no-data values or the overlap border): S = sum I,  Q = sum I^2,  X = sum I*T,
 * sumT = sum T,  sumT2 = sum T^2,  n = how many:
 *
 *   XNCC_CCOEFF_NORMED  (n*X - S*sumT) / ( sqrt(n*Q - S^2) * sqrt(n*sumT2 - sumT^2) )     NCC, also
 * called ZNCC; -1 .. 1 XNCC_CCOEFF         (n*X - S*sumT) / n XNCC_CCORR          X plain
 * correlation XNCC_CCORR_NORMED   X / ( sqrt(Q) * sqrt(sumT2) ) -1 .. 1 XNCC_SQDIFF         Q - 2*X
 * + sumT2                                                   small is good XNCC_SQDIFF_NORMED  (Q -
 * 2*X + sumT2) / ( sqrt(Q) * sqrt(sumT2) )                     small is good XNCC_COVERAGE       n
 * / the number of the template's pixels that count                0 .. 1; asks for no min_valid
 *
 * The names are OpenCV's (TM_CCOEFF_NORMED and so on; Bradski, "The OpenCV Library", 2000; Lewis,
 * "Fast Normalized Cross-Correlation", 1995, for NCC itself; Padfield, "Masked Object Registration
 * in the Fourier Domain", 2012, for sums over the pixels that count in both). Where a denominator
 * is 0 the window or the template is flat: CCOEFF_NORMED and CCORR_NORMED are then 0, or NaN when
 * asked (xncc_flat); SQDIFF_NORMED is 0 where its numerator is 0 and 1 elsewhere, or NaN when
 * asked.
 *
 * Several channels make one score: each channel has its own S, Q, X, sumT, sumT2; n is the number
 * of pixels; X, Q, sumT2 and the three differences n*X - S*sumT, n*Q - S^2, n*sumT2 - sumT^2 are
 * summed over the channels before anything is divided (as OpenCV's matchTemplate does, whose means
 * are of each channel).
 *
 * What is promised for the integer pixel types: numerators and the products under the roots are
 * exact integers at every size; they are turned into doubles, the formula is evaluated once in
 * IEEE-754 double precision in the order written, and the result is rounded once to float. Every
 * kernel on every device returns the same bits. So |score| <= 1 for the first and the fourth
 * method, a window equal to the template scores exactly 1, and the map of a crop is the crop of the
 * map. For XNCC_F32 and XNCC_F64 sums are in double precision, in one order that every kernel
 * keeps; docs/numerics.md has the error bound. A window that holds a NaN or an infinity that counts
 * scores NaN and is never a match. */
typedef enum xncc_method {
    XNCC_CCOEFF_NORMED = 0,
    XNCC_CCOEFF = 1,
    XNCC_CCORR = 2,
    XNCC_CCORR_NORMED = 3,
    XNCC_SQDIFF = 4,
    XNCC_SQDIFF_NORMED = 5,
    XNCC_COVERAGE = 6
} xncc_method;

/* "ccoeff_normed", ..., "?" for no method. */
XNCC_API const char *xncc_method_name(xncc_method method);

/* Finds a method by its name. XNCC_ERROR_ARGUMENT when there is none; *method is untouched then. */
XNCC_API xncc_status xncc_method_parse(const char *name, xncc_method *method);

/* 1 for the methods where a small score is good (XNCC_SQDIFF, XNCC_SQDIFF_NORMED), 0 for the
 * others. */
XNCC_API int xncc_method_is_distance(xncc_method method);

/* What is sought: pixels, their sums and what the engines make of them, prepared once, never
 * changed. */
typedef struct xncc_template xncc_template;

/* Prepares a template from a view (copied; the view may lie in host or device memory and is free
 * after the call). Its mask and its no-data value say which of its pixels count. On success *result
 * is the caller's, to be given to xncc_template_destroy before the context goes; on failure it is
 * NULL. XNCC_ERROR_ARGUMENT (a bad view), XNCC_ERROR_MEMORY, XNCC_ERROR_DEVICE. A template may be
 * used by any number of threads and plans at once. */
XNCC_API xncc_status xncc_template_create(xncc_context *context, const xncc_image *pixels,
                                          xncc_template **result);

/* Frees a template. NULL is allowed. No call that uses it may be under way, on a stream neither. */
XNCC_API void xncc_template_destroy(xncc_template *templ);

/* Its extents in pixels, its pixel type and its samples a pixel. */
XNCC_API int32_t xncc_template_width(const xncc_template *templ);
XNCC_API int32_t xncc_template_height(const xncc_template *templ);
XNCC_API xncc_pixel xncc_template_pixel(const xncc_template *templ);
XNCC_API int32_t xncc_template_channels(const xncc_template *templ);

/* 1 when some pixel of it does not count, for xncc_problem. */
XNCC_API int32_t xncc_template_masked(const xncc_template *templ);

#ifdef __cplusplus
}
#endif
#endif
