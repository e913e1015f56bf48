/* SPDX-License-Identifier: BSD-2-Clause */
/* The lists of products of byte planes: their numbers counted by hand, the sums rebuilt from them
 * by brute force, the routes of problems, and where the pixels of a border come from. */
#include "kit/oracle_general.h"

#include "image/samples.h"
#include "plan/problem.h"
#include "plan/recipe.h"

#include <string.h>

enum { MOST = 4096 };

static xncc_problem problem_of(xncc_pixel pixel, xncc_method method, int masks, int32_t channels)
{
    return kit_problem((xncc_problem){ .pixel = pixel,
                                       .image_width = 11,
                                       .image_height = 9,
                                       .templ_width = 4,
                                       .templ_height = 3,
                                       .rule.method = method,
                                       .channels = channels,
                                       .image_masked = masks & 1,
                                       .templ_masked = masks >> 1 & 1 });
}

enum { IMAGE = 1, PART = 2, BOTH = 3 };

/* Counted by hand: with d bytes per sample and C channels, X is d*d*C products. With a template
 * mask, S (d*C) and Q (2d*C) are products; with an image mask sumT (d*C) and sumT2 (2d*C) are; with
 * both, n (1) is, too. ccoeff needs no Q and sumT2, ccorr needs no S and sumT either. sqdiff and
 * the other methods need no S and sumT unless the samples are biased. */
static void check_counts(void)
{
    static const struct {
        xncc_pixel pixel;
        xncc_method method;
        int masks;
        int32_t channels;
        size_t count;
    } hand[] = {
        { XNCC_U8, XNCC_CCOEFF_NORMED, PART, 1, 1 + 1 + 2 },
        { XNCC_U8, XNCC_CCOEFF_NORMED, IMAGE, 1, 1 + 1 + 2 },
        { XNCC_U8, XNCC_CCOEFF_NORMED, BOTH, 1, 1 + 3 + 3 + 1 },
        { XNCC_U8, XNCC_CCOEFF_NORMED, 0, 3, 3 },
        { XNCC_U8, XNCC_CCOEFF_NORMED, BOTH, 3, 3 + 9 + 9 + 1 },
        { XNCC_U8, XNCC_CCOEFF, BOTH, 1, 1 + 1 + 1 + 1 },
        { XNCC_U8, XNCC_CCORR, BOTH, 1, 1 + 1 },
        { XNCC_U8, XNCC_CCORR, PART, 1, 1 },
        { XNCC_U8, XNCC_SQDIFF, PART, 1, 1 + 2 },
        { XNCC_U8, XNCC_CCORR_NORMED, IMAGE, 2, 2 + 4 },
        { XNCC_U8, XNCC_COVERAGE, BOTH, 5, 1 },
        { XNCC_U8, XNCC_COVERAGE, PART, 1, 0 },
        { XNCC_U8, XNCC_COVERAGE, IMAGE, 1, 0 },
        { XNCC_U16, XNCC_CCOEFF_NORMED, PART, 1, 4 + 2 + 4 },
        { XNCC_U16, XNCC_CCOEFF_NORMED, BOTH, 1, 4 + 6 + 6 + 1 },
        { XNCC_S16, XNCC_SQDIFF_NORMED, 0, 1, 4 },
        { XNCC_S8, XNCC_CCORR, PART, 1, 1 + 1 },
        { XNCC_S8, XNCC_CCORR, BOTH, 1, 1 + 1 + 1 + 1 },
        { XNCC_S8, XNCC_CCORR_NORMED, BOTH, 2, 2 + 6 + 6 + 1 },
        { XNCC_U32, XNCC_CCOEFF_NORMED, 0, 1, 16 },
        { XNCC_U32, XNCC_CCOEFF_NORMED, PART, 1, 16 + 4 + 8 },
        { XNCC_U32, XNCC_SQDIFF, BOTH, 4, 4 * (16 + 8 + 8) + 1 },
    };
    for (size_t i = 0; i < sizeof hand / sizeof *hand; i++) {
        xncc_problem p = problem_of(hand[i].pixel, hand[i].method, hand[i].masks, hand[i].channels);
        static xncc_product_of product[MOST];
        size_t count = xncc_products_of(&p, product, MOST);
        if (!CHECK_INT(count, hand[i].count))
            kit_fail(__FILE__, __LINE__, "%s %s, masks %d, %d channels", xncc_pixel_name(p.pixel),
                     xncc_method_name(p.rule.method), hand[i].masks, p.channels);
        CHECK_INT(xncc_products_of(&p, NULL, 0), count);
        memset(product, 0x5a, sizeof product);
        CHECK_INT(xncc_products_of(&p, product, 1), count); /* writes no more than the capacity */
        CHECK_INT(((unsigned char *)&product[1])[0], 0x5a);
        p.rule.border = XNCC_BORDER_OVERLAP; /* if all windows are inside the image, the border
                                           changes nothing */
        CHECK_INT(xncc_products_of(&p, NULL, 0), count);
        p.rule.mode = XNCC_SAME;
        p.rule.border = XNCC_BORDER_ZERO;
        CHECK_INT(xncc_products_of(&p, NULL, 0), count);
        p.rule.border = XNCC_BORDER_OVERLAP; /* otherwise it acts as an image mask */
        size_t overlapping = xncc_products_of(&p, NULL, 0);
        p.image_masked = 1;
        CHECK_INT(xncc_products_of(&p, NULL, 0), overlapping);
    }
}

