/* SPDX-License-Identifier: BSD-2-Clause */
/* Maps of floats that are one block, which all threads fill together: any number of threads writes
 * the same bits, and windows score as in a smaller image, by a kernel without transforms. */
#include "cpu/kernels/reals_run.h"
#include "kit/oracle_general.h"
#include "plan/fft_blocking.h"

#include <math.h>
#include <string.h>

enum { WIDTH = 560, HEIGHT = 540, TEMPL_WIDTH = 262, TEMPL_HEIGHT = 250 };

typedef enum kind {
    NOISE,
    BRIGHT,  /* the same beside a bright strip, so that very many windows are in doubt */
    LOW,     /* the same above bright rows */
    UNITS,   /* multiples of 1/4 above, of 1/1024 below */
    SPOILT,  /* noise with a NaN at the bottom */
    FLAT,    /* noise above, one value below */
    STRIPES, /* rows far apart above, noise below, under columns of one size: all windows cancel */
    KINDS
} kind;

static const char *const kind_name[] = { "noise",  "bright", "low",    "units",
                                         "spoilt", "flat",   "stripes" };

static double sample(kind k, int32_t x, int32_t y, kit_random *random)
{
    const double noise = (double)kit_below(random, 1 << 20) * 0x1p-20;
    switch (k) {
    case BRIGHT: return x < 8 ? 4000.0 * noise : noise;
    case LOW: return y >= HEIGHT - 20 ? 1e6 * noise : noise;
    case UNITS:
        return floor(noise * (y < HEIGHT / 2 ? 16.0 : 4096.0)) / (y < HEIGHT / 2 ? 4 : 1024);
    case SPOILT: return x == WIDTH - 90 && y == HEIGHT - 3 ? (double)NAN : noise;
    case FLAT: return y < 200 ? noise : 0.25;
    case STRIPES: return y < 420 ? ldexp(1.0 + sin(y), -33 * (y % 4)) : noise;
    default: return noise;
    }
}

static kit_image image_of(kind k, xncc_pixel pixel)
{
    kit_random random = kit_stream(1200 + (uint64_t)k);
    kit_image image = kit_image_create(pixel, WIDTH, HEIGHT, 3, KIT_AFTER);
    for (int32_t y = 0; y < HEIGHT; y++)
        for (int32_t x = 0; x < WIDTH; x++) {
            const double v = sample(k, x, y, &random);
            kit_pixel_set(&image.view, x, y, pixel == XNCC_U32 ? floor(v * 0x1p20) : v);
        }
    return image;
}

/* The rectangle of an image at (x, y). */
static kit_image part_of(const kit_image *image, int32_t x, int32_t y, int32_t width,
                         int32_t height)
{
    kit_image part = kit_image_create(image->view.pixel, width, height, 3, KIT_AFTER);
    kit_image_copy(&part.view, &image->view, x, y);
    return part;
}

static kit_map map_of(const kit_image *image, const kit_image *templ, int32_t threads,
                      const kit_options *options)
{
    xncc_context *context = kit_context(XNCC_DEVICE_CPU, threads);
    xncc_template *template = NULL;
    const int all = options->mode == XNCC_SAME;
    kit_map map = kit_map_create(image->view.width - (all ? 0 : templ->view.width - 1),
                                 image->view.height - (all ? 0 : templ->view.height - 1), 1,
                                 KIT_AFTER);
    CHECK_STATUS(xncc_template_create(context, &templ->view, &template, &kit_error), XNCC_OK);
    if (!CHECK_STATUS(kit_correlate(context, &image->view, template, options, &map.view), XNCC_OK))
        kit_give_up("%s: %s", options->kernel, kit_error.text);
    xncc_template_destroy(template);
    xncc_context_destroy(context);
    return map;
}

/* Is the map one block? */
static int is_one_block(const kit_image *image, const kit_options *options)
{
    xncc_problem p = XNCC_PROBLEM_INIT;
    p.image_width = WIDTH;
    p.image_height = HEIGHT;
    p.templ_width = TEMPL_WIDTH;
    p.templ_height = TEMPL_HEIGHT;
    p.pixel = image->view.pixel;
    p.channels = 1;
    p.rule.method = options->method;
    p.rule.mode = options->mode;
    p.rule.border = options->border;
    xncc_fft_blocking blocking;
    return xncc_fft_blocking_make(&p, &blocking) && blocking.common;
}

/* Some windows of the map must score as in a part of the image. */
static void check_part(const kit_image *image, const kit_image *templ, const kit_map *map,
                       const kit_options *options, int32_t x, int32_t y, const char *what)
{
    enum { ACROSS = 17, DOWN = 9 };
    kit_options direct = *options;
    direct.kernel = "direct-portable";
    kit_image part = part_of(image, x, y, TEMPL_WIDTH + ACROSS - 1, TEMPL_HEIGHT + DOWN - 1);
    kit_map want = map_of(&part, templ, 1, &direct);
    int same = 1;
    for (int32_t j = 0; j < DOWN; j++)
        same &= memcmp(kit_map_row(&want.view, j), kit_map_row(&map->view, y + j) + x,
                       ACROSS * sizeof(float)) == 0;
    if (!CHECK(same))
        kit_fail(__FILE__, __LINE__, "%s: %s, %s, %s: other windows at %d, %d", what,
                 xncc_pixel_name(image->view.pixel), xncc_method_name(options->method),
                 options->kernel, x, y);
    kit_map_destroy(&want);
    kit_image_destroy(&part);
}

