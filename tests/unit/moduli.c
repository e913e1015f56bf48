/* SPDX-License-Identifier: BSD-2-Clause */
/* Sums of products modulo primes (cpu/kernels/reals_moduli.h), by every instruction set of this
 * processor, against the digits of math/wide.h. */
#include "cpu/kernels/reals_planes.h"
#include "cpu/kernels/variants.h"

#include "kit/kit.h"

#include <math.h>
#include <string.h>

/* Integers of up to MOST slices for WIDTH windows, of which the first USED are checked. */
enum { WIDTH = 64, USED = 13, MOST = 7, UNIT = 400 };

typedef struct integers {
    double slice[MOST][WIDTH];
} integers;

typedef struct residues {
    double row[XNCC_MOST_MODULI][WIDTH];
} residues;

/* Slices of which many are 0, or the largest. */
static double some_slice(kit_random *random)
{
    const int32_t most = 1 << (XNCC_MODULI_BITS - 1);
    const double v = (double)kit_between(random, -most, most);
    const uint64_t kind = kit_below(random, 5);
    return kind == 0 ? 0.0 : kind < 3 ? v : copysign((double)most, v);
}

static integers some_integers(int32_t slices, kit_random *random)
{
    integers v = { { { 0.0 } } };
    for (int32_t k = 0; k < slices; k++)
        for (int x = 0; x < WIDTH; x++)
            v.slice[k][x] = some_slice(random);
    return v;
}

static void put(int64_t *digit, double v, int place)
{
    xncc_wide_put(digit, xncc_u128_of((uint64_t)fabs(v)), place, v < 0.0);
}

static void value_of(const integers *v, int32_t slices, int x, int64_t *digit)
{
    for (int32_t k = 0; k < slices; k++)
        put(digit, v->slice[k][x], XNCC_MODULI_BITS * k + UNIT / 2);
    xncc_wide_normalize(digit, XNCC_WIDE_VALUE_DIGITS);
}

static void residues_of(const xncc_moduli_isa *isa, const xncc_moduli *m, const integers *v,
                        residues *r)
{
    isa->residues(m, v->slice[0], WIDTH, USED, r->row[0], WIDTH);
    for (int32_t i = 0; i < m->count; i++)
        for (int x = 0; x < USED; x++)
            CHECK(fabs(r->row[i][x]) <= 0.5 * m->modulus[i] + 1.0);
}

/* The sum of some products of integers, put together from their sums modulo all primes. */
static void check_sums(const xncc_moduli_isa *isa, kit_random *random)
{
    const xncc_moduli_kind kind = (xncc_moduli_kind)kit_below(random, XNCC_MODULI_KINDS);
    const int32_t slices = kit_between(random, 1, MOST), products = kit_between(random, 1, 40);
    const int bits = 2 * XNCC_MODULI_BITS * slices + ilogb((double)products) + 1;
    xncc_moduli m;
    residues a, b, sum = { { { 0.0 } } };
    const double *row[XNCC_MOST_MODULI];
    float out[XNCC_MOST_DIGITS][WIDTH];
    const xncc_numbers to = { out[0], WIDTH, xncc_slices_of(bits, XNCC_DIGIT_BITS), 0 };
    int64_t left[USED][XNCC_WIDE_DIGITS] = { { 0 } };
    CHECK(xncc_moduli_make(kind, bits, slices, &m));
    for (int32_t j = 0; j < products; j++) {
        const integers v = some_integers(slices, random), w = some_integers(slices, random);
        residues_of(isa, &m, &v, &a);
        residues_of(isa, &m, &w, &b);
        for (int32_t i = 0; i < m.count; i++) {
            isa->reduce(&m, i, m.cofactor[i], b.row[i], USED);
            for (int x = 0; x < USED; x++)
                sum.row[i][x] += a.row[i][x] * b.row[i][x];
            row[i] = sum.row[i];
        }
        for (int x = 0; x < USED; x++) {
            int64_t of_v[XNCC_WIDE_VALUE_DIGITS] = { 0 }, of_w[XNCC_WIDE_VALUE_DIGITS] = { 0 };
            value_of(&v, slices, x, of_v);
            value_of(&w, slices, x, of_w);
            xncc_wide_subtract_product(left[x], of_v, of_w);
        }
    }
    isa->combine(&m, row, USED, &to);
    for (int x = 0; x < USED; x++) {
        static const int64_t zero[XNCC_WIDE_DIGITS];
        for (int32_t k = 0; k < to.count; k++) {
            CHECK(fabsf(out[k][x]) <= 0x1p23f);
            put(left[x], (double)out[k][x], XNCC_DIGIT_BITS * k + UNIT);
        }
        xncc_wide_normalize(left[x], XNCC_WIDE_DIGITS);
        CHECK(memcmp(left[x], zero, sizeof zero) == 0);
    }
}

/* As many products of the largest residues as are added at most are exact. */
static void check_most(const xncc_moduli_isa *isa, xncc_moduli_kind kind)
{
    xncc_moduli m;
    CHECK(xncc_moduli_make(kind, 300, 1, &m));
    for (int32_t i = 0; i < m.count; i++) {
        const int64_t p = (int64_t)m.modulus[i], v = (p - 1) / 2;
        double sum[WIDTH] = { 0.0 };
        int64_t want = v;
        for (int x = 0; x < USED; x++)
            sum[x] = x % 2 ? (double)v : -(double)v;
        for (int32_t j = 0; j < xncc_moduli_products(kind); j++) {
            for (int x = 0; x < USED; x++)
                sum[x] += (x % 2 ? (double)v : -(double)v) * (double)v;
            want = (want + v * v) % p;
        }
        isa->reduce(&m, i, 1.0, sum, USED);
        for (int x = 0; x < USED; x++) {
            CHECK(fabs(sum[x]) <= 0.5 * m.modulus[i] + 1.0);
            CHECK(((x % 2 ? 1 : -1) * want - (int64_t)sum[x]) % p == 0);
        }
    }
}

/* The primes have no factor in common, and their product is four times the largest sum. */
static void check_primes(void)
{
    for (int kind = 0; kind < XNCC_MODULI_KINDS; kind++)
        for (int bits = 1; bits < 430; bits += 7) {
            xncc_moduli m;
            double product = 0.0;
            if (!xncc_moduli_make((xncc_moduli_kind)kind, bits, MOST, &m)) {
                CHECK(bits > 390);
                continue;
            }
            for (int32_t i = 0; i < m.count; i++) {
                product += log2(m.modulus[i]);
                for (int64_t d = 2; d * d <= (int64_t)m.modulus[i]; d++)
                    CHECK((int64_t)m.modulus[i] % d != 0);
                for (int32_t j = 0; j < i; j++)
                    CHECK(m.modulus[i] != m.modulus[j]);
            }
            CHECK(product >= bits + 2);
            CHECK(m.places <= XNCC_MOST_DIGITS);
        }
}

static void check(const xncc_moduli_isa *isa)
{
    kit_random random = kit_stream(1);
    for (int i = 0; i < 200; i++)
        check_sums(isa, &random);
    for (int kind = 0; kind < XNCC_MODULI_KINDS; kind++)
        check_most(isa, (xncc_moduli_kind)kind);
}

int main(int argc, char **argv)
{
    kit_start(argc, argv);
    check_primes();
    check(xncc_reals_isa_portable.moduli);
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        check(xncc_reals_isa_avx2.moduli);
#endif
#if defined(__x86_64__) && defined(XNCC_CPU_VNNI)
    if (__builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vnni") &&
        __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw"))
        check(xncc_reals_isa_avx512.moduli);
#endif
    return kit_finish("moduli");
}
