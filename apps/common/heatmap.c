/* A map as a colour picture. */
#include "heatmap.h"

#include "overlay.h"

#include <math.h>
#include <stdlib.h>

enum { STOPS = 5 };

static const unsigned char scale[STOPS][3] = {
    { 68, 1, 84 }, { 59, 82, 139 }, { 33, 145, 140 }, { 94, 201, 98 }, { 253, 231, 37 },
};

typedef struct range {
    double low, high;
} range;

static range range_of(const float *score, size_t count, xncc_method method)
{
    if (method == XNCC_CCOEFF_NORMED)
        return (range){ -1, 1 };
    if (method == XNCC_CCORR_NORMED || method == XNCC_SQDIFF_NORMED || method == XNCC_COVERAGE)
        return (range){ 0, 1 };
    range r = { INFINITY, -INFINITY };
    for (size_t i = 0; i < count; i++) {
        const double v = (double)score[i];
        if (isfinite(v)) {
            r.low = v < r.low ? v : r.low;
            r.high = v > r.high ? v : r.high;
        }
    }
    return r;
}

static void paint(double place, unsigned char *rgb)
{
    const int stop = place < 1 ? (int)(place * (STOPS - 1)) : STOPS - 2;
    const double rest = place * (STOPS - 1) - stop;
    for (int c = 0; c < 3; c++)
        rgb[c] = (unsigned char)floor(scale[stop][c] +
                                      rest * (scale[stop + 1][c] - scale[stop][c]) + 0.5);
}

void app_heatmap_paint(const float *score, size_t count, xncc_method method, unsigned char *rgb)
{
    const range r = range_of(score, count, method);
    const int small_is_good = xncc_method_is_distance(method);
    for (size_t i = 0; i < count; i++, rgb += 3) {
        const double v = (double)score[i];
        double place = r.high > r.low ? (v - r.low) / (r.high - r.low) : 1;
        place = place < 0 ? 0 : place > 1 ? 1 : place;
        if (isnan(v))
            rgb[0] = rgb[1] = rgb[2] = 128;
        else
            paint(small_is_good && r.high > r.low ? 1 - place : place, rgb);
    }
}

xncc_status app_heatmap_write(const char *path, const xncc_map *map, xncc_method method,
                              const app_place *place, app_error *error)
{
    const size_t count = (size_t)map->width * (size_t)map->height;
    unsigned char *rgb = calloc(count, 3);
    if (!rgb)
        return app_fail(error, XNCC_ERROR_MEMORY, "%s: out of memory for a picture of %d x %d",
                        path, map->width, map->height);
    app_heatmap_paint(map->data, count, method, rgb);
    xncc_status status = app_overlay_save(path, &(app_rgb){ rgb, map->width, map->height, *place },
                                          error);
    free(rgb);
    return status;
}
