/* SPDX-License-Identifier: BSD-2-Clause */
/* Many objects in one scene, and scenes that resemble the template everywhere: what is found does
 * not depend on threads, and the number of poses that are tried has a bound. */
#include "unit/pose.h"
#include "unit/pose_scene.h"

#include "base/memory.h"
#include "pose/climb.h"

#include <math.h>
#include <string.h>

enum { CELL = 44, MOST_OBJECTS = 320 };

static xncc_pose_match object(int n, int columns)
{
    return (xncc_pose_match){ .center_x = CELL * (n % columns + 0.5) + 0.13 * (n % 7),
                              .center_y = CELL * (n / columns + 0.5) - 0.17 * (n % 5),
                              .angle = 47.3 * n - 360.0 * floor(47.3 * n / 360.0),
                              .scale = 1.0 };
}

/* All objects are found, each once, by one thread and by four, and no more than `most` poses are
 * tried for them. */
static void check_objects(int columns, int rows, uint64_t most)
{
    const int objects = columns * rows;
    const kit_room room = { 5, KIT_AFTER };
    kit_image image = kit_image_create_channels(XNCC_U8, 1, columns * CELL, rows * CELL, room);
    for (int32_t y = 0; y < image.view.height; y++)
        for (int32_t x = 0; x < image.view.width; x++) {
            const xncc_pose_match at = object(y / CELL * columns + x / CELL, columns);
            pose_put(&image.view, x, y, pose_placed(x, y, &at));
        }
    static xncc_pose_match match[2][MOST_OBJECTS + 8];
    memset(match, 0, sizeof match);
    for (int k = 0; k < 2; k++) {
        xncc_context *context = kit_context(XNCC_DEVICE_CPU, k ? 4 : 1);
        pose_scene s = pose_scene_make(context, XNCC_U8, 1);
        const xncc_template *templ = s.templ;
        size_t found = 0;
        xncc_pose_options o = XNCC_POSE_OPTIONS_INIT;
        o.top = (size_t)objects;
        (void)xncc_pose_tries();
        CHECK_STATUS(xncc_find_poses(context, &image.view, &templ, 1, &o, match[k],
                                     MOST_OBJECTS + 8, &found, &kit_error),
                     XNCC_OK);
        const uint64_t tries = xncc_pose_tries().poses;
        if (!CHECK(tries <= most))
            kit_fail(__FILE__, __LINE__, "%d objects: %llu tries", objects,
                     (unsigned long long)tries);
        CHECK_INT(found, objects);
        for (int n = 0; n < objects; n++) {
            const xncc_pose_match truth = object(n, columns);
            int hits = 0;
            for (size_t i = 0; i < found; i++)
                hits += pose_is_at(&match[k][i], &truth, 0.1, 0.3, 1e-9);
            CHECK_INT(hits, 1);
        }
        pose_scene_free(&s);
        xncc_context_destroy(context);
    }
    CHECK(memcmp(match[0], match[1], sizeof match[0]) == 0);
    kit_image_destroy(&image);
}

enum { SIDE = 512, PATCH = 64, TEXTURES = 5 };

static double texture(int kind, int x, int y)
{
    const double u = x % 32 - 15.5, v = y % 32 - 15.5;
    switch (kind) {
    case 0: return 128.0 + 100.0 * sin(0.21 * x);               /* stripes */
    case 1: return (x / 15 + y / 15) % 2 ? 200.0 : 50.0;        /* a board */
    case 2: return 50.0 + 150.0 * exp(-(u * u + v * v) / 60.0); /* dots */
    case 3: return 128.0 + 50.0 * sin(0.4 * x + 3.0 * sin(0.1 * y)) + 40.0 * cos(0.3 * y);
    default:
        return pose_placed(x % PATCH, y % PATCH, &(xncc_pose_match){ .scale = 2.0 }); /* tiles */
    }
}

/* The poses that are tried at most, if the search begins two levels or more above the pixels: on
 * the first level seven angles and two moves of three; on the last one seven and five moves of
 * five. */
static uint64_t bound_of(size_t wanted)
{
    const uint64_t top = 1024 + (SIDE / 4) * (SIDE / 4) / 8, w = wanted;
    return (top + 8 * w) * 13 + (top / 3 + 2 * w) * 32;
}

