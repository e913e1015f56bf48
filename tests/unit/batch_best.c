/* SPDX-License-Identifier: BSD-2-Clause */
/* The best template at each position, against the maps of each template alone. */
#include "unit/batch.h"

#include <math.h>
#include <string.h>

enum { PAD = 3, MOST = (48 + PAD) * 40 };

typedef struct expected {
    int32_t width, height, pitch; /* pitch in elements */
    float score[MOST];
    int32_t index[MOST];
} expected;

static void fold_templ(const batch_scene *s, const kit_options *o, int i, expected *e)
{
    static float memory[MOST];
    int32_t width, height, x0, y0;
    CHECK_STATUS(kit_map_extent(o->mode, s->scene.view.width, s->scene.view.height,
                                s->pixels[i].view.width, s->pixels[i].view.height, &width, &height,
                                &x0, &y0),
                 XNCC_OK);
    const xncc_map map = { .data = memory, .width = width, .height = height };
    CHECK_STATUS(kit_correlate(s->context, &s->scene.view, s->templ[i], o, &map), XNCC_OK);
    for (int32_t y = 0; y < height; y++)
        for (int32_t x = 0; x < width; x++) {
            const float score = memory[y * width + x];
            float *best = &e->score[y * e->pitch + x];
            if (isnan(score) ||
                (!isnan(*best) &&
                 (xncc_method_is_distance(o->method) ? score >= *best : score <= *best)))
                continue;
            *best = score;
            e->index[y * e->pitch + x] = i;
        }
}

static void expect(const batch_scene *s, const kit_options *o, expected *e)
{
    int32_t width = 1000, height = 1000;
    for (int i = 0; i < s->count; i++) {
        width = s->pixels[i].view.width < width ? s->pixels[i].view.width : width;
        height = s->pixels[i].view.height < height ? s->pixels[i].view.height : height;
    }
    e->width = o->mode == XNCC_SAME ? s->scene.view.width : s->scene.view.width - width + 1;
    e->height = o->mode == XNCC_SAME ? s->scene.view.height : s->scene.view.height - height + 1;
    e->pitch = e->width + PAD;
    for (int i = 0; i < MOST; i++) {
        e->score[i] = NAN;
        e->index[i] = -1;
    }
    for (int i = 0; i < s->count; i++)
        fold_templ(s, o, i, e);
}

static void compare(const batch_scene *s, const char *how, const float *score, const int32_t *index,
                    const expected *e)
{
    for (int32_t y = 0; y < e->height; y++)
        for (int32_t x = 0; x < e->width; x++) {
            const int32_t at = y * e->pitch + x;
            if (index[at] == e->index[at] &&
                (isnan(score[at]) ? isnan(e->score[at])
                                  : memcmp(&score[at], &e->score[at], 4) == 0))
                continue;
            CHECK(0);
            kit_fail(__FILE__, __LINE__, "%s, %s: at (%d, %d) %.9g of %d, not %.9g of %d", s->name,
                     how, x, y, (double)score[at], index[at], (double)e->score[at], e->index[at]);
            return;
        }
    int untouched = 1;
    for (int32_t y = 0; y < e->height; y++)
        for (int32_t x = e->width; x < e->pitch; x++)
            untouched = untouched && index[y * e->pitch + x] == 12345;
    CHECK(untouched);
}

static float got_score[MOST];
static int32_t got_index[MOST];

static xncc_best host_best(const expected *e)
{
    for (int i = 0; i < MOST; i++) {
        got_score[i] = 99.0f;
        got_index[i] = 12345;
    }
    return (xncc_best){ { got_score, e->width, e->height, e->pitch * 4, XNCC_HOST },
                        got_index,
                        e->pitch * 4 };
}

/* Computes the result in device memory, twice on a stream. */
static void check_on_device(const batch_scene *s, xncc_batch *batch, const expected *e)
{
    xncc_stream stream = kit_device_stream();
    float *score = kit_device_alloc(sizeof got_score);
    int32_t *index = kit_device_alloc(sizeof got_index);
    if (!stream || !score || !index)
        kit_give_up("no device memory or stream for the test");
    xncc_best best = host_best(e);
    CHECK(kit_device_upload(score, got_score, sizeof got_score) &&
          kit_device_upload(index, got_index, sizeof got_index));
    best.score.data = score;
    best.score.memory = XNCC_DEVICE;
    best.index = index;
    for (int turn = 0; turn < 3; turn++) {
        CHECK_STATUS(xncc_batch_best(batch, turn == 1 ? &s->scene.view : &s->device_scene, &best,
                                     turn == 2 ? NULL : stream, &kit_error),
                     XNCC_OK);
        CHECK(kit_device_wait(turn == 2 ? NULL : stream));
        CHECK(kit_device_download(got_score, score, sizeof got_score) &&
              kit_device_download(got_index, index, sizeof got_index));
        compare(s, "in device memory", got_score, got_index, e);
    }
    kit_device_stream_destroy(stream);
    kit_device_free(score);
    kit_device_free(index);
}

