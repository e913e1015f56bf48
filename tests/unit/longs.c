/* SPDX-License-Identifier: BSD-2-Clause */
/* Long integers (math/long_integer.h) beside integers of 128 bits, their rounding beside that of
 * math/wide.h, and scores from them beside those of math/exact_score.h. */
#include "math/exact_score.h"
#include "math/long_score.h"

#include "kit/kit.h"

#include <math.h>
#include <string.h>

enum { WORDS = 4, STEP = 3, MANY = 9, ROUNDS = 20000 };
typedef __int128 big;
typedef unsigned __int128 natural;

static void put(uint32_t *to, big v)
{
    for (int i = 0; i < WORDS; i++)
        to[i] = (uint32_t)((natural)v >> (32 * i));
}

static big get(const uint32_t *from)
{
    natural v = 0;
    for (int i = 0; i < WORDS; i++)
        v |= (natural)from[i] << (32 * i);
    return (big)v;
}

/* A number of up to so many bits, often near a power of two, with a sign. */
static big draw(kit_random *random, int bits)
{
    const int used = kit_between(random, 0, bits);
    natural v = (natural)kit_next(random) << 64 | kit_next(random);
    v = used ? v >> (128 - used) : 0;
    if (kit_below(random, 4) == 0 && used)
        v = ((natural)1 << (used - 1)) - (natural)(kit_below(random, 3));
    return kit_below(random, 2) ? -(big)v : (big)v;
}

static void check_sums(kit_random *random)
{
    uint32_t a[WORDS * STEP];
    memset(a, 0, sizeof a);
    big want = 0;
    for (int k = 0; k < 50; k++) {
        const int64_t v = (int64_t)draw(random, 60);
        const int32_t bit = kit_between(random, 0, 140);
        xncc_long_add(a, STEP, WORDS, v, bit);
        want = bit < 128 ? (big)((natural)want + ((natural)(big)v << bit)) : want;
        uint32_t words[WORDS];
        for (int i = 0; i < WORDS; i++)
            words[i] = a[i * STEP];
        CHECK(get(words) == want);
        for (int i = 0; i < WORDS * STEP; i++)
            CHECK(i % STEP == 0 || a[i] == 0);
    }
}

static void check_put(kit_random *random)
{
    uint32_t a[WORDS] = { 0 };
    big want = 0;
    for (int k = 0; k < 20; k++) {
        const big v = draw(random, 100);
        const int32_t bit = kit_between(random, 0, 40);
        const natural size = (natural)(v < 0 ? -v : v);
        const xncc_u128 of = { (uint64_t)(size >> 64), (uint64_t)size };
        xncc_long_put(a, 1, WORDS, of, bit, v < 0);
        want = (big)((natural)want + ((natural)v << bit));
        CHECK(get(a) == want);
    }
}

enum { LONG = 6, PIXELS = 12 }; /* words that hold the terms of so many samples of 60 bits */

typedef struct long_sums {
    uint32_t S[LONG], T[LONG], Q[LONG], T2[LONG], X[LONG];
} long_sums;

static void put_product(uint32_t *to, int64_t a, int64_t b)
{
    const uint64_t size_a = (uint64_t)(a < 0 ? -a : a), size_b = (uint64_t)(b < 0 ? -b : b);
    xncc_long_put(to, 1, LONG, xncc_u128_of_product(size_a, size_b), 0, (a < 0) != (b < 0));
}

/* The words that terms of n samples have: n^2 times the square of the largest one is below half of
 * what they hold, and one word less holds no more than 2^6 times that. */
static void check_words(void)
{
    for (uint32_t n = 1; n < 3000; n += n < 40 ? 1 : 37)
        for (int32_t bits = 1; bits < 200; bits++) {
            const int32_t words = xncc_long_term_words(bits, n);
            const double term = 2.0 * log2(n) + 2.0 * bits;
            CHECK(32.0 * words - 1.0 > term && 32.0 * (words - 1) < term + 6.0);
        }
    CHECK(xncc_long_log2(1) == 0 && xncc_long_log2(2) == 1 && xncc_long_log2(3) == 2 &&
          xncc_long_log2(UINT32_MAX) == 32);
}

