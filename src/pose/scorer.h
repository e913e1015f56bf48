/* SPDX-License-Identifier: BSD-2-Clause */
/* Exact scores of windows under poses that lie on the grid or between its poses. */
#ifndef XNCC_POSE_SCORER_H
#define XNCC_POSE_SCORER_H

#include "pose/job.h"
#include "pose/store.h"

/* A template whose poses are scored. */
typedef struct xncc_pose_scorer {
    const xncc_pose_job *job;
    const xncc_pose_source *source;
    xncc_pose_store *poses; /* of `source`, on the grid; NULL: there is none */
    xncc_running *running;  /* of the image, of the thread; NULL: there is none */
    int parts;              /* 1: poses are scored in parts, by all threads; there are probes */
} xncc_pose_scorer;

/* A template at a pose, and the windows under it that are asked for. */
typedef struct xncc_pose_spot {
    xncc_pose_place place;
    xncc_probe_block block;
    int32_t angle, scale;  /* on the grid; -1: it is not there */
    int32_t wider, higher; /* than the pose's own window */
    double *score;         /* receives the scores */
} xncc_pose_spot;

/* The scores of the windows of a block, of a pose at any place. */
xncc_status xncc_pose_score_windows(const xncc_pose_scorer *scorer, const xncc_pose_place *place,
                                    const xncc_probe_block *block, double *score,
                                    xncc_error *error);

/* Scores the windows of spots. */
xncc_status xncc_pose_score_spots(const xncc_pose_scorer *scorer, const xncc_pose_spot *spot,
                                  size_t count, xncc_error *error);

#endif
