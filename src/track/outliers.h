/* SPDX-License-Identifier: BSD-2-Clause */
/* The normalized median test (include/exactncc/track.h). */
#ifndef XNCC_TRACK_OUTLIERS_H
#define XNCC_TRACK_OUTLIERS_H

#include "track/neighbours.h"

/* xncc_track_check with options that have been checked. */
xncc_status xncc_outliers_mark(const xncc_track_check_options *options, xncc_displacement *found,
                               size_t count, xncc_error *error);

#endif
