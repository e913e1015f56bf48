/* SPDX-License-Identifier: BSD-2-Clause */
/* Rotated frames: their overlap, the order of matches at poses, and suppression. */
#ifndef XNCC_POSE_FRAMES_H
#define XNCC_POSE_FRAMES_H

#include "pose/grid.h"

/* A match on the grid of poses. */
typedef struct xncc_pose_hit {
    float score;
    int32_t templ;
    xncc_grid_pose pose;
} xncc_pose_hit;

/* A rectangle around a centre, turned counter-clockwise as seen. */
typedef struct xncc_pose_frame {
    double x, y, cos, sin, half_width, half_height;
} xncc_pose_frame;

/* What a template and its grid are, for the frames of its hits. */
typedef struct xncc_pose_subject {
    xncc_pose_source source;
    /* The pixels that count and are INSET pixels away from any that do not (find_poses.c), or
     * `source` if too few are. */
    xncc_pose_source inner;
    void *memory; /* of these pixels or of their mask, or NULL */
    xncc_pose_grid grid;
    float min_score; /* of its matches */
} xncc_pose_subject;

/* The area that two frames share, divided by that of their union. */
double xncc_pose_overlap(const xncc_pose_frame *a, const xncc_pose_frame *b);

/* Keeps at most `top` hits, which are in order: those that overlap no better one by more than the
 * limit. They move to the front. Returns XNCC_OK or XNCC_ERROR_MEMORY. */
xncc_status xncc_pose_suppress(const xncc_pose_subject *subject, xncc_pose_hit *hit, size_t count,
                               double limit, size_t top, size_t *kept, xncc_error *error);

#endif
