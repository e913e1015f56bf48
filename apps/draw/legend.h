/* SPDX-License-Identifier: BSD-2-Clause */
/* The lines of text below a picture, with samples of its colours. */
#ifndef APP_LEGEND_H
#define APP_LEGEND_H

#include "canvas.h"

#include <stddef.h>

enum { APP_LEGEND_TEXT = 160 };

typedef enum app_sample { APP_SAMPLE_NONE, APP_SAMPLE_FRAME, APP_SAMPLE_HATCH } app_sample;

typedef struct app_legend_item {
    app_sample sample;           /* drawn before the text */
    const unsigned char *colour; /* APP_SAMPLE_FRAME */
    int64_t on, off;             /* APP_SAMPLE_FRAME: its dashes, as in app_canvas_frame */
    int starts_line;             /* 1: begins a new line */
    char text[APP_LEGEND_TEXT];
} app_legend_item;

/* The colours of every strip below a picture. */
extern const unsigned char app_legend_ground[3], app_legend_ink[3];

/* Draws the items from left to right, and in a new line where one does not fit. What is wider than
 * the whole line is cut. `top` is the first row of the strip, and `size` the height of capitals.
 * Returns the height of the strip. canvas->rgb NULL: only measures. */
int64_t app_legend_draw(const app_canvas *canvas, int64_t top, double size,
                        const app_legend_item *items, size_t count);

/* Writes the name of a picture as it is shown: without its folders, in at most `most` characters,
 * of which the middle ones are replaced by ... if there are more. */
void app_legend_name(const char *path, size_t most, char *text, size_t size);

#endif