static void check_kind(batch_scene *s, const kit_options *o, kit_random *random)
{
    static expected e;
    const xncc_template *templ[BATCH_TEMPLS];
    const xncc_problem problem = kit_problem(
        (xncc_problem){ .pixel = s->scene.view.pixel,
                        .image_width = s->scene.view.width,
                        .image_height = s->scene.view.height,
                        .rule.method = o->method,
                        .rule.mode = o->mode,
                        .rule.border = o->border,
                        .rule.flat = o->flat,
                        .channels = s->scene.view.channels,
                        .image_masked = s->scene.view.mask != NULL,
                        .rule.min_valid = o->min_valid });
    if (!batch_scene_served(s, &problem))
        return;
    memcpy(templ, s->templ, sizeof templ);
    expect(s, o, &e);
    xncc_best best = host_best(&e);
    CHECK_STATUS(kit_correlate_best(s->context, &s->scene.view, templ, (size_t)s->count, o, &best),
                 XNCC_OK);
    compare(s, "one call", got_score, got_index, &e);
    xncc_batch *batch = NULL;
    CHECK_STATUS(
        kit_batch_create(s->context, &problem, NULL, templ, (size_t)s->count, NULL, &batch),
        XNCC_OK);
    for (int turn = 0; turn < 2 && batch; turn++) {
        if (turn)
            batch_scene_change(s, random);
        expect(s, o, &e);
        best = host_best(&e);
        CHECK_STATUS(xncc_batch_best(batch, &s->scene.view, &best, NULL, &kit_error), XNCC_OK);
        compare(s, "the object", got_score, got_index, &e);
        if (s->memory) {
            best = host_best(&e);
            CHECK_STATUS(xncc_batch_best(batch, &s->device_scene, &best, NULL, &kit_error),
                         XNCC_OK);
            compare(s, "the object, from device memory", got_score, got_index, &e);
            check_on_device(s, batch, &e);
        }
    }
    xncc_batch_destroy(batch);
}

static void check_refused(xncc_context *context)
{
    static batch_scene s;
    static expected e;
    batch_scene_make(&s, context, &(batch_kind){ .pixel = XNCC_U8 }, 300, 0);
    const xncc_template *templ[BATCH_TEMPLS];
    memcpy(templ, s.templ, sizeof templ);
    const size_t count = (size_t)s.count;
    const kit_options o = { .mode = XNCC_SAME };
    expect(&s, &o, &e);
    const xncc_best good = host_best(&e);
    CHECK_STATUS(kit_correlate_best(context, &s.scene.view, templ, count,
                                    &(kit_options){ .mode = XNCC_FULL }, &good),
                 XNCC_ERROR_UNSUPPORTED);
    CHECK_TEXT(kit_error.text,
               "best: the maps of mode full have no positions in common; take mode same, or valid");
    CHECK_STATUS(kit_correlate_best(context, &s.scene.view, templ, 0, &o, &good),
                 XNCC_ERROR_ARGUMENT);
    CHECK_STATUS(kit_correlate_best(context, &s.scene.view, templ, count, &o, NULL),
                 XNCC_ERROR_ARGUMENT);
    CHECK_STATUS(kit_correlate_best(context, NULL, templ, count, &o, &good), XNCC_ERROR_ARGUMENT);
    CHECK_STATUS(kit_correlate_best(NULL, &s.scene.view, templ, count, &o, &good),
                 XNCC_ERROR_ARGUMENT);
    xncc_best bad = good;
    bad.index = NULL;
    CHECK_STATUS(kit_correlate_best(context, &s.scene.view, templ, count, &o, &bad),
                 XNCC_ERROR_ARGUMENT);
    bad = good;
    bad.index_pitch = 4;
    CHECK_STATUS(kit_correlate_best(context, &s.scene.view, templ, count, &o, &bad),
                 XNCC_ERROR_ARGUMENT);
    bad = good;
    bad.score.width--;
    CHECK_STATUS(kit_correlate_best(context, &s.scene.view, templ, count, &o, &bad),
                 XNCC_ERROR_ARGUMENT);
    bad = good;
    bad.score.data = NULL;
    CHECK_STATUS(kit_correlate_best(context, &s.scene.view, templ, count, &o, &bad),
                 XNCC_ERROR_ARGUMENT);
    batch_scene_free(&s);
}

