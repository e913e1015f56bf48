/* SPDX-License-Identifier: BSD-2-Clause */
/* Exact sums, pairs of doubles and bounds (math/wide.h, math/near.h), on values whose sums are
 * known by construction. */
#include "math/grid.h"
#include "math/near.h"

#include "kit/kit.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* A sum of products, rounded. */
typedef struct product_sum {
    int64_t digit[XNCC_WIDE_DIGITS];
} product_sum;

static double rounded(product_sum *s)
{
    xncc_wide_normalize(s->digit, XNCC_WIDE_DIGITS);
    const xncc_real r = xncc_wide_round(s->digit, XNCC_WIDE_DIGITS, XNCC_WIDE_PRODUCTS);
    return ldexp(r.m, r.e);
}

static double sum_of(const double (*pair)[2], int count)
{
    product_sum s = { { 0 } };
    for (int i = 0; i < count; i++)
        xncc_wide_add_product(s.digit, pair[i][0], pair[i][1]);
    return rounded(&s);
}

static void check_rounding(void)
{
    const double odd = 0x1.0000000000001p0, tiny = 0x1p-500;
    /* halfway between 1 and the next double: to even, unless something far below decides */
    CHECK(sum_of((const double[][2]){ { 1, 1 }, { 0x1p-53, 1 } }, 2) == 1.0);
    CHECK(sum_of((const double[][2]){ { 1, 1 }, { 0x1p-53, 1 }, { tiny, tiny } }, 3) == odd);
    CHECK(sum_of((const double[][2]){ { 1, 1 }, { 0x1p-53, 1 }, { tiny, -tiny } }, 3) == 1.0);
    CHECK(sum_of((const double[][2]){ { odd, 1 }, { 0x1p-53, 1 } }, 2) == 0x1.0000000000002p0);
    CHECK(sum_of((const double[][2]){ { odd, 1 }, { 0x1p-53, 1 }, { tiny, -tiny } }, 3) == odd);
    CHECK(sum_of((const double[][2]){ { -odd, 1 }, { -0x1p-53, 1 }, { tiny, tiny } }, 3) == -odd);
    /* cancellation to the last bit, across the whole range */
    CHECK(sum_of((const double[][2]){ { DBL_MAX, DBL_MAX }, { tiny, 3 }, { -DBL_MAX, DBL_MAX } },
                 3) == 3 * tiny);
    CHECK(sum_of((const double[][2]){ { DBL_MAX, -DBL_MAX }, { DBL_MAX, DBL_MAX } }, 2) == 0.0);
    CHECK(sum_of((const double[][2]){ { 0x1p-1074, 0x1p1000 }, { -0x1p-74, 1 } }, 2) == 0.0);
}

/* A number of 53 bits may have any exponent. */
static void check_exponents(void)
{
    product_sum s = { { 0 } };
    xncc_wide_add_product(s.digit, DBL_MAX, DBL_MAX);
    xncc_wide_normalize(s.digit, XNCC_WIDE_DIGITS);
    xncc_real r = xncc_wide_round(s.digit, XNCC_WIDE_DIGITS, XNCC_WIDE_PRODUCTS);
    CHECK(r.e == 2047 && r.m > 1.9999999);
    CHECK(xncc_real_to_float(r) == INFINITY);
    CHECK(xncc_real_to_float(xncc_real_quotient(r, r)) == 1.0f);
    const xncc_real root = xncc_real_sqrt(r);
    CHECK(ldexp(root.m, root.e - 1) == DBL_MAX / 2);
    memset(&s, 0, sizeof s);
    xncc_wide_add_product(s.digit, 0x1p-1074, -0x1p-1074);
    xncc_wide_normalize(s.digit, XNCC_WIDE_DIGITS);
    r = xncc_wide_round(s.digit, XNCC_WIDE_DIGITS, XNCC_WIDE_PRODUCTS);
    CHECK(r.m == -1.0 && r.e == -2148);
    CHECK(xncc_real_to_float(r) == 0.0f && signbit(xncc_real_to_float(r)));
}

/* n * X - S * T of constants is 0, of 2^28 equal pairs with their carries too. */
static void check_differences(void)
{
    static const double value[] = { 1.0, -1.0, 0.1, -0.1, 1e300, -1e-300, 0x1p-1074, -DBL_MAX };
    for (size_t i = 0; i < sizeof value / sizeof *value; i++)
        for (size_t k = 0; k < sizeof value / sizeof *value; k++) {
            xncc_exact_sums s = { { 0 }, { 0 }, { 0 }, { 0 }, { 0 } };
            xncc_exact_terms terms = { { 0 }, { 0 }, { 0 } };
            for (int n = 0; n < 1000; n++)
                xncc_exact_add_pair(&s, XNCC_CCOEFF_NORMED, value[i], value[k]);
            xncc_exact_normalize(&s);
            xncc_exact_add_channel(&terms, XNCC_CCOEFF_NORMED, 1000, &s);
            for (int d = 0; d < XNCC_WIDE_DIGITS; d++)
                CHECK(terms.numerator[d] == 0 && terms.image[d] == 0 && terms.templ[d] == 0);
        }
}

