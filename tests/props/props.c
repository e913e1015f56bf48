/* SPDX-License-Identifier: BSD-2-Clause */
/* Properties that any right answer must have, so that no second answer is needed for comparison.
 * Checked for every kernel, for 8 and 16 bits, in the methods that the kernel serves. */
#include "kit/pixels.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { WIDTH = 83, HEIGHT = 61, MOST_KERNELS = 64, METHODS = 6 };

typedef struct subject {
    xncc_context *context;
    const char *kernel;
    xncc_pixel pixel;
    kit_image image, templ;
    int32_t x, y; /* where the template was cut from */
} subject;

static kit_map map_of(const subject *s, const xncc_image *image, const xncc_image *templ,
                      const kit_options *options)
{
    int32_t more = options->mode == XNCC_VALID ? -1 : options->mode == XNCC_FULL ? 1 : 0;
    kit_map map = kit_map_create(image->width + more * (templ->width - 1),
                                 image->height + more * (templ->height - 1), 1, KIT_AFTER);
    xncc_template *template = NULL;
    kit_options forced = *options;
    forced.kernel = s->kernel;
    if (xncc_template_create(s->context, templ, &template, &kit_error) != XNCC_OK ||
        kit_correlate(s->context, image, template, &forced, &map.view) != XNCC_OK)
        kit_give_up("%s: %s", s->kernel, kit_error.text);
    xncc_template_destroy(template);
    return map;
}

/* Not every kernel serves every method. */
static int serves(const subject *s, xncc_method method)
{
    const char *kernel[MOST_KERNELS];
    xncc_problem problem = kit_problem((xncc_problem){ .pixel = s->pixel,
                                                       .image_width = WIDTH,
                                                       .image_height = HEIGHT,
                                                       .templ_width = s->templ.view.width,
                                                       .templ_height = s->templ.view.height,
                                                       .rule.method = method });
    size_t kernels = xncc_kernel_list(s->context, &problem, kernel, MOST_KERNELS);
    for (size_t k = 0; k < kernels && k < MOST_KERNELS; k++)
        if (strcmp(kernel[k], s->kernel) == 0)
            return 1;
    return 0;
}

/* Checks the score of a method at the place where the template was cut out. */
static void check_place(const subject *s, xncc_method method, float want)
{
    if (!serves(s, method))
        return;
    kit_map map = map_of(s, &s->image.view, &s->templ.view, &(kit_options){ .method = method });
    CHECK_FLOAT(kit_map_row(&map.view, s->y)[s->x], want);
    kit_map_destroy(&map);
}

/* Compares the width x height elements of b at (x, y) with those of a at (0, 0). */
static int same_region(const kit_map *a, const kit_map *b, int32_t x, int32_t y, float sign)
{
    for (int32_t j = 0; j < a->view.height; j++)
        for (int32_t i = 0; i < a->view.width; i++) {
            float u = kit_map_row(&a->view, j)[i], v = kit_map_row(&b->view, j + y)[i + x];
            if (u != sign * v && !(u != u && v != v))
                return 0;
        }
    return 1;
}

/* Returns a copy in which each pixel v is gain * v + offset. */
static kit_image changed(const kit_image *from, double gain, double offset)
{
    kit_image to = kit_image_create(from->view.pixel, from->view.width, from->view.height, 2,
                                    KIT_BEFORE);
    for (int32_t y = 0; y < from->view.height; y++)
        for (int32_t x = 0; x < from->view.width; x++)
            kit_pixel_set(&to.view, x, y, gain * kit_pixel(&from->view, x, y) + offset);
    return to;
}

/* Where the template was cut out, the score is exactly 1, for its negative exactly -1, and no score
 * is beyond these. */
static void check_self(const subject *s)
{
    kit_map map = map_of(s, &s->image.view, &s->templ.view,
                         &(kit_options){ .flat = XNCC_FLAT_NAN });
    CHECK_FLOAT(kit_map_row(&map.view, s->y)[s->x], 1.0f);
    kit_image negative = changed(&s->templ, -1.0, kit_largest(s->pixel));
    kit_map opposite = map_of(s, &s->image.view, &negative.view,
                              &(kit_options){ .flat = XNCC_FLAT_NAN });
    CHECK_FLOAT(kit_map_row(&opposite.view, s->y)[s->x], -1.0f);
    CHECK(same_region(&map, &opposite, 0, 0, -1.0f));
    int within = 1;
    for (int32_t y = 0; y < map.view.height; y++)
        for (int32_t x = 0; x < map.view.width; x++)
            within &= fabsf(kit_map_row(&map.view, y)[x]) <= 1.0f;
    CHECK(within);
    check_place(s, XNCC_CCORR_NORMED, 1.0f);
    check_place(s, XNCC_SQDIFF, 0.0f);
    kit_map_destroy(&map);
    kit_map_destroy(&opposite);
    kit_image_destroy(&negative);
}

