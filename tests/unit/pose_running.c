/* SPDX-License-Identifier: BSD-2-Clause */
/* Running sums against plain loops, and scores with them against scores without. */
#include "unit/pose.h"

#include "base/memory.h"
#include "cpu/cpu.h"
#include "pose/probe.h"

#include <string.h>

enum { WIDTH = 300, HEIGHT = 260, MOST_ROWS = 200, MOST_DOWN = 5 };

static kit_image noise(int large)
{
    kit_image image = kit_image_create_channels(XNCC_U8, 1, WIDTH, HEIGHT,
                                                (kit_room){ 5, KIT_AFTER });
    kit_random r = kit_stream(8);
    for (int32_t y = 0; y < HEIGHT; y++)
        for (int32_t x = 0; x < WIDTH; x++)
            ((uint8_t *)(uintptr_t)image.view.data)[y * image.view.pitch + x] =
                large ? 255 : (uint8_t)kit_next(&r);
    return image;
}

/* The sums of a window, as running.h packs them. */
static uint64_t sums_at(const xncc_image *image, int32_t x, int32_t y, const int32_t *span,
                        int32_t rows)
{
    uint64_t S = 0, Q = 0;
    for (int32_t j = 0; j < rows; j++)
        for (int32_t i = span[2 * j]; i < span[2 * j + 1]; i++) {
            const uint64_t v = ((const uint8_t *)image->data)[(y + j) * image->pitch + x + i];
            S += v;
            Q += v * v;
        }
    return S | Q << 32;
}

/* A place along an axis: one of both ends, beside the last one, or any. */
static int32_t some_place(kit_random *r, int32_t last, int32_t room)
{
    const int32_t near = last + (int32_t)kit_below(r, 9) - 4;
    const uint64_t kind = kit_below(r, 4);
    return kind == 0                                ? 0
           : kind == 1                              ? room
           : kind == 2 && near >= 0 && near <= room ? near
                                                    : (int32_t)kit_below(r, (uint64_t)room + 1);
}

/* Two parts, one after the other in memory, whose windows are asked for by turns. set: of the
 * instructions (pose_features_of). */
static void check_sums(int set, int large)
{
    kit_image image = noise(large);
    kit_random r = kit_stream(9);
    xncc_running *running = NULL;
    int32_t at[2][2] = { { 0 } };
    int covered = 0;
    CHECK_STATUS(xncc_running_open(2, xncc_pose_loops_of(pose_features_of(set))->running, &running,
                                   &kit_error),
                 XNCC_OK);
    for (int n = 0; n < 3000 && running; n++) {
        const int which = n & 1;
        const int32_t across = 1 + n % XNCC_RUNNING_BESIDE, down = 1 + n % MOST_DOWN,
                      side = n % 3 ? XNCC_RUNNING_BESIDE : XNCC_RUNNING_BESIDE + 1,
                      wide = 1 + (int32_t)kit_below(&r, n % 8 ? 40 : 200),
                      high = 1 + (int32_t)kit_below(&r, n % 8 ? 40 : MOST_ROWS);
        int32_t span[2 * MOST_ROWS];
        for (int32_t i = 0; i < high; i++) {
            span[2 * i] = (int32_t)kit_below(&r, (uint64_t)wide);
            span[2 * i + 1] = span[2 * i] +
                              (int32_t)kit_below(&r, (uint64_t)(wide - span[2 * i]) + 1);
        }
        const int32_t x = at[which][0] = some_place(&r, at[which][0], WIDTH - wide - across + 1),
                      y = at[which][1] = some_place(&r, at[which][1], HEIGHT - high - down + 1);
        const int32_t width = wide + across - 1, height = high + down - 1;
        if (!xncc_running_cover(&running[which], &image.view, x, y, width, height)) {
            CHECK(width * height > 100 * 100); /* it is large */
            CHECK(!xncc_running_has_room(width, height));
            continue;
        }
        uint64_t sum[MOST_DOWN * (XNCC_RUNNING_BESIDE + 1)];
        covered++;
        xncc_running_windows(&running[which], x, y, span, high, down, side, sum);
        for (int32_t j = 0; j < down; j++)
            for (int32_t k = 0; k < across; k++)
                CHECK(sum[j * side + k] == sums_at(&image.view, x + k, y + j, span, high));
    }
    CHECK(covered > 2000 && covered < 3000);
    CHECK(!xncc_running_cover(running, &image.view, -1, 0, 3, 3));
    CHECK(!xncc_running_cover(running, &image.view, 0, -1, 3, 3));
    CHECK(!xncc_running_cover(running, &image.view, WIDTH - 2, 0, 3, 3));
    CHECK(!xncc_running_cover(running, &image.view, 0, HEIGHT - 2, 3, 3));
    xncc_free(running);
    kit_image_destroy(&image);
}

