/* SPDX-License-Identifier: BSD-2-Clause */
/* Poses: angles, grids, the overlap of frames and the fit, each against what geometry says; and the
 * parts in the other files of that name. */
#include "unit/pose.h"

#include "kit/pixels.h"

#include "base/memory.h"
#include "cpu/cpu.h"
#include "plan/machine.h"
#include "pose/fit.h"
#include "pose/frames.h"
#include "pose/probe.h"
#include "pose/store.h"
#include "pose/turn.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int near(double got, double want, double bound)
{
    if (fabs(got - want) <= bound)
        return CHECK(1);
    kit_fail(__FILE__, __LINE__, "%.12g, not %.12g within %g", got, want, bound);
    return 0;
}

static void check_turns(void)
{
    static const int right[4][2] = { { 1, 0 }, { 0, 1 }, { -1, 0 }, { 0, -1 } };
    kit_random r = kit_stream(1);
    for (int i = -8; i <= 8; i++) {
        const xncc_turn t = xncc_turn_of(90.0 * i);
        CHECK_INT(t.cos, right[i & 3][0] * (INT64_C(1) << XNCC_TURN_BITS));
        CHECK_INT(t.sin, right[i & 3][1] * (INT64_C(1) << XNCC_TURN_BITS));
    }
    for (int i = 0; i < 20000; i++) {
        /* an angle that is a whole number of units, so that it is not rounded */
        const double degrees = (double)kit_below(&r, UINT64_C(1) << 33) * (360.0 / 4294967296.0) -
                               360.0;
        const xncc_turn t = xncc_turn_of(degrees);
        const long double radians = (long double)degrees * 3.14159265358979323846264338328L /
                                    180.0L;
        near((double)t.cos, (double)(cosl(radians) * 0x1p30L), 0.5001);
        near((double)t.sin, (double)(sinl(radians) * 0x1p30L), 0.5001);
    }
}

static xncc_pose_grid grid_of(double first, double last, double step, int width, int height)
{
    xncc_pose_options o = XNCC_POSE_OPTIONS_INIT;
    xncc_pose_grid grid;
    const xncc_pose_source source = { .width = width, .height = height };
    o.angles = (xncc_pose_range){ first, last, step };
    CHECK_STATUS(xncc_pose_ranges_check(&o, NULL), XNCC_OK);
    CHECK_STATUS(xncc_pose_grid_make(&o, &source, &grid, NULL), XNCC_OK);
    return grid;
}

static void check_grids(void)
{
    /* The default step turns no corner by more than a pixel, and no narrower one is needed. */
    for (int side = 4; side < 200; side += 7) {
        const xncc_pose_grid g = grid_of(0, 360, XNCC_AUTO, side, 2 * side);
        const double corner = 0.5 * hypot(side, 2 * side),
                     arc = corner * g.angle.step * 3.14159265358979 / 180.0;
        CHECK(arc <= 1.0 && arc > 1.0 - 4.0 / (g.angle.count - 4));
        CHECK(g.angle.circular && g.angle.count % 4 == 0);
        near(g.angle.count * g.angle.step, 360.0, 1e-9);
    }
    xncc_pose_axis a = grid_of(-30, 30, 5, 20, 20).angle;
    CHECK(a.count == 13 && !a.circular && xncc_pose_value(&a, 12) == 30.0);
    CHECK(xncc_pose_index(&a, 13) == -1 && xncc_pose_index(&a, -1) == -1);
    a = grid_of(0, 360, 90, 20, 20).angle;
    CHECK(a.count == 4 && a.circular && xncc_pose_index(&a, -1) == 3);
    a = grid_of(0, 360, 100, 20, 20).angle;
    CHECK(a.count == 4 && !a.circular && xncc_pose_value(&a, 3) == 300.0);
    a = grid_of(12, 12, XNCC_AUTO, 20, 20).angle;
    CHECK(a.count == 1 && a.first == 12.0);
    a = grid_of(0, 0.9, 0.1, 20, 20).angle; /* 0.9 / 0.1 is a little below 9 */
    CHECK_INT(a.count, 10);
}

