/* SPDX-License-Identifier: BSD-2-Clause */
/* Exact sums of products of all windows of a rectangle (reals.h).
 *
 * The samples of image and template are integers times a power of two. Each is cut into slices of a
 * few bits, digits of which every one is an integer of at most 2^(bits - 1) in magnitude. A plane
 * holds one slice of all samples. The products of two planes, over all windows, come from the
 * kernel of products, and are exact once they are rounded. Products of planes whose weights have
 * the same product are added before they are transformed back. The exact sum of products of a
 * window is the sum of these integers times their weights (reals_digits.h).
 *
 * docs/numerics.md has the bounds. */
#ifndef XNCC_CPU_KERNELS_REALS_SLICES_H
#define XNCC_CPU_KERNELS_REALS_SLICES_H

#include "cpu/kernels/reals_run.h"

/* How a rectangle is cut. */
typedef struct xncc_cut {
    xncc_slicing image, templ;
    int bits, sure; /* per slice: as many as will probably do, and as many as do in any case */
    int32_t joined; /* 1: the last slice of the image, of few bits, is a part of the one before */
} xncc_cut;

/* Measures the samples and chooses the slices. Returns 0 if sums of products cannot be exact. */
int xncc_reals_cut(xncc_reals_run *r, xncc_cut *cut);

/* Slices that hold so many bits and a sign, of `bits` bits each. */
static inline int32_t xncc_slices_of(int of_bits, int bits)
{
    return (int32_t)(of_bits / bits + 1);
}

/* Writes row y of the planes, plane k to out + k * line, with line = r->m.stage.pitch.
 * Returns a bit for each row that is not all 0. Adds the sum of the squares of slices of samples to
 * *square, unless it is NULL. Uses r->m.line and r->m.digit_rows. */
uint64_t xncc_reals_read_planes(xncc_reals_run *r, const xncc_planes *planes, int32_t y,
                                double *out, double *square);

/* Reads row j of a channel of the template to r->m.line. Where its pixels do not count, it has
 * zeros. */
void xncc_reals_read_templ_line(xncc_reals_run *r, int32_t channel, int32_t j);

/* Clears the memory that rows of planes are written to, of which each has zeros past its end. */
void xncc_reals_clear_planes(xncc_reals_run *r);

/* Are sums of products of these planes exact once they are rounded, whatever the samples are? */
int xncc_reals_planes_fit(const xncc_reals_run *r, const xncc_planes *image,
                          const xncc_planes *templ);

/* Writes the exact sums of products of all windows. Row y begins at out->digit + y * rows. Stops if
 * the call is cancelled. Returns 0 if they would not be exact, because the planes have more bits
 * than are sure to do. */
int xncc_reals_multiply(xncc_reals_run *r, const xncc_planes *image, const xncc_planes *templ,
                        const xncc_numbers *out, ptrdiff_t rows);

#endif
