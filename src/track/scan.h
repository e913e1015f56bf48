/* SPDX-License-Identifier: BSD-2-Clause */
/* The loops over the rows of a map of scores (measure.h), compiled for several instruction sets.
 * The results do not depend on which. */
#ifndef XNCC_TRACK_SCAN_H
#define XNCC_TRACK_SCAN_H

#include "peaks/reading.h"

#include <stddef.h>
#include <stdint.h>

/* Columns first .. end - 1 of a row. NULL: there is no row above or below. */
typedef struct xncc_scan_row {
    const float *row, *above, *below;
    int32_t width, first, end;
} xncc_scan_row;

typedef struct xncc_scan {
    /* The largest score of a row, -INFINITY if it has none. */
    float (*best)(const float *row, int32_t width);
    /* Adds best - score for each element. finite: 1 says that all of them are, which is not
     * checked; 0: what is not finite is left out. The sums of finite elements are the same. */
    void (*add)(const float *row, int32_t width, double best, int finite, xncc_moments *m);
    /* Returns the best local maximum of some columns that is above `least`, or `least`. */
    float (*peak)(const xncc_scan_row *row, float least);
} xncc_scan;

extern const xncc_scan xncc_scan_portable, xncc_scan_avx2;

#endif