/* ---- the sums, rebuilt from the products ---- */

typedef struct scene {
    xncc_problem problem;
    kit_image image, templ;
    oracle_general oracle; /* its planes hold the values and which pixels count */
    int64_t bias;
} scene;

static uint64_t biased(const scene *s, const oracle_plane *plane, int64_t at, int32_t channel)
{
    return (uint64_t)(plane->whole[at * s->oracle.channels + channel] + s->bias);
}

/* Returns a byte of a plane as recipe.h describes it. */
static uint64_t byte_of(const scene *s, const oracle_plane *plane, const xncc_plane_of *of,
                        int64_t at)
{
    if (!plane->counts[at])
        return 0;
    if (of->kind == XNCC_PLANE_COUNT)
        return 1;
    uint64_t v = biased(s, plane, at, of->channel);
    unsigned __int128 whole = of->kind == XNCC_PLANE_SQUARE ? (unsigned __int128)v * v : v;
    return (uint64_t)(whole >> (8 * of->digit)) & 255;
}

static unsigned __int128 product_at(const scene *s, const xncc_product_of *p, int32_t x, int32_t y)
{
    unsigned __int128 sum = 0;
    for (int64_t j = 0; j < s->oracle.templ.height; j++)
        for (int64_t i = 0; i < s->oracle.templ.width; i++)
            sum += byte_of(s, &s->oracle.image, &p->image,
                           (y + j) * s->oracle.image.width + x + i) *
                   byte_of(s, &s->oracle.templ, &p->templ, j * s->oracle.templ.width + i);
    return sum << p->shift;
}

/* Returns a sum by its definition: over the pixels that count in both. */
static unsigned __int128 sum_at(const scene *s, xncc_sum_id sum, int32_t channel, int32_t x,
                                int32_t y)
{
    unsigned __int128 total = 0;
    for (int64_t j = 0; j < s->oracle.templ.height; j++)
        for (int64_t i = 0; i < s->oracle.templ.width; i++) {
            int64_t at = (y + j) * s->oracle.image.width + x + i,
                    of = j * s->oracle.templ.width + i;
            if (!s->oracle.image.counts[at] || !s->oracle.templ.counts[of])
                continue;
            unsigned __int128 a = biased(s, &s->oracle.image, at, channel),
                              b = biased(s, &s->oracle.templ, of, channel);
            total += sum == XNCC_SUM_N   ? 1
                     : sum == XNCC_SUM_S ? a
                     : sum == XNCC_SUM_Q ? a * a
                     : sum == XNCC_SUM_X ? a * b
                     : sum == XNCC_SUM_T ? b
                                         : b * b;
        }
    return total;
}

