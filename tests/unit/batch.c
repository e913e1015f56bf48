/* SPDX-License-Identifier: BSD-2-Clause */
/* Many templates in one call against one call per template: matches in one order, merged, on images
 * in host and device memory.
 *
 * Usage: unit_batch [--device cpu|cuda] [--brief] [--seed N] */
#include "unit/batch.h"

#include <math.h>
#include <string.h>

enum { CAPACITY = 60, ALL = BATCH_TEMPLS * CAPACITY };

typedef struct settings {
    kit_find_options find;
    kit_suppress_options merge;
    int merges;
    size_t capacity;
} settings;

/* The order of nms.h for candidates whose scores are numbers. */
static int before(const xncc_candidate *a, const xncc_candidate *b, int smallest)
{
    if (a->match.score != b->match.score)
        return smallest ? a->match.score < b->match.score : a->match.score > b->match.score;
    if (a->match.y != b->match.y)
        return a->match.y < b->match.y;
    if (a->match.x != b->match.x)
        return a->match.x < b->match.x;
    return a->templ < b->templ; /* no template is twice at one position */
}

static void sort(xncc_candidate *c, size_t count, int smallest)
{
    for (size_t i = 1; i < count; i++) {
        const xncc_candidate mine = c[i];
        size_t k = i;
        for (; k > 0 && before(&mine, &c[k - 1], smallest); k--)
            c[k] = c[k - 1];
        c[k] = mine;
    }
}

/* Computes the expected result: searches each template alone, then merges into one list. */
static size_t expect(const batch_scene *s, const settings *w, xncc_candidate *want)
{
    static xncc_match match[CAPACITY];
    size_t count = 0, found;
    for (int i = 0; i < s->count; i++) {
        CHECK_STATUS(
            kit_find(s->context, &s->scene.view, s->templ[i], &w->find, match, w->capacity, &found),
            XNCC_OK);
        for (size_t k = 0; k < found; k++)
            want[count++] = (xncc_candidate){ match[k], i, s->pixels[i].view.width,
                                              s->pixels[i].view.height };
    }
    if (w->merges) {
        kit_suppress_options merge = w->merge;
        merge.method = w->find.method == XNCC_COVERAGE
                           ? XNCC_CCOEFF_NORMED
                           : w->find.method; /* a large score is good in both */
        CHECK_STATUS(kit_suppress(want, count, &merge, &count), XNCC_OK);
    } else {
        sort(want, count, xncc_method_is_distance(w->find.method));
    }
    return count < w->capacity ? count : w->capacity;
}

static void compare(const batch_scene *s, const char *how, const xncc_candidate *got, size_t found,
                    const xncc_candidate *want, size_t wanted)
{
    if (!CHECK(found == wanted && memcmp(got, want, found * sizeof *got) == 0))
        kit_fail(__FILE__, __LINE__, "%s, %s: %zu matches, not %zu, or not those", s->name, how,
                 found, wanted);
}

static xncc_problem problem_of(const batch_scene *s, const settings *w)
{
    return kit_problem((xncc_problem){ .pixel = s->scene.view.pixel,
                                       .image_width = s->scene.view.width,
                                       .image_height = s->scene.view.height,
                                       .rule.method = w->find.method,
                                       .rule.mode = w->find.mode,
                                       .rule.border = w->find.border,
                                       .channels = s->scene.view.channels,
                                       .image_masked = s->scene.view.mask != NULL,
                                       .rule.min_valid = w->find.min_valid });
}

/* Uses one batch object on two images, in both memories. */
static void check_object(batch_scene *s, const settings *w, kit_random *random)
{
    static xncc_candidate got[CAPACITY], want[ALL];
    const xncc_problem problem = problem_of(s, w);
    const kit_batch_options options = { .find = &w->find,
                                        .suppress = w->merges ? &w->merge : NULL,
                                        .capacity = w->capacity };
    const xncc_template *templ[BATCH_TEMPLS];
    xncc_batch *batch = NULL;
    memcpy(templ, s->templ, sizeof templ);
    CHECK_STATUS(
        kit_batch_create(s->context, &problem, NULL, templ, (size_t)s->count, &options, &batch),
        XNCC_OK);
    memset(templ, 0, sizeof templ); /* the batch has copied the array */
    for (int turn = 0; turn < 2 && batch; turn++) {
        if (turn)
            batch_scene_change(s, random);
        size_t found = 99, wanted = expect(s, w, want);
        CHECK_STATUS(xncc_batch_find(batch, &s->scene.view, got, &found, NULL, &kit_error),
                     XNCC_OK);
        compare(s, "the object", got, found, want, wanted);
        if (s->memory) {
            CHECK_STATUS(xncc_batch_find(batch, &s->device_scene, got, &found, NULL, &kit_error),
                         XNCC_OK);
            compare(s, "the object, in device memory", got, found, want, wanted);
        }
    }
    xncc_batch_destroy(batch);
}

