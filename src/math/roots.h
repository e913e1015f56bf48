/* SPDX-License-Identifier: BSD-2-Clause */
/* Roots that are quick on a device. Compiled for the host and for the device. */
#ifndef XNCC_MATH_ROOTS_H
#define XNCC_MATH_ROOTS_H

#include "math/twofold.h"

/* 1 / sqrt(v), off by at most 2^-51 of it, for v from 2^-900 to 2^900; elsewhere any number. On the
 * device the steps are those of rsqrt(), without its branch for other v. */
static XNCC_HD double xncc_over_root(double v)
{
#if defined(__CUDA_ARCH__)
    double root;
    asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(root) : "d"(v));
    const double off = fma(v, -xncc_product(root, root), 1.0);
    return fma(fma(off, 0.375, 0.5), xncc_product(root, off), root);
#else
    return 1.0 / sqrt(v);
#endif
}

/* For bounds: at least the root of v, and at most 1.02 times it, for v from 2^-1000 on; NaN, or
 * infinity, if v is infinite. */
static XNCC_HD double xncc_bound_root(double v)
{
#if defined(__CUDA_ARCH__)
    double root;
    asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(root) : "d"(v));
    return 1.01 * (v * root);
#else
    return 1.01 * sqrt(v);
#endif
}

#endif
