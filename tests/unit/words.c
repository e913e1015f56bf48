/* SPDX-License-Identifier: BSD-2-Clause */
/* Integers of many words (cpu/kernels/reals_words.h) against the digits of math/wide.h. */
#include "cpu/kernels/reals_words.h"

#include "kit/kit.h"

#include <math.h>

enum { WORDS = 7, FEW = 4, UNIT = -300 };

/* A number in words times 2^UNIT, and the same number in digits. */
typedef struct both {
    uint64_t words[XNCC_MOST_WORDS];
    int64_t digits[XNCC_WIDE_DIGITS];
} both;

static void check_same(const both *b, int words)
{
    int64_t digits[XNCC_WIDE_DIGITS];
    memcpy(digits, b->digits, sizeof digits);
    xncc_wide_normalize(digits, XNCC_WIDE_DIGITS);
    const xncc_real want = xncc_wide_round(digits, XNCC_WIDE_DIGITS, XNCC_WIDE_PRODUCTS),
                    got = xncc_words_round(b->words, words, UNIT);
    CHECK(got.m == want.m && got.e == want.e);
}

/* Puts random numbers, of which many cancel, and compares after each. */
static void check_puts(kit_random *random)
{
    both b = { { 0 }, { 0 } };
    xncc_u128 before = { 0, 0 };
    int shift = 0, subtract = 0;
    for (int i = 0; i < 60; i++) {
        if (kit_below(random, 3) > 0) {
            before.low = kit_next(random) >> kit_below(random, 64);
            before.high = kit_below(random, 2) ? kit_next(random) >> 22 : 0;
            shift = kit_between(random, 0, 64 * WORDS - 118);
            subtract = (int)kit_below(random, 2);
        } else {
            subtract = !subtract; /* the last one again */
        }
        xncc_words_put(b.words, WORDS, before, shift, subtract);
        xncc_wide_put(b.digits, before, shift + UNIT - XNCC_WIDE_PRODUCTS, subtract);
        check_same(&b, WORDS);
    }
}

/* Rounds numbers on and beside the middle between two doubles. */
static void check_ties(kit_random *random)
{
    for (int i = 0; i < 300; i++) {
        both b = { { 0 }, { 0 } };
        const xncc_u128 top = { 0, kit_next(random) | UINT64_C(1) << 63 },
                        tie = { 0, (top.low & ~UINT64_C(0x7ff)) | 0x400 }, one = { 0, 1 };
        const int high = kit_between(random, 1, 64 * WORDS - 66), negative = i & 1;
        xncc_words_put(b.words, WORDS, tie, high, negative);
        xncc_wide_put(b.digits, tie, high + UNIT - XNCC_WIDE_PRODUCTS, negative);
        check_same(&b, WORDS);
        const int low = kit_between(random, 0, high - 1), subtract = (i >> 1) & 1;
        xncc_words_put(b.words, WORDS, one, low, subtract);
        xncc_wide_put(b.digits, one, low + UNIT - XNCC_WIDE_PRODUCTS, subtract);
        check_same(&b, WORDS);
    }
}

/* n * X - S * T against digits. */
static void check_terms(kit_random *random)
{
    for (int i = 0; i < 300; i++) {
        uint64_t S[XNCC_MOST_WORDS] = { 0 }, T[XNCC_MOST_WORDS] = { 0 };
        int64_t wide_S[XNCC_WIDE_VALUE_DIGITS] = { 0 }, wide_T[XNCC_WIDE_VALUE_DIGITS] = { 0 };
        both b = { { 0 }, { 0 } };
        const uint64_t n = kit_below(random, UINT64_C(1) << 31);
        /* S and T are multiples of 2^(UNIT / 2) */
        for (int k = 0; k < 5; k++) {
            const xncc_u128 v = { 0, kit_next(random) }, t = { 0, kit_next(random) };
            const int at = kit_between(random, 0, 140), negative = (int)kit_below(random, 2);
            xncc_words_put(S, FEW, v, at, negative);
            xncc_wide_put(wide_S, v, at + UNIT / 2 - XNCC_WIDE_VALUES, negative);
            xncc_words_put(T, FEW, t, at, k & 1);
            xncc_wide_put(wide_T, t, at + UNIT / 2 - XNCC_WIDE_VALUES, k & 1);
        }
        both X = { { 0 }, { 0 } };
        const xncc_u128 x = { kit_next(random) >> 12, kit_next(random) };
        xncc_words_put(X.words, WORDS, x, 7, i & 1);
        xncc_wide_put(X.digits, x, 7 + UNIT - XNCC_WIDE_PRODUCTS, i & 1);
        xncc_wide_normalize(X.digits, XNCC_WIDE_DIGITS);
        xncc_wide_normalize(wide_S, XNCC_WIDE_VALUE_DIGITS);
        xncc_wide_normalize(wide_T, XNCC_WIDE_VALUE_DIGITS);
        xncc_words_add_multiple(b.words, X.words, WORDS, n);
        xncc_wide_add_multiple(b.digits, X.digits, (int64_t)n);
        check_same(&b, WORDS);
        xncc_words_subtract_product(b.words, WORDS, S, T, FEW);
        xncc_wide_subtract_product(b.digits, wide_S, wide_T);
        check_same(&b, WORDS);
    }
}

int main(int argc, char **argv)
{
    kit_start(argc, argv);
    kit_random random = kit_stream(1);
    for (int i = 0; i < 100; i++)
        check_puts(&random);
    check_ties(&random);
    check_terms(&random);
    return kit_finish("words");
}
