/* SPDX-License-Identifier: BSD-2-Clause */
/* What narrow and small maps are made of, for every instruction set of this processor: products
 * with a map column per lane, beside plain loops; and scores by inverses, which must have the bits
 * of the formula wherever they are not in doubt. */
#include "kit/kit.h"

#include "cpu/cpu.h"
#include "cpu/kernels/direct.h"
#include "plan/problem.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    xncc_kernel kernel;
    uint32_t feature;
} kernels[] = { { XNCC_KERNEL_DIRECT_PORTABLE, 0 },
                { XNCC_KERNEL_DIRECT_AVX2, XNCC_CPU_AVX2_FMA },
                { XNCC_KERNEL_DIRECT_AVXVNNI, XNCC_CPU_AVXVNNI },
                { XNCC_KERNEL_DIRECT_AVX512, XNCC_CPU_AVX512_VNNI },
                { XNCC_KERNEL_DIRECT_NEON, XNCC_CPU_NEON },
                { XNCC_KERNEL_DIRECT_DOTPROD, XNCC_CPU_DOTPROD } };

static const xncc_product_kernel *kernel_of(size_t k)
{
    const xncc_problem any = XNCC_PROBLEM_INIT;
    const xncc_cpu_kernel *kernel = xncc_cpu_kernel_of(kernels[k].kernel, &any);
    if (!kernel || (xncc_cpu_features() & kernels[k].feature) != kernels[k].feature)
        return NULL;
    return kernel->variant;
}

enum { SIDE = 256, BEYOND = 64 };

/* A map, its image and its template. */
typedef struct scene {
    int words;
    int32_t width, height, templ_width, templ_height;
    uint16_t image[SIDE][SIDE + BEYOND]; /* bytes, or words without their sign's offset */
    int32_t digit[SIDE][SIDE][2];
} scene;

static void make_scene(scene *s, kit_random *random)
{
    const int extreme = kit_below(random, 4) == 0;
    for (int32_t y = 0; y < s->height + s->templ_height - 1; y++)
        for (int32_t x = 0; x < SIDE; x++)
            s->image[y][x] = (uint16_t)(extreme    ? (s->words ? 0x8000 : 255)
                                        : s->words ? kit_below(random, 65536)
                                                   : kit_below(random, 256));
    for (int32_t y = 0; y < s->templ_height; y++)
        for (int32_t x = 0; x < s->templ_width; x++)
            for (int p = 0; p < 2; p++)
                s->digit[y][x][p] = extreme ? -128 : kit_between(random, -128, 127);
}

static int32_t pixel_of(const scene *s, int32_t x, int32_t y)
{
    return s->words ? (int16_t)s->image[y][x] : s->image[y][x];
}

/* Lays the template out as direct.h says: no shifts, and 0 in what is left of a row's last dword.
 */
static void fill_table(const scene *s, const xncc_direct_blocks *c, int32_t *table)
{
    memset(table, 0, sizeof *table * (size_t)(s->templ_height * c->groups * c->planes));
    for (int32_t y = 0; y < s->templ_height; y++)
        for (int32_t x = 0; x < s->templ_width; x++)
            for (int p = 0; p < c->planes; p++) {
                const int32_t dword = (y * c->groups + x / c->phases) * c->planes + p;
                const int32_t digit = s->digit[y][x][p];
                if (c->phases == 4)
                    ((int8_t *)(void *)(table + dword))[x % 4] = (int8_t)digit;
                else
                    ((int16_t *)(void *)(table + dword))[x % 2] = (int16_t)digit;
            }
}

static void check_map(const scene *s, const xncc_direct_blocks *c, const int32_t *out,
                      ptrdiff_t stride)
{
    int64_t wrong = 0;
    for (int32_t y = 0; y < s->height; y++)
        for (int32_t x = 0; x < s->width; x++)
            for (int p = 0; p < c->planes; p++) {
                int64_t sum = 0;
                for (int32_t j = 0; j < s->templ_height; j++)
                    for (int32_t i = 0; i < s->templ_width; i++)
                        sum += (int64_t)pixel_of(s, x + i, y + j) * s->digit[j][i][p];
                wrong += out[(y * c->planes + p) * stride + x] != sum;
            }
    if (!CHECK_INT(wrong, 0))
        printf("map %d x %d, template %d x %d, words %d\n", s->width, s->height, s->templ_width,
               s->templ_height, s->words);
}