/* Maps so large that several threads of the CPU fold them, each its rows. */
static void check_large(xncc_context *context)
{
    enum { TEMPLS = 2, WIDTH = 240, HEIGHT = 400 };
    static const int32_t size[TEMPLS][2] = { { 8, 6 }, { 21, 11 } };
    static int32_t index[WIDTH * HEIGHT];
    const kit_options o = { .method = XNCC_CCOEFF_NORMED };
    kit_random random = kit_stream(840);
    kit_image scene = kit_image_create(XNCC_U8, WIDTH + size[0][0] - 1, HEIGHT + size[0][1] - 1, 0,
                                       KIT_AFTER);
    kit_image_fill(&scene.view, KIT_NOISE, &random);
    xncc_template *made[TEMPLS] = { NULL };
    const xncc_template *templ[TEMPLS];
    kit_map map[TEMPLS], best = kit_map_create(WIDTH, HEIGHT, 0, KIT_AFTER);
    for (int i = 0; i < TEMPLS; i++) {
        kit_image pixels = kit_image_create(XNCC_U8, size[i][0], size[i][1], 0, KIT_AFTER);
        kit_image_fill(&pixels.view, KIT_NOISE, &random);
        CHECK_STATUS(xncc_template_create(context, &pixels.view, &made[i], &kit_error), XNCC_OK);
        templ[i] = made[i];
        map[i] = kit_map_create(scene.view.width - size[i][0] + 1,
                                scene.view.height - size[i][1] + 1, 0, KIT_AFTER);
        CHECK_STATUS(kit_correlate(context, &scene.view, templ[i], &o, &map[i].view), XNCC_OK);
        kit_image_destroy(&pixels);
    }
    const xncc_best to = { best.view, index, WIDTH * (int64_t)sizeof *index };
    CHECK_STATUS(kit_correlate_best(context, &scene.view, templ, TEMPLS, &o, &to), XNCC_OK);
    long wrong = 0;
    for (int32_t y = 0; y < HEIGHT; y++)
        for (int32_t x = 0; x < WIDTH; x++) {
            const int second = x < map[1].view.width && y < map[1].view.height &&
                               kit_map_row(&map[1].view, y)[x] > kit_map_row(&map[0].view, y)[x];
            const float want = kit_map_row(&map[second].view, y)[x];
            wrong += index[y * WIDTH + x] != second ||
                     memcmp(&kit_map_row(&best.view, y)[x], &want, sizeof want) != 0;
        }
    CHECK_INT(wrong, 0);
    for (int i = 0; i < TEMPLS; i++) {
        xncc_template_destroy(made[i]);
        kit_map_destroy(&map[i]);
    }
    kit_map_destroy(&best);
    kit_image_destroy(&scene);
}

void check_batch_best(xncc_context *context, int on_device, int rounds)
{
    static const xncc_method method[] = { XNCC_CCOEFF_NORMED, XNCC_SQDIFF, XNCC_CCORR_NORMED,
                                          XNCC_SQDIFF_NORMED };
    static const xncc_pixel pixel[] = { XNCC_U8, XNCC_U16, XNCC_F32, XNCC_S16 };
    static batch_scene s;
    for (int k = 0; k < 40 && k < rounds; k++) {
        kit_random random = kit_stream(850 + (uint64_t)k);
        const batch_kind kind = { pixel[k % 4], k % 7 ? 0 : 2, (xncc_mode)(k % 2),
                                  (xncc_border)(k / 2 % 5), k % 4 == 3 };
        batch_scene_make(&s, context, &kind, 100 + (uint64_t)k, on_device);
        check_kind(&s,
                   &(kit_options){ .method = method[k / 3 % 4],
                                   .mode = kind.mode,
                                   .border = kind.border,
                                   .flat = (xncc_flat)(k / 5 % 2),
                                   .min_valid = 0.7 },
                   &random);
        batch_scene_free(&s);
    }
    check_large(context);
    check_refused(context);
}