/* Does the method's formula need the sum? */
static int asks_for(const scene *s, xncc_sum_id sum)
{
    const xncc_method m = s->problem.rule.method;
    const int normed = m == XNCC_CCOEFF_NORMED || m == XNCC_CCORR_NORMED || m == XNCC_SQDIFF ||
                       m == XNCC_SQDIFF_NORMED;
    switch (sum) {
    case XNCC_SUM_N: return 1;
    case XNCC_SUM_X: return m != XNCC_COVERAGE;
    case XNCC_SUM_S:
    case XNCC_SUM_T:
        return m == XNCC_CCOEFF_NORMED || m == XNCC_CCOEFF || (s->bias && m != XNCC_COVERAGE);
    case XNCC_SUM_Q:
    case XNCC_SUM_T2: return normed;
    case XNCC_SUMS: break;
    }
    return 0;
}

static void check_window(const scene *s, const xncc_product_of *product, size_t count, int32_t x,
                         int32_t y)
{
    const xncc_sum_recipe needs = xncc_sum_recipe_of(&s->problem);
    for (int sum = 0; sum < XNCC_SUMS; sum++)
        for (int32_t c = 0; c < (sum == XNCC_SUM_N ? 1 : s->oracle.channels); c++) {
            unsigned __int128 total = 0;
            size_t templs = 0;
            for (size_t i = 0; i < count; i++)
                if ((int)product[i].sum == sum && product[i].channel == c) {
                    total += product_at(s, &product[i], x, y);
                    templs++;
                }
            const xncc_sum_source source_of = needs.sum[sum];
            CHECK((templs > 0) == (source_of == XNCC_FROM_PRODUCTS));
            CHECK(source_of != XNCC_FROM_NOWHERE || !asks_for(s, (xncc_sum_id)sum));
            /* The other sources are for sums that do not depend on the mask that they ignore. */
            CHECK(source_of != XNCC_FROM_WINDOW || !s->problem.templ_masked);
            CHECK(source_of != XNCC_FROM_CONSTANT ||
                  xncc_problem_counts_all(&(xncc_problem){ .image_masked = s->problem.image_masked,
                                                           .rule.border = s->problem.rule.border,
                                                           .rule.mode = s->problem.rule.mode }));
            if (source_of == XNCC_FROM_PRODUCTS)
                CHECK(total == sum_at(s, (xncc_sum_id)sum, c, x, y));
        }
}

/* Products of one image plane are next to each other. Fields that a plane's kind does not use are
 * 0. */
static void check_order(const xncc_product_of *product, size_t count)
{
    int split = 0;
    for (size_t i = 0; i < count; i++) {
        const xncc_plane_of *of[] = { &product[i].image, &product[i].templ };
        for (int k = 0; k < 2; k++)
            CHECK(of[k]->kind != XNCC_PLANE_COUNT || (of[k]->channel == 0 && of[k]->digit == 0));
        for (size_t k = i + 2; k < count; k++)
            split |= memcmp(&product[i].image, &product[k].image, sizeof(xncc_plane_of)) == 0 &&
                     memcmp(&product[i].image, &product[k - 1].image, sizeof(xncc_plane_of)) != 0;
    }
    CHECK(!split);
}

