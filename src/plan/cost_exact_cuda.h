/* SPDX-License-Identifier: BSD-2-Clause */
/* The exact sums of all windows of a band on CUDA, for floats of which many windows are in doubt:
 * blocks and memory. cuda/products/exact_sums.cu uses the same numbers. Pure
 * functions of plain data. */
#ifndef XNCC_PLAN_COST_EXACT_CUDA_H
#define XNCC_PLAN_COST_EXACT_CUDA_H

#include "plan/decision.h"
#include "plan/machine.h"

#include "base/error.h"
#include "base/host_device.h"

enum {
    /* The sides of the transforms are powers of two between these. */
    XNCC_EXACT_LEAST = 512,
    XNCC_EXACT_MOST = 2048,
    /* The largest side of a template, and the most rows of one whose columns have transforms of at
     * most half of XNCC_EXACT_MOST. */
    XNCC_EXACT_TEMPLATE = 1536,
    XNCC_EXACT_LOWER = 512,
    /* The most primes, and the powers of 2 that are known modulo each. */
    XNCC_EXACT_PRIMES = 24,
    XNCC_EXACT_POWERS = 352,
    /* Bytes of what is known of a call, and of a block; and of shared memory, of which every device
     * has as much. */
    XNCC_EXACT_STATE = 24576,
    XNCC_EXACT_BLOCK = 12,
    XNCC_EXACT_SHARED = 43136
};

/* Returns 1 if the device has compute capability 7.5 or later, for which the kernel is built. */
static inline int xncc_exact_serves(const xncc_machine *machine)
{
    return machine->cuda.major > 7 || (machine->cuda.major == 7 && machine->cuda.minor >= 5);
}

/* Nanoseconds of a window in doubt of so many samples that is settled by itself; measured on one
 * H200, November 2026. */
static inline double xncc_exact_alone_ns(double samples)
{
    return 10.0 + 0.014 * samples;
}

/* The same if it takes long integers (cuda/direct/settle_long.cu), since its numerator is 0 or
 * nearly so. */
static inline double xncc_exact_long_ns(double samples)
{
    return 15.0 + 0.035 * samples;
}

/* The same with masks or channels, and in small maps (cuda/direct/settle.cu). */
static inline double xncc_exact_hard_ns(double samples)
{
    return 100.0 + 0.2 * samples;
}

/* What decides which planes and sums a call has; all but `channels` are 0 or 1. */
typedef struct xncc_exact_planes {
    int32_t channels;
    int32_t centred, squares; /* the method; it has sums of squares */
    int32_t varies;           /* pixels of the image may not count */
    int32_t masked;           /* pixels of the template may not count */
} xncc_exact_planes;

/* Planes of the image whose spectra are kept: values, where a pixel counts and, unless they are
 * summed without a transform, squares. */
static XNCC_HD int32_t xncc_exact_spectra(const xncc_exact_planes *p)
{
    return p->channels + p->varies + (p->squares && p->masked);
}

/* Planes of the template: values, where a pixel counts, and squares. */
static XNCC_HD int32_t xncc_exact_templ_planes(const xncc_exact_planes *p)
{
    return p->channels + (p->masked && (p->centred || p->squares || p->varies)) +
           (p->varies && p->squares);
}

/* Sums of a window: X, S of each channel and Q; if pixels of the image do not count also N, T of
 * each channel and T2. */
static XNCC_HD int32_t xncc_exact_window_sums(const xncc_exact_planes *p, int32_t missing)
{
    const int32_t of_all = 1 + p->centred * p->channels + p->squares;
    return missing ? 2 * of_all : of_all;
}

/* Where the parts of the memory begin, in bytes. Behind them lies what is divided when the samples
 * are known: spectra of the template, and planes and sums of a batch of blocks. */
typedef struct xncc_exact_buffers {
    uint64_t turns;    /* factors of the transforms; what is known of a call is at 0 */
    uint64_t powers;   /* of 2 */
    uint64_t of_block; /* XNCC_EXACT_BLOCK for each block */
    uint64_t arena;
} xncc_exact_buffers;
xncc_exact_buffers xncc_exact_workspace(const xncc_exact_blocks *blocks);

/* Chooses blocks for bands of the decision, and fills decision->exact. There are none for bands
 * whose windows take little time one by one, for larger templates, for older devices, and where
 * `room` bytes of memory do not suffice. They take more than `budget` bytes only if one block does.
 * Kernel float-primes has blocks for bands of any size, unless tiles serve the template
 * (cuda/direct/small_exact.cu). */
void xncc_fit_exact(const xncc_problem *problem, const xncc_machine *machine, uint64_t budget,
                    uint64_t room, xncc_decision *decision);

/* Kernel float-primes, with the blocks that xncc_fit_exact has chosen: fills fit->estimate_ms for a
 * band. Returns XNCC_OK, or XNCC_ERROR_UNSUPPORTED if it needs blocks and has none. */
xncc_status xncc_fit_primes(const xncc_problem *problem, const xncc_machine *machine,
                            xncc_decision *fit, xncc_error *error);

#endif
