/* SPDX-License-Identifier: BSD-2-Clause */
/* Exact sums of direct products modulo primes (reals_moduli.h), of samples of many bits: one
 * product per prime takes the place of one per pair of planes of slices (reals_slices.h). */
#ifndef XNCC_CPU_KERNELS_REALS_RESIDUES_H
#define XNCC_CPU_KERNELS_REALS_RESIDUES_H

#include "cpu/kernels/reals_run.h"

/* Multiplies the samples that these planes are cut from, as xncc_reals_multiply does. Returns 0,
 * and writes nothing, if that is not possible or takes longer than products of the planes. */
int xncc_reals_multiply_residues(xncc_reals_run *r, const xncc_planes *image,
                                 const xncc_planes *templ, const xncc_numbers *out, ptrdiff_t rows);

#endif
