/* The image as a colour picture with every match framed and numbered. */
#include "overlay.h"

#include "output.h"
#include "tiff_write.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#ifdef APP_HAVE_PNG
#include <png.h>
#endif

enum { GLYPH_WIDTH = 3, GLYPH_HEIGHT = 5 };

/* Digits of 3 x 5 dots: three bits per row, the left dot in the highest bit. */
static const unsigned char glyphs[10][GLYPH_HEIGHT] = {
    { 7, 5, 5, 5, 7 }, { 2, 6, 2, 2, 7 }, { 7, 1, 7, 4, 7 }, { 7, 1, 7, 1, 7 }, { 5, 5, 7, 1, 1 },
    { 7, 4, 7, 1, 7 }, { 7, 4, 7, 5, 7 }, { 7, 1, 2, 2, 2 }, { 7, 5, 7, 5, 7 }, { 7, 5, 7, 1, 7 },
};

/* Colours that people with any colour vision can tell apart (Okabe and Ito, "Color universal
 * design", 2008). */
static const unsigned char palette[][3] = {
    { 240, 228, 66 },  { 86, 180, 233 }, { 230, 159, 0 }, { 0, 158, 115 },
    { 204, 121, 167 }, { 213, 94, 0 },   { 0, 114, 178 },
};

typedef struct canvas {
    unsigned char *rgb;
    int64_t width, height;
} canvas;

static void fill(const canvas *c, int64_t x, int64_t y, int64_t width, int64_t height,
                 const unsigned char *colour)
{
    int64_t x0 = x < 0 ? 0 : x, y0 = y < 0 ? 0 : y;
    int64_t x1 = x + width < c->width ? x + width : c->width,
            y1 = y + height < c->height ? y + height : c->height;
    for (y = y0; y < y1; y++)
        for (x = x0; x < x1; x++)
            memcpy(c->rgb + 3 * (y * c->width + x), colour, 3);
}

static void draw_label(const canvas *c, const app_frame *frame, int64_t scale,
                       const unsigned char *colour)
{
    static const unsigned char ground[3] = { 0, 0, 0 };
    char text[16];
    int digits = snprintf(text, sizeof text, "%d", frame->number < 0 ? 0 : frame->number);
    int64_t width = (digits * (GLYPH_WIDTH + 1) + 1) * scale, height = (GLYPH_HEIGHT + 2) * scale;
    /* Above the frame's top-left corner, or inside the frame if there is no room, and always inside
     * the picture. */
    int64_t x = frame->x, y = frame->y - height;
    x = x + width > c->width ? c->width - width : x;
    x = x < 0 ? 0 : x;
    y = y < 0 ? (frame->y < 0 ? 0 : frame->y) : y;
    fill(c, x, y, width, height, ground);
    for (int d = 0; d < digits; d++)
        for (int row = 0; row < GLYPH_HEIGHT; row++)
            for (int column = 0; column < GLYPH_WIDTH; column++)
                if (glyphs[text[d] - '0'][row] >> (GLYPH_WIDTH - 1 - column) & 1)
                    fill(c, x + (d * (GLYPH_WIDTH + 1) + 1 + column) * scale, y + (row + 1) * scale,
                         scale, scale, colour);
}

void app_overlay_draw(unsigned char *rgb, int32_t width, int32_t height, const app_frame *frames,
                      size_t count)
{
    const canvas c = { rgb, width, height };
    const int64_t side = width > height ? width : height;
    const int64_t line = 1 + side / 1000, scale = 2 + side / 800;
    while (count-- > 0) {
        const app_frame *f = &frames[count];
        const unsigned char *colour =
            palette[(size_t)f->colour % (sizeof palette / sizeof palette[0])];
        /* Around the window, so that the window itself remains visible. */
        fill(&c, (int64_t)f->x - line, (int64_t)f->y - line, f->width + 2 * line, line, colour);
        fill(&c, (int64_t)f->x - line, (int64_t)f->y + f->height, f->width + 2 * line, line,
             colour);
        fill(&c, (int64_t)f->x - line, f->y, line, f->height, colour);
        fill(&c, (int64_t)f->x + f->width, f->y, line, f->height, colour);
        draw_label(&c, f, scale, colour);
    }
}

