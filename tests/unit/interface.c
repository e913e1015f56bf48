/* SPDX-License-Identifier: BSD-2-Clause */
/* What the headers say of structs, rules and errors: initializers, zeros, refusals, descriptions.
 */
#include "unit/interface.h"

#include "kit/pixels.h"

#include <math.h>
#include <string.h>

enum { WIDTH = 40, HEIGHT = 30, SIDE = 6, MOST = 64 };

typedef struct scene {
    xncc_context *context;
    kit_image image;
    xncc_image pixels; /* of the template, cut out at (11, 7) */
    xncc_template *templ;
} scene;

/* Checks that a call was refused with a text that has this word. */
static void refused(xncc_status got, xncc_status want, const xncc_error *error, const char *word)
{
    CHECK_STATUS(got, want);
    if (!CHECK(strstr(error->text, word) != NULL && !strchr(error->text, '\n')))
        kit_fail(__FILE__, __LINE__, "the text has no \"%s\": %s", word, error->text);
}

static xncc_status find(const scene *s, const xncc_find_options *o, xncc_match *match,
                        size_t capacity, size_t *found, xncc_error *error)
{
    return xncc_find(s->context, &s->image.view, s->templ, o, match, capacity, found, error);
}

/* A struct whose size is not set, or whose reserved member is, is refused with its name. */
static void check_uninitialized(const scene *s)
{
    xncc_error error;
    xncc_match match[MOST];
    size_t found;
    xncc_find_options o = XNCC_FIND_OPTIONS_INIT;
    o.size = 0;
    refused(find(s, &o, match, MOST, &found, &error), XNCC_ERROR_ARGUMENT, &error,
            "XNCC_FIND_OPTIONS_INIT");
    o = (xncc_find_options)XNCC_FIND_OPTIONS_INIT;
    o.rule.size = 0;
    refused(find(s, &o, match, MOST, &found, &error), XNCC_ERROR_ARGUMENT, &error,
            "XNCC_MATCH_RULE_INIT");
    o = (xncc_find_options)XNCC_FIND_OPTIONS_INIT;
    o.rule.reserved = 1;
    refused(find(s, &o, match, MOST, &found, &error), XNCC_ERROR_ARGUMENT, &error,
            "XNCC_MATCH_RULE_INIT");
    o = (xncc_find_options)XNCC_FIND_OPTIONS_INIT;
    o.peaks.size = 4;
    refused(find(s, &o, match, MOST, &found, &error), XNCC_ERROR_ARGUMENT, &error,
            "XNCC_PEAK_RULE_INIT");
    o = (xncc_find_options)XNCC_FIND_OPTIONS_INIT;
    o.peaks.reserved = 1;
    refused(find(s, &o, match, MOST, &found, &error), XNCC_ERROR_ARGUMENT, &error,
            "XNCC_PEAK_RULE_INIT");
    xncc_correlate_options c = XNCC_CORRELATE_OPTIONS_INIT;
    kit_map map = kit_map_create(WIDTH - SIDE + 1, HEIGHT - SIDE + 1, 0, KIT_AFTER);
    c.size = 0;
    refused(xncc_correlate(s->context, &s->image.view, s->templ, &c, &map.view, &error),
            XNCC_ERROR_ARGUMENT, &error, "XNCC_CORRELATE_OPTIONS_INIT");
    kit_map_destroy(&map);
    xncc_problem p = XNCC_PROBLEM_INIT;
    p.size = 0;
    refused(xncc_problem_set(&p, &s->image.view, s->templ, &error), XNCC_ERROR_ARGUMENT, &error,
            "XNCC_PROBLEM_INIT");
    xncc_plan *plan = NULL;
    refused(xncc_plan_create(s->context, &p, NULL, &plan, &error), XNCC_ERROR_ARGUMENT, &error,
            "XNCC_PROBLEM_INIT");
    xncc_preference preference = XNCC_PREFERENCE_INIT;
    p = (xncc_problem)XNCC_PROBLEM_INIT;
    preference.size = 0;
    refused(xncc_plan_create(s->context, &p, &preference, &plan, &error), XNCC_ERROR_ARGUMENT,
            &error, "XNCC_PREFERENCE_INIT");
    const xncc_template *templ[] = { s->templ };
    xncc_candidate list[4];
    o = (xncc_find_options)XNCC_FIND_OPTIONS_INIT;
    memset(&o.peaks, 0, sizeof o.peaks);
    refused(
        xncc_find_batch(s->context, &s->image.view, templ, 1, &o, NULL, list, 4, &found, &error),
        XNCC_ERROR_ARGUMENT, &error, "XNCC_PEAK_RULE_INIT");
    xncc_suppress_rule rule = XNCC_SUPPRESS_RULE_INIT;
    xncc_candidate one = { { 1, 1, 1.0f }, 0, 1, 1 };
    rule.size = 0;
    refused(xncc_suppress(XNCC_CCORR, &one, 1, &rule, &found, &error), XNCC_ERROR_ARGUMENT, &error,
            "XNCC_SUPPRESS_RULE_INIT");
}

