/* SPDX-License-Identifier: BSD-2-Clause */
/* The PNG decoder, with libpng. Samples are used as they are stored: gamma, colour profiles and
 * significant bits are ignored. The chunk tRNS says which pixels do not count: one colour, or
 * entries of the palette. A picture with interlace is decoded as a whole. */
#include "lines.h"

#include <png.h>
#include <stdlib.h>
#include <string.h>

typedef struct png_state {
    app_lines lines;
    app_input *input;
    app_reading reading;
    png_structp png;
    png_infop info;
    int entries;  /* of the palette */
    uint8_t *all; /* the rows of an interlaced picture */
    char message[128];
    int complained;
} png_state;

static void on_error(png_structp png, png_const_charp text)
{
    png_state *s = png_get_error_ptr(png);
    if (!s->complained)
        for (size_t i = 0; text[i] && i + 1 < sizeof s->message; i++)
            s->message[i] = (unsigned char)text[i] < 32 || text[i] == 127 ? '?' : text[i];
    s->complained = 1;
    png_longjmp(png, 1);
}

/* Warnings are about chunks that are not used. */
static void on_warning(png_structp png, png_const_charp text)
{
    (void)png;
    (void)text;
}

static void read_bytes(png_structp png, png_bytep to, size_t bytes)
{
    png_state *s = png_get_io_ptr(png);
    if (app_input_read(s->input, to, bytes) != bytes)
        png_error(png, app_input_reason(s->input));
}

static void close_png(void *state)
{
    png_state *s = state;
    if (s->png)
        png_destroy_read_struct(&s->png, &s->info, NULL);
    app_lines_free(&s->lines);
    free(s->all);
    free(s);
}

static xncc_status fail_png(const png_state *s, app_error *error)
{
    return app_fail(error, XNCC_ERROR_UNSUPPORTED,
                    "cannot be decoded as PNG: %s; the file is damaged",
                    s->message[0] ? s->message : "no reason given");
}

static xncc_status open_png(app_input *input, const app_reading *reading, void **state,
                            app_error *error)
{
    png_state *s = calloc(1, sizeof *s);
    if (!s)
        return app_fail(error, XNCC_ERROR_MEMORY, "out of memory");
    s->input = input;
    s->reading = *reading;
    s->png = png_create_read_struct(PNG_LIBPNG_VER_STRING, s, on_error, on_warning);
    s->info = s->png ? png_create_info_struct(s->png) : NULL;
    if (!s->info) {
        close_png(s);
        return app_fail(error, XNCC_ERROR_MEMORY, "out of memory for libpng");
    }
    png_set_read_fn(s->png, s, read_bytes);
    *state = s;
    return XNCC_OK;
}

/* Reads the chunks before the pixels. Returns 0 if libpng reports an error. */
static int read_header(png_state *s)
{
    if (setjmp(png_jmpbuf(s->png)))
        return 0;
    const uint64_t most = s->reading.max_memory;
    png_set_user_limits(s->png, XNCC_MAX_SIDE, XNCC_MAX_SIDE);
    png_set_chunk_malloc_max(s->png, most < 64u << 20 ? (png_alloc_size_t)most : 64u << 20);
    png_set_crc_action(s->png, PNG_CRC_ERROR_QUIT, PNG_CRC_WARN_DISCARD);
    png_read_info(s->png, s->info);
    return 1;
}

/* Starts decoding. Returns 0 if libpng reports an error. */
static int start(png_state *s)
{
    if (setjmp(png_jmpbuf(s->png)))
        return 0;
    const uint16_t one = 1;
    if (s->lines.samples.bits == 16 && *(const uint8_t *)&one == 1)
        png_set_swap(s->png);
    if (s->all)
        png_set_interlace_handling(s->png);
    png_start_read_image(s->png);
    return png_get_rowbytes(s->png, s->info) == s->lines.line_bytes;
}

static int read_row(png_state *s, uint8_t *line)
{
    if (setjmp(png_jmpbuf(s->png)))
        return 0;
    png_read_row(s->png, line, NULL);
    return 1;
}

/* Decodes all passes of an interlaced picture. */
static int read_passes(png_state *s)
{
    enum { PASSES = 7 };
    for (int pass = 0; pass < PASSES; pass++)
        for (int32_t y = 0; y < s->lines.height; y++)
            if (!read_row(s, s->all + (uint64_t)y * s->lines.line_bytes))
                return 0;
    return 1;
}

/* The checks at the end of the pixels: their check sum, and that the file is complete. */
static int read_end(png_state *s)
{
    if (setjmp(png_jmpbuf(s->png)))
        return 0;
    png_read_end(s->png, NULL);
    return 1;
}

/* Whether every index in a row is one of the palette's. */
static int indices_fit(const png_state *s, const uint8_t *line)
{
    const unsigned bits = s->lines.samples.bits;
    if (s->entries >= 1 << bits)
        return 1;
    for (uint64_t x = 0; x < (uint64_t)s->lines.width; x++) {
        const unsigned shift = 8 - bits - (unsigned)(x * bits & 7);
        if ((line[x * bits >> 3] >> shift & ((1 << bits) - 1)) >= s->entries)
            return 0;
    }
    return 1;
}

