/* SPDX-License-Identifier: BSD-2-Clause */
/* Pictures inside of an HTML file, as PNG in base64. */
#include "html_picture.h"

#include "common/text_file.h"
#include "html_text.h"

#include <stdlib.h>
#include <string.h>

#ifdef APP_HAVE_PNG
#include <png.h>
#endif

int32_t app_html_factor(int32_t side, int32_t most)
{
    return (int32_t)(((int64_t)side + most - 1) / most);
}

#ifdef APP_HAVE_PNG
int app_html_has_pictures(void)
{
    return 1;
}

/* A picture that is becoming PNG: grey or RGB, with alpha or without. */
typedef struct pixels {
    unsigned char *bytes;
    int32_t width, height, x, y; /* x, y: its top-left pixel in the picture */
    int colours, alpha;
} pixels;

/* The mean level of a channel over the block of a pixel, and whether most of the block counts. */
static unsigned char mean(const app_picture *p, const app_stretch *s, const app_area *block,
                          int channel)
{
    uint32_t sum = 0, count = 0;
    for (int32_t y = block->y; y < block->y + block->height; y++)
        for (int32_t x = block->x; x < block->x + block->width; x++, count++) {
            const size_t at = (size_t)y * (size_t)p->width + (size_t)x;
            const double v = app_picture_value(p, at * (size_t)p->channels + (size_t)channel);
            sum += app_stretch_level(s, v);
        }
    return (unsigned char)((sum + count / 2) / count);
}

static unsigned char opacity(const app_picture *p, const app_area *block)
{
    uint32_t counting = 0;
    for (int32_t y = block->y; y < block->y + block->height; y++)
        for (int32_t x = block->x; x < block->x + block->width; x++)
            counting += p->mask[(size_t)y * (size_t)p->width + (size_t)x] != 0;
    return (unsigned char)(255 * counting / (uint32_t)(block->width * block->height));
}

static int32_t smaller(int64_t a, int64_t b)
{
    return (int32_t)(a < b ? a : b);
}

static void fill(const app_picture *p, const app_stretch *s, int32_t factor, const app_area *area,
                 pixels *to)
{
    unsigned char *byte = to->bytes;
    for (int32_t y = 0; y < to->height; y++)
        for (int32_t x = 0; x < to->width; x++) {
            app_area block = { area->x + x * factor, area->y + y * factor, 0, 0 };
            block.width = smaller(factor, (int64_t)area->x + area->width - block.x);
            block.height = smaller(factor, (int64_t)area->y + area->height - block.y);
            for (int c = 0; c < to->colours; c++)
                *byte++ = mean(p, s, &block, c);
            if (to->alpha)
                *byte++ = opacity(p, &block);
        }
}

/* Encodes, and prints what came out. Returns 0 if there is no memory. */
static int print_png(FILE *out, const pixels *from)
{
    app_text text;
    FILE *memory = app_text_open(&text);
    const png_uint_32 kind = (from->colours == 3 ? PNG_FORMAT_FLAG_COLOR : 0) |
                             (from->alpha ? PNG_FORMAT_FLAG_ALPHA : 0);
    png_image image = { .version = PNG_IMAGE_VERSION,
                        .width = (png_uint_32)from->width,
                        .height = (png_uint_32)from->height,
                        .format = kind };
    const int done = memory && png_image_write_to_stdio(&image, memory, 0, from->bytes, 0, NULL);
    char *bytes = memory ? app_text_close(&text) : NULL;
    if (done && bytes) {
        fputs("data:image/png;base64,", out);
        app_html_base64(out, (const unsigned char *)bytes, text.size);
    }
    free(bytes);
    return done && bytes;
}

/* The part of an area that is inside of the picture. */
static app_area inside(const app_picture *p, const app_area *a)
{
    const int64_t x = a->x < 0 ? 0 : a->x, y = a->y < 0 ? 0 : a->y;
    const int64_t right = smaller((int64_t)a->x + a->width, p->width),
                  bottom = smaller((int64_t)a->y + a->height, p->height);
    return (app_area){ (int32_t)x, (int32_t)y, (int32_t)(right > x ? right - x : 0),
                       (int32_t)(bottom > y ? bottom - y : 0) };
}

xncc_status app_html_picture(FILE *out, const app_picture *picture, const app_area *area,
                             const app_stretch *stretch, int32_t factor, int with_mask,
                             app_error *error)
{
    const app_area part = inside(picture, area);
    pixels to = { .width = app_html_factor(part.width, factor),
                  .height = app_html_factor(part.height, factor),
                  .colours = app_stretch_channels(picture),
                  .alpha = with_mask && picture->mask };
    if (to.width == 0 || to.height == 0)
        return XNCC_OK;
    const size_t pixel = (size_t)(to.colours + to.alpha);
    to.bytes = calloc((size_t)to.height, (size_t)to.width * pixel);
    if (to.bytes)
        fill(picture, stretch, factor, &part, &to);
    const int done = to.bytes && print_png(out, &to);
    free(to.bytes);
    return done ? XNCC_OK
                : app_fail(error, XNCC_ERROR_MEMORY, "out of memory for a picture of %d x %d",
                           to.width, to.height);
}
#else
int app_html_has_pictures(void)
{
    return 0;
}

xncc_status app_html_picture(FILE *out, const app_picture *picture, const app_area *area,
                             const app_stretch *stretch, int32_t factor, int with_mask,
                             app_error *error)
{
    (void)out;
    (void)picture;
    (void)area;
    (void)stretch;
    (void)factor;
    (void)with_mask;
    return app_fail(error, XNCC_ERROR_UNSUPPORTED, "this exactncc was built without libpng");
}
#endif
