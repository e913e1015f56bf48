/* SPDX-License-Identifier: BSD-2-Clause */
/* Upper bounds of scores on the CPU. Every bound is compared with the score in plain arithmetic,
 * for every build of the row functions; and batches, which skip what bounds exclude, with searches
 * for one template at a time. */
#include "kit/pixels.h"
#include "kit/short.h"

#include "api/batch_object.h"
#include "base/memory.h"
#include "cpu/cpu.h"
#include "cpu/cpu_bounds.h"
#include "cpu/kernels/bounds.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { KINDS = 7 };

static int clip(double v)
{
    return v < 0.0 ? 0 : v > 255.0 ? 255 : (int)v;
}

/* Scenes: smooth waves with some noise, waves of low contrast, white noise, few grey levels with
 * flat places, checkerboards, pixels off by one, and extremes. */
static void fill(const xncc_image *image, int kind, kit_random *random)
{
    double wave[4][3];
    for (int i = 0; i < 12; i++)
        wave[i / 3][i % 3] = (double)kit_below(random, 1000) * (i % 3 == 2 ? 6.3e-3 : 3e-4) - 0.15;
    for (int32_t y = 0; y < image->height; y++)
        for (int32_t x = 0; x < image->width; x++) {
            const uint64_t r = kit_next(random);
            double v = 0.0;
            for (int i = 0; i < 4; i++)
                v += sin(wave[i][0] * x + wave[i][1] * y + wave[i][2]);
            const double noise = (double)(r % 13) - 6.0;
            kit_pixel_set(image, x, y,
                          kind == 0   ? clip(128.0 + 28.0 * v + noise)
                          : kind == 1 ? clip(60.0 + 2.0 * v)
                          : kind == 2 ? (double)(r % 256)
                          : kind == 3 ? clip(100.0 * floor(v)) / 100 * 100
                          : kind == 4 ? (double)((x / 2 + y / 2) % 2 * 255)
                          : kind == 5 ? 200.0 + (double)(r % 50 == 0)
                                      : (double)(r % 2 * 255));
        }
}

/* A problem with its half images, made as a batch makes them. */
typedef struct scene {
    xncc_problem problem;
    xncc_cpu_blocks half;
    const xncc_product_kernel *product;
    xncc_halves halves;
} scene;

static int scene_make(scene *s, xncc_kernel kernel, const xncc_image *image,
                      const xncc_template *templ)
{
    s->problem = (xncc_problem)XNCC_PROBLEM_INIT;
    s->problem.pixel = XNCC_U8;
    s->problem.channels = 1;
    s->problem.image_width = image->width;
    s->problem.image_height = image->height;
    s->problem.templ_width = templ->width;
    s->problem.templ_height = templ->height;
    const xncc_cpu_kernel *code = xncc_cpu_kernel_of(kernel, &s->problem);
    if (!code || !xncc_cpu_half_blocks(&s->problem, kernel, &s->half))
        return 0;
    s->product = code->variant;
    if (!xncc_halves_make(&s->problem, s->product->rows, &s->halves))
        kit_give_up("no memory for half images");
    char *scratch = xncc_alloc(xncc_halves_scratch(&s->halves), 1);
    xncc_context *context = kit_context(XNCC_DEVICE_CPU, 1);
    const xncc_watch watch = xncc_watch_make(&context->progress);
    xncc_halves_sum(&s->halves, image, 0, image->height - 1);
    xncc_halves_weigh(&s->halves, image, &watch, 0, s->halves.map_height, scratch);
    xncc_free(scratch);
    xncc_context_destroy(context);
    return 1;
}

/* The product of the half images at (x, y) of the map, less 128 times the sum. */
static int32_t product_at(const scene *s, const xncc_template *half, int32_t x, int32_t y)
{
    const xncc_image view = xncc_halves_view(&s->halves, xncc_parity(y % 2, x % 2), XNCC_U8);
    int32_t sum = 0;
    for (int32_t j = 0; j < half->height; j++)
        for (int32_t i = 0; i < half->width; i++)
            sum += (int32_t)kit_pixel(&view, x / 2 + i, y / 2 + j) *
                   (((const uint8_t *)half->pixels)[j * half->width + i] - 128);
    return sum;
}