static void check_scene(xncc_problem problem, uint64_t number)
{
    static xncc_product_of product[MOST];
    kit_random random = kit_stream(600 + number);
    scene s = { .problem = problem,
                .bias = problem.pixel == XNCC_S8    ? 128
                        : problem.pixel == XNCC_S16 ? 32768
                                                    : 0 };
    const kit_room room = { 0, KIT_AFTER };
    s.image = kit_image_create_channels(problem.pixel, problem.channels, problem.image_width,
                                        problem.image_height, room);
    s.templ = kit_image_create_channels(problem.pixel, problem.channels, problem.templ_width,
                                        problem.templ_height, room);
    kit_image_fill(&s.image.view, number % 3 ? KIT_NOISE : KIT_MAX, &random);
    kit_image_fill(&s.templ.view, number % 2 ? KIT_NOISE : KIT_NEAR_FLAT, &random);
    kit_image_mask(&s.image, room);
    kit_image_mask(&s.templ, room);
    for (int i = 0; i < 20; i++) {
        int32_t x = kit_between(&random, 0, problem.image_width - 1),
                y = kit_between(&random, 0, problem.image_height - 1);
        if (problem.image_masked)
            kit_mask_set(&s.image.view, x, y, 0);
        if (problem.templ_masked && i < 5)
            kit_mask_set(&s.templ.view, x % problem.templ_width, y % problem.templ_height, 0);
    }
    s.oracle = oracle_general_make(&s.image.view, &s.templ.view, problem.rule.mode,
                                   problem.rule.border);
    const size_t count = xncc_products_of(&problem, product, MOST);
    CHECK(count <= MOST);
    check_order(product, count);
    for (int32_t y = 0; y < s.oracle.height; y += 2)
        for (int32_t x = y % 3; x < s.oracle.width; x += 3)
            check_window(&s, product, count, x, y);
    oracle_general_free(&s.oracle);
    kit_image_destroy(&s.image);
    kit_image_destroy(&s.templ);
}

static void check_sums(void)
{
    static const xncc_pixel pixel[] = { XNCC_U8, XNCC_U16, XNCC_S8, XNCC_S16, XNCC_U32 };
    uint64_t number = 0;
    for (int p = 0; p < 5; p++)
        for (int method = XNCC_CCOEFF_NORMED; method <= XNCC_COVERAGE; method++)
            for (int masks = 0; masks < 4; masks++) {
                xncc_problem problem = problem_of(pixel[p], (xncc_method)method, masks,
                                                  (int32_t)(number % 3));
                check_scene(problem, number++);
                problem.rule.mode = number % 2 ? XNCC_FULL : XNCC_SAME;
                problem.rule.border = XNCC_BORDER_OVERLAP;
                check_scene(problem, number++);
            }
}

/* ---- routes ---- */

static void check_routes(void)
{
    for (int p = XNCC_U8; p <= XNCC_F64; p++)
        for (int method = XNCC_CCOEFF_NORMED; method <= XNCC_COVERAGE; method++)
            for (int masks = 0; masks < 4; masks++)
                for (int32_t channels = 0; channels <= 2; channels++)
                    for (int mode = XNCC_VALID; mode <= XNCC_FULL; mode++)
                        for (int border = XNCC_BORDER_CLAMP; border <= XNCC_BORDER_OVERLAP;
                             border++) {
                            xncc_problem problem = problem_of((xncc_pixel)p, (xncc_method)method,
                                                              masks, channels);
                            problem.rule.mode = (xncc_mode)mode;
                            problem.rule.border = (xncc_border)border;
                            const int all = !masks &&
                                            (mode == XNCC_VALID || border != XNCC_BORDER_OVERLAP),
                                      biased_type = p == XNCC_S8 || p == XNCC_S16;
                            const int product = method == XNCC_CCORR ||
                                                method == XNCC_CCORR_NORMED ||
                                                method == XNCC_SQDIFF_NORMED;
                            const int general = !all || channels > 1 || p == XNCC_U32 ||
                                                p == XNCC_F64 || method == XNCC_COVERAGE ||
                                                (biased_type && product);
                            const int padded = biased_type ||
                                               (mode != XNCC_VALID && border != XNCC_BORDER_CLAMP);
                            CHECK_INT(xncc_problem_counts_all(&problem), all);
                            CHECK_INT(xncc_problem_route(&problem), general  ? XNCC_ROUTE_GENERAL
                                                                    : padded ? XNCC_ROUTE_PADDED
                                                                             : XNCC_ROUTE_PLAIN);
                        }
    xncc_problem convolve = kit_problem((xncc_problem){ .task = XNCC_TASK_CONVOLVE,
                                                        .image_width = 9,
                                                        .image_height = 9,
                                                        .templ_width = 3,
                                                        .templ_height = 3,
                                                        .rule.border = XNCC_BORDER_ZERO });
    CHECK_INT(xncc_problem_route(&convolve), XNCC_ROUTE_PLAIN);
}

