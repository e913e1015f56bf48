/* SPDX-License-Identifier: BSD-2-Clause */
/* Matches: compares every kernel with the brute-force rule on a map whose bits are known. */
#include "check/check.h"
#include "kit/sanitized.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { METHODS = 6, MOST_MATCHES = 4096 };

typedef struct scene {
    check_run *run;
    kit_image image, templ;
    xncc_template *prepared[CHECK_THREAD_COUNTS];
    char name[128];
} scene;

static kit_map expected_map(const scene *s, xncc_method method, xncc_mode mode)
{
    /* the oracle sums unsigned integers */
    if (s->image.view.pixel != XNCC_U8 && s->image.view.pixel != XNCC_U16)
        return check_reference(s->run, &s->image.view, &s->templ.view,
                               &(kit_options){ .method = method, .mode = mode });
    kit_map map = check_map_for(&s->image.view, &s->templ.view, mode);
    oracle_sums sums = oracle_sums_make(&s->image.view, &s->templ.view, mode);
    for (int32_t y = 0; y < map.view.height; y++)
        for (int32_t x = 0; x < map.view.width; x++)
            kit_map_row(&map.view, y)[x] = oracle_score(
                &sums, method, XNCC_FLAT_ZERO, (size_t)y * (size_t)map.view.width + (size_t)x);
    oracle_sums_free(&sums);
    return map;
}

/* Applies the defaults of kit_find_options as its comments describe them. */
static oracle_peak_rule rule_for(const scene *s, const kit_find_options *o, size_t capacity)
{
    int distance = o->method == XNCC_SQDIFF || o->method == XNCC_SQDIFF_NORMED;
    int32_t shorter = s->templ.view.width < s->templ.view.height ? s->templ.view.width
                                                                 : s->templ.view.height;
    oracle_peak_rule rule = { .smallest = distance };
    rule.limit = !distance ? o->min_score : o->max_score == 0.0f ? INFINITY : o->max_score;
    rule.min_distance = o->min_distance ? o->min_distance : shorter / 2 < 1 ? 1 : shorter / 2;
    rule.top = o->top && o->top < capacity ? o->top : capacity;
    return rule;
}

/* Compares the matches with those of the brute-force rule. plan: one plan per thread count for the
 * options' problem; NULL: xncc_find makes its own. */
static void check_matches(const scene *s, xncc_plan *const *plan, const kit_find_options *options,
                          size_t capacity, const xncc_map *map)
{
    static xncc_match want[MOST_MATCHES], got[MOST_MATCHES + 1];
    oracle_peak_rule rule = rule_for(s, options, capacity);
    size_t wanted = oracle_peaks(map, &rule, want), found = 12345;
    const xncc_image *templ = &s->templ.view;
    const int32_t x0 = options->mode == XNCC_SAME   ? templ->width / 2
                       : options->mode == XNCC_FULL ? templ->width - 1
                                                    : 0;
    const int32_t y0 = options->mode == XNCC_SAME   ? templ->height / 2
                       : options->mode == XNCC_FULL ? templ->height - 1
                                                    : 0;
    uint64_t slot = s->run->turn % CHECK_THREAD_COUNTS;
    char what[320];
    snprintf(what, sizeof what, "%s %s%s %s: top %zu of %zu, limit %g, distance %d", s->name,
             xncc_method_name(options->method),
             options->mode == XNCC_SAME   ? " same"
             : options->mode == XNCC_FULL ? " full"
                                          : "",
             options->kernel ? options->kernel : "(chosen)", options->top, capacity,
             (double)rule.limit, options->min_distance);
    memset(got, 0x5a, sizeof got);
    xncc_status status = plan ? kit_plan_find(plan[slot], &s->image.view, s->prepared[slot],
                                              options, got, capacity, &found, NULL)
                              : kit_find(s->run->context[slot], &s->image.view, s->prepared[slot],
                                         options, got, capacity, &found);
    if (!check_ok(status, what))
        return;
    if (found != wanted)
        kit_fail(__FILE__, __LINE__, "%s: %zu matches, want %zu", what, found, wanted);
    CHECK(found == wanted);
    for (size_t i = 0; i < found && i < wanted; i++) {
        xncc_match w = { want[i].x - x0, want[i].y - y0, want[i].score };
        if (memcmp(&got[i], &w, sizeof w) == 0)
            continue;
        kit_fail(__FILE__, __LINE__, "%s: match %zu is (%d, %d) %.9g, want (%d, %d) %.9g", what, i,
                 got[i].x, got[i].y, (double)got[i].score, w.x, w.y, (double)w.score);
        break;
    }
    const unsigned char *after = (const unsigned char *)&got[capacity];
    CHECK(*after == 0x5a); /* nothing is written beyond the capacity */
    if (options->kernel)
        check_count(s->run, options->kernel);
}

