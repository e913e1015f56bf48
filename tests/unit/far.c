/* SPDX-License-Identifier: BSD-2-Clause */
/* What the library does for an engine with memory of its own, on any machine: it copies what it
 * needs, refuses what the CPU cannot reach, and hands requests on with their limits applied. */
#include "unit/far_engine.h"

#include "api/batch_object.h"

#include <math.h>
#include <string.h>

static xncc_context *context; /* the CPU's engine, and the one of the tests */
static xncc_context *alone;   /* the CPU's engine */
static int stream;            /* its address is a stream */

static kit_image noise(xncc_pixel pixel, int32_t channels, int32_t width, int32_t height, int masks,
                       uint64_t number)
{
    kit_random random = kit_stream(number);
    kit_image image = kit_image_create_channels(pixel, channels, width, height,
                                                (kit_room){ 3, KIT_AFTER });
    kit_image_fill(&image.view, KIT_NOISE, &random);
    if (masks & 1) {
        kit_image_mask(&image, (kit_room){ 2, KIT_AFTER });
        for (int32_t i = 0; i < width * height; i++)
            kit_mask_set(&image.view, i % width, i / width, kit_below(&random, 5) != 0);
    }
    if (masks & 2) {
        image.view.has_no_data = 1;
        image.view.no_data = kit_sample(&image.view, width / 2, height / 2, 0);
    }
    return image;
}

static xncc_template *template_of(xncc_context *of, const xncc_image *pixels)
{
    xncc_template *templ = NULL;
    CHECK_STATUS(xncc_template_create(of, pixels, &templ, &kit_error), XNCC_OK);
    return templ;
}

/* ---- templates ---- */

/* A template from far pixels is that from near ones: their scores are the same. */
static void check_template(xncc_pixel pixel, int32_t channels, int masks)
{
    kit_image scene = noise(pixel, channels, 30, 24, 0, 1),
              pixels = noise(pixel, channels, 7, 5, masks, 2);
    const xncc_image there = far_image(&pixels.view);
    xncc_template *near = template_of(context, &pixels.view), *made = template_of(context, &there);
    kit_map want = kit_map_create(24, 20, 0, KIT_AFTER), got = kit_map_create(24, 20, 0, KIT_AFTER);
    const kit_options o = { .kernel = "reference" };
    CHECK_INT(far.prepared, 2);
    CHECK_STATUS(kit_correlate(context, &scene.view, near, &o, &want.view), XNCC_OK);
    CHECK_STATUS(kit_correlate(context, &scene.view, made, &o, &got.view), XNCC_OK);
    CHECK(memcmp(got.view.data, want.view.data, 24 * 20 * sizeof(float)) == 0);
    xncc_template_destroy(near);
    xncc_template_destroy(made);
    CHECK_INT(far.prepared, 0);
    kit_map_destroy(&want);
    kit_map_destroy(&got);
    kit_image_destroy(&scene);
    kit_image_destroy(&pixels);
    far_reset();
}

static void check_templates_refused(void)
{
    kit_image pixels = noise(XNCC_U8, 1, 7, 5, 1, 3);
    const xncc_image there = far_image(&pixels.view);
    xncc_template *templ = NULL;
    CHECK_STATUS(xncc_template_create(alone, &there, &templ, &kit_error), XNCC_ERROR_ARGUMENT);
    CHECK_TEXT(kit_error.text,
               "template: its pixels are in device memory, but this context has no device");
    for (far.fails_at = 1; far.fails_at <= 2; far.fails_at++) { /* the pixels, the mask */
        far.fetches = 0;
        CHECK_STATUS(xncc_template_create(context, &there, &templ, &kit_error), XNCC_ERROR_DEVICE);
        CHECK_TEXT(kit_error.text, "the far engine cannot copy");
        CHECK(templ == NULL && far.prepared == 0);
    }
    far.runs_fail = 1;
    far.fails_at = 0;
    CHECK_STATUS(xncc_template_create(context, &pixels.view, &templ, &kit_error),
                 XNCC_ERROR_DEVICE);
    const float tap = 1.0f;
    xncc_filter *filter = NULL;
    CHECK_STATUS(xncc_filter_create(context, &tap, 1, 1, NULL, &filter, &kit_error),
                 XNCC_ERROR_DEVICE);
    CHECK(templ == NULL && filter == NULL);
    far.runs_fail = 0;
    CHECK_STATUS(xncc_filter_create(context, &tap, 1, 1, NULL, &filter, &kit_error), XNCC_OK);
    CHECK_INT(far.prepared, 1);
    xncc_filter_destroy(filter);
    CHECK_INT(far.prepared, 0);
    kit_image_destroy(&pixels);
    far_reset();
}

