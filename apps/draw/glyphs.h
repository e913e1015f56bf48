/* SPDX-License-Identifier: BSD-2-Clause */
/* The shapes of the printable ASCII characters, as strokes on a grid. */
#ifndef APP_GLYPHS_H
#define APP_GLYPHS_H

/* Capitals are as high as APP_GLYPH_HEIGHT units; no character reaches further down than
 * APP_GLYPH_DEPTH. */
enum { APP_GLYPH_HEIGHT = 12, APP_GLYPH_DEPTH = 15, APP_GLYPH_STROKES = 32 };

typedef struct app_glyph {
    int width, advance; /* in units: of the character, and to the next one */
    int strokes;
    unsigned char stroke[APP_GLYPH_STROKES][4]; /* x and y of both ends; a dot has equal ends */
} app_glyph;

/* The shape of the character at *text, which moves to the next one. A character that is not ASCII
 * (UTF-8), or not printable, is a box. Returns 0 at the end of the text. */
int app_glyph_next(const char **text, app_glyph *glyph);

#endif