/* Score limits in the middle of a map's scores, at its best score, and beyond it. */
static float limit_of(const xncc_map *map, int smallest, int which)
{
    float best = smallest ? INFINITY : -INFINITY;
    for (int32_t y = 0; y < map->height; y++)
        for (int32_t x = 0; x < map->width; x++) {
            float v = kit_map_row(map, y)[x];
            if (smallest ? v < best : v > best)
                best = v;
        }
    if (which == 0)
        return smallest ? 0.0f : -INFINITY;
    if (which == 1)
        return best;
    if (which == 2)
        return smallest ? best * 1.5f + 0.25f : best * 0.5f;
    return smallest ? nextafterf(best, -INFINITY) : nextafterf(best, INFINITY);
}

static int has_few_cases(const check_run *run)
{
    return check_is_brief(run) || check_is_threads(run);
}

/* Every limit with every distance, with one plan per thread count. In a short run it is one limit
 * per distance, with sanitizers another one for each kernel and method. */
static void check_rules(const scene *s, const char *kernel, const xncc_problem *problem,
                        const xncc_map *map)
{
    const xncc_method method = problem->rule.method;
    const xncc_preference forced = { .size = sizeof(xncc_preference), .kernel = kernel };
    xncc_plan *plan[CHECK_THREAD_COUNTS] = { 0 };
    int made = 1;
    for (int i = 0; i < CHECK_THREAD_COUNTS; i++)
        made &= check_ok(
            xncc_plan_create(s->run->context[i], problem, &forced, &plan[i], &kit_error), s->name);
    static const size_t top[] = { 0, 1, 3, 40 };
    static const int32_t distance[] = { 0, 1, 2, 5, 1000 };
    int smallest = method == XNCC_SQDIFF || method == XNCC_SQDIFF_NORMED;
    const int shift = KIT_SANITIZED ? (int)(s->run->turn / 5 + (uint64_t)method) : 0;
    for (int limit = 0; limit < 4 && made; limit++)
        for (int d = 0; d < 5; d++) {
            if ((KIT_SANITIZED || has_few_cases(s->run)) && (d + shift) % 4 != limit)
                continue;
            float bound = limit_of(map, smallest, limit);
            kit_find_options o = { .method = method,
                                   .mode = problem->rule.mode,
                                   .kernel = kernel,
                                   .top = top[(limit + d) & 3],
                                   .min_distance = distance[d] };
            o.min_score = smallest ? 99.0f
                                   : bound; /* the limit that does not apply must not matter */
            o.max_score = smallest ? bound : -99.0f;
            check_matches(s, plan, &o, d == 2 ? 7 : MOST_MATCHES, map);
        }
    for (int i = 0; i < CHECK_THREAD_COUNTS; i++)
        xncc_plan_destroy(plan[i]);
}

