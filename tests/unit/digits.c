/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers in digits (cpu/kernels/reals_digits.h), by every instruction set of this processor,
 * against the digits of math/wide.h. */
#include "cpu/kernels/reals.h"
#include "cpu/kernels/variants.h"

#include "kit/kit.h"

#include <math.h>
#include <string.h>

/* Numbers of COUNT digits for WIDTH windows, of which the first USED are checked. */
enum { WIDTH = 64, USED = 13, COUNT = 6, PLACES = 13, UNIT = 400 };

typedef struct wide {
    int64_t digit[XNCC_WIDE_DIGITS];
} wide;

typedef struct row {
    float digit[PLACES][WIDTH];
} row;

static xncc_numbers numbers_of(row *r, int32_t count)
{
    return (xncc_numbers){ .digit = r->digit[0], .step = WIDTH, .count = count };
}

static void put(wide *to, double v, int place)
{
    xncc_wide_put(to->digit, xncc_u128_of((uint64_t)fabs(v)), UNIT + place, v < 0.0);
}

/* The number of window x. */
static wide wide_of(const row *r, int32_t count, int32_t x)
{
    wide w = { { 0 } };
    for (int32_t i = 0; i < count; i++) {
        CHECK(fabsf(r->digit[i][x]) <= 0x1p23f);
        put(&w, (double)r->digit[i][x], XNCC_DIGIT_BITS * i);
    }
    xncc_wide_normalize(w.digit, XNCC_WIDE_DIGITS);
    return w;
}

static int same(wide a, wide b)
{
    xncc_wide_normalize(a.digit, XNCC_WIDE_DIGITS);
    xncc_wide_normalize(b.digit, XNCC_WIDE_DIGITS);
    return memcmp(&a, &b, sizeof a) == 0;
}

/* Digits of which many are 0, or the largest. */
static double some_digit(kit_random *random)
{
    const double v = (double)kit_between(random, -(1 << 23), 1 << 23);
    const uint64_t kind = kit_below(random, 6);
    return kind < 3 ? 0.0 : kind == 3 ? v : kind == 4 ? copysign(0x1p23, v) : copysign(1.0, v);
}

static row some_row(int32_t count, kit_random *random)
{
    row r = { { { 0.0f } } };
    for (int32_t i = 0; i < count; i++)
        for (int32_t x = 0; x < WIDTH; x++)
            r.digit[i][x] = (float)some_digit(random);
    return r;
}

/* Gives windows numbers in the middle between two of 53 bits, or a little beside it. */
static void set_ties(row *r, int32_t count, kit_random *random)
{
    for (int32_t x = 0; x < USED && count > 4; x += 2) {
        const float sign = kit_below(random, 2) ? 1.0f : -1.0f;
        const int32_t low = kit_between(random, 0, count - 5);
        for (int32_t i = 0; i < count; i++)
            r->digit[i][x] = 0.0f;
        r->digit[count - 1][x] = sign * (float)kit_between(random, 1 << 22, (1 << 23) - 1);
        r->digit[count - 2][x] = (float)kit_between(random, -(1 << 22), 1 << 22);
        r->digit[count - 3][x] = 0x1p17f;
        r->digit[low][x] = (float)kit_between(random, -1, 1);
    }
}

static void check_rounding(const xncc_digits_isa *isa, kit_random *random)
{
    double value[WIDTH], place[WIDTH];
    const xncc_rounded to = { value, place };
    row r = some_row(PLACES, random);
    const int32_t count = kit_between(random, 1, PLACES);
    set_ties(&r, count, random);
    const xncc_numbers from = numbers_of(&r, count);
    isa->round(&from, USED, &to);
    for (int32_t x = 0; x < USED; x++) {
        wide w = wide_of(&r, count, x);
        const xncc_real want = xncc_wide_round(w.digit, XNCC_WIDE_DIGITS, -UNIT);
        int got_power, want_power;
        const double got = frexp(value[x], &got_power), m = frexp(want.m, &want_power);
        CHECK(got == m);
        if (m != 0.0)
            CHECK(got_power + XNCC_DIGIT_BITS * (int)place[x] == want_power + want.e);
    }
}

static void check_collecting(const xncc_digits_isa *isa, kit_random *random)
{
    enum { WEIGHTS = 9 };
    static double integers[WEIGHTS][WIDTH];
    const double *rows[WEIGHTS];
    const int bits = kit_between(random, 7, 24);
    row r = some_row(COUNT, random), before = r;
    const xncc_numbers to = numbers_of(&r, PLACES);
    const xncc_weighted from = {
        .row = rows, .count = WEIGHTS, .bits = bits, .more = (int32_t)kit_below(random, 2)
    };
    for (int w = 0; w < WEIGHTS; w++) {
        rows[w] = kit_below(random, 4) ? integers[w] : NULL;
        for (int x = 0; x < WIDTH; x++)
            integers[w][x] = ldexp((double)kit_between(random, -(1 << 29), 1 << 29), 21) +
                             (double)kit_between(random, -9, 9);
    }
    isa->collect(&from, USED, &to);
    for (int32_t x = 0; x < USED; x++) {
        wide want = { { 0 } };
        if (from.more)
            want = wide_of(&before, COUNT, x);
        for (int w = 0; w < WEIGHTS; w++)
            if (rows[w])
                put(&want, integers[w][x], bits * w);
        CHECK(same(wide_of(&r, PLACES, x), want));
    }
}