/* ---- refinement, which copies the pixels around each match ---- */

enum { POSITIONS = 600 };

static size_t all_positions(const kit_options *o, const xncc_image *scene, const xncc_image *templ,
                            xncc_match *match)
{
    int32_t width, height, x0, y0;
    CHECK_STATUS(kit_map_extent(o->mode, scene->width, scene->height, templ->width, templ->height,
                                &width, &height, &x0, &y0),
                 XNCC_OK);
    size_t count = 0;
    for (int32_t y = 0; y < height; y++)
        for (int32_t x = 0; x < width && count < POSITIONS; x++)
            match[count++] = (xncc_match){ x0 + x, y0 + y, 0.5f };
    return count;
}

static void check_refine(const kit_options *o, xncc_pixel pixel, int32_t channels, int masks)
{
    static xncc_match match[POSITIONS];
    static xncc_refined want[POSITIONS], got[POSITIONS];
    kit_image scene = noise(pixel, channels, 12, 9, masks, 4),
              pixels = noise(pixel, channels, 5, 4, 0, 5);
    const xncc_image there = far_image(&scene.view);
    const xncc_match_rule rule = kit_match_rule(o);
    xncc_template *templ = template_of(context, &pixels.view);
    const size_t count = all_positions(o, &scene.view, &pixels.view, match);
    memset(want, 0, sizeof want);
    memset(got, 0, sizeof got);
    CHECK_STATUS(xncc_refine(context, &scene.view, templ, &rule, match, count, want, &kit_error),
                 XNCC_OK);
    CHECK_INT(far.fetches, 0);
    CHECK_STATUS(xncc_refine_on_stream(context, &there, templ, &rule, match, count, got,
                                       (xncc_stream)&stream, &kit_error),
                 XNCC_OK);
    if (!CHECK(memcmp(got, want, sizeof got) == 0))
        kit_fail(__FILE__, __LINE__, "refine: mode %d, border %d, pixel %d, channels %d, masks %d",
                 (int)o->mode, (int)o->border, (int)pixel, channels, masks);
    CHECK(far.fetches > 0 && far.stream == (xncc_stream)&stream);
    for (far.fails_at = 1; far.fails_at <= 2; far.fails_at++) {
        far.fetches = 0;
        CHECK_STATUS(xncc_refine(context, &there, templ, &rule, match, count, got, &kit_error),
                     XNCC_ERROR_DEVICE);
        CHECK_INT(far.fetches, far.fails_at);
    }
    xncc_template_destroy(templ);
    kit_image_destroy(&scene);
    kit_image_destroy(&pixels);
    far_reset();
}

static void check_refinement(void)
{
    for (int mode = XNCC_VALID; mode <= XNCC_FULL; mode++)
        for (int border = 0; border < (mode == XNCC_VALID ? 1 : 5); border++)
            for (int masks = 0; masks < 4; masks++) {
                const kit_options o = { .mode = (xncc_mode)mode, .border = (xncc_border)border };
                check_refine(&o, masks & 1 ? XNCC_U16 : XNCC_U8, masks == 2 ? 3 : 1, masks);
            }
    kit_image scene = noise(XNCC_U8, 1, 12, 9, 0, 6), pixels = noise(XNCC_U8, 1, 5, 4, 0, 7);
    const xncc_image there = far_image(&scene.view);
    xncc_template *templ = template_of(alone, &pixels.view);
    const xncc_match match = { 1, 1, 0.5f };
    xncc_refined refined;
    CHECK_STATUS(xncc_refine(alone, &there, templ, NULL, &match, 1, &refined, &kit_error),
                 XNCC_ERROR_ARGUMENT);
    CHECK_TEXT(kit_error.text, "image: it is in device memory, but this context has no device");
    xncc_template_destroy(templ);
    kit_image_destroy(&scene);
    kit_image_destroy(&pixels);
    far_reset();
}