static void check_scene(scene *s)
{
    check_run *run = s->run;
    int made = 1;
    for (int i = 0; i < CHECK_THREAD_COUNTS; i++)
        made &= check_ok(
            xncc_template_create(run->context[i], &s->templ.view, &s->prepared[i], &kit_error),
            s->name);
    for (int c = 0; c < 2 * METHODS + 1 && made; c++) {
        /* in mode full, one of them */
        xncc_method method = (xncc_method)((c < 2 * METHODS ? (uint64_t)c : run->turn / 7) %
                                           METHODS);
        xncc_mode mode = c < METHODS ? XNCC_VALID : c < 2 * METHODS ? XNCC_SAME : XNCC_FULL;
        /* the search knows only whether small scores are good, but the kernels that search without
         * a map know the method */
        if (has_few_cases(run) && method != XNCC_CCOEFF_NORMED &&
            !(mode == XNCC_VALID && (method == XNCC_SQDIFF || run->device == XNCC_DEVICE_CUDA)))
            continue;
        xncc_problem problem = check_problem(&s->image.view, s->templ.view.width,
                                             s->templ.view.height);
        problem.rule.method = method;
        problem.rule.mode = mode;
        const char *kernel[CHECK_KERNELS];
        size_t kernels = check_kernels(run, &problem, kernel);
        if (!kernels)
            continue;
        kit_map map = expected_map(s, method, mode);
        for (size_t k = 0; k < kernels; k++)
            check_rules(s, kernel[k], &problem, &map.view);
        check_matches(s, NULL,
                      &(kit_find_options){ .method = method, .mode = mode, .min_score = -INFINITY },
                      5, &map.view);
        kit_map_destroy(&map);
    }
    for (int i = 0; i < CHECK_THREAD_COUNTS; i++)
        xncc_template_destroy(s->prepared[i]);
}

static void plant_at(const scene *s, int32_t x0, int32_t y0)
{
    for (int32_t y = 0; y < s->templ.view.height; y++)
        for (int32_t x = 0; x < s->templ.view.width; x++)
            kit_pixel_set(&s->image.view, x0 + x, y0 + y, kit_pixel(&s->templ.view, x, y));
}

/* Copies the template into the image, so that there is something to find, and ties. */
static void plant(const scene *s, kit_random *random, int copies)
{
    for (int i = 0; i < copies; i++) {
        int32_t x0 = kit_between(random, 0, s->image.view.width - s->templ.view.width);
        int32_t y0 = kit_between(random, 0, s->image.view.height - s->templ.view.height);
        plant_at(s, x0, y0);
    }
}

typedef struct setting {
    int32_t image_width, image_height, width, height;
    kit_fill image, templ;
    int copies;
} setting;

static void check_setting(check_run *run, xncc_pixel pixel, const setting *z, uint64_t number)
{
    kit_random random = kit_stream(1000 + number);
    scene s = { .run = run };
    s.image = kit_image_create(pixel, z->image_width, z->image_height, 3,
                               number & 1 ? KIT_AFTER : KIT_BEFORE);
    s.templ = kit_image_create(pixel, z->width, z->height, 1, KIT_AFTER);
    kit_image_fill(&s.image.view, z->image, &random);
    kit_image_fill(&s.templ.view, z->templ, &random);
    plant(&s, &random, z->copies);
    int holes = pixel == XNCC_F32 && z->copies > 2;
    for (int i = 0; i < 3 && holes; i++)
        kit_pixel_set(&s.image.view, kit_between(&random, 0, z->image_width - 1),
                      kit_between(&random, 0, z->image_height - 1), (double)NAN);
    kit_image_freeze(&s.image);
    kit_image_freeze(&s.templ);
    snprintf(s.name, sizeof s.name, "find in %s %dx%d (%s%s) of %dx%d (%s)", xncc_pixel_name(pixel),
             z->image_width, z->image_height, kit_fill_name(z->image), holes ? " with NaN" : "",
             z->width, z->height, kit_fill_name(z->templ));
    check_scene(&s);
    kit_image_destroy(&s.image);
    kit_image_destroy(&s.templ);
}

/* One search in a large map by each kernel, or by the one that is chosen. */
typedef struct large_search {
    kit_find_options options;
    size_t capacity;
    int each_kernel;
} large_search;

/* The search on a GPU has tiles of 128 x 8 map elements, and thread i of 1,024 has tiles i, i +
 * 1024, and so on (cuda/peaks/peak_search.cu). Plants pairs of copies in tiles of one thread each,
 * in a map of 17 tiles per row of tiles. */
