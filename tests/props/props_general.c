/* SPDX-License-Identifier: BSD-2-Clause */
/* Properties that any right answer must have for problems in which some pixels do not count, with
 * several channels and every pixel type. No second answer is needed for comparison. Checked for
 * every kernel that can serve the problem. */
#include "kit/pixels.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { WIDTH = 41, HEIGHT = 33, TEMPL_WIDTH = 7, TEMPL_HEIGHT = 6, MOST_KERNELS = 64, METHODS = 7 };

static xncc_context *context;
static int on_gpu;
static const kit_room room = { 3, KIT_AFTER };

typedef struct pair {
    const xncc_image *image, *templ;
} pair;

/* Returns the kernels for a pair, for the problem that xncc_correlate would make of it. */
static size_t kernels_of(pair p, const kit_options *o, const char **name)
{
    return kit_kernels(context, p.image, p.templ, o, name, MOST_KERNELS);
}

static kit_map map_of(pair p, const kit_options *options, const char *kernel)
{
    const int32_t more = options->mode == XNCC_VALID ? -1 : options->mode == XNCC_FULL;
    kit_map map = kit_map_create(p.image->width + more * (p.templ->width - 1),
                                 p.image->height + more * (p.templ->height - 1), 1, KIT_AFTER);
    xncc_template *template = NULL;
    kit_options forced = *options;
    forced.kernel = kernel;
    if (xncc_template_create(context, p.templ, &template, &kit_error) != XNCC_OK ||
        kit_correlate(context, p.image, template, &forced, &map.view) != XNCC_OK)
        kit_give_up("%s: %s", kernel ? kernel : "(chosen)", kit_error.text);
    xncc_template_destroy(template);
    return map;
}

/* The elements of a at (0, 0) are those of b at (x, y), bit for bit. */
static int same_region(const xncc_map *a, const xncc_map *b, int32_t x, int32_t y)
{
    for (int32_t j = 0; j < a->height; j++)
        for (int32_t i = 0; i < a->width; i++) {
            const float *u = kit_map_row(a, j) + i, *v = kit_map_row(b, j + y) + i + x;
            if (memcmp(u, v, sizeof *u) != 0 && !(*u != *u && *v != *v))
                return 0;
        }
    return 1;
}

/* Every kernel computes for the first pair the map that the library's choice computes for the
 * second pair, at (x, y). */
static void check_alike(pair first, pair second, const kit_options *o, int32_t x, int32_t y,
                        const char *what)
{
    const char *kernel[MOST_KERNELS];
    size_t kernels = kernels_of(first, o, kernel);
    kit_map want = map_of(second, o, NULL);
    for (size_t k = 0; k < kernels; k++) {
        kit_map got = map_of(first, o, kernel[k]);
        if (!CHECK(same_region(&got.view, &want.view, x, y)))
            kit_fail(__FILE__, __LINE__, "%s: %s x %d, %s, mode %d, border %d, %s", what,
                     xncc_pixel_name(first.image->pixel), first.image->channels,
                     xncc_method_name(o->method), (int)o->mode, (int)o->border, kernel[k]);
        kit_map_destroy(&got);
    }
    kit_map_destroy(&want);
}

static kit_image noise(xncc_pixel pixel, int32_t channels, int32_t width, int32_t height,
                       kit_random *random)
{
    kit_image image = kit_image_create_channels(pixel, channels, width, height, room);
    kit_image_fill(&image.view, KIT_NOISE, random);
    return image;
}

static void some_mask(kit_image *image, kit_random *random, uint64_t percent)
{
    kit_image_mask(image, room);
    for (int32_t y = 0; y < image->view.height; y++)
        for (int32_t x = 0; x < image->view.width; x++)
            kit_mask_set(&image->view, x, y, kit_below(random, 100) >= percent);
}

/* Returns place i of 11: the modes with their borders. */
static kit_options place(int i, xncc_method method)
{
    return (kit_options){ .method = method,
                          .mode = i == 0  ? XNCC_VALID
                                  : i < 6 ? XNCC_SAME
                                          : XNCC_FULL,
                          .border = i == 0 ? XNCC_BORDER_CLAMP : (xncc_border)((i - 1) % 5),
                          .flat = i & 1 ? XNCC_FLAT_NAN : XNCC_FLAT_ZERO };
}

static int is_float(xncc_pixel pixel)
{
    return pixel == XNCC_F32 || pixel == XNCC_F64;
}

/* A window scores 1, and has distance 0, if it equals the template where the template counts,
 * whatever it holds elsewhere. The same holds if it equals the template where the image counts. */
