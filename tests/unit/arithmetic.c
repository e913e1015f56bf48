/* SPDX-License-Identifier: BSD-2-Clause */
/* The 128-bit arithmetic of score.h against the compiler's, the bounds that the integer widths rely
 * on, and the template's sums. */
#include "kit/oracle.h"
#include "kit/sanitized.h"

#include "base/memory.h"
#include "template/template.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#if defined(__GLIBC__)
#include <malloc.h>
#endif

typedef unsigned __int128 u128;

static u128 joined(xncc_u128 v)
{
    return (u128)v.high << 64 | v.low;
}

static xncc_u128 split(u128 v)
{
    return (xncc_u128){ (uint64_t)(v >> 64), (uint64_t)v };
}

/* Returns a number at an edge of a word or half word, or one of random length. */
static uint64_t awkward(kit_random *random)
{
    static const uint64_t edge[] = { 0,
                                     1,
                                     2,
                                     0xffffffffu,
                                     0x100000000u,
                                     0x100000001u,
                                     INT64_MAX,
                                     (uint64_t)INT64_MAX + 1,
                                     UINT64_MAX - 1,
                                     UINT64_MAX };
    uint64_t which = kit_below(random, 30);
    return which < 10 ? edge[which] : kit_next(random) >> kit_below(random, 64);
}

static void check_wide(void)
{
    kit_random random = kit_stream(1);
    for (int i = 0; i < 200000; i++) {
        uint64_t a = awkward(&random), b = awkward(&random), c = awkward(&random),
                 d = awkward(&random);
        CHECK(joined(xncc_u128_of_product(a, b)) == (u128)a * b);
        u128 v = (u128)a << 64 | b;
        v >>= kit_below(&random, 128);
        CHECK(xncc_u128_to_double(split(v)) == (double)v);
        if (v >> 127 == 0)
            CHECK(oracle_round((__int128)v) == (double)v);
        u128 p = (u128)a * b, q = (u128)c * d, size = p > q ? p - q : q - p;
        double want = p > q ? (double)size : -(double)size;
        double got = xncc_difference(a, b, c, d, 1);
        CHECK(got == want || (got == 0.0 && want == 0.0));
    }
}

/* Checks halves, ties and their neighbours at every length. */
static void check_rounding(void)
{
    for (int shift = 0; shift < 74; shift++)
        for (int low = -2; low <= 2; low++)
            for (u128 mantissa = ((u128)1 << 53) - 3; mantissa < ((u128)1 << 53) + 4; mantissa++) {
                u128 v = (u128)((__int128)(mantissa << shift) + low);
                CHECK(xncc_u128_to_double(split(v)) == (double)v);
                u128 half = shift > 0 ? (u128)1 << (shift - 1) : 0;
                CHECK(xncc_u128_to_double(split(v + half)) == (double)(v + half));
            }
}

/* Within the bound of score.h, 64-bit and 128-bit arithmetic agree. */
static void check_narrow(void)
{
    kit_random random = kit_stream(2);
    uint64_t most = UINT64_C(3037000499);
    CHECK((u128)most * most <= (u128)INT64_MAX);
    CHECK((u128)(most + 1) * (most + 1) > (u128)INT64_MAX);
    for (int i = 0; i < 100000; i++) {
        uint64_t v[4];
        for (int k = 0; k < 4; k++)
            v[k] = kit_below(&random, 8) ? kit_below(&random, most + 1)
                                         : most - kit_below(&random, 3);
        CHECK(xncc_difference(v[0], v[1], v[2], v[3], 0) ==
              xncc_difference(v[0], v[1], v[2], v[3], 1));
    }
}

static xncc_score_rule rule_of(int32_t width, int32_t height, xncc_pixel pixel, uint64_t sum,
                               uint64_t sum2)
{
    xncc_template templ;
    memset(&templ, 0, sizeof templ);
    templ.width = width;
    templ.height = height;
    templ.pixel = pixel;
    templ.sum = sum;
    templ.sum2 = sum2;
    return xncc_score_rule_make(&templ, XNCC_CCOEFF_NORMED, XNCC_FLAT_NAN);
}

