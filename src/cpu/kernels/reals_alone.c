/* SPDX-License-Identifier: BSD-2-Clause */
/* The exact score of a window of a rectangle in words (reals_alone.h). */
#include "cpu/kernels/reals_alone.h"

#include <math.h>

/* Words of sums of samples, if those of products have `words`. */
XNCC_WORDS int few_of(int words)
{
    return (words + 1) / 2;
}

/* A sample in units: whole * 2^shift, with its sign. */
typedef struct in_units {
    uint64_t whole;
    int shift, negative;
} in_units;

XNCC_WORDS in_units units_of(const xncc_slicing *of, double v)
{
    const xncc_wide_part p = xncc_wide_part_of(v);
    const int place = p.place + XNCC_WIDE_VALUES - of->exponent, shift = place > 0 ? place : 0;
    /* the bits below the unit are 0, and all bits of 0 are */
    const in_units u = { p.mantissa ? p.mantissa >> (shift - place) : 0, shift, p.negative };
    return u;
}

/* Adds a sample and its square to a sum of samples and one of squares, or subtracts both. */
XNCC_WORDS void put_sample(const xncc_slicing *of, int words, double v, int subtract, uint64_t *sum,
                           uint64_t *square)
{
    const in_units u = units_of(of, v);
    if (u.whole == 0)
        return;
    xncc_words_put(sum, few_of(words), xncc_u128_of(u.whole), u.shift, subtract ^ u.negative);
    xncc_words_put(square, words, xncc_u128_of_product(u.whole, u.whole), 2 * u.shift, subtract);
}

static void sum_template(xncc_alone *t)
{
    const xncc_template *templ = t->r->job->templ;
    const int64_t n = (int64_t)templ->width * templ->height;
    uint64_t term[XNCC_MOST_WORDS] = { 0 };
    for (int64_t i = 0; i < n && !(i % 65536 == 0 && xncc_is_cancelled(t->r->job->watch)); i++)
        put_sample(&t->cut.templ, t->words, t->r->shared->value[0][i], 0, t->T, t->T2);
    if (xncc_method_is_centred(t->method)) {
        xncc_words_add_multiple(term, t->T2, t->words, (uint64_t)n);
        xncc_words_subtract_product(term, t->words, t->T, t->T, few_of(t->words));
    } else {
        memcpy(term, t->T2, sizeof term);
    }
    t->templ = xncc_words_round(term, t->words, 2 * t->cut.templ.exponent);
}

XNCC_WORDS float score_window(const xncc_alone *t, int words, const uint64_t *X)
{
    const int few = few_of(words);
    const uint64_t n = t->r->job->general.whole;
    uint64_t numerator[XNCC_MOST_WORDS] = { 0 }, image[XNCC_MOST_WORDS] = { 0 };
    if (xncc_method_is_centred(t->method)) {
        xncc_words_add_multiple(numerator, X, words, n);
        xncc_words_subtract_product(numerator, words, t->S, t->T, few);
        xncc_words_add_multiple(image, t->Q, words, n);
        xncc_words_subtract_product(image, words, t->S, t->S, few);
    } else if (xncc_method_of_difference(t->method)) {
        xncc_words_add(numerator, t->Q, words, 0);
        xncc_words_add(numerator, t->T2, words, 0);
        xncc_words_add(numerator, X, words, 1);
        xncc_words_add(numerator, X, words, 1);
        memcpy(image, t->Q, sizeof image);
    } else {
        memcpy(numerator, X, (size_t)words * sizeof *X);
        memcpy(image, t->Q, sizeof image);
    }
    const int of_image = t->cut.image.exponent, of_templ = t->cut.templ.exponent;
    return xncc_score_of_terms(t->method, &t->r->job->general, (int64_t)n,
                               xncc_words_round(numerator, words, of_image + of_templ),
                               xncc_words_round(image, words, 2 * of_image), t->templ);
}

/* The terms of the formula fit so many words. */
static int count_words(xncc_alone *t)
{
    const xncc_template *templ = t->r->job->templ;
    const int counted = ilogb((double)templ->width * templ->height) + 2, /* n < 2^counted */
        most = t->cut.image.bits > t->cut.templ.bits ? t->cut.image.bits : t->cut.templ.bits;
    t->words = (2 * (most + counted) + 2) / 64 + 1;
    return t->words;
}

static int begin(xncc_alone *t)
{
    if (t->known)
        return t->known > 0;
    t->method = t->r->job->problem->rule.method;
    t->known = t->r->job->templ->channels == 1 && xncc_reals_counts_all(t->r) && !t->r->bad &&
                       xncc_reals_cut(t->r, &t->cut) && count_words(t) <= XNCC_MOST_WORDS
                   ? 1
                   : -1;
    if (t->known > 0)
        sum_template(t);
    return t->known > 0;
}

int xncc_reals_settle_alone(xncc_alone *t, int32_t x, int32_t y, float *score)
{
    if (!begin(t))
        return 0;
    const xncc_template *templ = t->r->job->templ;
    const int words = t->words;
    uint64_t X[XNCC_MOST_WORDS] = { 0 };
    memset(t->S, 0, sizeof t->S);
    memset(t->Q, 0, sizeof t->Q);
    for (int32_t j = 0; j < templ->height && !xncc_is_cancelled(t->r->job->watch); j++) {
        const void *raw = xncc_stage_raw(&t->r->m.stage, y + j);
        const double *row = t->r->shared->value[0] + (ptrdiff_t)j * templ->width;
        for (int32_t i = 0; i < templ->width; i++) {
            const double v = xncc_sample_value(templ->pixel, raw, x + i);
            const in_units a = units_of(&t->cut.image, v), b = units_of(&t->cut.templ, row[i]);
            put_sample(&t->cut.image, words, v, 0, t->S, t->Q);
            if (a.whole && b.whole)
                xncc_words_put(X, words, xncc_u128_of_product(a.whole, b.whole), a.shift + b.shift,
                               a.negative ^ b.negative);
        }
    }
    *score = score_window(t, words, X);
    return 1;
}
