/* SPDX-License-Identifier: BSD-2-Clause */
/* Exact scores of poses that were found without them. */
#ifndef XNCC_POSE_SETTLE_H
#define XNCC_POSE_SETTLE_H

#include "pose/job.h"

/* Moves a hit, whose pose is only about right, to the pose and window nearby with the best exact
 * score, and sets that score. */
xncc_status xncc_pose_settle(const xncc_pose_job *job, xncc_pose_hit *hit, xncc_error *error);

#endif