static void plant_pairs(const scene *s)
{
    for (int32_t i = 0; i < 8; i++) {
        const int32_t first = 3 + 27 * i, second = first + 1024;
        plant_at(s, first % 17 * 128 + 5, first / 17 * 8 + 2);
        plant_at(s, second % 17 * 128 + 5, second / 17 * 8 + 2);
    }
}

/* Searches in a map of more than a million elements. */
static void check_large(check_run *run, const setting *z, int pairs, const large_search *search,
                        size_t count)
{
    kit_random random = kit_stream((uint64_t)z->image_width);
    scene s = { .run = run };
    s.image = kit_image_create(XNCC_U8, z->image_width, z->image_height, 1, KIT_AFTER);
    s.templ = kit_image_create(XNCC_U8, z->width, z->height, 0, KIT_AFTER);
    kit_image_fill(&s.image.view, z->image, &random);
    kit_image_fill(&s.templ.view, z->templ, &random);
    plant(&s, &random, z->copies);
    if (pairs)
        plant_pairs(&s);
    kit_image_freeze(&s.image);
    snprintf(s.name, sizeof s.name, "find in %dx%d", z->image_width, z->image_height);
    int made = 1;
    for (int i = 0; i < CHECK_THREAD_COUNTS; i++)
        made &= check_ok(
            xncc_template_create(run->context[i], &s.templ.view, &s.prepared[i], &kit_error),
            s.name);
    xncc_problem problem = check_problem(&s.image.view, z->width, z->height);
    const char *kernel[CHECK_KERNELS];
    size_t kernels = made ? check_kernels(run, &problem, kernel) : 0;
    kit_map map = expected_map(&s, XNCC_CCOEFF_NORMED, XNCC_VALID);
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < (search[i].each_kernel ? kernels : 1); k++) {
            kit_find_options o = search[i].options;
            o.kernel = search[i].each_kernel ? kernel[k] : NULL;
            check_matches(&s, NULL, &o, search[i].capacity, &map.view);
        }
    for (int i = 0; i < CHECK_THREAD_COUNTS; i++)
        xncc_template_destroy(s.prepared[i]);
    kit_map_destroy(&map);
    kit_image_destroy(&s.image);
    kit_image_destroy(&s.templ);
}

/* Engines search these in bands: a wide one in bands of few rows, and a high one. */
static void check_bands(check_run *run)
{
    static const setting wide = { 70001, 70, 3, 2, KIT_NOISE, KIT_NOISE, 60 },
                         high = { 1200, 1900, 3, 2, KIT_NOISE, KIT_NOISE, 60 };
    static const large_search search[] = {
        { { .min_distance = 4, .min_score = 0.9f, .top = 3000 }, MOST_MATCHES, 1 },
        { { .min_distance = 1, .top = 200 }, 200, 0 },
    };
    check_large(run, &wide, 0, search, 2);
    check_large(run, &high, 0, search, 2);
}

/* A map of more tiles than the block that lists them has threads, on a GPU: fewer matches than
 * copies, all copies, and none. */
static void check_tiles(check_run *run)
{
    static const setting z = { 2100, 600, 9, 5, KIT_NOISE, KIT_NOISE, 14 };
    static const large_search search[] = {
        { { .min_distance = 8, .top = 16 }, 16, 1 },
        { { .min_distance = 1, .top = 30 }, 30, 1 },
        { { .min_distance = 40, .top = 1 }, 1, 1 },
        { { .min_distance = 1, .min_score = 0.999f, .top = 32 }, 32, 1 },
        { { .min_distance = 2, .min_score = 1.5f, .top = 30 }, 30, 1 },
    };
    check_large(run, &z, 1, search, sizeof search / sizeof *search);
}

typedef struct width_list {
    const int32_t *width;
    size_t count;
} width_list;

/* A width of each class that the searches of the tensor kernels have instances for: chunks of
 * columns, odd and even, and beyond one block the remainders by 4. Signed bytes: those with sums
 * that remove the bias, and the products of wide templates of bytes whose sign is flipped. Two
 * bytes: the remainder by 4 that no other search has. */
