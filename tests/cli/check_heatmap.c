/* SPDX-License-Identifier: BSD-2-Clause */
/* check_heatmap HEATMAP.tif MAP.tif METHOD IMAGE X Y [BLEND [LOW HIGH]] [plain]: checks that the
 * heat map is RGB with the right extents, and the colour of each pixel of the image. Element (0, 0)
 * of the map belongs to pixel (X, Y). */
#include "exactncc/rules.h"

#include "draw/colour_scale.h"
#include "draw/stretch.h"
#include "sheet_file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct expected {
    app_picture map, scene;
    app_stretch stretch;
    unsigned char scale[APP_SCALE_STEPS][3];
    int x, y, turned;
    double blend, low, high;
} expected;

/* 1 if the colour is the one that pixel (x, y) should have. */
static int is_right(const expected *e, int x, int y, const uint8_t *rgb)
{
    const int i = x - e->x, j = y - e->y;
    const int inside = i >= 0 && j >= 0 && i < e->map.width && j < e->map.height;
    const size_t at = (size_t)j * (size_t)e->map.width + (size_t)i;
    const double v = inside ? app_picture_value(&e->map, at) : (double)NAN;
    const double grey = app_stretch_level(
        &e->stretch, app_picture_value(&e->scene, (size_t)y * (size_t)e->scene.width + (size_t)x));
    if (isnan(v)) /* any grey in a picture of its own, the scene in a blend */
        return rgb[0] == rgb[1] && rgb[0] == rgb[2] && (e->blend >= 1 || rgb[0] == grey);
    double place = e->high > e->low ? (v - e->low) / (e->high - e->low) : 1;
    place = place < 0 ? 0 : place > 1 ? 1 : place;
    if (e->turned && e->high > e->low)
        place = 1 - place;
    const unsigned char *colour = e->scale[(int)floor(255 * place + 0.5)];
    for (int c = 0; c < 3; c++)
        if (fabs(grey + e->blend * (colour[c] - grey) - rgb[c]) > 0.5001)
            return 0;
    return 1;
}

static void find_range(expected *e)
{
    e->low = INFINITY;
    e->high = -INFINITY;
    for (size_t i = 0; i < app_picture_samples(&e->map); i++) {
        const double v = app_picture_value(&e->map, i);
        if (isfinite(v)) {
            e->low = fmin(e->low, v);
            e->high = fmax(e->high, v);
        }
    }
}

static int check(const expected *e, const sheet_file *sheet)
{
    int wrong = 0;
    for (int y = 0; y < e->scene.height; y++)
        for (int x = 0; x < e->scene.width; x++) {
            /* The lines of a hatched area are not magnified. */
            const uint8_t *rgb = sheet_file_pixel(sheet, x, y);
            if (!rgb)
                rgb = sheet->rgb + 3 * ((size_t)(y * sheet->zoom) * (size_t)sheet->width +
                                        (size_t)(x * sheet->zoom));
            wrong += !is_right(e, x, y, rgb);
        }
    if (wrong)
        printf("%d pixels have wrong colours\n", wrong);
    return wrong;
}

int main(int argc, char **argv)
{
    static expected e;
    app_error error;
    sheet_file sheet;
    xncc_method method;
    const int plain = argc > 1 && strcmp(argv[argc - 1], "plain") == 0;
    argc -= plain;
    if (argc < 7 || app_picture_load(argv[2], 0, &app_default_reading, &e.map, &error) ||
        app_picture_load(argv[4], 0, &app_default_reading, &e.scene, &error) ||
        e.map.pixel != XNCC_F32 || xncc_method_parse(argv[3], &method, NULL) ||
        !app_stretch_find(&e.scene, &e.stretch))
        return 2;
    e.x = atoi(argv[5]);
    e.y = atoi(argv[6]);
    e.blend = argc > 7 ? atof(argv[7]) : 1;
    e.turned = xncc_method_is_distance(method);
    app_scale_fill(e.scale);
    find_range(&e);
    if (argc > 9) {
        e.low = atof(argv[8]);
        e.high = atof(argv[9]);
    }
    const int wrong = !sheet_file_read(argv[1], &e.scene, plain, &sheet) || check(&e, &sheet);
    free(sheet.rgb);
    app_picture_free(&e.map);
    app_picture_free(&e.scene);
    return wrong;
}
