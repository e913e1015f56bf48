/* SPDX-License-Identifier: BSD-2-Clause */
/* What tracking reads of a map of scores. */
#ifndef XNCC_PEAKS_READING_H
#define XNCC_PEAKS_READING_H

#include <stdint.h>

/* How many scores there are, and the sums of the differences from a score and of their squares. The
 * order of the additions is that of track/scan_body.h, so that all engines have the same bits. */
typedef struct xncc_moments {
    double n, sum, squares;
} xncc_moments;

typedef struct xncc_reading {
    int32_t x, y;        /* the best window; x is -1 if no window has a score */
    int32_t side;        /* 3 or 9 */
    const float *around; /* side x side scores, of which the best one is in the middle; NaN where
                            there is none */
    float second;        /* the best of the other local maxima; -infinity if there is none */
    xncc_moments far;    /* of the scores that are more than 2 elements from the best one in x or
                            in y, and of their differences from it; what is not finite is left out */
} xncc_reading;

#endif