/* ---- plans ---- */

typedef struct scene {
    kit_image image, pixels;
    kit_map map;
    xncc_image there;
    xncc_template *templ;
    xncc_problem problem;
    xncc_plan *near, *plan; /* on the CPU, and on the far engine */
} scene;

static scene scene_make(xncc_mode mode)
{
    scene s = { .image = noise(XNCC_U8, 1, 64, 48, 0, 8), .pixels = noise(XNCC_U8, 1, 9, 6, 0, 9) };
    const int32_t more = mode == XNCC_FULL ? 1 : -1;
    far.present = 1;
    s.map = kit_map_create(64 + more * 8, 48 + more * 5, 0, KIT_AFTER);
    s.there = far_image(&s.image.view);
    s.templ = template_of(context, &s.pixels.view);
    s.problem = kit_problem((xncc_problem){ .rule.mode = mode });
    CHECK_STATUS(xncc_problem_set(&s.problem, &s.image.view, s.templ, &kit_error), XNCC_OK);
    xncc_preference want = XNCC_PREFERENCE_INIT;
    want.device = XNCC_DEVICE_CPU;
    CHECK_STATUS(xncc_plan_create(context, &s.problem, &want, &s.near, &kit_error), XNCC_OK);
    want.device = XNCC_DEVICE_AUTO;
    want.image_memory = XNCC_DEVICE; /* which the CPU cannot reach */
    CHECK_STATUS(xncc_plan_create(context, &s.problem, &want, &s.plan, &kit_error), XNCC_OK);
    CHECK_INT(far.plans, 1);
    return s;
}

static void scene_free(scene *s)
{
    xncc_plan_destroy(s->near);
    xncc_plan_destroy(s->plan);
    CHECK_INT(far.plans, 0);
    xncc_template_destroy(s->templ);
    kit_map_destroy(&s->map);
    kit_image_destroy(&s->image);
    kit_image_destroy(&s->pixels);
    far_reset();
}

static void check_runs(void)
{
    scene s = scene_make(XNCC_VALID);
    xncc_map map = s.map.view;
    xncc_match match[3];
    size_t found = 7;
    /* the far engine gets what the caller gave */
    map.memory = XNCC_DEVICE;
    CHECK_STATUS(
        xncc_plan_correlate(s.plan, &s.there, s.templ, &map, (xncc_stream)&stream, &kit_error),
        XNCC_OK);
    CHECK(far.image == &s.there && far.map == &map && far.stream == (xncc_stream)&stream);
    CHECK_STATUS(
        xncc_plan_find(s.plan, &s.there, s.templ, NULL, match, 3, &found, NULL, &kit_error),
        XNCC_OK);
    CHECK(found == 1 && far.rule.top == 3 && far.rule.min_distance == 3 && !far.stream);
    CHECK_STATUS(xncc_plan_find(s.plan, &s.there, s.templ, NULL, NULL, 0, &found, NULL, &kit_error),
                 XNCC_OK);
    CHECK_INT(found, 0); /* no room: the engine is not asked */
    far.runs_fail = 1;
    CHECK_STATUS(
        xncc_plan_find(s.plan, &s.there, s.templ, NULL, match, 3, &found, NULL, &kit_error),
        XNCC_ERROR_DEVICE);
    CHECK_INT(found, 0);
    /* the CPU reaches neither image nor map */
    CHECK_STATUS(xncc_plan_correlate(s.near, &s.there, s.templ, &s.map.view, NULL, &kit_error),
                 XNCC_ERROR_ARGUMENT);
    CHECK_TEXT(kit_error.text, "image: it is in device memory, but the plan runs on the CPU; set "
                               "image_memory in the preference");
    CHECK_STATUS(xncc_plan_correlate(s.near, &s.image.view, s.templ, &map, NULL, &kit_error),
                 XNCC_ERROR_ARGUMENT);
    CHECK_TEXT(kit_error.text, "map: it is in device memory, but the plan runs on the CPU; set "
                               "map_memory in the preference");
    xncc_plan *none = NULL;
    xncc_preference want = XNCC_PREFERENCE_INIT;
    want.device = XNCC_DEVICE_CUDA;
    CHECK_STATUS(xncc_plan_create(context, &s.problem, &want, &none, &kit_error),
                 XNCC_ERROR_DEVICE);
    CHECK(none == NULL);
    scene_free(&s);
}

