/* SPDX-License-Identifier: BSD-2-Clause */
/* The second evaluation of a rectangle, for many windows in doubt at once (reals.h): exact sums for
 * all its windows.
 *
 * The samples of image and template are integers times a power of two. Each is cut into slices of a
 * few bits, digits of which every one is an integer of at most 2^(bits - 1) in magnitude. The
 * products of two slices, over all windows, come from the kernel of products, and are exact once
 * they are rounded. Products of slices whose weights have the same product are added before they
 * are transformed back. The exact sum of products of a window is the sum of these integers times
 * their weights, in words of 64 bits.
 *
 * docs/numerics.md has the bounds. */
#ifndef XNCC_CPU_KERNELS_REALS_SLICES_H
#define XNCC_CPU_KERNELS_REALS_SLICES_H

#include "cpu/kernels/reals_run.h"
#include "cpu/kernels/reals_words.h"

/* How the samples of one operand are cut. */
typedef struct xncc_slicing {
    double unit;  /* all samples are multiples of it, a power of two */
    int exponent; /* its logarithm */
    int bits;     /* of the largest sample, in units */
    int count;    /* slices */
} xncc_slicing;

/* How a rectangle is cut, and what its sums need. */
typedef struct xncc_cut {
    xncc_slicing image, templ;
    int bits;  /* per slice */
    int words; /* of sums of products, and of the terms of the formula; sums of samples fit half */
} xncc_cut;

/* Chooses the slices. Returns 0 if the sums have more bits than the memory has room for. */
int xncc_reals_cut(xncc_reals_run *r, xncc_cut *cut);

/* Writes the exact sums of products of all windows, cut->words words each, to r->m.words. Stops if
 * the call is cancelled. */
void xncc_reals_multiply_slices(xncc_reals_run *r, const xncc_cut *cut);

/* The exact sums that the windows of a rectangle share, and those of the window in question. */
typedef struct xncc_together {
    xncc_reals_run *r;
    xncc_cut cut;
    xncc_method method;
    int32_t known; /* 1: the members below are set; -1: xncc_reals_cut does not serve them */
    uint64_t T[XNCC_MOST_WORDS], T2[XNCC_MOST_WORDS];
    xncc_real templ; /* the template's term of the formula */
    uint64_t S[XNCC_MOST_WORDS], Q[XNCC_MOST_WORDS];
} xncc_together;

/* Scores the window at column x of row y exactly, and returns 1; or returns 0 if xncc_reals_cut
 * does. t: zeros but for r; kept from window to window. */
int xncc_reals_settle_alone(xncc_together *t, int32_t x, int32_t y, float *score);

/* Scores the windows in doubt exactly. Returns 0, and does nothing, if xncc_reals_cut does. */
int xncc_reals_settle_together(xncc_reals_run *r);

#endif