/* The smallest and largest finite value of the channels that are shown. */
static void find_range(const app_picture *scene, int shown, double *low, double *high)
{
    const size_t count = (size_t)scene->width * (size_t)scene->height,
                 step = (size_t)scene->channels;
    *low = INFINITY;
    *high = -INFINITY;
    for (size_t i = 0; i < count; i++)
        for (int c = 0; c < shown; c++) {
            const double v = app_picture_value(scene, i * step + (size_t)c);
            if (isfinite(v)) {
                *low = v < *low ? v : *low;
                *high = v > *high ? v : *high;
            }
        }
}

unsigned char *app_overlay_ground(const app_picture *scene)
{
    const size_t count = (size_t)scene->width * (size_t)scene->height,
                 step = (size_t)scene->channels;
    const int shown = scene->channels >= 3 ? 3 : 1;
    unsigned char *rgb = calloc(count, 3);
    double low = 0, high = 255;
    if (rgb && scene->pixel != XNCC_U8)
        find_range(scene, shown, &low, &high);
    for (size_t i = 0; rgb && i < count; i++)
        for (int c = 0; c < 3; c++) {
            const double v = app_picture_value(scene, i * step + (size_t)(shown == 3 ? c : 0));
            const double level = isfinite(v) && high > low
                                     ? floor((v - low) * 255.0 / (high - low) + 0.5)
                                     : 0.0;
            rgb[3 * i + (size_t)c] = (unsigned char)level;
        }
    return rgb;
}

static int is_png(const char *path)
{
    size_t length = strlen(path);
    return length >= 4 && strcasecmp(path + length - 4, ".png") == 0;
}

#ifdef APP_HAVE_PNG
int app_overlay_has_png(void)
{
    return 1;
}

static xncc_status write_png(const char *path, const app_rgb *picture, app_error *error)
{
    app_output output;
    xncc_status status = app_output_open(path, &output, error);
    if (status)
        return status;
    FILE *file = fdopen(output.fd, "wb");
    png_image image = { .version = PNG_IMAGE_VERSION,
                        .width = (png_uint_32)picture->width,
                        .height = (png_uint_32)picture->height,
                        .format = PNG_FORMAT_RGB };
    int done = file && png_image_write_to_stdio(&image, file, 0, picture->pixels, 0, NULL);
    if (file) {
        output.fd = -1;
        done = (fclose(file) == 0) && done;
    }
    if (!done)
        status = app_fail(
            error, XNCC_ERROR_ARGUMENT,
            "%s: cannot write PNG: %s; free some space, or give a name that ends in .tif", path,
            image.message[0] ? image.message : "write error");
    return app_output_close(&output, status, error);
}
#else
int app_overlay_has_png(void)
{
    return 0;
}

static xncc_status write_png(const char *path, const app_rgb *picture, app_error *error)
{
    (void)picture;
    return app_fail(error, XNCC_ERROR_UNSUPPORTED,
                    "%s: this exactncc was built without libpng; give a name that ends in .tif",
                    path);
}
#endif

xncc_status app_overlay_check(const char *path, app_error *error)
{
    if (is_png(path) && !app_overlay_has_png())
        return write_png(path, NULL, error);
    return app_output_check(path, error);
}

xncc_status app_overlay_save(const char *path, const app_rgb *picture, app_error *error)
{
    if (is_png(path))
        return write_png(path, picture, error);
    const app_tiff_out out = { .pixels = picture->pixels,
                               .width = picture->width,
                               .height = picture->height,
                               .rgb = 1,
                               .place = picture->place };
    return app_tiff_write(path, &out, error);
}

xncc_status app_overlay_write(const char *path, const app_picture *scene, const app_frame *frames,
                              size_t count, app_error *error)
{
    unsigned char *rgb = app_overlay_ground(scene);
    if (!rgb)
        return app_fail(error, XNCC_ERROR_MEMORY, "%s: out of memory for a picture of %d x %d",
                        path, scene->width, scene->height);
    app_overlay_draw(rgb, scene->width, scene->height, frames, count);
    xncc_status status = app_overlay_save(
        path, &(app_rgb){ rgb, scene->width, scene->height, { &scene->geo, 0, 0 } }, error);
    free(rgb);
    return status;
}
