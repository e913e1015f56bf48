/* SPDX-License-Identifier: BSD-2-Clause */
/* Kernel float-split on CUDA as the decision sees it: blocks, memory, error bound and cost.
 * cuda/products/float_split.cu uses the same numbers. Pure functions of plain data. */
#ifndef XNCC_PLAN_COST_SPLIT_CUDA_H
#define XNCC_PLAN_COST_SPLIT_CUDA_H

#include "base/error.h"
#include "plan/decision.h"
#include "plan/machine.h"

/* The sides of its transforms are powers of two between these; the largest side of a template; the
 * shared memory of a thread block; the points of all lines of a thread block that transforms rows,
 * half of what one that transforms columns has; adjacent columns that are stored together; the most
 * levels of windows whose products are made again, and the bytes of what is known of them. */
enum {
    XNCC_SPLIT_LEAST = 512,
    XNCC_SPLIT_MOST = 4096,
    XNCC_SPLIT_TEMPLATE = 1024,
    XNCC_SPLIT_SHARED = 160 << 10,
    XNCC_SPLIT_POINTS = 4096,
    XNCC_SPLIT_GROUP = 4,
    XNCC_SPLIT_LEVELS = 14,
    XNCC_SPLIT_LEVELS_BYTES = 5376
};

/* What the transforms of blocks leave to choose on the device. */
typedef struct xncc_split {
    double relative; /* the error of a result, relative to the norms of what is transformed */
    double unit;     /* of the template's leading parts, relative to the root of its mean square */
    int32_t bits;    /* the rest is multiplied by 2 to this power */
} xncc_split;
xncc_split xncc_split_make(const xncc_fft_blocks *blocks);

/* The bound of X's error that is relative to the samples of the window, in units of 2^-53. */
#define XNCC_SPLIT_OWN 3.1

/* The kernel's buffers, in bytes. */
typedef struct xncc_split_buffers {
    uint64_t data;     /* a batch of transforms */
    uint64_t other;    /* for several products together, as much, or a batch of spectra */
    uint64_t spectrum; /* of a template */
    uint64_t turns;    /* factors of the transforms, of every side */
    uint64_t bounds;   /* constants, some doubles per block, and the template in double */
    uint64_t total;    /* the sum */
} xncc_split_buffers;
xncc_split_buffers xncc_split_workspace(const xncc_fft_blocks *blocks);

/* As xncc_fit_fft_cuda. */
xncc_status xncc_fit_float_split(const xncc_problem *problem, const xncc_machine *machine,
                                 uint64_t budget, xncc_decision *fit, xncc_error *error);

/* Kernels float-fft and float-tiles: chooses blocks for X by levels
 * (cuda/products/split_levels.cu), fit->levels, which take turns with the exact sums in their
 * memory. There are none where there are no exact sums, for larger templates, and where `budget`
 * bytes do not suffice. */
void xncc_fit_levels(const xncc_problem *problem, const xncc_machine *machine, uint64_t budget,
                     xncc_decision *fit);

#endif
