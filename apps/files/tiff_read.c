/* SPDX-License-Identifier: BSD-2-Clause */
/* The TIFF decoder: opening, selecting a page, and decoding it in steps. */
#include "tiff_read.h"

#include "tiff_layout.h"
#include "tiff_pages.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINES_BYTES = 1 << 20 }; /* decoded per call if lines are decoded one by one */

typedef struct app_tiff {
    TIFF *tif;
    app_input *input;
    uint64_t position; /* of libtiff in the input */
    tiff_pages pages;
    app_reading reading;
    tiff_layout layout;
    uint8_t *segment; /* the current strip or tile of each plane, one after the other */
    uint32_t row;     /* the next row to decode */
    uint64_t decoded; /* strips and tiles */
    int decoding;     /* 1 while libtiff decodes pixels */
    int short_lists;  /* as in tiff_layout */
    int complained;   /* 1: libtiff has reported an error or, while decoding, a warning */
    char message[256];
} app_tiff;

/* Stores the first message, as one line whatever the file contains. */
static int take_message(app_tiff *t, const char *format, va_list list)
{
    if (!t->complained) {
        vsnprintf(t->message, sizeof t->message, format, list);
        for (char *c = t->message; *c; c++)
            if ((unsigned char)*c < 32 || *c == 127)
                *c = ' ';
    }
    t->complained = 1;
    return 1;
}

static int on_error(TIFF *tif, void *data, const char *module, const char *format, va_list list)
{
    (void)tif;
    (void)module;
    return take_message(data, format, list);
}

/* During decoding a warning means that pixels are missing (a truncated JPEG is filled with grey),
 * except for these two. */
static int on_warning(TIFF *tif, void *data, const char *module, const char *format, va_list list)
{
    app_tiff *t = data;
    (void)tif;
    (void)module;
    t->short_lists |= !t->decoding && strstr(format, "ncorrect count for") != NULL;
    if (!t->decoding || strstr(format, "Old-style LZW") ||
        strstr(format, "exceeds expected dimensions"))
        return 1;
    return take_message(t, format, list);
}

static tmsize_t read_bytes(thandle_t handle, void *to, tmsize_t bytes)
{
    app_tiff *t = handle;
    if (bytes < 0 || !app_input_seek(t->input, t->position))
        return -1;
    const size_t got = app_input_read(t->input, to, (size_t)bytes);
    t->position += got;
    return (tmsize_t)got;
}

static tmsize_t write_bytes(thandle_t handle, void *from, tmsize_t bytes)
{
    (void)handle;
    (void)from;
    (void)bytes;
    return -1;
}

static toff_t seek_bytes(thandle_t handle, toff_t to, int from)
{
    app_tiff *t = handle;
    t->position = from == SEEK_SET   ? to
                  : from == SEEK_CUR ? t->position + to
                                     : app_input_size(t->input) + to;
    return t->position;
}

static int close_bytes(thandle_t handle)
{
    (void)handle;
    return 0;
}

static toff_t count_bytes(thandle_t handle)
{
    const app_tiff *t = handle;
    return app_input_size(t->input);
}

static TIFF *open_handle(app_tiff *t)
{
    TIFFOpenOptions *options = TIFFOpenOptionsAlloc();
    if (!options)
        return NULL;
    uint64_t cap = t->reading.max_memory > INT64_MAX / 2 ? INT64_MAX / 2 : t->reading.max_memory;
    TIFFOpenOptionsSetMaxSingleMemAlloc(options, (tmsize_t)cap);
#ifdef APP_HAVE_TIFF_CUMULATED_CAP
    TIFFOpenOptionsSetMaxCumulatedMemAlloc(options, (tmsize_t)(2 * cap));
#endif
    TIFFOpenOptionsSetErrorHandlerExtR(options, on_error, t);
    TIFFOpenOptionsSetWarningHandlerExtR(options, on_warning, t);
    /* h: the first directory is not read yet. m: no memory map, so that a file that shrinks causes
     * a read error and not a SIGBUS. C: uncompressed strips are divided into smaller ones. */
    TIFF *tif = TIFFClientOpenExt("input", "rhmC", t, read_bytes, write_bytes, seek_bytes,
                                  close_bytes, count_bytes, NULL, NULL, options);
    TIFFOpenOptionsFree(options);
    return tif;
}

static void close_tiff(void *state)
{
    app_tiff *t = state;
    if (t->tif)
        TIFFClose(t->tif);
    tiff_pages_close(&t->pages);
    free(t->segment);
    free(t);
}

static xncc_status open_tiff(app_input *input, const app_reading *reading, void **state,
                             app_error *error)
{
    xncc_status status = app_input_keep(input, error);
    app_tiff *t = status ? NULL : calloc(1, sizeof *t);
    if (!t)
        return status ? status : app_fail(error, XNCC_ERROR_MEMORY, "out of memory");
    t->reading = *reading;
    t->input = input;
    status = tiff_pages_open(input, &t->pages, error);
    if (!status && !(t->tif = open_handle(t)))
        status = app_fail(error, XNCC_ERROR_ARGUMENT, "cannot be read as TIFF: %s",
                          t->message[0] ? t->message : "out of memory");
    if (status)
        close_tiff(t);
    else
        *state = t;
    return status;
}

