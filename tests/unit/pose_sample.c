/* SPDX-License-Identifier: BSD-2-Clause */
/* Probes that are made by steps alone against those made of pixels. */
#include "unit/pose.h"

#include "base/memory.h"
#include "cpu/cpu.h"
#include "pose/store.h"

#include <math.h>
#include <string.h>

enum { WIDTH = 420, HEIGHT = 400, MOST_SIDE = 400 };

static void fill(kit_random *r, kit_image *image)
{
    const xncc_image *v = &image->view;
    for (int32_t y = 0; y < v->height; y++)
        for (int32_t x = 0; x < v->width; x++)
            ((uint8_t *)(uintptr_t)v->data)[y * v->pitch + x] = (uint8_t)kit_next(r);
}

/* Writes the pixels that the steps of a probe have, and checks that no step leaves the window. */
static void spread(const xncc_pose_probe *p, int32_t *pixels)
{
    const int32_t width = p->of.width;
    memset(pixels, 0, (size_t)width * (size_t)p->of.height * sizeof *pixels);
    for (int32_t k = 0; k < p->steps; k++) {
        const int32_t y = p->place[2 * k], x = p->place[2 * k + 1];
        if (!CHECK(y >= 0 && y < p->of.height && x >= 0 && x + XNCC_PROBE_STEP <= width))
            return;
        for (int32_t i = 0; i < XNCC_PROBE_STEP; i++)
            pixels[y * width + x + i] += p->word[k * XNCC_PROBE_STEP + i];
    }
}

/* The scores of a block near some place, at the edge of the image or beyond it now and then. */
static void check_scores(kit_random *r, const xncc_image *image, xncc_running *running,
                         const xncc_pose_loops *loops, const xncc_pose_probe *probe,
                         const xncc_pose_probe *plain)
{
    const int32_t side = kit_below(r, 2) ? XNCC_PROBE_SIDE : XNCC_PROBE_FAR_SIDE,
                  right = WIDTH - probe->of.width + side, down = HEIGHT - probe->of.height + side;
    const xncc_probe_block block = { (int32_t)kit_below(r, (uint64_t)right) - side + 1,
                                     (int32_t)kit_below(r, (uint64_t)down) - side + 1, side,
                                     kit_below(r, 2) ? XNCC_PROBE_ALL : (uint32_t)kit_next(r) };
    double got[XNCC_PROBE_FAR] = { 0 }, want[XNCC_PROBE_FAR] = { 0 };
    xncc_pose_probe_scores(probe, loops, image, running, &block, got);
    xncc_pose_probe_scores(plain, &xncc_pose_loops_portable, image, NULL, &block, want);
    CHECK(memcmp(got, want, sizeof got) == 0);
}

/* Compares the probes of one place. Returns 1 if the first one has steps alone. */
static int check_place(kit_random *r, const xncc_image *image, xncc_running *running,
                       const xncc_pose_source *source, const xncc_pose_place *place)
{
    static int32_t got[MOST_SIDE * MOST_SIDE], want[MOST_SIDE * MOST_SIDE];
    xncc_pose_probe probe, plain;
    xncc_pose_source alone = *source;
    alone.quads = NULL;
    alone.loops = &xncc_pose_loops_portable;
    CHECK_STATUS(xncc_pose_probe_of(source, place, &probe, &kit_error), XNCC_OK);
    CHECK_STATUS(xncc_pose_probe_of(&alone, place, &plain, &kit_error), XNCC_OK);
    const int sampled = !probe.of.pixels;
    CHECK(probe.of.count == plain.of.count && probe.sum == plain.sum && probe.sum2 == plain.sum2);
    CHECK(memcmp(&probe.root_var, &plain.root_var, sizeof probe.root_var) == 0);
    if (sampled) {
        const size_t size = (size_t)place->width * (size_t)place->height;
        CHECK(memcmp(probe.span, plain.span, 2 * (size_t)place->height * sizeof *probe.span) == 0);
        spread(&probe, got);
        spread(&plain, want);
        CHECK(memcmp(got, want, size * sizeof *got) == 0);
        CHECK(xncc_pose_probe_bytes(&probe) < xncc_pose_probe_bytes(&plain));
    }
    for (int k = 0; k < 3; k++)
        check_scores(r, image, running, source->loops, &probe, &plain);
    xncc_pose_probe_clear(&probe);
    xncc_pose_probe_clear(&plain);
    return sampled;
}

