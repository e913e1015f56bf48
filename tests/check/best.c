/* SPDX-License-Identifier: BSD-2-Clause */
/* The best match alone, which a GPU finds without a list of candidates (cuda/peaks/collect.cu): in
 * scenes where bounds of scores say little, where most positions are equal, and where nothing has a
 * score; and in a map with more tiles than the blocks of that search look at in one round. */
#include "check/check.h"
#include "check/on_device.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { METHODS = 6, LIMITS = 3 };

/* Values are 0 .. 127, so that they fit signed bytes. */
typedef enum look {
    LOOK_FALLING, /* flat at the left, then rising; the template falls: no score is above 0 */
    LOOK_ZEROS,   /* zeros at the left, then faint pixels; the template is bright: by sqdiff_normed
                     all scores are worse than 1, that of windows of zeros. Column 264 is the last
                     one under the first window of a GPU's third tile, so that no window of that
                     tile is zeros */
    LOOK_FLAT,
    LOOK_PERIODIC,
    LOOK_BLANK,  /* noise; the template is zeros */
    LOOK_SINGLE, /* noise with the template in each tile of a row: as it is, */
    LOOK_TRIPLE, /* or in the first one with three times the contrast. By ccoeff_normed the scores
                    are equal, but their bounds are rounded in different ways */
    LOOKS,
    LOOK_LAST /* noise with the template in one of the last tiles */
} look;

static const char *const look_name[] = { "falling", "zeros",  "flat", "periodic", "blank",
                                         "single",  "triple", "",     "last" };

typedef struct scene {
    check_run *run;
    look is;
    kit_image image, templ;
    device_image there; /* with a GPU */
    xncc_template *prepared;
} scene;

static int32_t image_value(look is, int32_t x, int32_t y, kit_random *random)
{
    switch (is) {
    case LOOK_FALLING: return x < 140 ? 50 : (x - 140) / 3;
    case LOOK_ZEROS: return x < 264 ? 0 : 1 + (x * 7 + y * 3) % 3;
    case LOOK_FLAT: return 77;
    case LOOK_PERIODIC: return (x % 8 * 13 + y % 8 * 29) % 127;
    default: return kit_between(random, 0, 127);
    }
}

static int32_t templ_value(look is, int32_t x, int32_t y, kit_random *random)
{
    switch (is) {
    case LOOK_FALLING: return 120 - 10 * x;
    case LOOK_ZEROS: return kit_between(random, 100, 127);
    case LOOK_PERIODIC: return image_value(is, x + 3, y + 2, random);
    case LOOK_BLANK: return 0;
    case LOOK_SINGLE:
    case LOOK_TRIPLE: return kit_between(random, 0, 42);
    default: return kit_between(random, 0, 127);
    }
}

/* Plants the template where a scene has it. */
static void plant_pixel(const scene *s, int32_t x, int32_t y, int32_t value)
{
    if (s->is == LOOK_LAST) /* tile 6 of row 131 */
        kit_pixel_set(&s->image.view, 800 + x, 2100 + y, value);
    for (int32_t k = 0; k < 4 && (s->is == LOOK_SINGLE || s->is == LOOK_TRIPLE); k++)
        kit_pixel_set(&s->image.view, 20 + 130 * k + x, 10 + y,
                      (k == 0) == (s->is == LOOK_TRIPLE) ? 3 * value : value);
}

