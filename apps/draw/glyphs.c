/* SPDX-License-Identifier: BSD-2-Clause */
/* The shapes of the printable ASCII characters, as strokes on a grid. */
#include "glyphs.h"

#include <assert.h>

/* A shape is a list of polylines with commas between. A point is x and y as hexadecimal digits, y
 * downwards: 0 is the top of capitals, 4 that of small letters, c the line that letters stand on,
 * f the end of descenders. */
static const char *const shapes[] = {
    [' '] = "",
    ['!'] = "00 08,0c",
    ['"'] = "00 03,30 33",
    ['#'] = "20 1c,60 5c,04 74,08 78",
    ['$'] = "62 51 21 02 04 26 46 68 6a 5b 1b 0a,30 3d",
    ['%'] = "10 20 31 33 24 14 03 01 10,0c 70,58 68 79 7b 6c 5c 4b 49 58",
    ['&'] = "7c 13 11 20 40 51 52 06 0a 2c 4c 78",
    ['\''] = "00 03",
    ['('] = "20 03 0a 2d",
    [')'] = "00 23 2a 0d",
    ['*'] = "32 3a,04 68,64 08",
    ['+'] = "33 39,06 66",
    [','] = "1b 0e",
    ['-'] = "07 57",
    ['.'] = "0c",
    ['/'] = "0c 60",
    ['0'] = "20 40 62 6a 4c 2c 0a 02 20",
    ['1'] = "12 30 3c,1c 5c",
    ['2'] = "02 20 40 62 64 0c 6c",
    ['3'] = "00 60 35 45 67 6a 4c 2c 0a",
    ['4'] = "5c 50 09 79",
    ['5'] = "60 00 05 45 67 6a 4c 2c 0a",
    ['6'] = "61 40 20 02 0a 2c 4c 6a 68 46 26 08",
    ['7'] = "00 60 2c",
    ['8'] = "20 40 62 64 46 26 04 02 20,26 08 0a 2c 4c 6a 68 46",
    ['9'] = "0b 2c 4c 6a 62 40 20 02 04 26 46 64",
    [':'] = "05,0c",
    [';'] = "15,1b 0e",
    ['<'] = "63 07 6b",
    ['='] = "05 65,09 69",
    ['>'] = "03 67 0b",
    ['?'] = "02 20 40 62 64 36 38,3c",
    ['@'] = "7b 6c 2c 0a 02 20 60 82 87 78 69 58 54,57 48 38 27 25 34 44 55",
    ['A'] = "0c 40 8c,19 79",
    ['B'] = "0c 00 40 61 64 46 06,46 68 6a 4c 0c",
    ['C'] = "72 50 20 02 0a 2c 5c 7a",
    ['D'] = "0c 00 40 73 79 4c 0c",
    ['E'] = "60 00 0c 6c,06 56",
    ['F'] = "60 00 0c,06 56",
    ['G'] = "72 50 20 02 0a 2c 5c 7a 77 47",
    ['H'] = "00 0c,70 7c,06 76",
    ['I'] = "00 0c",
    ['J'] = "50 5a 3c 2c 0a",
    ['K'] = "00 0c,60 07,25 6c",
    ['L'] = "00 0c 6c",
    ['M'] = "0c 00 48 80 8c",
    ['N'] = "0c 00 7c 70",
    ['O'] = "20 50 72 7a 5c 2c 0a 02 20",
    ['P'] = "0c 00 40 62 65 47 07",
    ['Q'] = "20 50 72 7a 5c 2c 0a 02 20,49 7d",
    ['R'] = "0c 00 40 62 65 47 07,37 6c",
    ['S'] = "62 40 20 02 04 26 46 68 6a 4c 2c 0a",
    ['T'] = "00 80,40 4c",
    ['U'] = "00 0a 2c 5c 7a 70",
    ['V'] = "00 4c 80",
    ['W'] = "00 2c 53 8c a0",
    ['X'] = "00 7c,70 0c",
    ['Y'] = "00 46 80,46 4c",
    ['Z'] = "00 70 0c 7c",
    ['['] = "20 00 0d 2d",
    ['\\'] = "00 6c",
    [']'] = "00 20 2d 0d",
    ['^'] = "03 30 63",
    ['_'] = "0d 7d",
    ['`'] = "00 22",
    ['a'] = "64 6c,66 44 24 06 0a 2c 4c 6a",
    ['b'] = "00 0c,06 24 44 66 6a 4c 2c 0a",
    ['c'] = "66 44 24 06 0a 2c 4c 6a",
    ['d'] = "60 6c,66 44 24 06 0a 2c 4c 6a",
    ['e'] = "08 68 66 44 24 06 0a 2c 4c 6b",
    ['f'] = "40 30 12 1c,04 34",
    ['g'] = "64 6d 4f 2f 0e,66 44 24 06 0a 2c 4c 6a",
    ['h'] = "00 0c,06 24 44 66 6c",
    ['i'] = "04 0c,01",
    ['j'] = "24 2d 1f 0f,21",
    ['k'] = "00 0c,54 09,27 5c",
    ['l'] = "00 0a 2c",
    ['m'] = "04 0c,06 24 34 56 5c,56 74 84 a6 ac",
    ['n'] = "04 0c,06 24 44 66 6c",
    ['o'] = "24 44 66 6a 4c 2c 0a 06 24",
    ['p'] = "04 0f,06 24 44 66 6a 4c 2c 0a",
    ['q'] = "64 6f,66 44 24 06 0a 2c 4c 6a",
    ['r'] = "04 0c,06 24 44",
    ['s'] = "55 44 14 05 07 18 48 59 5b 4c 1c 0b",
    ['t'] = "21 2a 3c 4c,04 44",
    ['u'] = "04 0a 2c 4c 6a,64 6c",
    ['v'] = "04 3c 64",
    ['w'] = "04 2c 46 6c 84",
    ['x'] = "04 6c,64 0c",
    ['y'] = "04 3c,64 1f",
    ['z'] = "04 64 0c 6c",
    ['{'] = "30 11 15 06 17 1c 3d",
    ['|'] = "00 0e",
    ['}'] = "00 21 25 36 27 2c 0d",
    ['~'] = "08 16 26 48 58 67",
};
static const char box[] = "00 70 7c 0c 00";

