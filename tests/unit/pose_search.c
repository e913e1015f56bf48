/* SPDX-License-Identifier: BSD-2-Clause */
/* Searches for poses: against a plain loop over the public calls, on scenes with known poses, and
 * with every search, kernel and number of threads. */
#include "unit/pose.h"
#include "unit/pose_scene.h"

#include "kit/device.h"

#include "exactncc/chance.h"
#include "exactncc/pose.h"
#include "image/image.h"
#include "pose/exhaustive.h"
#include "pose/frames.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Every pose of a small grid by xncc_template_resample and xncc_find; the list by the rule. */
static size_t by_hand(xncc_context *context, const pose_scene *s, const xncc_pose_options *o,
                      xncc_pose_match *list)
{
    enum { ROOM = 20000 };
    static xncc_pose_match all[ROOM];
    static xncc_match peak[4096];
    size_t count = 0, kept = 0;
    for (double scale = o->scales.first; scale <= o->scales.last + 1e-9; scale += o->scales.step)
        for (double angle = o->angles.first; angle < o->angles.last; angle += o->angles.step) {
            xncc_template *t = NULL;
            xncc_find_options options = XNCC_FIND_OPTIONS_INIT;
            size_t found = 0;
            options.peaks.min_score = o->min_score;
            CHECK_STATUS(xncc_template_resample(s->templ, angle, scale, o->support, &t, &kit_error),
                         XNCC_OK);
            CHECK_STATUS(
                xncc_find(context, &s->image.view, t, &options, peak, 4096, &found, &kit_error),
                XNCC_OK);
            for (size_t i = 0; i < found && count < ROOM; i++)
                all[count++] = (xncc_pose_match){
                    .center_x = peak[i].x + 0.5 * (xncc_template_width(t) - 1),
                    .center_y = peak[i].y + 0.5 * (xncc_template_height(t) - 1),
                    .angle = angle,
                    .scale = scale,
                    .score = peak[i].score,
                    .x = peak[i].x,
                    .y = peak[i].y,
                    .width = xncc_template_width(t),
                    .height = xncc_template_height(t)
                };
            xncc_template_destroy(t);
        }
    CHECK(count < ROOM);
    while (kept < POSE_MOST) {
        const xncc_pose_match *best = NULL;
        for (size_t i = 0; i < count; i++) {
            const xncc_pose_match *m = &all[i];
            if (m->width > 0 && (!best || m->score > best->score ||
                                 (m->score == best->score &&
                                  (m->y < best->y || (m->y == best->y && m->x < best->x)))))
                best = m;
        }
        if (!best)
            break;
        list[kept++] = *best;
        const xncc_pose_frame a = { list[kept - 1].center_x,
                                    list[kept - 1].center_y,
                                    cos(list[kept - 1].angle * 3.14159265358979 / 180.0),
                                    sin(list[kept - 1].angle * 3.14159265358979 / 180.0),
                                    0.5 * POSE_TEMPL_W * list[kept - 1].scale,
                                    0.5 * POSE_TEMPL_H * list[kept - 1].scale };
        for (size_t i = 0; i < count; i++) {
            const double r = all[i].angle * 3.14159265358979 / 180.0;
            const xncc_pose_frame b = { all[i].center_x,
                                        all[i].center_y,
                                        cos(r),
                                        sin(r),
                                        0.5 * POSE_TEMPL_W * all[i].scale,
                                        0.5 * POSE_TEMPL_H * all[i].scale };
            if (xncc_pose_overlap(&a, &b) > o->overlap)
                all[i].width = 0; /* removed */
        }
    }
    return kept;
}

