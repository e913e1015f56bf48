/* SPDX-License-Identifier: BSD-2-Clause */
/* Exact scores of windows under poses that lie on the grid or between its poses. A few large poses
 * are scored in parts, by all threads: each is made and scored in bands of rows, and is not kept.
 * Small poses keep the threads busy by their number. */
#ifndef XNCC_POSE_SCORER_H
#define XNCC_POSE_SCORER_H

#include "pose/job.h"
#include "pose/store.h"

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

/* A template whose poses are scored. */
typedef struct xncc_pose_scorer {
    const xncc_pose_job *job;
    const xncc_pose_source *source;
    xncc_pose_store *poses; /* of `source`, on the grid; NULL: there are no probes, or parts is 1 */
    xncc_running *running;  /* of the image, of the thread; NULL: there is none */
    int parts;              /* 1: poses are scored in parts, by all threads; there are probes */
} xncc_pose_scorer;

/* Scores the windows of up to XNCC_MOST_SPOTS spots. */
xncc_status xncc_pose_score_spots(const xncc_pose_scorer *scorer, const xncc_pose_spot *spot,
                                  size_t count, xncc_error *error);

#endif