/* Products of a random map. Returns 0 if the kernel has no lanes. */
static int check_products(size_t k, scene *s, kit_random *random)
{
    enum { STRIDE = 192, ROW = 2 * (SIDE + BEYOND) };
    static char rows[SIDE][ROW];
    static int32_t table[SIDE * SIDE], out[2 * SIDE * STRIDE];
    const void *row[SIDE];
    const xncc_direct_isa *isa = kernel_of(k)->variant;
    s->words = kit_below(random, 2) == 0;
    s->width = kit_between(random, 1, kit_below(random, 3) ? 40 : 144);
    s->height = kit_between(random, 1, kit_below(random, 3) ? 40 : 80);
    s->templ_width = kit_between(random, 1, s->words ? 30 : 80);
    s->templ_height = kit_between(random, 1, s->words ? 15 : 80);
    const xncc_problem problem = kit_problem(
        (xncc_problem){ .pixel = s->words ? XNCC_U16 : XNCC_U8,
                        .image_width = s->width + s->templ_width - 1,
                        .image_height = s->height + s->templ_height - 1,
                        .templ_width = s->templ_width,
                        .templ_height = s->templ_height });
    xncc_cpu_blocks blocks;
    CHECK(xncc_cpu_blocks_make(&problem, kernels[k].kernel, &blocks));
    const xncc_direct_blocks *c = &blocks.direct;
    if (!c->lanes)
        return 0;
    make_scene(s, random);
    for (int32_t y = 0; y < s->height + s->templ_height - 1; y++) {
        for (int32_t x = 0; x < SIDE; x++)
            if (s->words)
                memcpy(rows[y] + 2 * (ptrdiff_t)x, &s->image[y][x], 2);
            else
                rows[y][x] = (char)s->image[y][x];
        row[y] = rows[y];
    }
    fill_table(s, c, table);
    (s->words ? isa->u16_lanes : isa->u8_lanes)(&(xncc_dot){ .row = row,
                                                             .table = table,
                                                             .rows = s->templ_height,
                                                             .groups = c->groups,
                                                             .live = s->height,
                                                             .columns = s->width,
                                                             .out = out,
                                                             .stride = STRIDE });
    check_map(s, c, out, STRIDE);
    return 1;
}

enum { SCORES = 4000, WIDE = 40 };

/* Window sums with S = s and a variance or a sum of squares of `term`, so that n = 1 for both. */
static uint64_t sums_of(uint32_t S, uint32_t Q)
{
    return (uint64_t)Q << 32 | S;
}

/* Scores next to the numbers halfway between two floats, a row for each: where a row is certain, it
 * has the bits of the formula. Some rows are in doubt, but not the others of a table without such
 * numbers. */
static void check_quotients(const xncc_isa_rows *isa, kit_random *random)
{
    static int32_t product[SCORES + WIDE];
    static uint64_t sums[SCORES + WIDE];
    static double inverse[SCORES + WIDE];
    static float out[SCORES + WIDE];
    int doubts = 0, differ = 0;
    memset(sums, 0, sizeof sums);
    memset(product, 0, sizeof product);
    for (int i = 0; i < SCORES; i++) {
        const uint32_t Q = (uint32_t)kit_below(random, UINT32_MAX) + 1;
        const double term = (double)(kit_below(random, UINT32_MAX) + 1), root = sqrt(term),
                     halfway = ldexp((double)(2 * kit_between(random, 1 << 23, (1 << 24) - 1) + 1),
                                     -25),
                     near = halfway * sqrt((double)Q) * root;
        /* near, scaled to 2^51, as product * 2^21 + S */
        const double scale = ldexp(1.0, 51 - ilogb(near));
        const int64_t a = (int64_t)(near * scale) + kit_between(random, -4, 4);
        product[0] = (int32_t)(a >> 21);
        sums[0] = sums_of((uint32_t)(a & ((1 << 21) - 1)), Q);
        isa->inverses(&(xncc_inverses){ sums, 1, 0, 1, inverse });
        const xncc_quotients q = { .product = product,
                                   .product_stride = WIDE,
                                   .sums = sums,
                                   .inverse = inverse,
                                   .stride = WIDE,
                                   .out = out,
                                   .pitch = WIDE,
                                   .width = 1,
                                   .height = 1,
                                   .per_product = ldexp(1.0, 21),
                                   .per_sum = 1.0,
                                   .factor = 1.0 / root };
        const float want = (float)((double)a / (sqrt((double)Q) * root));
        if (isa->quotients(&q, 0) == 0)
            doubts++;
        else
            differ += memcmp(&out[0], &want, sizeof want) != 0;
    }
    CHECK_INT(differ, 0);
    CHECK(doubts > SCORES / 2);
}

