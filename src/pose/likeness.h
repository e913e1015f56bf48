/* SPDX-License-Identifier: BSD-2-Clause */
/* How much the poses of a grid that are beside each other have in common, level by level. */
#ifndef XNCC_POSE_LIKENESS_H
#define XNCC_POSE_LIKENESS_H

#include "pose/levels.h"

typedef struct xncc_pose_likeness {
    double value;    /* the NCC of a pose with the one half a step away on every axis */
    uint64_t pixels; /* of the pose that count */
} xncc_pose_likeness;

/* Measures the levels 1 .. count - 1 of a template of 8 bits, at the smallest scale of the grid of
 * each. Returns XNCC_OK or the statuses of xncc_pose_resample. */
xncc_status xncc_pose_likeness_of(const xncc_pose_job *job, const xncc_templ_levels *levels,
                                  const xncc_pose_grid *grid, int32_t count,
                                  xncc_pose_likeness *likeness, xncc_error *error);

#endif