static void check_work(xncc_context *context)
{
    kit_random r = kit_stream(11);
    const kit_room room = { 0, KIT_AFTER };
    kit_image image = kit_image_create_channels(XNCC_U8, 1, SIDE, SIDE, room);
    for (int kind = 0; kind < TEXTURES; kind += kit_short() ? 4 : 1) {
        for (int32_t y = 0; y < SIDE; y++)
            for (int32_t x = 0; x < SIDE; x++)
                pose_put(
                    &image.view, x, y,
                    fmin(fmax(texture(kind, x, y) + (double)kit_between(&r, -3, 3), 0.0), 254.0));
        xncc_image patch;
        xncc_template *templ = NULL;
        CHECK_STATUS(xncc_image_crop(&image.view, 192, 192, PATCH, PATCH, &patch, &kit_error),
                     XNCC_OK);
        CHECK_STATUS(xncc_template_create(context, &patch, &templ, &kit_error), XNCC_OK);
        const xncc_template *const only = templ;
        for (size_t wanted = kit_short() ? 8 : 1; wanted <= 64; wanted *= kit_short() ? 64 : 8) {
            static xncc_pose_match match[64];
            size_t found = 0;
            (void)xncc_pose_tries();
            CHECK_STATUS(xncc_find_poses(context, &image.view, &only, 1, NULL, match, wanted,
                                         &found, &kit_error),
                         XNCC_OK);
            const uint64_t tries = xncc_pose_tries().poses, most = bound_of(wanted);
            if (!CHECK(found > 0 && tries > 0 && tries <= most))
                kit_fail(__FILE__, __LINE__, "texture %d: %zu found, %llu tries of %llu", kind,
                         found, (unsigned long long)tries, (unsigned long long)most);
        }
        xncc_template_destroy(templ);
    }
    kit_image_destroy(&image);
}

/* A scene of waves that hardly differ from place to place: many candidates score nearly as well as
 * the object, and few of them may reach the fine levels. Without a rule for that, 52 million pixels
 * of templates are tried; with it, 21. */
static void check_smooth(xncc_context *context)
{
    enum { WIDTH = 768, HEIGHT = 600 };
    kit_random r = kit_stream(12);
    const kit_room room = { 0, KIT_AFTER };
    kit_image image = kit_image_create_channels(XNCC_U8, 1, WIDTH, HEIGHT, room);
    for (int32_t y = 0; y < HEIGHT; y++)
        for (int32_t x = 0; x < WIDTH; x++)
            pose_put(&image.view, x, y,
                     rint(125 + 45 * cos(x / 13.0) + 45 * cos(y / 14.0) +
                          14 * sin(x / 67.0 + y / 91.0) + 9 * cos((double)x * y / 9000.0) +
                          kit_between(&r, -3, 3)));
    xncc_image patch;
    xncc_template *templ = NULL;
    CHECK_STATUS(xncc_image_crop(&image.view, 230, 170, 300, 240, &patch, &kit_error), XNCC_OK);
    CHECK_STATUS(xncc_template_create(context, &patch, &templ, &kit_error), XNCC_OK);
    const xncc_template *const only = templ;
    xncc_pose_match match;
    size_t found = 0;
    (void)xncc_pose_tries();
    CHECK_STATUS(
        xncc_find_poses(context, &image.view, &only, 1, NULL, &match, 1, &found, &kit_error),
        XNCC_OK);
    const uint64_t pixels = xncc_pose_tries().pixels;
    CHECK(found == 1 && fabs(match.center_x - 379.5) < 0.01 && fabs(match.center_y - 289.5) < 0.01);
    if (!CHECK(pixels > 0 && pixels < UINT64_C(32000000)))
        kit_fail(__FILE__, __LINE__, "%llu pixels", (unsigned long long)pixels);
    xncc_template_destroy(templ);
    kit_image_destroy(&image);
}

/* Requests for memory fail, each alone or with all that follow. */
static void check_parts_memory(xncc_context *context, const xncc_image *image,
                               const xncc_template *templ)
{
    xncc_pose_match match;
    size_t found = 0;
    xncc_pose_options o = XNCC_POSE_OPTIONS_INIT;
    o.angles = (xncc_pose_range){ -20.0, 20.0, XNCC_AUTO };
    (void)xncc_alloc_fail(0, 0);
    CHECK_STATUS(xncc_find_poses(context, image, &templ, 1, &o, &match, 1, &found, &kit_error),
                 XNCC_OK);
    /* Threads that share the work make more or fewer requests from call to call. */
    const uint64_t requests = xncc_alloc_fail(0, 0), step = kit_shortest() ? 211
                                                            : kit_short()  ? 37
                                                                           : 11;
    int failed = 0;
    for (uint64_t nth = 1; nth < requests; nth += step) {
        (void)xncc_alloc_fail(requests - nth, (int)(nth / step % 2));
        const xncc_status status = xncc_find_poses(context, image, &templ, 1, &o, &match, 1, &found,
                                                   &kit_error);
        const int reached = xncc_alloc_fail(0, 0) >= requests - nth;
        CHECK_STATUS(status, reached ? XNCC_ERROR_MEMORY : XNCC_OK);
        failed += reached;
    }
    CHECK(failed > 0);
}

static kit_image noisy_waves(int32_t width, int32_t height)
{
    kit_random r = kit_stream(13);
    const kit_room room = { 0, KIT_AFTER };
    kit_image image = kit_image_create_channels(XNCC_U8, 1, width, height, room);
    for (int32_t y = 0; y < height; y++)
        for (int32_t x = 0; x < width; x++)
            pose_put(&image.view, x, y,
                     pose_placed(x, y, &(xncc_pose_match){ .center_x = -999.0, .scale = 1.0 }) +
                         kit_between(&r, -9, 9));
    return image;
}

