/* SPDX-License-Identifier: BSD-2-Clause */
/* Arithmetic of pairs of doubles, high + low. Each operation is within 2^-100 of the sizes of its
 * operands; those that add to a sum without making it a pair again (`put`) round its low part,
 * which grows with what was added. Compiled for the host and for the device. */
#ifndef XNCC_MATH_TWOFOLD_H
#define XNCC_MATH_TWOFOLD_H

#include "base/host_device.h"

#include <math.h>

typedef struct xncc_twofold {
    double high, low;
} xncc_twofold;

static XNCC_HD xncc_twofold xncc_twofold_of(double high, double low)
{
    const xncc_twofold r = { high, low };
    return r;
}

/* a * b and a + b with one rounding each. On the device the intrinsics keep nvcc from contracting
 * them; C code is compiled without contraction. */
static XNCC_HD double xncc_product(double a, double b)
{
#if defined(__CUDA_ARCH__)
    return __dmul_rn(a, b);
#else
    return a * b;
#endif
}
static XNCC_HD double xncc_sum(double a, double b)
{
#if defined(__CUDA_ARCH__)
    return __dadd_rn(a, b);
#else
    return a + b;
#endif
}

/* The exact error of the rounded sum s = a + b (Knuth, "The Art of Computer Programming", volume 2,
 * section 4.2.2). */
static XNCC_HD double xncc_sum_error(double a, double b, double s)
{
    const double of_b = s - a;
    return (a - (s - of_b)) + (b - of_b);
}

static XNCC_HD xncc_twofold xncc_twofold_add(xncc_twofold a, xncc_twofold b)
{
    const double s = a.high + b.high, low = xncc_sum_error(a.high, b.high, s) + (a.low + b.low),
                 high = s + low;
    return xncc_twofold_of(high, low - (high - s));
}

static XNCC_HD xncc_twofold xncc_twofold_product(xncc_twofold a, xncc_twofold b)
{
    const double p = xncc_product(a.high, b.high),
                 low = fma(a.high, b.high, -p) + (a.high * b.low + a.low * b.high),
                 high = xncc_sum(p, low);
    return xncc_twofold_of(high, low - (high - p));
}

static XNCC_HD xncc_twofold xncc_twofold_negative(xncc_twofold a)
{
    return xncc_twofold_of(-a.high, -a.low);
}

/* Adds v to a sum that has not been made a pair again. */
static XNCC_HD void xncc_twofold_put(xncc_twofold *sum, double v)
{
    const double s = xncc_sum(sum->high, v);
    sum->low = xncc_sum(sum->low, xncc_sum_error(sum->high, v, s));
    sum->high = s;
}

/* Adds a pair in the same way. */
static XNCC_HD void xncc_twofold_put_pair(xncc_twofold *sum, xncc_twofold v)
{
    const double s = xncc_sum(sum->high, v.high);
    sum->low = xncc_sum(xncc_sum(sum->low, v.low), xncc_sum_error(sum->high, v.high, s));
    sum->high = s;
}

/* Adds a * b in the same way, with the error of its rounding. */
static XNCC_HD void xncc_twofold_put_product(xncc_twofold *sum, double a, double b)
{
    const double p = xncc_product(a, b);
    xncc_twofold_put(sum, p);
    sum->low = xncc_sum(sum->low, fma(a, b, -p));
}

/* a*b - c*d */
static XNCC_HD xncc_twofold xncc_twofold_difference(xncc_twofold a, xncc_twofold b, xncc_twofold c,
                                                    xncc_twofold d)
{
    return xncc_twofold_add(xncc_twofold_product(a, b),
                            xncc_twofold_negative(xncc_twofold_product(c, d)));
}

#endif