static void check_by_hand(xncc_context *context, const pose_scene *s)
{
    xncc_pose_match got[POSE_MOST], want[POSE_MOST];
    for (int n = kit_short() ? 2 : 0; n < 3; n++) {
        xncc_pose_options o = XNCC_POSE_OPTIONS_INIT;
        o.search = XNCC_POSES_EXHAUSTIVE;
        o.refine = 0;
        o.min_score = n == 1 ? 0.3f : 0.45f;
        o.support = n == 2 ? XNCC_SUPPORT_DISC : XNCC_SUPPORT_WHOLE;
        o.angles = (xncc_pose_range){ 0, kit_shortest() ? 156 : 360, 24 };
        o.scales = (xncc_pose_range){ 0.875, 1.125, 0.125 };
        o.overlap = n == 1 ? 0.05 : 0.25;
        const size_t found = pose_search(context, s, &o, got), all = by_hand(context, s, &o, want);
        CHECK_INT(found, all);
        CHECK(all > 3);
        for (size_t i = 0; i < found && i < all; i++)
            if (!CHECK(got[i].score == want[i].score && got[i].x == want[i].x &&
                       got[i].y == want[i].y && got[i].width == want[i].width &&
                       got[i].height == want[i].height && got[i].grid_angle == want[i].angle &&
                       got[i].grid_scale == want[i].scale && got[i].templ == 0 &&
                       pose_is_at(&got[i], &want[i], 1e-9, 1e-9, 1e-9)))
                kit_fail(__FILE__, __LINE__, "match %zu: %.9g at (%d, %d), not %.9g at (%d, %d)", i,
                         (double)got[i].score, got[i].x, got[i].y, (double)want[i].score, want[i].x,
                         want[i].y);
    }
}

/* The score of a match is that of its resampled template in its window. */
static void check_scores(xncc_context *context, const pose_scene *s, const xncc_pose_match *match,
                         size_t found, xncc_support support)
{
    for (size_t i = 0; i < found; i++) {
        const xncc_pose_match *m = &match[i];
        xncc_template *t = NULL;
        xncc_image crop;
        float score = NAN;
        const xncc_map map = { .data = &score, .width = 1, .height = 1 };
        CHECK_STATUS(
            xncc_template_resample(s->templ, m->grid_angle, m->grid_scale, support, &t, &kit_error),
            XNCC_OK);
        CHECK_STATUS(
            xncc_image_crop(&s->image.view, m->x, m->y, m->width, m->height, &crop, &kit_error),
            XNCC_OK);
        CHECK_STATUS(xncc_correlate(context, &crop, t, NULL, &map, &kit_error), XNCC_OK);
        CHECK_FLOAT(score, m->score);
        xncc_template_destroy(t);
    }
}

/* The same bits from every kernel and number of threads, and on a GPU those of the CPU. */
static void check_alike(const pose_scene *s, xncc_device device)
{
    static const char *const kernels[] = { NULL, "reference", "direct", "fft" };
    xncc_pose_match first[2][POSE_MOST], got[POSE_MOST];
    size_t found[2];
    for (int c = 0; c < (device == XNCC_DEVICE_CUDA ? 3 : 2); c++) {
        const xncc_device own = c < 2 ? device : XNCC_DEVICE_CPU;
        const xncc_context_options options = { .size = sizeof options,
                                               .device = own,
                                               .threads = c == 1 ? 4 : 1 };
        xncc_context *context = NULL;
        pose_scene mine = *s;
        CHECK_STATUS(xncc_context_create(&options, &context, &kit_error), XNCC_OK);
        CHECK_STATUS(xncc_template_create(context, &s->patch.view, &mine.templ, &kit_error),
                     XNCC_OK);
        for (int k = 0; k < (own == XNCC_DEVICE_CPU ? 4 : 1); k++) {
            if (kit_short() && k % 2)
                continue; /* the reference and transforms take most of the time */
            for (int e = 0; e < 2; e++) {
                xncc_pose_options o = XNCC_POSE_OPTIONS_INIT;
                o.search = e ? XNCC_POSES_EXHAUSTIVE : XNCC_POSES_PYRAMID;
                o.kernel = kernels[k];
                o.angles.last = e ? (kit_shortest() ? 40 : 90) : 360;
                const size_t n = pose_search(context, &mine, &o, got);
                if (c == 0 && k == 0) {
                    memcpy(first[e], got, sizeof got);
                    found[e] = n;
                }
                CHECK_INT(n, found[e]);
                CHECK(memcmp(got, first[e], sizeof got) == 0);
            }
        }
        xncc_template_destroy(mine.templ);
        xncc_context_destroy(context);
    }
}