/* The number of window x as a value of math/wide.h, UNIT / 2 places up. */
static void value_of(const row *r, int32_t x, int64_t *digit)
{
    for (int32_t i = 0; i < COUNT; i++)
        xncc_wide_put(digit, xncc_u128_of((uint64_t)fabs((double)r->digit[i][x])),
                      XNCC_DIGIT_BITS * i + UNIT / 2, r->digit[i][x] < 0.0f);
    xncc_wide_normalize(digit, XNCC_WIDE_VALUE_DIGITS);
}

/* n * A + 3 * B - 2 * C - D * E, added to what is there. */
static void check_terms(const xncc_digits_isa *isa, kit_random *random)
{
    row a = some_row(COUNT, random), b = some_row(COUNT, random), c = some_row(COUNT, random),
        d = some_row(COUNT, random), e = some_row(COUNT, random), to = some_row(COUNT, random),
        before = to;
    double n[WIDTH];
    for (int x = 0; x < WIDTH; x++)
        n[x] = (double)kit_between(random, 0, 1 << 26);
    xncc_exact_term term = { .plus = { numbers_of(&a, COUNT), numbers_of(&b, COUNT),
                                       numbers_of(&c, COUNT) },
                             .factor = { 7.0, 3.0, -2.0 },
                             .n = kit_below(random, 2) ? n : NULL,
                             .b = numbers_of(&d, COUNT),
                             .c = numbers_of(&e, COUNT),
                             .more = (int32_t)kit_below(random, 2) };
    term.c.constant = (int32_t)kit_below(random, 2);
    const xncc_numbers all = numbers_of(&to, PLACES);
    isa->term(&term, USED, &all);
    for (int32_t x = 0; x < USED; x++) {
        wide want = { { 0 } };
        int64_t of_d[XNCC_WIDE_VALUE_DIGITS] = { 0 }, of_e[XNCC_WIDE_VALUE_DIGITS] = { 0 };
        const wide of_a = wide_of(&a, COUNT, x), of_b = wide_of(&b, COUNT, x),
                   of_c = wide_of(&c, COUNT, x);
        if (term.more)
            want = wide_of(&before, COUNT, x);
        xncc_wide_add_multiple(want.digit, of_a.digit, term.n ? (int64_t)n[x] : 7);
        xncc_wide_add_multiple(want.digit, of_b.digit, 3);
        xncc_wide_add_multiple(want.digit, of_c.digit, -2);
        value_of(&d, x, of_d);
        value_of(&e, term.c.constant ? 0 : x, of_e);
        xncc_wide_subtract_product(want.digit, of_d, of_e);
        CHECK(same(wide_of(&to, PLACES, x), want));
    }
}

static void check_squares(const xncc_digits_isa *isa, kit_random *random)
{
    static double v[COUNT][WIDTH], out[2 * COUNT + 1][WIDTH];
    row r = some_row(COUNT, random);
    for (int32_t i = 0; i < COUNT; i++)
        for (int32_t x = 0; x < WIDTH; x++)
            v[i][x] = (double)r.digit[i][x];
    isa->squares(v[0], WIDTH, COUNT, USED, out[0], 2 * COUNT + 1);
    for (int32_t x = 0; x < USED; x++) {
        wide left = { { 0 } };
        const wide zero = { { 0 } };
        int64_t of_v[XNCC_WIDE_VALUE_DIGITS] = { 0 };
        for (int32_t i = 0; i < 2 * COUNT + 1; i++) {
            CHECK(fabs(out[i][x]) <= 0x1p23);
            put(&left, out[i][x], XNCC_DIGIT_BITS * i);
        }
        xncc_wide_normalize(left.digit, XNCC_WIDE_DIGITS);
        value_of(&r, x, of_v);
        xncc_wide_subtract_product(left.digit, of_v, of_v);
        CHECK(same(left, zero));
    }
}

static void check(const xncc_digits_isa *isa)
{
    kit_random random = kit_stream(1);
    for (int i = 0; i < 300; i++) {
        check_rounding(isa, &random);
        check_collecting(isa, &random);
        check_terms(isa, &random);
        check_squares(isa, &random);
    }
}

int main(int argc, char **argv)
{
    kit_start(argc, argv);
    check(xncc_reals_isa_portable.digits);
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        check(xncc_reals_isa_avx2.digits);
#endif
#if defined(__x86_64__) && defined(XNCC_CPU_VNNI)
    if (__builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vnni") &&
        __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw"))
        check(xncc_reals_isa_avx512.digits);
#endif
    return kit_finish("digits");
}
