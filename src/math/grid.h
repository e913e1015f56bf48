/* SPDX-License-Identifier: BSD-2-Clause */
/* The grid of some samples: the largest power of two that all of them are multiples of, and how
 * large they are. Where a grid is coarse enough, sums in pairs of doubles are exact (math/near.h).
 * Compiled for the host and for the device. */
#ifndef XNCC_MATH_GRID_H
#define XNCC_MATH_GRID_H

#include "math/wide.h"

/* Samples are multiples of 2^unit and below 2^top, both counted from the smallest double. */
typedef struct xncc_grid {
    int32_t unit, top;
} xncc_grid;

/* The grid of no sample. */
static XNCC_HD xncc_grid xncc_grid_empty(void)
{
    const xncc_grid g = { INT32_MAX, 0 };
    return g;
}

static XNCC_HD xncc_grid xncc_grid_join(xncc_grid a, xncc_grid b)
{
    const xncc_grid g = { a.unit < b.unit ? a.unit : b.unit, a.top < b.top ? b.top : a.top };
    return g;
}

/* Adds a finite sample; 0 is on every grid. */
static XNCC_HD void xncc_grid_add(xncc_grid *g, double v)
{
    const xncc_wide_part p = xncc_wide_part_of(v);
    if (p.mantissa == 0)
        return;
#if defined(__CUDA_ARCH__)
    const int32_t zeros = __ffsll((long long)p.mantissa) - 1;
#else
    int32_t zeros = 0;
    while (!(p.mantissa >> zeros & 1))
        zeros++;
#endif
    const xncc_grid of = { p.place + zeros, p.place + 53 };
    *g = xncc_grid_join(*g, of);
}

/* Are sums of n of these samples, and of their products, exact in pairs of doubles, as well as the
 * terms of the formula? With samples of at most 51 - log2(n) bits, n * X and S * S have at most
 * 102. Sizes within 2^-400 .. 2^400 keep products from underflow and overflow. */
static XNCC_HD int xncc_grid_is_exact(xncc_grid g, double n)
{
    int32_t bits = 51;
    for (double k = 1.0; k < n; k *= 2.0)
        bits--;
    return g.top == 0 || (g.top - g.unit <= bits && g.unit + XNCC_WIDE_VALUES > -400 &&
                          g.top + XNCC_WIDE_VALUES < 400);
}

#endif
