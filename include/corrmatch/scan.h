/* corrmatch: finding in an image while its rows still arrive. SPDX-License-Identifier: BSD-2-Clause */
#ifndef CORRMATCH_SCAN_H
#define CORRMATCH_SCAN_H

#include "plan.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A cm_plan_find under way on an image that is filled from the top: by a decoder, a camera, a network. Each time more
 * rows are there, cm_scan_rows matches what they allow, so that matching and reading take about the larger of their two
 * times and not their sum.
 *
 *     cm_scan_create(plan, &image, part, NULL, 16, &scan);
 *     while ((rows = wait_for_more_rows()) < image.height)     another thread writes the rows
 *         cm_scan_rows(scan, rows);
 *     cm_scan_finish(scan, match, &found, NULL);
 *     cm_scan_destroy(scan);
 *
 * One thread at a time may use a scan. Meanwhile another thread may write the image's rows from the last number given
 * to cm_scan_rows on (0 before the first call): they are not read, until a later call says that they are final. The
 * caller sees to it that what was written is visible to the thread that says so, as a mutex, a condition or an atomic
 * does. */
typedef struct cm_scan cm_scan;

/* Begins a scan; no pixel of the image is read. options are those of cm_plan_find and may be NULL; capacity is how many
 * matches the array of cm_scan_finish will hold. The image's view is copied; plan, part and pixels must outlive the
 * scan. The plan's workspace belongs to the scan until cm_scan_destroy: any other use of the plan is CM_ERROR_ARGUMENT.
 * On success *scan is the caller's, to be given to cm_scan_destroy; on failure it is NULL. CM_ERROR_ARGUMENT,
 * CM_ERROR_MEMORY. */
CM_API cm_status cm_scan_create(cm_plan *plan, const cm_image *image, const cm_template *part,
                                const cm_find_options *options, size_t capacity, cm_scan **scan);

/* Says that the first `rows` rows of the image are final, and returns when the matching that this allows is done. That
 * may be nothing: a window needs all its rows, a handful of windows is not worth a start, and the CUDA engine begins
 * when all rows are there. Numbers below an earlier one change nothing. CM_ERROR_ARGUMENT when rows is not within 0 ..
 * the image's height, or the scan is finished; CM_ERROR_MEMORY. After CM_ERROR_MEMORY the scan is of no more use, and
 * its later calls return the same. */
CM_API cm_status cm_scan_rows(cm_scan *scan, int32_t rows);

/* Says that all rows are final, does the rest, and writes the matches: at most the scan's capacity into match, their
 * number into *found. They are those of cm_plan_find, bit for bit, however the rows came. match may be NULL when the
 * capacity is 0; stream is cm_plan_find's. Once for a scan. Errors as cm_plan_find; *found is 0 after a failure. */
CM_API cm_status cm_scan_finish(cm_scan *scan, cm_match *match, size_t *found, cm_stream stream);

/* Frees a scan, finished or not; the plan may be used again. NULL is allowed. */
CM_API void cm_scan_destroy(cm_scan *scan);

#ifdef __cplusplus
}
#endif
#endif
