/* SPDX-License-Identifier: BSD-2-Clause */
/* What follows from a problem alone: whether it is legal, the extents of its map, and the route by
 * which kernels serve it. Pure functions of plain data. */
#ifndef XNCC_PLAN_PROBLEM_H
#define XNCC_PLAN_PROBLEM_H

#include "base/error.h"
#include "exactncc/plan.h"

/* Checks that a problem is legal. Returns XNCC_OK, XNCC_ERROR_ARGUMENT, or XNCC_ERROR_UNSUPPORTED
 * for a kind of image or border that convolution does not take. The functions below require a legal
 * problem. */
xncc_status xncc_problem_check(const xncc_problem *problem, xncc_error *error);

/* The extents of the map. */
xncc_extent xncc_problem_extent(const xncc_problem *problem);

/* The elements of the map. */
static inline double xncc_problem_elements(const xncc_problem *problem)
{
    const xncc_extent map = xncc_problem_extent(problem);
    return (double)map.width * (double)map.height;
}

/* Returns 1 if the set of pixels that count can differ from window to window because of the image:
 * it has a mask or a no-data value, or windows leave it and its border does not count. */
int xncc_problem_image_varies(const xncc_problem *problem);

/* Returns 1 if only the edges of the image do that: a window has a rectangle of the template. */
int xncc_problem_image_clips(const xncc_problem *problem);

/* Returns 1 if all pixels of every window count. */
int xncc_problem_counts_all(const xncc_problem *problem);

/* Returns 1 if it has one channel, too. */
static inline int xncc_problem_is_single(const xncc_problem *problem)
{
    return problem->channels == 1 && xncc_problem_counts_all(problem);
}

/* How a problem is served by kernels that are made for plain problems. */
typedef enum xncc_route {
    /* As it is: u8, u16 or f32, one channel, all pixels count, and the clamp border or none. */
    XNCC_ROUTE_PLAIN,
    /* By the plain problem xncc_problem_inner, on the image laid out with its border. Signed
     * samples are biased. */
    XNCC_ROUTE_PADDED,
    /* By the score of math/general_score.h. Its sums are, for integers, exact sums of products of
     * byte planes, each a plain problem xncc_problem_inner. */
    XNCC_ROUTE_GENERAL
} xncc_route;
xncc_route xncc_problem_route(const xncc_problem *problem);

/* The plain problem, in mode XNCC_VALID, inside a padded one, or of one pair of byte planes of a
 * general one. Its image is the image with its border. A side of it can exceed XNCC_MAX_SIDE (it is
 * at most INT32_MAX); the inner problem is then not legal. */
xncc_problem xncc_problem_inner(const xncc_problem *problem);

/* The plain problem that a kernel computes: the problem itself if it is plain, else the one inside
 * it. */
xncc_problem xncc_problem_read(const xncc_problem *problem);

#endif
