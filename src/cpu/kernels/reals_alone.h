/* SPDX-License-Identifier: BSD-2-Clause */
/* The exact score of single windows of a rectangle (reals.h), where all pixels of one channel
 * count: sums of integers in words (reals_words.h), which cost less than those of math/wide.h. */
#ifndef XNCC_CPU_KERNELS_REALS_ALONE_H
#define XNCC_CPU_KERNELS_REALS_ALONE_H

#include "cpu/kernels/reals_cut.h"
#include "cpu/kernels/reals_words.h"

/* The exact sums that the windows of a rectangle share, and those of the window in question. */
typedef struct xncc_alone {
    xncc_reals_run *r;
    xncc_cut cut;
    xncc_method method;
    int32_t known; /* 1: the members below are set; -1: the rectangle is not served */
    int words;     /* of sums of products, and of the terms of the formula; sums of samples fit half
                    */
    uint64_t T[XNCC_MOST_WORDS], T2[XNCC_MOST_WORDS];
    xncc_real templ; /* the template's term of the formula */
    uint64_t S[XNCC_MOST_WORDS], Q[XNCC_MOST_WORDS];
} xncc_alone;

/* Scores the window at column x of row y exactly, and returns 1; or returns 0 if the rectangle is
 * not served. t: zeros but for r; kept from window to window. */
int xncc_reals_settle_alone(xncc_alone *t, int32_t x, int32_t y, float *score);

#endif