/* A gain and an offset of the template that keep its pixels whole numbers change a score by no more
 * than its rounding. A gain that is a power of 4, with any offset, does not change it at all if the
 * products stay within 53 bits. */
static void check_gain(const subject *s)
{
    kit_map plain = map_of(s, &s->image.view, &s->templ.view,
                           &(kit_options){ .method = XNCC_CCOEFF_NORMED });
    static const double gain[][2] = { { 1, 9 }, { 2, 0 }, { 3, 17 }, { 4, 5 } };
    for (int i = 0; i < 4; i++) {
        kit_image templ = changed(&s->templ, gain[i][0], gain[i][1]);
        kit_map map = map_of(s, &s->image.view, &templ.view,
                             &(kit_options){ .method = XNCC_CCOEFF_NORMED });
        int close = 1;
        for (int32_t y = 0; y < map.view.height; y++)
            for (int32_t x = 0; x < map.view.width; x++) {
                float a = kit_map_row(&map.view, y)[x], b = kit_map_row(&plain.view, y)[x];
                close &= a == b || a == nextafterf(b, 2.0f) || a == nextafterf(b, -2.0f);
            }
        CHECK(close);
        CHECK(i != 0 ||
              same_region(&map, &plain, 0, 0, 1.0f)); /* the variance is the same integer */
        kit_map_destroy(&map);
        kit_image_destroy(&templ);
    }
    kit_map_destroy(&plain);
}

/* For every method: a crop of the image has the crop of the map, and so has the image inside a
 * larger one. */
static void check_crop(const subject *s, kit_random *random)
{
    for (int method = 0; method < METHODS; method++) {
        kit_options options = { .method = (xncc_method)method };
        if (!serves(s, options.method))
            continue;
        kit_map whole = map_of(s, &s->image.view, &s->templ.view, &options);
        int32_t x = kit_between(random, 0, 20), y = kit_between(random, 0, 20);
        int32_t width = kit_between(random, s->templ.view.width, WIDTH - x),
                height = kit_between(random, s->templ.view.height, HEIGHT - y);
        xncc_image crop;
        CHECK_STATUS(xncc_image_crop(&s->image.view, x, y, width, height, &crop, &kit_error),
                     XNCC_OK);
        kit_map templ = map_of(s, &crop, &s->templ.view, &options);
        CHECK(same_region(&templ, &whole, x, y, 1.0f));
        /* in mode same, the inner part is the valid map */
        options.mode = XNCC_SAME;
        kit_map same = map_of(s, &s->image.view, &s->templ.view, &options);
        CHECK(same_region(&whole, &same, s->templ.view.width / 2, s->templ.view.height / 2, 1.0f));
        /* in mode full, it is the map of mode same, and so includes the valid one */
        options.mode = XNCC_FULL;
        kit_map full = map_of(s, &s->image.view, &s->templ.view, &options);
        const int32_t w = s->templ.view.width, h = s->templ.view.height;
        CHECK(same_region(&same, &full, w - 1 - w / 2, h - 1 - h / 2, 1.0f));
        CHECK(same_region(&whole, &full, w - 1, h - 1, 1.0f));
        kit_map_destroy(&full);
        kit_map_destroy(&whole);
        kit_map_destroy(&templ);
        kit_map_destroy(&same);
    }
}

/* Swapping rows and columns of image and template swaps those of the map: nothing confuses x and
 * y. */
static void check_transpose(const subject *s)
{
    kit_image image = kit_image_create(s->pixel, HEIGHT, WIDTH, 0, KIT_AFTER);
    kit_image templ = kit_image_create(s->pixel, s->templ.view.height, s->templ.view.width, 0,
                                       KIT_AFTER);
    for (int32_t y = 0; y < HEIGHT; y++)
        for (int32_t x = 0; x < WIDTH; x++)
            kit_pixel_set(&image.view, y, x, kit_pixel(&s->image.view, x, y));
    for (int32_t y = 0; y < s->templ.view.height; y++)
        for (int32_t x = 0; x < s->templ.view.width; x++)
            kit_pixel_set(&templ.view, y, x, kit_pixel(&s->templ.view, x, y));
    for (int mode = XNCC_VALID; mode <= XNCC_FULL; mode++) {
        kit_options options = { .mode = (xncc_mode)mode };
        kit_map a = map_of(s, &s->image.view, &s->templ.view, &options),
                b = map_of(s, &image.view, &templ.view, &options);
        int same = 1;
        for (int32_t y = 0; y < a.view.height; y++)
            for (int32_t x = 0; x < a.view.width; x++)
                same &= kit_map_row(&a.view, y)[x] == kit_map_row(&b.view, x)[y];
        CHECK(same);
        kit_map_destroy(&a);
        kit_map_destroy(&b);
    }
    kit_image_destroy(&image);
    kit_image_destroy(&templ);
}

/* A classic case: under a 52 x 52 template every constant window scores 0 (or NaN if requested),
 * and a window that is flat except for one pixel does not score noise. */