static width_list widths_of(xncc_pixel pixel)
{
    static const int32_t u8[] = { 9,  10, 25, 26,  33,  34,  41,  42, 49,
                                  50, 57, 58, 141, 142, 143, 144, 145 },
                         s8[] = { 33, 34, 74, 82, 90, 98, 106, 114, 122 }, u16[] = { 34 };
    switch (pixel) {
    case XNCC_U8: return (width_list){ u8, sizeof u8 / sizeof *u8 };
    case XNCC_S8: return (width_list){ s8, sizeof s8 / sizeof *s8 };
    case XNCC_U16: return (width_list){ u16, sizeof u16 / sizeof *u16 };
    default: return (width_list){ NULL, 0 };
    }
}

static void check_widths(check_run *run)
{
    for (int p = XNCC_U8; p <= XNCC_F64; p++) {
        const width_list widths = widths_of((xncc_pixel)p);
        for (uint64_t i = 0; i < widths.count && check_wants(run, (xncc_pixel)p); i++) {
            const int32_t width = widths.width[i];
            const setting z = { width + 40, 37, width, 7, KIT_NOISE, KIT_NOISE, 2 };
            check_setting(run, (xncc_pixel)p, &z, 300 + i);
        }
    }
}

void check_find(check_run *run)
{
    if (run->group && (check_in_group(run, "best") || check_is_brief(run)))
        check_best(run);
    if (run->group && check_in_group(run, "best"))
        return;
    if (run->group && check_in_group(run, "widths")) {
        check_widths(run);
        return;
    }
    if (check_wants(run, XNCC_U8) && run->group && check_in_group(run, "tiles")) {
        check_tiles(run);
        return;
    }
    if (check_wants(run, XNCC_U8) && check_in_group(run, "bands"))
        check_bands(run);
    /* high enough for several rectangles of any kernel, one above the other */
    static const setting high = { 40, 460, 7, 6, KIT_NOISE, KIT_NOISE, 3 };
    for (int p = XNCC_U8; p <= XNCC_F32; p++)
        if (check_is_threads(run) && check_wants(run, (xncc_pixel)p))
            check_setting(run, (xncc_pixel)p, &high, 200);
    if (!check_in_group(run, "maps") && !check_is_brief(run))
        return;
    static const setting some[] = {
        { 61, 47, 7, 5, KIT_NOISE, KIT_NOISE, 3 },
        { 64, 33, 4, 4, KIT_CHECKER, KIT_CHECKER, 0 },
        { 40, 30, 5, 9, KIT_ZERO, KIT_NOISE, 4 },
        { 33, 35, 1, 1, KIT_BLOCKS, KIT_MAX, 0 },
        { 29, 31, 3, 3, KIT_FLAT, KIT_FLAT, 0 },
        { 90, 25, 11, 8, KIT_BLOCKS, KIT_BLOCKS, 2 },
        { 9, 9, 9, 9, KIT_NOISE, KIT_NOISE, 1 },
        { 57, 41, 16, 12, KIT_GRADIENT, KIT_GRADIENT, 5 },
    };
    static const xncc_pixel pixels[] = { XNCC_U8, XNCC_U16, XNCC_F32, XNCC_S8 };
    for (size_t p = 0; p < sizeof pixels / sizeof *pixels; p++)
        for (uint64_t i = 0; i < sizeof some / sizeof *some; i++)
            if (check_wants(run, pixels[p]) && (i < 1 || !check_is_brief(run)) &&
                (!kit_short() || i % 2 == p % 2))
                check_setting(run, pixels[p], &some[i], i);
    if (check_is_brief(run))
        return;
    kit_random random = kit_stream(5);
    for (uint64_t i = 0; i < (run->full ? 40 : 4); i++) {
        setting z = { kit_between(&random, 20, 120),
                      kit_between(&random, 20, 90),
                      kit_between(&random, 1, 20),
                      kit_between(&random, 1, 20),
                      i & 1 ? KIT_NOISE : KIT_NEAR_FLAT,
                      KIT_NOISE,
                      3 };
        xncc_pixel pixel = (xncc_pixel)(i % 3);
        if (check_wants(run, pixel))
            check_setting(run, pixel, &z, 100 + i);
    }
}
