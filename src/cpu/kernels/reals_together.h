/* SPDX-License-Identifier: BSD-2-Clause */
/* The second evaluation of a rectangle, for many windows in doubt at once (reals.h): exact sums for
 * all its windows, in digits (reals_digits.h). Sums of products come from slices (reals_slices.h),
 * and so do sums over the pixels that count. Where all pixels count, sums of samples and of squares
 * slide over the rectangle. */
#ifndef XNCC_CPU_KERNELS_REALS_TOGETHER_H
#define XNCC_CPU_KERNELS_REALS_TOGETHER_H

#include "cpu/kernels/reals_run.h"

/* Scores the windows in doubt exactly. Returns 0, and does nothing, if the sums have more digits
 * than there is room for. */
int xncc_reals_settle_together(xncc_reals_run *r);

#endif