/* Bytes and the same values in 16 bits have the same poses, although their fits take scores from
 * other code. */
static void check_widened(xncc_context *context, const pose_scene *s)
{
    const kit_room room = { 1, KIT_AFTER };
    pose_scene wide = {
        .image = kit_image_create_channels(XNCC_U16, 1, POSE_SCENE_W, POSE_SCENE_H, room),
        .patch = kit_image_create_channels(XNCC_U16, 1, POSE_TEMPL_W, POSE_TEMPL_H, room)
    };
    kit_image *const to[] = { &wide.image, &wide.patch };
    const kit_image *const from[] = { &s->image, &s->patch };
    for (int i = 0; i < 2; i++)
        for (int32_t y = 0; y < from[i]->view.height; y++)
            for (int32_t x = 0; x < from[i]->view.width; x++)
                ((uint16_t *)((char *)(uintptr_t)to[i]->view.data + y * to[i]->view.pitch))[x] =
                    ((const uint8_t *)from[i]->view.data)[y * from[i]->view.pitch + x];
    CHECK_STATUS(xncc_template_create(context, &wide.patch.view, &wide.templ, &kit_error), XNCC_OK);
    xncc_pose_match narrow[POSE_MOST], words[POSE_MOST];
    xncc_pose_options o = XNCC_POSE_OPTIONS_INIT;
    o.search = XNCC_POSES_EXHAUSTIVE;
    o.min_score = 0.5f; /* low enough for matches at the edges */
    if (kit_shortest())
        o.angles.last = 120;
    const size_t found = pose_search(context, s, &o, narrow);
    CHECK(found >= 3);
    CHECK_INT(pose_search(context, &wide, &o, words), found);
    CHECK(memcmp(narrow, words, sizeof words) == 0);
    pose_scene_free(&wide);
}

/* An image in device memory has the matches of the same image on the host, by both searches. */
static void check_there(xncc_context *context, pose_scene *s)
{
    xncc_image *image = &s->image.view;
    const xncc_image here = *image;
    const size_t bytes = (size_t)(here.pitch * (here.height - 1) + xncc_image_row_bytes(&here));
    void *there = kit_device_alloc(bytes);
    if (!CHECK(there && kit_device_upload(there, here.data, bytes)))
        return;
    for (int e = 0; e < 2; e++) {
        xncc_pose_match want[POSE_MOST], got[POSE_MOST];
        xncc_pose_options o = XNCC_POSE_OPTIONS_INIT;
        o.search = e ? XNCC_POSES_EXHAUSTIVE : XNCC_POSES_AUTO;
        const size_t found = pose_search(context, s, &o, want);
        image->data = there;
        image->memory = XNCC_DEVICE;
        CHECK_INT(pose_search(context, s, &o, got), found);
        CHECK(memcmp(got, want, sizeof got) == 0);
        *image = here;
    }
    kit_device_free(there);
}

/* Both searches find the objects of every pixel type, at the same poses of the grid. */
static void check_pixel_types(xncc_context *context, xncc_device device)
{
    for (int n = kit_short() ? 2 : 0; n < 9; n += kit_short() ? 4 : 1) {
        pose_scene s = pose_scene_make(context,
                                       n < 7    ? (xncc_pixel)n
                                       : n == 7 ? XNCC_U8
                                                : XNCC_F32,
                                       n < 7 ? 1 : 3);
        xncc_pose_match pyramid[POSE_MOST], whole[POSE_MOST];
        xncc_pose_options o = XNCC_POSE_OPTIONS_INIT;
        o.top = 3;
        o.min_score = 0.7f;
        const size_t found = pose_search(context, &s, &o, pyramid);
        pose_check_found(&s, pyramid, found, 0.1, 0.4);
        check_scores(context, &s, pyramid, found, o.support);
        if (n % 4 == 0) {
            o.search = XNCC_POSES_EXHAUSTIVE;
            CHECK_INT(pose_search(context, &s, &o, whole), found);
            CHECK(memcmp(whole, pyramid, sizeof whole) == 0);
        }
        if (n % 2 == 0 && device == XNCC_DEVICE_CUDA)
            check_there(context, &s);
        pose_scene_free(&s);
    }
}

