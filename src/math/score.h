/* The score of a window: one function for each pixel family, included by the C and by the CUDA
 * compiler, so that the formula stands once. All six methods of include/exactncc/template.h.
 *
 * Integer pixels. n, S, Q, X, sumT, sumT2 are exact. With m the largest pixel value (255 or 65535)
 * every product below is at most (n*m)^2, so 63 bits hold it while n*m <= 3037000499 =
 * floor(sqrt(2^63)): n up to 11,909,805 for u8 (3450 x 3450), 46,341 for u16 (215 x 215). Past that
 * the rule is `wide` and products take 128 bits. X <= n*m^2 fits 64 bits to n = 2^32; a template
 * has at most 2^31 pixels.
 *
 * The exact integers are rounded to double (to nearest, ties to even), the formula runs in double
 * in the order written, without contraction, and the result is rounded to float. A kernel may reach
 * the same bits in another way, never other bits. */
#ifndef XNCC_MATH_SCORE_H
#define XNCC_MATH_SCORE_H

#include "exactncc/template.h"
#include "math/uint128.h"

/* All that turns a window's sums into its score: fixed for a template, a method and the choice for
 * flat windows. */
typedef struct xncc_score_rule {
    uint64_t n;       /* template pixels */
    uint64_t sum;     /* sum T,   integer pixels */
    uint64_t sum2;    /* sum T^2, integer pixels */
    double root_sum2; /* sqrt(sumT2) */
    double root_var;  /* sqrt(n*sumT2 - sumT^2); 0 when the template is flat */
    /* float pixels: all sums are of pixel - pivot */
    double pivot;
    double fn, fsum, fsum2;
    double noise; /* relative: a variance n*Q - S^2 up to noise * n*Q cannot be told from 0 */
    float
        undefined; /* what a window scores where the correlation methods have no value: 0 or NaN */
    int32_t wide;  /* products need 128 bits */
    int32_t nan_flat; /* NaN was asked for */
} xncc_score_rule;

/* a*b - c*d as a double, exact before its one rounding. */
static XNCC_HD double xncc_difference(uint64_t a, uint64_t b, uint64_t c, uint64_t d, int wide)
{
    if (!wide)
        return (double)((int64_t)(a * b) - (int64_t)(c * d));
    xncc_u128 p = xncc_mul_wide(a, b), q = xncc_mul_wide(c, d);
    int negative = p.high < q.high || (p.high == q.high && p.low < q.low);
    double value = xncc_u128_to_double(negative ? xncc_u128_sub(q, p) : xncc_u128_sub(p, q));
    return negative ? -value : value;
}

/* The score of a window of integer pixels from its exact sums. */
static XNCC_HD float xncc_score_integer(xncc_method method, const xncc_score_rule *rule, uint64_t S,
                                        uint64_t Q, uint64_t X)
{
    switch (method) {
    case XNCC_CCOEFF_NORMED: {
        double var = xncc_difference(rule->n, Q, S, S, rule->wide);
        if (var == 0.0 || rule->root_var == 0.0)
            return rule->undefined;
        return (float)(xncc_difference(rule->n, X, S, rule->sum, rule->wide) /
                       (sqrt(var) * rule->root_var));
    }
    case XNCC_CCOEFF:
        return (float)(xncc_difference(rule->n, X, S, rule->sum, rule->wide) / (double)rule->n);
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
    case XNCC_COVERAGE: return 1.0f; /* general.h has the other values */
    }
    return 0.0f;
}

/* One IEEE operation each, whatever the compiler would contract. */
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

/* A pixel of a float image or template as the sums take it. */
static XNCC_HD double xncc_centred(float pixel, double pivot)
{
    return xncc_sum((double)pixel, -pivot);
}

/* n*a - b*c, every step rounded to double. */
static XNCC_HD double xncc_spread(double n, double a, double b, double c)
{
    return xncc_sum(xncc_product(n, a), -xncc_product(b, c));
}

static XNCC_HD float xncc_unit(double score)
{
    return score > 1.0 ? 1.0f : score < -1.0 ? -1.0f : (float)score;
}

/* The score of a window of float pixels. S, Q, X are sums over the window of (pixel - pivot) and
 * its products: each row from left to right starting at 0, then the rows' sums from top to bottom
 * starting at 0, every step rounded to double. */
static XNCC_HD float xncc_score_float(xncc_method method, const xncc_score_rule *rule, double S,
                                      double Q, double X)
{
    /* Products of finite floats cannot overflow a double, so X tells whether the window holds a NaN
     * or an infinity. */
    if (!isfinite(X))
        return NAN;
    double d = xncc_sum(xncc_sum(Q, xncc_product(-2.0, X)), rule->fsum2);
    if (d < 0.0)
        d = 0.0;
    switch (method) {
    case XNCC_CCOEFF_NORMED: {
        double var = xncc_spread(rule->fn, Q, S, S);
        if (rule->root_var == 0.0 || var <= xncc_product(rule->noise, xncc_product(rule->fn, Q)))
            return rule->undefined;
        return xncc_unit(xncc_spread(rule->fn, X, S, rule->fsum) /
                         xncc_product(sqrt(var), rule->root_var));
    }
    case XNCC_CCOEFF: return (float)(xncc_spread(rule->fn, X, S, rule->fsum) / rule->fn);
    case XNCC_CCORR: return (float)X;
    case XNCC_CCORR_NORMED:
        if (Q == 0.0 || rule->fsum2 == 0.0)
            return rule->undefined;
        return xncc_unit(X / xncc_product(sqrt(Q), rule->root_sum2));
    case XNCC_SQDIFF: return (float)d;
    case XNCC_SQDIFF_NORMED:
        if (Q == 0.0 || rule->fsum2 == 0.0)
            return rule->nan_flat ? rule->undefined : (d == 0.0 ? 0.0f : 1.0f);
        return (float)(d / xncc_product(sqrt(Q), rule->root_sum2));
    case XNCC_COVERAGE: return 1.0f;
    }
    return 0.0f;
}

#endif
