/* SPDX-License-Identifier: BSD-2-Clause */
/* Pictures of f32 and f64 that leave windows in doubt, most of them or those of a patch, take at
 * most 20 times as long on a GPU as others, for the sizes of image and template below; what takes
 * longer is known, and has limits of its own. Samples of f32 are within 2^128 of each other, those
 * of f64 within 2^100.
 *
 * The bound is one of times, so nothing else may use the device meanwhile. Devices with less memory
 * than those that the costs are fitted to are not tested. */
#include "kit/device.h"
#include "kit/kit.h"
#include "kit/process.h"

#include <math.h>
#include <stdio.h>

enum { WIDEST = 4096, REPEATS = 5 };

typedef enum picture {
    USUAL,   /* grey levels of 8 bits, divided by 255 */
    STRIPES, /* rows in the image, columns in the template: numerators are 0 */
    APART,   /* the same, with all bits of a sample, as far apart as may be */
    PATCH,   /* usual, but for a corner that is APART, as the template is */
    PICTURES
} picture;
static const char *const names[PICTURES] = { "usual", "stripes", "apart", "patch" };

/* Number k of those that are far apart. */
static double far_apart(xncc_pixel pixel, int32_t k)
{
    static const int exponent[2][4] = { { 100, 57, 15, -27 }, { 0, -33, -66, -99 } };
    kit_random random = kit_stream(1000 + (uint64_t)k);
    const double bits = 1.0 + (double)(kit_next(&random) >> 12) * 0x1p-52;
    return ldexp(pixel == XNCC_F64 ? bits : (double)(float)bits,
                 exponent[pixel == XNCC_F64][k & 3]);
}

static double usual(int32_t x, int32_t y, kit_random *random)
{
    const double wave = 80.0 * sin(x / 37.0) * cos(y / 53.0) + 20.0 * sin((x + y) / 5.0);
    return floor(120.0 + wave + (double)kit_below(random, 16)) / 255.0;
}

/* Makes an image, or a template that is not usual. patch: the side of the corner. */
static kit_image make(picture of, xncc_pixel pixel, int32_t side, int32_t patch, int is_templ)
{
    static double line[WIDEST];
    kit_random random = kit_stream(1);
    kit_image image = kit_image_create(pixel, side, side, 0, KIT_AFTER);
    for (int32_t k = 0; k < side; k++)
        line[k] = of == STRIPES ? (k / 2 % 2 ? 0.7 : 0.1) : far_apart(pixel, k);
    for (int32_t y = 0; y < side; y++)
        for (int32_t x = 0; x < side; x++) {
            const int hostile = is_templ || of == STRIPES || of == APART ||
                                (of == PATCH && x < patch && y < patch);
            kit_sample_set(&image.view, x, y, 0,
                           hostile ? line[is_templ ? x : y] : usual(x, y, &random));
        }
    return image;
}

/* How many times the usual time a picture may take. A template of f32 that is APART leaves all
 * windows of a usual picture in doubt, and few numerators are 0 then, so that scores of exact sums
 * take longer. Under 17 columns, blocks of 512 just fail to cover a map with eight. */
static double limit_of(picture of, xncc_pixel pixel, int32_t side, int32_t n)
{
    if (of == PATCH && pixel == XNCC_F32 && side >= 2048)
        return n < 64 ? 28.0 : 24.0;
    return side == 4096 && n == 17 ? 21.5 : 20.0;
}

static int is_done(xncc_status status, const xncc_error *error)
{
    if (!CHECK_STATUS(status, XNCC_OK))
        printf("%s\n", error->text);
    return status == XNCC_OK;
}

/* Milliseconds of a call, the least of some. */
static double time_of(xncc_context *gpu, const xncc_image *image, const xncc_image *templ,
                      xncc_map *map, xncc_stream stream)
{
    xncc_error error;
    xncc_template *made = NULL;
    xncc_plan *plan = NULL;
    xncc_problem problem = XNCC_PROBLEM_INIT;
    xncc_preference preference = XNCC_PREFERENCE_INIT;
    preference.device = XNCC_DEVICE_CUDA;
    preference.image_memory = preference.map_memory = XNCC_DEVICE;
    double best = INFINITY;
    if (!is_done(xncc_template_create(gpu, templ, &made, &error), &error) ||
        !is_done(xncc_problem_set(&problem, image, made, &error), &error) ||
        !is_done(xncc_plan_create(gpu, &problem, &preference, &plan, &error), &error))
        best = NAN;
    for (int i = 0; i < REPEATS && !isnan(best); i++) {
        const double start = kit_seconds();
        if (!is_done(xncc_plan_correlate(plan, image, made, map, stream, &error), &error) ||
            !CHECK(kit_device_wait(stream)))
            best = NAN;
        else
            best = fmin(best, 1e3 * (kit_seconds() - start));
    }
    xncc_plan_destroy(plan);
    xncc_template_destroy(made);
    return best;
}