/* Windows and templates of n pixels, half of them 0 and half at the largest value, which gives the
 * largest possible variances. The score of equal ones is exactly 1 on either side of the bound,
 * that of opposite ones exactly -1. */
static void check_extremes(int32_t width, int32_t height, xncc_pixel pixel, int wide)
{
    uint64_t n = (uint64_t)width * (uint64_t)height, m = (uint64_t)kit_largest(pixel), half = n / 2;
    xncc_score_rule rule = rule_of(width, height, pixel, half * m, half * m * m);
    CHECK_INT(rule.needs_u128, wide);
    CHECK_FLOAT(xncc_score_integer(XNCC_CCOEFF_NORMED, &rule, half * m, half * m * m, half * m * m),
                1.0f);
    if (n % 2 == 0)
        CHECK_FLOAT(xncc_score_integer(XNCC_CCOEFF_NORMED, &rule, half * m, half * m * m, 0),
                    -1.0f);
    CHECK_FLOAT(xncc_score_integer(XNCC_CCOEFF_NORMED, &rule, n * m, n * m * m, half * m * m), NAN);
    /* the score of the largest sums agrees with 128-bit arithmetic */
    double exact = oracle_round(
        ((__int128)n * (__int128)(half * m * m) - (__int128)(half * m) * (__int128)(half * m)));
    CHECK(rule.root_var == sqrt(exact));
}

static void check_bounds(void)
{
    /* u8: n * 255 <= 3037000499 for up to 11909805 pixels; u16: up to 46341 pixels */
    check_extremes(3451, 3451, XNCC_U8, 0);
    check_extremes(3451, 3450, XNCC_U8, 0);
    check_extremes(11909805, 1, XNCC_U8, 0);
    check_extremes(11909806, 1, XNCC_U8, 1);
    check_extremes(46341, 1, XNCC_U16, 0);
    check_extremes(46342, 1, XNCC_U16, 1);
    check_extremes(215, 215, XNCC_U16, 0);
    check_extremes(216, 215, XNCC_U16, 1);
    check_extremes(1 << 20, 1 << 11, XNCC_U8, 1);
    check_extremes(1 << 20, 1 << 11, XNCC_U16, 1);
}

static void check_random_scores(void)
{
    kit_random random = kit_stream(3);
    for (int i = 0; i < 20000; i++) {
        xncc_pixel pixel = (xncc_pixel)kit_below(&random, 2);
        int32_t width = kit_between(&random, 1, 1 << kit_below(&random, 15)),
                height = kit_between(&random, 1, 1 << kit_below(&random, 15));
        uint64_t m = (uint64_t)kit_largest(pixel), n = (uint64_t)width * (uint64_t)height;
        /* sums that pixels can have: k of them at the value a, the others at b */
        uint64_t a = kit_below(&random, m + 1), b = kit_below(&random, m + 1),
                 c = kit_below(&random, m + 1), d = kit_below(&random, m + 1);
        uint64_t k = kit_below(&random, n + 1), r = n - k;
        uint64_t S = k * a + r * b, Q = k * a * a + r * b * b, T = k * c + r * d,
                 T2 = k * c * c + r * d * d, X = k * a * c + r * b * d;
        xncc_score_rule rule = rule_of(width, height, pixel, T, T2);
        oracle_sums sums = { 1, 1, n, T, T2, &S, &Q, &X };
        for (int method = 0; method < 6; method++)
            CHECK_FLOAT(xncc_score_integer((xncc_method)method, &rule, S, Q, X),
                        oracle_score(&sums, (xncc_method)method, XNCC_FLAT_NAN, 0));
    }
}