static void check(kind k, xncc_pixel pixel, const kit_options *options)
{
    kit_image image = image_of(k, pixel),
              templ = part_of(&image, 170, 31, TEMPL_WIDTH, TEMPL_HEIGHT);
    for (int32_t y = 0; y < TEMPL_HEIGHT && k == STRIPES; y++)
        for (int32_t x = 0; x < TEMPL_WIDTH; x++)
            kit_pixel_set(&templ.view, x, y, x % 2);
    kit_map map = map_of(&image, &templ, 1, options);
    CHECK(is_one_block(&image, options));
    for (int32_t threads = 2; threads <= 7; threads += threads < 3 ? 1 : 4) {
        kit_map other = map_of(&image, &templ, threads, options);
        int same = 1;
        for (int32_t y = 0; y < map.view.height; y++)
            same &= memcmp(kit_map_row(&map.view, y), kit_map_row(&other.view, y),
                           (size_t)map.view.width * sizeof(float)) == 0;
        if (!CHECK(same))
            kit_fail(__FILE__, __LINE__, "%s: %s, %s, %s: %d threads write another map",
                     kind_name[k], xncc_pixel_name(pixel), xncc_method_name(options->method),
                     options->kernel, threads);
        kit_map_destroy(&other);
    }
    for (int32_t i = 0; i < 3 && options->mode == XNCC_VALID; i++)
        check_part(&image, &templ, &map, options, i * (WIDTH - TEMPL_WIDTH - 16) / 2,
                   i * (HEIGHT - TEMPL_HEIGHT - 8) / 2, kind_name[k]);
    kit_map_destroy(&map);
    kit_image_destroy(&image);
    kit_image_destroy(&templ);
}

/* A sample much larger than the others leaves all windows in doubt. A thread that did not score any
 * may settle those below it, and the bounds that the map before left in its memory are too small
 * for them. Digits have no room for one of 1e300, so that windows are settled one by one. */
static void check_bounds(double largest, int times)
{
    enum { ACROSS = 72, DOWN = 62, TEMPL = 6, ROWS = DOWN - TEMPL + 1, THREADS = 2 };
    const kit_options options = { .kernel = "fft-portable", .method = XNCC_CCORR_NORMED };
    kit_options direct = options;
    direct.kernel = "direct-portable";
    kit_image noise = image_of(NOISE, XNCC_F64), image = part_of(&noise, 0, 0, ACROSS, DOWN),
              spike = part_of(&noise, 0, 0, ACROSS, DOWN),
              templ = part_of(&noise, 0, 0, TEMPL, TEMPL);
    kit_pixel_set(&spike.view, 50, 40, largest);
    kit_map want = map_of(&spike, &templ, 1, &direct);
    kit_map map = kit_map_create(want.view.width, want.view.height, 1, KIT_AFTER);
    xncc_context *context = kit_context(XNCC_DEVICE_CPU, THREADS);
    xncc_template *template = NULL;
    int same = 1;
    CHECK_STATUS(xncc_template_create(context, &templ.view, &template, &kit_error), XNCC_OK);
    for (int i = 0; i < 2 * times; i++) {
        const kit_image *of = i % 2 ? &spike : &image;
        CHECK_STATUS(kit_correlate(context, &of->view, template, &options, &map.view), XNCC_OK);
        for (int32_t y = 0; y < ROWS && i % 2; y++)
            same &= memcmp(kit_map_row(&map.view, y), kit_map_row(&want.view, y),
                           (size_t)map.view.width * sizeof(float)) == 0;
    }
    CHECK(same);
    xncc_template_destroy(template);
    xncc_context_destroy(context);
    kit_map_destroy(&map);
    kit_map_destroy(&want);
    kit_image_destroy(&noise);
    kit_image_destroy(&image);
    kit_image_destroy(&templ);
    kit_image_destroy(&spike);
}

/* The largest norm of adjacent rows. */
static void check_band(void)
{
    enum { ROWS = 60 };
    kit_random random = kit_stream(1230);
    for (int32_t height = 1; height <= ROWS; height++) {
        double square[ROWS], most = 0.0, all = 0.0;
        for (int32_t y = 0; y < ROWS; y++) {
            square[y] = (double)kit_below(&random, 1000) * (kit_below(&random, 9) ? 1.0 : 1e9);
            all += square[y];
        }
        for (int32_t y = 0; y + height <= ROWS; y++) {
            double sum = 0.0;
            for (int32_t j = y; j < y + height; j++)
                sum += square[j];
            most = fmax(most, sum);
        }
        const double got = xncc_reals_band(square, ROWS, height);
        CHECK(got >= sqrt(most) && got <= 1.02 * sqrt(most + 0x1p-39 * all));
    }
}

int main(int argc, char **argv)
{
    static const xncc_method method[] = { XNCC_CCOEFF_NORMED, XNCC_SQDIFF_NORMED, XNCC_CCORR_NORMED,
                                          XNCC_CCOEFF,        XNCC_SQDIFF,        XNCC_CCORR };
    kit_start(argc, argv);
    kit_options options = { .kernel = "fft-portable" };
    check_band();
    check_bounds(1e30, 1000);
    check_bounds(1e300, 200);
    for (int k = 0; k < KINDS; k++)
        for (int i = 0; i < 2; i++) {
            options.method = i ? method[k % 6] : XNCC_CCOEFF_NORMED;
            check((kind)k, i ? XNCC_F64 : XNCC_F32, &options);
        }
    options.method = XNCC_CCOEFF_NORMED;
    check(UNITS, XNCC_U32, &options);
    options.mode = XNCC_SAME;
    options.border = XNCC_BORDER_MIRROR;
    check(NOISE, XNCC_F32, &options);
    return kit_finish("together");
}
