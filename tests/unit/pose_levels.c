/* SPDX-License-Identifier: BSD-2-Clause */
/* The levels of images, and how much the poses of a level are alike, against plain loops. */
#include "unit/pose.h"

#include "base/memory.h"
#include "cpu/cpu.h"
#include "pose/likeness.h"

#include <math.h>
#include <string.h>

static void fill(uint8_t *to, size_t count, kit_random *r)
{
    for (size_t i = 0; i < count; i++)
        to[i] = (uint8_t)kit_next(r);
}

/* Each level of an image is what halving the one above it gives; pixels beyond the edges repeat the
 * last ones. */
static void check_image(const xncc_pose_job *job, int32_t width, int32_t height, int32_t most)
{
    kit_random r = kit_stream(31);
    const kit_room room = { 3, KIT_AFTER };
    kit_image image = kit_image_create_channels(XNCC_U8, 1, width, height, room);
    for (int32_t y = 0; y < height; y++)
        fill((uint8_t *)(uintptr_t)image.view.data + y * image.view.pitch, (size_t)width, &r);
    for (int all = 0; all < 2; all++) { /* one by one, and all at once */
        xncc_image_levels levels = { .kept = job->kept };
        int finite;
        CHECK_STATUS(xncc_image_levels_begin(&image.view, 0, &levels, &finite, &kit_error),
                     XNCC_OK);
        for (int32_t count = all ? most : 1; count <= most; count++)
            CHECK_STATUS(xncc_image_levels_extend(job, &levels, count, &kit_error), XNCC_OK);
        CHECK_INT(levels.count, most);
        for (int32_t l = 1; l < levels.count; l++) {
            const xncc_image *from = &levels.level[l - 1], *to = &levels.level[l];
            int32_t wrong = 0;
            CHECK(to->width == (from->width + 1) / 2 && to->height == (from->height + 1) / 2);
            for (int32_t y = 0; y < to->height; y++)
                for (int32_t x = 0; x < to->width; x++) {
                    const int32_t right = 2 * x + 1 < from->width ? 2 * x + 1 : 2 * x,
                                  below = 2 * y + 1 < from->height ? 2 * y + 1 : 2 * y;
                    const double sum = kit_pixel(from, 2 * x, 2 * y) +
                                       kit_pixel(from, right, 2 * y) +
                                       kit_pixel(from, 2 * x, below) +
                                       kit_pixel(from, right, below);
                    wrong += kit_pixel(to, x, y) != floor(sum / 4.0 + 0.5);
                }
            CHECK_INT(wrong, 0);
        }
        xncc_image_levels_clear(&levels);
    }
    kit_image_destroy(&image);
}

/* The NCC of two whole poses, over the pixels that count in both. */
static double ncc_of(const xncc_pose_pixels *a, const xncc_pose_pixels *b)
{
    double n = 0, x = 0, y = 0, xx = 0, yy = 0, xy = 0;
    for (size_t i = 0; i < (size_t)a->width * (size_t)a->height; i++) {
        const double u = ((const uint8_t *)a->pixels)[i], v = ((const uint8_t *)b->pixels)[i];
        if (!a->mask[i] || !b->mask[i])
            continue;
        n += 1;
        x += u;
        y += v;
        xx += u * u;
        yy += v * v;
        xy += u * v;
    }
    return (n * xy - x * y) / sqrt((n * xx - x * x) * (n * yy - y * y));
}

/* The likeness of each level, of a template with or without a mask, for any range of poses. */
static void check_likeness(const xncc_pose_job *job, int32_t width, int32_t height, int masked,
                           int scales)
{
    const size_t size = (size_t)width * (size_t)height;
    kit_random r = kit_stream(32);
    uint8_t *pixels = xncc_alloc(size, 1), *mask = xncc_alloc(size, 1);
    fill(pixels, size, &r);
    for (size_t i = 0; i < size; i++)
        mask[i] = kit_below(&r, 4000) != 0;
    const xncc_pose_source source = { .width = width,
                                      .height = height,
                                      .pixel = XNCC_U8,
                                      .channels = 1,
                                      .pixels = pixels,
                                      .mask = masked ? mask : NULL,
                                      .loops = xncc_pose_loops_of(xncc_cpu_features()) };
    xncc_templ_levels levels;
    xncc_pose_grid grid[XNCC_MOST_LEVELS];
    xncc_pose_likeness got[XNCC_MOST_LEVELS];
    int finite;
    CHECK_STATUS(xncc_templ_levels_make(&source, 8, &levels, &finite, &kit_error), XNCC_OK);
    for (int32_t l = 0; l < levels.count; l++)
        grid[l] = (xncc_pose_grid){ .angle = { 10.0 * l, 2.0 * l, 7, 0 },
                                    .scale = { 0.75 + 0.25 * scales, 0.05, scales ? 3 : 1, 0 } };
    CHECK_STATUS(xncc_pose_likeness_of(job, &levels, grid, levels.count, got, &kit_error), XNCC_OK);
    for (int32_t l = 1; l < levels.count; l++) {
        const xncc_pose_source *s = &levels.level[l];
        xncc_pose_place at = xncc_pose_place_of(s, grid[l].angle.first, grid[l].scale.first),
                        off = at;
        xncc_pose_pixels a, b;
        off.angle += 0.5 * grid[l].angle.step;
        off.scale += 0.5 * scales * grid[l].scale.step;
        off.shift_x = off.shift_y = 0.5;
        CHECK_STATUS(xncc_pose_resample(s, &at, &a, &kit_error), XNCC_OK);
        CHECK_STATUS(xncc_pose_resample(s, &off, &b, &kit_error), XNCC_OK);
        CHECK(got[l].pixels == a.count && fabs(got[l].value - ncc_of(&a, &b)) < 1e-9);
        xncc_pose_pixels_clear(&a);
        xncc_pose_pixels_clear(&b);
    }
    xncc_templ_levels_clear(&levels);
    xncc_free(pixels);
    xncc_free(mask);
}

void check_levels(void)
{
    xncc_engine *engine = NULL;
    CHECK_STATUS(xncc_cpu_engine_create(3, &engine, &kit_error), XNCC_OK);
    const xncc_pose_job job = { .pool = xncc_cpu_engine_pool(engine),
                                .kept = xncc_cpu_engine_kept(engine) };
    check_image(&job, 1, 1, 3);
    check_image(&job, 137, 64, 4);
    check_image(&job, 64, 129, 8);
    check_image(&job, 259, 517, 10);
    for (int masked = 0; masked < 2; masked++)
        for (int scales = 0; scales < 2; scales++) {
            check_likeness(&job, 16, 600, masked, scales);
            check_likeness(&job, 420, 333, masked, scales);
        }
    engine->ops->destroy(engine);
}