enum { GAP = 3, SPACE = 5, DIGIT = 6 };

static int digit(char c)
{
    return c <= '9' ? c - '0' : c - 'a' + 10;
}

static void add_stroke(app_glyph *g, int x0, int y0, int x1, int y1)
{
    assert(g->strokes < APP_GLYPH_STROKES);
    unsigned char *s = g->stroke[g->strokes++];
    s[0] = (unsigned char)x0;
    s[1] = (unsigned char)y0;
    s[2] = (unsigned char)x1;
    s[3] = (unsigned char)y1;
}

static void read_shape(const char *shape, app_glyph *g)
{
    int last_x = -1, last_y = -1;
    *g = (app_glyph){ .width = 0 };
    for (; *shape; shape += 2) {
        const int x = digit(shape[0]), y = digit(shape[1]), joined = last_x >= 0;
        const char next = shape[2];
        if (joined || next != ' ')
            add_stroke(g, joined ? last_x : x, joined ? last_y : y, x, y);
        g->width = x > g->width ? x : g->width;
        last_x = next == ' ' ? x : -1;
        last_y = y;
        shape += next != 0;
    }
}

int app_glyph_next(const char **text, app_glyph *g)
{
    const unsigned char *at = (const unsigned char *)*text, c = *at;
    if (c == 0)
        return 0;
    do
        at++;
    while ((c & 0x80) && (*at & 0xc0) == 0x80); /* the rest of a UTF-8 sequence */
    *text = (const char *)at;
    read_shape(c < sizeof shapes / sizeof shapes[0] && shapes[c] ? shapes[c] : box, g);
    if (c >= '0' && c <= '9')
        g->width = DIGIT; /* so that numbers align */
    g->advance = c == ' ' ? SPACE : g->width + GAP;
    return 1;
}