static void check_find_on_device(void)
{
    scene s = scene_make(XNCC_FULL);
    xncc_match match[4];
    uint32_t found = 0;
    xncc_peak_rule rule = XNCC_PEAK_RULE_INIT;
    rule.min_score = 0.25f;
    rule.min_distance = 0;
    CHECK_STATUS(xncc_plan_find_on_device(s.plan, &s.there, s.templ, &rule, match, 4, &found,
                                          (xncc_stream)&stream, &kit_error),
                 XNCC_OK);
    CHECK(far.target.match == match && far.target.found == &found && far.image == &s.there);
    CHECK(far.stream == (xncc_stream)&stream);
    CHECK_INT(far.target.x0, -8);
    CHECK_INT(far.target.y0, -5);
    CHECK_INT(far.rule.top, 4);
    CHECK_INT(far.rule.min_distance, 1);
    CHECK_FLOAT(far.rule.limit, 0.25f);
    rule.top = 2;
    CHECK_STATUS(xncc_plan_find_on_device(s.plan, &s.there, s.templ, &rule, match, 4, &found, NULL,
                                          &kit_error),
                 XNCC_OK);
    CHECK_INT(far.rule.top, 2);
    static const char *const missing = "find: match or found is a null pointer, or the capacity "
                                       "is 0";
    for (int i = 0; i < 3; i++) {
        CHECK_STATUS(xncc_plan_find_on_device(s.plan, &s.there, s.templ, NULL,
                                              i == 0 ? NULL : match, i == 1 ? 0 : 4,
                                              i == 2 ? NULL : &found, NULL, &kit_error),
                     XNCC_ERROR_ARGUMENT);
        CHECK_TEXT(kit_error.text, missing);
    }
    CHECK_STATUS(
        xncc_plan_find_on_device(NULL, &s.there, s.templ, NULL, match, 4, &found, NULL, &kit_error),
        XNCC_ERROR_ARGUMENT);
    CHECK_STATUS(xncc_plan_find_on_device(s.near, &s.there, s.templ, NULL, match, 4, &found, NULL,
                                          &kit_error),
                 XNCC_ERROR_ARGUMENT);
    CHECK_TEXT(kit_error.text,
               "find: the plan runs on the CPU, which cannot leave matches in device memory");
    CHECK_STATUS(
        xncc_plan_find_on_device(s.plan, &s.there, NULL, NULL, match, 4, &found, NULL, &kit_error),
        XNCC_ERROR_ARGUMENT);
    far.runs_fail = 1;
    CHECK_STATUS(xncc_plan_find_on_device(s.plan, &s.there, s.templ, NULL, match, 4, &found, NULL,
                                          &kit_error),
                 XNCC_ERROR_DEVICE);
    scene_free(&s);
}

/* ---- batches: all plans of one are on one engine ---- */

/* A batch of a template that the CPU serves faster and a larger one of `width` pixels. The context
 * has to offer both engines. */
