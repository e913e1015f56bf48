/* The integer scores of score.h, to the same bits, in arithmetic of floats: for devices whose
 * doubles are 32 or 64 times slower than their floats. A pair is the exact sum of two floats, the
 * second at most half a unit of the first one's last place. Let u = 2^-24, and let 2^-48 = u^2 be
 * the unit of every bound below. All bounds are relative to the score.
 *
 * score = num unit / sqrt(var): unit is 1 / root_var as a pair (off by 1, for the second float's
 * rounding, and by the few 2^-53 of its own roundings), num and var are the exact integers as pairs
 * (exact up to 2^48; off by 2 above, so that the root is off by 1). y is a seed of 1 /
 * sqrt(var.high), within 2^-22 (CUDA promises 2^-22.9 for rsqrt.approx.ftz.f32;
 * tests/unit/float_float.c tries 2^-22). e = 1 - var y^2 is below 2^-20.8: p = y^2 is a pair
 * without error, and three fused multiply-adds round values below 2^-20, each by at most 2^-45,
 * which is 8; var.low p.low, left out, is 1. Halved, since 1 / sqrt(var) = y / sqrt(1 - e): 12.5. c
 * = e / 2 + 3/8 e^2 is below 2^-21, so its rounding is at most 4; the terms left out are below
 * 2^-63. t = num unit: the roundings of its low part, below 2 u and 3 u, and num.low unit.low: 2 +
 * 3 + 1. t y (1 + c): high is rounded, and low, which begins with the exact error of that, takes
 * t.low y (below 4 u: 4), itself times c (below 5 u: 5), and high c (all of it below 2^-20.8: 9).
 * The test adds and takes away the bound B from low: 9. With the conversions 12.5 + 4 + 6 + 18 + 9
 * + 2 + 1 + 1 = 53.5; score.h's own roundings to double are below 1/4, and products of errors less.
 * B = 64 = 2^-42. Rounding to float is monotonic: where high + (low - B) and high + (low + B) round
 * to the same float, the formula of score.h, which lies between, rounds to it too. Where they do
 * not (one score in 2^17 or 2^18), and where var is 0, so that no comparison holds, the caller
 * takes the formula itself.
 *
 * Nothing here underflows where it matters: num and var are 0 or from 1 to 2^63, unit from 2^-32 to
 * 1, so the exact errors of products are multiples of 2^-110. */
#ifndef XNCC_MATH_FLOAT_FLOAT_H
#define XNCC_MATH_FLOAT_FLOAT_H

#include "math/score.h"

typedef struct xncc_pair {
    float high, low;
} xncc_pair;

#define XNCC_PAIR_BOUND 0x1p-42f

/* One rounding each, whatever the compiler would contract. */
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

/* 2^shift high + low as a pair, where high is 0 or the larger of the two terms; scale is 2^shift.
 */
static XNCC_HD xncc_pair xncc_pair_join(float high, float scale, float low)
{
    xncc_pair p;
    p.high = xncc_fused(high, scale, low);
    p.low = xncc_plus(low, xncc_fused(high, scale, -p.high));
    return p;
}

/* Exact for -2^48 .. 2^48. The pieces are floats without rounding; the upper one has the sign
 * (shifts keep it). */
static XNCC_HD xncc_pair xncc_pair_narrow(int64_t v)
{
    return xncc_pair_join((float)(int32_t)(v >> 24), 0x1p24f, (float)((int32_t)v & 0xffffff));
}

/* For all of 64 bits: off by at most u (u + u) of the value, where the last piece meets a remainder
 * of those above. */
static XNCC_HD xncc_pair xncc_float_float_u128(int64_t v)
{
    xncc_pair upper = xncc_pair_join((float)(int32_t)(v >> 40), 0x1p24f,
                                     (float)((int32_t)(v >> 16) & 0xffffff));
    return xncc_pair_join(upper.high, 0x1p16f,
                          xncc_fused(upper.low, 0x1p16f, (float)((int32_t)v & 0xffff)));
}

/* What the pairs need of a rule, made once on the host. */
static inline xncc_pair xncc_pair_unit(xncc_method method, const xncc_score_rule *rule)
{
    double unit = 1.0 / (method == XNCC_CCOEFF_NORMED ? rule->root_var
                         : method == XNCC_CCOEFF      ? (double)rule->n
                                                      : rule->root_sum2);
    xncc_pair p = { (float)unit, 0.0f };
    p.low = (float)(unit - (double)p.high);
    return p;
}