static int scene_make(scene *s, check_run *run, xncc_pixel pixel, look is)
{
    kit_random random = kit_stream(4000 + (uint64_t)is);
    const int32_t width = is == LOOK_LAST ? 4240 : 430, height = is == LOOK_LAST ? 2110 : 40;
    *s = (scene){ .run = run, .is = is };
    s->image = kit_image_create(pixel, width, height, 2, KIT_AFTER);
    s->templ = kit_image_create(pixel, 9, 7, 0, KIT_AFTER);
    for (int32_t y = 0; y < height; y++)
        for (int32_t x = 0; x < width; x++)
            kit_pixel_set(&s->image.view, x, y, image_value(is, x, y, &random));
    for (int32_t y = 0; y < 7; y++)
        for (int32_t x = 0; x < 9; x++) {
            const int32_t value = templ_value(is, x, y, &random);
            kit_pixel_set(&s->templ.view, x, y, value);
            plant_pixel(s, x, y, value);
        }
    if (run->device == XNCC_DEVICE_CUDA)
        s->there = device_image_create(&s->image.view, 0);
    return check_ok(xncc_template_create(run->context[0], &s->templ.view, &s->prepared, &kit_error),
                    look_name[is]);
}

static void scene_free(scene *s)
{
    xncc_template_destroy(s->prepared);
    if (s->there.memory)
        device_image_destroy(&s->there);
    kit_image_destroy(&s->image);
    kit_image_destroy(&s->templ);
}

/* The map by the CPU, which tests/check/match.c checks. */
static kit_map expected_map(const scene *s, const xncc_problem *problem)
{
    kit_map map = check_map_for(&s->image.view, &s->templ.view, XNCC_VALID);
    const xncc_preference slow = { .size = sizeof slow, .kernel = "reference" };
    xncc_plan *plan = NULL;
    xncc_template *templ = NULL;
    if (check_ok(xncc_template_create(s->run->cpu, &s->templ.view, &templ, &kit_error),
                 "template") &&
        check_ok(xncc_plan_create(s->run->cpu, problem, s->is == LOOK_LAST ? NULL : &slow, &plan,
                                  &kit_error),
                 "plan of the CPU"))
        check_ok(xncc_plan_correlate(plan, &s->image.view, templ, &map.view, NULL, &kit_error),
                 "map of the CPU");
    xncc_plan_destroy(plan);
    xncc_template_destroy(templ);
    return map;
}

/* The best score of a map and its first position; returns 0 if there is no score. */
static size_t best_of(const xncc_map *map, int smallest, xncc_match *best)
{
    size_t found = 0;
    for (int32_t y = 0; y < map->height; y++)
        for (int32_t x = 0; x < map->width; x++) {
            const float v = kit_map_row(map, y)[x];
            if (isnan(v) || (found && (smallest ? v >= best->score : v <= best->score)))
                continue;
            *best = (xncc_match){ x, y, v };
            found = 1;
        }
    return found;
}

static void compare(const char *what, const xncc_match *got, size_t found, const xncc_match *want,
                    size_t wanted)
{
    if (found == wanted && (wanted == 0 || memcmp(got, want, sizeof *got) == 0))
        return;
    kit_fail(__FILE__, __LINE__, "%s: %zu matches, (%d, %d) %.9g, want %zu, (%d, %d) %.9g", what,
             found, got->x, got->y, (double)got->score, wanted, want->x, want->y,
             (double)want->score);
}

/* Searches from host memory and, with a GPU, leaves the match of an image there in its memory. */
static void check_search(const scene *s, xncc_plan *plan, const xncc_peak_rule *rule,
                         const xncc_match *want, size_t wanted, const char *what)
{
    xncc_match got = { -1, -1, 0.0f };
    size_t found = 5;
    if (check_ok(xncc_plan_find(plan, &s->image.view, s->prepared, rule, &got, 1, &found, NULL,
                                &kit_error),
                 what))
        compare(what, &got, found, want, wanted);
    CHECK(found == wanted);
    if (!s->there.memory)
        return;
    xncc_match *match = kit_device_alloc(sizeof *match);
    uint32_t *count = kit_device_alloc(sizeof *count), number = 5;
    if (!match || !count)
        kit_give_up("no device memory for a match");
    got = (xncc_match){ -1, -1, 0.0f };
    CHECK(kit_device_upload(match, &got, sizeof got));
    if (check_ok(xncc_plan_find_on_device(plan, &s->there.view, s->prepared, rule, match, 1, count,
                                          NULL, &kit_error),
                 what)) {
        CHECK(kit_device_download(&number, count, sizeof number));
        CHECK(kit_device_download(&got, match, sizeof got));
        compare(what, &got, number, want, wanted);
    }
    CHECK(number == wanted);
    kit_device_free(match);
    kit_device_free(count);
}

