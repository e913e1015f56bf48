/* exactncc: finding in an image while its rows still arrive. SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef EXACTNCC_SCAN_H
#define EXACTNCC_SCAN_H

#include "plan.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A xncc_plan_find under way on an image that is filled from the top: by a decoder, a camera, a
 * network. Each time more rows are there, xncc_scan_rows matches what they allow, so that matching
 * and reading take about the larger of their two times and not their sum.
 *
 *     xncc_scan_create(plan, &image, part, NULL, 16, &scan);
 *     while ((rows = wait_for_more_rows()) < image.height)     another thread writes the rows
 *         xncc_scan_rows(scan, rows);
 *     xncc_scan_finish(scan, match, &found, NULL);
 *     xncc_scan_destroy(scan);
 *
 * One thread at a time may use a scan. Meanwhile another thread may write the image's rows from the
 * last number given to xncc_scan_rows on (0 before the first call): they are not read, until a
 * later call says that they are final. The caller sees to it that what was written is visible to
 * the thread that says so, as a mutex, a condition or an atomic does. */
typedef struct xncc_scan xncc_scan;

/* Begins a scan; no pixel of the image is read. options are those of xncc_plan_find and may be
 * NULL; capacity is how many matches the array of xncc_scan_finish will hold. The image's view is
 * copied; plan, part and pixels must outlive the scan. The plan's workspace belongs to the scan
 * until xncc_scan_destroy: any other use of the plan is XNCC_ERROR_ARGUMENT. On success *scan is
 * the caller's, to be given to xncc_scan_destroy; on failure it is NULL. XNCC_ERROR_ARGUMENT,
 * XNCC_ERROR_MEMORY. */
XNCC_API xncc_status xncc_scan_create(xncc_plan *plan, const xncc_image *image,
                                      const xncc_template *templ, const xncc_find_options *options,
                                      size_t capacity, xncc_scan **scan);

/* Says that the first `rows` rows of the image are final, and returns when the matching that this
 * allows is done. That may be nothing: a window needs all its rows, a handful of windows is not
 * worth a start, and the CUDA engine begins when all rows are there. Numbers below an earlier one
 * change nothing. XNCC_ERROR_ARGUMENT when rows is not within 0 .. the image's height, or the scan
 * is finished; XNCC_ERROR_MEMORY. After XNCC_ERROR_MEMORY the scan is of no more use, and its later
 * calls return the same. */
XNCC_API xncc_status xncc_scan_rows(xncc_scan *scan, int32_t rows);

/* Says that all rows are final, does the rest, and writes the matches: at most the scan's capacity
 * into match, their number into *found. They are those of xncc_plan_find, bit for bit, however the
 * rows came. match may be NULL when the capacity is 0; stream is xncc_plan_find's. Once for a scan.
 * Errors as xncc_plan_find; *found is 0 after a failure. */
XNCC_API xncc_status xncc_scan_finish(xncc_scan *scan, xncc_match *match, size_t *found,
                                      xncc_stream stream);

/* Frees a scan, finished or not; the plan may be used again. NULL is allowed. */
XNCC_API void xncc_scan_destroy(xncc_scan *scan);

#ifdef __cplusplus
}
#endif
#endif
