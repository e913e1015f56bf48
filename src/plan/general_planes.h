/* How the CUDA engine works a joint problem of integers: which planes of bytes it lays out, and
 * which sums it makes of them. A pure function of the problem, for the decision and for the engine.
 */
#ifndef XNCC_PLAN_GENERAL_PLANES_H
#define XNCC_PLAN_GENERAL_PLANES_H

#include "plan/recipe.h"

enum {
    XNCC_GENERAL_IMAGE_PLANES = 96,
    XNCC_GENERAL_TEMPL_PLANES = 96,
    XNCC_GENERAL_TERMS = 64,
    XNCC_GENERAL_STEPS = 256
};

/* A map-sized plane of sums: 2^shift times it belongs to the sum. Those of N, X, Q and T2 are of
 * all channels. */
typedef struct xncc_general_term {
    uint8_t sum, channel, shift; /* xncc_sum_id */
} xncc_general_term;

/* Makes a term, or adds to it. part: the template's plane, or XNCC_GENERAL_WINDOW for the sum over
 * the whole window. */
enum { XNCC_GENERAL_WINDOW = -1 };
typedef struct xncc_general_step {
    int16_t image, templ, term;
    uint8_t add;
    uint8_t square; /* windows: of the squares of the bytes */
} xncc_general_step;

typedef struct xncc_general_planes {
    xncc_sum_recipe needs;
    int32_t image_count, templ_count, term_count, step_count;
    int32_t products, windows; /* steps of either kind */
    int32_t wide;              /* 1: terms are of 64 bits; 0: of 32 */
    int32_t narrow_score;      /* 1: everything that general.h computes fits 63 bits */
    xncc_plane_of image[XNCC_GENERAL_IMAGE_PLANES], templ[XNCC_GENERAL_TEMPL_PLANES];
    xncc_general_term term[XNCC_GENERAL_TERMS];
    xncc_general_step step[XNCC_GENERAL_STEPS]; /* products first, those of one image plane
                                               together; then windows */
} xncc_general_planes;

/* adds: 1 where products can be added to what a term holds. 0 when there are more planes or sums
 * than the lists have room for; the text is the caller's. The problem is of the joint route, with
 * an integer pixel type. */
int xncc_general_planes_make(const xncc_problem *problem, int adds, xncc_general_planes *planes);

#endif
