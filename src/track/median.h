/* SPDX-License-Identifier: BSD-2-Clause */
/* The median of a few numbers. */
#ifndef XNCC_TRACK_MEDIAN_H
#define XNCC_TRACK_MEDIAN_H

#include <stdint.h>

/* The median of at least one value; of an even number the mean of the two in the middle. Sorts the
 * values. */
double xncc_median(double *value, int32_t count);

#endif
