/* SPDX-License-Identifier: BSD-2-Clause */
/* The BMP decoder: 1, 4 and 8 bits with a palette, 16, 24 and 32 bits; rows from the bottom or from
 * the top. Compressed files are refused by name. */
#include "lines.h"

#include <stdlib.h>
#include <string.h>

enum { FILE_HEAD = 14, CORE = 12, INFO = 40, LONGEST = 124 };
enum { RGB = 0, RLE8 = 1, RLE4 = 2, FIELDS = 3, JPEG = 4, PNG = 5, ALPHA_FIELDS = 6 };

typedef struct bmp_state {
    app_lines lines;
    app_input *input;
    app_reading reading;
    uint64_t data;  /* where the rows begin */
    uint64_t pitch; /* bytes per row in the file, a multiple of 4 */
    unsigned bits;  /* per pixel */
    int top_down;
    uint32_t mask[4]; /* the bits of R, G, B and alpha in a pixel of 16 or 32 bits */
    uint8_t *packed;  /* a row as in the file */
} bmp_state;

static uint32_t get16(const uint8_t *b)
{
    return (uint32_t)b[0] | (uint32_t)b[1] << 8;
}

static uint32_t get32(const uint8_t *b)
{
    return get16(b) | get16(b + 2) << 16;
}

static void close_bmp(void *state)
{
    bmp_state *s = state;
    app_lines_free(&s->lines);
    free(s->packed);
    free(s);
}

static xncc_status open_bmp(app_input *input, const app_reading *reading, void **state,
                            app_error *error)
{
    /* The last row comes first, so a pipe is kept. */
    xncc_status status = app_input_keep(input, error);
    bmp_state *s = status ? NULL : calloc(1, sizeof *s);
    if (!s)
        return status ? status : app_fail(error, XNCC_ERROR_MEMORY, "out of memory");
    s->input = input;
    s->reading = *reading;
    *state = s;
    return XNCC_OK;
}

static xncc_status fail_head(const char *what, app_error *error)
{
    return app_fail(error, XNCC_ERROR_UNSUPPORTED, "its BMP header is damaged: %s", what);
}

static xncc_status refuse_compression(uint32_t compression, app_error *error)
{
    static const char *const names[] = { "RGB", "RLE8", "RLE4", "bit fields", "JPEG", "PNG" };
    return app_fail(error, XNCC_ERROR_UNSUPPORTED,
                    "is a BMP with compression %u (%s), which is not supported; store it without "
                    "compression, or as PNG",
                    compression, compression <= PNG ? names[compression] : "unknown");
}

/* The masks of a pixel: those of the file, or the usual ones. */
static xncc_status take_masks(bmp_state *s, const uint8_t *head, uint32_t size,
                              uint32_t compression, app_error *error)
{
    static const uint32_t usual[2][4] = { { 0x7c00, 0x3e0, 0x1f, 0 },
                                          { 0xff0000, 0xff00, 0xff, 0 } };
    uint8_t after[16] = { 0 };
    memcpy(s->mask, usual[s->bits == 32], sizeof s->mask);
    if (compression == RGB)
        return XNCC_OK;
    const unsigned masks = compression == ALPHA_FIELDS || size >= 56 ? 4 : 3;
    if (size >= 52)
        memcpy(after, head + 40, 4 * masks);
    else if (app_input_read(s->input, after, 4 * masks) != 4 * masks)
        return fail_head("its bit fields are missing", error);
    uint32_t all = 0;
    for (unsigned i = 0; i < 4; i++) {
        const uint32_t m = s->mask[i] = get32(after + 4 * i);
        const uint32_t low = m & (~m + 1); /* the lowest bit */
        if ((i < 3 && m == 0) || (m & all) || (m && ((m / low) & (m / low + 1))) ||
            (s->bits == 16 && m > 0xffff))
            return fail_head("its bit fields are not valid", error);
        all |= m;
    }
    return XNCC_OK;
}

static xncc_status take_palette(bmp_state *s, uint32_t count, unsigned entry, app_error *error)
{
    uint8_t bytes[4] = { 0 };
    if (count == 0 || count > 1u << s->bits)
        count = 1u << s->bits;
    if (app_input_tell(s->input) + (uint64_t)count * entry > s->data)
        return fail_head("its palette does not fit before its pixels", error);
    for (uint32_t i = 0; i < count; i++) {
        if (app_input_read(s->input, bytes, entry) != entry)
            return fail_head("its palette is cut short", error);
        for (int c = 0; c < 3; c++)
            s->lines.samples.colour[i][c] = bytes[2 - c];
    }
    s->lines.samples.palette = 1;
    return XNCC_OK;
}

/* One level of a pixel of 16 or 32 bits, scaled to 0 .. 255 and rounded to nearest. */
static uint8_t level_of(uint32_t pixel, uint32_t mask)
{
    if (mask == 0)
        return 255;
    const uint32_t low = mask & (~mask + 1), most = mask / low;
    const uint64_t value = (pixel & mask) / low;
    return (uint8_t)((value * 510 + most) / (2 * (uint64_t)most));
}

