/* SPDX-License-Identifier: BSD-2-Clause */
/* The device memory of a plan on CUDA (xncc_workspace). Pure functions of plain data. */
#ifndef XNCC_PLAN_WORKSPACE_CUDA_H
#define XNCC_PLAN_WORKSPACE_CUDA_H

#include "plan/decision.h"

/* Sums down the columns of an image of floats: the rows of windows of a strip, the columns of a
 * block, and the rows of a group. */
enum { XNCC_COLUMN_STRIP = 64, XNCC_COLUMN_BLOCK = 128, XNCC_COLUMN_GROUP = 32 };

/* Windows of floats in doubt: the most parts of windows that are summed by themselves, and the
 * bytes of their sums. */
enum { XNCC_DOUBT_PARTS = 256, XNCC_DOUBT_PART_BYTES = 64 };

/* The bytes of what kernels general and float-primes know of windows in doubt. */
enum { XNCC_PIXEL_DOUBTS = 512 };

/* Returns 1 if the plan has that, where windows can be in doubt. */
static inline int xncc_counts_pixel_doubts(const xncc_decision *decision)
{
    return xncc_decision_has(decision, XNCC_STEP_PIXELS) ||
           xncc_decision_has(decision, XNCC_STEP_PRIME_SUMS);
}

/* Fills the workspace of a decision for its steps, blocks and bands. */
void xncc_workspace_make(const xncc_problem *problem, xncc_decision *decision);

/* Fills decision->batch, and adds its memory to the workspace. limit: the most bytes of all. */
void xncc_batch_slots_make(const xncc_problem *problem, uint64_t limit, xncc_decision *decision);

#endif
