/* SPDX-License-Identifier: BSD-2-Clause */
/* The scores in float-float arithmetic (math/float_float.h) against the formula in double: where
 * the arithmetic is sure of a result, the bits are the same.
 *
 * Usage: unit_float_float [--count N] [--device cuda]. --count: number of cases of each kind.
 * --device cuda: compute the cases on the device, too. */
#include "kit/kit.h"

#include "math/float_float.h"
#include "unit/float_float_device.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* How many cases were checked, and how often the formula in double was needed. The first MOST_KEPT
 * cases are kept for the device if it is used. */
enum { MOST_KEPT = 1 << 20 };
typedef struct tally {
    long cases, asked;
    pair_case *kept;
} tally;

static int same_bits(float a, float b)
{
    return memcmp(&a, &b, sizeof a) == 0;
}

/* Returns an inverse square root as the device's instruction may return it: anywhere within 2^-22
 * of the exact value, most often at an end of that range. */
static float seed_of(xncc_float_float var, kit_random *random)
{
    double reach = 0x1p-22 - 0x1p-24; /* rounding to float adds at most 2^-24 */
    uint64_t which = kit_below(random, 4);
    double off = which == 0   ? reach
                 : which == 1 ? -reach
                              : reach * ((double)kit_below(random, 2049) / 1024.0 - 1.0);
    return (float)((1.0 + off) / sqrt((double)var.high));
}

/* varT: variance of the template. |num| <= sqrt(var varT). */
static void check_quotient(int64_t num, uint64_t var, uint64_t varT, kit_random *random, tally *t)
{
    xncc_score_rule rule = { .root_var = sqrt((double)varT) };
    int narrow = var <= UINT64_C(1) << 48 && varT <= UINT64_C(1) << 48;
    xncc_float_float v = xncc_ff_from_integer((int64_t)var, narrow),
                     unit = xncc_ff_unit(XNCC_CCOEFF_NORMED, &rule);
    float got, want = (float)((double)num / (sqrt((double)var) * rule.root_var));
    int sure = xncc_ff_quotient(xncc_ff_from_integer(num, narrow), v, unit, seed_of(v, random),
                                &got);
    if (t->kept && t->cases < MOST_KEPT)
        t->kept[t->cases] = (pair_case){
            .num = num, .var = var, .unit = unit, .narrow = narrow, .score = want
        };
    t->cases++;
    t->asked += !sure;
    if (sure && !same_bits(got, want))
        kit_fail(__FILE__, __LINE__, "%lld / sqrt(%llu %llu): %.9g, want %.9g", (long long)num,
                 (unsigned long long)var, (unsigned long long)varT, (double)got, (double)want);
}

static uint64_t random_bits(kit_random *random, int bits)
{
    return (kit_next(random) >> (64 - bits)) | UINT64_C(1) << (bits - 1);
}

/* Returns a number of random length; every eighth is a power of two or next to one. */
static uint64_t variance(kit_random *random, int least, int most)
{
    uint64_t v = random_bits(random, kit_between(random, least, most));
    if (kit_below(random, 8) == 0) {
        while (v & (v - 1))
            v &= v - 1;
        v += kit_below(random, 3);
        v -= v > 1;
    }
    return v;
}

static void check_random(long count, int most, tally *t)
{
    kit_random random = kit_stream((uint64_t)most);
    for (long i = 0; i < count; i++) {
        uint64_t var = variance(&random, 1, most), varT = variance(&random, 1, most);
        double reach = sqrt((double)var) * sqrt((double)varT),
               fraction = (double)(kit_next(&random) >> 11) * 0x1p-53;
        int64_t num = (int64_t)(reach * fraction * (kit_below(&random, 4) ? 1.0 : 0x1p-20));
        check_quotient(kit_next(&random) & 1 ? num : -num, var, varT, &random, t);
    }
}

/* Scores around the midpoints between floats, up to 256 units of 2^-48 away, at random places and
 * on either side of powers of two. */
