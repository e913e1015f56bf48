/* SPDX-License-Identifier: BSD-2-Clause */
/* Exact scores of windows under poses that lie on the grid or between its poses. */
#ifndef XNCC_POSE_SCORER_H
#define XNCC_POSE_SCORER_H

#include "pose/parts.h"
#include "pose/store.h"

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