/* The scores of a window of samples a * 2^unit, from both kinds of sums. */
static void check_score(kit_random *random, xncc_method method)
{
    const int32_t n = kit_between(random, 1, PIXELS), bits = kit_between(random, 1, 53),
                  unit = kit_between(random, -500, 500);
    const xncc_general_rule rule = { .undefined = -7.0f };
    long_sums s;
    xncc_exact_sums wide;
    xncc_exact_terms terms;
    memset(&s, 0, sizeof s);
    memset(&wide, 0, sizeof wide);
    memset(&terms, 0, sizeof terms);
    for (int32_t i = 0; i < n; i++) {
        const int64_t v = (int64_t)draw(random, bits), t = (int64_t)draw(random, bits);
        put_product(s.S, v, 1);
        put_product(s.T, t, 1);
        put_product(s.Q, v, v);
        put_product(s.T2, t, t);
        put_product(s.X, v, t);
        xncc_exact_add_pair(&wide, method, ldexp((double)v, unit), ldexp((double)t, unit));
    }
    xncc_exact_normalize(&wide);
    xncc_exact_add_channel(&terms, method, n, &wide);
    const float want = xncc_exact_score(method, &rule, n, &terms);
    uint32_t numerator[LONG] = { 0 }, image[LONG] = { 0 }, templ[LONG] = { 0 }, minus[LONG];
    const uint32_t pixels = (uint32_t)n;
    const xncc_long_terms arguments = { numerator, image, templ, minus, LONG };
    xncc_long_add_channel(method, pixels, &(xncc_long_sums){ s.S, s.T, s.Q, s.T2, s.X },
                          &arguments);
    const float got = xncc_long_score(method, &rule, pixels, &arguments, unit);
    CHECK(memcmp(&got, &want, sizeof got) == 0);
}

static void check_products(kit_random *random)
{
    const int of_a = kit_between(random, 1, WORDS), of_b = kit_between(random, 1, WORDS);
    const big a = draw(random, 32 * of_a - 1), b = draw(random, 32 * of_b - 1),
              c = draw(random, 127);
    uint32_t x[WORDS], y[WORDS], to[WORDS];
    put(x, a);
    put(y, b);
    put(to, c);
    xncc_long_add_product(to, WORDS, x, of_a, y, of_b);
    CHECK(get(to) == (big)((natural)c + (natural)a * (natural)b));
    xncc_long_negate(x, of_a);
    put(to, c);
    xncc_long_add_product(to, WORDS, x, of_a, y, of_b);
    CHECK(get(to) == (big)((natural)c - (natural)a * (natural)b));
}

static void check_rounding(kit_random *random)
{
    const big v = draw(random, 127);
    const int32_t unit = kit_between(random, -800, 800);
    uint32_t a[WORDS];
    put(a, v);
    const xncc_real r = xncc_long_round(a, WORDS, unit);
    CHECK(ldexp(r.m, r.e - unit) == (double)v);
    CHECK(r.m == 0.0 || (fabs(r.m) >= 1.0 && fabs(r.m) <= 2.0));
}

/* More words, so that what is far below decides. */
static void check_long_rounding(kit_random *random)
{
    uint32_t a[MANY] = { 0 };
    int64_t digit[MANY + 1] = { 0 };
    const int top = kit_between(random, 0, MANY - 1);
    for (int i = 0; i <= top; i++)
        a[i] = kit_below(random, 3) ? 0 : (uint32_t)kit_next(random);
    a[top] = (uint32_t)kit_next(random) >> kit_between(random, 0, 31);
    if (top > 1 && kit_below(random, 2)) { /* near the middle between two doubles */
        a[top] = 1;
        a[top - 1] = (uint32_t)kit_next(random);
        a[top - 2] = (uint32_t)kit_next(random) >> 12 << 12 | 0x800;
    }
    a[MANY - 1] &= INT32_MAX;
    for (int i = 0; i < MANY; i++)
        digit[i] = a[i];
    const int negative = (int)kit_below(random, 2);
    if (negative)
        xncc_long_negate(a, MANY);
    const xncc_real got = xncc_long_round(a, MANY, -77),
                    want = xncc_wide_round(digit, MANY + 1, -77);
    CHECK(got.m == (negative ? -want.m : want.m) && got.e == want.e);
}

int main(int argc, char **argv)
{
    kit_start(argc, argv);
    kit_random random = kit_stream(5);
    check_words();
    for (int i = 0; i < ROUNDS; i++) {
        if (i % 50 == 0) {
            check_sums(&random);
            check_put(&random);
            for (int method = 0; method <= XNCC_SQDIFF_NORMED; method++)
                check_score(&random, (xncc_method)method);
        }
        check_products(&random);
        check_rounding(&random);
        check_long_rounding(&random);
    }
    return kit_finish("longs");
}
