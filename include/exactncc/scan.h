/* exactncc: search of an image whose rows are still arriving.
 * SPDX-License-Identifier: BSD-2-Clause */
#ifndef EXACTNCC_SCAN_H
#define EXACTNCC_SCAN_H

#include "plan.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A search of an image that is filled from the top by a decoder, a camera or a network. Each time
 * more rows are available, xncc_scan_rows matches what they allow. Reading and matching together
 * then take about the longer of their two times instead of their sum.
 *
 *     xncc_scan_create(plan, &image, templ, NULL, 16, &scan, &error);
 *     while ((rows = wait_for_more_rows()) < image.height)     another thread writes the rows
 *         xncc_scan_rows(scan, rows, &error);
 *     xncc_scan_finish(scan, match, &found, NULL, &error);
 *     xncc_scan_destroy(scan);
 *
 * One thread at a time may use a scan. Meanwhile another thread may write those rows of the image
 * that are not final, that is, from the last number given to xncc_scan_rows on (from row 0 before
 * the first call). The library does not read them. The caller must make the written rows visible to
 * the thread that declares them final, for example with a mutex or an atomic variable. */
typedef struct xncc_scan xncc_scan;

/* Begins a scan. It reads no pixel of the image.
 *
 * - plan: a plan for matching. Until xncc_scan_destroy it belongs to the scan: other calls
 *   that compute with it return XNCC_ERROR_ARGUMENT, and it must not be destroyed.
 * - image: the view is copied; its data must outlive the scan.
 * - templ: must outlive the scan, as must the plan.
 * - peaks: NULL means XNCC_PEAK_RULE_INIT. Copied.
 * - capacity: the number of elements of the array that xncc_scan_finish will receive.
 * - scan: receives the scan, or NULL after a failure. The caller owns it and must give it to
 *   xncc_scan_destroy before the plan is destroyed.
 *
 * Returns XNCC_OK, XNCC_ERROR_ARGUMENT or XNCC_ERROR_MEMORY. */
XNCC_API xncc_status xncc_scan_create(xncc_plan *plan, const xncc_image *image,
                                      const xncc_template *templ, const xncc_peak_rule *peaks,
                                      size_t capacity, xncc_scan **scan, xncc_error *error);

/* Declares the first `rows` rows of the image final, and returns when the matching that they allow
 * is done. This may be nothing: a window needs all of its rows, the CPU engine waits until there is
 * enough work, and the CUDA engine begins when all rows are final.
 *
 * - rows: 0 .. the height of the image. A number that is not above an earlier one has no effect.
 *
 * Returns XNCC_OK, XNCC_ERROR_ARGUMENT (rows out of range, or the scan is finished),
 * XNCC_ERROR_MEMORY or XNCC_ERROR_CANCELLED. After the last two the scan can only be destroyed;
 * other calls return the same status. */
XNCC_API xncc_status xncc_scan_rows(xncc_scan *scan, int32_t rows, xncc_error *error);

/* Declares all rows final, does the remaining work, and writes the matches. They have the bits of
 * xncc_plan_find, in whatever portions the rows arrived. A scan can be finished once.
 *
 * - match: receives at most `capacity` matches (xncc_scan_create); in host memory. May be NULL if
 *   the capacity is 0.
 * - found: receives the number of matches; 0 after a failure.
 * - stream: as for xncc_plan_find.
 *
 * Statuses as for xncc_plan_find. */
XNCC_API xncc_status xncc_scan_finish(xncc_scan *scan, xncc_match *match, size_t *found,
                                      xncc_stream stream, xncc_error *error);

/* Frees a scan, finished or not. The plan may be used again. NULL is allowed. */
XNCC_API void xncc_scan_destroy(xncc_scan *scan);

#ifdef __cplusplus
}
#endif
#endif