/* The seed y. */
static XNCC_HD float xncc_pair_seed(xncc_pair var)
{
#if defined(__CUDA_ARCH__)
    float y;
    asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(var.high));
    return y;
#else
    return 1.0f / sqrtf(var.high);
#endif
}

/* 1 when *score is what the formula gives, 0 when that has to be asked. */
static XNCC_HD int xncc_pair_quotient(xncc_pair num, xncc_pair var, xncc_pair unit, float y,
                                      float *score)
{
    float p = xncc_times(y, y), p_low = xncc_fused(y, y, -p);
    float e = xncc_fused(-var.low, p, xncc_fused(-var.high, p_low, xncc_fused(-var.high, p, 1.0f)));
    float half = xncc_times(0.5f, e), c = xncc_fused(xncc_times(1.5f, half), half, half);
    float t = xncc_times(num.high, unit.high);
    float t_low = xncc_fused(num.low, unit.high,
                             xncc_fused(num.high, unit.low, xncc_fused(num.high, unit.high, -t)));
    float high = xncc_times(t, y), low = xncc_fused(t_low, y, xncc_fused(t, y, -high));
    low = xncc_fused(high, c, xncc_fused(low, c, low));
    *score = xncc_plus(high, xncc_fused(XNCC_PAIR_BOUND, high, low));
    return *score == xncc_plus(high, xncc_fused(-XNCC_PAIR_BOUND, high, low));
}

/* One instruction; the compiler's own takes more where an operand was 64 bits long. */
static XNCC_HD uint64_t xncc_pair_product(uint32_t a, uint32_t b)
{
#if defined(__CUDA_ARCH__)
    uint64_t product;
    asm("mul.wide.u32 %0, %1, %2;" : "=l"(product) : "r"(a), "r"(b));
    return product;
#else
    return (uint64_t)a * b;
#endif
}

/* a*b - c*d; narrow: all of them fit 32 bits. */
static XNCC_HD int64_t xncc_pair_difference(uint64_t a, uint64_t b, uint64_t c, uint64_t d,
                                            int narrow)
{
    if (narrow)
        return (int64_t)(xncc_pair_product((uint32_t)a, (uint32_t)b) -
                         xncc_pair_product((uint32_t)c, (uint32_t)d));
    return (int64_t)(a * b - c * d);
}

static XNCC_HD xncc_pair xncc_pair_of(int64_t v, int narrow)
{
    return narrow ? xncc_pair_narrow(v) : xncc_float_float_u128(v);
}

/* xncc_score_integer in pairs: 1 when *score is what that returns, 0 when that has to be asked
 * (always, where the rule is wide). narrow: pixels of 8 bits, and n, S, Q and X fit 32 bits, so
 * that num and var are at most (255 n / 2)^2 < 2^47. */
static XNCC_HD int xncc_pair_score(xncc_method method, const xncc_score_rule *rule, xncc_pair unit,
                                   int narrow, uint64_t S, uint64_t Q, uint64_t X, float *score)
{
    xncc_pair one = { 1.0f, 0.0f }, num, var = one;
    float seed = 1.0f;
    *score = 0.0f;
    if (!narrow && rule->wide)
        return 0;
    switch (method) {
    case XNCC_CCOEFF_NORMED:
    case XNCC_CCOEFF:
        num = xncc_pair_of(xncc_pair_difference(rule->n, X, S, rule->sum, narrow), narrow);
        break;
    case XNCC_CCORR_NORMED: num = xncc_pair_of((int64_t)X, narrow); break;
    case XNCC_SQDIFF_NORMED: num = xncc_pair_of((int64_t)(Q + rule->sum2 - 2 * X), narrow); break;
    case XNCC_CCORR:
        *score = (float)(uint32_t)X;
        return narrow; /* a double holds it, and is rounded once */
    case XNCC_SQDIFF:
        *score = (float)(uint32_t)(Q + rule->sum2 - 2 * X);
        return narrow; /* n 255^2 at most, likewise */
    default: return 0;
    }
    if (method == XNCC_CCOEFF_NORMED)
        var = xncc_pair_of(xncc_pair_difference(rule->n, Q, S, S, narrow), narrow);
    else if (method != XNCC_CCOEFF)
        var = xncc_pair_of((int64_t)Q, narrow);
    if (method != XNCC_CCOEFF)
        seed = xncc_pair_seed(var);
    return xncc_pair_quotient(num, var, unit, seed, score);
}

#endif