/* Checks the times of a picture under templates of these sizes against those of a usual one, which
 * are kept if it is one. */
static void time_picture(xncc_context *gpu, picture of, xncc_pixel pixel, int32_t side,
                         int32_t patch, const int32_t *sizes, double *usual_ms)
{
    kit_image image = make(of, pixel, side, patch, 0);
    const size_t bytes = (size_t)side * (size_t)side * (pixel == XNCC_F64 ? 8 : 4);
    xncc_stream stream = kit_device_stream();
    void *memory = kit_device_alloc(bytes),
         *scores = kit_device_alloc((size_t)side * (size_t)side * 4);
    const int ready = CHECK(memory && scores) &&
                      CHECK(kit_device_upload(memory, image.view.data, bytes));
    for (int i = 0; ready && sizes[i]; i++) {
        const int32_t n = sizes[i];
        kit_image templ = make(of == PATCH ? APART : of, pixel, n, 0, of != USUAL);
        xncc_image view = image.view;
        view.data = memory;
        view.memory = XNCC_DEVICE;
        xncc_map map = {
            .data = scores, .width = side - n + 1, .height = side - n + 1, .memory = XNCC_DEVICE
        };
        const double ms = time_of(gpu, &view, &templ.view, &map, stream);
        if (of == USUAL)
            usual_ms[i] = ms;
        printf("%s %4d under %3d, %s %d: %.3f ms, %.1f times\n", xncc_pixel_name(pixel), (int)side,
               (int)n, names[of], (int)patch, ms, ms / usual_ms[i]);
        if (of != USUAL)
            CHECK(ms <= limit_of(of, pixel, side, n) * usual_ms[i]);
        kit_image_destroy(&templ);
    }
    kit_device_free(memory);
    kit_device_free(scores);
    kit_device_stream_destroy(stream);
    kit_image_destroy(&image);
}

int main(int argc, char **argv)
{
    enum { MOST_SIZES = 12 };
    static const struct {
        int32_t side, patch[3], sizes[MOST_SIZES];
    } cases[] = {
        { 100, { 50 }, { 8, 17, 32, 64 } },
        { 128, { 60 }, { 8, 17, 24, 32, 64 } },
        { 256, { 100 }, { 8, 16, 17, 24, 48, 100, 200 } },
        { 512, { 64, 200 }, { 8, 16, 24, 64, 200, 400 } },
        { 1024, { 64, 300 }, { 8, 16, 24, 64, 128, 256, 600 } },
        { 2048, { 128, 500 }, { 8, 16, 24, 64, 128, 256, 400, 800 } },
        { 4096, { 300, 500, 800 }, { 3, 8, 16, 17, 24, 32, 64, 128, 256, 400, 700 } },
    };
    kit_start(argc, argv);
    xncc_context *gpu = kit_context(XNCC_DEVICE_CUDA, 1);
    if (kit_device_free_bytes() < (size_t)64 << 30)
        kit_skip("the device has less free memory than those that the costs are fitted to");
    for (int f64 = 0; f64 < 2; f64++)
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            const xncc_pixel pixel = f64 ? XNCC_F64 : XNCC_F32;
            double usual_ms[MOST_SIZES];
            for (int of = USUAL; of < PATCH; of++)
                time_picture(gpu, (picture)of, pixel, cases[i].side, 0, cases[i].sizes, usual_ms);
            for (int k = 0; k < 3 && cases[i].patch[k]; k++)
                time_picture(gpu, PATCH, pixel, cases[i].side, cases[i].patch[k], cases[i].sizes,
                             usual_ms);
        }
    xncc_context_destroy(gpu);
    return kit_finish("float_times");
}