static double score_at(const xncc_image *image, const xncc_template *templ, int32_t x, int32_t y)
{
    const double n = (double)templ->width * templ->height;
    double S = 0, Q = 0, X = 0;
    for (int32_t j = 0; j < templ->height; j++)
        for (int32_t i = 0; i < templ->width; i++) {
            const double v = kit_pixel(image, x + i, y + j);
            S += v;
            Q += v * v;
            X += v * ((const uint8_t *)templ->pixels)[j * templ->width + i];
        }
    const double var = n * Q - S * S, T = (double)templ->sum;
    return var == 0.0 ? 0.0 : (n * X - S * T) / sqrt(var) / sqrt(n * (double)templ->sum2 - T * T);
}

/* Compares each bound with its score. Returns the mean difference. */
static double check_windows(const scene *s, const xncc_image *image, const xncc_template *templ,
                            const xncc_bound_templ *bound)
{
    const xncc_halves *h = &s->halves;
    double slack = 0.0;
    for (int32_t y = 0; y < h->map_height; y++)
        for (int32_t x = 0; x < h->map_width; x++) {
            const uint64_t at = (uint64_t)xncc_parity(y % 2, x % 2) * h->windows +
                                (uint64_t)(y / 2) * (uint64_t)h->stride + (uint64_t)(x / 2);
            const int32_t product = product_at(s, &bound->half, x, y);
            float best = 0.0f;
            s->product->rows->bound(&(xncc_bound_args){ .product = &product,
                                                        .sum = h->sum + at,
                                                        .scale = h->scale + at,
                                                        .rest = h->rest + at,
                                                        .count = 1,
                                                        .shift = bound->shift,
                                                        .per_product = bound->per_product,
                                                        .per_sum = bound->per_sum,
                                                        .constant = bound->constant,
                                                        .per_rest = bound->per_rest,
                                                        .best = &best,
                                                        .tile = 8 });
            const double score = score_at(image, templ, x, y), most = (double)best + bound->always;
            if (most < score)
                kit_fail(__FILE__, __LINE__, "%d x %d at (%d, %d): bound %.9g, score %.9g",
                         templ->width, templ->height, x, y, most, score);
            slack += most - (score > 0.0 ? score : 0.0);
        }
    return slack / h->map_width / h->map_height;
}

/* Templates: a piece of the scene, noise, and a piece with its contrast turned round. */
static void cut(const xncc_image *to, const xncc_image *from, int kind, kit_random *random)
{
    kit_image_copy(to, from, kit_between(random, 0, from->width - to->width),
                   kit_between(random, 0, from->height - to->height));
    for (int32_t y = 0; y < to->height && kind > 0; y++)
        for (int32_t x = 0; x < to->width; x++)
            kit_pixel_set(to, x, y,
                          kind == 1 ? (double)kit_below(random, 256) : 255.0 - kit_pixel(to, x, y));
}

/* Checks all bounds of a template in a scene. Returns by how much they exceed the scores, about. */
static double check_pair(xncc_kernel kernel, const xncc_image *image, const xncc_image *piece)
{
    xncc_template templ = { .width = 0 };
    CHECK_STATUS(xncc_template_fill(&templ, piece, NULL), XNCC_OK);
    uint8_t *half = malloc((size_t)(templ.width / 2) * (size_t)(templ.height / 2));
    xncc_bound_templ bound;
    scene s;
    double slack = 0.0;
    if (scene_make(&s, kernel, image, &templ)) {
        if (xncc_bound_templ_make(&templ, half, &bound))
            slack = check_windows(&s, image, &templ, &bound);
        xncc_halves_clear(&s.halves);
    }
    free(half);
    xncc_template_clear(&templ);
    return slack;
}

/* Pictures on which single terms of the bound are as large as they can be. In each of the first
 * two, the quads of one picture have two levels, and all of the other are rounded to one. In the
 * third, only pixels in no quad differ. */