/* A 0 that the caller writes is a 0. */
static void check_zeros(const scene *s)
{
    xncc_error error;
    xncc_match match[MOST];
    size_t found = 9;
    xncc_find_options o = XNCC_FIND_OPTIONS_INIT;
    o.peaks.top = 0;
    CHECK_STATUS(find(s, &o, match, MOST, &found, &error), XNCC_OK);
    CHECK_INT(found, 0);
    /* only the perfect match has the distance 0 */
    o = (xncc_find_options)XNCC_FIND_OPTIONS_INIT;
    o.rule.method = XNCC_SQDIFF;
    o.peaks.max_score = 0.0f;
    CHECK_STATUS(find(s, &o, match, MOST, &found, &error), XNCC_OK);
    CHECK(found == 1 && match[0].x == 11 && match[0].y == 7 && match[0].score == 0.0f);
    /* without a minimum distance every position is a candidate, as with the distance 1 */
    const size_t positions = (WIDTH - SIDE + 1) * (HEIGHT - SIDE + 1);
    static xncc_match all[2][(WIDTH - SIDE + 1) * (HEIGHT - SIDE + 1)];
    for (int d = 0; d < 2; d++) {
        o = (xncc_find_options)XNCC_FIND_OPTIONS_INIT;
        o.peaks.min_distance = d;
        o.peaks.min_score = -INFINITY;
        CHECK_STATUS(find(s, &o, all[d], positions, &found, &error), XNCC_OK);
        CHECK_INT(found, positions);
    }
    CHECK(memcmp(all[0], all[1], sizeof all[0]) == 0);
    /* a single pixel is enough for min_valid 0, but not for the default of one half */
    o = (xncc_find_options)XNCC_FIND_OPTIONS_INIT;
    o.rule.method = XNCC_CCORR;
    o.rule.mode = XNCC_FULL;
    o.rule.border = XNCC_BORDER_OVERLAP;
    o.peaks = (xncc_peak_rule)XNCC_PEAK_RULE_INIT;
    o.peaks.min_distance = 0;
    o.peaks.min_score = -INFINITY;
    const size_t full = (WIDTH + SIDE - 1) * (HEIGHT + SIDE - 1);
    static xncc_match whole[(WIDTH + SIDE - 1) * (HEIGHT + SIDE - 1)];
    CHECK_STATUS(find(s, &o, whole, full, &found, &error), XNCC_OK);
    CHECK(found > 0 && found < full);
    o.rule.min_valid = 0.0;
    CHECK_STATUS(find(s, &o, whole, full, &found, &error), XNCC_OK);
    CHECK_INT(found, full);
}

