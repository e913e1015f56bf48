/* SPDX-License-Identifier: BSD-2-Clause */
/* A colour picture in memory, and what is drawn on it: rectangles, frames and text. Whatever
 * reaches beyond the picture is cut off. */
#ifndef APP_CANVAS_H
#define APP_CANVAS_H

#include <stdint.h>

typedef struct app_canvas {
    unsigned char *rgb; /* three bytes per pixel, tight rows */
    int64_t width, height;
} app_canvas;

typedef struct app_box {
    int64_t x, y, width, height;
} app_box;

/* Fills a rectangle with a colour of three bytes. */
void app_canvas_fill(const app_canvas *canvas, app_box box, const unsigned char *colour);

/* Mixes a colour into a rectangle; part 0 leaves it as it is, 1 fills it. */
void app_canvas_tint(const app_canvas *canvas, app_box box, const unsigned char *colour,
                     double part);

/* Draws lines of this thickness around a rectangle, outside of it. on and off: the lengths of the
 * dashes and of the gaps between them; off is 0 for solid lines. */
void app_canvas_frame(const app_canvas *canvas, app_box box, int64_t thickness,
                      const unsigned char *colour, int64_t on, int64_t off);

/* Draws a line of this thickness between two points; dashes as above. (x, y) is the top-left corner
 * of a pixel. */
void app_canvas_line(const app_canvas *canvas, const double from[2], const double to[2],
                     double thickness, const unsigned char *colour, int64_t on, int64_t off);

/* Marks a rectangle as empty: grey with diagonal lines. */
void app_canvas_hatch(const app_canvas *canvas, app_box box);

/* Draws a line of text with smooth edges. Its capitals are `size` pixels high, from row y on, and
 * descenders reach a quarter of that below. A character that is not ASCII becomes a box. */
void app_canvas_text(const app_canvas *canvas, double x, double y, double size, const char *text,
                     const unsigned char *colour);

/* The width of that text in pixels. */
double app_text_width(const char *text, double size);

#endif