static xncc_status next_line(void *state, uint8_t *line, app_error *error)
{
    png_state *s = state;
    const int32_t y = s->lines.row;
    int ok = 1;
    if (y == 0 && s->all)
        ok = read_passes(s);
    if (ok && s->all)
        memcpy(line, s->all + (uint64_t)y * s->lines.line_bytes, (size_t)s->lines.line_bytes);
    else if (ok)
        ok = read_row(s, line);
    if (ok && y + 1 == s->lines.height)
        ok = read_end(s);
    if (ok && s->entries > 0 && !indices_fit(s, line))
        return app_fail(error, XNCC_ERROR_UNSUPPORTED,
                        "row %d has a colour that the palette of %d entries lacks; the file is "
                        "damaged",
                        y, s->entries);
    return ok ? XNCC_OK : fail_png(s, error);
}

/* The transparent colour, or the transparent entries of the palette. */
static void take_transparency(png_state *s)
{
    app_samples *p = &s->lines.samples;
    png_bytep alpha = NULL;
    png_color_16p key = NULL;
    int count = 0;
    if (!png_get_tRNS(s->png, s->info, &alpha, &count, &key))
        return;
    if (p->palette) {
        for (int i = 0; i < count && i < 256; i++)
            p->clear[i] = alpha[i] == 0;
        p->clears = memchr(p->clear, 1, sizeof p->clear) != NULL;
    } else if (key && !p->alpha) {
        const unsigned scale = p->bits < 8 ? 255u / ((1u << p->bits) - 1) : 1;
        const unsigned most = p->bits < 16 ? (1u << p->bits) - 1 : 65535;
        if (p->per_pixel == 1 && key->gray <= most) {
            p->keys = 1;
            p->key[0] = key->gray * scale;
        } else if (p->per_pixel == 3 && key->red <= most && key->green <= most &&
                   key->blue <= most) {
            p->keys = 3;
            p->key[0] = key->red;
            p->key[1] = key->green;
            p->key[2] = key->blue;
        }
    }
}

static xncc_status take_palette(png_state *s, app_error *error)
{
    png_colorp entry = NULL;
    int count = 0;
    if (!png_get_PLTE(s->png, s->info, &entry, &count) || !entry)
        return app_fail(error, XNCC_ERROR_UNSUPPORTED, "has no palette; the file is damaged");
    for (int i = 0; i < count && i < 256; i++) {
        s->lines.samples.colour[i][0] = entry[i].red;
        s->lines.samples.colour[i][1] = entry[i].green;
        s->lines.samples.colour[i][2] = entry[i].blue;
    }
    s->lines.samples.palette = 1;
    s->entries = count;
    return XNCC_OK;
}

static xncc_status select_png(void *state, uint32_t page, app_page *info, app_error *error)
{
    png_state *s = state;
    app_lines *l = &s->lines;
    (void)page;
    if (!read_header(s))
        return fail_png(s, error);
    const int colour = png_get_color_type(s->png, s->info);
    l->width = (int32_t)png_get_image_width(s->png, s->info);
    l->height = (int32_t)png_get_image_height(s->png, s->info);
    l->samples.bits = png_get_bit_depth(s->png, s->info);
    l->samples.per_pixel = png_get_channels(s->png, s->info);
    l->samples.pixel = l->samples.bits == 16 ? XNCC_U16 : XNCC_U8;
    l->next = next_line;
    xncc_status status = colour == PNG_COLOR_TYPE_PALETTE ? take_palette(s, error) : XNCC_OK;
    if (status)
        return status;
    const int passes = png_get_interlace_type(s->png, s->info) != PNG_INTERLACE_NONE;
    const uint64_t row = png_get_rowbytes(s->png, s->info);
    const app_lines_source source = { .colours = colour & PNG_COLOR_MASK_PALETTE ? 1
                                                 : colour & PNG_COLOR_MASK_COLOR ? 3
                                                                                 : 1,
                                      .alpha = colour & PNG_COLOR_MASK_ALPHA
                                                   ? l->samples.per_pixel - 1
                                                   : -1,
                                      .most = 1040, /* of deflate */
                                      .buffers = 2 * row + (passes ? row * (uint64_t)l->height : 0),
                                      .file_size = app_input_size(s->input) };
    take_transparency(s);
    status = app_lines_begin(l, &source, &s->reading, info, error);
    if (status)
        return status;
    if (passes && !(s->all = calloc((size_t)l->height, (size_t)row)))
        return app_fail(error, XNCC_ERROR_MEMORY, "out of memory for %d x %d interlaced pixels",
                        l->width, l->height);
    return start(s) ? XNCC_OK : fail_png(s, error);
}

static xncc_status decode_png(void *state, const app_target *to, int32_t *ready, app_error *error)
{
    png_state *s = state;
    return app_lines_decode(&s->lines, state, to, ready, error);
}

const app_decoder app_png_decoder = { .open = open_png,
                                      .close = close_png,
                                      .count = app_count_one,
                                      .select = select_png,
                                      .decode = decode_png };