static void check_find(xncc_context *context, int on_device, int rounds)
{
    static const xncc_method method[] = { XNCC_CCOEFF_NORMED, XNCC_SQDIFF_NORMED, XNCC_CCORR_NORMED,
                                          XNCC_COVERAGE, XNCC_SQDIFF };
    static const xncc_pixel pixel[] = { XNCC_U8, XNCC_U16, XNCC_F32, XNCC_S16, XNCC_U8 };
    static batch_scene s;
    static xncc_candidate got[CAPACITY], want[ALL];
    for (int k = 0; k < 60 && k < rounds; k++) {
        kit_random random = kit_stream(800 + (uint64_t)k);
        const batch_kind kind = { pixel[k % 5], k % 7 ? 0 : 3, (xncc_mode)(k % 3),
                                  (xncc_border)(k / 3 % 5), k % 4 == 3 };
        batch_scene_make(&s, context, &kind, (uint64_t)k, on_device);
        settings w = { .find = { .method = method[k / 5 % (kind.masks ? 5 : 3)],
                                 .mode = kind.mode,
                                 .border = kind.border,
                                 .min_score = -INFINITY,
                                 .top = k % 3 ? kit_below(&random, CAPACITY + 9) : 0,
                                 .min_distance = (int32_t)kit_below(&random, 4),
                                 .min_valid = 0.3 },
                       .merge = { .kind = (xncc_suppress_kind)(k / 2 % 2),
                                  .limit = k / 2 % 2 ? 0.2 : 3.0,
                                  .top = k % 4 ? 0 : kit_below(&random, 20) },
                       .merges = k % 2,
                       .capacity = 1 + kit_below(&random, CAPACITY) };
        const xncc_problem problem = problem_of(&s, &w);
        if (!batch_scene_served(&s, &problem)) {
            batch_scene_free(&s);
            continue;
        }
        const size_t wanted = expect(&s, &w, want);
        size_t found = 99;
        const xncc_template *templ[BATCH_TEMPLS];
        memcpy(templ, s.templ, sizeof templ);
        CHECK_STATUS(kit_find_batch(context, &s.scene.view, templ, (size_t)s.count, &w.find,
                                    w.merges ? &w.merge : NULL, got, w.capacity, &found),
                     XNCC_OK);
        compare(&s, "one call", got, found, want, wanted);
        check_object(&s, &w, &random);
        batch_scene_free(&s);
    }
}

/* Masked templates by kernels that make products of byte planes, which the library might not choose
 * for such small images. Some follow a template with the same mask; most images have no mask, so
 * that all templates with one mask share what depends on the image. */
