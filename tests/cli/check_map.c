/* SPDX-License-Identifier: BSD-2-Clause */
/* Compares a written TIFF with the independent oracle:
 *
 * - check_map MAP.tif score IMAGE TEMPLATE METHOD valid|same zero|nan
 *
 * - check_map MAP.tif general IMAGE TEMPLATE METHOD MODE BORDER [sum] [flat] [min=F] [no_data=V]
 *   [mask=FILE] [image_mask=FILE]
 *
 * - check_map MAP.tif filter IMAGE COEFFICIENTS.txt convolve|correlate clamp|zero
 *
 * For `score` the images have 8 or 16 bits. Every element must have the oracle's bits. */
#include "filters.h"
#include "kit/oracle_general.h"
#include "picture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static app_reading reading = { .max_memory = (uint64_t)1 << 33, .no_data = APP_NO_DATA_NONE };

static app_picture load(const char *path)
{
    app_picture p;
    app_error error;
    if (app_picture_load(path, 0, &reading, &p, &error)) {
        fprintf(stderr, "%s\n", error.text);
        exit(1);
    }
    return p;
}

static xncc_image view(const app_picture *p)
{
    return app_picture_image(p, p->pixel, p->pixels);
}

static int same_bits(float a, float b)
{
    return (isnan(a) && isnan(b)) || memcmp(&a, &b, sizeof a) == 0;
}

static int report(const app_picture *map, int32_t width, int32_t height, size_t wrong, size_t first)
{
    if (map->width != width || map->height != height || map->pixel != XNCC_F32) {
        printf("the map is %d x %d %s, not %d x %d f32\n", map->width, map->height,
               xncc_pixel_name(map->pixel), width, height);
        return 1;
    }
    if (wrong)
        printf("%zu of %d x %d elements differ, the first at (%zu, %zu)\n", wrong, width, height,
               first % (size_t)width, first / (size_t)width);
    return wrong != 0;
}

static int check_scores(const app_picture *map, char **argv)
{
    app_picture scene = load(argv[0]), templ = load(argv[1]);
    const xncc_image a = view(&scene), b = view(&templ);
    xncc_method method;
    if (xncc_method_parse(argv[2], &method, NULL))
        return 2;
    oracle_sums sums = oracle_sums_make(&a, &b,
                                        strcmp(argv[3], "same") == 0 ? XNCC_SAME : XNCC_VALID);
    size_t wrong = 0, first = 0, count = (size_t)sums.width * (size_t)sums.height;
    if (map->width == sums.width && map->height == sums.height && map->pixel == XNCC_F32)
        for (size_t i = count; i-- > 0;)
            if (!same_bits(((const float *)map->pixels)[i],
                           oracle_score(
                               &sums, method,
                               strcmp(argv[4], "nan") == 0 ? XNCC_FLAT_NAN : XNCC_FLAT_ZERO, i))) {
                wrong++;
                first = i;
            }
    int result = report(map, sums.width, sums.height, wrong, first);
    oracle_sums_free(&sums);
    app_picture_free(&scene);
    app_picture_free(&templ);
    return result;
}

/* The words after the border. */
typedef struct words {
    kit_options options;
    const char *mask, *image_mask;
    int has_no_data;
    double no_data;
} words;

static words read_words(char **argv)
{
    static const char *const modes[] = { "valid", "same", "full" }, *const borders[] = {
        "clamp", "zero", "mirror", "wrap", "overlap"
    };
    words w = { .mask = NULL };
    if (xncc_method_parse(argv[0], &w.options.method, NULL))
        exit(2);
    for (int i = 0; i < 5; i++) {
        if (i < 3 && strcmp(argv[1], modes[i]) == 0)
            w.options.mode = (xncc_mode)i;
        if (strcmp(argv[2], borders[i]) == 0)
            w.options.border = (xncc_border)i;
    }
    for (char **a = argv + 3; *a; a++) {
        if (strcmp(*a, "sum") == 0)
            reading.channels = APP_SUM;
        else if (strcmp(*a, "flat") == 0)
            w.options.flat = XNCC_FLAT_NAN;
        else if (strncmp(*a, "min=", 4) == 0)
            w.options.min_valid = atof(*a + 4);
        else if (strncmp(*a, "mask=", 5) == 0)
            w.mask = *a + 5;
        else if (strncmp(*a, "image_mask=", 11) == 0)
            w.image_mask = *a + 11;
        else if (strncmp(*a, "no_data=", 8) == 0) {
            w.has_no_data = 1;
            w.no_data = atof(*a + 8);
        }
    }
    return w;
}

