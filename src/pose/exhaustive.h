/* SPDX-License-Identifier: BSD-2-Clause */
/* The search of every pose at every position, on any engine. */
#ifndef XNCC_POSE_EXHAUSTIVE_H
#define XNCC_POSE_EXHAUSTIVE_H

#include "pose/job.h"

/* Adds the matches of all poses to job->hits. */
xncc_status xncc_pose_exhaustive(xncc_pose_job *job, xncc_error *error);

/* Is a GPU expected to search a small image sooner than so many threads? windows: poses times
 * pixels. */
int xncc_pose_gpu_is_faster(double windows, int32_t threads);

#endif
