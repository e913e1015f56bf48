/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads a map of scores: where its peak is, and how far to trust it. include/exactncc/track.h has
 * the formulas. */
#ifndef XNCC_TRACK_MEASURE_H
#define XNCC_TRACK_MEASURE_H

#include "exactncc/track.h"
#include "peaks/reading.h"
#include "track/scan.h"

/* The scores of the windows of a search, NaN where there is none. */
typedef struct xncc_scored {
    const float *score; /* of window (0, 0) */
    ptrdiff_t pitch;    /* elements from one row to the next */
    int32_t width, height;
    float *row_best; /* `height` elements, for the best score of each row */
    const xncc_scan *scan;
} xncc_scored;

/* The side of the square of scores that a fit reads. */
enum { XNCC_READING_QUADRATIC = 3, XNCC_READING_OVERSAMPLED = 9 };
static inline int32_t xncc_reading_side(xncc_track_fit fit)
{
    return fit == XNCC_TRACK_OVERSAMPLED ? XNCC_READING_OVERSAMPLED : XNCC_READING_QUADRATIC;
}

/* Reads a map. Fills map->row_best. around: room for side x side scores, to which the reading then
 * points. */
void xncc_scored_read(const xncc_scored *map, int32_t side, float *around, xncc_reading *reading);

/* Fills the members of a displacement that follow from a reading with a best window: score, second,
 * ratio, snr, the curvature, the covariance if the method is normed, flags, and dx and dy as
 * fractions of a pixel from the best window. map: its extents. samples: the samples that count in
 * the best window. */
void xncc_reading_measure(const xncc_reading *reading, const xncc_extent *map,
                          const xncc_track_options *options, double samples, xncc_displacement *d);

#endif
