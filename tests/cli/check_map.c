/* Compares a written TIFF with the independent oracle.
 *   check_map MAP.tif score IMAGE TEMPLATE METHOD valid|same zero|nan
 *   check_map MAP.tif filter IMAGE COEFFICIENTS.txt convolve|correlate clamp|zero
 * Images have 8 or 16 bits (filter: any); every element must have the oracle's bits. */
#include "filters.h"
#include "kit/oracle.h"
#include "picture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static app_picture load(const char *path)
{
    app_picture p;
    app_error error;
    if (app_picture_load(path, 0, &app_default_limits, &p, &error)) {
        fprintf(stderr, "%s\n", error.text);
        exit(1);
    }
    return p;
}

static cm_image view(const app_picture *p)
{
    static const cm_pixel pixel[] = { CM_U8, CM_U16, CM_U16, CM_F32 };
    return (cm_image){ .data = p->pixels, .width = p->width, .height = p->height, .pixel = pixel[p->sample] };
}

static int same_bits(float a, float b)
{
    return (isnan(a) && isnan(b)) || memcmp(&a, &b, sizeof a) == 0;
}

static int report(const app_picture *map, int32_t width, int32_t height, size_t wrong, size_t first)
{
    if (map->width != width || map->height != height || map->sample != APP_F32) {
        printf("the map is %d x %d %s, not %d x %d f32\n", map->width, map->height, app_sample_name(map->sample), width,
               height);
        return 1;
    }
    if (wrong)
        printf("%zu of %d x %d elements differ, the first at (%zu, %zu)\n", wrong, width, height, first % (size_t)width,
               first / (size_t)width);
    return wrong != 0;
}

static int check_scores(const app_picture *map, char **argv)
{
    app_picture scene = load(argv[0]), part = load(argv[1]);
    const cm_image a = view(&scene), b = view(&part);
    cm_method method;
    if (cm_method_parse(argv[2], &method))
        return 2;
    oracle_sums sums = oracle_sums_make(&a, &b, strcmp(argv[3], "same") == 0 ? CM_SAME : CM_VALID);
    size_t wrong = 0, first = 0, count = (size_t)sums.width * (size_t)sums.height;
    if (map->width == sums.width && map->height == sums.height && map->sample == APP_F32)
        for (size_t i = count; i-- > 0;)
            if (!same_bits(((const float *)map->pixels)[i],
                           oracle_score(&sums, method, strcmp(argv[4], "nan") == 0 ? CM_FLAT_NAN : CM_FLAT_ZERO, i))) {
                wrong++;
                first = i;
            }
    int result = report(map, sums.width, sums.height, wrong, first);
    oracle_sums_free(&sums);
    app_picture_free(&scene);
    app_picture_free(&part);
    return result;
}

static int check_filter(const app_picture *map, char **argv)
{
    static app_filter filter;
    app_error error;
    app_picture scene = load(argv[0]);
    const cm_image a = view(&scene);
    if (app_filter_load(argv[1], &filter, &error)) {
        fprintf(stderr, "%s\n", error.text);
        return 1;
    }
    const cm_filter_options options = { .correlate = strcmp(argv[2], "correlate") == 0 };
    const cm_border border = strcmp(argv[3], "zero") == 0 ? CM_BORDER_ZERO : CM_BORDER_CLAMP;
    size_t wrong = 0, first = 0;
    if (map->width == scene.width && map->height == scene.height && map->sample == APP_F32)
        for (int y = scene.height; y-- > 0;)
            for (int x = scene.width; x-- > 0;) {
                size_t i = (size_t)y * (size_t)scene.width + (size_t)x;
                if (!same_bits(
                        ((const float *)map->pixels)[i],
                        oracle_convolve(&a, filter.value, filter.width, filter.height, &options, border, x, y))) {
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
    const int scores = argc == 8 && strcmp(argv[2], "score") == 0;
    if (!scores && !(argc == 7 && strcmp(argv[2], "filter") == 0))
        return 2;
    app_picture map = load(argv[1]);
    int result = scores ? check_scores(&map, argv + 3) : check_filter(&map, argv + 3);
    app_picture_free(&map);
    return result;
}
