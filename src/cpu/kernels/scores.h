/* SPDX-License-Identifier: BSD-2-Clause */
/* Turns the sums of a rectangle into scores, channel by channel and row by row (integers). */
#ifndef XNCC_CPU_KERNELS_SCORES_H
#define XNCC_CPU_KERNELS_SCORES_H

#include "cpu/kernels/isa_rows.h"
#include "cpu/kernels/kernel.h"

/* The sums of a template. */
typedef struct xncc_templ_sums {
    uint64_t T[XNCC_MAX_CHANNELS], T2[XNCC_MAX_CHANNELS];
} xncc_templ_sums;

/* A rectangle whose rows are scored, and its current channel. */
typedef struct xncc_scores {
    const xncc_isa_rows *isa;
    const xncc_job *job;
    const xncc_area *area;
    const xncc_templ_sums *templ;
    /* Sums that are stored, as planes of tile->stride elements per row. NULL: the sum is a
     * constant, or comes with the row, or is not needed. */
    uint64_t *sum[XNCC_SUMS];
    /* Planes of the totals of the windows, if there are several channels: terms, or numbers of 128
     * bits if the terms do not fit 63. */
    uint64_t *term[3];
    xncc_general *total;
    int32_t channel;
    uint64_t templ_term; /* the template's term, summed over the channels so far, modulo 2^64; used
                            if it is the same in every window */
} xncc_scores;

/* Begins a channel. Channels are added in their order. */
void xncc_scores_channel(xncc_scores *scores, int32_t channel);

/* Adds the current channel's row y of the rectangle from column x on. After the last channel,
 * writes the scores. */
void xncc_scores_row(const xncc_scores *scores, int32_t x, int32_t y, const xncc_row *row);

/* Writes the scores of windows whose count of pixels determines the score: those of XNCC_COVERAGE,
 * or of a rectangle without pixels that count (nothing is 1). */
void xncc_scores_from_counts(const xncc_scores *scores, int nothing);

#endif