enum { MOST = 400 };

/* A hard window: large offsets, contrasts down to the last bits, and a template like it. */
typedef struct window {
    double v[MOST], t[MOST];
    int n;
} window;

static window make_window(kit_random *random)
{
    window w;
    w.n = kit_between(random, 2, MOST);
    const double offset = ldexp(1.0, kit_between(random, -3, 40)),
                 contrast = ldexp(1.0, kit_between(random, -30, 3)),
                 alike = ldexp(1.0, -kit_between(random, 0, 40));
    for (int i = 0; i < w.n; i++) {
        const double common = kit_between(random, -1000, 1000) * 1e-3;
        w.v[i] = offset + contrast * common;
        w.t[i] = common + alike * kit_between(random, -1000, 1000);
    }
    return w;
}

static float exact_score(const window *w, xncc_method method, const xncc_general_rule *rule)
{
    xncc_exact_sums s = { { 0 }, { 0 }, { 0 }, { 0 }, { 0 } };
    xncc_exact_terms terms = { { 0 }, { 0 }, { 0 } };
    for (int i = 0; i < w->n; i++)
        xncc_exact_add_pair(&s, method, w->v[i], w->t[i]);
    xncc_exact_normalize(&s);
    xncc_exact_add_channel(&terms, method, w->n, &s);
    return xncc_exact_score(method, rule, w->n, &terms);
}

static xncc_grid grid_of(const window *w)
{
    xncc_grid g = xncc_grid_empty();
    for (int i = 0; i < w->n; i++) {
        xncc_grid_add(&g, w->v[i]);
        xncc_grid_add(&g, w->t[i]);
    }
    return g;
}

/* The quick grid is the samples' own, or half as coarse where the lowest bit is a power of two;
 * below 2^-1021 it may be the finest one. */
static void check_quick_grids(void)
{
    enum { ROUNDS = 200000, SAMPLES = 4 };
    kit_random random = kit_stream(3);
    for (int round = 0; round < ROUNDS; round++) {
        xncc_grid want = xncc_grid_empty();
        xncc_quick_grid quick = xncc_quick_grid_empty();
        const int count = kit_between(&random, 0, SAMPLES);
        for (int i = 0; i < count; i++) {
            const double whole = (double)kit_below(&random, UINT64_C(1) << kit_below(&random, 54)),
                         v = ldexp(kit_below(&random, 2) ? -whole : whole,
                                   kit_between(&random, round % 4 ? -90 : -1074, 900));
            xncc_grid_add(&want, v);
            xncc_quick_grid_add(&quick, v);
        }
        const xncc_grid got = xncc_quick_grid_of(quick);
        const int is_fine = want.unit < 1074 - 1021;
        CHECK(got.top == want.top && !xncc_quick_grid_is_infinite(quick));
        CHECK(is_fine ? got.unit <= want.unit : got.unit == want.unit || got.unit == want.unit - 1);
        xncc_quick_grid_add(&quick, round % 2 ? (double)INFINITY : (double)NAN);
        CHECK(xncc_quick_grid_is_infinite(quick));
    }
}

/* A window of multiples of 2^power, of so many bits; the largest and the smallest come first. If
 * `power` is odd, four samples in a row are equal under a template of 0, 0, 1, 1: no correlation.
 */
static window make_grid_window(kit_random *random, int n, int bits, int power)
{
    window w = { .n = n };
    const int each = power & 1 ? 4 : 1;
    double step = 0.0;
    for (int i = 0; i < n; i++) {
        if (i % each == 0)
            step = i == 0      ? ldexp(1.0, bits) - 1.0
                   : i == each ? 1.0
                               : (double)kit_below(random, UINT64_C(1) << bits);
        w.v[i] = ldexp(step, power);
        w.t[i] = ldexp(each > 1 ? (i / 2) & 1 : (double)kit_below(random, UINT64_C(1) << bits),
                       power);
    }
    return w;
}

/* On a grid that is coarse enough, sums in pairs of doubles have no error, and they decide every
 * score; on a finer one they are not said to. */