static void worst(int kind, const xncc_image *image, const xncc_image *piece, kit_random *random)
{
    static const int high[4] = { 101, 101, 101, 102 }, low[4] = { 100, 101, 100, 101 };
    uint8_t level[2][4] = { { 88, 88, 88, 88 }, { 168, 168, 168, 168 } };
    for (int32_t y = 0; y < image->height; y++)
        for (int32_t x = 0; x < image->width; x++)
            kit_pixel_set(image, x, y, x >= piece->width - 1 ? 200.0 : 50.0);
    kit_image_copy(piece, image, 0, 0);
    for (int32_t y = 0; y + 1 < piece->height && kind < 2; y += 2)
        for (int32_t x = 0; x + 1 < piece->width; x += 2) {
            const int up = (int)kit_below(random, 2);
            for (int i = 0; i < 4; i++) {
                const double fine = up ? high[i] : low[i], coarse = level[up][i];
                kit_pixel_set(image, x + i % 2, y + i / 2, kind == 0 ? fine : coarse);
                kit_pixel_set(piece, x + i % 2, y + i / 2, kind == 0 ? coarse : fine);
            }
        }
}

static void check_worst(xncc_kernel kernel)
{
    kit_random random = kit_stream(77);
    for (int kind = 0; kind < 3; kind++) {
        const int32_t side = kind < 2 ? 24 : 25;
        kit_image image = kit_image_create(XNCC_U8, side + 9, side + 9, 0, KIT_AFTER);
        kit_image piece = kit_image_create(XNCC_U8, side, side, 0, KIT_AFTER);
        worst(kind, &image.view, &piece.view, &random);
        check_pair(kernel, &image.view, &piece.view);
        kit_image_destroy(&image);
        kit_image_destroy(&piece);
    }
}

static void check_bounds(xncc_kernel kernel, uint64_t number)
{
    kit_random random = kit_stream(number);
    for (int round = 0; round < 3 * KINDS; round++) {
        kit_image image = kit_image_create(XNCC_U8, 41 + kit_between(&random, 0, 40),
                                           41 + kit_between(&random, 0, 9), 5, KIT_AFTER);
        kit_image piece = kit_image_create(XNCC_U8, 16 + kit_between(&random, 0, 20),
                                           16 + kit_between(&random, 0, 20), 0, KIT_AFTER);
        fill(&image.view, round % KINDS, &random);
        cut(&piece.view, &image.view, round / KINDS, &random);
        const double slack = check_pair(kernel, &image.view, &piece.view);
        if (round == 0)
            CHECK(slack > 0.0 && slack < 0.25); /* a bound that excludes nothing is of no use */
        kit_image_destroy(&image);
        kit_image_destroy(&piece);
    }
    check_worst(kernel);
}

enum { TEMPLS = 9, CAPACITY = 400 };

typedef struct batch_case {
    xncc_context *context;
    kit_image image, piece[TEMPLS];
    xncc_template *templ[TEMPLS];
    int count;
    xncc_problem problem;
    xncc_batch_options options;
} batch_case;

static void case_make(batch_case *c, int round, kit_random *random)
{
    static const float limit[] = { 0.0f, -INFINITY, 0.3f, 0.7f, 0.9f };
    static const size_t top[] = { 1, 1, 2, 3, 10, 40, XNCC_ALL };
    const int32_t width = 16 + kit_between(random, 0, 30), height = 16 + kit_between(random, 0, 30);
    c->context = kit_context(XNCC_DEVICE_CPU, 1 + kit_between(random, 0, 4));
    c->image = kit_image_create(XNCC_U8, width + kit_between(random, 0, 300),
                                height + kit_between(random, 0, 150), 3, KIT_AFTER);
    c->count = 3 + kit_between(random, 0, TEMPLS - 3);
    fill(&c->image.view, round % 4, random);
    for (int i = 0; i < c->count; i++) {
        c->piece[i] = kit_image_create(XNCC_U8, width, height, 0, KIT_AFTER);
        cut(&c->piece[i].view, &c->image.view, i % 5 == 4 ? 1 : i % 7 == 6 ? 2 : 0, random);
        CHECK_STATUS(xncc_template_create(c->context, &c->piece[i].view, &c->templ[i], NULL),
                     XNCC_OK);
    }
    c->problem = (xncc_problem)XNCC_PROBLEM_INIT;
    CHECK_STATUS(xncc_problem_set(&c->problem, &c->image.view, NULL, NULL), XNCC_OK);
    c->problem.rule.flat = kit_below(random, 4) == 0 ? XNCC_FLAT_NAN : XNCC_FLAT_ZERO;
    c->options = (xncc_batch_options)XNCC_BATCH_OPTIONS_INIT;
    c->options.capacity = CAPACITY;
    c->options.peaks.min_score = limit[kit_below(random, 5)];
    c->options.peaks.top = top[kit_below(random, 7)];
    if (kit_below(random, 2))
        c->options.peaks.min_distance = 1 + kit_between(random, 0, 12);
}

