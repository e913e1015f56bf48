/* SPDX-License-Identifier: BSD-2-Clause */
/* TIFF output. libtiff writes the frame: the header, and the directory after the pixels. It is
 * given pixels that are dropped on their way to the file, and the real ones go straight to their
 * place. */
#include "tiff_write.h"

#include "output.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tiffio.h>
#include <unistd.h>

enum { STRIP_BYTES = 256 << 10 };

static uint64_t pixel_bytes(const app_tiff_out *p)
{
    return p->rgb ? 3 : 4;
}

static int is_big(const app_tiff_out *p)
{
    const uint64_t bytes = (uint64_t)p->width * (uint64_t)p->height * pixel_bytes(p);
    return p->tile || p->start || bytes > (p->big_above ? p->big_above : 3500000000u);
}

/* Tiles per row of tiles, and rows of tiles. */
static uint64_t tiles(int32_t side, int32_t tile)
{
    return ((uint64_t)side + (uint64_t)tile - 1) / (uint64_t)tile;
}

static uint64_t tile_bytes(const app_tiff_out *p)
{
    return (uint64_t)p->tile * (uint64_t)p->tile * pixel_bytes(p);
}

static uint64_t strip_rows(const app_tiff_out *p)
{
    const uint64_t fit = STRIP_BYTES / ((uint64_t)p->width * pixel_bytes(p)),
                   height = (uint64_t)p->height;
    return fit < 1 ? 1 : fit < height ? fit : height;
}

app_tiff_span app_tiff_pixels(const app_tiff_out *p)
{
    const uint64_t rows = (uint64_t)p->width * (uint64_t)p->height * pixel_bytes(p);
    return (app_tiff_span){
        p->start    ? p->start
        : is_big(p) ? 16
                    : 8,
        p->tile ? tiles(p->width, p->tile) * tiles(p->height, p->tile) * tile_bytes(p) : rows
    };
}

/* What libtiff writes to. */
typedef struct sink {
    int fd;
    uint64_t position, size;
    app_tiff_span dropped;
    app_error message; /* of libtiff */
} sink;

/* Stores the first error. */
static int on_error(TIFF *tif, void *data, const char *module, const char *format, va_list list)
{
    app_error *message = &((sink *)data)->message;
    (void)tif;
    (void)module;
    if (!message->text[0])
        vsnprintf(message->text, sizeof message->text, format, list);
    return 1;
}

static int on_warning(TIFF *tif, void *data, const char *module, const char *format, va_list list)
{
    (void)tif;
    (void)data;
    (void)module;
    (void)format;
    (void)list;
    return 1;
}

static tmsize_t write_bytes(thandle_t handle, void *from, tmsize_t bytes)
{
    sink *s = handle;
    const app_tiff_span *d = &s->dropped;
    const uint64_t begin = s->position, end = begin + (uint64_t)bytes;
    const int within = begin >= d->offset && end <= d->offset + d->bytes;
    errno = within ? 0 : app_output_put(s->fd, from, (uint64_t)bytes, begin);
    if (errno)
        return -1;
    s->position = end;
    if (end > s->size)
        s->size = end;
    return bytes;
}

static tmsize_t read_bytes(thandle_t handle, void *to, tmsize_t bytes)
{
    sink *s = handle;
    const ssize_t got = pread(s->fd, to, (size_t)bytes, (off_t)s->position);
    s->position += got > 0 ? (uint64_t)got : 0;
    return got;
}

static toff_t seek_bytes(thandle_t handle, toff_t to, int from)
{
    sink *s = handle;
    s->position = from == SEEK_SET ? to : from == SEEK_CUR ? s->position + to : s->size + to;
    return s->position;
}

static toff_t count_bytes(thandle_t handle)
{
    return ((sink *)handle)->size;
}

static int close_bytes(thandle_t handle)
{
    (void)handle;
    return 0;
}

static int set_layout(TIFF *tif, const app_tiff_out *p)
{
    if (!p->tile)
        return TIFFSetField(tif, TIFFTAG_ROWSPERSTRIP, (uint32_t)strip_rows(p));
    return TIFFSetField(tif, TIFFTAG_TILEWIDTH, (uint32_t)p->tile) &&
           TIFFSetField(tif, TIFFTAG_TILELENGTH, (uint32_t)p->tile);
}