/* A reversed image is found only if polarity is ignored, with the negated score. */
static void check_polarity(xncc_context *context)
{
    pose_scene s = pose_scene_make(context, XNCC_U8, 1), r = pose_scene_make(context, XNCC_U8, 1);
    xncc_pose_match plain[POSE_MOST], reversed[POSE_MOST];
    xncc_pose_options o = XNCC_POSE_OPTIONS_INIT;
    for (int32_t y = 0; y < POSE_SCENE_H; y++)
        for (int32_t x = 0; x < POSE_SCENE_W; x++) {
            uint8_t *at = (uint8_t *)(uintptr_t)r.image.view.data + y * r.image.view.pitch + x;
            *at = (uint8_t) ~*at;
        }
    o.top = 3;
    o.min_score = 0.9f;
    for (int e = 0; e < 2; e++) {
        o.search = e ? XNCC_POSES_EXHAUSTIVE : XNCC_POSES_AUTO;
        if (e)
            o.angles = (xncc_pose_range){ 30, 40, XNCC_AUTO };
        o.any_polarity = 0;
        CHECK_INT(pose_search(context, &r, &o, reversed), 0);
        const size_t found = pose_search(context, &s, &o, plain);
        CHECK_INT(found, e ? 1 : 3);
        o.any_polarity = 1;
        CHECK_INT(pose_search(context, &r, &o, reversed), found);
        for (size_t i = 0; i < found; i++) {
            CHECK(pose_is_at(&reversed[i], &plain[i], 1e-6, 1e-6, 1e-9));
            CHECK_FLOAT(reversed[i].score, -plain[i].score);
        }
    }
    pose_scene_free(&s);
    pose_scene_free(&r);
}

/* An object at another scale, and the disc. */
static void check_scales(xncc_context *context)
{
    const xncc_pose_match truth = {
        .center_x = 70.4, .center_y = 61.8, .angle = 130.3, .scale = 1.234
    };
    pose_scene s = pose_scene_make(context, XNCC_U8, 1);
    for (int32_t y = 0; y < POSE_SCENE_H; y++)
        for (int32_t x = 0; x < POSE_SCENE_W; x++)
            pose_put(&s.image.view, x, y, pose_placed(x, y, &truth));
    for (int disc = kit_short() ? 1 : 0; disc < 2; disc++) {
        xncc_pose_match match[POSE_MOST];
        xncc_pose_options o = XNCC_POSE_OPTIONS_INIT;
        o.support = disc ? XNCC_SUPPORT_DISC : XNCC_SUPPORT_WHOLE;
        o.scales = (xncc_pose_range){ 0.8, 1.5, XNCC_AUTO };
        o.min_score = 0.8f;
        o.top = 1;
        CHECK_INT(pose_search(context, &s, &o, match), 1);
        if (!CHECK(pose_is_at(&match[0], &truth, 0.1, 0.4, 0.01)))
            kit_fail(__FILE__, __LINE__, "%.3f %.3f %.3f %.4f", match[0].center_x,
                     match[0].center_y, match[0].angle, match[0].scale);
        CHECK(match[0].fit_score > 0.97 && match[0].fit_score < 1.01);
        check_scores(context, &s, match, 1, o.support);
    }
    pose_scene_free(&s);
}

/* Two templates in one call give what each gives alone, in one list. */
static void check_several(xncc_context *context, const pose_scene *s)
{
    xncc_image half;
    xncc_template *other = NULL;
    xncc_pose_match match[POSE_MOST];
    size_t found = 0, of[2] = { 0, 0 };
    xncc_pose_options o = XNCC_POSE_OPTIONS_INIT;
    o.min_score = 0.93f;
    o.overlap = 1.0;
    CHECK_STATUS(
        xncc_image_crop(&s->patch.view, 0, 0, POSE_TEMPL_H, POSE_TEMPL_H, &half, &kit_error),
        XNCC_OK);
    CHECK_STATUS(xncc_template_create(context, &half, &other, &kit_error), XNCC_OK);
    const xncc_template *const both[2] = { s->templ, other };
    CHECK_STATUS(
        xncc_find_poses(context, &s->image.view, both, 2, &o, match, POSE_MOST, &found, &kit_error),
        XNCC_OK);
    for (size_t i = 0; i < found; i++) {
        of[match[i].templ]++;
        CHECK(i == 0 || match[i].score <= match[i - 1].score);
    }
    CHECK(of[0] >= 3 && of[1] >= 3);
    o.overlap = 0.3;
    CHECK_STATUS(
        xncc_find_poses(context, &s->image.view, both, 2, &o, match, POSE_MOST, &found, &kit_error),
        XNCC_OK);
    CHECK_INT(found, 3); /* each object once */
    xncc_template_destroy(other);
}

