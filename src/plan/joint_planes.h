/* How the CUDA engine works a joint problem of integers: which planes of bytes it lays out, and
 * which sums it makes of them. A pure function of the problem, for the decision and for the engine.
 */
#ifndef XNCC_PLAN_JOINT_PLANES_H
#define XNCC_PLAN_JOINT_PLANES_H

#include "plan/products.h"

enum {
    XNCC_JOINT_IMAGE_PLANES = 96,
    XNCC_JOINT_PART_PLANES = 96,
    XNCC_JOINT_TERMS = 64,
    XNCC_JOINT_STEPS = 256
};

/* A map-sized plane of sums: 2^shift times it belongs to the sum. Those of N, X, Q and T2 are of
 * all channels. */
typedef struct xncc_joint_term {
    uint8_t sum, channel, shift; /* xncc_sum_id */
} xncc_joint_term;

/* Makes a term, or adds to it. part: the template's plane, or XNCC_JOINT_WINDOW for the sum over
 * the whole window. */
enum { XNCC_JOINT_WINDOW = -1 };
typedef struct xncc_joint_step {
    int16_t image, part, term;
    uint8_t add;
    uint8_t square; /* windows: of the squares of the bytes */
} xncc_joint_step;

typedef struct xncc_joint_planes {
    xncc_needs needs;
    int32_t image_count, part_count, term_count, step_count;
    int32_t products, windows; /* steps of either kind */
    int32_t wide;              /* 1: terms are of 64 bits; 0: of 32 */
    int32_t narrow_score;      /* 1: everything that joint.h computes fits 63 bits */
    xncc_plane_of image[XNCC_JOINT_IMAGE_PLANES], part[XNCC_JOINT_PART_PLANES];
    xncc_joint_term term[XNCC_JOINT_TERMS];
    xncc_joint_step step[XNCC_JOINT_STEPS]; /* products first, those of one image plane together;
                                               then windows */
} xncc_joint_planes;

/* adds: 1 where products can be added to what a term holds. 0 when there are more planes or sums
 * than the lists have room for; the text is the caller's. The problem is of the joint route, with
 * an integer pixel type. */
int xncc_joint_planes_make(const xncc_problem *problem, int adds, xncc_joint_planes *planes);

#endif
