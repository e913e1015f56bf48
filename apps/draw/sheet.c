/* SPDX-License-Identifier: BSD-2-Clause */
/* The picture that is written: a scene with a strip for a legend below. */
#include "sheet.h"

#include "legend.h"

#include <stdlib.h>
#include <string.h>

enum { SMALL = 480, NARROW = 320, TEXT = 10, TEXT_PART = 160 };

app_sheet_plan app_sheet_make(const app_picture *scene, int plain)
{
    const app_geo *g = &scene->geo;
    const int64_t side = scene->width > scene->height ? scene->width : scene->height;
    const int placed = g->has_scale || g->has_matrix || g->tie;
    app_sheet_plan p = { .zoom = 1 };
    if (!plain && !placed && side < SMALL)
        p.zoom = (SMALL + side - 1) / side;
    p.scene = (app_box){ 0, 0, scene->width * p.zoom, scene->height * p.zoom };
    p.width = !plain && p.scene.width < NARROW ? NARROW : p.scene.width;
    p.text = side * p.zoom > TEXT * TEXT_PART ? (double)(side * p.zoom) / TEXT_PART : TEXT;
    return p;
}

void app_sheet_open(const app_sheet_plan *p, int64_t strip, app_canvas *canvas)
{
    const int64_t height = p->scene.height + strip;
    *canvas = (app_canvas){ calloc((size_t)height, (size_t)p->width * 3), p->width, height };
    if (!canvas->rgb)
        return;
    app_canvas_fill(canvas, (app_box){ 0, p->scene.height, p->width, strip }, app_legend_ground);
    app_canvas_fill(canvas,
                    (app_box){ p->scene.width, 0, p->width - p->scene.width, p->scene.height },
                    app_legend_ground);
}

static void levels(const app_picture *scene, size_t i, int grey, const app_stretch *stretch,
                   unsigned char *rgb)
{
    const int shown = app_stretch_channels(scene);
    for (int c = 0; c < 3; c++)
        rgb[c] = app_stretch_level(
            stretch,
            app_picture_value(scene, i * (size_t)scene->channels + (size_t)(shown == 3 ? c : 0)));
    if (grey && shown == 3)
        rgb[0] = rgb[1] = rgb[2] = (unsigned char)((rgb[0] + rgb[1] + rgb[2] + 1) / 3);
}

void app_sheet_scene(const app_sheet_plan *p, const app_picture *scene, int grey,
                     const app_stretch *stretch, const app_canvas *canvas)
{
    for (int64_t y = 0; y < scene->height; y++) {
        unsigned char *row = canvas->rgb + 3 * y * p->zoom * canvas->width;
        for (int64_t x = 0; x < scene->width; x++) {
            unsigned char *rgb = row + 3 * x * p->zoom;
            levels(scene, (size_t)(y * scene->width + x), grey, stretch, rgb);
            for (int64_t i = 1; i < p->zoom; i++)
                memcpy(rgb + 3 * i, rgb, 3);
        }
        for (int64_t i = 1; i < p->zoom; i++)
            memcpy(row + 3 * i * canvas->width, row, 3 * (size_t)p->scene.width);
    }
}