/* The default limit is what chance explains over all windows of all poses, for each template. */
static void check_default_limit(xncc_context *context)
{
    kit_random r = kit_stream(9);
    const kit_room room = { 0, KIT_AFTER };
    kit_image image = kit_image_create_channels(XNCC_U8, 1, 60, 60, room);
    /* 49 copies of a pattern in noise, with scores from about 0.6 to 0.85. */
    uint8_t pattern[64], *pixels = (uint8_t *)(uintptr_t)image.view.data;
    for (int i = 0; i < 64; i++)
        pattern[i] = (uint8_t)kit_next(&r);
    for (int i = 0; i < 3600; i++) {
        const int x = i % 60, y = i / 60, copy = y / 8 * 7 + x / 8;
        const double part = x < 56 && y < 56 ? 0.45 + 0.15 * copy / 48.0 : 0.0;
        pixels[i] = (uint8_t)(part * pattern[y % 8 * 8 + x % 8] +
                              (1.0 - part) * (double)kit_below(&r, 256));
    }
    const xncc_image patch = { .data = pattern, .width = 8, .height = 8, .pixel = XNCC_U8 };
    static xncc_pose_match automatic[4096], given[4096];
    float limit[2];
    xncc_template *templ[2];
    xncc_pose_options o = XNCC_POSE_OPTIONS_INIT;
    o.search = XNCC_POSES_EXHAUSTIVE;
    o.refine = 0;
    o.overlap = 1.0;
    o.angles = (xncc_pose_range){ 0, 180, 30 };
    CHECK(o.min_score == XNCC_AUTO);
    for (int k = 0; k < 2; k++) {
        xncc_image part;
        xncc_chance chance;
        const int32_t side = k ? 7 : 8;
        CHECK_STATUS(xncc_image_crop(&patch, 0, 0, side, side, &part, &kit_error), XNCC_OK);
        CHECK_STATUS(xncc_template_create(context, &part, &templ[k], &kit_error), XNCC_OK);
        CHECK_STATUS(xncc_chance_look(&part, &chance, &kit_error), XNCC_OK);
        limit[k] = (float)xncc_chance_limit(chance.pixels, 60 * 60 * 7.0);
        CHECK(limit[k] > (k ? 0.8f : 0.55f) && limit[0] < 0.79f);
        limit[k] = fminf(limit[k], (float)XNCC_POSE_MOST_LIMIT);
    }
    CHECK(fabsf(limit[0] - limit[1]) > 0.01f);
    const xncc_template *const both[2] = { templ[0], templ[1] };
    size_t found = 0, want[2] = { 0, 0 }, of[2] = { 0, 0 };
    CHECK_STATUS(
        xncc_find_poses(context, &image.view, both, 2, &o, automatic, 4096, &found, &kit_error),
        XNCC_OK);
    for (size_t i = 0; i < found; i++)
        of[automatic[i].templ]++;
    for (int k = 0; k < 2; k++) {
        o.min_score = limit[k];
        CHECK_STATUS(xncc_find_poses(context, &image.view, &both[k], 1, &o, given, 4096, &want[k],
                                     &kit_error),
                     XNCC_OK);
        CHECK_INT(of[k], want[k]);
        CHECK(want[k] > 4 && want[k] < 45);
        xncc_template_destroy(templ[k]);
    }
    kit_image_destroy(&image);
}