static void check_kernels(xncc_context *context, int rounds)
{
    static const char *const kernel[] = { "tensor-wgmma", "tensor-mma", "tex-tex", "direct",
                                          "fft" };
    static batch_scene s;
    static xncc_candidate got[CAPACITY], want[ALL];
    const settings w = { .find = { .min_score = -INFINITY, .min_valid = 0.3 },
                         .capacity = CAPACITY };
    int served = 0;
    for (int k = 0; k < 60 && k < rounds; k++) {
        const batch_kind kind = { .pixel = k % 2 ? XNCC_U16 : XNCC_U8, .masks = 1 };
        batch_scene_make(&s, context, &kind, 500 + (uint64_t)k, 0);
        if (k % 3 < 2)
            s.scene.view.mask = NULL;
        const size_t wanted = expect(&s, &w, want);
        const xncc_problem problem = problem_of(&s, &w);
        xncc_preference preference = XNCC_PREFERENCE_INIT;
        preference.kernel = kernel[k % 5];
        const xncc_template *templ[BATCH_TEMPLS];
        memcpy(templ, s.templ, sizeof templ);
        const kit_batch_options options = { .find = &w.find, .capacity = w.capacity };
        xncc_batch *batch = NULL;
        const xncc_status status = kit_batch_create(context, &problem, &preference, templ,
                                                    (size_t)s.count, &options, &batch);
        CHECK(status == XNCC_OK || status == XNCC_ERROR_UNSUPPORTED);
        size_t found = 99;
        for (int turn = 0; turn < 2 && batch; turn++) {
            CHECK_STATUS(xncc_batch_find(batch, &s.scene.view, got, &found, NULL, &kit_error),
                         XNCC_OK);
            compare(&s, preference.kernel, got, found, want, wanted);
        }
        served += batch != NULL;
        xncc_batch_destroy(batch);
        batch_scene_free(&s);
    }
    CHECK(served > 0);
}

static void check_defaults(xncc_context *context)
{
    static batch_scene s;
    static xncc_candidate got[CAPACITY];
    size_t found = 99;
    batch_scene_make(&s, context, &(batch_kind){ .pixel = XNCC_U8 }, 77, 0);
    const xncc_template *templ[BATCH_TEMPLS];
    memcpy(templ, s.templ, sizeof templ);
    CHECK_STATUS(kit_find_batch(context, &s.scene.view, NULL, 0, NULL, NULL, NULL, 0, &found),
                 XNCC_OK);
    CHECK_INT(found, 0);
    CHECK_STATUS(kit_find_batch(context, &s.scene.view, templ, 1, NULL, NULL, NULL, 0, &found),
                 XNCC_OK);
    CHECK_STATUS(
        kit_find_batch(context, &s.scene.view, templ, 1, NULL, NULL, got, CAPACITY, &found),
        XNCC_OK);
    CHECK(found > 0 && got[0].match.score == 1.0f && got[0].templ == 0);
    xncc_batch *batch = NULL;
    const xncc_problem problem = kit_problem(
        (xncc_problem){ .image_width = s.scene.view.width, .image_height = s.scene.view.height });
    CHECK_STATUS(kit_batch_create(context, &problem, NULL, templ, 1, NULL, &batch), XNCC_OK);
    CHECK_STATUS(xncc_batch_find(batch, &s.scene.view, NULL, &found, NULL, &kit_error), XNCC_OK);
    CHECK_INT(found, 0);
    xncc_batch_destroy(batch);
    xncc_batch_destroy(NULL);
    batch_scene_free(&s);
}