static xncc_pose_frame frame(double x, double y, double degrees, double width, double height)
{
    const xncc_turn t = xncc_turn_of(degrees);
    return (xncc_pose_frame){
        x, y, (double)t.cos * 0x1p-30, (double)t.sin * 0x1p-30, 0.5 * width, 0.5 * height
    };
}

/* The overlap by counting points, some 4e4 of them. */
static double counted(const xncc_pose_frame *a, const xncc_pose_frame *b)
{
    const xncc_pose_frame *both[2] = { a, b };
    long shared = 0, any = 0;
    for (int i = 0; i < 400; i++)
        for (int j = 0; j < 400; j++) {
            int in[2];
            for (int k = 0; k < 2; k++) {
                const double dx = -20.0 + 0.1 * i + 0.05 - both[k]->x,
                             dy = -20.0 + 0.1 * j + 0.05 - both[k]->y;
                in[k] = fabs(both[k]->cos * dx - both[k]->sin * dy) <= both[k]->half_width &&
                        fabs(both[k]->sin * dx + both[k]->cos * dy) <= both[k]->half_height;
            }
            shared += in[0] && in[1];
            any += in[0] || in[1];
        }
    return any ? (double)shared / (double)any : 0.0;
}

static void check_overlaps(void)
{
    const xncc_pose_frame unit = frame(3, -2, 0, 2, 2);
    const xncc_pose_frame other[] = { frame(3, -2, 0, 2, 2),   frame(3, -2, 90, 2, 2),
                                      frame(3, -2, 45, 2, 2),  frame(4, -2, 0, 2, 2),
                                      frame(5, -2, 0, 2, 2),   frame(50, -2, 33, 2, 2),
                                      frame(3, -2, 180, 8, 2), frame(3, -2, 77, 20, 20) };
    const double want[] = { 1,    1,   2 * (sqrt(2) - 1) / (2 - 2 * (sqrt(2) - 1)), 1 / 3.0, 0, 0,
                            0.25, 0.01 };
    for (int i = 0; i < 8; i++) {
        near(xncc_pose_overlap(&unit, &other[i]), want[i], 1e-7);
        near(xncc_pose_overlap(&other[i], &unit), want[i], 1e-7);
    }
    kit_random r = kit_stream(2);
    for (int i = 0; i < 40; i++) {
        const xncc_pose_frame a = frame(kit_between(&r, -3, 3), kit_between(&r, -3, 3),
                                        kit_between(&r, 0, 359), kit_between(&r, 2, 14),
                                        kit_between(&r, 2, 14)),
                              b = frame(kit_between(&r, -5, 5), kit_between(&r, -5, 5),
                                        kit_between(&r, 0, 359), kit_between(&r, 2, 14),
                                        kit_between(&r, 2, 14));
        near(xncc_pose_overlap(&a, &b), counted(&a, &b), 0.03);
    }
}

