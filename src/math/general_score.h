/* SPDX-License-Identifier: BSD-2-Clause */
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
    uint64_t whole;  /* pixels of the template that count */
    uint64_t least;  /* a window in which fewer pixels count has no score; at least 1. UINT64_MAX if
                        the template has no score in any window: a NaN or an infinity counts */
    uint64_t bias;   /* xncc_pixel_bias of the pixel type */
    float undefined; /* the score where a correlation method would divide by 0: 0 or NaN */
    int32_t nan_flat;                /* 1: XNCC_FLAT_NAN */
    double relative;                 /* floats, sums in double: as in xncc_score_rule */
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

#endif