/* A view of a picture with a mask and a no-data value, which the oracle interprets itself. */
static xncc_image masked_view(const app_picture *p, const app_picture *mask, const words *w)
{
    xncc_image v = view(p);
    v.has_no_data = w->has_no_data;
    v.no_data = w->no_data;
    if (mask)
        v.mask = mask->pixels; /* 8 bits, one channel */
    return v;
}

static size_t count_wrong(const app_picture *map, const oracle_general *general, const words *w,
                          size_t *first)
{
    const int real = general->pixel == XNCC_F32 || general->pixel == XNCC_F64;
    size_t wrong = 0;
    for (int32_t y = general->height; y-- > 0;)
        for (int32_t x = general->width; x-- > 0;) {
            const size_t i = (size_t)y * (size_t)general->width + (size_t)x;
            const float got = ((const float *)map->pixels)[i];
            const float want = real ? oracle_exact(general, &w->options, x, y)
                                    : oracle_general_score(general, &w->options, x, y);
            const int ok = same_bits(got, want);
            wrong += !ok;
            *first = ok ? *first : i;
        }
    return wrong;
}

static int check_general(const app_picture *map, char **argv)
{
    app_picture mask = { .pixels = NULL }, image_mask = mask;
    const words w = read_words(argv + 2);
    app_picture scene = load(argv[0]), templ = load(argv[1]);
    if (w.mask)
        mask = load(w.mask);
    if (w.image_mask)
        image_mask = load(w.image_mask);
    const xncc_image a = masked_view(&scene, w.image_mask ? &image_mask : NULL, &w),
                     b = masked_view(&templ, w.mask ? &mask : NULL, &w);
    oracle_general general = oracle_general_make(&a, &b, w.options.mode, w.options.border);
    size_t wrong = 0, first = 0;
    if (map->width == general.width && map->height == general.height && map->pixel == XNCC_F32)
        wrong = count_wrong(map, &general, &w, &first);
    const int result = report(map, general.width, general.height, wrong, first);
    oracle_general_free(&general);
    app_picture_free(&scene);
    app_picture_free(&templ);
    app_picture_free(&mask);
    app_picture_free(&image_mask);
    return result;
}

static int check_filter(const app_picture *map, char **argv)
{
    static app_filter filter;
    app_error error;
    app_picture scene = load(argv[0]);
    const xncc_image a = view(&scene);
    if (app_filter_load(argv[1], &filter, &error)) {
        fprintf(stderr, "%s\n", error.text);
        return 1;
    }
    const kit_filter_options options = { .correlate = strcmp(argv[2], "correlate") == 0 };
    const xncc_border border = strcmp(argv[3], "zero") == 0 ? XNCC_BORDER_ZERO : XNCC_BORDER_CLAMP;
    size_t wrong = 0, first = 0;
    if (map->width == scene.width && map->height == scene.height && map->pixel == XNCC_F32)
        for (int y = scene.height; y-- > 0;)
            for (int x = scene.width; x-- > 0;) {
                size_t i = (size_t)y * (size_t)scene.width + (size_t)x;
                if (!same_bits(((const float *)map->pixels)[i],
                               oracle_convolve(&a, filter.value, filter.width, filter.height,
                                               &options, border, x, y))) {
                    wrong++;
                    first = i;
                }
            }
    int result = report(map, scene.width, scene.height, wrong, first);
    app_picture_free(&scene);
    return result;
}

int main(int argc, char **argv)
{
    const char *what = argc > 2 ? argv[2] : "";
    int (*check)(const app_picture *map,
                 char **argv) = strcmp(what, "score") == 0 && argc == 8     ? check_scores
                                : strcmp(what, "general") == 0 && argc >= 8 ? check_general
                                : strcmp(what, "filter") == 0 && argc == 7  ? check_filter
                                                                            : NULL;
    if (!check)
        return 2;
    app_picture map = load(argv[1]);
    int result = check(&map, argv + 3);
    app_picture_free(&map);
    return result;
}
