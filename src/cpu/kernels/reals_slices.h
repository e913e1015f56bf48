/* SPDX-License-Identifier: BSD-2-Clause */
/* Exact sums of products of all windows of a rectangle (reals.h), by slices.
 *
 * The products of two planes of slices (reals_planes.h), over all windows, come from transforms or
 * are direct, and are exact once they are rounded (reals_cut.h). Products of planes whose weights
 * have the same product are added, before they are transformed back. The exact sum of products of a
 * window is the sum of these integers times their weights (reals_digits.h). */
#ifndef XNCC_CPU_KERNELS_REALS_SLICES_H
#define XNCC_CPU_KERNELS_REALS_SLICES_H

#include "cpu/kernels/reals_run.h"

/* Writes the exact sums of products of all windows. Row y begins at out->digit + y * rows. Stops if
 * the call is cancelled. Returns 0 if they would not be exact, because the planes have more bits
 * than are sure to do. */
int xncc_reals_multiply(xncc_reals_run *r, const xncc_planes *image, const xncc_planes *templ,
                        const xncc_numbers *out, ptrdiff_t rows);

#endif