/* A quadratic with its peak at `at` must be found exactly. */
static void check_fits(void)
{
    static const double bend[4][4] = {
        { -2, 0.5, 0.25, 0 }, { 0.5, -1, 0, 0.25 }, { 0.25, 0, -3, 0.5 }, { 0, 0.25, 0.5, -1.5 }
    };
    static const double at[4] = { 0.25, -0.5, 0.375, 0.125 };
    for (int axes = 2; axes <= 4; axes++) {
        double score[XNCC_FIT_POINTS], far[2][2];
        int points = 1;
        for (int k = 0; k < axes; k++)
            points *= 3;
        for (int p = 0; p < points; p++) {
            double d[4], sum = 0.0;
            for (int k = 0, rest = p; k < axes; k++, rest /= 3)
                d[k] = rest % 3 - 1 - at[k];
            for (int i = 0; i < axes; i++)
                for (int j = 0; j < axes; j++)
                    sum += 0.5 * d[i] * bend[i][j] * d[j];
            score[p] = 7.0 + sum;
        }
        for (int p = 0; p < 4; p++) { /* two steps away, and none */
            double sum = 0.0, d[4];
            for (int k = 0; k < axes; k++)
                d[k] = (k == p / 2 ? 4 * (p % 2) - 2 : 0) - at[k];
            for (int i = 0; i < axes; i++)
                for (int j = 0; j < axes; j++)
                    sum += 0.5 * d[i] * bend[i][j] * d[j];
            far[p / 2][p % 2] = 7.0 + sum;
        }
        for (int with = 1; with >= 0; with--) {
            const xncc_pose_fit fit = xncc_pose_fit_peak(score, (const double(*)[2])far, axes);
            CHECK(fit.found);
            near(fit.score, 7.0, 1e-12);
            for (int k = 0; k < axes; k++)
                near(fit.at[k], at[k], 1e-12);
            far[1][0] = far[0][1] = NAN;
        }
        for (int p = 0; p < points; p++) /* a valley has no peak */
            score[p] = -score[p];
        CHECK(!xncc_pose_fit_peak(score, (const double(*)[2])far, axes).found);
        score[0] = score[points / 2 + 1] = NAN;
        CHECK(!xncc_pose_fit_peak(score, (const double(*)[2])far, axes).found);
    }
}

uint32_t pose_features_of(int set)
{
    const uint32_t most[POSE_SETS] = { 0, XNCC_CPU_AVX2_FMA, ~0u };
    return xncc_cpu_features() & most[set];
}

/* The sums of windows that begin at image + from[i], by each instruction set, against a plain loop.
 */
static void check_probe(const xncc_pose_probe *p, const uint8_t *image, int64_t pitch,
                        const int64_t *from, int32_t count)
{
    xncc_probe_sums want[XNCC_PROBE_FAR] = { { 1, 2, 3 } };
    for (int w = 0; w < count; w++)
        for (int32_t y = 0; y < p->of.height; y++)
            for (int32_t x = p->span[2 * y]; x < p->span[2 * y + 1]; x++) {
                const size_t at = (size_t)y * (size_t)p->of.width + (size_t)x;
                const uint64_t v = p->of.mask[at] ? image[from[w] + y * pitch + x] : 0;
                want[w].S += v;
                want[w].Q += v * v;
                want[w].X += v * ((const uint8_t *)p->of.pixels)[at];
            }
    for (int k = 0; k < POSE_SETS; k++) {
        xncc_probe_sums got[XNCC_PROBE_FAR] = { { 1, 2, 3 } };
        xncc_pose_loops_of(pose_features_of(k))->add(p, image, pitch, from, count, got);
        CHECK(memcmp(got, want, sizeof got) == 0);
    }
}