static xncc_status count_pages(void *state, uint32_t most, uint32_t *pages, app_error *error)
{
    app_tiff *t = state;
    xncc_status status = tiff_pages_find(&t->pages, most, error);
    *pages = t->pages.count < most ? t->pages.count : most;
    return status;
}

static xncc_status select_page(void *state, uint32_t page, app_page *info, app_error *error)
{
    app_tiff *t = state;
    t->row = 0;
    free(t->segment);
    t->segment = NULL;
    t->complained = 0;
    t->message[0] = 0;
    t->short_lists = 0;
    if (!TIFFSetSubDirectory(t->tif, t->pages.at[page]))
        return app_fail(error, XNCC_ERROR_UNSUPPORTED, "cannot be read: %s; the file is damaged",
                        t->message[0] ? t->message : "no reason given");
    tiff_layout *l = &t->layout;
    xncc_status status = tiff_layout_read(t->tif, &t->reading, l, error);
    l->short_lists = t->short_lists;
    if (!status)
        status = tiff_layout_hidden(t->tif, l,
                                    tiff_pages_short(&t->pages, page, TIFFTAG_PHOTOMETRIC),
                                    tiff_pages_short(&t->pages, page, TIFFTAG_PREDICTOR), error);
    if (!status)
        status = tiff_layout_check(l, app_input_size(t->input), &t->reading, error);
    if (status)
        return status;
    *info = (app_page){ .width = (int32_t)l->width,
                        .height = (int32_t)l->height,
                        .pixel = l->s.pixel,
                        .channels = l->s.channels,
                        .masked = app_samples_masked(&l->s),
                        .secondary = l->subfile != 0,
                        .together = l->by_line                      ? 1
                                    : l->segment_height < l->height ? (int32_t)l->segment_height
                                                                    : (int32_t)l->height,
                        .any_order = !l->by_line,
                        .buffers = l->by_line ? l->row_bytes : l->segment_bytes * l->planes };
    return XNCC_OK;
}

static xncc_status fail_decode(app_tiff *t, const char *what, uint32_t x, uint32_t y,
                               app_error *error)
{
    /* libjpeg's words for what it does not decode, such as lossless JPEG (0xc3) */
    const int other = strstr(t->message, "Unsupported JPEG process") ||
                      strstr(t->message, "Unsupported JPEG data precision");
    return app_fail(error, XNCC_ERROR_UNSUPPORTED, "%s at (%u, %u) cannot be decoded: %s; %s", what,
                    x, y, t->message[0] ? t->message : "too few bytes, or a stream of another size",
                    other ? "this kind of JPEG is not supported, store the picture with another "
                            "compression"
                          : "the file is damaged");
}

/* Decodes the strips or tiles of all planes at one place into the segment buffer. bytes: the size
 * that each must have. */
static int decode_segment(app_tiff *t, uint32_t x, uint32_t rows, uint64_t bytes)
{
    const tiff_layout *l = &t->layout;
    for (unsigned plane = 0; plane < l->planes; plane++) {
        const uint16_t sample = l->s.separate ? l->s.pick[plane] : 0;
        const uint32_t segment = l->tiled ? TIFFComputeTile(t->tif, x, t->row, 0, sample)
                                          : TIFFComputeStrip(t->tif, t->row, sample);
        uint8_t *to = t->segment + plane * l->segment_bytes;
        const char *why;
        const tiff_stored stored = tiff_guard_stored(t->tif, l, segment, bytes, &why);
        if (stored == TIFF_MISSING) {
            tiff_guard_fill(t->tif, l, to, bytes);
            continue;
        }
        snprintf(t->message, sizeof t->message, "%s", why);
        if (stored == TIFF_DAMAGED)
            return 0;
        if (!tiff_guard_segment(t->tif, l, segment, l->tiled ? l->segment_height : rows))
            return 0;
        tmsize_t got = l->tiled ? TIFFReadEncodedTile(t->tif, segment, to, (tmsize_t)bytes)
                                : TIFFReadEncodedStrip(t->tif, segment, to, (tmsize_t)bytes);
        if (got < 0 || (uint64_t)got != bytes || t->complained)
            return 0;
        t->decoded++;
    }
    return 1;
}

/* Converts rows of the segment buffer to rows of the picture, from pixel (x, t->row) on. Rows that
 * the target does not have are left out. */
