/* SPDX-License-Identifier: BSD-2-Clause */
/* The search of every pose at every position, on any engine. */
#ifndef XNCC_POSE_EXHAUSTIVE_H
#define XNCC_POSE_EXHAUSTIVE_H

#include "pose/job.h"

/* Adds the matches of all poses to job->hits. */
xncc_status xncc_pose_exhaustive(xncc_pose_job *job, xncc_error *error);

#endif
