/* SPDX-License-Identifier: BSD-2-Clause */
/* Rows of planes of slices. The samples of image and template are integers times a power of two.
 * Each is cut into slices of a few bits, digits of which every one is an integer of at most
 * 2^(bits - 1) in magnitude. A plane holds one slice of all samples. */
#ifndef XNCC_CPU_KERNELS_REALS_PLANES_H
#define XNCC_CPU_KERNELS_REALS_PLANES_H

#include "cpu/kernels/reals_run.h"

/* Slices that hold so many bits and a sign, of `bits` bits each. */
static inline int32_t xncc_slices_of(int of_bits, int bits)
{
    return (int32_t)(of_bits / bits + 1);
}

/* Writes row y of the planes, plane k to out + k * line, with line = r->m.stage.pitch.
 * Returns a bit for each row that is not all 0. Adds the sum of the squares of slices of samples to
 * square[k]. Uses r->m.line and r->m.digit_rows. */
uint64_t xncc_reals_read_planes(xncc_reals_run *r, const xncc_planes *planes, int32_t y,
                                double *out, double *square);

/* The same in steps, for planes of samples. The first function reads samples to r->m.line, and
 * returns how many there are. The second one cuts them into all slices, and the third one takes off
 * slice k alone, from the last one down, and adds its squares to *square. */
int32_t xncc_reals_read_samples(xncc_reals_run *r, const xncc_planes *planes, int32_t y);
uint64_t xncc_reals_slice_line(const xncc_reals_run *r, const xncc_planes *planes, int32_t width,
                               double *out, double *square);
int xncc_reals_take_slice(const xncc_reals_run *r, const xncc_planes *planes, int32_t k,
                          int32_t width, double *out, double *square);

/* Reads row j of a channel of the template to r->m.line. Where its pixels do not count, it has
 * zeros. */
void xncc_reals_read_templ_line(xncc_reals_run *r, int32_t channel, int32_t j);

/* Clears the memory that rows of so many planes are written to, of which each has zeros past its
 * end. */
void xncc_reals_clear_planes(xncc_reals_run *r, int32_t planes);

#endif
