/* SPDX-License-Identifier: BSD-2-Clause */
/* The poses of a template: the grid of its angles and scales. */
#ifndef XNCC_POSE_GRID_H
#define XNCC_POSE_GRID_H

#include "pose/resample.h"

/* first, first + step, ...: `count` values. */
typedef struct xncc_pose_axis {
    double first, step;
    int32_t count;
    int32_t circular; /* 1: the value after the last one is the first */
} xncc_pose_axis;

typedef struct xncc_pose_grid {
    xncc_pose_axis angle, scale;
} xncc_pose_grid;

/* A pose of a grid, and the window under it. */
typedef struct xncc_grid_pose {
    int32_t angle, scale; /* on the axes */
    int32_t x, y, width, height;
} xncc_grid_pose;

/* The largest number of poses of a template. */
enum { XNCC_MOST_POSES = 1000000 };

/* Checks the ranges, of which `options` may be any. Returns XNCC_OK or XNCC_ERROR_ARGUMENT. */
xncc_status xncc_pose_ranges_check(const xncc_pose_options *options, xncc_error *error);

/* Makes the grid of a template. The ranges are legal. Returns XNCC_OK, or XNCC_ERROR_UNSUPPORTED
 * for more than XNCC_MOST_POSES. */
xncc_status xncc_pose_grid_make(const xncc_pose_options *options, const xncc_pose_source *source,
                                xncc_pose_grid *grid, xncc_error *error);

/* The widest steps that move no point of the template by more than one pixel, in degrees and in
 * scale, for a largest scale. */
double xncc_pose_angle_step(const xncc_pose_source *source, double scale);
double xncc_pose_scale_step(const xncc_pose_source *source);

static inline double xncc_pose_value(const xncc_pose_axis *axis, int32_t i)
{
    return axis->first + i * axis->step;
}

/* The index that an axis has for i: itself, or one turn away; -1: none. */
static inline int32_t xncc_pose_index(const xncc_pose_axis *axis, int32_t i)
{
    if (axis->circular)
        return (i % axis->count + axis->count) % axis->count;
    return i >= 0 && i < axis->count ? i : -1;
}

#endif