/* A template that just fits, at the edges of the image: only its inner pixels can be shifted. */
static void check_edges(xncc_context *context, const pose_scene *s)
{
    const xncc_template *templ = s->templ;
    const xncc_pose_match truth = { .center_x = 15.5, .center_y = 11.5, .scale = 1.0 };
    xncc_pose_match match[4];
    size_t found = 0;
    xncc_pose_options o = XNCC_POSE_OPTIONS_INIT;
    for (int e = 0; e < 2; e++) {
        o.search = e ? XNCC_POSES_EXHAUSTIVE : XNCC_POSES_AUTO;
        CHECK_STATUS(
            xncc_find_poses(context, &s->patch.view, &templ, 1, &o, match, 4, &found, &kit_error),
            XNCC_OK);
        CHECK(found >= 1 && match[0].score == 1.0f && match[0].grid_angle == 0.0);
        if (!CHECK(pose_is_at(&match[0], &truth, 0.02, 0.05, 1e-9)))
            kit_fail(__FILE__, __LINE__, "%.4f %.4f %.4f", match[0].center_x, match[0].center_y,
                     match[0].angle);
    }
}

/* Copies bytes into 16-bit samples. */
static kit_image widened(const xncc_image *bytes)
{
    const kit_room room = { 0, KIT_AFTER };
    kit_image wide = kit_image_create_channels(XNCC_U16, 1, bytes->width, bytes->height, room);
    for (int32_t y = 0; y < bytes->height; y++)
        for (int32_t x = 0; x < bytes->width; x++) {
            char *row = (char *)(uintptr_t)wide.view.data + y * wide.view.pitch;
            ((uint16_t *)(void *)row)[x] = ((const uint8_t *)bytes->data +
                                            y * xncc_image_pitch(bytes))[x];
        }
    return wide;
}

/* Objects that the image cuts off: some windows of a fit lie beyond its edge. Bytes and 16-bit
 * samples of the same values have the same matches. */
static void check_cut_off(xncc_context *context, const pose_scene *s)
{
    kit_image wide_patch = widened(&s->patch.view);
    xncc_template *wide_templ = NULL;
    CHECK_STATUS(xncc_template_create(context, &wide_patch.view, &wide_templ, &kit_error), XNCC_OK);
    xncc_pose_options o = XNCC_POSE_OPTIONS_INIT;
    size_t moved = 0;
    o.min_score = 0.7f;
    o.top = 1;
    for (int n = 0; n < 16; n++) {
        const int32_t left = 15 + n % 4, top = 18 + n / 4;
        xncc_image part;
        xncc_pose_match match[2][1];
        size_t found[2] = { 0, 0 };
        memset(match, 0, sizeof match);
        CHECK_STATUS(xncc_image_crop(&s->image.view, left, top, 60, 60, &part, &kit_error),
                     XNCC_OK);
        kit_image wide = widened(&part);
        const xncc_image *const image[2] = { &part, &wide.view };
        const xncc_template *const templ[2] = { s->templ, wide_templ };
        for (int k = 0; k < 2; k++)
            CHECK_STATUS(xncc_find_poses(context, image[k], &templ[k], 1, &o, match[k], 1,
                                         &found[k], &kit_error),
                         XNCC_OK);
        CHECK(found[0] == found[1] && memcmp(match[0], match[1], sizeof match[0]) == 0);
        moved += found[0] == 1 && match[0][0].angle != match[0][0].grid_angle;
        kit_image_destroy(&wide);
    }
    CHECK(moved > 4); /* others keep the pose of the grid */
    xncc_template_destroy(wide_templ);
    kit_image_destroy(&wide_patch);
}

