/* SPDX-License-Identifier: BSD-2-Clause */
/* How the samples of a rectangle are cut into slices (reals_planes.h), so that sums of products of
 * planes are exact. docs/numerics.md has the bounds. */
#ifndef XNCC_CPU_KERNELS_REALS_CUT_H
#define XNCC_CPU_KERNELS_REALS_CUT_H

#include "cpu/kernels/reals_run.h"

typedef struct xncc_cut {
    xncc_slicing image, templ;
    int bits, sure;    /* per slice: as many as are used, and as many as do in any case */
    int32_t joined[2]; /* 1: the last slice of the image, [0], or template, [1], of hardly any bits,
                          is a part of the one before */
} xncc_cut;

/* Measures the samples and chooses slices that are sure to do. Returns 0 if sums of products cannot
 * be exact. */
int xncc_reals_cut(xncc_reals_run *r, xncc_cut *cut);

/* Chooses wider slices, of `most` bits or fewer, if there are fewer of them then, and they will
 * probably do; or else those that are sure to do. */
void xncc_reals_widen_slices(xncc_reals_run *r, xncc_cut *cut, int most);

/* Are sums of products of these planes exact once they are rounded, whatever the samples are? */
int xncc_reals_planes_fit(const xncc_reals_run *r, const xncc_planes *image,
                          const xncc_planes *templ);

/* At least the 2-norms of planes of the image, [0], and of the template, [1], and that of all
 * planes of the image in as many adjacent rows as the template has. */
typedef struct xncc_slice_norms {
    int32_t count[2];
    double of[2][XNCC_MOST_PLANES], band;
} xncc_slice_norms;

/* Are sums of products of such planes exact once they are rounded? */
int xncc_reals_slices_fit(const xncc_reals_run *r, const xncc_slice_norms *norms);

#endif
