/* SPDX-License-Identifier: BSD-2-Clause */
/* What pictures are drawn with: levels, colours, text and the places of labels. */
#include "draw/canvas.h"
#include "draw/colour_scale.h"
#include "draw/glyphs.h"
#include "draw/labels.h"
#include "draw/legend.h"
#include "draw/stretch.h"
#include "heatmap.h"
#include "kit/kit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static kit_random numbers;

static uint32_t number_below(uint32_t limit)
{
    return (uint32_t)kit_below(&numbers, limit);
}

/* CIELAB of a colour, from sRGB's own curve and matrix: the other way round than the program. */
static void to_lab(const unsigned char *rgb, double *lab)
{
    static const double m[3][3] = { { 0.4124564, 0.3575761, 0.1804375 },
                                    { 0.2126729, 0.7151522, 0.0721750 },
                                    { 0.0193339, 0.1191920, 0.9503041 } };
    static const double white[3] = { 0.95047, 1, 1.08883 };
    double linear[3], f[3];
    for (int c = 0; c < 3; c++) {
        const double v = rgb[c] / 255.0;
        linear[c] = v <= 0.04045 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4);
    }
    for (int i = 0; i < 3; i++) {
        const double t = (m[i][0] * linear[0] + m[i][1] * linear[1] + m[i][2] * linear[2]) /
                         white[i];
        f[i] = t > 216.0 / 24389 ? cbrt(t) : (24389.0 / 27 * t + 16) / 116;
    }
    lab[0] = 116 * f[1] - 16;
    lab[1] = 500 * (f[0] - f[1]);
    lab[2] = 200 * (f[1] - f[2]);
}

/* Equal steps of lightness and of colour, within what rounding to bytes does. */
static void test_scale(void)
{
    enum { APART = 15, LAST = APP_SCALE_STEPS - 1 };
    unsigned char scale[APP_SCALE_STEPS][3];
    double lab[APP_SCALE_STEPS][3], least = INFINITY, most = 0;
    app_scale_fill(scale);
    for (int i = 0; i <= LAST; i++) {
        to_lab(scale[i], lab[i]);
        const double want = 16 + (94 - 16) * i / (double)LAST;
        CHECK(fabs(lab[i][0] - want) < 0.35);
    }
    for (int i = 0; i + APART <= LAST; i++) {
        const double *p = lab[i], *q = lab[i + APART];
        const double step = sqrt((p[0] - q[0]) * (p[0] - q[0]) + (p[1] - q[1]) * (p[1] - q[1]) +
                                 (p[2] - q[2]) * (p[2] - q[2]));
        least = step < least ? step : least;
        most = step > most ? step : most;
    }
    if (!(most < 1.1 * least))
        printf("steps from %g to %g\n", least, most);
    CHECK(most < 1.1 * least && least > 10);
}

static void check_colours(xncc_method method, const float *score, size_t count, const int *step)
{
    unsigned char scale[APP_SCALE_STEPS][3], rgb[3 * 8];
    double low, high;
    app_scale_fill(scale);
    memset(rgb, 7, sizeof rgb);
    app_heat_range(score, count, &low, &high);
    app_heatmap_paint(score, count, method, low, high, rgb);
    for (size_t i = 0; i < count; i++) {
        static const unsigned char untouched[3] = { 7, 7, 7 };
        CHECK(memcmp(rgb + 3 * i, step[i] < 0 ? untouched : scale[step[i]], 3) == 0);
    }
}

