/* SPDX-License-Identifier: BSD-2-Clause */
/* The score of a window in which all pixels count, of one channel: one function for integers and
 * one for floats. The host and the device compile the same text, so there is one definition of a
 * score. include/exactncc/rules.h has the formulas.
 *
 * Integer pixels. n, S, Q, X, sumT and sumT2 are exact. With m the largest pixel value (255 or
 * 65535) every product below is at most (n*m)^2. This fits 63 bits if n*m <= 3037000499 =
 * floor(sqrt(2^63)), that is, n <= 11,909,805 for u8 (3450 x 3450) and n <= 46,341 for u16 (215 x
 * 215). Beyond that the rule has needs_u128 set, and products have 128 bits. X <= n*m^2 fits 64
 * bits for n <= 2^32; a template has at most 2^31 pixels.
 *
 * The exact integers are rounded to double (to nearest, ties to even), the formula is evaluated in
 * double in the order written, without contraction, and the result is rounded to float. A kernel
 * may compute the same bits in another way, but never other bits. */
#ifndef XNCC_MATH_SCORE_H
#define XNCC_MATH_SCORE_H

#include "exactncc/rules.h"
#include "math/twofold.h"
#include "math/uint128.h"

/* What turns the sums of a window into its score. It is fixed for a template, a method and the
 * choice for flat windows. Float pixels use the second group of fields, and the pivot is
 * subtracted from every pixel before it is summed. */
typedef struct xncc_score_rule {
    uint64_t n;       /* pixels of the template */
    uint64_t sum;     /* integer pixels: sumT, of the biased samples */
    uint64_t sum2;    /* integer pixels: sumT2, of the biased samples */
    double root_sum2; /* sqrt(sumT2) */
    double root_var;  /* sqrt(n*sumT2 - sumT^2); 0 if the template is flat */

    double pivot;           /* what is subtracted from every float pixel */
    double fn, fsum, fsum2; /* float pixels: n, sumT and sumT2 */
    double relative; /* of sums in double: their error, relative to the sum of the sizes added */

    float undefined;    /* the score where a correlation method would divide by 0: 0 or NaN */
    int32_t needs_u128; /* integer pixels: 1 if products need 128 bits */
    int32_t nan_flat;   /* 1: XNCC_FLAT_NAN */
} xncc_score_rule;

/* a*b - c*d, rounded once to double. needs_u128: 1 if a product can exceed 63 bits. */
static XNCC_HD double xncc_difference(uint64_t a, uint64_t b, uint64_t c, uint64_t d,
                                      int needs_u128)
{
    if (!needs_u128)
        return (double)((int64_t)(a * b) - (int64_t)(c * d));
    xncc_u128 p = xncc_u128_of_product(a, b), q = xncc_u128_of_product(c, d);
    int negative = p.high < q.high || (p.high == q.high && p.low < q.low);
    double value = xncc_u128_to_double(negative ? xncc_u128_sub(q, p) : xncc_u128_sub(p, q));
    return negative ? -value : value;
}

/* The score of a window of integer pixels, from its exact sums. */
static XNCC_HD float xncc_score_integer(xncc_method method, const xncc_score_rule *rule, uint64_t S,
                                        uint64_t Q, uint64_t X)
{
    switch (method) {
    case XNCC_CCOEFF_NORMED: {
        double var = xncc_difference(rule->n, Q, S, S, rule->needs_u128);
        if (var == 0.0 || rule->root_var == 0.0)
            return rule->undefined;
        return (float)(xncc_difference(rule->n, X, S, rule->sum, rule->needs_u128) /
                       (sqrt(var) * rule->root_var));
    }
    case XNCC_CCOEFF:
        return (float)(xncc_difference(rule->n, X, S, rule->sum, rule->needs_u128) /
                       (double)rule->n);
    case XNCC_CCORR: return (float)(double)X;
    case XNCC_CCORR_NORMED:
        if (Q == 0 || rule->sum2 == 0)
            return rule->undefined;
        return (float)((double)X / (sqrt((double)Q) * rule->root_sum2));
    case XNCC_SQDIFF: return (float)(double)(Q + rule->sum2 - 2 * X);
    case XNCC_SQDIFF_NORMED: {
        uint64_t d = Q + rule->sum2 - 2 * X;
        if (Q == 0 || rule->sum2 == 0)
            return rule->nan_flat ? rule->undefined : (d == 0 ? 0.0f : 1.0f);
        return (float)((double)d / (sqrt((double)Q) * rule->root_sum2));
    }
    case XNCC_COVERAGE: return 1.0f; /* other values: general_score.h */
    }
    return 0.0f;
}

/* A pixel of a float image or template, less the pivot. */
static XNCC_HD double xncc_centred(float pixel, double pivot)
{
    return xncc_sum((double)pixel, -pivot);
}

#endif
