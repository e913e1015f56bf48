/* SPDX-License-Identifier: BSD-2-Clause */
/* A map as a colour picture of the scene's size. */
#include "heatmap.h"

#include "draw/colour_scale.h"
#include "draw/legend.h"
#include "draw/sheet.h"
#include "rgb_out.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME = 48, TICKS = 12 };

void app_heat_range(const float *score, size_t count, double *low, double *high)
{
    *low = INFINITY;
    *high = -INFINITY;
    for (size_t i = 0; i < count; i++) {
        const double v = (double)score[i];
        if (isfinite(v)) {
            *low = v < *low ? v : *low;
            *high = v > *high ? v : *high;
        }
    }
    if (*low > *high)
        *low = *high = 0;
}

/* The step of the colour scale for a score. */
static int step_of(double v, xncc_method method, double low, double high)
{
    double place = high > low ? (v - low) / (high - low) : 1;
    place = place < 0 ? 0 : place > 1 ? 1 : place;
    if (xncc_method_is_distance(method) && high > low)
        place = 1 - place;
    return (int)floor(place * (APP_SCALE_STEPS - 1) + 0.5);
}

void app_heatmap_paint(const float *score, size_t count, xncc_method method, double low,
                       double high, unsigned char *rgb)
{
    unsigned char scale[APP_SCALE_STEPS][3];
    app_scale_fill(scale);
    for (size_t i = 0; i < count; i++)
        if (!isnan(score[i]))
            memcpy(rgb + 3 * i, scale[step_of((double)score[i], method, low, high)], 3);
}

static void mix(unsigned char *rgb, const unsigned char *colour, double part)
{
    for (int c = 0; c < 3; c++)
        rgb[c] = (unsigned char)floor(rgb[c] + part * (colour[c] - rgb[c]) + 0.5);
}

/* Draws the scores of one row of the map over what is on the sheet. */
static void draw_row(const app_heatmap *h, const app_sheet_plan *sheet, int32_t row,
                     const unsigned char *colours, const app_canvas *canvas)
{
    const int64_t zoom = sheet->zoom, y = (h->y + (int64_t)row) * zoom;
    for (int64_t i = 0; i < h->map->width; i++) {
        const int64_t x = h->x + i;
        if (x < 0 || x >= h->scene->width ||
            isnan(h->map->data[(size_t)row * (size_t)h->map->width + (size_t)i]))
            continue;
        for (int64_t dy = 0; dy < zoom; dy++)
            for (int64_t dx = 0; dx < zoom; dx++) {
                unsigned char *rgb = canvas->rgb + 3 * ((y + dy) * canvas->width + x * zoom + dx);
                if (h->look.blend < 1)
                    mix(rgb, colours + 3 * i, h->look.blend);
                else
                    memcpy(rgb, colours + 3 * i, 3);
            }
    }
}

/* Returns 0 if there is no memory. */
static int draw_scores(const app_heatmap *h, const app_sheet_plan *sheet, double low, double high,
                       const app_canvas *canvas)
{
    const size_t width = (size_t)h->map->width;
    unsigned char *colours = calloc(width, 3);
    for (int32_t row = 0; row < h->map->height && colours; row++) {
        const int64_t y = (int64_t)h->y + row;
        if (y < 0 || y >= h->scene->height)
            continue;
        app_heatmap_paint(h->map->data + (size_t)row * width, width, h->method, low, high, colours);
        draw_row(h, sheet, row, colours, canvas);
    }
    free(colours);
    return colours != NULL;
}

/* The distance of the bar's numbers: 1, 2 or 5 times a power of ten, so that there are a few. */
static double tick_step(double range, double most)
{
    const double rough = range / most, power = pow(10, floor(log10(rough)));
    const double part = rough / power;
    return power * (part <= 1 ? 1 : part <= 2 ? 2 : part <= 5 ? 5 : 10);
}

typedef struct bar {
    app_box box;
    double low, high, size; /* size: of the numbers */
    int turned;             /* 1: the high end is on the left */
} bar;

static double bar_x(const bar *b, double v)
{
    const double part = b->high > b->low ? (v - b->low) / (b->high - b->low) : 0.5;
    return (double)b->box.x + (b->turned ? 1 - part : part) * (double)(b->box.width - 1);
}

/* Writes a number below the bar, with a mark. It is moved so that it stays between the ends. */
static void draw_tick(const app_canvas *c, const bar *b, double v)
{
    char text[32];
    snprintf(text, sizeof text, "%.4g", fabs(v) < (b->high - b->low) * 1e-9 ? 0 : v);
    const double x = bar_x(b, v), width = app_text_width(text, b->size),
                 most = (double)(b->box.x + b->box.width) - width;
    double left = x - width / 2;
    left = left > most ? most : left;
    left = left < (double)b->box.x ? (double)b->box.x : left;
    const int64_t bottom = b->box.y + b->box.height;
    app_canvas_fill(c, (app_box){ (int64_t)x, bottom, 1, (int64_t)(b->size / 2) }, app_legend_ink);
    app_canvas_text(c, left, (double)bottom + b->size, b->size, text, app_legend_ink);
}

