/* SPDX-License-Identifier: BSD-2-Clause */
/* Poses to fractions of a pixel and of a step. */
#ifndef XNCC_POSE_REFINE_H
#define XNCC_POSE_REFINE_H

#include "pose/job.h"

/* Turns `count` hits into matches, refined if the options ask for it. */
xncc_status xncc_pose_refine(const xncc_pose_job *job, const xncc_pose_hit *hit, size_t count,
                             xncc_pose_match *match, xncc_error *error);

#endif
