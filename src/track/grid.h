/* SPDX-License-Identifier: BSD-2-Clause */
/* The chips of a coarse pass: the nodes of a grid that are needed, and the field that they give. */
#ifndef XNCC_TRACK_GRID_H
#define XNCC_TRACK_GRID_H

#include "base/error.h"
#include "exactncc/track.h"
#include "track/field.h"

typedef struct xncc_track_grid {
    /* What the caller sets. */
    const xncc_track_pass *pass;
    int32_t width, height; /* of image 1 */
    int32_t smooth;        /* 1: the field is smoothed at last */
    /* The rest is set by xncc_track_grid_make. */
    xncc_field field; /* the smallest part of the grid that has all nodes that are tracked */
    /* The nodes that are tracked, row by row, with the displacements that are predicted for them
     * and, once the grid is settled, those of the field before it is smoothed. */
    xncc_track_point *node;
    size_t *place; /* of the nodes in the field */
    size_t count;
} xncc_track_grid;

/* What a grid is needed for: interpolation within `reach` pixels, in x and y, of points. Points
 * that are not finite need nothing. */
typedef struct xncc_track_need {
    const xncc_track_point *point;
    size_t count;
    double reach[2];
} xncc_track_need;

/* Chooses the nodes that are needed, and with `smooth` those around them; where the chip is larger
 * than the image there are none. After a failure, too, xncc_track_grid_clear frees the memory. */
xncc_status xncc_track_grid_make(xncc_track_grid *grid, const xncc_track_need *need,
                                 xncc_error *error);
void xncc_track_grid_clear(xncc_track_grid *grid);

/* Predicts for each node what is predicted for the nearest of the points. */
xncc_status xncc_track_grid_predict(xncc_track_grid *grid, const xncc_track_point *point,
                                    size_t count, xncc_error *error);

/* Predicts displacements from the field of a settled grid. */
void xncc_track_grid_interpolate(const xncc_track_grid *grid, xncc_track_point *point,
                                 size_t count);

/* Makes the field of what was found at the nodes: outliers and missing displacements replaced, and
 * the median taken, as the pass says. Changes `found`. */
xncc_status xncc_track_grid_settle(xncc_track_grid *grid, xncc_displacement *found,
                                   xncc_error *error);

#endif
