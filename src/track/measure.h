/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads a map of scores: where its peak is, and how far to trust it. include/exactncc/track.h has
 * the formulas. */
#ifndef XNCC_TRACK_MEASURE_H
#define XNCC_TRACK_MEASURE_H

#include "exactncc/track.h"
#include "track/scan.h"

/* The scores of the windows of a search, NaN where there is none. */
typedef struct xncc_scored {
    const float *score; /* of window (0, 0) */
    ptrdiff_t pitch;    /* elements from one row to the next */
    int32_t width, height;
    float *row_best; /* `height` elements, for the best score of each row */
    const xncc_scan *scan;
} xncc_scored;

/* The best window of a search. Fills map->row_best. Returns 1, or 0 if no window has a score. */
int xncc_scored_best(const xncc_scored *map, int32_t *x, int32_t *y);

/* Call it after xncc_scored_best. Fills the members of a displacement that follow from the scores
 * around the best window (x, y): score, second, ratio, snr, the curvature, the covariance if
 * `normed`, flags, and dx and dy as fractions of a pixel from the best window. samples: the samples
 * that count in it. */
void xncc_scored_measure(const xncc_scored *map, int32_t x, int32_t y,
                         const xncc_track_options *options, double samples, xncc_displacement *d);

#endif
