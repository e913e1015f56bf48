/* The sums of a joint problem of integers, and the products of byte planes that they are made of. Pure functions of plain data, which both
 * engines follow, so that a window's exact sums come from kernels that know nothing but one byte plane under another. */
#ifndef CM_PLAN_PRODUCTS_H
#define CM_PLAN_PRODUCTS_H

#include "plan/decide.h"

/* The sums of joint.h over the pixels that count. */
typedef enum cm_sum { CM_SUM_N, CM_SUM_S, CM_SUM_Q, CM_SUM_X, CM_SUM_T, CM_SUM_T2, CM_SUMS } cm_sum_id;

/* How a sum is had. */
typedef enum cm_had {
    CM_HAD_UNUSED,   /* the method does not ask for it */
    CM_HAD_CONSTANT, /* of the template alone, the same in every window */
    CM_HAD_WINDOW,   /* of the image alone: every pixel of the template counts, so it is a sum over the whole window */
    CM_HAD_PRODUCTS  /* of products */
} cm_had;
typedef struct cm_needs {
    cm_had sum[CM_SUMS];
} cm_needs;

/* For a problem of the joint route with an integer pixel type. */
cm_needs cm_needs_of(const cm_problem *problem);

/* A plane of bytes, of the image or of the template. Where a pixel does not count it is 0. */
typedef enum cm_plane {
    CM_PLANE_VALUE,  /* byte `digit` of the biased samples of a channel, 0 the lowest */
    CM_PLANE_SQUARE, /* byte `digit` of their squares */
    CM_PLANE_COUNT   /* 1 where a pixel counts */
} cm_plane;
typedef struct cm_plane_of {
    cm_plane kind;
    int32_t digit, channel; /* 0 where the kind has none */
} cm_plane_of;

/* The sum gets 2^shift times the product of the planes, as every window has it. */
typedef struct cm_product_of {
    cm_plane_of image, part;
    cm_sum_id sum;
    int32_t channel; /* of the sum */
    int32_t shift;
} cm_product_of;

/* Writes up to capacity products and returns how many there are: those of one image plane stand together. */
size_t cm_products_of(const cm_problem *problem, cm_product_of *product, size_t capacity);

/* The most that there can be: of u32, 4 * 4 for X, 4 for S and sumT, 8 for Q and sumT2, and one for n. */
enum { CM_MOST_PRODUCTS = 40 * CM_MAX_CHANNELS + 1 };

#endif
