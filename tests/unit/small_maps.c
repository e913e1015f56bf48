/* SPDX-License-Identifier: BSD-2-Clause */
/* Small maps of floats and of integers of 16 bits, which chips of a neighbourhood make together:
 * tracking by each kernel against the kernel "reference", bit for bit. */
#include "kit/kit.h"
#include "kit/pixels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 200, SIDE = 140 };

/* What the samples are. */
typedef enum picture {
    SMOOTH,  /* with many bits, if they are floats */
    WHOLE,   /* integers */
    FLAT,    /* with flat parts */
    MISSING, /* a few are no numbers */
    HUGE_SAMPLE,
    BRIGHT, /* a few outshine the others, so that errors of their products exceed a float's */
    LARGE,  /* image 2 is 10,000 times image 1, and both are far from 0 */
    EXTREME /* integers: the smallest and the largest ones */
} picture;

static double value(picture kind, int32_t x, int32_t y, int image, kit_random *random)
{
    const double smooth = 128 + 60 * sin(x / 4.3 + y / 9.1) + 40 * cos(y / 3.3 - x / 7.9) +
                          kit_between(random, -900, 900) / 97.0;
    switch (kind) {
    case WHOLE: return rint(smooth);
    case FLAT: return (x / 40 + y / 30) % 2 ? 77.0 : smooth;
    case MISSING:
        return x % 71 == 33 && y % 67 == 40 ? (y % 2 ? (double)NAN : (double)INFINITY) : smooth;
    case HUGE_SAMPLE: return x % 71 == 33 && y % 67 == 40 ? 1e30 : smooth;
    case BRIGHT: return x % 71 == 33 && y % 67 == 40 ? 1e12 : smooth;
    case LARGE: return (smooth + 1000) * (image ? 10000 : 1);
    case EXTREME: return kit_below(random, 2) ? 1e9 : -1e9;
    case SMOOTH: break;
    }
    return smooth;
}

static double within(xncc_pixel pixel, double v)
{
    const double low = pixel == XNCC_S16  ? -32768
                       : pixel == XNCC_S8 ? -128
                                          : 0,
                 high = pixel == XNCC_U16   ? 65535
                        : pixel == XNCC_S16 ? 32767
                                            : 127;
    v = rint(v);
    return v < low ? low : v > high ? high : v;
}

static kit_image make(xncc_pixel pixel, picture kind, int image, kit_random *random)
{
    const int is_float = pixel == XNCC_F32 || pixel == XNCC_F64;
    kit_image made = kit_image_create(pixel, SIDE, SIDE, 3, KIT_AFTER);
    for (int32_t y = 0; y < SIDE; y++)
        for (int32_t x = 0; x < SIDE; x++) {
            const double v = value(kind, x + 3 * image, y - 2 * image, image, random);
            kit_pixel_set(&made.view, x, y, is_float ? v : within(pixel, v));
        }
    return made;
}

/* Points on a grid, or anywhere with predictions that differ. */
static size_t make_points(int step, kit_random *random, xncc_track_point *point)
{
    size_t count = 0;
    for (int i = 0; i < MOST && !step; i++)
        point[count++] = (xncc_track_point){ kit_between(random, 0, SIDE),
                                             kit_between(random, 0, SIDE),
                                             kit_between(random, -6, 6),
                                             kit_between(random, -6, 6) };
    for (int y = 0; y < SIDE && step; y += step)
        for (int x = 0; x < SIDE && count < MOST; x += step)
            point[count++] = (xncc_track_point){ x, y, 0, 0 };
    return count;
}

static void check(const xncc_pixel pixel, picture kind, const xncc_track_options *options, int step,
                  kit_random *random)
{
    static const char *const kernels[] = { "direct-portable", "direct-avx2", "direct-avxvnni",
                                           "direct-avx512",   "fft-avx2",    "direct-neon" };
    static xncc_track_point point[MOST];
    static xncc_displacement want[MOST], got[MOST];
    xncc_context *context = kit_context(XNCC_DEVICE_CPU, 2);
    kit_image first = make(pixel, kind, 0, random), second = make(pixel, kind, 1, random);
    const xncc_track_pair pair[2] = { { &first.view, &second.view },
                                      { &second.view, &first.view } };
    const size_t count = make_points(step, random, point), pairs = step == 7 ? 2 : 1;
    xncc_track_options o = *options;
    o.kernel = "reference";
    CHECK_STATUS(xncc_track(context, pair, pairs, &o, point, count, want, &kit_error), XNCC_OK);
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
        o.kernel = kernels[i];
        memset(got, 0x5a, sizeof got);
        const xncc_status status = xncc_track(context, pair, pairs, &o, point, count, got,
                                              &kit_error);
        if (status == XNCC_ERROR_UNSUPPORTED) /* by this processor, or for this type */
            continue;
        CHECK_STATUS(status, XNCC_OK);
        for (size_t k = 0; k < count; k++)
            CHECK(memcmp(&got[k], &want[k], sizeof got[k]) == 0);
    }
    kit_image_destroy(&first);
    kit_image_destroy(&second);
    xncc_context_destroy(context);
}

static xncc_track_options options_of(int32_t width, int32_t height, int32_t search_x,
                                     int32_t search_y)
{
    xncc_track_options o = XNCC_TRACK_OPTIONS_INIT;
    o.chip_width = width;
    o.chip_height = height;
    o.search_x = search_x;
    o.search_y = search_y;
    return o;
}

/* Every type and picture, methods, points on grids and anywhere, and ensembles. */
static void check_pictures(kit_random *random)
{
    static const xncc_pixel pixels[] = { XNCC_U16, XNCC_S16, XNCC_S8, XNCC_F32, XNCC_F64 };
    static const int steps[] = { 11, 0, 7, 29 };
    for (int p = 0; p < 5; p++)
        for (int kind = SMOOTH; kind <= EXTREME; kind++) {
            xncc_track_options o = options_of(kit_between(random, 4, 12),
                                              kit_between(random, 4, 12), kit_between(random, 1, 4),
                                              kit_between(random, 1, 4));
            o.method = kind == LARGE ? XNCC_CCOEFF_NORMED : (xncc_method)((p + kind) % 4);
            if (kind == FLAT || kind == HUGE_SAMPLE || kind == BRIGHT)
                o.method = XNCC_CCOEFF_NORMED;
            o.back = kind == WHOLE;
            check(pixels[p], (picture)kind, &o, steps[(p + kind) % 4], random);
        }
}

/* Transforms of every side, and chips that fill the largest one. */
static void check_sides(kit_random *random)
{
    static const int32_t sides[][4] = { { 32, 32, 16, 16 },  { 17, 40, 8, 3 },  { 50, 9, 14, 12 },
                                        { 100, 90, 14, 19 }, { 90, 20, 20, 6 }, { 1, 1, 2, 3 },
                                        { 30, 61, 1, 2 } };
    for (size_t i = 0; i < sizeof sides / sizeof *sides; i++) {
        const xncc_track_options o = options_of(sides[i][0], sides[i][1], sides[i][2], sides[i][3]);
        check(XNCC_U16, i % 2 ? EXTREME : SMOOTH, &o, 61, random);
        check(XNCC_S16, WHOLE, &o, i == 0 ? 31 : 57, random);
    }
    const xncc_track_options o = options_of(32, 32, 12, 12);
    check(XNCC_F32, SMOOTH, &o, 53, random);
}

int main(int argc, char **argv)
{
    kit_start(argc, argv);
    kit_random random = kit_stream(67);
    check_pictures(&random);
    check_sides(&random);
    return kit_finish("small_maps");
}
