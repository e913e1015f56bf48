/* SPDX-License-Identifier: BSD-2-Clause */
/* Poses to fractions of a pixel and of a step. */
#ifndef XNCC_POSE_REFINE_H
#define XNCC_POSE_REFINE_H

#include "pose/job.h"

/* Sets subject->inner. *memory: NULL; receives memory for it, which the caller frees. Returns
 * XNCC_OK or XNCC_ERROR_MEMORY. */
xncc_status xncc_pose_inner_make(xncc_pose_subject *subject, void **memory, xncc_error *error);

/* Turns `count` hits into matches, refined if the options ask for it. */
xncc_status xncc_pose_refine(const xncc_pose_job *job, const xncc_pose_hit *hit, size_t count,
                             xncc_pose_match *match, xncc_error *error);

/* Moves a hit, whose pose is only about right, to the pose and window nearby with the best exact
 * score, and sets that score. */
xncc_status xncc_pose_settle(const xncc_pose_job *job, xncc_pose_hit *hit, xncc_error *error);

#endif
