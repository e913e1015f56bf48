/* TIFF input. A page becomes a row-major picture with one or more samples per pixel.
 *
 * Samples
 *
 * - 8 and 16 bits, 32-bit unsigned, float32 and float64 keep their values.
 *
 * - 1 to 4 bits are scaled to 0 .. 255 (bilevel: 0 and 255).
 *
 * - 32-bit signed samples become float64.
 *
 * - MinIsWhite is inverted: largest value - v; -1 - v for signed samples; -v for floats.
 *
 * Channels
 *
 * - APP_LUMA: one sample per pixel. RGB by (299 R + 587 G + 114 B + 500) / 1000 in integers, or by
 *   (299 R + 587 G + 114 B) / 1000 in double for floats and 32-bit signed samples; both are exact
 *   for greys. Entries of a palette by the same formula. Of anything else the first sample.
 *
 * - APP_SUM: all samples of a pixel except alpha. A palette gives R, G and B.
 *
 * - Palette: the upper 8 bits of the colour map's entries, or the whole entries if all are below
 * 256.
 *
 * - YCbCr in JPEG is converted to RGB; LogL and LogLuv to the luminance as float.
 *
 * Pixels that count
 *
 * - With an alpha sample: the pixels in which alpha is neither 0 nor NaN.
 *
 * - With a no-data value: the pixels in which at least one of the samples that are used differs
 * from it, as stored in the file. If the value is NaN: the pixels without a NaN.
 *
 * Pixels keep the order in which they are stored; the Orientation tag is ignored. A strip or tile
 * that libtiff cannot decode, or decodes with a warning, is an error. There is no global state. One
 * thread at a time may use a handle. */
#ifndef APP_TIFF_READ_H
#define APP_TIFF_READ_H

#include "exactncc/image.h"
#include "fail.h"
#include "geo.h"

#include <stddef.h>
#include <stdint.h>

typedef enum app_channels { APP_LUMA, APP_SUM } app_channels;

/* Where the no-data value comes from: the tag, nowhere, or the caller. */
typedef enum app_no_data { APP_NO_DATA_TAG, APP_NO_DATA_NONE, APP_NO_DATA_GIVEN } app_no_data;

/* How a file is read, and how much memory that may take. */
typedef struct app_reading {
    uint64_t max_memory; /* bytes for one picture and its decoding buffers */
    int trusted;         /* 1: accept pages that claim more pixels than their file can hold */
    app_channels channels;
    app_no_data no_data;
    double no_data_value; /* APP_NO_DATA_GIVEN */
    int mask;             /* 1: the file is a mask, so a "transparency mask" is read as grey */
} app_reading;

/* 8 GiB, not trusted, luma, and the no-data value of GDAL's tag. */
extern const app_reading app_default_reading;

/* A rectangle of pixels; (x, y) is its top-left pixel. */
typedef struct app_area {
    int32_t x, y, width, height;
} app_area;

typedef struct app_tiff_page {
    int32_t width, height;
    xncc_pixel pixel;
    int32_t channels; /* samples per pixel of the picture, 1 .. XNCC_MAX_CHANNELS */
    int masked;       /* 1: the page can have pixels that do not count */
    int secondary;    /* a reduced copy of another page, or a transparency mask (NewSubfileType) */
} app_tiff_page;

typedef struct app_tiff app_tiff;

/* Opens a file. On failure *tiff is NULL. Page 0 is not checked yet. */
xncc_status app_tiff_open(const char *path, const app_reading *reading, app_tiff **tiff,
                          app_error *error);
void app_tiff_close(app_tiff *tiff);

/* Number of pages (directories of the main chain); a damaged file can have 0. */
uint32_t app_tiff_pages(app_tiff *tiff);

/* Selects a page, counted from 0, checks that it can be read within the limits, and describes it.
 * Allocates no memory for its pixels. */
xncc_status app_tiff_select(app_tiff *tiff, uint32_t page, app_tiff_page *info, app_error *error);

/* Reads the selected page's geo tags; empty if there are none, or no memory. Free them with
 * app_geo_free. */
void app_tiff_geo(app_tiff *tiff, app_geo *geo);

/* The memory that rows of a page are decoded to. */
typedef struct app_tiff_target {
    void *pixels;  /* the first of the rows */
    int64_t pitch; /* bytes per row */
    uint8_t
        *mask; /* receives 1 for each pixel that counts, else 0, in tight rows; NULL: not wanted */
    int32_t first, rows; /* which rows of the page: `rows` rows from `first` on */
} app_tiff_target;

/* Decodes the next strip, row of tiles or few lines of the selected page; strips and tiles above
 * the first row of the target are left out. *ready: the number of rows from the top that are
 * finished. Call it until *ready is at least first + rows. */
xncc_status app_tiff_decode(app_tiff *tiff, const app_tiff_target *to, int32_t *ready,
                            app_error *error);

/* Calls take once per codec that libtiff has, with the codec's name. */
void app_tiff_codecs(void (*take)(void *data, const char *name), void *data);

/* libtiff's version text; a constant string. */
const char *app_tiff_version(void);

#endif
