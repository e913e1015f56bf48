/* SPDX-License-Identifier: BSD-2-Clause */
/* The normalized median test (include/exactncc/track.h). */
#ifndef XNCC_TRACK_OUTLIERS_H
#define XNCC_TRACK_OUTLIERS_H

#include "track/neighbours.h"

/* The median of one component of 1 .. XNCC_MOST_NEIGHBOURS displacements, whose numbers are in
 * `near`: dx, or dy if `vertical` is 1. *spread receives the median distance from it, unless it is
 * NULL. */
double xncc_median_of(const xncc_displacement *found, const size_t *near, int32_t count,
                      int vertical, double *spread);

/* xncc_track_check with options that have been checked. */
xncc_status xncc_outliers_mark(const xncc_track_check_options *options, xncc_displacement *found,
                               size_t count, xncc_error *error);

#endif