static void check_flat(const subject *s)
{
    kit_image templ = kit_image_create(s->pixel, 52, 52, 0, KIT_AFTER),
              image = kit_image_create(s->pixel, 60, 53, 1, KIT_AFTER);
    kit_random random = kit_stream(9);
    kit_image_fill(&templ.view, KIT_NOISE, &random);
    for (int value = 0; value < 256; value += 5) {
        for (int32_t y = 0; y < 53; y++)
            for (int32_t x = 0; x < 60; x++)
                kit_pixel_set(&image.view, x, y, value);
        kit_map zero = map_of(s, &image.view, &templ.view,
                              &(kit_options){ .flat = XNCC_FLAT_ZERO });
        kit_map nan = map_of(s, &image.view, &templ.view, &(kit_options){ .flat = XNCC_FLAT_NAN });
        int flat = 1;
        for (int32_t y = 0; y < 2; y++)
            for (int32_t x = 0; x < 9; x++)
                flat &= kit_map_row(&zero.view, y)[x] == 0.0f &&
                        isnan(kit_map_row(&nan.view, y)[x]);
        CHECK(flat);
        kit_map_destroy(&zero);
        kit_map_destroy(&nan);
    }
    kit_image_destroy(&templ);
    kit_image_destroy(&image);
}

static void check_kernel(xncc_context *context, xncc_pixel pixel, const char *kernel)
{
    long before = kit_failures();
    kit_random random = kit_stream(20);
    subject s = { .context = context, .kernel = kernel, .pixel = pixel, .x = 31, .y = 22 };
    s.image = kit_image_create(pixel, WIDTH, HEIGHT, 3, KIT_AFTER);
    s.templ = kit_image_create(pixel, 19, 14, 1, KIT_AFTER);
    /* leaves room for gain and offset */
    for (int32_t y = 0; y < HEIGHT; y++)
        for (int32_t x = 0; x < WIDTH; x++)
            kit_pixel_set(&s.image.view, x, y,
                          (double)kit_below(&random, (uint64_t)kit_largest(pixel) / 5));
    kit_image_copy(&s.templ.view, &s.image.view, s.x, s.y);
    kit_image_freeze(&s.image); /* inputs are read-only: a write would fault */
    kit_image_freeze(&s.templ);
    check_self(&s);
    check_gain(&s);
    check_crop(&s, &random);
    check_transpose(&s);
    check_flat(&s);
    if (kit_failures() != before)
        kit_fail(__FILE__, __LINE__, "with kernel %s, %s", kernel, xncc_pixel_name(pixel));
    kit_image_destroy(&s.image);
    kit_image_destroy(&s.templ);
}

/* One plan, any number of threads, repeatedly: the same bits, for floats as well. */
static void check_threads(xncc_device device)
{
    static const int32_t threads[] = { 1, 2, 3, 7, 16 };
    for (int pixel = XNCC_U8; pixel <= XNCC_F32; pixel++) {
        kit_random random = kit_stream(30);
        kit_image image = kit_image_create((xncc_pixel)pixel, 301, 203, 1, KIT_AFTER),
                  templ = kit_image_create((xncc_pixel)pixel, 23, 29, 0, KIT_AFTER);
        kit_image_fill(&image.view, KIT_NOISE, &random);
        kit_image_copy(&templ.view, &image.view, 100, 50);
        kit_map first = { .view = { .width = 0 } };
        for (int i = 0; i < 5; i++) {
            subject s = { .context = kit_context(device, threads[i]), .pixel = (xncc_pixel)pixel };
            kit_map map = map_of(&s, &image.view, &templ.view, &(kit_options){ .mode = XNCC_SAME });
            if (i == 0) {
                first = map;
            } else {
                CHECK(same_region(&map, &first, 0, 0, 1.0f));
                kit_map_destroy(&map);
            }
            xncc_context_destroy(s.context);
        }
        kit_map_destroy(&first);
        kit_image_destroy(&image);
        kit_image_destroy(&templ);
    }
}

int main(int argc, char **argv)
{
    kit_start(argc, argv);
    xncc_device device = kit_device_option(argc, argv);
    xncc_context *context = kit_context(device, 2);
    for (int pixel = XNCC_U8; pixel <= XNCC_U16; pixel++) {
        xncc_problem problem = kit_problem((xncc_problem){ .pixel = (xncc_pixel)pixel,
                                                           .image_width = WIDTH,
                                                           .image_height = HEIGHT,
                                                           .templ_width = 19,
                                                           .templ_height = 14 });
        const char *kernel[MOST_KERNELS];
        size_t kernels = xncc_kernel_list(context, &problem, kernel, MOST_KERNELS);
        CHECK(kernels > 0);
        for (size_t k = 0; k < kernels; k++)
            check_kernel(context, (xncc_pixel)pixel, kernel[k]);
    }
    xncc_context_destroy(context);
    check_threads(device);
    return kit_finish("props");
}