/* The inner problem's map has the size of the problem's own map. */
static void check_inner(void)
{
    static const xncc_pixel type[] = { XNCC_U8, XNCC_S8, XNCC_S16, XNCC_U32 },
                            padded[] = { XNCC_U8, XNCC_U8, XNCC_U16, XNCC_U8 };
    for (int p = 0; p < 4; p++)
        for (int mode = XNCC_VALID; mode <= XNCC_FULL; mode++)
            for (int masked = 0; masked < 2; masked++) {
                xncc_problem problem = problem_of(type[p], XNCC_CCOEFF, masked, 1);
                problem.rule.mode = (xncc_mode)mode;
                problem.rule.border = XNCC_BORDER_WRAP;
                const int general = xncc_problem_route(&problem) == XNCC_ROUTE_GENERAL;
                xncc_problem inner = xncc_problem_inner(&problem);
                xncc_extent outer = xncc_problem_extent(&problem),
                            map = xncc_problem_extent(&inner);
                CHECK_INT(map.width, outer.width);
                CHECK_INT(map.height, outer.height);
                CHECK_INT(inner.rule.mode, XNCC_VALID);
                CHECK_INT(inner.pixel, general ? XNCC_U8 : padded[p]);
                CHECK_INT(inner.rule.method, general ? XNCC_CCORR : XNCC_CCOEFF);
                CHECK_INT(inner.image_masked + inner.templ_masked, 0);
                CHECK_INT(xncc_problem_route(&inner), XNCC_ROUTE_PLAIN);
                CHECK_STATUS(xncc_problem_check(&inner, NULL), XNCC_OK);
            }
}

static void check_border(void)
{
    /* | a b c d |, from 6 before to 6 after it */
    static const struct {
        xncc_border border;
        const char *row;
    } hand[] = { { XNCC_BORDER_CLAMP, "aaaaaaabcddddddd" },
                 { XNCC_BORDER_ZERO, "......abcd......" },
                 { XNCC_BORDER_OVERLAP, "......abcd......" },
                 { XNCC_BORDER_MIRROR, "abcdcbabcdcbabcd" },
                 { XNCC_BORDER_WRAP, "cdabcdabcdabcdab" } };
    for (size_t k = 0; k < sizeof hand / sizeof *hand; k++)
        for (int64_t i = -6; i < 10; i++) {
            char want = hand[k].row[i + 6];
            CHECK_INT(xncc_border_index(hand[k].border, i, 4), want == '.' ? -1 : want - 'a');
        }
    for (int64_t i = -5; i < 6; i++) { /* an image of one pixel */
        CHECK_INT(xncc_border_index(XNCC_BORDER_CLAMP, i, 1), 0);
        CHECK_INT(xncc_border_index(XNCC_BORDER_MIRROR, i, 1), 0);
        CHECK_INT(xncc_border_index(XNCC_BORDER_WRAP, i, 1), 0);
        CHECK_INT(xncc_border_index(XNCC_BORDER_ZERO, i, 1), i == 0 ? 0 : -1);
    }
    for (int64_t i = -9; i < 10; i++) /* an image of two pixels: neither is an inner one */
        CHECK_INT(xncc_border_index(XNCC_BORDER_MIRROR, i, 2), i & 1);
    CHECK_INT(xncc_border_index(XNCC_BORDER_WRAP, -(INT64_C(1) << 31), 1000),
              (1000 - (INT64_C(1) << 31) % 1000) % 1000);
}

int main(int argc, char **argv)
{
    kit_start(argc, argv);
    check_counts();
    check_sums();
    check_routes();
    check_inner();
    check_border();
    return kit_finish("products");
}