/* A probe with one span per row. holes: 1 if a pixel within some spans does not count. */
static xncc_pose_probe some_probe(kit_random *r, const xncc_pose_loops *loops, int32_t width,
                                  int32_t height, int holes)
{
    const size_t size = (size_t)width * (size_t)height;
    xncc_pose_pixels pixels = {
        .width = width, .height = height, .pixels = xncc_alloc(size, 1), .mask = xncc_alloc(size, 1)
    };
    for (int32_t y = 0; y < height; y++) {
        const int32_t first = (int32_t)kit_below(r, (uint64_t)width),
                      end = first + (int32_t)kit_below(r, (uint64_t)(width - first) + 1);
        for (int32_t x = first; x < end; x++) {
            const size_t i = (size_t)(y * width + x);
            pixels.mask[i] = !(holes && x == first + 1 && x < end - 1);
            ((uint8_t *)pixels.pixels)[i] = pixels.mask[i] ? (uint8_t)kit_next(r) : 0;
            pixels.count += pixels.mask[i];
        }
    }
    xncc_pose_probe probe = { .of = pixels };
    CHECK_STATUS(xncc_pose_probe_make(loops, &probe, &kit_error), XNCC_OK);
    return probe;
}

static void check_scores(void)
{
    kit_image image = noise(0);
    kit_random r = kit_stream(10);
    xncc_running *running = NULL;
    CHECK_STATUS(xncc_running_open(1, xncc_pose_loops_of(pose_features_of(1))->running, &running,
                                   &kit_error),
                 XNCC_OK);
    for (int n = 0; n < 1200 && running; n++) {
        const xncc_pose_loops *loops = xncc_pose_loops_of(pose_features_of(n % POSE_SETS));
        const int32_t width = 1 + (int32_t)kit_below(&r, n % 2 ? 24 : 110),
                      height = 1 + (int32_t)kit_below(&r, 110), side = n % 4 ? 3 : 5,
                      right = WIDTH - width + 4, down = HEIGHT - height + 4;
        xncc_pose_probe probe = some_probe(&r, loops, width, height, n % 7 == 6);
        if (loops->multiply && width >= XNCC_PROBE_STEP && height > 9)
            CHECK((probe.steps > 0) == (n % 7 != 6));
        const int32_t x = (int32_t)kit_below(&r, (uint64_t)right) - 3,
                      y = (int32_t)kit_below(&r, (uint64_t)down) - 3;
        for (int k = 0; k < 3; k++) {
            const xncc_probe_block block = { x + k, y, side,
                                             k ? (uint32_t)kit_next(&r) : XNCC_PROBE_ALL };
            double got[XNCC_PROBE_FAR] = { 0 }, want[XNCC_PROBE_FAR] = { 0 };
            xncc_pose_probe_scores(&probe, loops, &image.view, running, &block, got);
            xncc_pose_probe_scores(&probe, loops, &image.view, NULL, &block, want);
            CHECK(memcmp(got, want, sizeof got) == 0);
        }
        xncc_pose_probe_clear(&probe);
    }
    xncc_free(running);
    kit_image_destroy(&image);
}

void check_running(void)
{
    for (int set = 0; set < POSE_SETS; set++) {
        check_sums(set, 0);
        check_sums(set, 1);
    }
    check_scores();
}
