/* SPDX-License-Identifier: BSD-2-Clause */
/* Exact scores of many windows of a rectangle at once (reals_slices.h): sums of products by slices,
 * and sums of samples and squares that slide. All of them are integers in words of 64 bits. */
#include "cpu/kernels/reals_slices.h"

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

static void sum_template(xncc_together *t)
{
    const xncc_template *templ = t->r->job->templ;
    const int64_t n = (int64_t)templ->width * templ->height;
    uint64_t term[XNCC_MOST_WORDS] = { 0 };
    for (int64_t i = 0; i < n && !(i % 65536 == 0 && xncc_is_cancelled(t->r->job->watch)); i++)
        put_sample(&t->cut.templ, t->cut.words, t->r->shared->value[0][i], 0, t->T, t->T2);
    if (xncc_method_is_centred(t->method)) {
        xncc_words_add_multiple(term, t->T2, t->cut.words, (uint64_t)n);
        xncc_words_subtract_product(term, t->cut.words, t->T, t->T, few_of(t->cut.words));
    } else {
        memcpy(term, t->T2, sizeof term);
    }
    t->templ = xncc_words_round(term, t->cut.words, 2 * t->cut.templ.exponent);
}

XNCC_WORDS float score_window(const xncc_together *t, int words, const uint64_t *X)
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

/* Adds row yy to the column sums, or subtracts it. */
XNCC_WORDS void put_row(xncc_together *t, int words, int32_t yy, int subtract)
{
    uint64_t *column = t->r->m.column_words;
    (void)xncc_reals_read_line(t->r, yy, 0, 0.0, 1);
    for (int32_t x = 0; x < t->r->m.stage.width; x++, column += few_of(words) + words)
        put_sample(&t->cut.image, words, t->r->m.line[x], subtract, column, column + few_of(words));
}

XNCC_WORDS void put_column(xncc_together *t, int words, int32_t x, int subtract)
{
    const int few = few_of(words);
    const uint64_t *column = t->r->m.column_words + (size_t)x * (size_t)(few + words);
    xncc_words_add(t->S, column, few, subtract);
    xncc_words_add(t->Q, column + few, words, subtract);
}

/* Scores the windows in doubt of row y. of_image: 1 if the method needs sums of the image. */
XNCC_WORDS void score_row(xncc_together *t, int words, int of_image, int32_t y)
{
    const xncc_reals_run *r = t->r;
    const int32_t width = r->job->templ->width;
    const uint64_t *X = r->m.words + (size_t)y * (size_t)r->stride * (size_t)words;
    float *out = r->area->out + y * r->area->pitch;
    memset(t->S, 0, sizeof t->S);
    memset(t->Q, 0, sizeof t->Q);
    for (int32_t x = 0; x < width - 1 && of_image; x++)
        put_column(t, words, x, 0);
    for (int32_t x = 0; x < r->area->width; x++, X += words) {
        uint32_t bits;
        if (of_image)
            put_column(t, words, x + width - 1, 0);
        memcpy(&bits, out + x, sizeof bits);
        if (bits == XNCC_DOUBT)
            out[x] = score_window(t, words, X);
        if (of_image)
            put_column(t, words, x, 1);
    }
}

XNCC_WORDS void score_rows(xncc_together *t, int words)
{
    xncc_reals_run *r = t->r;
    const int32_t height = r->job->templ->height;
    const int of_image = t->method != XNCC_CCORR;
    memset(r->m.column_words, 0,
           (size_t)r->m.stage.width * (size_t)(few_of(words) + words) * sizeof(uint64_t));
    for (int32_t yy = 0; yy < height - 1 && of_image && !xncc_is_cancelled(r->job->watch); yy++)
        put_row(t, words, yy, 0);
    for (int32_t y = 0; y < r->area->height && !xncc_is_cancelled(r->job->watch); y++) {
        if (of_image)
            put_row(t, words, y + height - 1, 0);
        score_row(t, words, of_image, y);
        if (of_image)
            put_row(t, words, y, 1);
    }
}

static int begin(xncc_together *t)
{
    if (t->known)
        return t->known > 0;
    t->method = t->r->job->problem->rule.method;
    t->known = t->r->m.words_per_window > 0 && xncc_reals_cut(t->r, &t->cut) ? 1 : -1;
    if (t->known > 0)
        sum_template(t);
    return t->known > 0;
}

int xncc_reals_settle_alone(xncc_together *t, int32_t x, int32_t y, float *score)
{
    if (!begin(t))
        return 0;
    const xncc_template *templ = t->r->job->templ;
    const int words = t->cut.words;
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

int xncc_reals_settle_together(xncc_reals_run *r)
{
    xncc_together t = { .r = r };
    if (!begin(&t))
        return 0;
    xncc_reals_multiply_slices(r, &t.cut);
    switch (t.cut.words) {
    case 1: score_rows(&t, 1); break;
    case 2: score_rows(&t, 2); break;
    case 3: score_rows(&t, 3); break;
    case 4: score_rows(&t, 4); break;
    case 5: score_rows(&t, 5); break;
    case 6: score_rows(&t, 6); break;
    default: score_rows(&t, t.cut.words);
    }
    return 1;
}
