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

/* Scores the windows in doubt exactly. Returns 0, and does nothing, if xncc_reals_cut does. */
int xncc_reals_settle_together(xncc_reals_run *r);

#endif
