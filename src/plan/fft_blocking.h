/* SPDX-License-Identifier: BSD-2-Clause */
/* How the `fft` kernels of the CPU divide a map into blocks, why rounding makes their results
 * exact, and what the blocks cost. Pure functions.
 *
 * Why rounding gives the exact integer. A cyclic convolution of length N = 2^m is computed by
 * radix-2 transforms with unit roundoff u = 2^-53 and twiddle factors with an error of at most b.
 * No result is off by more than
 *
 *     ||x|| * ||y|| * ( (1+u)^(3m) * (1 + u*sqrt(5))^(3m+1) * (1+b)^(3m) - 1 )
 *
 * (Percival, "Rapid multiplication modulo the sum and difference of highly composite numbers",
 * 2003, theorem 5.1, with the constant of Brent, Percival and Zimmermann, "Error bounds on complex
 * floating-point multiplication", 2007). In two dimensions m is log2 of the number of points.
 * Larger radices do the same additions and fewer multiplications.
 *
 * - Twiddle factors are rounded from long double, so b <= u.
 * - While the bracket is below 2^-44, it is at most
 *   1.01 * u * (3m + sqrt(5) * (3m + 1) + 3m), which is below 13 * u * (m + 1).
 * - The twist of the rows (cpu/kernels/fft.h) is one more multiplication by a root in each of the
 *   three transforms: 3 * sqrt(5) + 3 more in the sum, which stays below 13 * (m + 1).
 * - Let c be the largest magnitude of a shifted pixel (128, or 32768), d that of a template digit
 *   (128), and n the pixels of the template. ||x|| <= sqrt(2N) * c, because a block has 2N pixels,
 *   and ||y|| <= sqrt(n) * d.
 * - A side of r = 3 or 5 times a power of two has one step of radix r. Its constants are rounded
 *   once and multiply sums and differences of two inputs. Its roundings, written out, change an
 *   output by at most 7.3 u (r = 3) or 14.6 u (r = 5) times the 2-norm of its inputs, below
 *   (r + 2) sqrt(r) u, which is so a bound of the step's relative error in the 2-norm. A
 *   multiplication by twiddle factors adds at most 2 sqrt(5) u. That is three times in all, for
 *   each such side.
 *
 * Blocks are used only if this bound is at most XNCC_FFT_MAX_ERROR, which is below the 1/2 that
 * could round to another integer. */
#ifndef XNCC_PLAN_FFT_BLOCKING_H
#define XNCC_PLAN_FFT_BLOCKING_H

#include "exactncc/plan.h"

/* The largest side of a transform. Sides are powers of two, or 3 or 5 times one, and multiples of
 * 64, the smallest. */
enum { XNCC_FFT_MAX_SIDE = 2048, XNCC_FFT_SIDES = 13 };
extern const int32_t xncc_fft_sides[XNCC_FFT_SIDES]; /* from the smallest to the largest */

/* Returns the odd factor of a side. */
static inline int32_t xncc_fft_odd(int32_t side)
{
    return side % 3 == 0 ? 3 : side % 5 == 0 ? 5 : 1;
}

/* The largest error bound of a result before it is rounded. */
#define XNCC_FFT_MAX_ERROR 0.45

/* The blocks of a problem. A row of a transform has 2 * nx pixels (cpu/kernels/fft.h). */
typedef struct xncc_fft_blocking {
    int32_t nx, ny;       /* points of a transform, horizontally and vertically */
    int32_t across, down; /* map elements of a block: at most 2 * nx - w + 1 and ny - h + 1 */
    int32_t planes;       /* template digits: 1 for u8, 2 for u16 */
    int32_t common;       /* 1: the whole map is one block, which all threads work on */
    double points; /* the cost of all transforms, in complex points times levels; includes the
                      work per pixel and per element */
} xncc_fft_blocking;

/* Chooses the cheapest blocks for a plain problem. Returns 1, or 0 if there are none that serve it;
 * *blocking is then unchanged. */
int xncc_fft_blocking_make(const xncc_problem *problem, xncc_fft_blocking *blocking);

/* The blocks of transforms of nx x ny points, two of xncc_fft_sides. Returns 1, or 0 if these
 * cannot serve the problem or cost `limit` or more; *blocking is then unchanged. */
int xncc_fft_blocking_of(const xncc_problem *problem, int32_t nx, int32_t ny, double limit,
                         xncc_fft_blocking *blocking);

/* The cheapest transforms that have room for one rectangle of windows of a problem of floats, which
 * takes one block: `points` is the cost of that. Returns 1, or 0 if there are none; *blocking is
 * then unchanged. */
int xncc_fft_blocking_of_rectangle(const xncc_problem *problem, int32_t columns, int32_t rows,
                                   xncc_fft_blocking *blocking);

/* Bounds of what the parts of a transform add to its error, in units of u (docs/numerics.md, "The
 * transforms of the CPU"): a multiplication by a root of one, whose parts were rounded, and one by
 * an eighth root; and the steps of radix 3 and 5, in a transform forward relative to the 2-norm, in
 * one back relative to the sum of the sizes of what they combine. */
#define XNCC_FFT_OF_ROOT 2.95
#define XNCC_FFT_OF_EIGHTH 2.62
#define XNCC_FFT_OF_3_FORWARD 3.6
#define XNCC_FFT_OF_3_BACK 4.2
#define XNCC_FFT_OF_5_FORWARD 6.5
#define XNCC_FFT_OF_5_BACK 7.2
/* The roundings of samples, template, scale and product, and of the scale alone. */
#define XNCC_FFT_OF_SAMPLES 8.24
#define XNCC_FFT_OF_SCALE 2.0
/* Of a point of a sum of products of pairs of planes (cpu/kernels/fft_weights.h), for each pair,
 * relative to the product of the sizes of its points: its own, and for each rounding of the sum
 * that it takes part in. */
#define XNCC_FFT_OF_PAIR 6.1
#define XNCC_FFT_OF_PAIR_ROUNDING 3.17

/* A bound for doubles, relative to ||x|| * ||y||: two transforms forward, one back, and the
 * roundings of the samples, of the template's doubles, of the scale and of the product. It counts
 * every level and every multiplication that the transforms have, and is derived in
 * docs/numerics.md, "The transforms of the CPU". */
double xncc_fft_real_error(const xncc_fft_blocking *blocking);

/* The part of it that transforms of rows have: relative to ||y|| times the norm of as many adjacent
 * rows of the block as the template has, those on which a result depends. */
double xncc_fft_rows_error(const xncc_fft_blocking *blocking);

#endif