/* No limit, a limit that the best score meets, and one that it does not. */
static void check_limits(const scene *s, const xncc_problem *problem, const char *kernel,
                         const xncc_match *want, size_t wanted)
{
    const xncc_method method = problem->rule.method;
    const int smallest = method == XNCC_SQDIFF || method == XNCC_SQDIFF_NORMED;
    const float none = smallest ? INFINITY : -INFINITY,
                limit[LIMITS] = { none, want->score, nextafterf(want->score, -none) };
    const xncc_preference forced = { .size = sizeof forced, .kernel = kernel };
    char what[160];
    snprintf(what, sizeof what, "the best in %s (%s), %s%s, %s",
             xncc_pixel_name(s->image.view.pixel), look_name[s->is], xncc_method_name(method),
             problem->rule.flat == XNCC_FLAT_NAN ? " with NaN" : "", kernel);
    xncc_plan *plan = NULL;
    if (!check_ok(xncc_plan_create(s->run->context[0], problem, &forced, &plan, &kit_error), what))
        return;
    for (int i = 0; i < (wanted ? LIMITS : 1); i++) {
        xncc_peak_rule rule = XNCC_PEAK_RULE_INIT;
        rule.top = 1;
        rule.min_distance = 1 + 4 * i;
        *(smallest ? &rule.max_score : &rule.min_score) = limit[i];
        check_search(s, plan, &rule, want, i < 2 ? wanted : 0, what);
    }
    xncc_plan_destroy(plan);
    check_count(s->run, kernel);
}

static void check_rule(const scene *s, xncc_method method, xncc_flat flat)
{
    xncc_problem problem = check_problem(&s->image.view, s->templ.view.width, s->templ.view.height);
    problem.rule.method = method;
    problem.rule.flat = flat;
    const char *kernel[CHECK_KERNELS];
    const size_t kernels = check_kernels(s->run, &problem, kernel);
    if (!kernels)
        return;
    kit_map map = expected_map(s, &problem);
    xncc_match want = { 0, 0, 0.0f };
    const size_t wanted = best_of(&map.view, method == XNCC_SQDIFF || method == XNCC_SQDIFF_NORMED,
                                  &want);
    for (size_t k = 0; k < kernels; k++)
        check_limits(s, &problem, kernel[k], &want, wanted);
    kit_map_destroy(&map);
}

void check_best(check_run *run)
{
    static const xncc_pixel pixels[] = { XNCC_U8, XNCC_S8 };
    const int brief = check_is_brief(run) || kit_shortest();
    scene s;
    for (int p = 0; p < 2; p++)
        for (int is = 0; is < LOOKS && check_wants(run, pixels[p]); is++) {
            if (scene_make(&s, run, pixels[p], (look)is))
                for (int method = 0; method < METHODS; method++) {
                    if (brief && method != XNCC_CCOEFF_NORMED && method != XNCC_SQDIFF_NORMED)
                        continue;
                    if (!brief)
                        check_rule(&s, (xncc_method)method, XNCC_FLAT_ZERO);
                    check_rule(&s, (xncc_method)method, XNCC_FLAT_NAN);
                }
            scene_free(&s);
        }
    if (brief || run->device == XNCC_DEVICE_CPU || !check_wants(run, XNCC_U8))
        return;
    if (scene_make(&s, run, XNCC_U8, LOOK_LAST))
        check_rule(&s, XNCC_CCOEFF_NORMED, XNCC_FLAT_ZERO);
    scene_free(&s);
}
