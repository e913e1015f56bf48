/* corrmatch: templates, methods, and what a score is. SPDX-License-Identifier: BSD-2-Clause */
#ifndef CORRMATCH_TEMPLATE_H
#define CORRMATCH_TEMPLATE_H

#include "device.h"
#include "image.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How a window of the image is compared with the template. With I the window's pixels, T the template's, the five sums and n
 * taken over the pixels that count in both (all of them, unless there are masks, no-data values or the overlap border):
 * S = sum I,  Q = sum I^2,  X = sum I*T,  sumT = sum T,  sumT2 = sum T^2,  n = how many:
 *
 *   CM_CCOEFF_NORMED  (n*X - S*sumT) / ( sqrt(n*Q - S^2) * sqrt(n*sumT2 - sumT^2) )     NCC, also called ZNCC; -1 .. 1
 *   CM_CCOEFF         (n*X - S*sumT) / n
 *   CM_CCORR          X                                                                 plain correlation
 *   CM_CCORR_NORMED   X / ( sqrt(Q) * sqrt(sumT2) )                                     -1 .. 1
 *   CM_SQDIFF         Q - 2*X + sumT2                                                   small is good
 *   CM_SQDIFF_NORMED  (Q - 2*X + sumT2) / ( sqrt(Q) * sqrt(sumT2) )                     small is good
 *   CM_COVERAGE       n / the number of the template's pixels that count                0 .. 1; asks for no min_valid
 *
 * The names are OpenCV's (TM_CCOEFF_NORMED and so on; Bradski, "The OpenCV Library", 2000; Lewis, "Fast Normalized
 * Cross-Correlation", 1995, for NCC itself; Padfield, "Masked Object Registration in the Fourier Domain", 2012, for sums over
 * the pixels that count in both). Where a denominator is 0 the window or the template is flat: CCOEFF_NORMED and
 * CCORR_NORMED are then 0, or NaN when asked (cm_flat); SQDIFF_NORMED is 0 where its numerator is 0 and 1 elsewhere, or NaN when
 * asked.
 *
 * Several channels make one score: each channel has its own S, Q, X, sumT, sumT2; n is the number of pixels; X, Q, sumT2 and
 * the three differences n*X - S*sumT, n*Q - S^2, n*sumT2 - sumT^2 are summed over the channels before anything is divided (as
 * OpenCV's matchTemplate does, whose means are of each channel).
 *
 * What is promised for the integer pixel types: numerators and the products under the roots are exact integers at every size;
 * they are turned into doubles, the formula is evaluated once in IEEE-754 double precision in the order written, and the result is
 * rounded once to float. Every kernel on every device returns the same bits. So |score| <= 1 for the first and the fourth method,
 * a window equal to the template scores exactly 1, and the map of a crop is the crop of the map.
 * For CM_F32 and CM_F64 sums are in double precision, in one order that every kernel keeps; docs/numerics.md has the error bound. A
 * window that holds a NaN or an infinity that counts scores NaN and is never a match. */
typedef enum cm_method {
    CM_CCOEFF_NORMED = 0,
    CM_CCOEFF = 1,
    CM_CCORR = 2,
    CM_CCORR_NORMED = 3,
    CM_SQDIFF = 4,
    CM_SQDIFF_NORMED = 5,
    CM_COVERAGE = 6
} cm_method;

/* "ccoeff_normed", ..., "?" for no method. */
CM_API const char *cm_method_name(cm_method method);

/* Finds a method by its name. CM_ERROR_ARGUMENT when there is none; *method is untouched then. */
CM_API cm_status cm_method_parse(const char *name, cm_method *method);

/* 1 for the methods where a small score is good (CM_SQDIFF, CM_SQDIFF_NORMED), 0 for the others. */
CM_API int cm_method_is_distance(cm_method method);

/* What is sought: pixels, their sums and what the engines make of them, prepared once, never changed. */
typedef struct cm_template cm_template;

/* Prepares a template from a view (copied; the view may lie in host or device memory and is free after the call). Its mask and
 * its no-data value say which of its pixels count.
 * On success *result is the caller's, to be given to cm_template_destroy before the context goes; on failure it is NULL.
 * CM_ERROR_ARGUMENT (a bad view), CM_ERROR_MEMORY, CM_ERROR_DEVICE.
 * A template may be used by any number of threads and plans at once. */
CM_API cm_status cm_template_create(cm_context *context, const cm_image *pixels, cm_template **result);

/* Frees a template. NULL is allowed. No call that uses it may be under way, on a stream neither. */
CM_API void cm_template_destroy(cm_template *part);

/* Its extents in pixels, its pixel type and its samples a pixel. */
CM_API int32_t cm_template_width(const cm_template *part);
CM_API int32_t cm_template_height(const cm_template *part);
CM_API cm_pixel cm_template_pixel(const cm_template *part);
CM_API int32_t cm_template_channels(const cm_template *part);

/* 1 when some pixel of it does not count, for cm_problem. */
CM_API int32_t cm_template_masked(const cm_template *part);

#ifdef __cplusplus
}
#endif
#endif
