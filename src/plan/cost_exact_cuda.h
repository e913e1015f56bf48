/* SPDX-License-Identifier: BSD-2-Clause */
/* The exact sums of all windows of a band on CUDA, for floats of which many windows are in doubt:
 * blocks, widths of slices and memory. cuda/products/exact_sums.cu uses the same numbers. Pure
 * functions of plain data. */
#ifndef XNCC_PLAN_COST_EXACT_CUDA_H
#define XNCC_PLAN_COST_EXACT_CUDA_H

#include "plan/decision.h"
#include "plan/machine.h"

enum {
    /* The sides of the transforms are powers of two between these. */
    XNCC_EXACT_LEAST = 512,
    XNCC_EXACT_MOST = 2048,
    /* The largest side of a template, and of one that has transforms of at most half of
     * XNCC_EXACT_MOST with masks or channels. */
    XNCC_EXACT_TEMPLATE = 1536,
    XNCC_EXACT_SMALLER = 640,
    /* Bytes of what is known of a call, of a block and of a step; and the most steps. */
    XNCC_EXACT_STATE = 16384,
    XNCC_EXACT_FLAGS = 16,
    XNCC_EXACT_STEP = 160,
    XNCC_EXACT_STEPS = 2048,
    /* The most words of 32 bits that an argument of the formula has, and slices of a sample. */
    XNCC_EXACT_WORDS = 20,
    XNCC_EXACT_SLICES = 31,
    /* The most pairs of slices whose products are added up before they are transformed back, of one
     * channel of which all pixels count, and of others. */
    XNCC_EXACT_KEPT = 3,
    XNCC_EXACT_KEPT_OF_SUMS = 6
};

/* Nanoseconds of a window in doubt of so many samples that is settled by itself; measured on one
 * H200, November 2026. */
static inline double xncc_exact_alone_ns(double samples)
{
    return 10.0 + 0.014 * samples;
}

/* The same with masks or channels, if its numerator is 0: it takes long integers of any size, 830
 * ns under 24 x 24 pixels, most of it by one thread at the end. What a sample adds was not
 * measured. */
static inline double xncc_exact_hard_ns(double samples)
{
    return 800.0 + 0.1 * samples;
}

/* Where the parts of the memory begin, in bytes. Behind them lies what is divided when the samples
 * are known: transforms and sums of a batch of blocks, and spectra of the template. */
typedef struct xncc_exact_buffers {
    uint64_t turns; /* factors of the transforms, of every side; what is known of a call is at 0 */
    uint64_t steps;
    uint64_t of_block; /* XNCC_EXACT_FLAGS for each block */
    uint64_t arena;
    uint64_t transform, spectrum; /* bytes of a transform along the rows, and of a whole one */
} xncc_exact_buffers;
xncc_exact_buffers xncc_exact_workspace(const xncc_exact_blocks *blocks);

/* Chooses blocks for bands of the decision, and fills decision->exact. There are none for bands
 * whose windows take little time one by one, for larger templates, and where `room` bytes of memory
 * or the shared memory do not suffice. They take more than `budget` bytes only if one block does.
 */
void xncc_fit_exact(const xncc_problem *problem, const xncc_machine *machine, uint64_t budget,
                    uint64_t room, xncc_decision *decision);

#endif
