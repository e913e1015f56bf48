/* SPDX-License-Identifier: BSD-2-Clause */
/* The score of a window of floats: the definition. Every sum is exact (math/wide.h), every argument
 * of the formula is rounded once to 53 bits with an exponent of any size, the formula is evaluated
 * in that arithmetic, and its result is rounded once to float. Kernels for floats compute bounds of
 * this score, and take this way where the bounds do not agree on a float. Compiled for the host and
 * for the device. */
#ifndef XNCC_MATH_EXACT_SCORE_H
#define XNCC_MATH_EXACT_SCORE_H

#include "math/general_score.h"
#include "math/method.h"
#include "math/wide.h"

/* The sums of one channel over the pixels that count. T is sumT and T2 is sumT2. */
typedef struct xncc_exact_sums {
    int64_t S[XNCC_WIDE_VALUE_DIGITS], T[XNCC_WIDE_VALUE_DIGITS];
    int64_t Q[XNCC_WIDE_DIGITS], X[XNCC_WIDE_DIGITS], T2[XNCC_WIDE_DIGITS];
} xncc_exact_sums;

/* The arguments of the formula, summed over the channels, all normalized.
 *
 *                      numerator        image        templ
 *     ccoeff methods   n*X - S*sumT     n*Q - S*S    n*sumT2 - sumT*sumT
 *     ccorr methods    X                Q            sumT2
 *     sqdiff methods   Q - 2*X + sumT2  Q            sumT2 */
typedef struct xncc_exact_terms {
    int64_t numerator[XNCC_WIDE_DIGITS], image[XNCC_WIDE_DIGITS], templ[XNCC_WIDE_DIGITS];
} xncc_exact_terms;

/* Adds a pair of finite samples that counts: v of the window, t of the template. */
static XNCC_HD void xncc_exact_add_pair(xncc_exact_sums *s, xncc_method method, double v, double t)
{
    if (xncc_method_is_centred(method)) {
        xncc_wide_add(s->S, v);
        xncc_wide_add(s->T, t);
    }
    if (xncc_method_has_squares(method)) {
        xncc_wide_add_product(s->Q, v, v);
        xncc_wide_add_product(s->T2, t, t);
    }
    xncc_wide_add_product(s->X, v, t);
}

/* Passes the carries of all sums on. At the latest after 2^30 pairs, and before the sums are
 * used. */
static XNCC_HD void xncc_exact_normalize(xncc_exact_sums *s)
{
    xncc_wide_normalize(s->S, XNCC_WIDE_VALUE_DIGITS);
    xncc_wide_normalize(s->T, XNCC_WIDE_VALUE_DIGITS);
    xncc_wide_normalize(s->Q, XNCC_WIDE_DIGITS);
    xncc_wide_normalize(s->X, XNCC_WIDE_DIGITS);
    xncc_wide_normalize(s->T2, XNCC_WIDE_DIGITS);
}

/* Adds the normalized sums of a channel of n pixels, n at most 2^31. */
static XNCC_HD void xncc_exact_add_channel(xncc_exact_terms *terms, xncc_method method, int64_t n,
                                           const xncc_exact_sums *s)
{
    const int centred = xncc_method_is_centred(method);
    const int64_t factor = centred ? n : 1;
    const int64_t of_product = xncc_method_of_difference(method) ? -2 : factor;
    xncc_wide_add_multiple(terms->numerator, s->X, of_product);
    if (xncc_method_of_difference(method)) {
        xncc_wide_add_multiple(terms->numerator, s->Q, 1);
        xncc_wide_add_multiple(terms->numerator, s->T2, 1);
    }
    if (centred)
        xncc_wide_subtract_product(terms->numerator, s->S, s->T);
    if (!xncc_method_is_normed(method))
        return;
    xncc_wide_add_multiple(terms->image, s->Q, factor);
    xncc_wide_add_multiple(terms->templ, s->T2, factor);
    if (centred) {
        xncc_wide_subtract_product(terms->image, s->S, s->S);
        xncc_wide_subtract_product(terms->templ, s->T, s->T);
    }
}

/* The score where a normed method would divide by 0. zero: 1 if the numerator is 0. */
static XNCC_HD float xncc_flat_score(xncc_method method, const xncc_general_rule *rule, int zero)
{
    if (method != XNCC_SQDIFF_NORMED || rule->nan_flat)
        return rule->undefined;
    return zero ? 0.0f : 1.0f;
}

/* The formula, of arguments that are rounded already. The method is not XNCC_COVERAGE. */
static XNCC_HD float xncc_score_of_terms(xncc_method method, const xncc_general_rule *rule,
                                         int64_t n, xncc_real numerator, xncc_real image,
                                         xncc_real templ)
{
    if (method == XNCC_CCOEFF) {
        xncc_real count = { (double)n, 0 };
        return xncc_real_to_float(xncc_real_quotient(numerator, count));
    }
    if (!xncc_method_is_normed(method))
        return xncc_real_to_float(numerator);
    if (image.m == 0.0 || templ.m == 0.0)
        return xncc_flat_score(method, rule, numerator.m == 0.0);
    return xncc_real_to_float(xncc_real_quotient(
        numerator, xncc_real_product(xncc_real_sqrt(image), xncc_real_sqrt(templ))));
}

/* The same of exact terms, which are destroyed. */
static XNCC_HD float xncc_exact_score(xncc_method method, const xncc_general_rule *rule, int64_t n,
                                      xncc_exact_terms *terms)
{
    const int32_t least = XNCC_WIDE_PRODUCTS;
    const xncc_real numerator = xncc_wide_round(terms->numerator, XNCC_WIDE_DIGITS, least);
    xncc_real image = { 0.0, 0 }, templ = { 0.0, 0 };
    if (xncc_method_is_normed(method)) {
        image = xncc_wide_round(terms->image, XNCC_WIDE_DIGITS, least);
        templ = xncc_wide_round(terms->templ, XNCC_WIDE_DIGITS, least);
    }
    return xncc_score_of_terms(method, rule, n, numerator, image, templ);
}

#endif