/* A row of the file becomes R, G, B and perhaps alpha, or stays as it is with a palette. */
static void unpack(const bmp_state *s, uint8_t *line)
{
    const unsigned samples = s->lines.samples.per_pixel;
    const uint8_t *from = s->packed;
    if (s->bits <= 8) {
        memcpy(line, from, (size_t)s->lines.line_bytes);
        return;
    }
    for (int32_t x = 0; x < s->lines.width; x++, line += samples, from += s->bits / 8) {
        if (s->bits == 24) {
            line[0] = from[2];
            line[1] = from[1];
            line[2] = from[0];
            continue;
        }
        const uint32_t pixel = s->bits == 16 ? get16(from) : get32(from);
        for (unsigned c = 0; c < samples; c++)
            line[c] = level_of(pixel, s->mask[c]);
    }
}

static xncc_status next_line(void *state, uint8_t *line, app_error *error)
{
    bmp_state *s = state;
    const uint64_t y = (uint64_t)(s->top_down ? s->lines.row : s->lines.height - 1 - s->lines.row);
    const uint64_t bytes = ((uint64_t)s->lines.width * s->bits + 7) / 8; /* without the padding */
    if (!s->packed && !(s->packed = calloc(1, (size_t)s->pitch)))
        return app_fail(error, XNCC_ERROR_MEMORY, "out of memory for a row");
    app_input_seek(s->input, s->data + y * s->pitch);
    if (app_input_read(s->input, s->packed, (size_t)bytes) != bytes)
        return app_fail(error, XNCC_ERROR_UNSUPPORTED, "row %d cannot be read: %s", s->lines.row,
                        app_input_reason(s->input));
    unpack(s, line);
    return XNCC_OK;
}

static xncc_status skip_to(void *state, int32_t row, app_error *error)
{
    (void)state;
    (void)row;
    (void)error;
    return XNCC_OK; /* next_line goes to its row */
}

/* Reads the head after its size, and the palette or the masks. */
static xncc_status read_head(bmp_state *s, const uint8_t *head, uint32_t size, app_error *error)
{
    const int core = size == CORE;
    const uint32_t compression = core ? RGB : get32(head + 16);
    const int32_t width = core ? (int32_t)get16(head + 4) : (int32_t)get32(head + 4),
                  height = core ? (int32_t)get16(head + 6) : (int32_t)get32(head + 8);
    s->bits = get16(head + (core ? 10 : 14));
    s->top_down = height < 0;
    if (width <= 0 || height == 0 || height == INT32_MIN || get16(head + (core ? 8 : 12)) != 1)
        return fail_head("its extents or planes are not valid", error);
    if (compression != RGB && compression != FIELDS && compression != ALPHA_FIELDS)
        return refuse_compression(compression, error);
    const int deep = s->bits == 16 || s->bits == 32;
    if ((compression != RGB && !deep) ||
        (s->bits != 1 && s->bits != 4 && s->bits != 8 && s->bits != 24 && !(deep && !core)))
        return app_fail(error, XNCC_ERROR_UNSUPPORTED,
                        "is a BMP with %u bits per pixel and compression %u, which is not "
                        "supported; convert to 24 bits, or to PNG",
                        s->bits, compression);
    s->lines.width = width;
    s->lines.height = height < 0 ? -height : height;
    s->pitch = ((uint64_t)width * s->bits + 31) / 32 * 4;
    if (s->bits <= 8)
        return take_palette(s, core ? 0 : get32(head + 32), core ? 3 : 4, error);
    return deep ? take_masks(s, head, size, compression, error) : XNCC_OK;
}

static xncc_status select_bmp(void *state, uint32_t page, app_page *info, app_error *error)
{
    bmp_state *s = state;
    app_lines *l = &s->lines;
    uint8_t first[FILE_HEAD + 4], head[LONGEST] = { 0 };
    (void)page;
    if (app_input_read(s->input, first, sizeof first) != sizeof first)
        return fail_head(app_input_reason(s->input), error);
    const uint32_t size = get32(first + FILE_HEAD);
    s->data = get32(first + 10);
    if (size != CORE && (size < INFO || size > LONGEST || size == 64))
        return app_fail(error, XNCC_ERROR_UNSUPPORTED,
                        "is a BMP with a header of %u bytes, which is not supported; store it as "
                        "PNG",
                        size);
    memcpy(head, first + FILE_HEAD, 4);
    if (app_input_read(s->input, head + 4, size - 4) != size - 4)
        return fail_head(app_input_reason(s->input), error);
    xncc_status status = read_head(s, head, size, error);
    if (status)
        return status;
    l->samples.bits = s->bits <= 8 ? (uint16_t)s->bits : 8;
    l->samples.per_pixel = s->bits <= 8 ? 1 : s->mask[3] ? 4 : 3;
    l->samples.pixel = XNCC_U8;
    l->next = next_line;
    l->skip = skip_to;
    const app_lines_source source = { .colours = s->bits <= 8 ? 1 : 3,
                                      .alpha = s->mask[3] ? 3 : -1,
                                      .most = 2, /* 16 bits become 24 */
                                      .buffers = s->pitch,
                                      .file_size = app_input_size(s->input) };
    return app_lines_begin(l, &source, &s->reading, info, error);
}

static xncc_status decode_bmp(void *state, const app_target *to, int32_t *ready, app_error *error)
{
    bmp_state *s = state;
    return app_lines_decode(&s->lines, state, to, ready, error);
}

const app_decoder app_bmp_decoder = { .open = open_bmp,
                                      .close = close_bmp,
                                      .count = app_count_one,
                                      .select = select_bmp,
                                      .decode = decode_bmp };
