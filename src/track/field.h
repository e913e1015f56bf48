/* SPDX-License-Identifier: BSD-2-Clause */
/* A field of displacements: values at the nodes of a grid, and cubic convolution between them. */
#ifndef XNCC_TRACK_FIELD_H
#define XNCC_TRACK_FIELD_H

#include <stdint.h>

/* The nodes along an axis: at first, first + step, ... */
typedef struct xncc_field_axis {
    double first;
    int32_t step, nodes; /* at least 1 */
} xncc_field_axis;

typedef struct xncc_field {
    xncc_field_axis x, y;
    double *dx, *dy; /* of the nodes, row by row */
} xncc_field;

/* The nodes that a place along an axis is interpolated from, and their weights. */
typedef struct xncc_field_taps {
    int32_t first, count;
    double weight[4];
} xncc_field_taps;

/* Cubic convolution (Keys, 1981). Nodes beyond the ends continue the line through the last two, or
 * are as the only one. A place more than a step beyond an end is moved there. */
xncc_field_taps xncc_field_taps_at(const xncc_field_axis *axis, double place);

/* Smooths the values of the nodes, per axis by a parabola through five of them (Savitzky and Golay,
 * 1964), first in x, then in y. line: memory for the larger number of nodes of both axes. */
void xncc_field_smooth(xncc_field *field, double *line);

/* The displacement at a place. */
void xncc_field_at(const xncc_field *field, double x, double y, double *dx, double *dy);

#endif
