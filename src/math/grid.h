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

/* The grid of many samples in fewer operations, whatever the samples are: the upper halves of the
 * doubles of the lowest bits, less 1, and of the largest size. */
typedef struct xncc_quick_grid {
    uint32_t low, high;
} xncc_quick_grid;

static XNCC_HD xncc_quick_grid xncc_quick_grid_empty(void)
{
    const xncc_quick_grid g = { UINT32_MAX, 0 };
    return g;
}

/* The lowest bit is what a sample is more than the same without it; of a power of two, whose only
 * bit is not stored, that is at least a half. */
static XNCC_HD void xncc_quick_grid_add(xncc_quick_grid *g, double v)
{
    uint64_t bits, rest_bits, lowest_bits;
    double rest;
    memcpy(&bits, &v, sizeof bits);
    rest_bits = bits & (bits - 1);
    memcpy(&rest, &rest_bits, sizeof rest);
    const double lowest = v - rest;
    memcpy(&lowest_bits, &lowest, sizeof lowest_bits);
    const uint32_t size = UINT32_MAX / 2, high = (uint32_t)(bits >> 32) & size,
                   upper = (uint32_t)(lowest_bits >> 32) & size,
                   lower = (uint32_t)lowest_bits != 0; /* for bits below 2^-1042 */
    const uint32_t low = (upper | lower) - 1;
    g->low = low < g->low ? low : g->low;
    g->high = g->high < high ? high : g->high;
}

/* Is one of the samples not finite? */
static XNCC_HD int xncc_quick_grid_is_infinite(xncc_quick_grid g)
{
    return g.high >= UINT32_C(0x7ff00000);
}

/* A grid of the finite samples: theirs, or half as coarse; the finest one if theirs has numbers
 * below 2^-1021. */
static XNCC_HD xncc_grid xncc_quick_grid_of(xncc_quick_grid g)
{
    const int32_t low = (int32_t)((g.low + 1) >> 20), high = (int32_t)(g.high >> 20);
    const xncc_grid r = { low > 0 ? low + 51 : 0, high > 0 ? high + 52 : 53 };
    return g.low == UINT32_MAX ? xncc_grid_empty() : r;
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