/* Nothing in a struct is ignored: what a call cannot honour is refused. */
static void check_nothing_ignored(const scene *s)
{
    xncc_error error;
    xncc_match match[MOST];
    size_t found;
    xncc_find_options o = XNCC_FIND_OPTIONS_INIT;
    o.peaks.max_score = 0.9f;
    refused(find(s, &o, match, MOST, &found, &error), XNCC_ERROR_ARGUMENT, &error, "max_score");
    o = (xncc_find_options)XNCC_FIND_OPTIONS_INIT;
    o.rule.method = XNCC_SQDIFF_NORMED;
    o.peaks.min_score = 0.1f;
    refused(find(s, &o, match, MOST, &found, &error), XNCC_ERROR_ARGUMENT, &error, "min_score");
    const xncc_problem fine = { .size = sizeof fine,
                                .task = XNCC_TASK_CONVOLVE,
                                .channels = 1,
                                .image_width = WIDTH,
                                .image_height = HEIGHT,
                                .templ_width = 3,
                                .templ_height = 3,
                                .rule = XNCC_MATCH_RULE_INIT };
    xncc_plan *plan = NULL;
    for (int i = 0; i < 5; i++) {
        xncc_problem p = fine;
        p.rule.method = i == 0 ? XNCC_CCORR : p.rule.method;
        p.rule.mode = i == 1 ? XNCC_SAME : p.rule.mode;
        p.rule.flat = i == 2 ? XNCC_FLAT_NAN : p.rule.flat;
        p.rule.min_valid = i == 3 ? 0.0 : p.rule.min_valid;
        p.templ_masked = i == 4;
        refused(xncc_plan_create(s->context, &p, NULL, &plan, &error), XNCC_ERROR_ARGUMENT, &error,
                "convolution");
    }
    CHECK_STATUS(xncc_plan_create(s->context, &fine, NULL, &plan, &error), XNCC_OK);
    xncc_plan_destroy(plan);
    const xncc_template *templ[] = { s->templ };
    xncc_batch *batch = NULL;
    xncc_problem p = XNCC_PROBLEM_INIT;
    CHECK_STATUS(xncc_problem_set(&p, &s->image.view, s->templ, &error), XNCC_OK);
    refused(xncc_batch_create(s->context, &p, NULL, templ, 1, NULL, &batch, &error),
            XNCC_ERROR_ARGUMENT, &error, "templ_width");
}

/* A null pointer is named, results are empty after a failure, and the text is empty after a
 * success. The text may be left out. */
static void check_errors(const scene *s)
{
    xncc_error error;
    xncc_match match[MOST];
    size_t found = 7;
    refused(xncc_find(NULL, &s->image.view, s->templ, NULL, match, MOST, &found, &error),
            XNCC_ERROR_ARGUMENT, &error, "context");
    CHECK_INT(found, 0);
    found = 7;
    refused(xncc_find(s->context, NULL, s->templ, NULL, match, MOST, &found, &error),
            XNCC_ERROR_ARGUMENT, &error, "image");
    CHECK_INT(found, 0);
    refused(find(s, NULL, NULL, MOST, &found, &error), XNCC_ERROR_ARGUMENT, &error, "match");
    refused(find(s, NULL, match, MOST, NULL, &error), XNCC_ERROR_ARGUMENT, &error, "found");
    CHECK_STATUS(find(s, NULL, match, MOST, NULL, NULL), XNCC_ERROR_ARGUMENT);
    CHECK_STATUS(find(s, NULL, match, MOST, &found, &error), XNCC_OK);
    CHECK_TEXT(error.text, "");
    CHECK(found > 0 && match[0].x == 11 && match[0].y == 7 && match[0].score == 1.0f);
    xncc_method method = XNCC_SQDIFF;
    refused(xncc_method_parse("ncc", &method, &error), XNCC_ERROR_ARGUMENT, &error,
            "'ncc' is not a method");
    CHECK(method == XNCC_SQDIFF);
    xncc_problem p = XNCC_PROBLEM_INIT;
    CHECK_STATUS(xncc_problem_set(&p, &s->image.view, s->templ, &error), XNCC_OK);
    CHECK(xncc_kernel_list(s->context, &p, NULL, 0) > 0);
    CHECK_INT(xncc_kernel_list(s->context, &p, NULL, 5), 0);
    /* the image is checked although no match is asked for */
    const xncc_template *templ[] = { s->templ };
    xncc_batch *batch = NULL;
    xncc_image half = s->image.view;
    half.height /= 2;
    p.templ_width = p.templ_height = 0;
    CHECK_STATUS(xncc_batch_create(s->context, &p, NULL, templ, 1, NULL, &batch, &error), XNCC_OK);
    refused(xncc_batch_find(batch, &half, NULL, &found, NULL, &error), XNCC_ERROR_ARGUMENT, &error,
            "image");
    CHECK_STATUS(xncc_batch_find(batch, &s->image.view, NULL, &found, NULL, &error), XNCC_OK);
    xncc_batch_destroy(batch);
    xncc_context_options options = XNCC_CONTEXT_OPTIONS_INIT;
    xncc_context *context = s->context;
    options.threads = 5000;
    refused(xncc_context_create(&options, &context, &error), XNCC_ERROR_ARGUMENT, &error,
            "5000 threads");
    CHECK(context == NULL);
    /* a list of kernels of which none serves is a failure; one of which some serves leaves no text
     */
    xncc_find_options o = XNCC_FIND_OPTIONS_INIT;
    o.kernel = "shared,reference";
    CHECK_STATUS(find(s, &o, match, MOST, &found, &error), XNCC_OK);
    CHECK_TEXT(error.text, "");
}

