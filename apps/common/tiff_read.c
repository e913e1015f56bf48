/* Opening a TIFF, selecting a page, and decoding it in steps. libtiff's messages are stored in the
 * handle and not printed. */
#include "tiff_layout.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { LINES_BYTES = 1 << 20 }; /* decoded per call if lines are decoded one by one */

const app_reading app_default_reading = { .max_memory = (uint64_t)8 << 30 };

struct app_tiff {
    TIFF *tif;
    char *path;
    app_reading reading;
    uint64_t file_size;
    uint32_t page;
    tiff_layout layout;
    uint8_t *segment; /* the current strip or tile of each plane, one after the other */
    uint32_t row;     /* the next row to decode */
    int decoding;     /* 1 while libtiff decodes pixels */
    int complained;   /* 1: libtiff has reported an error or, while decoding, a warning */
    char message[256];
};

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
    if (!t->decoding || strstr(format, "Old-style LZW") ||
        strstr(format, "exceeds expected dimensions"))
        return 1;
    return take_message(t, format, list);
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
    /* m: no memory map, so that a file that shrinks causes a read error and not a SIGBUS. C:
     * uncompressed strips are divided into smaller ones. */
    TIFF *tif = TIFFOpenExt(t->path, "rmC", options);
    TIFFOpenOptionsFree(options);
    return tif;
}

xncc_status app_tiff_open(const char *path, const app_reading *reading, app_tiff **tiff,
                          app_error *error)
{
    struct stat info;
    *tiff = NULL;
    if (stat(path, &info) != 0)
        return app_fail(error, XNCC_ERROR_ARGUMENT, "%s: cannot open: %s; check the name", path,
                        strerror(errno));
    if (!S_ISREG(info.st_mode))
        return app_fail(error, XNCC_ERROR_ARGUMENT, "%s: is not a regular file; name a TIFF file",
                        path);
    app_tiff *t = calloc(1, sizeof *t);
    if (!t || !(t->path = strdup(path))) {
        free(t);
        return app_fail(error, XNCC_ERROR_MEMORY, "%s: out of memory", path);
    }
    t->reading = *reading;
    t->file_size = (uint64_t)info.st_size;
    t->page = UINT32_MAX;
    t->tif = open_handle(t);
    if (!t->tif) {
        app_fail(error, XNCC_ERROR_ARGUMENT, "%s: cannot be read as TIFF: %s; give a TIFF file",
                 path, t->message[0] ? t->message : "no reason given");
        app_tiff_close(t);
        return XNCC_ERROR_ARGUMENT;
    }
    *tiff = t;
    return XNCC_OK;
}

void app_tiff_close(app_tiff *t)
{
    if (!t)
        return;
    if (t->tif)
        TIFFClose(t->tif);
    free(t->segment);
    free(t->path);
    free(t);
}

uint32_t app_tiff_pages(app_tiff *t)
{
    return TIFFNumberOfDirectories(t->tif);
}

static xncc_status fail_page(const app_tiff *t, xncc_status status, const char *text,
                             app_error *error)
{
    return app_fail(error, status, "%s: page %u: %s", t->path, t->page, text);
}

xncc_status app_tiff_select(app_tiff *t, uint32_t page, app_tiff_page *info, app_error *error)
{
    app_error text;
    const int fresh = t->page == UINT32_MAX && page == 0; /* opening read the first directory */
    t->page = page;
    t->row = 0;
    free(t->segment);
    t->segment = NULL;
    t->complained = 0;
    t->message[0] = 0;
    t->layout.height = 0;
    if (!fresh && !TIFFSetDirectory(t->tif, (tdir_t)page)) {
        uint32_t pages = app_tiff_pages(t);
        if (page >= pages)
            return app_fail(error, XNCC_ERROR_ARGUMENT,
                            "%s: there is no page %u: the file has %u, counted from 0", t->path,
                            page, pages);
        app_fail(&text, XNCC_OK, "cannot be read: %s; the file is damaged",
                 t->message[0] ? t->message : "no reason given");
        return fail_page(t, XNCC_ERROR_UNSUPPORTED, text.text, error);
    }
    tiff_layout layout;
    xncc_status status = tiff_layout_read(t->tif, &t->reading, &layout, &text);
    if (!status)
        status = tiff_layout_check(&layout, t->file_size, &t->reading, &text);
    if (status)
        return fail_page(t, status, text.text, error);
    t->layout = layout;
    info->width = (int32_t)layout.width;
    info->height = (int32_t)layout.height;
    info->pixel = layout.pixel;
    info->channels = layout.channels;
    info->masked = tiff_layout_masked(&layout);
    info->secondary = layout.subfile != 0;
    return XNCC_OK;
}