static void case_destroy(batch_case *c)
{
    for (int i = 0; i < c->count; i++) {
        xncc_template_destroy(c->templ[i]);
        kit_image_destroy(&c->piece[i]);
    }
    kit_image_destroy(&c->image);
    xncc_context_destroy(c->context);
}

/* The matches of one template of a list. */
static size_t pick(const xncc_candidate *list, size_t count, int templ, xncc_match *match)
{
    size_t found = 0;
    for (size_t i = 0; i < count; i++)
        if (list[i].templ == templ)
            match[found++] = list[i].match;
    return found;
}

static void check_case(const batch_case *c, const xncc_candidate *list, size_t count)
{
    static xncc_match want[CAPACITY], got[CAPACITY * TEMPLS];
    xncc_find_options options = XNCC_FIND_OPTIONS_INIT;
    options.rule = c->problem.rule;
    options.peaks = c->options.peaks;
    for (int i = 0; i < c->count && count < CAPACITY; i++) {
        size_t wanted;
        CHECK_STATUS(xncc_find(c->context, &c->image.view, c->templ[i], &options, want, CAPACITY,
                               &wanted, NULL),
                     XNCC_OK);
        const size_t found = pick(list, count, i, got);
        CHECK_INT(found, wanted);
        for (size_t k = 0; k < found && k < wanted; k++)
            CHECK(memcmp(&got[k], &want[k], sizeof *got) == 0);
    }
}

/* Returns 1 if the batch searched with bounds. */
static int used_bounds(const xncc_batch *batch)
{
    const xncc_cpu_bounds *bounds = batch->group[0].plan->engine_plan->bounds;
    return bounds && bounds->pause == 0;
}

static void check_batches(void)
{
    const int rounds = 600, wanted = kit_short() ? 6 : rounds / 8;
    int used = 0;
    for (int round = 0; round < rounds && !(kit_short() && used == wanted); round++) {
        static xncc_candidate list[CAPACITY];
        kit_random random = kit_stream(1000 + (uint64_t)round);
        batch_case c;
        size_t count = 0;
        xncc_batch *batch = NULL;
        case_make(&c, round, &random);
        CHECK_STATUS(xncc_batch_create(c.context, &c.problem, NULL,
                                       (const xncc_template *const *)c.templ, (size_t)c.count,
                                       &c.options, &batch, NULL),
                     XNCC_OK);
        for (int again = 0; again < 2; again++) { /* what the first call keeps */
            CHECK_STATUS(xncc_batch_find(batch, &c.image.view, list, &count, NULL, NULL), XNCC_OK);
            check_case(&c, list, count);
        }
        used += used_bounds(batch);
        xncc_batch_destroy(batch);
        case_destroy(&c);
    }
    CHECK(used >= wanted); /* or nothing was tested */
}

int main(int argc, char **argv)
{
    kit_start(argc, argv);
    static const struct {
        xncc_kernel kernel;
        uint32_t needs;
    } builds[] = { { XNCC_KERNEL_DIRECT_PORTABLE, 0 },
                   { XNCC_KERNEL_DIRECT_AVX2, XNCC_CPU_AVX2_FMA },
                   { XNCC_KERNEL_DIRECT_AVXVNNI, XNCC_CPU_AVXVNNI },
                   { XNCC_KERNEL_DIRECT_AVX512, XNCC_CPU_AVX512_VNNI },
                   { XNCC_KERNEL_DIRECT_NEON, XNCC_CPU_NEON },
                   { XNCC_KERNEL_DIRECT_DOTPROD, XNCC_CPU_DOTPROD } };
    for (uint64_t i = 0; i < sizeof builds / sizeof *builds; i++)
        if ((xncc_cpu_features() & builds[i].needs) == builds[i].needs)
            check_bounds(builds[i].kernel, i);
    check_batches();
    return kit_finish("bounds");
}