static void check_refusals(xncc_context *context, const pose_scene *s)
{
    const xncc_template *templ = s->templ;
    xncc_pose_match match[2];
    size_t found = 7;
    const xncc_pose_options good = XNCC_POSE_OPTIONS_INIT;
    for (int i = 0; i < 18; i++) {
        xncc_pose_options o = good;
        xncc_image image = s->image.view;
        const uint8_t mask[POSE_SCENE_W * POSE_SCENE_H] = { 1 };
        xncc_status want = XNCC_ERROR_ARGUMENT;
        switch (i) {
        case 0: o.size = 0; break;
        case 1: o.search = (xncc_pose_search)3; break;
        case 2: o.support = (xncc_support)2; break;
        case 3: o.any_polarity = 2; break;
        case 4: o.refine = -1; break;
        case 5: o.min_score = -0.1f; break;
        case 6: o.min_score = NAN; break;
        case 7: o.overlap = 1.1; break;
        case 8: o.min_valid = NAN; break;
        case 9: o.angles.first = NAN; break;
        case 10: o.angles = (xncc_pose_range){ 10, 0, 1 }; break;
        case 11: o.angles = (xncc_pose_range){ 0, 361, 1 }; break;
        case 12: o.angles.step = 0; break;
        case 13: o.scales = (xncc_pose_range){ 0.01, 1, 1 }; break;
        case 14: o.scales.step = -2; break;
        case 15:
            o.angles.step = 1e-4;
            want = XNCC_ERROR_UNSUPPORTED;
            break;
        case 16:
            o.search = XNCC_POSES_PYRAMID;
            image.mask = mask;
            want = XNCC_ERROR_UNSUPPORTED;
            break;
        default: o.kernel = "no-such"; break;
        }
        found = 7;
        CHECK_STATUS(xncc_find_poses(context, &image, &templ, 1, &o, match, 2, &found, &kit_error),
                     want);
        CHECK(found == 0 && kit_error.text[0] != 0);
    }
    CHECK_STATUS(xncc_find_poses(NULL, &s->image.view, &templ, 1, &good, match, 2, &found, NULL),
                 XNCC_ERROR_ARGUMENT);
    CHECK_STATUS(xncc_find_poses(context, NULL, &templ, 1, &good, match, 2, &found, NULL),
                 XNCC_ERROR_ARGUMENT);
    CHECK_STATUS(xncc_find_poses(context, &s->image.view, NULL, 1, &good, match, 2, &found, NULL),
                 XNCC_ERROR_ARGUMENT);
    CHECK_STATUS(xncc_find_poses(context, &s->image.view, &templ, 1, &good, NULL, 2, &found, NULL),
                 XNCC_ERROR_ARGUMENT);
    CHECK_STATUS(xncc_find_poses(context, &s->image.view, &templ, 1, &good, match, 2, NULL, NULL),
                 XNCC_ERROR_ARGUMENT);
    CHECK_STATUS(xncc_find_poses(context, &s->image.view, NULL, 0, &good, match, 2, &found, NULL),
                 XNCC_OK);
    CHECK_INT(found, 0);
    CHECK_STATUS(xncc_find_poses(context, &s->image.view, &templ, 1, NULL, NULL, 0, &found, NULL),
                 XNCC_OK);
    CHECK_INT(found, 0);
}

/* Where a GPU was measured to be faster than 16 threads, and where two of them would be slower. */
static void check_choice(void)
{
    CHECK(!xncc_pose_gpu_is_faster(133e3, 16) && !xncc_pose_gpu_is_faster(1.7e6, 16));
    CHECK(xncc_pose_gpu_is_faster(6.9e6, 16));
    CHECK(xncc_pose_gpu_is_faster(1.2e6, 2) && !xncc_pose_gpu_is_faster(133e3, 2));
}

void check_searches(xncc_context *context, xncc_device device)
{
    pose_scene s = pose_scene_make(context, XNCC_U8, 1);
    xncc_pose_match match[POSE_MOST];
    const xncc_pose_options o = XNCC_POSE_OPTIONS_INIT;
    const size_t found = pose_search(context, &s, &o, match);
    pose_check_found(&s, match, found, 0.06, 0.15);
    check_scores(context, &s, match, found, o.support);
    check_by_hand(context, &s);
    check_choice();
    check_alike(&s, device);
    check_widened(context, &s);
    check_several(context, &s);
    check_edges(context, &s);
    check_cut_off(context, &s);
    check_refusals(context, &s);
    pose_scene_free(&s);
    check_polarity(context);
    check_scales(context);
    check_default_limit(context);
    check_pixel_types(context, device);
}