/* The same within a rectangle, and nothing around it, where few candidates are. */
static kit_image waves_alone(const xncc_image *waves, int32_t left, int32_t top)
{
    const kit_room room = { 0, KIT_AFTER };
    kit_image image = kit_image_create_channels(XNCC_U8, 1, waves->width, waves->height, room);
    for (int32_t y = 0; y < waves->height; y++)
        for (int32_t x = 0; x < waves->width; x++) {
            const int inside = x >= left && x < waves->width - left && y >= top &&
                               y < waves->height - top;
            pose_put(&image.view, x, y, inside ? kit_pixel(waves, x, y) : 90.0);
        }
    return image;
}

/* The poses of a large template are scored in parts. What is found does not depend on that: a
 * template, one with a mask, whose best pose lies between those of the grid, one in the image's
 * corner, and one that is alone in an image; with one thread and with more. */
static void check_parts(void)
{
    enum {
        ALONE = 3,
        KINDS,
        WIDTH = 520,
        HEIGHT = 480,
        LEFT = 160,
        TOP = 150,
        ACROSS = 200,
        DOWN = 173,
        LIMIT = 3
    };
    kit_image image = noisy_waves(WIDTH, HEIGHT), alone = waves_alone(&image.view, LEFT, TOP);
    static xncc_pose_match match[4][KINDS][LIMIT];
    size_t found[4][KINDS];
    memset(match, 0, sizeof match);
    for (int k = 0; k < 4; k += kit_shortest() ? 3 : 1) {
        const int32_t threads[4] = { 1, 2, 7, kit_shortest() ? 80 : 150 };
        xncc_context *context = kit_context(XNCC_DEVICE_CPU, threads[k]);
        xncc_image patch;
        xncc_template *templ[KINDS] = { NULL };
        CHECK_STATUS(xncc_image_crop(&image.view, LEFT, TOP, ACROSS, DOWN, &patch, &kit_error),
                     XNCC_OK);
        CHECK_STATUS(xncc_template_create(context, &patch, &templ[0], &kit_error), XNCC_OK);
        CHECK_STATUS(
            xncc_template_resample(templ[0], 33.3, 1.0, XNCC_SUPPORT_WHOLE, &templ[1], &kit_error),
            XNCC_OK);
        CHECK_STATUS(xncc_image_crop(&image.view, 0, 0, ACROSS, DOWN, &patch, &kit_error), XNCC_OK);
        CHECK_STATUS(xncc_template_create(context, &patch, &templ[2], &kit_error), XNCC_OK);
        for (int i = 0; i < KINDS; i++) {
            const xncc_template *const only = templ[i == ALONE ? 0 : i];
            const xncc_image *const scene = i == ALONE ? &alone.view : &image.view;
            xncc_pose_options o = XNCC_POSE_OPTIONS_INIT;
            o.search = XNCC_POSES_PYRAMID;
            o.angles = (xncc_pose_range){ -40.0, 10.0, XNCC_AUTO };
            if (kit_shortest()) /* what is around the best pose */
                o.angles = i == 1 ? (xncc_pose_range){ -40.0, -25.0, XNCC_AUTO }
                                  : (xncc_pose_range){ -6.0, 6.0, XNCC_AUTO };
            if (i == 0)
                o.scales = kit_shortest() ? (xncc_pose_range){ 0.99, 1.01, XNCC_AUTO }
                                          : (xncc_pose_range){ 0.97, 1.02, XNCC_AUTO };
            o.top = LIMIT;
            CHECK_STATUS(xncc_find_poses(context, scene, &only, 1, &o, match[k][i], LIMIT,
                                         &found[k][i], &kit_error),
                         XNCC_OK);
            CHECK(found[k][i] > 0 && found[k][i] == found[0][i] &&
                  memcmp(match[k][i], match[0][i], sizeof match[0][i]) == 0);
        }
        CHECK(pose_is_at(&match[k][0][0],
                         &(xncc_pose_match){ .center_x = LEFT + 0.5 * (ACROSS - 1),
                                             .center_y = TOP + 0.5 * (DOWN - 1),
                                             .scale = 1.0 },
                         0.05, 0.05, 0.001));
        if (k == 3)
            check_parts_memory(context, &alone.view, templ[0]);
        for (int i = 0; i < KINDS; i++)
            xncc_template_destroy(templ[i]);
        xncc_context_destroy(context);
    }
    kit_image_destroy(&alone);
    kit_image_destroy(&image);
}

void check_many(xncc_context *context, xncc_device device)
{
    check_objects(10, 8, (4096 + 8 * 80) * 32);
    if (!kit_shortest())
        check_objects(20, 16, 65000);
    check_parts();
    if (device == XNCC_DEVICE_CPU) { /* elsewhere the same code climbs */
        check_work(context);
        if (!kit_short()) /* it counts pixels, which are the same in every build */
            check_smooth(context);
    }
}
