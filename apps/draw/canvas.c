/* SPDX-License-Identifier: BSD-2-Clause */
/* A colour picture in memory: rectangles, frames and text. */
#include "canvas.h"

#include "glyphs.h"

#include <math.h>
#include <string.h>

static app_box cut(const app_canvas *c, app_box b)
{
    const int64_t x = b.x < 0 ? 0 : b.x, y = b.y < 0 ? 0 : b.y;
    const int64_t right = b.x + b.width < c->width ? b.x + b.width : c->width,
                  bottom = b.y + b.height < c->height ? b.y + b.height : c->height;
    return (app_box){ x, y, right > x ? right - x : 0, bottom > y ? bottom - y : 0 };
}

static unsigned char *pixel(const app_canvas *c, int64_t x, int64_t y)
{
    return c->rgb + 3 * (y * c->width + x);
}

static void mix(unsigned char *rgb, const unsigned char *colour, double part)
{
    for (int i = 0; i < 3; i++)
        rgb[i] = (unsigned char)floor(rgb[i] + part * (colour[i] - rgb[i]) + 0.5);
}

void app_canvas_fill(const app_canvas *c, app_box box, const unsigned char *colour)
{
    const app_box b = cut(c, box);
    for (int64_t y = b.y; y < b.y + b.height; y++)
        for (int64_t x = b.x; x < b.x + b.width; x++)
            memcpy(pixel(c, x, y), colour, 3);
}

void app_canvas_tint(const app_canvas *c, app_box box, const unsigned char *colour, double part)
{
    const app_box b = cut(c, box);
    for (int64_t y = b.y; y < b.y + b.height; y++)
        for (int64_t x = b.x; x < b.x + b.width; x++)
            mix(pixel(c, x, y), colour, part);
}

/* A line, cut into dashes along its longer side. */
static void draw_line(const app_canvas *c, app_box line, const unsigned char *colour, int64_t on,
                      int64_t off)
{
    const int flat = line.width >= line.height;
    if (off == 0) {
        app_canvas_fill(c, line, colour);
        return;
    }
    /* Dashes that end before the picture are left out, so that a long line takes no time. */
    const int64_t start = flat ? line.x : line.y, length = flat ? line.width : line.height,
                  skip = start < 0 ? -start / (on + off) * (on + off) : 0,
                  end = flat ? c->width : c->height;
    for (int64_t at = skip; at < length && start + at < end; at += on + off) {
        const int64_t dash = length - at < on ? length - at : on;
        app_canvas_fill(c,
                        flat ? (app_box){ line.x + at, line.y, dash, line.height }
                             : (app_box){ line.x, line.y + at, line.width, dash },
                        colour);
    }
}

void app_canvas_frame(const app_canvas *c, app_box b, int64_t t, const unsigned char *colour,
                      int64_t on, int64_t off)
{
    draw_line(c, (app_box){ b.x - t, b.y - t, b.width + 2 * t, t }, colour, on, off);
    draw_line(c, (app_box){ b.x - t, b.y + b.height, b.width + 2 * t, t }, colour, on, off);
    draw_line(c, (app_box){ b.x - t, b.y, t, b.height }, colour, on, off);
    draw_line(c, (app_box){ b.x + b.width, b.y, t, b.height }, colour, on, off);
}

void app_canvas_hatch(const app_canvas *c, app_box box)
{
    static const unsigned char ground[3] = { 118, 118, 118 }, line[3] = { 92, 92, 92 };
    const app_box b = cut(c, box);
    for (int64_t y = b.y; y < b.y + b.height; y++)
        for (int64_t x = b.x; x < b.x + b.width; x++)
            memcpy(pixel(c, x, y), (x + y) % 8 < 2 ? line : ground, 3);
}

/* The distance of a point from a segment. */
static double distance(double px, double py, const double *from, const double *to)
{
    const double dx = to[0] - from[0], dy = to[1] - from[1], square = dx * dx + dy * dy;
    double t = square > 0 ? ((px - from[0]) * dx + (py - from[1]) * dy) / square : 0;
    t = t < 0 ? 0 : t > 1 ? 1 : t;
    return hypot(px - from[0] - t * dx, py - from[1] - t * dy);
}

void app_canvas_line(const app_canvas *c, const double from[2], const double to[2],
                     double thickness, const unsigned char *colour, int64_t on, int64_t off)
{
    const double reach = 0.5 * thickness, dx = to[0] - from[0], dy = to[1] - from[1],
                 length = hypot(dx, dy);
    const int64_t left = (int64_t)floor(fmin(from[0], to[0]) - reach),
                  top = (int64_t)floor(fmin(from[1], to[1]) - reach);
    const app_box b = cut(c, (app_box){ left, top,
                                        (int64_t)ceil(fmax(from[0], to[0]) + reach) - left + 1,
                                        (int64_t)ceil(fmax(from[1], to[1]) + reach) - top + 1 });
    for (int64_t y = b.y; y < b.y + b.height; y++)
        for (int64_t x = b.x; x < b.x + b.width; x++) {
            const double px = (double)x + 0.5, py = (double)y + 0.5;
            const double along = length > 0.0 ? ((px - from[0]) * dx + (py - from[1]) * dy) / length
                                              : 0.0;
            const int gap = off > 0 && along > 0.0 && (int64_t)along % (on + off) >= on;
            if (!gap && distance(px, py, from, to) <= reach)
                memcpy(pixel(c, x, y), colour, 3);
        }
}

/* Draws one character whose top-left corner is at (x, y). A pixel is covered as far as the nearest
 * stroke reaches into it. */
static void draw_glyph(const app_canvas *c, double x, double y, double unit, const app_glyph *g,
                       const unsigned char *colour)
{
    const double reach = unit * 0.85 > 0.6 ? unit * 0.85 : 0.6; /* half a stroke */
    const app_box b = cut(c,
                          (app_box){ (int64_t)floor(x - reach - 1), (int64_t)floor(y - reach - 1),
                                     (int64_t)ceil(g->width * unit + 2 * reach + 3),
                                     (int64_t)ceil(APP_GLYPH_DEPTH * unit + 2 * reach + 3) });
    for (int64_t row = b.y; row < b.y + b.height; row++)
        for (int64_t column = b.x; column < b.x + b.width; column++) {
            double nearest = INFINITY;
            for (int s = 0; s < g->strokes; s++) {
                const double from[2] = { x + g->stroke[s][0] * unit, y + g->stroke[s][1] * unit },
                             to[2] = { x + g->stroke[s][2] * unit, y + g->stroke[s][3] * unit };
                const double d = distance((double)column + 0.5, (double)row + 0.5, from, to);
                nearest = d < nearest ? d : nearest;
            }
            const double cover = reach + 0.5 - nearest;
            if (cover > 0)
                mix(pixel(c, column, row), colour, cover < 1 ? cover : 1);
        }
}

void app_canvas_text(const app_canvas *c, double x, double y, double size, const char *text,
                     const unsigned char *colour)
{
    const double unit = size / APP_GLYPH_HEIGHT;
    app_glyph glyph;
    for (const char *at = text; app_glyph_next(&at, &glyph); x += glyph.advance * unit)
        draw_glyph(c, x, y, unit, &glyph, colour);
}

double app_text_width(const char *text, double size)
{
    double width = 0;
    app_glyph glyph;
    for (const char *at = text; app_glyph_next(&at, &glyph);)
        width += glyph.advance;
    return width * size / APP_GLYPH_HEIGHT;
}
