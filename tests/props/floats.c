/* SPDX-License-Identifier: BSD-2-Clause */
/* What is promised of floats, for every kernel: floats that hold integers score as the integers do;
 * and powers of two as factors, crops and samples that are not finite have the effects that
 * numerics.md says. */
#include "props/float_maps.h"

#include <math.h>
#include <string.h>

static const kit_room room = { 3, KIT_AFTER };

/* ---- integers ---- */

/* A copy with another pixel type, all samples times 2^power. */
static kit_image converted(const xncc_image *from, xncc_pixel pixel, int power)
{
    kit_image to = kit_image_create_channels(pixel, from->channels, from->width, from->height,
                                             room);
    if (from->mask)
        kit_image_mask(&to, room);
    for (int32_t y = 0; y < from->height; y++)
        for (int32_t x = 0; x < from->width; x++) {
            for (int32_t c = 0; c < kit_channels(from); c++)
                kit_sample_set(&to.view, x, y, c, ldexp(kit_sample(from, x, y, c), power));
            if (from->mask)
                kit_mask_set(&to.view, x, y, (uint8_t)kit_mask(from, x, y));
        }
    return to;
}

/* What integers are tried: `bits` bits each, from `least` on. Of the template's samples only the
 * lower `templ_bits` bits are kept. */
typedef struct integer_case {
    xncc_pixel pixel;
    int bits, templ_bits;
    double least;
    int32_t channels, masked;
} integer_case;

/* Noise, and a part that is flat but for some samples of its last rows. */
static kit_image integers(const integer_case *c, int32_t width, int32_t height, kit_random *random)
{
    kit_image image = kit_image_create_channels(c->pixel, c->channels, width, height, room);
    const double most = ldexp(1.0, c->bits) - 1.0;
    for (int32_t y = 0; y < height; y++)
        for (int32_t x = 0; x < width; x++)
            for (int32_t k = 0; k < c->channels; k++) {
                const double noise = (double)kit_below(random, UINT64_C(1) << c->bits);
                const int flat = y >= height / 2 && x < width / 2;
                kit_sample_set(
                    &image.view, x, y, k,
                    c->least + (flat ? most - (y >= height - 9 && (int)noise % 8 == 0) : noise));
            }
    return image;
}

static void check_integers(const integer_case *c, int32_t size)
{
    kit_random random = kit_stream(900 + (uint64_t)c->pixel + 8 * (uint64_t)size);
    kit_image image = integers(c, 2 * size + 60, 2 * size + 41, &random),
              templ = kit_image_create_channels(c->pixel, c->channels, size, size - 2, room);
    kit_image_copy(&templ.view, &image.view, size, 7);
    for (int32_t i = 0; i < size * (size - 2) && c->templ_bits < c->bits; i++)
        kit_sample_set(
            &templ.view, i % size, i / size, 0,
            fmod(kit_sample(&templ.view, i % size, i / size, 0), ldexp(1.0, c->templ_bits)));
    if (c->masked) {
        kit_image_mask(&templ, room);
        for (int32_t i = 0; i < size * (size - 2); i++)
            kit_mask_set(&templ.view, i % size, i / size, kit_below(&random, 3) > 0);
    }
    const float_pair p = { .image = &image.view, .templ = &templ.view };
    for (int method = 0; method < FLOAT_METHODS; method++) {
        kit_map map = float_map_of(p, (xncc_method)method, NULL);
        check_float_scores(p, (xncc_method)method, &map.view, 20, "integers");
        kit_map_destroy(&map);
    }
    for (int twin = 0; twin < 2; twin++) {
        const xncc_pixel real = twin ? XNCC_F64 : XNCC_F32;
        kit_image image_twin = converted(&image.view, real, 0),
                  templ_twin = converted(&templ.view, real, 0);
        for (int method = 0; method < FLOAT_METHODS; method++) {
            kit_map want = float_map_of(p, (xncc_method)method, NULL);
            check_float_maps((float_pair){ .image = &image_twin.view, .templ = &templ_twin.view },
                             (xncc_method)method, &want.view, 0, 0, 0, xncc_pixel_name(c->pixel));
            kit_map_destroy(&want);
        }
        kit_image_destroy(&image_twin);
        kit_image_destroy(&templ_twin);
    }
    kit_image_destroy(&image);
    kit_image_destroy(&templ);
}

/* ---- factors, crops, samples that are not finite ---- */

/* A picture whose samples need all bits of a float. */
static kit_image picture(xncc_pixel pixel, int32_t width, int32_t height, kit_random *random)
{
    kit_image image = kit_image_create_channels(pixel, 1, width, height, room);
    for (int32_t y = 0; y < height; y++)
        for (int32_t x = 0; x < width; x++)
            kit_sample_set(&image.view, x, y, 0,
                           (kit_between(random, 0, 100) + 100 * sin(x * 0.1) * cos(y * 0.13)) /
                               255.0);
    return image;
}

static kit_image cut(const xncc_image *from, int32_t x, int32_t y, int32_t width, int32_t height)
{
    kit_image to = kit_image_create_channels(from->pixel, 1, width, height, room);
    kit_image_copy(&to.view, from, x, y);
    return to;
}

/* The power of two that a score changes by. */
static int power_of(xncc_method method, int a, int b)
{
    switch (method) {
    case XNCC_CCOEFF:
    case XNCC_CCORR: return a + b;
    case XNCC_SQDIFF: return 2 * a;
    default: return 0;
    }
}

