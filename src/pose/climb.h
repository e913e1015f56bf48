/* SPDX-License-Identifier: BSD-2-Clause */
/* Candidates of a pyramid: each climbs to the best pose nearby, level by level. */
#ifndef XNCC_POSE_CLIMB_H
#define XNCC_POSE_CLIMB_H

#include "pose/levels.h"
#include "pose/store.h"

/* A pose on the grid of a level. */
typedef struct xncc_pose_candidate {
    double x, y;  /* the template's centre, in pixels of level 0 */
    double score; /* NCC on the level; negative if the contrast is reversed */
    xncc_grid_pose pose;
} xncc_pose_candidate;

/* A level of a template, with its poses. */
typedef struct xncc_pose_rung {
    const xncc_pose_job *job;
    const xncc_image *image; /* of the level */
    xncc_pose_store poses;   /* its offset is that of xncc_templ_levels */
    int32_t level;
    double size; /* of a pixel, in pixels of level 0 */
} xncc_pose_rung;

/* Sets x and y of a candidate from its window and the offset of its pose (store.h). */
void xncc_pose_rung_center(const xncc_pose_rung *rung, double offset_x, double offset_y,
                           xncc_pose_candidate *candidate);

/* The most moves of a candidate on a level. */
enum { XNCC_MOST_MOVES = 6 };

/* Moves each candidate, which stands on the grid of the level above, to the best pose of this level
 * nearby, by up to `moves` moves, 1 .. XNCC_MOST_MOVES. A candidate that has no window here gets
 * the score 0. */
xncc_status xncc_pose_climb(xncc_pose_rung *rung, const xncc_pose_grid *above, int moves,
                            xncc_pose_candidate *candidate, size_t count, xncc_error *error);

/* For tests. What candidates have tried since the last call, in all threads. */
typedef struct xncc_pose_work {
    uint64_t poses, pixels; /* pixels: of the template on the level of each pose */
} xncc_pose_work;
xncc_pose_work xncc_pose_tries(void);

#endif
