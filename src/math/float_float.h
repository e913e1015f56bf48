/* SPDX-License-Identifier: BSD-2-Clause */
/* The integer scores of score.h, with the same bits, in float-float arithmetic: for devices whose
 * doubles are 32 or 64 times slower than their floats. A float-float number is the exact sum of two
 * floats, the second at most half a unit in the last place of the first (Dekker, "A floating-point
 * technique for extending the available precision", 1971).
 *
 * The score is num * unit / sqrt(var), where
 *
 * - num and var are the exact integers of score.h,
 * - unit = 1 / root_var (or its counterpart of the method),
 * - y is a seed of 1 / sqrt(var.high) and e = 1 - var y^2, so that
 *   score = num unit y (1 + c) with c = 1 / sqrt(1 - e) - 1, about e / 2 + 3/8 e^2.
 *
 * Error bound. Let u = 2^-24. All errors are relative to the score, in units of u^2 = 2^-48.
 *
 * - unit as a float-float number: 1, for the rounding of the second float, and a few 2^-53.
 * - num and var as float-float numbers: exact up to 2^48. Beyond that they are off by 2, and the
 *   root of var by 1.
 * - y is within 2^-22. (CUDA promises 2^-22.9 for rsqrt.approx.ftz.f32; tests/unit/float_float.c
 *   tries 2^-22.)
 * - e is below 2^-20.8. p = y^2 is a float-float number without error. Three fused multiply-adds
 *   round values below 2^-20, each by at most 2^-45, which makes 8 each. The term var.low p.low is
 *   omitted: 1. Halved, because 1 / sqrt(var) = y / sqrt(1 - e): 12.5 in all.
 * - c is below 2^-21, so its rounding is at most 4. The omitted terms are below 2^-63.
 * - t = num unit. The roundings of its low part (below 2 u and 3 u), and num.low unit.low, which is
 *   omitted: 2 + 3 + 1.
 * - t y (1 + c). Its high part is rounded. The low part begins with the exact error of that, and
 *   adds t.low y (below 4 u: 4), itself times c (below 5 u: 5), and high c (the sum is below
 *   2^-20.8: 9).
 * - The final test adds the bound B to the low part and subtracts it: 9.
 *
 * With the conversions the sum is 12.5 + 4 + 6 + 18 + 9 + 2 + 1 + 1 = 53.5. The roundings of
 * score.h to double are below 1/4, and products of errors are smaller still. B = 64 units = 2^-42.
 *
 * Rounding to float is monotonic. So if high + (low - B) and high + (low + B) round to the same
 * float, the formula of score.h, whose value is between them, rounds to it too. If they do not (one
 * score in 2^17 or 2^18), or if var is 0 and no comparison holds, the caller evaluates score.h.
 *
 * Nothing here underflows where it matters. num and var are 0 or 1 .. 2^63 in magnitude and unit is
 * 2^-32 .. 1, so the exact errors of products are multiples of 2^-110. */
#ifndef XNCC_MATH_FLOAT_FLOAT_H
#define XNCC_MATH_FLOAT_FLOAT_H

#include "math/score.h"

/* The number high + low. */
typedef struct xncc_float_float {
    float high, low;
} xncc_float_float;

/* The bound B above, relative to the score. */
#define XNCC_FF_BOUND 0x1p-42f

/* a * b + c, a * b and a + b with one rounding each. On the device the intrinsics keep nvcc from
 * contracting them; C code is compiled without contraction. */
static XNCC_HD float xncc_fused(float a, float b, float c)
{
#if defined(__CUDA_ARCH__)
    return __fmaf_rn(a, b, c);
#else
    return fmaf(a, b, c);
#endif
}
static XNCC_HD float xncc_times(float a, float b)
{
#if defined(__CUDA_ARCH__)
    return __fmul_rn(a, b);
#else
    return a * b;
#endif
}
static XNCC_HD float xncc_plus(float a, float b)
{
#if defined(__CUDA_ARCH__)
    return __fadd_rn(a, b);
#else
    return a + b;
#endif
}

/* high * scale + low as a float-float number. scale is a power of two. high is 0, or high * scale
 * is the larger term. */
static XNCC_HD xncc_float_float xncc_ff_join(float high, float scale, float low)
{
    xncc_float_float p;
    p.high = xncc_fused(high, scale, low);
    p.low = xncc_plus(low, xncc_fused(high, scale, -p.high));
    return p;
}

/* An integer of -2^48 .. 2^48, exact. Both pieces of 24 bits are exact as floats. The upper one has
 * the sign, which the shift preserves. */
static XNCC_HD xncc_float_float xncc_ff_from_s48(int64_t v)
{
    return xncc_ff_join((float)(int32_t)(v >> 24), 0x1p24f, (float)((int32_t)v & 0xffffff));
}

/* Any 64-bit integer, with a relative error of at most 2 u^2: the last piece is added to the
 * remainder of the upper ones with rounding. */
static XNCC_HD xncc_float_float xncc_ff_from_s64(int64_t v)
{
    xncc_float_float upper = xncc_ff_join((float)(int32_t)(v >> 40), 0x1p24f,
                                          (float)((int32_t)(v >> 16) & 0xffffff));
    return xncc_ff_join(upper.high, 0x1p16f,
                        xncc_fused(upper.low, 0x1p16f, (float)((int32_t)v & 0xffff)));
}