static int set_tags(TIFF *tif, const app_tiff_out *picture)
{
    char software[64];
    snprintf(software, sizeof software, "exactncc %s", xncc_version());
    int ok = TIFFSetField(tif, TIFFTAG_IMAGEWIDTH, (uint32_t)picture->width) &&
             TIFFSetField(tif, TIFFTAG_IMAGELENGTH, (uint32_t)picture->height) &&
             TIFFSetField(tif, TIFFTAG_BITSPERSAMPLE, picture->rgb ? 8 : 32) &&
             TIFFSetField(tif, TIFFTAG_SAMPLESPERPIXEL, picture->rgb ? 3 : 1) &&
             TIFFSetField(tif, TIFFTAG_SAMPLEFORMAT,
                          picture->rgb ? SAMPLEFORMAT_UINT : SAMPLEFORMAT_IEEEFP) &&
             TIFFSetField(tif, TIFFTAG_PHOTOMETRIC,
                          picture->rgb ? PHOTOMETRIC_RGB : PHOTOMETRIC_MINISBLACK) &&
             TIFFSetField(tif, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG) &&
             TIFFSetField(tif, TIFFTAG_COMPRESSION, COMPRESSION_NONE) && set_layout(tif, picture) &&
             TIFFSetField(tif, TIFFTAG_SOFTWARE, software);
    if (ok && picture->description)
        ok = TIFFSetField(tif, TIFFTAG_IMAGEDESCRIPTION, picture->description);
    app_geo_register(tif);
    return ok && app_geo_write(tif, &picture->place) &&
           (!picture->has_nan || app_no_data_write_nan(tif));
}

/* Gives libtiff strips or tiles, all with the same pixels. */
static int write_dropped(TIFF *tif, const app_tiff_out *p)
{
    const uint64_t row = (uint64_t)p->width * pixel_bytes(p), rows = strip_rows(p),
                   height = (uint64_t)p->height, most = p->tile ? tile_bytes(p) : rows * row,
                   count = p->tile ? tiles(p->width, p->tile) * tiles(p->height, p->tile)
                                   : (height + rows - 1) / rows;
    void *pixels = calloc(1, (size_t)most);
    int ok = pixels && set_tags(tif, p);
    for (uint64_t i = 0; i < count && ok; i++) {
        const uint64_t left = height - i * rows,
                       bytes = p->tile ? most : (left < rows ? left : rows) * row;
        const tmsize_t done = p->tile
                                  ? TIFFWriteEncodedTile(tif, (uint32_t)i, pixels, (tmsize_t)bytes)
                                  : TIFFWriteEncodedStrip(tif, (uint32_t)i, pixels,
                                                          (tmsize_t)bytes);
        ok = done == (tmsize_t)bytes;
    }
    free(pixels);
    if (!ok)
        return 0;
    /* The places that app_tiff_put assumes. TIFFFlush forgets them. */
    const app_tiff_span at = app_tiff_pixels(p);
    const uint64_t first = TIFFGetStrileOffset(tif, 0),
                   last = TIFFGetStrileOffset(tif, (uint32_t)count - 1) +
                          TIFFGetStrileByteCount(tif, (uint32_t)count - 1);
    return first == at.offset && last == at.offset + at.bytes &&
           (p->start ? TIFFWriteDirectory(tif) : TIFFFlush(tif));
}

static TIFF *open_sink(sink *to, const char *path, int big)
{
    TIFFOpenOptions *options = TIFFOpenOptionsAlloc();
    if (!options)
        return NULL;
    TIFFOpenOptionsSetErrorHandlerExtR(options, on_error, to);
    TIFFOpenOptionsSetWarningHandlerExtR(options, on_warning, NULL);
    TIFF *tif = TIFFClientOpenExt(path, big ? "wm8" : "wm", to, read_bytes, write_bytes, seek_bytes,
                                  close_bytes, count_bytes, NULL, NULL, options);
    TIFFOpenOptionsFree(options);
    return tif;
}

/* Fails because of errno or, if that is 0, of libtiff. */
static xncc_status fail_sink(const sink *to, const char *path, int reason, app_error *error)
{
    if (reason)
        return app_fail_errno(error, path, "cannot write", reason);
    return app_fail(error, XNCC_ERROR_ARGUMENT,
                    "%s: cannot write: %.200s; free some space or give another name", path,
                    to->message.text[0] ? to->message.text : "libtiff gave no reason");
}