static xncc_device engine_of_batch(int32_t width, int32_t height)
{
    kit_image small = noise(XNCC_U8, 1, 1, 1, 0, 10),
              large = noise(XNCC_U8, 1, width, height, 0, 11);
    xncc_problem p = kit_problem(
        (xncc_problem){ .image_width = width + 40, .image_height = height + 60 });
    xncc_template *templ[2] = { template_of(context, &small.view),
                                template_of(context, &large.view) };
    xncc_batch *batch = NULL;
    CHECK_STATUS(xncc_batch_create(context, &p, NULL, (const xncc_template *const *)templ, 2, NULL,
                                   &batch, &kit_error),
                 XNCC_OK);
    xncc_device engine = XNCC_DEVICE_AUTO;
    if (batch) {
        engine = batch->group[0].plan->decision.engine;
        CHECK_INT(batch->group[1].plan->decision.engine, engine);
        CHECK_INT(far.works, engine == XNCC_DEVICE_CUDA);
        CHECK_INT(far.plans, engine == XNCC_DEVICE_CUDA ? 2 : 0);
    }
    xncc_batch_destroy(batch);
    CHECK(far.works == 0 && far.plans == 0);
    xncc_template_destroy(templ[0]);
    xncc_template_destroy(templ[1]);
    kit_image_destroy(&small);
    kit_image_destroy(&large);
    return engine;
}

/* ---- suppression ---- */

static void check_suppressor_run(xncc_suppressor *s)
{
    xncc_candidate result[5];
    uint32_t kept = 0;
    xncc_suppress_rule rule = XNCC_SUPPRESS_RULE_INIT;
    CHECK_STATUS(xncc_suppressor_run(s, XNCC_SQDIFF, NULL, result, 5, &kept, (xncc_stream)&stream,
                                     &kit_error),
                 XNCC_OK);
    CHECK(far.suppress.smallest && far.suppress.capacity == 5 && far.suppress.result == result &&
          far.suppress.kept == &kept && far.stream == (xncc_stream)&stream);
    rule.top = 3;
    CHECK_STATUS(xncc_suppressor_run(s, XNCC_CCORR, &rule, result, 5, &kept, NULL, &kit_error),
                 XNCC_OK);
    CHECK(!far.suppress.smallest && far.suppress.capacity == 3);
    CHECK_STATUS(
        xncc_suppressor_run(s, XNCC_CCORR, NULL, result, SIZE_MAX, &kept, NULL, &kit_error),
        XNCC_OK);
    CHECK_INT(far.suppress.capacity, XNCC_MAX_SUPPRESSOR);
    CHECK_STATUS(xncc_suppressor_run(s, XNCC_CCORR, NULL, result, 0, &kept, NULL, &kit_error),
                 XNCC_ERROR_ARGUMENT);
    CHECK_TEXT(kit_error.text, "suppressor: the capacity is 0");
    CHECK_STATUS(xncc_suppressor_run(s, (xncc_method)9, NULL, result, 5, &kept, NULL, &kit_error),
                 XNCC_ERROR_ARGUMENT);
    CHECK_TEXT(kit_error.text, "9 is not a method");
    rule.limit = -1.0;
    CHECK_STATUS(xncc_suppressor_run(s, XNCC_CCORR, &rule, result, 5, &kept, NULL, &kit_error),
                 XNCC_ERROR_ARGUMENT);
    CHECK_STATUS(xncc_suppressor_run(NULL, XNCC_CCORR, NULL, result, 5, &kept, NULL, &kit_error),
                 XNCC_ERROR_ARGUMENT);
    CHECK_STATUS(xncc_suppressor_run(s, XNCC_CCORR, NULL, NULL, 5, &kept, NULL, &kit_error),
                 XNCC_ERROR_ARGUMENT);
    CHECK_STATUS(xncc_suppressor_run(s, XNCC_CCORR, NULL, result, 5, NULL, NULL, &kit_error),
                 XNCC_ERROR_ARGUMENT);
}