static void check_self(xncc_pixel pixel, int32_t channels, int of_image)
{
    kit_random random = kit_stream(300 + (uint64_t)pixel);
    kit_image image = noise(pixel, channels, WIDTH, HEIGHT, &random),
              templ = noise(pixel, channels, TEMPL_WIDTH, TEMPL_HEIGHT, &random);
    some_mask(of_image ? &image : &templ, &random, 30);
    for (int32_t y = 0; y < TEMPL_HEIGHT; y++)
        for (int32_t x = 0; x < TEMPL_WIDTH; x++)
            for (int32_t c = 0; c < channels; c++)
                if (of_image ? kit_mask(&image.view, 20 + x, 11 + y) : kit_mask(&templ.view, x, y))
                    kit_sample_set(&image.view, 20 + x, 11 + y, c,
                                   kit_sample(&templ.view, x, y, c));
    static const float want[METHODS] = { 1.0f, NAN, NAN, 1.0f, 0.0f, 0.0f, NAN };
    for (int method = 0; method < METHODS; method++) {
        if (isnan(want[method]))
            continue;
        const kit_options o = { .method = (xncc_method)method };
        const char *kernel[MOST_KERNELS];
        size_t kernels = kernels_of((pair){ &image.view, &templ.view }, &o, kernel);
        for (size_t k = 0; k < kernels; k++) {
            kit_map map = map_of((pair){ &image.view, &templ.view }, &o, kernel[k]);
            float got = kit_map_row(&map.view, 11)[20];
            if (is_float(pixel) && method < XNCC_SQDIFF)
                CHECK(fabsf(got - 1.0f) <= 0x1p-23f);
            else
                CHECK_FLOAT(got, want[method]);
            int within = 1;
            for (int32_t y = 0; y < map.view.height && method < XNCC_SQDIFF; y++)
                for (int32_t x = 0; x < map.view.width; x++)
                    within &= !(fabsf(kit_map_row(&map.view, y)[x]) > 1.0f);
            CHECK(within);
            kit_map_destroy(&map);
        }
    }
    kit_image_destroy(&image);
    kit_image_destroy(&templ);
}

/* A mask in which every pixel counts has no effect, and a no-data value has the effect of the mask
 * that it describes. */
static void check_no_mask(xncc_pixel pixel, int method)
{
    kit_random random = kit_stream(310 + (uint64_t)pixel);
    const int32_t channels = 1 + method % 2;
    kit_image image = noise(pixel, channels, WIDTH, HEIGHT, &random),
              templ = noise(pixel, channels, TEMPL_WIDTH, TEMPL_HEIGHT, &random);
    const xncc_image unmasked = image.view, unmasked_templ = templ.view;
    some_mask(&image, &random, 0);
    some_mask(&templ, &random, 0);
    for (int i = 0; i < 11; i++) {
        kit_options o = place(i, (xncc_method)method);
        if (o.mode == XNCC_VALID || o.border != XNCC_BORDER_OVERLAP || method == XNCC_COVERAGE)
            check_alike((pair){ &image.view, &templ.view }, (pair){ &unmasked, &unmasked_templ },
                        &o, 0, 0, "a mask of ones");
    }
    some_mask(&image, &random, 25);
    xncc_image no_data = unmasked;
    no_data.has_no_data = 1;
    no_data.no_data = is_float(pixel) && method % 2 ? (double)NAN : 42.0;
    for (int32_t y = 0; y < HEIGHT; y++)
        for (int32_t x = 0; x < WIDTH; x++)
            for (int32_t c = 0; c < channels; c++)
                if (!kit_mask(&image.view, x, y))
                    kit_sample_set(&unmasked, x, y, c, no_data.no_data);
                else if (kit_sample(&unmasked, x, y, c) == 42.0)
                    kit_sample_set(&unmasked, x, y, c, 41.0);
    for (int i = 0; i < 11; i += 1 + on_gpu)
        check_alike((pair){ &no_data, &unmasked_templ }, (pair){ &image.view, &unmasked_templ },
                    &(kit_options){ .method = (xncc_method)method,
                                    .mode = place(i, XNCC_CCORR).mode,
                                    .border = place(i, XNCC_CCORR).border,
                                    .min_valid = 0.8 },
                    0, 0, "a no-data value");
    kit_image_destroy(&image);
    kit_image_destroy(&templ);
}

/* The map of a crop is the crop of the map. With the overlap border it is the map of the image in
 * which only the crop counts. */