static void check_factors(xncc_pixel pixel, int32_t size)
{
    static const int power[][2] = { { 3, 3 }, { -20, -20 }, { 11, -7 }, { 0, 30 } };
    kit_random random = kit_stream(910 + (uint64_t)pixel);
    kit_image image = picture(pixel, 2 * size + 40, 2 * size + 30, &random),
              templ = cut(&image.view, 9, 5, size, size);
    for (int method = 0; method < FLOAT_METHODS; method++) {
        const xncc_method m = (xncc_method)method;
        const int same_only = m == XNCC_SQDIFF || m == XNCC_SQDIFF_NORMED;
        kit_map want = float_map_of((float_pair){ .image = &image.view, .templ = &templ.view }, m,
                                    NULL);
        for (size_t i = 0; i < sizeof power / sizeof *power; i++) {
            const int a = power[i][0], b = power[i][1];
            if (same_only && a != b)
                continue;
            kit_image scaled = converted(&image.view, pixel, a),
                      scaled_templ = converted(&templ.view, pixel, b);
            check_float_maps((float_pair){ .image = &scaled.view, .templ = &scaled_templ.view }, m,
                             &want.view, 0, 0, power_of(m, a, b), "factors");
            kit_image_destroy(&scaled);
            kit_image_destroy(&scaled_templ);
        }
        kit_map_destroy(&want);
    }
    kit_image_destroy(&image);
    kit_image_destroy(&templ);
}

static void check_crops(xncc_pixel pixel, int32_t size)
{
    kit_random random = kit_stream(920 + (uint64_t)pixel);
    kit_image image = picture(pixel, 2 * size + 70, 2 * size + 50, &random),
              templ = cut(&image.view, 9, 5, size, size),
              crop = cut(&image.view, 23, 17, 2 * size + 11, size + 13);
    for (int method = 0; method < FLOAT_METHODS; method++) {
        kit_map want = float_map_of((float_pair){ .image = &image.view, .templ = &templ.view },
                                    (xncc_method)method, NULL);
        check_float_maps((float_pair){ .image = &crop.view, .templ = &templ.view },
                         (xncc_method)method, &want.view, 23, 17, 0, "crop");
        kit_map_destroy(&want);
    }
    kit_image_destroy(&image);
    kit_image_destroy(&templ);
    kit_image_destroy(&crop);
}

static void check_not_finite(xncc_pixel pixel, int32_t size)
{
    static const int32_t at[][2] = { { 40, 30 }, { 41, 30 }, { 0, 0 }, { 70, 11 } };
    kit_random random = kit_stream(930 + (uint64_t)pixel);
    kit_image image = picture(pixel, 2 * size + 60, 2 * size + 50, &random),
              templ = cut(&image.view, 9, 5, size, size), spoilt = converted(&image.view, pixel, 0);
    for (size_t i = 0; i < sizeof at / sizeof *at; i++)
        kit_sample_set(&spoilt.view, at[i][0], at[i][1], 0,
                       i == 0   ? (double)NAN
                       : i == 2 ? -(double)INFINITY
                                : (double)INFINITY);
    for (int method = 0; method < FLOAT_METHODS; method++) {
        kit_map want = float_map_of((float_pair){ .image = &image.view, .templ = &templ.view },
                                    (xncc_method)method, NULL);
        for (int32_t y = 0; y < want.view.height; y++)
            for (int32_t x = 0; x < want.view.width; x++)
                for (size_t i = 0; i < sizeof at / sizeof *at; i++)
                    if (at[i][0] >= x && at[i][0] < x + size && at[i][1] >= y &&
                        at[i][1] < y + size)
                        kit_map_row(&want.view, y)[x] = NAN;
        check_float_maps((float_pair){ .image = &spoilt.view, .templ = &templ.view },
                         (xncc_method)method, &want.view, 0, 0, 0, "not finite");
        kit_map_destroy(&want);
    }
    kit_image_destroy(&image);
    kit_image_destroy(&templ);
    kit_image_destroy(&spoilt);
}

int main(int argc, char **argv)
{
    static const xncc_pixel reals[] = { XNCC_F32, XNCC_F64 };
    static const integer_case integer[] = {
        { XNCC_U8, 8, 8, 0.0, 1, 0 },    { XNCC_S16, 16, 16, -32768.0, 1, 0 },
        { XNCC_U16, 16, 16, 0.0, 1, 1 }, { XNCC_U8, 8, 8, 0.0, 3, 0 },
        { XNCC_U16, 12, 12, 0.0, 2, 1 }, { XNCC_U32, 22, 22, 0.0, 1, 0 },
        { XNCC_U32, 18, 18, 5e6, 1, 0 }, { XNCC_U32, 17, 17, 3e5, 1, 0 },
        { XNCC_U32, 24, 24, 0.0, 1, 0 }, { XNCC_U32, 24, 1, 0.0, 1, 0 },
    };
    kit_start(argc, argv);
    const char *group = kit_option(argc, argv, "group", "");
    float_context = kit_context(kit_device_option(argc, argv), 2);
    for (int32_t size = 5; size <= 39 && strcmp(group, "integers") == 0; size += 34)
        for (size_t i = 0; i < sizeof integer / sizeof *integer; i++)
            if (!kit_short() || (int)i % 2 == size / 39)
                check_integers(&integer[i], size);
    for (size_t i = 0; i < 2 && strcmp(group, "statements") == 0; i++)
        for (int32_t size = 6; size <= 36; size += 30) {
            check_factors(reals[i], size);
            check_crops(reals[i], size);
            check_not_finite(reals[i], size);
        }
    xncc_context_destroy(float_context);
    return kit_finish("floats");
}
