/* SPDX-License-Identifier: BSD-2-Clause */
/* The recipe of a general problem of integers: where each sum comes from, and the products of byte
 * planes that make it. Both engines follow it, so that the exact sums of a window come from kernels
 * that only correlate one byte plane with another. Pure functions of plain data. */
#ifndef XNCC_PLAN_RECIPE_H
#define XNCC_PLAN_RECIPE_H

#include "exactncc/plan.h"

/* The sums of math/general_score.h, over the pixels that count. */
typedef enum xncc_sum_id {
    XNCC_SUM_N,  /* n */
    XNCC_SUM_S,  /* sum of I, per channel */
    XNCC_SUM_Q,  /* sum of I^2 */
    XNCC_SUM_X,  /* sum of I*T */
    XNCC_SUM_T,  /* sum of T, per channel */
    XNCC_SUM_T2, /* sum of T^2 */
    XNCC_SUMS    /* the number of sums */
} xncc_sum_id;

/* Where a sum comes from. */
typedef enum xncc_sum_source {
    XNCC_FROM_NOWHERE,  /* the method does not need it */
    XNCC_FROM_CONSTANT, /* from the template alone: the same for every window */
    XNCC_FROM_WINDOW,   /* from the image alone: a sum over the whole window, because all pixels of
                           the template count */
    XNCC_FROM_PRODUCTS  /* from products of byte planes */
} xncc_sum_source;

/* The source of each sum, indexed by xncc_sum_id. */
typedef struct xncc_sum_recipe {
    xncc_sum_source sum[XNCC_SUMS];
} xncc_sum_recipe;

/* The sources for a problem of any pixel type. */
xncc_sum_recipe xncc_sum_recipe_of(const xncc_problem *problem);

/* Where a sum comes from in a part of the image. If all its pixels count, the sums that depend on
 * the template alone are constants. */
xncc_sum_source xncc_sum_source_in(const xncc_sum_recipe *recipe, xncc_sum_id sum, int all_count);

/* The kinds of byte planes of an image or template. Where a pixel does not count, a plane is 0. */
typedef enum xncc_plane {
    XNCC_PLANE_VALUE,  /* byte `digit` of the biased samples of a channel; 0 is the lowest */
    XNCC_PLANE_SQUARE, /* byte `digit` of the squares of these samples */
    XNCC_PLANE_COUNT   /* 1 where a pixel counts */
} xncc_plane;

/* One byte plane. digit and channel are 0 for kinds that have none. */
typedef struct xncc_plane_of {
    xncc_plane kind;
    int32_t digit, channel;
} xncc_plane_of;

/* A product: the correlation of an image plane with a template plane. Times 2^shift it is added to
 * the sum. */
typedef struct xncc_product_of {
    xncc_plane_of image, templ;
    xncc_sum_id sum;
    int32_t channel; /* the channel of the sum */
    int32_t shift;   /* bits */
} xncc_product_of;

/* Lists the products of a general problem with an integer pixel type. Products with the same image
 * plane are adjacent. product: receives up to `capacity` of them; may be NULL if capacity is 0.
 * Returns the number of products, which may exceed capacity. */
size_t xncc_products_of(const xncc_problem *problem, xncc_product_of *product, size_t capacity);

#endif