static void check_midpoints(long count, int least, int most, tally *t)
{
    kit_random random = kit_stream((uint64_t)most + 100);
    for (long i = 0; i < count; i++) {
        uint64_t var = variance(&random, least, most), varT = variance(&random, least, most);
        uint64_t place = kit_below(&random, 4), float_bits = random_bits(&random, 24);
        long double middle = ((long double)float_bits + 0.5L) * 0x1p-24L;
        if (place == 0)
            middle = 0.5L * (1.0L + 0x1p-24L);
        else if (place == 1)
            middle = 1.0L - 0x1p-25L;
        middle = ldexpl(middle, -(int)kit_below(&random, 6));
        middle *= 1.0L + (long double)kit_between(&random, -256, 256) * 0x1p-48L;
        int64_t num = llrintl(middle * sqrtl((long double)var) * sqrtl((long double)varT)) +
                      kit_between(&random, -1, 1);
        check_quotient(kit_next(&random) & 1 ? num : -num, var, varT, &random, t);
    }
}

/* Conversions are exact up to 2^48, and within 2^-47 beyond. */
static void check_conversion(void)
{
    kit_random random = kit_stream(5);
    for (int i = 0; i < 200000; i++) {
        int bits = kit_between(&random, 1, 62);
        int64_t v = (int64_t)variance(&random, bits, bits) * (kit_next(&random) & 1 ? 1 : -1);
        xncc_float_float wide = xncc_ff_from_s64(v),
                         narrow = xncc_ff_from_s48(v % (INT64_C(1) << 48));
        long double got = (long double)wide.high + (long double)wide.low;
        CHECK(fabsl(got - (long double)v) <= fabsl((long double)v) * 0x1p-47L);
        CHECK(fabsf(wide.low) <= fabsf(wide.high) * 0x1p-24f);
        CHECK((int64_t)narrow.high + (int64_t)narrow.low == v % (INT64_C(1) << 48));
        CHECK(fabsf(narrow.low) <= fabsf(narrow.high) * 0x1p-24f);
    }
    for (int64_t v = -1; v <= 1; v++)
        CHECK((int64_t)xncc_ff_from_s48(v).high == v && (int64_t)xncc_ff_from_s64(v).high == v);
    xncc_float_float most = xncc_ff_from_s48(INT64_C(1) << 48),
                     least = xncc_ff_from_s48(-(INT64_C(1) << 48));
    CHECK(most.high == 0x1p48f && most.low == 0.0f && least.high == -0x1p48f && least.low == 0.0f);
}

/* All methods, from sums that pixels can have: k pixels of the window and j of the template at one
 * value, the others at another. */
static void check_methods(long count)
{
    kit_random random = kit_stream(6);
    long asked[6] = { 0 }, rooted[6] = { 0 };
    for (long i = 0; i < count; i++) {
        uint64_t m = i & 1 ? 65535 : 255,
                 n = 1 +
                     kit_below(&random, UINT64_C(1) << kit_between(&random, 1, i & 2 ? 24 : 16));
        uint64_t a = kit_below(&random, m + 1), b = kit_below(&random, m + 1);
        uint64_t c = kit_below(&random, m + 1), d = kit_below(&random, m + 1);
        uint64_t k = kit_below(&random, n + 1), j = kit_below(&random, n + 1);
        uint64_t both = k < j ? k : j, rest = n - (k > j ? k : j);
        uint64_t S = k * a + (n - k) * b, Q = k * a * a + (n - k) * b * b;
        uint64_t X = both * a * c + (k > j ? (k - j) * a * d : (j - k) * b * c) + rest * b * d;
        xncc_score_rule rule = { .n = n,
                                 .sum = j * c + (n - j) * d,
                                 .sum2 = j * c * c + (n - j) * d * d };
        rule.needs_u128 = n * m > UINT64_C(3037000499);
        rule.nan_flat = i & 4 ? 1 : 0;
        rule.undefined = rule.nan_flat ? NAN : 0.0f;
        rule.root_sum2 = sqrt((double)rule.sum2);
        rule.root_var = sqrt(xncc_difference(n, rule.sum2, rule.sum, rule.sum, rule.needs_u128));
        int narrow = m == 255 && n <= 66051;
        for (int method = 0; method < 6; method++) {
            float got, want = xncc_score_integer((xncc_method)method, &rule, S, Q, X);
            xncc_float_float unit = xncc_ff_unit((xncc_method)method, &rule);
            int sure = xncc_ff_score((xncc_method)method, &rule, unit, narrow, S, Q, X, &got);
            CHECK(!sure || same_bits(got, want));
            int defined = method == XNCC_CCOEFF_NORMED ? rule.root_var > 0.0 && n * Q > S * S
                                                       : Q > 0 && rule.sum2 > 0;
            if (defined && !rule.needs_u128 &&
                (narrow || (method != XNCC_CCORR && method != XNCC_SQDIFF))) {
                rooted[method]++;
                asked[method] += !sure;
            }
        }
    }
    for (int method = 0; method < 6; method++)
        CHECK(asked[method] <=
              rooted[method] / 100); /* a quotient by a power of two can be a midpoint */
}

