/* The score of a window for general problems: any pixel type, any number of channels, and windows
 * in which not all pixels count. Where score.h applies too, both give the same bits. Compiled for
 * the host and for the device.
 *
 * Integer samples. Sums are over the pixels that count both in the window and in the template, of
 * biased samples (xncc_sample). With C channels and m the largest biased sample, n*X, n*Q and
 * n*sumT2 of a channel, and S*S, are at most (n*m)^2. Every number below is at most C (n*m)^2 <
 * 2^127, because n is at most 2^31 for 16 bits and 2^28 for 32 bits (xncc_problem_check), and C is
 * at most 2^6. Differences are exact modulo 2^128, and therefore exact. */
#ifndef XNCC_MATH_GENERAL_SCORE_H
#define XNCC_MATH_GENERAL_SCORE_H

#include "image/samples.h"
#include "math/score.h"

/* What turns sums into scores. It is fixed for a template, a method, and the options. */
typedef struct xncc_general_rule {
    uint64_t whole;   /* pixels of the template that count */
    uint64_t least;   /* a window in which fewer pixels count has no score; at least 1 */
    uint64_t bias;    /* xncc_pixel_bias of the pixel type */
    float undefined;  /* the score where a correlation method would divide by 0: 0 or NaN */
    int32_t nan_flat; /* 1: XNCC_FLAT_NAN */
    double noise;     /* floats: a variance n*Q - S^2 of up to noise * n*Q counts as 0 */
    double pivot[XNCC_MAX_CHANNELS]; /* floats: sums are of sample - pivot of the channel */
} xncc_general_rule;

/* The sums of one channel of biased integers. T is sumT and T2 is sumT2. S and T are below 2^64 at
 * every size. */
typedef struct xncc_general_sums {
    uint64_t S, T;
    xncc_u128 Q, X, T2;
} xncc_general_sums;

/* What the formulas are evaluated from, summed over the channels. */
typedef struct xncc_general {
    uint64_t n;                    /* pixels that count */
    xncc_u128 num, var, templ_var; /* n*X - S*sumT (signed), n*Q - S^2, n*sumT2 - sumT^2 */
    xncc_u128 X, Q, T2;            /* sums without the bias; X is signed */
} xncc_general;

/* The sums of no channel; n is the number of pixels that count. */
static XNCC_HD xncc_general xncc_general_begin(uint64_t n)
{
    xncc_general j;
    j.n = n;
    j.num = j.var = j.templ_var = j.X = j.Q = j.T2 = xncc_u128_of(0);
    return j;
}

/* Adds a channel. The differences do not depend on the bias b. With ' marking biased sums,
 *
 *     X = X' - b (S' + sumT') + n b^2
 *     Q = Q' - 2 b S' + n b^2, and sumT2 in the same way from sumT2' and sumT' */
static XNCC_HD void xncc_general_add(xncc_general *j, const xncc_general_sums *s, uint64_t bias)
{
    j->num = xncc_u128_add(
        j->num, xncc_u128_sub(xncc_u128_mul(s->X, j->n), xncc_u128_of_product(s->S, s->T)));
    j->var = xncc_u128_add(
        j->var, xncc_u128_sub(xncc_u128_mul(s->Q, j->n), xncc_u128_of_product(s->S, s->S)));
    j->templ_var = xncc_u128_add(
        j->templ_var, xncc_u128_sub(xncc_u128_mul(s->T2, j->n), xncc_u128_of_product(s->T, s->T)));
    xncc_u128 square = xncc_u128_of_product(j->n, bias * bias),
              S = xncc_u128_of_product(s->S, bias), T = xncc_u128_of_product(s->T, bias);
    j->X = xncc_u128_add(j->X, xncc_u128_sub(xncc_u128_add(s->X, square), xncc_u128_add(S, T)));
    j->Q = xncc_u128_add(j->Q, xncc_u128_sub(xncc_u128_add(s->Q, square), xncc_u128_add(S, S)));
    j->T2 = xncc_u128_add(j->T2, xncc_u128_sub(xncc_u128_add(s->T2, square), xncc_u128_add(T, T)));
}

/* Returns 1 if the number n of pixels that count determines the score: NaN if there are too few, or
 * the coverage. *score is valid only then. */
static XNCC_HD int xncc_general_score_from_count(xncc_method method, const xncc_general_rule *rule,
                                                 uint64_t n, float *score)
{
    *score = method == XNCC_COVERAGE ? (float)((double)n / (double)rule->whole) : NAN;
    return method == XNCC_COVERAGE || n < rule->least;
}

