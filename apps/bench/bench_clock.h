/* SPDX-License-Identifier: BSD-2-Clause */
/* Wall-clock time, and medians of times. */
#ifndef BENCH_CLOCK_H
#define BENCH_CLOCK_H

/* Milliseconds of a clock that never goes back. */
double bench_now_ms(void);

/* The median of `count` (at least 1) times, the larger of the middle two; reorders them. */
double bench_median(double *times, int count);

#endif
