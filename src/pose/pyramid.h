/* SPDX-License-Identifier: BSD-2-Clause */
/* The search from coarse to fine. */
#ifndef XNCC_POSE_PYRAMID_H
#define XNCC_POSE_PYRAMID_H

#include "pose/job.h"

/* Adds to job->hits the matches to which the coarse levels lead. The image is in host memory,
 * without a mask. *served: 0 if that cannot be done because a float is not finite; there are then
 * no hits. */
xncc_status xncc_pose_pyramid(xncc_pose_job *job, int *served, xncc_error *error);

#endif
