/* SPDX-License-Identifier: BSD-2-Clause */
/* Where exactncc track tracks: a grid of points, or the points of a file, and the displacements
 * that are predicted for them. */
#ifndef TRACK_POINTS_H
#define TRACK_POINTS_H

#include "track_images.h"

typedef struct track_points {
    xncc_track_point *point;
    size_t count;
    app_size grid; /* points from left to right and from top to bottom; width 0: a list */
} track_points;

/* Makes the points. They are placed by the geo tags if both images have them. The caller frees
 * points->point. */
xncc_status track_points_make(const app_options *options, const track_images *images,
                              track_points *points, app_error *error);

#endif
