/* exactncc: templates. SPDX-License-Identifier: BSD-2-Clause */
#ifndef EXACTNCC_TEMPLATE_H
#define EXACTNCC_TEMPLATE_H

#include "context.h"
#include "image.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The pattern to search for: pixels, their sums, and their form for each engine. It is prepared
 * once and never changes. */
typedef struct xncc_template xncc_template;

/* Prepares a template.
 *
 * - pixels: a view in host or device memory, of at most 2^31 pixels (matching with XNCC_U32 allows
 *   2^28). Copied; the view and its data may be freed after the call. Its mask and no-data value
 *   say which pixels count; at least one must.
 * - templ: receives the template, or NULL after a failure. The caller owns it and must give it to
 *   xncc_template_destroy before the context is destroyed.
 *
 * Returns XNCC_OK, XNCC_ERROR_ARGUMENT (an illegal view), XNCC_ERROR_MEMORY or XNCC_ERROR_DEVICE.
 * Any number of threads and plans may use a template at once. */
XNCC_API xncc_status xncc_template_create(xncc_context *context, const xncc_image *pixels,
                                          xncc_template **templ, xncc_error *error);

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
XNCC_API int xncc_template_is_masked(const xncc_template *templ);

#ifdef __cplusplus
}
#endif
#endif