/* Compares the device's results for the cases of a tally: the same bits where it is sure, and sure
 * as often as the host, except for the seeds. */
static void check_device(const tally *t)
{
    size_t count = (size_t)(t->cases < MOST_KEPT ? t->cases : MOST_KEPT);
    pair_case *want = malloc(count * sizeof *want);
    if (!want)
        kit_give_up("no memory");
    memcpy(want, t->kept, count * sizeof *want);
    long asked = 0;
    if (CHECK(pairs_on_device(t->kept, count)))
        for (size_t i = 0; i < count; i++) {
            asked += !t->kept[i].sure;
            if (t->kept[i].sure && !same_bits(t->kept[i].score, want[i].score))
                kit_fail(__FILE__, __LINE__, "device: %lld over the root of %llu: %.9g, want %.9g",
                         (long long)want[i].num, (unsigned long long)want[i].var,
                         (double)t->kept[i].score, (double)want[i].score);
        }
    printf("device: %zu cases, the formula asked %ld times\n", count, asked);
    CHECK(asked <= t->asked + t->asked / 8 + 64);
    free(want);
}

static void check_seed(void)
{
    double worst = pairs_worst_seed();
    printf("device: seeds are within 2^%.2f of the root\n", log2(worst));
    CHECK(worst > 0.0 && worst <= 0x1p-22);
}

static void report(const char *name, const tally *t)
{
    printf("%s: %ld cases, the formula asked %ld times\n", name, t->cases, t->asked);
}

int main(int argc, char **argv)
{
    kit_start(argc, argv);
    long count = strtol(kit_option(argc, argv, "count", "400000"), NULL, 10);
    int device = kit_device_option(argc, argv) == XNCC_DEVICE_CUDA;
    tally any[2] = { { 0, 0, NULL } }, middle[2] = { { 0, 0, NULL } };
    if (device) {
        xncc_context_destroy(
            kit_context(XNCC_DEVICE_CUDA, 0)); /* skips the test if there is no device */
        if (!pairs_on_device || !pairs_worst_seed)
            kit_give_up("this program has no device code");
        check_seed();
        for (int i = 0; i < 2; i++) {
            any[i].kept = malloc(MOST_KEPT * sizeof(pair_case));
            middle[i].kept = malloc(MOST_KEPT * sizeof(pair_case));
            if (!any[i].kept || !middle[i].kept)
                kit_give_up("no memory");
        }
    }
    check_conversion();
    check_methods(count / 10);
    check_random(count, 47, &any[0]);
    check_random(count, 62, &any[1]);
    check_midpoints(count, 44, 47, &middle[0]);
    check_midpoints(count, 50, 62, &middle[1]);
    report("48 bits", &any[0]);
    report("63 bits", &any[1]);
    report("midpoints, 48 bits", &middle[0]);
    report("midpoints, 63 bits", &middle[1]);
    for (int i = 0; i < 2; i++) {
        CHECK(any[i].asked <= any[i].cases >>
              12); /* most of them are powers of two, whose quotients can be midpoints */
        CHECK(middle[i].asked > middle[i].cases / 8); /* the arithmetic cannot decide these */
        CHECK(middle[i].asked < middle[i].cases / 2); /* and these it can */
        if (device) {
            check_device(&any[i]);
            check_device(&middle[i]);
        }
        free(any[i].kept);
        free(middle[i].kept);
    }
    return kit_finish("float_float");
}