/* An angle: a right one, one just beside it, or any. */
static double some_angle(kit_random *r)
{
    const double right = 90.0 * (double)kit_below(r, 4);
    switch (kit_below(r, 4)) {
    case 0: return right;
    case 1: return right + 1e-7 * (double)kit_below(r, 9);
    case 2: return right + 0.01 * (double)kit_below(r, 300);
    default: return 1e-6 * (double)kit_below(r, 360000000);
    }
}

/* A shift: none, one by which pixels lie where rounding begins to count them, or any. */
static double some_shift(kit_random *r)
{
    switch (kit_below(r, 3)) {
    case 0: return 0.0;
    case 1: return kit_below(r, 2) ? 1.0 / 512 : -1.0 / 512;
    default: return 0.01 * (double)kit_below(r, 100) - 0.5;
    }
}

/* Can the place be made by steps alone? Each reason why not comes up. */
static int is_fit(const xncc_pose_source *s, const xncc_pose_place *p)
{
    return !s->mask && s->width <= XNCC_PROBE_SAMPLED && s->height <= XNCC_PROBE_SAMPLED &&
           p->scale >= 1.0 && s->support == XNCC_SUPPORT_WHOLE && p->width >= XNCC_PROBE_STEP &&
           xncc_running_has_room(p->width + XNCC_PROBE_FAR_SIDE - 1,
                                 p->height + XNCC_PROBE_FAR_SIDE - 1);
}

void check_sampled(void)
{
    const kit_room room = { 5, KIT_AFTER };
    kit_image image = kit_image_create_channels(XNCC_U8, 1, WIDTH, HEIGHT, room);
    kit_random r = kit_stream(11);
    int sampled = 0, rest = 0;
    fill(&r, &image);
    for (int n = 0; n < 1500; n += kit_short() ? 4 : 1) {
        const xncc_pose_loops *loops = xncc_pose_loops_of(pose_features_of(n % POSE_SETS));
        const int32_t w = 1 + (int32_t)kit_below(&r, n % 11 ? 70 : 300),
                      h = 1 + (int32_t)kit_below(&r, n % 13 ? 70 : 300);
        kit_image templ = kit_image_create_channels(XNCC_U8, 1, w, h, (kit_room){ 0, KIT_AFTER });
        xncc_running *running = NULL;
        fill(&r, &templ);
        xncc_pose_store store = { .source = { .width = w,
                                              .height = h,
                                              .pixel = XNCC_U8,
                                              .channels = 1,
                                              .pixels = templ.view.data,
                                              .support = n % 9 ? XNCC_SUPPORT_WHOLE
                                                               : XNCC_SUPPORT_DISC,
                                              .loops = loops },
                                  .grid = { .angle = { .count = 1 }, .scale = { .count = 1 } },
                                  .parities = 1 };
        xncc_pose_place place = xncc_pose_place_of(&store.source, some_angle(&r),
                                                   n % 3   ? 1.0
                                                   : n % 2 ? 1.3
                                                           : 0.9);
        place.width += n % 4;
        place.height += n / 4 % 4;
        place.shift_x = some_shift(&r);
        place.shift_y = some_shift(&r);
        CHECK_STATUS(xncc_pose_store_open(&store, &kit_error), XNCC_OK);
        CHECK_STATUS(xncc_running_open(1, loops->running, &running, &kit_error), XNCC_OK);
        if (place.width <= MOST_SIDE && place.height <= MOST_SIDE) {
            const int made = check_place(&r, &image.view, running, &store.source, &place);
            CHECK(made == (loops->sample && is_fit(&store.source, &place)));
            sampled += made;
            rest += loops->sample && !made;
        }
        xncc_free(running);
        xncc_pose_store_clear(&store);
        kit_image_destroy(&templ);
    }
    CHECK(!xncc_pose_loops_of(pose_features_of(1))->sample || (sampled > 40 && rest > 20));
    kit_image_destroy(&image);
}