static void check_grids(void)
{
    static const int pixels[][2] = {
        { 2, 1 }, { 3, 2 }, { 4, 2 }, { 64, 6 }, { 65, 7 }, { 400, 9 }
    };
    const xncc_general_rule rule = { .whole = 1, .least = 1 };
    kit_random random = kit_stream(2);
    for (int round = 0; round < 6000; round++) {
        const int *size = pixels[round % 6], bits = 51 - size[1],
                  power = kit_between(&random, -70, 9);
        const xncc_method method = (xncc_method)(round / 6 % 6);
        const window w = make_grid_window(&random, size[0], bits - round % 5 * 9, power),
                     fine = make_grid_window(&random, size[0], bits + 1, power);
        CHECK(!xncc_grid_is_exact(grid_of(&fine), size[0]));
        xncc_near_sums pairs = { .n = w.n };
        for (int i = 0; i < w.n; i++) {
            xncc_twofold_put(&pairs.S, w.v[i]);
            xncc_twofold_put(&pairs.T, w.t[i]);
            xncc_twofold_put_product(&pairs.Q, w.v[i], w.v[i]);
            xncc_twofold_put_product(&pairs.X, w.v[i], w.t[i]);
            xncc_twofold_put_product(&pairs.T2, w.t[i], w.t[i]);
        }
        xncc_near_terms near = { { { 0, 0 }, 0 }, { { 0, 0 }, 0 }, { { 0, 0 }, 0 } };
        xncc_near_add_channel(&near, method, &pairs, w.n, w.n, 1);
        float got = 0.0f;
        if (CHECK(xncc_grid_is_exact(grid_of(&w), w.n)) &&
            xncc_near_score(method, w.n, &near, &got))
            CHECK(xncc_same_float(got, exact_score(&w, method, &rule)));
        else
            CHECK(near.image.value.high == 0.0 || near.templ.value.high == 0.0);
    }
    /* places, and sizes beyond which products could underflow or overflow */
    window one = { .n = 1, .v = { -40.0 }, .t = { 0.0 } };
    CHECK(grid_of(&one).unit == 3 + 1074);
    one.v[0] = 0x1p-1074;
    CHECK(grid_of(&one).unit == 0 && !xncc_grid_is_exact(grid_of(&one), 1));
    one.v[0] = 0x1p500;
    CHECK(!xncc_grid_is_exact(grid_of(&one), 1));
    one.v[0] = 0.0;
    CHECK(xncc_grid_is_exact(grid_of(&one), 400));
}

/* Whatever the sums in double and in pairs of doubles decide is the exact score. */
static void check_bounds(void)
{
    kit_random random = kit_stream(1);
    const xncc_general_rule rule = { .whole = 1, .least = 1 };
    long decided[2] = { 0, 0 }, total = 0;
    for (int round = 0; round < 20000; round++) {
        const window w = make_window(&random);
        const xncc_method method = (xncc_method)(round % 6);
        xncc_near_sums pairs = { .n = w.n };
        xncc_double_sums sums = { 0, 0, 0, 0, 0 };
        for (int i = 0; i < w.n; i++) {
            const double v = w.v[i], t = w.t[i];
            xncc_twofold_put(&pairs.S, v);
            xncc_twofold_put(&pairs.T, t);
            xncc_twofold_put_product(&pairs.Q, v, v);
            xncc_twofold_put_product(&pairs.X, v, t);
            xncc_twofold_put_product(&pairs.T2, t, t);
            sums.S += v;
            sums.T += t;
            sums.Q += v * v;
            sums.X += v * t;
            sums.T2 += t * t;
        }
        xncc_near_terms near = { { { 0, 0 }, 0 }, { { 0, 0 }, 0 }, { { 0, 0 }, 0 } };
        xncc_bounded_terms bounded = { { 0, 0 }, { 0, 0 }, { 0, 0 } };
        xncc_near_add_channel(&near, method, &pairs, w.n, w.n, 0);
        xncc_bounded_add_channel(&bounded, method, w.n, &sums, (w.n + 12.0) * 0x1p-53);
        const float want = exact_score(&w, method, &rule);
        float got = xncc_bounded_score(method, w.n, &bounded);
        if (!xncc_same_float(got, xncc_float_of_bits(XNCC_DOUBT))) {
            CHECK(xncc_same_float(got, want));
            decided[0]++;
        }
        if (xncc_near_score(method, w.n, &near, &got)) {
            CHECK(xncc_same_float(got, want));
            decided[1]++;
        }
        total++;
    }
    /* the bounds are of use: doubles decide most of these windows, and pairs nearly all of them */
    CHECK(decided[0] > total / 2);
    CHECK(decided[1] > total * 85 / 100);
    printf("%ld windows: doubles decide %ld, pairs %ld\n", total, decided[0], decided[1]);
}

int main(int argc, char **argv)
{
    kit_start(argc, argv);
    check_rounding();
    check_exponents();
    check_differences();
    check_quick_grids();
    check_grids();
    check_bounds();
    return kit_finish("exact");
}
