/* SPDX-License-Identifier: BSD-2-Clause */
/* Scores of windows under a few large poses, by all threads: each pose is made and scored in bands
 * of rows, and is not kept. Small poses keep the threads busy by their number. */
#ifndef XNCC_POSE_PARTS_H
#define XNCC_POSE_PARTS_H

#include "pose/job.h"

/* A template at a pose, and the windows under it that are asked for. */
typedef struct xncc_pose_spot {
    xncc_pose_place place;
    xncc_probe_block block;
    int32_t angle, scale;  /* on the grid; -1: it is not there */
    int32_t wider, higher; /* than the pose's own window */
    double *score;         /* receives the scores */
} xncc_pose_spot;

/* The most spots that are scored at a time. */
enum { XNCC_MOST_SPOTS = 32 };

/* Are so many poses of a source at a time better scored in parts than one per thread? */
int xncc_pose_wants_parts(const xncc_pose_job *job, const xncc_pose_source *source, size_t count);

/* Computes the scores of up to XNCC_MOST_SPOTS spots of a source by their places, with the bits of
 * xncc_pose_probe_scores. Must not be called from a task of the pool. Returns XNCC_OK,
 * XNCC_ERROR_CANCELLED or the statuses of xncc_pose_resample. */
xncc_status xncc_pose_score_parts(const xncc_pose_job *job, const xncc_pose_source *source,
                                  const xncc_image *image, const xncc_pose_spot *spot, size_t count,
                                  xncc_error *error);

#endif