static void check_crop(xncc_pixel pixel, int method)
{
    kit_random random = kit_stream(320 + (uint64_t)pixel);
    kit_image image = noise(pixel, 2, WIDTH, HEIGHT, &random),
              templ = noise(pixel, 2, TEMPL_WIDTH, TEMPL_HEIGHT, &random);
    some_mask(&image, &random, 20);
    some_mask(&templ, &random, 20);
    const int32_t x = kit_between(&random, 0, 12), y = kit_between(&random, 0, 12);
    const int32_t width = kit_between(&random, TEMPL_WIDTH, WIDTH - x),
                  height = kit_between(&random, TEMPL_HEIGHT, HEIGHT - y);
    xncc_image crop;
    CHECK_STATUS(xncc_image_crop(&image.view, x, y, width, height, &crop, &kit_error), XNCC_OK);
    kit_options o = { .method = (xncc_method)method, .min_valid = 0.4 };
    check_alike((pair){ &crop, &templ.view }, (pair){ &image.view, &templ.view }, &o, x, y,
                "a crop");
    for (int32_t j = 0; j < HEIGHT; j++)
        for (int32_t i = 0; i < WIDTH; i++)
            if (i < x || j < y || i >= x + width || j >= y + height)
                kit_mask_set(&image.view, i, j, 0);
    o.border = XNCC_BORDER_OVERLAP;
    o.mode = XNCC_FULL;
    check_alike((pair){ &crop, &templ.view }, (pair){ &image.view, &templ.view }, &o, x, y,
                "a crop under overlap");
    o.mode = XNCC_SAME;
    check_alike((pair){ &crop, &templ.view }, (pair){ &image.view, &templ.view }, &o, x, y,
                "a crop under overlap");
    kit_image_destroy(&image);
    kit_image_destroy(&templ);
}

/* Four equal channels: the sums are four times as large, and square roots of doubles keep that to
 * the last bit. Three equal channels: the scores agree to the last place of the float. */
static void check_planes(xncc_pixel pixel, int method)
{
    kit_random random = kit_stream(330 + (uint64_t)pixel);
    kit_image image = noise(pixel, 1, WIDTH, HEIGHT, &random),
              templ = noise(pixel, 1, TEMPL_WIDTH, TEMPL_HEIGHT, &random);
    some_mask(&image, &random, 10);
    some_mask(&templ, &random, 10);
    for (int32_t channels = 3; channels <= 4; channels++) {
        kit_image several = noise(pixel, channels, WIDTH, HEIGHT, &random),
                  several_templ = noise(pixel, channels, TEMPL_WIDTH, TEMPL_HEIGHT, &random);
        kit_image *to[] = { &several, &several_templ }, *from[] = { &image, &templ };
        for (int k = 0; k < 2; k++) {
            kit_image_mask(to[k], room);
            for (int32_t y = 0; y < to[k]->view.height; y++)
                for (int32_t x = 0; x < to[k]->view.width; x++) {
                    kit_mask_set(&to[k]->view, x, y, (uint8_t)kit_mask(&from[k]->view, x, y));
                    for (int32_t c = 0; c < channels; c++)
                        kit_sample_set(&to[k]->view, x, y, c, kit_sample(&from[k]->view, x, y, 0));
                }
        }
        const kit_options o = { .method = (xncc_method)method,
                                .mode = XNCC_SAME,
                                .border = XNCC_BORDER_MIRROR };
        const char *kernel[MOST_KERNELS];
        size_t kernels = kernels_of((pair){ &several.view, &several_templ.view }, &o, kernel);
        kit_map one = map_of((pair){ &image.view, &templ.view }, &o, NULL);
        for (size_t k = 0; k < kernels; k++) {
            kit_map map = map_of((pair){ &several.view, &several_templ.view }, &o, kernel[k]);
            int close = 1;
            for (int32_t y = 0; y < HEIGHT; y++)
                for (int32_t x = 0; x < WIDTH; x++) {
                    float a = kit_map_row(&map.view, y)[x], b = kit_map_row(&one.view, y)[x];
                    close &= a == b || (a != a && b != b) ||
                             (channels == 3 &&
                              (a == nextafterf(b, INFINITY) || a == nextafterf(b, -INFINITY)));
                }
            if (!CHECK(close))
                kit_fail(__FILE__, __LINE__, "%d same planes: %s, %s, %s", channels,
                         xncc_pixel_name(pixel), xncc_method_name(o.method), kernel[k]);
            kit_map_destroy(&map);
        }
        kit_map_destroy(&one);
        kit_image_destroy(&several);
        kit_image_destroy(&several_templ);
    }
    kit_image_destroy(&image);
    kit_image_destroy(&templ);
}

/* Adding to signed samples the constant that makes them unsigned changes no score of a method that
 * compares differences. The exception is the zero border, whose pixels stay 0. */