/* The unit of a method and rule; computed once, on the host. */
static inline xncc_float_float xncc_ff_unit(xncc_method method, const xncc_score_rule *rule)
{
    double unit = 1.0 / (method == XNCC_CCOEFF_NORMED ? rule->root_var
                         : method == XNCC_CCOEFF      ? (double)rule->n
                                                      : rule->root_sum2);
    xncc_float_float p = { (float)unit, 0.0f };
    p.low = (float)(unit - (double)p.high);
    return p;
}

/* The seed y of 1 / sqrt(var). */
static XNCC_HD float xncc_ff_rsqrt_seed(xncc_float_float var)
{
#if defined(__CUDA_ARCH__)
    float y;
    asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(var.high));
    return y;
#else
    return 1.0f / sqrtf(var.high);
#endif
}

/* Computes num * unit / sqrt(var) from the seed y. Returns 1 if *score has the bits of score.h, and
 * 0 if that is not certain. */
static XNCC_HD int xncc_ff_quotient(xncc_float_float num, xncc_float_float var,
                                    xncc_float_float unit, float y, float *score)
{
    float p = xncc_times(y, y), p_low = xncc_fused(y, y, -p);
    float e = xncc_fused(-var.low, p, xncc_fused(-var.high, p_low, xncc_fused(-var.high, p, 1.0f)));
    float half = xncc_times(0.5f, e), c = xncc_fused(xncc_times(1.5f, half), half, half);
    float t = xncc_times(num.high, unit.high);
    float t_low = xncc_fused(num.low, unit.high,
                             xncc_fused(num.high, unit.low, xncc_fused(num.high, unit.high, -t)));
    float high = xncc_times(t, y), low = xncc_fused(t_low, y, xncc_fused(t, y, -high));
    low = xncc_fused(high, c, xncc_fused(low, c, low));
    *score = xncc_plus(high, xncc_fused(XNCC_FF_BOUND, high, low));
    return *score == xncc_plus(high, xncc_fused(-XNCC_FF_BOUND, high, low));
}

/* a * b, exact. On the device one instruction; nvcc uses more if an operand was 64 bits long. */
static XNCC_HD uint64_t xncc_product_u32(uint32_t a, uint32_t b)
{
#if defined(__CUDA_ARCH__)
    uint64_t product;
    asm("mul.wide.u32 %0, %1, %2;" : "=l"(product) : "r"(a), "r"(b));
    return product;
#else
    return (uint64_t)a * b;
#endif
}

/* a*b - c*d, which must fit 63 bits. narrow: 1 if a, b, c and d fit 32 bits. */
static XNCC_HD int64_t xncc_difference_s64(uint64_t a, uint64_t b, uint64_t c, uint64_t d,
                                           int narrow)
{
    if (narrow)
        return (int64_t)(xncc_product_u32((uint32_t)a, (uint32_t)b) -
                         xncc_product_u32((uint32_t)c, (uint32_t)d));
    return (int64_t)(a * b - c * d);
}

/* An integer as a float-float number. narrow: 1 if it is within -2^48 .. 2^48. */
static XNCC_HD xncc_float_float xncc_ff_from_integer(int64_t v, int narrow)
{
    return narrow ? xncc_ff_from_s48(v) : xncc_ff_from_s64(v);
}

/* xncc_score_integer in float-float arithmetic. Returns 1 if *score has its bits, and 0 if that is
 * not certain, or if the rule needs 128 bits. narrow: 1 if pixels have 8 bits and n, S, Q and X fit
 * 32 bits, so that num and var are at most (255 n / 2)^2 < 2^47. */
static XNCC_HD int xncc_ff_score(xncc_method method, const xncc_score_rule *rule,
                                 xncc_float_float unit, int narrow, uint64_t S, uint64_t Q,
                                 uint64_t X, float *score)
{
    xncc_float_float one = { 1.0f, 0.0f }, num, var = one;
    float seed = 1.0f;
    *score = 0.0f;
    if (!narrow && rule->needs_u128)
        return 0;
    switch (method) {
    case XNCC_CCOEFF_NORMED:
    case XNCC_CCOEFF:
        num = xncc_ff_from_integer(xncc_difference_s64(rule->n, X, S, rule->sum, narrow), narrow);
        break;
    case XNCC_CCORR_NORMED: num = xncc_ff_from_integer((int64_t)X, narrow); break;
    case XNCC_SQDIFF_NORMED:
        num = xncc_ff_from_integer((int64_t)(Q + rule->sum2 - 2 * X), narrow);
        break;
    case XNCC_CCORR:
        *score = (float)(uint32_t)X;
        return narrow; /* score.h rounds it once, too: a double holds it exactly */
    case XNCC_SQDIFF:
        *score = (float)(uint32_t)(Q + rule->sum2 - 2 * X);
        return narrow; /* the same; it is at most n 255^2 */
    default: return 0;
    }
    if (method == XNCC_CCOEFF_NORMED)
        var = xncc_ff_from_integer(xncc_difference_s64(rule->n, Q, S, S, narrow), narrow);
    else if (method != XNCC_CCOEFF)
        var = xncc_ff_from_integer((int64_t)Q, narrow);
    if (method != XNCC_CCOEFF)
        seed = xncc_ff_rsqrt_seed(var);
    return xncc_ff_quotient(num, var, unit, seed, score);
}

#endif
