/* SPDX-License-Identifier: BSD-2-Clause */
/* The arguments of the formula (math/exact_score.h) from sums that are long integers. Of samples in
 * units of 2^unit, sums of products are in units of its square. Compiled for the host and for the
 * device. */
#ifndef XNCC_MATH_LONG_SCORE_H
#define XNCC_MATH_LONG_SCORE_H

#include "math/exact_score.h"
#include "math/long_integer.h"
#include "math/method.h"

/* The least k with 2^k >= n. */
static XNCC_HD int32_t xncc_long_log2(uint32_t n)
{
    int32_t k = 0;
    while (UINT64_C(1) << k < n)
        k++;
    return k;
}

/* The words that hold the arguments of the formula, of n samples of at most so many bits. */
static XNCC_HD int32_t xncc_long_term_words(int32_t bits, uint32_t n)
{
    return (2 * bits + 2 * xncc_long_log2(n) + 4 + 31) / 32;
}

/* term += n * Q - S * S, or Q for methods that are not centred: the term of an image, or of a
 * template. minus: scratch. All have `words` words, enough for the result. */
static XNCC_HD void xncc_long_add_term(xncc_method method, uint32_t n, const uint32_t *S,
                                       const uint32_t *Q, uint32_t *term, uint32_t *minus,
                                       int32_t words)
{
    const int centred = xncc_method_is_centred(method);
    xncc_long_add_multiple(term, words, centred ? n : 1u, Q);
    if (centred)
        xncc_long_subtract_product(term, words, S, S, minus);
}

/* The sums of a channel. */
typedef struct xncc_long_sums {
    const uint32_t *S, *T, *Q, *T2, *X;
} xncc_long_sums;

/* The arguments of the formula, of the channels so far, and scratch memory. All numbers, the sums,
 * too, have `words` words, enough for the arguments. */
typedef struct xncc_long_terms {
    uint32_t *numerator, *image, *templ, *minus;
    int32_t words;
} xncc_long_terms;

/* Adds the sums of n pixels of a channel. */
static XNCC_HD void xncc_long_add_channel(xncc_method method, uint32_t n, const xncc_long_sums *s,
                                          const xncc_long_terms *to)
{
    const int centred = xncc_method_is_centred(method),
              difference = xncc_method_of_difference(method);
    const uint32_t twice_negative[2] = { 0u - 2u, UINT32_MAX }, factor[2] = { centred ? n : 1u, 0 };
    if (xncc_method_is_normed(method)) {
        xncc_long_add_term(method, n, s->S, s->Q, to->image, to->minus, to->words);
        xncc_long_add_term(method, n, s->T, s->T2, to->templ, to->minus, to->words);
    }
    xncc_long_add_product(to->numerator, to->words, difference ? twice_negative : factor, 2, s->X,
                          to->words);
    if (centred)
        xncc_long_subtract_product(to->numerator, to->words, s->S, s->T, to->minus);
    if (difference) {
        xncc_long_add_multiple(to->numerator, to->words, 1, s->Q);
        xncc_long_add_multiple(to->numerator, to->words, 1, s->T2);
    }
}

/* The score of n pixels whose samples are in units of 2^unit. Destroys the arguments. */
static XNCC_HD float xncc_long_score(xncc_method method, const xncc_general_rule *rule, uint32_t n,
                                     const xncc_long_terms *terms, int32_t unit)
{
    const xncc_real numerator = xncc_long_round(terms->numerator, terms->words, 2 * unit),
                    image = xncc_long_round(terms->image, terms->words, 2 * unit),
                    templ = xncc_long_round(terms->templ, terms->words, 2 * unit);
    return xncc_score_of_terms(method, rule, n, numerator, image, templ);
}

#endif
