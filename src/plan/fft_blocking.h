/* How the `fft` kernels of the CPU cut a map into blocks, why their rounding is exact, and what a
 * cut costs. Pure functions.
 *
 * Why rounding gives the exact integer. For a cyclic convolution of length N = 2^m by radix-2
 * transforms in precision u = 2^-53 with twiddles off by at most b, no result is off by more than
 *     ||x|| * ||y|| * ( (1+u)^(3m) * (1 + u*sqrt(5))^(3m+1) * (1+b)^(3m) - 1 )
 * (Percival, "Rapid multiplication modulo the sum and difference of highly composite numbers",
 * 2003, theorem 5.1, with the constant of Brent, Percival and Zimmermann, "Error bounds on complex
 * floating-point multiplication", 2007). Two dimensions have m = log2 of the number of points.
 * Larger radices do the same additions and fewer multiplications. Twiddles are rounded from long
 * double, so b <= u. Below 2^-44 the bracket is at most 1.01 * u * (3m + sqrt(5) * (3m + 1) + 3m) <
 * 13 * u * (m + 1). With c the largest size of a shifted pixel (128, or 32768) and d that of a
 * template digit (128), ||x|| <= sqrt(2N) * c for the two blocks together and ||y|| <= sqrt(n) * d.
 * xncc_fft_error returns the bound; cuts are made only where it is at most XNCC_FFT_MOST_ERROR,
 * below the 1/2 that would send a result to another integer. */
#ifndef XNCC_PLAN_FFT_BLOCKING_H
#define XNCC_PLAN_FFT_BLOCKING_H

#include "exactncc/plan.h"

/* Sides of a block, powers of two. */
enum { XNCC_FFT_LEAST = 64, XNCC_FFT_MOST = 2048 };

#define XNCC_FFT_MOST_ERROR 0.45

/* The blocks of a problem. */
typedef struct xncc_fft_blocking {
    int32_t nx, ny;       /* transform */
    int32_t across, down; /* results of one block: at most nx - w + 1, ny - h + 1; blocks go in
                             pairs side by side */
    int32_t planes;       /* template digits: 1 (u8), 2 (u16) */
    double points; /* complex points of all pairs' transforms, times what a point costs (1 a level,
                      with the ends) */
} xncc_fft_blocking;

/* 0 when no block serves the problem. */
int xncc_fft_blocking_make(const xncc_problem *problem, xncc_fft_blocking *cut);

/* The bound above for n template pixels. */
double xncc_fft_error(const xncc_fft_blocking *cut, xncc_pixel pixel, double n);

#endif