xncc_status app_tiff_frame(int fd, const char *path, const app_tiff_out *picture, app_error *error)
{
    sink to = { .fd = fd, .dropped = app_tiff_pixels(picture) };
    errno = 0;
    TIFF *tif = open_sink(&to, path, is_big(picture));
    const int done = tif && write_dropped(tif, picture) && !to.message.text[0];
    const int reason = errno;
    if (tif)
        TIFFClose(tif);
    return done && !to.message.text[0] ? XNCC_OK : fail_sink(&to, path, reason, error);
}

struct app_tiff_book {
    const char *path;
    sink to;
    TIFF *tif;
};

xncc_status app_tiff_book_open(int fd, const char *path, app_tiff_book **book, app_error *error)
{
    app_tiff_book *b = calloc(1, sizeof *b);
    *book = NULL;
    if (!b)
        return app_fail(error, XNCC_ERROR_MEMORY, "%s: out of memory", path);
    b->path = path;
    b->to.fd = fd;
    errno = 0;
    b->tif = open_sink(&b->to, path, 1);
    if (b->tif) {
        *book = b;
        return XNCC_OK;
    }
    const xncc_status status = fail_sink(&b->to, path, errno, error);
    free(b);
    return status;
}

uint64_t app_tiff_book_start(const app_tiff_book *book)
{
    return book->to.size;
}

xncc_status app_tiff_book_page(app_tiff_book *b, const app_tiff_out *picture, app_error *error)
{
    b->to.dropped = app_tiff_pixels(picture);
    errno = 0;
    return write_dropped(b->tif, picture) && !b->to.message.text[0]
               ? XNCC_OK
               : fail_sink(&b->to, b->path, errno, error);
}

void app_tiff_book_close(app_tiff_book *b)
{
    if (!b)
        return;
    b->to.dropped = (app_tiff_span){ 0, 0 };
    TIFFClose(b->tif);
    free(b);
}

/* Writes rows that are in one row of tiles. buffer: has room for a tile. */
static int put_tiles(int fd, const app_tiff_out *p, int32_t first, int32_t count, const char *rows,
                     char *buffer)
{
    const uint64_t pixel = pixel_bytes(p), side = (uint64_t)p->tile * pixel,
                   row = (uint64_t)p->width * pixel, across = tiles(p->width, p->tile);
    const uint64_t down = (uint64_t)(first / p->tile), inside = (uint64_t)(first % p->tile) * side;
    int why = 0;
    for (uint64_t x = 0; x < across && !why; x++) {
        const uint64_t from = x * side, width = row - from < side ? row - from : side;
        for (int32_t y = 0; y < count; y++) {
            memcpy(buffer + (uint64_t)y * side, rows + (uint64_t)y * row + from, width);
            memset(buffer + (uint64_t)y * side + width, 0, side - width);
        }
        why = app_output_put(fd, buffer, (uint64_t)count * side,
                             app_tiff_pixels(p).offset + (down * across + x) * tile_bytes(p) +
                                 inside);
    }
    return why;
}

int app_tiff_put(int fd, const app_tiff_out *p, int32_t first, int32_t count, const void *rows)
{
    const uint64_t row = (uint64_t)p->width * pixel_bytes(p);
    const char *from = rows;
    if (!p->tile)
        return app_output_put(fd, rows, (uint64_t)count * row,
                              app_tiff_pixels(p).offset + (uint64_t)first * row);
    char *buffer = malloc((size_t)tile_bytes(p));
    int why = buffer ? 0 : ENOMEM;
    for (int32_t done = 0, now; done < count && !why; done += now) {
        now = p->tile - (first + done) % p->tile;
        if (now > count - done)
            now = count - done;
        why = put_tiles(fd, p, first + done, now, from + (uint64_t)done * row, buffer);
    }
    free(buffer);
    return why;
}

xncc_status app_tiff_write(const char *path, const app_tiff_out *picture, app_error *error)
{
    app_output output;
    xncc_status status = app_output_open(path, &output, error);
    if (status)
        return status;
    int why = app_tiff_put(output.fd, picture, 0, picture->height, picture->pixels);
    if (!why)
        status = app_tiff_frame(output.fd, path, picture, error);
    if (!why && !status && fsync(output.fd) != 0)
        why = errno;
    if (why)
        status = app_fail_errno(error, path, "cannot write", why);
    return app_output_close(&output, status, error);
}