/* What a probe is made of, by each instruction set, against plain loops. */
static void check_prepared(void)
{
    kit_random r = kit_stream(5);
    for (int n = 0; n < 600; n++) {
        const int32_t width = 1 + (int32_t)kit_below(&r, n % 3 ? 200 : 20),
                      height = 1 + (int32_t)kit_below(&r, 9);
        const size_t size = (size_t)width * (size_t)height;
        const uint64_t often = n % 4 ? 2 : 40; /* most rows are empty */
        for (int k = 0; k < POSE_SETS; k++) {
            xncc_pose_pixels pixels = { .width = width,
                                        .height = height,
                                        .pixels = xncc_alloc(size, 1),
                                        .mask = xncc_alloc(size, 1) };
            kit_random same = kit_stream(100 + (uint64_t)n);
            uint64_t sum = 0, sum2 = 0;
            for (size_t i = 0; i < size; i++) {
                const uint8_t v = (uint8_t)kit_next(&same);
                pixels.mask[i] = kit_below(&same, often) == 0;
                ((uint8_t *)pixels.pixels)[i] = pixels.mask[i] ? v : 0;
                pixels.count += pixels.mask[i];
                sum += pixels.mask[i] ? v : 0;
                sum2 += pixels.mask[i] ? (uint64_t)v * v : 0;
            }
            xncc_pose_probe probe = { .of = pixels };
            CHECK_STATUS(
                xncc_pose_probe_make(xncc_pose_loops_of(pose_features_of(k)), &probe, &kit_error),
                XNCC_OK);
            CHECK(probe.sum == sum && probe.sum2 == sum2);
            same = kit_stream(100 + (uint64_t)n);
            for (int32_t y = 0; y < height; y++) {
                int32_t first = width, end = 0, wrong = 0;
                for (int32_t x = 0; x < width; x++) {
                    (void)kit_next(&same);
                    const int counts = kit_below(&same, often) == 0;
                    wrong += probe.of.mask[y * width + x] != (counts ? 255 : 0);
                    first = counts && x < first ? x : first;
                    end = counts ? x + 1 : end;
                }
                CHECK_INT(wrong, 0);
                CHECK(probe.span[2 * y + 1] - probe.span[2 * y] == (end ? end - first : 0));
                CHECK(end == 0 || probe.span[2 * y] == first);
            }
            xncc_pose_probe_clear(&probe);
        }
    }
}

/* Rows of every length, aligned and not, whose neighbours must not be read: a guard page follows
 * the image. */
static void check_rows(void)
{
    static uint8_t templ[1500], mask[1500];
    kit_random r = kit_stream(3);
    for (int n = 0; n < 500; n += kit_short() ? 3 : 1) {
        const int32_t across = 1 + n % 5, down = across == 3 ? 3 : 1 + n % 2, all = across * down,
                      windows = 1 + n / 5 % XNCC_PROBE_FAR;
        const int32_t height = 3 - n % 3, rows = height + down - 1;
        int32_t span[6] = { 0, n, n / 3, n - n / 4, n / 5, n };
        const xncc_pose_probe probe = {
            .of = { .width = n, .height = height, .pixels = templ, .mask = mask }, .span = span
        };
        kit_image image = kit_image_create_channels(XNCC_U8, 1, n + 4 + across - 1, rows,
                                                    (kit_room){ n % 7, KIT_AFTER });
        uint8_t *pixels = (uint8_t *)(uintptr_t)image.view.data;
        for (int i = 0; i < 1500; i++) {
            templ[i] = n % 3 ? (uint8_t)kit_next(&r) : 255;
            mask[i] = n % 5 == 4 && kit_below(&r, 2) ? 0 : 255;
        }
        for (int y = 0; y < rows; y++)
            for (int x = 0; x < image.view.width; x++)
                pixels[y * image.view.pitch + x] = n % 3 ? (uint8_t)kit_next(&r) : 255;
        int64_t from[XNCC_PROBE_FAR]; /* all of a block first */
        for (int w = 0; w < XNCC_PROBE_FAR; w++) {
            const int at = w < all ? w : (int)kit_below(&r, (uint64_t)all);
            from[w] = at / across * image.view.pitch + at % across;
        }
        check_probe(&probe, pixels + image.view.width - (n + across - 1), image.view.pitch, from,
                    windows > all ? windows : all);
        kit_image_destroy(&image);
    }
}

/* More pixels than sums of 32 bits hold, all of the largest value. */
static void check_large_probe(void)
{
    enum { WIDTH = XNCC_MAX_POSE_SIDE, HEIGHT = 40 };
    int32_t span[2 * HEIGHT];
    uint8_t *const bytes = malloc((size_t)WIDTH * HEIGHT);
    if (!CHECK(bytes != NULL))
        return;
    memset(bytes, 255, (size_t)WIDTH * HEIGHT);
    for (int y = 0; y < HEIGHT; y++) {
        span[2 * y] = 0;
        span[2 * y + 1] = WIDTH - y % 17;
    }
    const xncc_pose_probe probe = {
        .of = { .width = WIDTH, .height = HEIGHT, .pixels = bytes, .mask = bytes }, .span = span
    };
    check_probe(&probe, bytes, WIDTH, &(int64_t){ 0 }, 1);
    free(bytes);
}

