/* The sums of a joint problem of integers, and the products of byte planes that they are made of.
 * Pure functions of plain data, which both engines follow, so that a window's exact sums come from
 * kernels that know nothing but one byte plane under another. */
#ifndef XNCC_PLAN_RECIPE_H
#define XNCC_PLAN_RECIPE_H

#include "plan/decide.h"

/* The sums of general.h over the pixels that count. */
typedef enum xncc_sum {
    XNCC_SUM_N,
    XNCC_SUM_S,
    XNCC_SUM_Q,
    XNCC_SUM_X,
    XNCC_SUM_T,
    XNCC_SUM_T2,
    XNCC_SUMS
} xncc_sum_id;

/* How a sum is had. */
typedef enum xncc_sum_source {
    XNCC_FROM_NOWHERE,  /* the method does not ask for it */
    XNCC_FROM_CONSTANT, /* of the template alone, the same in every window */
    XNCC_FROM_WINDOW, /* of the image alone: every pixel of the template counts, so it is a sum over
                        the whole window */
    XNCC_FROM_PRODUCTS /* of products */
} xncc_sum_source;
typedef struct xncc_sum_recipe {
    xncc_sum_source sum[XNCC_SUMS];
} xncc_sum_recipe;

/* For a problem of the joint route with an integer pixel type. */
xncc_sum_recipe xncc_sum_recipe_of(const xncc_problem *problem);

/* A plane of bytes, of the image or of the template. Where a pixel does not count it is 0. */
typedef enum xncc_plane {
    XNCC_PLANE_VALUE,  /* byte `digit` of the biased samples of a channel, 0 the lowest */
    XNCC_PLANE_SQUARE, /* byte `digit` of their squares */
    XNCC_PLANE_COUNT   /* 1 where a pixel counts */
} xncc_plane;
typedef struct xncc_plane_of {
    xncc_plane kind;
    int32_t digit, channel; /* 0 where the kind has none */
} xncc_plane_of;

/* The sum gets 2^shift times the product of the planes, as every window has it. */
typedef struct xncc_product_of {
    xncc_plane_of image, templ;
    xncc_sum_id sum;
    int32_t channel; /* of the sum */
    int32_t shift;
} xncc_product_of;

/* Writes up to capacity products and returns how many there are: those of one image plane stand
 * together. */
size_t xncc_products_of(const xncc_problem *problem, xncc_product_of *product, size_t capacity);

/* The most that there can be: of u32, 4 * 4 for X, 4 for S and sumT, 8 for Q and sumT2, and one for
 * n. */
enum { XNCC_MOST_PRODUCTS = 40 * XNCC_MAX_CHANNELS + 1 };

#endif
