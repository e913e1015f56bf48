/* SPDX-License-Identifier: BSD-2-Clause */
/* Tracking in several passes: each one predicts where the next one searches. */
#ifndef XNCC_API_TRACK_PASSES_H
#define XNCC_API_TRACK_PASSES_H

#include "api/track_pass.h"

/* Runs the coarse passes of a call, then that of the points. found: receives `count`
 * displacements. */
xncc_status xncc_track_run(const xncc_track_call *call, const xncc_track_point *point, size_t count,
                           xncc_displacement *found, xncc_error *error);

#endif
