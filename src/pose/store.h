/* SPDX-License-Identifier: BSD-2-Clause */
/* Poses of a grid that many candidates ask for: each is made when it is first needed, and shared.
 */
#ifndef XNCC_POSE_STORE_H
#define XNCC_POSE_STORE_H

#include "pose/grid.h"
#include "pose/probe.h"

#include <stdatomic.h>

/* A template of 8 bits at a pose. */
typedef struct xncc_stored_pose {
    xncc_pose_probe probe;
    double offset_x, offset_y; /* of the store, turned and scaled */
    int shared;                /* 1: the store keeps it */
} xncc_stored_pose;

typedef struct xncc_pose_store {
    xncc_pose_source source;
    xncc_pose_grid grid;
    double offset_x, offset_y; /* from the centre of the source to a point of interest */
    int32_t
        parities; /* 1: poses in their own windows; 4: also in those one pixel wider or higher */
    _Atomic(xncc_stored_pose *) *slot; /* NULL: the pose has not been made. Written once */
    _Atomic(uint64_t) bytes;           /* of the poses that are kept */
} xncc_pose_store;

/* Allocates the slots, and source.quads where they help; the members above the slots are set.
 * xncc_pose_store_clear must follow in any case. Returns XNCC_OK or XNCC_ERROR_MEMORY. */
xncc_status xncc_pose_store_open(xncc_pose_store *store, xncc_error *error);
void xncc_pose_store_clear(xncc_pose_store *store);

/* The offset at a pose of the grid. */
void xncc_pose_store_offset(const xncc_pose_store *store, int32_t angle, int32_t scale, double *x,
                            double *y);

/* Returns the pose with these indices of angle and scale. wider, higher: 0 or 1, what is added to
 * the sides of its window; 0 if there is one parity. xncc_pose_store_give must follow. Any thread
 * may call both. */
xncc_status xncc_pose_store_take(xncc_pose_store *store, int32_t angle, int32_t scale,
                                 int32_t wider, int32_t higher, const xncc_stored_pose **pose,
                                 xncc_error *error);
void xncc_pose_store_give(const xncc_stored_pose *pose);

#endif