static void check_signed(xncc_pixel pixel, xncc_pixel unsigned_pixel, double bias, int masked)
{
    kit_random random = kit_stream(340 + (uint64_t)pixel);
    kit_image image[2], templ[2];
    const xncc_pixel type[] = { pixel, unsigned_pixel };
    for (int k = 0; k < 2; k++) {
        image[k] = noise(type[k], 1, WIDTH, HEIGHT, &random);
        templ[k] = noise(type[k], 1, TEMPL_WIDTH, TEMPL_HEIGHT, &random);
        kit_random again = kit_stream(341);
        some_mask(&image[k], &again, masked ? 15 : 0);
        some_mask(&templ[k], &again, masked ? 15 : 0);
        image[k].view.mask = masked ? image[k].view.mask : NULL;
    }
    for (int32_t y = 0; y < HEIGHT; y++)
        for (int32_t x = 0; x < WIDTH; x++)
            kit_pixel_set(&image[1].view, x, y, kit_pixel(&image[0].view, x, y) + bias);
    for (int32_t y = 0; y < TEMPL_HEIGHT; y++)
        for (int32_t x = 0; x < TEMPL_WIDTH; x++)
            kit_pixel_set(&templ[1].view, x, y, kit_pixel(&templ[0].view, x, y) + bias);
    static const xncc_method method[] = { XNCC_CCOEFF_NORMED, XNCC_CCOEFF, XNCC_SQDIFF,
                                          XNCC_COVERAGE };
    for (int i = 0; i < 11 * 4; i++) {
        kit_options o = place(i / 4, method[i % 4]);
        if (o.mode == XNCC_VALID || o.border != XNCC_BORDER_ZERO)
            check_alike((pair){ &image[0].view, &templ[0].view },
                        (pair){ &image[1].view, &templ[1].view }, &o, 0, 0, "signed samples");
    }
    for (int k = 0; k < 2; k++) {
        kit_image_destroy(&image[k]);
        kit_image_destroy(&templ[k]);
    }
}

/* The coverage is the number of pixels that count, divided by the number that count in the
 * template. */
static void check_coverage(xncc_pixel pixel)
{
    kit_random random = kit_stream(350 + (uint64_t)pixel);
    kit_image image = noise(pixel, 3, WIDTH, HEIGHT, &random),
              templ = noise(pixel, 3, TEMPL_WIDTH, TEMPL_HEIGHT, &random);
    some_mask(&image, &random, 40);
    some_mask(&templ, &random, 40);
    const kit_options o = { .method = XNCC_COVERAGE, .min_valid = 1.0 };
    const char *kernel[MOST_KERNELS];
    size_t kernels = kernels_of((pair){ &image.view, &templ.view }, &o, kernel);
    for (size_t k = 0; k < kernels; k++) {
        kit_map map = map_of((pair){ &image.view, &templ.view }, &o, kernel[k]);
        for (int32_t y = 0; y < map.view.height; y++)
            for (int32_t x = 0; x < map.view.width; x++) {
                int both = 0, all = 0;
                for (int32_t i = 0; i < TEMPL_WIDTH * TEMPL_HEIGHT; i++) {
                    int32_t u = i % TEMPL_WIDTH, v = i / TEMPL_WIDTH,
                            counts = kit_mask(&templ.view, u, v);
                    all += counts;
                    both += counts && kit_mask(&image.view, x + u, y + v);
                }
                CHECK_FLOAT(kit_map_row(&map.view, y)[x], (float)((double)both / all));
            }
        kit_map_destroy(&map);
    }
    kit_image_destroy(&image);
    kit_image_destroy(&templ);
}

int main(int argc, char **argv)
{
    kit_start(argc, argv);
    const xncc_device device = kit_device_option(argc, argv);
    on_gpu = device == XNCC_DEVICE_CUDA;
    context = kit_context(device, 2);
    for (int pixel = XNCC_U8; pixel <= XNCC_F64; pixel++) {
        for (int i = 0; i < 4; i++)
            check_self((xncc_pixel)pixel, 1 + 2 * (i & 1), i >> 1);
        for (int method = 0; method < METHODS; method++) {
            if ((on_gpu || kit_short()) && (method + pixel) % 3)
                continue; /* creating a plan takes a millisecond there */
            check_no_mask((xncc_pixel)pixel, method);
            check_crop((xncc_pixel)pixel, method);
            if (method == XNCC_CCOEFF_NORMED || method == XNCC_CCORR_NORMED ||
                method == XNCC_SQDIFF_NORMED || method == XNCC_COVERAGE)
                check_planes((xncc_pixel)pixel, method);
        }
        check_coverage((xncc_pixel)pixel);
    }
    for (int masked = 0; masked < 2; masked++) {
        check_signed(XNCC_S8, XNCC_U8, 128.0, masked);
        check_signed(XNCC_S16, XNCC_U16, 32768.0, masked);
    }
    xncc_context_destroy(context);
    return kit_finish("props_joint");
}