/* What a plan and a batch say of themselves, and what a problem takes from an image and a
 * template. */
static void check_descriptions(const scene *s)
{
    xncc_error error;
    xncc_problem p = XNCC_PROBLEM_INIT;
    xncc_preference preference = XNCC_PREFERENCE_INIT;
    xncc_plan *plan = NULL;
    xncc_plan_info info = XNCC_PLAN_INFO_INIT;
    p.rule.method = XNCC_SQDIFF;
    CHECK_STATUS(xncc_problem_set(&p, &s->image.view, s->templ, &error), XNCC_OK);
    CHECK(p.image_width == WIDTH && p.image_height == HEIGHT && p.templ_width == SIDE &&
          p.templ_height == SIDE && p.pixel == XNCC_U8 && p.channels == 1 && !p.image_masked &&
          !p.templ_masked && p.rule.method == XNCC_SQDIFF);
    uint8_t mask[SIDE * SIDE] = { 0 };
    mask[5] = mask[9] = 1;
    xncc_image masked = s->pixels;
    masked.mask = mask;
    masked.channels = 0;
    xncc_problem q = XNCC_PROBLEM_INIT;
    q.templ_width = 3;
    CHECK_STATUS(xncc_problem_set(&q, &masked, NULL, &error), XNCC_OK);
    CHECK(q.image_masked == 1 && q.image_width == SIDE && q.templ_width == 3 && q.channels == 1);
    preference.kernel = "reference";
    CHECK_STATUS(xncc_plan_create(s->context, &p, &preference, &plan, &error), XNCC_OK);
    CHECK_STATUS(xncc_plan_describe(plan, &info, &error), XNCC_OK);
    CHECK_TEXT(info.kernel, "reference");
    CHECK(info.size == sizeof info && info.engine == XNCC_DEVICE_CPU && info.bands == 1 &&
          !info.capturable && info.workspace_bytes == 0 && info.estimate_ms > 0.0);
    info.size = 8;
    refused(xncc_plan_describe(plan, &info, &error), XNCC_ERROR_ARGUMENT, &error,
            "XNCC_PLAN_INFO_INIT");
    info.size = sizeof info;
    refused(xncc_plan_describe(NULL, &info, &error), XNCC_ERROR_ARGUMENT, &error, "plan");
    refused(xncc_plan_describe(plan, NULL, &error), XNCC_ERROR_ARGUMENT, &error, "info");
    xncc_plan_destroy(plan);

    const xncc_template *templ[] = { s->templ, s->templ };
    xncc_batch *batch = NULL;
    p.templ_width = p.templ_height = 0;
    CHECK_STATUS(xncc_batch_create(s->context, &p, &preference, templ, 2, NULL, &batch, &error),
                 XNCC_OK);
    for (size_t i = 0; i < 2; i++) {
        memset(&info, 0, sizeof info);
        info.size = sizeof info;
        CHECK_STATUS(xncc_batch_describe(batch, i, &info, &error), XNCC_OK);
        CHECK_TEXT(info.kernel, "reference");
    }
    refused(xncc_batch_describe(batch, 2, &info, &error), XNCC_ERROR_ARGUMENT, &error,
            "template 2");
    refused(xncc_batch_describe(NULL, 0, &info, &error), XNCC_ERROR_ARGUMENT, &error, "batch");
    xncc_batch_destroy(batch);
}

int main(int argc, char **argv)
{
    kit_start(argc, argv);
    scene s = { .context = kit_context(XNCC_DEVICE_CPU, 2),
                .image = kit_image_create(XNCC_U8, WIDTH, HEIGHT, 3, KIT_AFTER) };
    kit_random random = kit_stream(1);
    kit_image_fill(&s.image.view, KIT_NOISE, &random);
    CHECK_STATUS(xncc_image_crop(&s.image.view, 11, 7, SIDE, SIDE, &s.pixels, &kit_error), XNCC_OK);
    CHECK_STATUS(xncc_template_create(s.context, &s.pixels, &s.templ, &kit_error), XNCC_OK);
    check_uninitialized(&s);
    check_zeros(&s);
    check_nothing_ignored(&s);
    check_errors(&s);
    check_descriptions(&s);
    check_null();
    xncc_template_destroy(s.templ);
    kit_image_destroy(&s.image);
    xncc_context_destroy(s.context);
    return kit_finish("interface");
}