/* Random scores are certain, those of flat windows are NaN, and a row in doubt is named. */
static void check_rows(const xncc_isa_rows *isa, kit_random *random)
{
    enum { ROWS = 8, WIDTH = 33 };
    static int32_t product[ROWS * WIDE + WIDE];
    static uint64_t sums[ROWS * WIDE + WIDE];
    static double inverse[ROWS * WIDE + WIDE];
    static float out[ROWS * WIDE + WIDE];
    const uint64_t n = 100;
    for (int i = 0; i < ROWS * WIDE; i++) {
        const uint32_t S = (uint32_t)kit_below(random, 25501);
        product[i] = kit_between(random, -1000000, 1000000);
        sums[i] = sums_of(S, (uint32_t)(S * S / n + 1 + (uint32_t)kit_below(random, 100000)));
    }
    sums[2 * WIDE + 5] = sums_of(2500, 2500 * 25); /* flat */
    const double root = sqrt(12345.0);
    xncc_quotients q = { .product = product,
                         .product_stride = WIDE,
                         .sums = sums,
                         .inverse = inverse,
                         .stride = WIDE,
                         .out = out,
                         .pitch = WIDE,
                         .width = WIDTH,
                         .height = ROWS,
                         .per_product = 100.0,
                         .per_sum = 1280.0,
                         .factor = 1.0 / root };
    isa->inverses(&(xncc_inverses){ sums, n, 1, ROWS * WIDE, inverse });
    CHECK_INT(isa->quotients(&q, 0), ROWS);
    int differ = 0;
    for (int i = 0; i < ROWS * WIDE; i++) {
        const double S = (double)(sums[i] & 0xffffffff), Q = (double)(sums[i] >> 32),
                     var = 100.0 * Q - S * S;
        const float want = var == 0.0
                               ? NAN
                               : (float)((100.0 * product[i] + 1280.0 * S) / (sqrt(var) * root));
        differ += i % WIDE < WIDTH && memcmp(&out[i], &want, sizeof want) != 0;
    }
    CHECK_INT(differ, 0);
    CHECK(isnan(out[2 * WIDE + 5]));
    /* 2^24 + 1 is halfway between two floats */
    q.per_sum = 0.0;
    q.per_product = q.factor = 1.0;
    product[6 * WIDE + 32] = (1 << 24) + 1;
    inverse[6 * WIDE + 32] = 1.0;
    CHECK_INT(isa->quotients(&q, 3), 6);
    CHECK_INT(isa->quotients(&q, 7), ROWS);
}

static void check_digit_sums(const xncc_isa_rows *isa, kit_random *random)
{
    int8_t byte[1000];
    int16_t word[1000];
    for (int k = 0; k < 20; k++) {
        const size_t count = (size_t)kit_between(random, 0, 1000);
        int64_t want = 0, want2 = 0, sum, squares;
        for (size_t i = 0; i < count; i++) {
            word[i] = (int16_t)(k ? kit_between(random, -128, 127) : -128);
            byte[i] = (int8_t)word[i];
            want += word[i];
            want2 += word[i] * word[i];
        }
        isa->digit_sums(byte, 0, count, &sum, &squares);
        CHECK(sum == want && squares == want2);
        isa->digit_sums(word, 1, count, &sum, &squares);
        CHECK(sum == want && squares == want2);
    }
}

int main(int argc, char **argv)
{
    static scene s;
    kit_start(argc, argv);
    kit_random random = kit_stream(31);
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++) {
        const xncc_product_kernel *kernel = kernel_of(k);
        int maps = 0;
        for (int i = 0; i < 40 && kernel; i++)
            maps += check_products(k, &s, &random);
        if (!kernel)
            continue;
        check_quotients(kernel->rows, &random);
        check_rows(kernel->rows, &random);
        check_digit_sums(kernel->rows, &random);
        CHECK(maps > 0 || kernels[k].feature == 0 || kernels[k].feature >= XNCC_CPU_NEON);
    }
    return kit_finish("narrow");
}