static void convert_segment(const app_tiff *t, const app_target *to, uint32_t x, uint32_t width,
                            uint32_t rows)
{
    const tiff_layout *l = &t->layout;
    const uint64_t pixel = l->s.channels * (uint64_t)xncc_pixel_size(l->s.pixel);
    for (uint32_t r = 0; r < rows; r++) {
        const uint8_t *row[XNCC_MAX_CHANNELS + 1];
        const int64_t y = (int64_t)t->row + r - to->first;
        if (y < 0 || y >= to->rows)
            continue;
        for (unsigned plane = 0; plane < l->planes; plane++)
            row[plane] = t->segment + plane * l->segment_bytes + r * l->row_bytes;
        app_samples_convert(&l->s, row, width, (uint8_t *)to->pixels + y * to->pitch + x * pixel,
                            to->mask ? to->mask + (uint64_t)y * l->width + x : NULL);
    }
}

static int decode_line(app_tiff *t)
{
    const tiff_layout *l = &t->layout;
    const uint16_t sample = l->s.separate ? l->s.pick[0] : 0;
    const char *why;
    const tiff_stored stored = tiff_guard_stored(t->tif, l,
                                                 TIFFComputeStrip(t->tif, t->row, sample), 0, &why);
    if (stored == TIFF_MISSING) {
        tiff_guard_fill(t->tif, l, t->segment, l->row_bytes);
        return 1;
    }
    snprintf(t->message, sizeof t->message, "%s", why);
    return stored == TIFF_STORED && TIFFReadScanline(t->tif, t->segment, t->row, sample) >= 0 &&
           !t->complained;
}

static xncc_status decode_lines(app_tiff *t, const app_target *to, app_error *error)
{
    const tiff_layout *l = &t->layout;
    uint64_t lines = 1 + LINES_BYTES / l->row_bytes;
    const int64_t end = (int64_t)to->first + to->rows;
    for (; lines > 0 && t->row < l->height && t->row < end; lines--) {
        if (!decode_line(t))
            return fail_decode(t, "the line", 0, t->row, error);
        convert_segment(t, to, 0, l->width, 1);
        t->row++;
    }
    return XNCC_OK;
}

static xncc_status decode_rows(app_tiff *t, const app_target *to, app_error *error)
{
    const tiff_layout *l = &t->layout;
    const uint32_t left = l->height - t->row,
                   rows = left < l->segment_height ? left : l->segment_height;
    const uint64_t bytes = l->tiled ? l->segment_bytes : TIFFVStripSize64(t->tif, rows);
    if (bytes == 0 || bytes > l->segment_bytes)
        return fail_decode(t, "the strip", 0, t->row, error);
    for (uint32_t x = 0; x < l->width; x += l->segment_width) {
        const uint32_t right = l->width - x,
                       width = right < l->segment_width ? right : l->segment_width;
        if (!decode_segment(t, x, rows, bytes))
            return fail_decode(t, l->tiled ? "the tile" : "the strip", x, t->row, error);
        convert_segment(t, to, x, width, rows);
        if (right <= l->segment_width)
            break; /* x + segment_width may exceed 32 bits */
    }
    t->row += rows;
    return XNCC_OK;
}

/* Goes to the strip or row of tiles that has a row. Its rows above that one must be decoded, too.
 */
static void go_to_row(app_tiff *t, uint32_t row)
{
    const uint32_t start = row / t->layout.segment_height * t->layout.segment_height;
    if (start > t->row)
        t->row = start;
}

static xncc_status decode_tiff(void *state, const app_target *to, int32_t *ready, app_error *error)
{
    app_tiff *t = state;
    const tiff_layout *l = &t->layout;
    xncc_status status = XNCC_OK;
    if (!t->segment) {
        uint64_t bytes = l->by_line
                             ? l->row_bytes
                             : l->segment_bytes * l->planes; /* checked by tiff_layout_check */
        t->segment = calloc(1, (size_t)bytes);
        if (!t->segment)
            return app_fail(error, XNCC_ERROR_MEMORY,
                            "out of memory for a strip or tile; free some memory");
    }
    go_to_row(t, (uint32_t)to->first);
    if (t->row < l->height) {
        t->decoding = 1;
        t->complained = 0;
        t->message[0] = 0;
        status = l->by_line ? decode_lines(t, to, error) : decode_rows(t, to, error);
        t->decoding = 0;
    }
    *ready = (int32_t)t->row;
    return status;
}

static uint64_t count_decoded(void *state)
{
    const app_tiff *t = state;
    return t->decoded;
}

static void read_geo(void *state, app_geo *geo)
{
    app_tiff *t = state;
    app_geo_read(t->tif, geo);
}

const app_decoder app_tiff_decoder = { .paged = 1,
                                       .open = open_tiff,
                                       .close = close_tiff,
                                       .count = count_pages,
                                       .select = select_page,
                                       .decode = decode_tiff,
                                       .geo = read_geo,
                                       .decoded = count_decoded };

void app_tiff_codecs(void (*take)(void *data, const char *name), void *data)
{
    TIFFCodec *codecs = TIFFGetConfiguredCODECs();
    for (const TIFFCodec *codec = codecs; codec && codec->name; codec++)
        if (codec->scheme != COMPRESSION_OJPEG)
            take(data, codec->name);
    _TIFFfree(codecs);
}

const char *app_tiff_version(void)
{
    return TIFFGetVersion();
}
