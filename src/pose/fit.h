/* SPDX-License-Identifier: BSD-2-Clause */
/* The peak of a quadratic surface through scores on a grid of 3^d points. */
#ifndef XNCC_POSE_FIT_H
#define XNCC_POSE_FIT_H

enum { XNCC_FIT_AXES = 4, XNCC_FIT_POINTS = 81 };

typedef struct xncc_pose_fit {
    int found;
    double at[XNCC_FIT_AXES]; /* in steps from the middle point */
    double score;             /* the surface's value there */
} xncc_pose_fit;

/* score: 3^axes scores; axis k has the stride 3^k, and its steps are -1, 0 and 1. axes: 2 .. 4.
 * far: the scores two steps away from the middle point, at -2 and 2 on axis 0 and on axis 1; NaN
 * where there is none.
 *
 * The surface has the central differences of the scores as its derivatives at the middle point: of
 * fourth order along the first two axes, where both scores two steps away exist, otherwise of
 * second order. (Scores are steeper on one side of a peak than on the other; the second order would
 * move the peak.) Its peak is found if it is a maximum within one and a half steps on each axis, or
 * otherwise axis by axis. Nothing is found if a score that is needed is a NaN, or if the middle
 * point has no maximum along some axis. */
xncc_pose_fit xncc_pose_fit_peak(const double *score, const double far[2][2], int axes);

#endif