/* The score of a window of integers, from the sums over all channels. */
static XNCC_HD float xncc_general_score(xncc_method method, const xncc_general_rule *rule,
                                        const xncc_general *j)
{
    float from_count;
    if (xncc_general_score_from_count(method, rule, j->n, &from_count))
        return from_count;
    int flat = xncc_u128_is_zero(j->Q) || xncc_u128_is_zero(j->T2);
    xncc_u128 d = xncc_u128_sub(xncc_u128_add(j->Q, j->T2), xncc_u128_add(j->X, j->X));
    switch (method) {
    case XNCC_CCOEFF_NORMED:
        if (xncc_u128_is_zero(j->var) || xncc_u128_is_zero(j->templ_var))
            return rule->undefined;
        return (float)(xncc_s128_to_double(j->num) / (sqrt(xncc_u128_to_double(j->var)) *
                                                      sqrt(xncc_u128_to_double(j->templ_var))));
    case XNCC_CCOEFF: return (float)(xncc_s128_to_double(j->num) / (double)j->n);
    case XNCC_CCORR: return (float)xncc_s128_to_double(j->X);
    case XNCC_CCORR_NORMED:
        if (flat)
            return rule->undefined;
        return (float)(xncc_s128_to_double(j->X) /
                       (sqrt(xncc_u128_to_double(j->Q)) * sqrt(xncc_u128_to_double(j->T2))));
    case XNCC_SQDIFF: return (float)xncc_u128_to_double(d);
    case XNCC_SQDIFF_NORMED:
        if (flat)
            return rule->nan_flat ? rule->undefined : (xncc_u128_is_zero(d) ? 0.0f : 1.0f);
        return (float)(xncc_u128_to_double(d) /
                       (sqrt(xncc_u128_to_double(j->Q)) * sqrt(xncc_u128_to_double(j->T2))));
    case XNCC_COVERAGE: break;
    }
    return from_count;
}

/* The sums of one channel of floats: of sample - pivot, over the pixels that count. The order is
 * fixed: each row from left to right starting at 0, then the sums of the rows from top to bottom
 * starting at 0, with every step rounded to double. T is sumT and T2 is sumT2. */
typedef struct xncc_general_reals {
    double S, Q, X, T, T2;
} xncc_general_reals;

/* What the formulas are evaluated from, summed over the channels. */
typedef struct xncc_general_real {
    double n;                   /* pixels that count */
    double num, var, templ_var; /* n*X - S*sumT, n*Q - S^2, n*sumT2 - sumT^2 */
    double n_Q, n_T2;           /* n*Q and n*sumT2, to which var and templ_var are compared */
    double X, Q, T2;
} xncc_general_real;

/* The sums of no channel; n is the number of pixels that count. */
static XNCC_HD xncc_general_real xncc_general_real_begin(uint64_t n)
{
    xncc_general_real j;
    j.n = (double)n;
    j.num = j.var = j.templ_var = j.n_Q = j.n_T2 = j.X = j.Q = j.T2 = 0.0;
    return j;
}

/* Adds a channel. Channels must be added in their order. */
static XNCC_HD void xncc_general_real_add(xncc_general_real *j, const xncc_general_reals *s)
{
    j->num = xncc_sum(j->num, xncc_difference_f64(j->n, s->X, s->S, s->T));
    j->var = xncc_sum(j->var, xncc_difference_f64(j->n, s->Q, s->S, s->S));
    j->templ_var = xncc_sum(j->templ_var, xncc_difference_f64(j->n, s->T2, s->T, s->T));
    j->n_Q = xncc_sum(j->n_Q, xncc_product(j->n, s->Q));
    j->n_T2 = xncc_sum(j->n_T2, xncc_product(j->n, s->T2));
    j->X = xncc_sum(j->X, s->X);
    j->Q = xncc_sum(j->Q, s->Q);
    j->T2 = xncc_sum(j->T2, s->T2);
}

/* The score of a window of floats, from the sums over all channels. */
static XNCC_HD float xncc_general_real_score(xncc_method method, const xncc_general_rule *rule,
                                             uint64_t n, const xncc_general_real *j)
{
    float from_count;
    if (xncc_general_score_from_count(method, rule, n, &from_count))
        return from_count;
    /* a NaN or an infinity that counts makes X infinite or NaN */
    if (!isfinite(j->X) || !isfinite(j->Q))
        return NAN;
    int flat = j->Q == 0.0 || j->T2 == 0.0;
    double d = xncc_sum(xncc_sum(j->Q, xncc_product(-2.0, j->X)), j->T2);
    d = d < 0.0 ? 0.0 : d;
    switch (method) {
    case XNCC_CCOEFF_NORMED:
        if (j->var <= xncc_product(rule->noise, j->n_Q) ||
            j->templ_var <= xncc_product(rule->noise, j->n_T2))
            return rule->undefined;
        return xncc_clamp_score(j->num / xncc_product(sqrt(j->var), sqrt(j->templ_var)));
    case XNCC_CCOEFF: return (float)(j->num / j->n);
    case XNCC_CCORR: return (float)j->X;
    case XNCC_CCORR_NORMED:
        return flat ? rule->undefined
                    : xncc_clamp_score(j->X / xncc_product(sqrt(j->Q), sqrt(j->T2)));
    case XNCC_SQDIFF: return (float)d;
    case XNCC_SQDIFF_NORMED:
        if (flat)
            return rule->nan_flat ? rule->undefined : (d == 0.0 ? 0.0f : 1.0f);
        return (float)(d / xncc_product(sqrt(j->Q), sqrt(j->T2)));
    case XNCC_COVERAGE: break;
    }
    return from_count;
}

#endif