static void draw_bar(const app_canvas *c, const bar *b)
{
    unsigned char scale[APP_SCALE_STEPS][3];
    app_scale_fill(scale);
    for (int64_t x = 0; x < b->box.width; x++) {
        const int64_t last = b->box.width > 1 ? b->box.width - 1 : 1;
        const int step = b->high > b->low ? (int)((APP_SCALE_STEPS - 1) * x / last)
                                          : APP_SCALE_STEPS - 1;
        app_canvas_fill(c, (app_box){ b->box.x + x, b->box.y, 1, b->box.height }, scale[step]);
    }
    draw_tick(c, b, b->low);
    if (!(b->high > b->low))
        return;
    draw_tick(c, b, b->high);
    /* A number has about 6 characters, so one per ten heights of a character has room. */
    double most = (double)b->box.width / (10 * b->size);
    most = most > TICKS ? TICKS : most < 1 ? 1 : most;
    const double step = tick_step(b->high - b->low, most), ends = (b->high - b->low) * 0.6 / most;
    for (double v = ceil(b->low / step) * step; v <= b->high; v += step)
        if (v - b->low > ends && b->high - v > ends)
            draw_tick(c, b, v);
}

static size_t make_legend(const app_heatmap *h, int has_holes, app_legend_item *items)
{
    char name[NAME + 4], templ[NAME + 4];
    app_legend_name(h->name, NAME, name, sizeof name);
    app_legend_name(h->templ, NAME, templ, sizeof templ);
    items[0] = (app_legend_item){ .starts_line = 1 };
    snprintf(items[0].text, APP_LEGEND_TEXT, "%s in %s, %s", templ, name,
             xncc_method_name(h->method));
    items[1] = (app_legend_item){ .sample = APP_SAMPLE_HATCH, .text = "no score" };
    return has_holes ? 2 : 1;
}

/* 1 if a pixel of the scene has no score. */
static int has_holes(const app_heatmap *h)
{
    if (h->x > 0 || h->y > 0 || h->x + (int64_t)h->map->width < h->scene->width ||
        h->y + (int64_t)h->map->height < h->scene->height)
        return 1;
    for (size_t i = 0; i < (size_t)h->map->width * (size_t)h->map->height; i++)
        if (isnan(h->map->data[i]))
            return 1;
    return 0;
}

/* Draws the picture without its strip. Returns 0 if there is no memory. */
static int draw_scene(const app_heatmap *h, const app_sheet_plan *sheet, double low, double high,
                      const app_canvas *canvas)
{
    app_stretch stretch;
    if (h->look.blend >= 1)
        app_canvas_hatch(canvas, sheet->scene);
    else if (app_stretch_find(h->scene, &stretch))
        app_sheet_scene(sheet, h->scene, 1, &stretch, canvas);
    else
        return 0;
    return draw_scores(h, sheet, low, high, canvas);
}

/* Draws the whole sheet. Returns 0 if there is no memory. */
static int draw(const app_heatmap *h, app_canvas *canvas)
{
    const app_sheet_plan sheet = app_sheet_make(h->scene, h->look.plain);
    const app_canvas nothing = { NULL, sheet.width, 0 };
    const double size = sheet.text;
    app_legend_item items[2];
    bar b = { .size = size, .turned = xncc_method_is_distance(h->method) };
    if (h->look.has_range) {
        b.low = h->look.low;
        b.high = h->look.high;
    } else {
        app_heat_range(h->map->data, (size_t)h->map->width * (size_t)h->map->height, &b.low,
                       &b.high);
    }
    const size_t count = make_legend(h, h->look.blend >= 1 && has_holes(h), items);
    const int64_t text = app_legend_draw(&nothing, 0, size, items, count),
                  strip = h->look.plain ? 0 : text + (int64_t)(4.5 * size);
    app_sheet_open(&sheet, strip, canvas);
    if (!canvas->rgb || !draw_scene(h, &sheet, b.low, b.high, canvas))
        return 0;
    if (h->look.plain)
        return 1;
    app_legend_draw(canvas, sheet.scene.height, size, items, count);
    b.box = (app_box){ (int64_t)size, sheet.scene.height + text, sheet.width - 2 * (int64_t)size,
                       (int64_t)(1.4 * size) };
    draw_bar(canvas, &b);
    return 1;
}

xncc_status app_heatmap_write(const char *path, const app_heatmap *h, app_error *error)
{
    app_canvas canvas = { NULL, 0, 0 };
    xncc_status status = XNCC_OK;
    if (draw(h, &canvas))
        status = app_rgb_write(path,
                               &(app_rgb){ canvas.rgb,
                                           (int32_t)canvas.width,
                                           (int32_t)canvas.height,
                                           { &h->scene->geo, 0, 0 } },
                               error);
    else
        status = app_fail(error, XNCC_ERROR_MEMORY, "%s: out of memory for a picture of %d x %d",
                          path, h->scene->width, h->scene->height);
    free(canvas.rgb);
    return status;
}