static void test_heat(void)
{
    const float scores[] = { -20, 140, 60, 30, NAN, -INFINITY, INFINITY, 20 };
    const float flat[] = { 7, NAN }, nothing[] = { NAN, NAN };
    static const int up[] = { 0, 255, 128, 80, -1, 0, 255, 64 };
    static const int down[] = { 255, 0, 128, 175, -1, 255, 0, 191 };
    static const int one[] = { 255, -1 }, none[] = { -1, -1 };
    unsigned char given[3], scale[APP_SCALE_STEPS][3];
    double low, high;
    check_colours(XNCC_CCOEFF, scores, 8, up);
    check_colours(XNCC_CCOEFF_NORMED, scores, 8, up);
    check_colours(XNCC_SQDIFF, scores, 8, down);
    check_colours(XNCC_SQDIFF_NORMED, scores, 8, down);
    check_colours(XNCC_CCORR, flat, 2, one);
    check_colours(XNCC_SQDIFF, flat, 2, one);
    check_colours(XNCC_CCORR, nothing, 2, none);
    app_heat_range(nothing, 2, &low, &high);
    CHECK(low == 0 && high == 0);
    app_scale_fill(scale);
    app_heatmap_paint(flat, 1, XNCC_CCORR, -13, 27, given);
    CHECK(memcmp(given, scale[128], 3) == 0);
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double random_value(xncc_pixel pixel)
{
    const double unit = number_below(1 << 24) / (double)(1 << 24);
    switch (pixel) {
    case XNCC_U8: return number_below(256);
    case XNCC_S8: return (double)number_below(256) - 128;
    case XNCC_U16: return number_below(65536);
    case XNCC_S16: return (double)number_below(65536) - 32768;
    case XNCC_U32: return (double)number_below(65536) * 65537 + number_below(65536);
    case XNCC_F32:
    case XNCC_F64: break;
    }
    return number_below(20) == 0   ? (double)NAN
           : number_below(50) == 0 ? (double)INFINITY
                                   : (unit - 0.5) * pow(10, (double)number_below(30) - 15);
}

/* Compares the levels with those of the sorted samples. */
static void check_stretch(app_picture *p, const double *values)
{
    const size_t pixels = (size_t)p->width * (size_t)p->height, step = (size_t)p->channels;
    double *sorted = calloc(pixels * 3, sizeof *sorted);
    size_t count = 0;
    app_stretch s;
    for (size_t i = 0; i < pixels; i++)
        for (size_t c = 0; c < (step >= 3 ? 3 : 1); c++)
            if ((!p->mask || p->mask[i]) && isfinite(values[i * step + c]))
                sorted[count++] = values[i * step + c];
    qsort(sorted, count, sizeof *sorted, compare);
    CHECK(app_stretch_find(p, &s) == 1);
    if (p->pixel == XNCC_U8) {
        CHECK(s.low == 0 && s.high == 255 && !s.stretched);
    } else if (count == 0) {
        CHECK(s.low == 0 && s.high == 0 && s.stretched);
    } else {
        double low = sorted[count / 200], high = sorted[count - 1 - count / 200];
        if (low == high) {
            low = sorted[0];
            high = sorted[count - 1];
        }
        if (s.low != low || s.high != high)
            printf("%s: %.17g .. %.17g, not %.17g .. %.17g\n", xncc_pixel_name(p->pixel), s.low,
                   s.high, low, high);
        CHECK(s.low == low && s.high == high && s.stretched);
    }
    free(sorted);
}

static void test_stretch(void)
{
    enum { PIXELS = 900, SAMPLES = 4 * PIXELS };
    static double values[SAMPLES];
    for (int pixel = XNCC_U8; pixel <= XNCC_F64; pixel++)
        for (int kind = 0; kind < 8; kind++) {
            uint8_t mask[PIXELS];
            app_picture wide = { .pixels = values, .width = kind < 6 ? 30 : 1, .height = 30 },
                        narrow;
            xncc_image view;
            void *converted = NULL;
            app_error error;
            wide.channels = kind % 4 == 3 ? 4 : kind % 4 == 2 ? 2 : 1;
            wide.pixel = XNCC_F64;
            for (int i = 0; i < SAMPLES; i++)
                values[i] = kind == 1 ? 5 : random_value((xncc_pixel)pixel);
            if (kind == 1)
                values[17] = 9;
            for (int i = 0; i < PIXELS; i++)
                mask[i] = kind == 5 ? 0 : number_below(3) != 0;
            narrow = wide;
            narrow.pixel = (xncc_pixel)pixel;
            narrow.mask = kind >= 4 ? mask : NULL;
            CHECK(app_picture_view(&wide, narrow.pixel, &view, &converted, &error) == XNCC_OK);
            narrow.pixels = converted ? converted : values;
            for (size_t i = 0; i < SAMPLES && i < app_picture_samples(&narrow); i++)
                values[i] = app_picture_value(&narrow, i);
            check_stretch(&narrow, values);
            free(converted);
        }
    const app_stretch s = { -1, 3, 1 }, huge = { -1.7e308, 1.7e308, 1 }, none = { 2, 2, 1 };
    CHECK(app_stretch_level(&s, -1) == 0 && app_stretch_level(&s, 3) == 255);
    CHECK(app_stretch_level(&s, -9) == 0 && app_stretch_level(&s, 9) == 255);
    CHECK(app_stretch_level(&s, 1) == 128 && app_stretch_level(&s, (double)NAN) == 0);
    CHECK(app_stretch_level(&huge, 0) == 128 && app_stretch_level(&none, 2) == 0);
    CHECK(app_stretch_level(&s, (double)INFINITY) == 255);
}

/* The pixels of a text, white on black. */
static size_t draw_text(const char *text, unsigned char *rgb, int64_t width, int64_t height)
{
    static const unsigned char white[3] = { 255, 255, 255 };
    const app_canvas c = { rgb, width, height };
    size_t sum = 0;
    memset(rgb, 0, (size_t)(3 * width * height));
    app_canvas_text(&c, 4, 4, 24, text, white);
    for (int64_t i = 0; i < width * height; i++)
        sum += rgb[3 * i];
    return sum;
}

/* Every character is seen, looks like no other, and stays between its neighbours. */
static void test_text(void)
{
    enum { SIDE = 44, BYTES = 3 * SIDE * SIDE };
    static unsigned char drawn[128][BYTES], other[BYTES];
    for (int c = ' '; c < 127; c++) {
        const char text[2] = { (char)c, 0 };
        const size_t ink = draw_text(text, drawn[c], SIDE, SIDE);
        const double width = app_text_width(text, 24);
        CHECK((ink > 0) == (c != ' '));
        CHECK(width > 5 && width < 30);
        int outside = 0;
        for (int y = 0; y < SIDE; y++)
            for (int x = 0; x < SIDE; x++)
                outside += drawn[c][3 * (y * SIDE + x)] &&
                           (x < 1 || x > 5 + (int)width || y < 1 || y > 4 + 24 * 5 / 4 + 3);
        CHECK(outside == 0);
        for (int d = ' '; d < c; d++)
            CHECK(memcmp(drawn[c], drawn[d], BYTES) != 0);
    }
    for (char c = '0'; c <= '9'; c++)
        CHECK(app_text_width((const char[]){ c, 0 }, 24) == app_text_width("0", 24));
    CHECK(app_text_width("ab", 12) == app_text_width("a", 12) + app_text_width("b", 12));
    /* One box for a sequence of UTF-8, for a control character, and for a stray byte. */
    draw_text("\n", drawn[0], SIDE, SIDE);
    CHECK(draw_text("\xe2\x82\xac", other, SIDE, SIDE) > 0 && memcmp(other, drawn[0], BYTES) == 0);
    CHECK(draw_text("\xff", other, SIDE, SIDE) > 0 && memcmp(other, drawn[0], BYTES) == 0);
    const char *at = "\xc3\xa9x";
    app_glyph glyph;
    CHECK(app_glyph_next(&at, &glyph) && *at == 'x' && app_glyph_next(&at, &glyph) &&
          !app_glyph_next(&at, &glyph));
}

static void test_names(void)
{
    char text[40];
    app_legend_name("a/b/c.tif", 9, text, sizeof text);
    CHECK(strcmp(text, "c.tif") == 0);
    app_legend_name("0123456789abcdefghij.tif", 15, text, sizeof text);
    CHECK(strcmp(text, "012345...ij.tif") == 0);
    app_legend_name("\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9", 10, text, sizeof text);
    CHECK(strcmp(text, "\xc3\xa9...\xc3\xa9\xc3\xa9") == 0);
    app_legend_name("folder/", 20, text, sizeof text);
    CHECK(strcmp(text, "folder/") == 0);
}

static int meet(app_box a, app_box b)
{
    return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height &&
           b.y < a.y + a.height;
}

static app_box label_box(const app_label *l, int64_t height)
{
    return (app_box){ l->x, l->y, l->width[l->form], height };
}

/* Whatever the frames are: labels are inside the picture and do not meet; those in the longer forms
 * hide no frame. Returns how many have the longest form. */
static size_t check_labels(app_label *labels, size_t count, int64_t width, int64_t height)
{
    enum { HIGH = 14 };
    size_t longest = 0;
    CHECK(app_labels_place(width, height, HIGH, 3, labels, count) == 1);
    int wrong = 0;
    for (size_t i = 0; i < count; i++) {
        if (labels[i].form < 0)
            continue;
        const app_box b = label_box(&labels[i], HIGH);
        longest += labels[i].form == 0;
        wrong += b.x < 0 || b.y < 0 || b.x + b.width > width || b.y + b.height > height;
        for (size_t k = 0; k < count; k++) {
            wrong += k != i && labels[k].form >= 0 && meet(b, label_box(&labels[k], HIGH));
            wrong += labels[i].form < 2 && meet(b, labels[k].frame);
        }
    }
    CHECK(wrong == 0);
    return longest;
}

static void test_labels(void)
{
    enum { MOST = 300 };
    static app_label labels[MOST];
    for (size_t count = 1; count <= MOST; count += count < 10 ? 3 : 70) {
        for (size_t i = 0; i < count; i++)
            labels[i] = (app_label){ .frame = { (int64_t)number_below(900) - 50,
                                                (int64_t)number_below(700) - 50, 30, 25 },
                                     .width = { 120, 60, 20 } };
        const size_t longest = check_labels(labels, count, 800, 600);
        CHECK(longest == 0 || longest * 4 >= count * 3);
    }
    /* Where there is room for all, all have the longest form. */
    for (int i = 0; i < 12; i++)
        labels[i] = (app_label){ .frame = { 180 * (i % 4) + 20, 200 * (i / 4), 40, 60 },
                                 .width = { 120, 60, 20 } };
    CHECK(check_labels(labels, 12, 800, 600) == 12);
    /* Where a label has no room, only that one is shorter. */
    labels[7].width[0] = 900;
    CHECK(check_labels(labels, 12, 800, 600) == 11 && labels[7].form == 1);
    const app_label wild[] = {
        { .frame = { -1000000, -1000000, 5, 5 }, .width = { 90, 50, 20 } },
        { .frame = { -500, -500, 5000, 5000 }, .width = { 90, 50, 20 } },
        { .frame = { 2147483647LL * 480, 5, 9, 9 }, .width = { 90, 50, 20 } },
        { .frame = { 20, 20, 1, 1 }, .width = { 4000, 4000, 4000 } },
    };
    memcpy(labels, wild, sizeof wild);
    check_labels(labels, 4, 100, 80);
    CHECK(labels[3].form == -1);
    memcpy(labels, wild, sizeof wild);
    check_labels(labels, 4, 1, 1);
}

/* Lines are outside of the box, dashes leave gaps, and what is not in the picture is cut off. */
static void test_frames(void)
{
    enum { WIDTH = 60, HEIGHT = 40, BYTES = 3 * WIDTH * HEIGHT };
    static const unsigned char red[3] = { 255, 0, 0 };
    static unsigned char rgb[BYTES];
    const app_canvas c = { rgb, WIDTH, HEIGHT };
    app_canvas_frame(&c, (app_box){ 20, 10, 8, 6 }, 2, red, 1, 0);
    int inside = 0, lines = 0;
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++) {
            const int set = rgb[3 * (y * WIDTH + x)] == 255;
            const int in = x >= 20 && x < 28 && y >= 10 && y < 16,
                      near = x >= 18 && x < 30 && y >= 8 && y < 18;
            inside += set && in;
            lines += set != (near && !in);
        }
    CHECK(inside == 0 && lines == 0);
    memset(rgb, 0, BYTES);
    app_canvas_frame(&c, (app_box){ 10, 10, 40, 20 }, 1, red, 4, 3);
    int dashes = 0;
    for (int x = 1; x < WIDTH; x++)
        dashes += rgb[3 * (9 * WIDTH + x)] && !rgb[3 * (9 * WIDTH + x - 1)];
    CHECK(dashes == 6);
    for (int i = 0; i < 2; i++) {
        const int64_t far = i ? -2147483648LL * 480 : 2147483647LL * 480;
        app_canvas_frame(&c, (app_box){ far, far, 2147483647LL * 480, 5 }, 2, red, 3, 2 * i);
        app_canvas_fill(&c, (app_box){ far, -far, 9, 9 }, red);
    }
}

int main(int argc, char **argv)
{
    kit_start(argc, argv);
    numbers = kit_stream(0);
    test_scale();
    test_heat();
    test_stretch();
    test_text();
    test_names();
    test_labels();
    test_frames();
    return kit_finish("draw");
}