static xncc_status fail_decode(app_tiff *t, const char *what, uint32_t x, uint32_t y,
                               app_error *error)
{
    app_error text;
    app_fail(&text, XNCC_OK, "%s at (%u, %u) cannot be decoded: %s; the file is damaged", what, x,
             y, t->message[0] ? t->message : "too few bytes, or a stream of another size");
    return fail_page(t, XNCC_ERROR_UNSUPPORTED, text.text, error);
}

/* Decodes the strips or tiles of all planes at one place into the segment buffer. bytes: the size
 * that each must have. */
static int decode_segment(app_tiff *t, uint32_t x, uint32_t rows, uint64_t bytes)
{
    const tiff_layout *l = &t->layout;
    for (unsigned plane = 0; plane < l->planes; plane++) {
        const uint16_t sample = l->separate ? l->pick[plane] : 0;
        const uint32_t segment = l->tiled ? TIFFComputeTile(t->tif, x, t->row, 0, sample)
                                          : TIFFComputeStrip(t->tif, t->row, sample);
        uint8_t *to = t->segment + plane * l->segment_bytes;
        if (!tiff_guard_segment(t->tif, l, segment, l->tiled ? l->segment_height : rows))
            return 0;
        tmsize_t got = l->tiled ? TIFFReadEncodedTile(t->tif, segment, to, (tmsize_t)bytes)
                                : TIFFReadEncodedStrip(t->tif, segment, to, (tmsize_t)bytes);
        if (got < 0 || (uint64_t)got != bytes || t->complained)
            return 0;
    }
    return 1;
}

/* Converts rows of the segment buffer to rows of the picture, from pixel (x, t->row) on. Rows that
 * the target does not have are left out. */
static void convert_segment(const app_tiff *t, const app_tiff_target *to, uint32_t x,
                            uint32_t width, uint32_t rows)
{
    const tiff_layout *l = &t->layout;
    const uint64_t pixel = l->channels * (uint64_t)xncc_pixel_size(l->pixel);
    for (uint32_t r = 0; r < rows; r++) {
        const uint8_t *row[XNCC_MAX_CHANNELS + 1];
        const int64_t y = (int64_t)t->row + r - to->first;
        if (y < 0 || y >= to->rows)
            continue;
        for (unsigned plane = 0; plane < l->planes; plane++)
            row[plane] = t->segment + plane * l->segment_bytes + r * l->row_bytes;
        tiff_row_convert(l, row, width, (uint8_t *)to->pixels + y * to->pitch + x * pixel,
                         to->mask ? to->mask + (uint64_t)y * l->width + x : NULL);
    }
}

static xncc_status decode_lines(app_tiff *t, const app_tiff_target *to, app_error *error)
{
    const tiff_layout *l = &t->layout;
    uint64_t lines = 1 + LINES_BYTES / l->row_bytes;
    for (; lines > 0 && t->row < l->height; lines--) {
        if (TIFFReadScanline(t->tif, t->segment, t->row, l->separate ? l->pick[0] : 0) < 0 ||
            t->complained)
            return fail_decode(t, "the line", 0, t->row, error);
        convert_segment(t, to, 0, l->width, 1);
        t->row++;
    }
    return XNCC_OK;
}

static xncc_status decode_rows(app_tiff *t, const app_tiff_target *to, app_error *error)
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

xncc_status app_tiff_decode(app_tiff *t, const app_tiff_target *to, int32_t *ready,
                            app_error *error)
{
    const tiff_layout *l = &t->layout;
    xncc_status status = XNCC_OK;
    if (l->height == 0)
        return app_fail(error, XNCC_ERROR_ARGUMENT, "%s: no page has been selected", t->path);
    if (!t->segment) {
        uint64_t bytes = l->by_line
                             ? l->row_bytes
                             : l->segment_bytes * l->planes; /* checked by tiff_layout_check */
        t->segment = calloc(1, (size_t)bytes);
        if (!t->segment)
            return fail_page(t, XNCC_ERROR_MEMORY,
                             "out of memory for a strip or tile; free some memory", error);
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

void app_tiff_geo(app_tiff *t, app_geo *geo)
{
    app_geo_read(t->tif, geo);
}

void app_tiff_codecs(void (*take)(void *data, const char *name), void *data)
{
    TIFFCodec *codecs = TIFFGetConfiguredCODECs();
    for (const TIFFCodec *codec = codecs; codec && codec->name; codec++)
        take(data, codec->name);
    _TIFFfree(codecs);
}

const char *app_tiff_version(void)
{
    return TIFFGetVersion();
}
