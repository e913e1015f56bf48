/* exactncc: templates, methods, and what a score is. SPDX-License-Identifier: BSD-2-Clause */
#ifndef EXACTNCC_TEMPLATE_H
#define EXACTNCC_TEMPLATE_H

#include "context.h"
#include "image.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How a window of the image is compared with the template.
 *
 * Let I be the pixels of the window and T those of the template. All sums are over the pixels that
 * count in both. These are all of them, unless there are masks, no-data values or the border
 * XNCC_BORDER_OVERLAP.
 *
 *     n    = the number of these pixels
 *     S    = sum of I        Q     = sum of I^2        X = sum of I*T
 *     sumT = sum of T        sumT2 = sum of T^2
 *
 * The scores:
 *
 *     CCOEFF_NORMED  (n*X - S*sumT) / ( sqrt(n*Q - S^2) * sqrt(n*sumT2 - sumT^2) )
 *     CCOEFF         (n*X - S*sumT) / n
 *     CCORR          X
 *     CCORR_NORMED   X / ( sqrt(Q) * sqrt(sumT2) )
 *     SQDIFF         Q - 2*X + sumT2
 *     SQDIFF_NORMED  (Q - 2*X + sumT2) / ( sqrt(Q) * sqrt(sumT2) )
 *     COVERAGE       n / (the number of the template's pixels that count)
 *
 * - CCOEFF_NORMED is NCC, also called ZNCC. Its range is -1 .. 1, as is that of CCORR_NORMED.
 * - CCORR is plain correlation.
 * - For SQDIFF and SQDIFF_NORMED a small score is good, for all other methods a large one.
 * - COVERAGE has the range 0 .. 1 and ignores min_valid (xncc_options).
 *
 * Where a denominator is 0, the window or the template is flat. CCOEFF_NORMED and CCORR_NORMED are
 * then 0. SQDIFF_NORMED is 0 if its numerator is 0, and 1 otherwise. With XNCC_FLAT_NAN all three
 * are NaN.
 *
 * Several channels give one score. Each channel has its own S, Q, X, sumT and sumT2; n counts
 * pixels. X, Q, sumT2 and the differences n*X - S*sumT, n*Q - S^2 and n*sumT2 - sumT^2 are added
 * over the channels before anything is divided. OpenCV's matchTemplate does the same: its means are
 * per channel.
 *
 * Integer pixel types are exact. Numerators and the arguments of the roots are exact integers at
 * every size. They are rounded to double, the formula is evaluated in IEEE-754 double precision in
 * the order written, and the result is rounded to float. Every kernel on every device returns the
 * same bits. Therefore:
 *
 * - |score| <= 1 for CCOEFF_NORMED and CCORR_NORMED.
 * - A window equal to the template scores exactly 1 with these two methods, unless a denominator
 *   is 0.
 * - In mode XNCC_VALID the map of a crop is the crop of the map.
 *
 * For XNCC_F32 and XNCC_F64 the sums are computed in double precision, in an order that every
 * kernel keeps; docs/numerics.md has the error bound. A window in which a NaN or an infinity counts
 * scores NaN and is never a match.
 *
 * Sources. The names are those of OpenCV (TM_CCOEFF_NORMED and so on; Bradski, "The OpenCV
 * Library", 2000). NCC: Lewis, "Fast Normalized Cross-Correlation", 1995. Sums over the pixels that
 * count in both: Padfield, "Masked Object Registration in the Fourier Domain", 2012. */
typedef enum xncc_method {
    XNCC_CCOEFF_NORMED = 0,
    XNCC_CCOEFF = 1,
    XNCC_CCORR = 2,
    XNCC_CCORR_NORMED = 3,
    XNCC_SQDIFF = 4,
    XNCC_SQDIFF_NORMED = 5,
    XNCC_COVERAGE = 6
} xncc_method;

/* Returns the name of a method in lower case ("ccoeff_normed"), or "?" if the value is not a
 * method. The string is constant and must not be freed. Any thread may call it. */
XNCC_API const char *xncc_method_name(xncc_method method);

/* Finds a method by its name, as xncc_method_name spells it, and writes it to *method. Returns
 * XNCC_OK or, for an unknown name or a null pointer, XNCC_ERROR_ARGUMENT; *method is then
 * unchanged. Any thread may call it. */
XNCC_API xncc_status xncc_method_parse(const char *name, xncc_method *method);

/* Returns 1 for the methods where a small score is good (XNCC_SQDIFF and XNCC_SQDIFF_NORMED), and 0
 * for the others. Any thread may call it. */
XNCC_API int xncc_method_is_distance(xncc_method method);

/* The pattern to search for: pixels, their sums, and their form for each engine. It is prepared
 * once and never changes. */
typedef struct xncc_template xncc_template;

/* Prepares a template.
 *
 * - pixels: a view in host or device memory, of at most 2^31 pixels (matching with XNCC_U32 allows
 *   2^28). Copied; the view and its data may be freed after the call. Its mask and no-data value
 *   say which pixels count; at least one must.
 * - result: receives the template, or NULL after a failure. The caller owns it and must give it to
 *   xncc_template_destroy before the context is destroyed.
 *
 * Returns XNCC_OK, XNCC_ERROR_ARGUMENT (an illegal view), XNCC_ERROR_MEMORY or XNCC_ERROR_DEVICE.
 * Any number of threads and plans may use a template at once. */
XNCC_API xncc_status xncc_template_create(xncc_context *context, const xncc_image *pixels,
                                          xncc_template **result);

/* Frees a template. NULL is allowed. No call that uses it may be running, and no work that uses it
 * may be queued on a stream. */
XNCC_API void xncc_template_destroy(xncc_template *templ);

/* The width and height of a template in pixels, the type of its samples, and its samples per pixel.
 * Any thread may call these. */
XNCC_API int32_t xncc_template_width(const xncc_template *templ);
XNCC_API int32_t xncc_template_height(const xncc_template *templ);
XNCC_API xncc_pixel xncc_template_pixel(const xncc_template *templ);
XNCC_API int32_t xncc_template_channels(const xncc_template *templ);

/* Returns 1 if the template has pixels that do not count, and 0 otherwise. This is the value for
 * templ_masked of xncc_problem. Any thread may call it. */
XNCC_API int32_t xncc_template_masked(const xncc_template *templ);

#ifdef __cplusplus
}
#endif
#endif