static void check_suppressor(void)
{
    xncc_suppressor *s = NULL;
    const xncc_match match = { 1, 2, 0.5f };
    const xncc_candidate candidate = { match, 0, 4, 3 };
    const uint32_t found = 1;
    far.runs_fail = 1;
    CHECK_STATUS(xncc_suppressor_create(context, 9, &s, &kit_error), XNCC_ERROR_DEVICE);
    CHECK(s == NULL && far.works == 0);
    far.runs_fail = 0;
    if (!CHECK_STATUS(xncc_suppressor_create(context, 9, &s, &kit_error), XNCC_OK))
        return;
    CHECK(far.works == 1 && far.count == 9);
    CHECK_STATUS(xncc_suppressor_clear(s, NULL, &kit_error), XNCC_OK);
    CHECK_STATUS(xncc_suppressor_clear(NULL, NULL, &kit_error), XNCC_ERROR_ARGUMENT);
    CHECK_STATUS(xncc_suppressor_add(s, &match, &found, 6, 4, 3, (xncc_stream)&stream, &kit_error),
                 XNCC_OK);
    CHECK(far.form.templ == 6 && far.form.width == 4 && far.form.height == 3);
    static const int32_t bad[][2] = { { 0, 3 }, { XNCC_MAX_SIDE + 1, 3 }, { 4, 0 }, { 4, -1 } };
    for (int i = 0; i < 4; i++)
        CHECK_STATUS(
            xncc_suppressor_add(s, &match, &found, 6, bad[i][0], bad[i][1], NULL, &kit_error),
            XNCC_ERROR_ARGUMENT);
    CHECK_STATUS(xncc_suppressor_add(NULL, &match, &found, 6, 4, 3, NULL, &kit_error),
                 XNCC_ERROR_ARGUMENT);
    CHECK_STATUS(xncc_suppressor_add(s, NULL, &found, 6, 4, 3, NULL, &kit_error),
                 XNCC_ERROR_ARGUMENT);
    CHECK_STATUS(xncc_suppressor_add(s, &match, NULL, 6, 4, 3, NULL, &kit_error),
                 XNCC_ERROR_ARGUMENT);
    CHECK_STATUS(xncc_suppressor_add_candidates(s, &candidate, 1, NULL, &kit_error), XNCC_OK);
    CHECK_INT(far.count, 1);
    CHECK_STATUS(xncc_suppressor_add_candidates(s, NULL, 0, NULL, &kit_error), XNCC_OK);
    CHECK_INT(far.count, 1); /* nothing to add: the engine is not asked */
    CHECK_STATUS(xncc_suppressor_add_candidates(s, &candidate, SIZE_MAX, NULL, &kit_error),
                 XNCC_OK);
    CHECK_INT(far.count, XNCC_MAX_SUPPRESSOR + 1); /* too many, however many */
    CHECK_STATUS(xncc_suppressor_add_candidates(s, NULL, 1, NULL, &kit_error), XNCC_ERROR_ARGUMENT);
    CHECK_STATUS(xncc_suppressor_add_candidates(NULL, &candidate, 1, NULL, &kit_error),
                 XNCC_ERROR_ARGUMENT);
    check_suppressor_run(s);
    far.runs_fail = 1;
    CHECK_STATUS(xncc_suppressor_add_candidates(s, &candidate, 1, NULL, &kit_error),
                 XNCC_ERROR_DEVICE);
    xncc_suppressor_destroy(s);
    CHECK_INT(far.works, 0);
    far_reset();
}

int main(int argc, char **argv)
{
    kit_start(argc, argv);
    context = kit_context(XNCC_DEVICE_CPU, 2);
    alone = kit_context(XNCC_DEVICE_CPU, 1);
    far_attach(context);
    for (int masks = 0; masks < 4; masks++) {
        check_template(XNCC_U8, 1, masks);
        check_template(XNCC_S16, 3, masks);
    }
    check_templates_refused();
    check_refinement();
    check_runs();
    check_find_on_device();
    far.present = 1;
    CHECK_INT(engine_of_batch(600, 300), XNCC_DEVICE_CUDA);
    CHECK_INT(engine_of_batch(66000, 2), XNCC_DEVICE_CPU); /* too wide for any CUDA kernel */
    far_reset();
    check_suppressor();
    xncc_context_destroy(context);
    xncc_context_destroy(alone);
    return kit_finish("far");
}
