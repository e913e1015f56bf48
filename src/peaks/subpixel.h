/* SPDX-License-Identifier: BSD-2-Clause */
/* Fits a quadratic surface to nine scores. include/exactncc/refine.h has the formulas. */
#ifndef XNCC_PEAKS_SUBPIXEL_H
#define XNCC_PEAKS_SUBPIXEL_H

/* The scores around a position: s[1 + dy][1 + dx]. NaN: there is none. */
typedef struct xncc_fit_scores {
    float s[3][3];
} xncc_fit_scores;

/* The peak of the surface. */
typedef struct xncc_fit {
    double dx, dy; /* its offset from the middle, in pixels, -1 .. 1 */
    double score;  /* its value; NaN if the middle has no score */
} xncc_fit;

/* smallest: 1 if small scores are good. */
xncc_fit xncc_fit_peak(const xncc_fit_scores *scores, int smallest);

#endif