static void check_template_sums(void)
{
    kit_random random = kit_stream(4);
    for (int i = 0; i < 60; i++) {
        xncc_pixel pixel = i & 1 ? XNCC_U16 : XNCC_U8;
        kit_image image = kit_image_create(pixel, kit_between(&random, 1, 70),
                                           kit_between(&random, 1, 70), i % 4, KIT_AFTER);
        kit_image_fill(&image.view, (kit_fill)(i % KIT_FILLS), &random);
        kit_image_freeze(&image);
        xncc_template templ;
        memset(&templ, 0, sizeof templ);
        CHECK_STATUS(xncc_template_fill(&templ, &image.view, NULL), XNCC_OK);
        uint64_t sum = 0, sum2 = 0;
        for (int32_t y = 0; y < image.view.height; y++)
            for (int32_t x = 0; x < image.view.width; x++) {
                uint64_t v = (uint64_t)kit_pixel(&image.view, x, y);
                sum += v;
                sum2 += v * v;
            }
        CHECK(templ.sum == sum && templ.sum2 == sum2);
        xncc_template_clear(&templ);
        kit_image_destroy(&image);
    }
    xncc_template templ;
    memset(&templ, 0, sizeof templ);
    xncc_image huge = { .data = &templ, .width = 1 << 16, .height = (1 << 15) + 1 };
    CHECK_STATUS(xncc_template_fill(&templ, &huge, NULL), XNCC_ERROR_ARGUMENT);
}

static void check_sizes(void)
{
    uint64_t out = 7;
    CHECK(xncc_mul_u64(UINT64_MAX, 1, &out) && out == UINT64_MAX);
    CHECK(!xncc_mul_u64(UINT64_C(1) << 32, UINT64_C(1) << 32, &out));
    CHECK(xncc_mul_u64(0, UINT64_MAX, &out) && out == 0);
    CHECK(xncc_alloc(UINT64_MAX, 2) == NULL);
    CHECK(xncc_alloc(0, 8) == NULL);
    char *memory = xncc_alloc(3, 1);
    CHECK(memory && (uintptr_t)memory % 64 == 0 && memory[0] == 0 && memory[2] == 0);
    xncc_free(memory);
    CHECK(xncc_alloc_unset(UINT64_MAX, 2) == NULL);
    CHECK(xncc_alloc_unset(0, 8) == NULL);
    memory = xncc_alloc_unset(3, 1);
    CHECK(memory && (uintptr_t)memory % 64 == 0);
    xncc_free(memory);
    xncc_free(NULL);
}

/* Large memory costs nothing before it is used: plans for floats have much that is for rare
 * pictures. */
static void check_untouched(void)
{
    enum { MANY = 256 << 20 };
    struct rusage before, after;
    getrusage(RUSAGE_SELF, &before);
    char *memory = xncc_alloc(MANY, 1);
    getrusage(RUSAGE_SELF, &after);
    CHECK(memory && memory[MANY / 2] == 0 && memory[MANY - 1] == 0);
    CHECK(KIT_SANITIZED || after.ru_maxrss - before.ru_maxrss < MANY / 4 / 1024); /* in KiB */
    xncc_free(memory);
}

/* Large memory that the process has written before is 0 again. */
static void check_written(void)
{
#if defined(__GLIBC__)
    mallopt(M_MMAP_MAX, 0); /* the heap keeps what is freed */
    mallopt(M_TRIM_THRESHOLD, 1 << 30);
#endif
    static const size_t sizes[] = { 8 << 20, (8 << 20) + 64, (12 << 20) + 4096 * 3 + 192 };
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (size_t before = 0; before < 3 * 4096; before += 1120) {
            void *moves = malloc(before + 1); /* the next block by so many bytes */
            char *memory = xncc_alloc_unset(sizes[i], 1);
            if (!CHECK(memory != NULL))
                continue;
            memset(memory, 0x5a, sizes[i]);
            xncc_free(memory);
            memory = xncc_alloc(sizes[i], 1);
            size_t other = 0;
            for (size_t k = 0; memory && k < sizes[i]; k++)
                other += memory[k] != 0;
            CHECK(memory && other == 0);
            xncc_free(memory);
            free(moves);
        }
}

int main(int argc, char **argv)
{
    kit_start(argc, argv);
    check_wide();
    check_rounding();
    check_narrow();
    check_bounds();
    check_random_scores();
    check_template_sums();
    check_sizes();
    check_untouched();
    check_written();
    return kit_finish("arithmetic");
}