/* Resampled rows of bytes by each instruction set, from a template that ends at a guard page. */
static void check_byte_rows(void)
{
    kit_random r = kit_stream(4);
    for (int n = 0; n < 400; n += kit_short() ? 4 : 1) {
        const int32_t w = 1 + (int32_t)kit_below(&r, n % 4 ? 60 : 4),
                      h = 1 + (int32_t)kit_below(&r, n % 4 ? 60 : 4);
        const kit_room room = { 0, KIT_AFTER };
        kit_image image = kit_image_create_channels(XNCC_U8, 1, w, h, room);
        kit_image mask = kit_image_create_channels(XNCC_U8, 1, w, h, room);
        for (int i = 0; i < w * h; i++) {
            ((uint8_t *)(uintptr_t)image.view.data)[i] = (uint8_t)kit_next(&r);
            ((uint8_t *)(uintptr_t)mask.view.data)[i] = kit_below(&r, 9) > 0;
        }
        xncc_pose_source source = { .width = w,
                                    .height = h,
                                    .pixel = XNCC_U8,
                                    .channels = 1,
                                    .pixels = image.view.data,
                                    .mask = n % 3 ? NULL : mask.view.data,
                                    .support = n % 5 ? XNCC_SUPPORT_WHOLE : XNCC_SUPPORT_DISC };
        xncc_pose_place place = xncc_pose_place_of(&source, n % 7 ? n * 13.7 : 90.0 * n,
                                                   n % 2 ? 1.0 : 1.0 + 0.01 * n);
        place.shift_x = 0.01 * (n % 50);
        place.width += n % 3;
        xncc_pose_store store = { .source = source,
                                  .grid = { .angle = { .count = 1 }, .scale = { .count = 1 } },
                                  .parities = 1 };
        CHECK_STATUS(xncc_pose_store_open(&store, &kit_error), XNCC_OK);
        CHECK((store.source.quads != NULL) == (source.mask == NULL));
        xncc_pose_pixels want, got;
        source.loops = &xncc_pose_loops_portable;
        CHECK_STATUS(xncc_pose_resample(&source, &place, &want, &kit_error), XNCC_OK);
        const size_t size = (size_t)place.width * (size_t)place.height;
        for (int k = 1; k < 2 * POSE_SETS; k++) { /* without quads, then with them */
            xncc_pose_source *from = k < POSE_SETS ? &source : &store.source;
            from->loops = xncc_pose_loops_of(pose_features_of(k % POSE_SETS));
            CHECK_STATUS(xncc_pose_resample(from, &place, &got, &kit_error), XNCC_OK);
            CHECK(got.count == want.count && memcmp(got.mask, want.mask, size) == 0 &&
                  memcmp(got.pixels, want.pixels, size) == 0);
            xncc_pose_pixels_clear(&got);
        }
        xncc_pose_pixels_clear(&want);
        xncc_pose_store_clear(&store);
        kit_image_destroy(&image);
        kit_image_destroy(&mask);
    }
}

int main(int argc, char **argv)
{
    kit_start(argc, argv);
    const xncc_device device = kit_device_option(argc, argv);
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "--wide") == 0 && !(xncc_cpu_features() & XNCC_CPU_AVX512_VNNI))
            kit_skip("the processor has no AVX-512 VNNI");
    xncc_context *context = kit_context(device, 3);
    check_turns();
    check_grids();
    check_overlaps();
    check_fits();
    check_rows();
    check_running();
    check_prepared();
    check_large_probe();
    check_byte_rows();
    check_sampled();
    check_levels();
    check_sieve();
    check_climb(context);
    check_resampling(context);
    check_searches(context, device);
    check_sizes(context, device);
    check_many(context, device);
    xncc_context_destroy(context);
    return kit_finish("poses");
}