static void check_refusals(xncc_context *context, xncc_context *other)
{
    static batch_scene s;
    xncc_candidate got[4];
    size_t found = 9;
    batch_scene_make(&s, context, &(batch_kind){ .pixel = XNCC_U8 }, 78, 0);
    batch_picture *deep = &s.pixels[1];
    xncc_template *odd = NULL, *foreign = NULL, *large = NULL;
    deep->view.pixel = XNCC_U16;
    deep->view.width = deep->view.height = 2;
    CHECK_STATUS(xncc_template_create(context, &deep->view, &odd, &kit_error), XNCC_OK);
    CHECK_STATUS(xncc_template_create(other, &s.pixels[0].view, &foreign, &kit_error), XNCC_OK);
    xncc_image wide = s.scene.view;
    wide.width = BATCH_PIXELS;
    wide.height = 1;
    CHECK_STATUS(xncc_template_create(context, &wide, &large, &kit_error), XNCC_OK);
    const xncc_template *with[][2] = {
        { s.templ[0], NULL }, { s.templ[0], odd }, { s.templ[0], foreign }, { s.templ[0], large }
    };
    static const char *const word[] = {
        "template 1 is a null pointer",
        "template 1 is u16 with 1 channel, but the image is u8 with 1",
        "template 1 belongs to another context", "template 1: its 1920 x 1 pixels do not fit"
    };
    for (int i = 0; i < 4; i++) {
        CHECK_STATUS(kit_find_batch(context, &s.scene.view, with[i], 2, NULL, NULL, got, 4, &found),
                     XNCC_ERROR_ARGUMENT);
        CHECK_INT(found, 0);
        if (!CHECK(strncmp(kit_error.text, word[i], strlen(word[i])) == 0))
            kit_fail(__FILE__, __LINE__, "%s", kit_error.text);
    }
    const kit_suppress_options bad = { .kind = XNCC_SUPPRESS_OVERLAP, .limit = 2 };
    CHECK_STATUS(kit_find_batch(context, &s.scene.view, with[0], 1, NULL, &bad, got, 4, &found),
                 XNCC_ERROR_ARGUMENT);
    CHECK_STATUS(kit_find_batch(context, &s.scene.view, with[0], 1, NULL, NULL, NULL, 4, &found),
                 XNCC_ERROR_ARGUMENT);
    CHECK_STATUS(kit_find_batch(context, &s.scene.view, NULL, 1, NULL, NULL, got, 4, &found),
                 XNCC_ERROR_ARGUMENT);
    CHECK_STATUS(kit_find_batch(context, &s.scene.view, with[0], 1, NULL, NULL, got, 4, NULL),
                 XNCC_ERROR_ARGUMENT);
    CHECK_STATUS(kit_find_batch(context, NULL, with[0], 1, NULL, NULL, got, 4, &found),
                 XNCC_ERROR_ARGUMENT);
    CHECK_STATUS(kit_find_batch(NULL, &s.scene.view, with[0], 1, NULL, NULL, got, 4, &found),
                 XNCC_ERROR_ARGUMENT);
    CHECK_STATUS(kit_find_batch(context, &s.scene.view, with[0], 1,
                                &(kit_find_options){ .min_distance = -2 }, NULL, got, 4, &found),
                 XNCC_ERROR_ARGUMENT);
    xncc_batch *batch = NULL;
    const xncc_problem problem = kit_problem(
        (xncc_problem){ .image_width = s.scene.view.width, .image_height = s.scene.view.height });
    CHECK_STATUS(kit_batch_create(context, NULL, NULL, with[0], 1, NULL, &batch),
                 XNCC_ERROR_ARGUMENT);
    CHECK_STATUS(kit_batch_create(context, &problem, NULL, with[0], 1, NULL, NULL),
                 XNCC_ERROR_ARGUMENT);
    CHECK_STATUS(
        kit_batch_create(context, &problem,
                         &(xncc_preference){ .size = sizeof(xncc_preference), .kernel = "none" },
                         with[0], 1, NULL, &batch),
        XNCC_ERROR_ARGUMENT);
    CHECK(batch == NULL && kit_error.text[0] != 0);
    CHECK_STATUS(kit_batch_create(context, &problem, NULL, with[0], 1,
                                  &(kit_batch_options){ .capacity = 4 }, &batch),
                 XNCC_OK);
    wide = s.scene.view;
    wide.height--;
    CHECK_STATUS(xncc_batch_find(batch, &wide, got, &found, NULL, &kit_error), XNCC_ERROR_ARGUMENT);
    CHECK_STATUS(xncc_batch_find(batch, NULL, got, &found, NULL, &kit_error), XNCC_ERROR_ARGUMENT);
    CHECK_STATUS(xncc_batch_find(NULL, &wide, got, &found, NULL, &kit_error), XNCC_ERROR_ARGUMENT);
    xncc_batch_destroy(batch);
    xncc_template_destroy(odd);
    xncc_template_destroy(foreign);
    xncc_template_destroy(large);
    batch_scene_free(&s);
}

int main(int argc, char **argv)
{
    kit_start(argc, argv);
    const xncc_device device = kit_device_option(argc, argv);
    xncc_context *context = kit_context(device, 2), *other = kit_context(device, 1);
    const int on_device = device == XNCC_DEVICE_CUDA;
    /* --brief: for tools that slow a program down many times */
    const int rounds = kit_flag(argc, argv, "brief") ? 3 : 1000;
    check_find(context, on_device, rounds);
    check_kernels(context, rounds < 5 ? 5 : rounds);
    check_defaults(context);
    check_refusals(context, other);
    check_batch_best(context, on_device, rounds);
    check_suppressor(context, rounds);
    check_batch_masks(context);
    xncc_context_destroy(other);
    xncc_context_destroy(context);
    return kit_finish("batch");
}
