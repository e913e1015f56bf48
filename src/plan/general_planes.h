/* SPDX-License-Identifier: BSD-2-Clause */
/* The recipe of a match of integers on CUDA: the byte planes of image and template, and the sums
 * that are made from them. A pure function of the problem. */
#ifndef XNCC_PLAN_GENERAL_PLANES_H
#define XNCC_PLAN_GENERAL_PLANES_H

#include "plan/recipe.h"

/* The room of the lists below. */
enum {
    XNCC_GENERAL_IMAGE_PLANES = 96,
    XNCC_GENERAL_TEMPL_PLANES = 96,
    XNCC_GENERAL_TERMS = 64,
    XNCC_GENERAL_STEPS = 256
};

/* A term: a plane of partial sums with the extents of the map. Times 2^shift it is added to the
 * sum. Terms of N, X, Q and T2 contain all channels, and their channel is 0. */
typedef struct xncc_general_term {
    uint8_t sum;     /* xncc_sum_id */
    uint8_t channel; /* the channel of the sum */
    uint8_t shift;   /* bits */
} xncc_general_term;

/* A step: a product of two planes, or a sum over whole windows of one, that goes into a term. */
enum { XNCC_GENERAL_WINDOW = -1 };
typedef struct xncc_general_step {
    int16_t image;  /* the index of the image plane */
    int16_t templ;  /* the index of the template plane; XNCC_GENERAL_WINDOW: a window sum */
    int16_t term;   /* the index of the term */
    uint8_t add;    /* 1: it is added to the term; 0: the term is set */
    uint8_t square; /* window sums: 1 for the sum of the squares of the bytes */
} xncc_general_step;

/* The planes, terms and steps of a problem. */
typedef struct xncc_general_planes {
    xncc_sum_recipe needs;
    int32_t image_count, templ_count, term_count, step_count; /* used elements of the arrays */
    int32_t products, windows; /* steps that are products, and steps that are window sums */
    int32_t terms_u64;         /* 1: terms have 64 bits; 0: 32 bits */
    int32_t score_fits_s63;    /* 1: all numbers of math/general_score.h fit 63 bits */
    xncc_plane_of image[XNCC_GENERAL_IMAGE_PLANES], templ[XNCC_GENERAL_TEMPL_PLANES];
    xncc_general_term term[XNCC_GENERAL_TERMS];
    xncc_general_step step[XNCC_GENERAL_STEPS]; /* products first, those with the same image plane
                                                   adjacent; then window sums */
} xncc_general_planes;

/* Fills *planes for a problem with an integer pixel type.
 *
 * - adds: 1 if the kernel can add a product to a term, 0 if it can only set a term.
 * - sums_windows: 1 if sums over whole windows become terms, 0 if the score pass makes them.
 *
 * Returns 1, or 0 if a list has too little room; the caller then writes the error text. */
int xncc_general_planes_make(const xncc_problem *problem, int adds, int sums_windows,
                             xncc_general_planes *planes);

/* Returns how many products from step `first` on, at most `most`, one launch can add: they go into
 * one term, and their image planes, which are in order, and their template planes are the same
 * distance apart. */
int32_t xncc_general_run(const xncc_general_planes *planes, int32_t first, int32_t most);

#endif
