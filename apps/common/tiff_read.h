/* TIFF input. A page becomes a row-major picture of one sample a pixel:
 *   grey, 1 sample       as it is; MinIsWhite is inverted: largest value - v, -1 - v for signed samples, -v for floats
 *   1 to 4 bits          scaled to 0..255 (bilevel: 0 and 255)
 *   more samples         grey: the first is used, the others (alpha, more bands) are not looked at
 *   RGB                  luma (299 R + 587 G + 114 B + 500) / 1000 in integers, (299 R + 587 G + 114 B) / 1000 in
 * double for floats, both exact for greys; further samples are not looked at palette              the same luma of the
 * upper 8 bits of the colour map's entries (of the whole entries where all are below 256) YCbCr in JPEG        as RGB;
 * LogL, LogLuv: the luminance as float float64              rounded to float32;  signed 8 bits: widened to signed 16
 * Pixels are in the order in which they are stored; the Orientation tag is not followed. A strip or tile that libtiff
 * cannot decode, or only with a warning, is an error. Nothing here keeps global state; a handle is for one thread at a
 * time. */
#ifndef APP_TIFF_READ_H
#define APP_TIFF_READ_H

#include "fail.h"

#include <stddef.h>
#include <stdint.h>

typedef enum app_sample { APP_U8, APP_U16, APP_S16, APP_F32 } app_sample;

/* What a file may cost. */
typedef struct app_limits {
    uint64_t max_memory; /* bytes for one picture and the buffers to decode it */
    int trusted;         /* 1: do not ask whether so few bytes of file can hold so many pixels */
} app_limits;

/* 8 GiB, and files are not trusted. */
extern const app_limits app_default_limits;

typedef struct app_tiff_page {
    int32_t width, height;
    app_sample sample;
    int secondary; /* a reduced copy of another page, or a transparency mask (NewSubfileType) */
} app_tiff_page;

typedef struct app_tiff app_tiff;

/* On failure *tiff is NULL. Page 0 is not yet looked at. */
cm_status app_tiff_open(const char *path, const app_limits *limits, app_tiff **tiff, app_error *error);
void app_tiff_close(app_tiff *tiff);

/* How many pages (directories of the main chain) there are; 0 is possible for a damaged file. */
uint32_t app_tiff_pages(app_tiff *tiff);

/* Selects a page, counted from 0, checks that it can be read within the limits, and describes it. Nothing of its size
 * has been allocated when this returns. */
cm_status app_tiff_select(app_tiff *tiff, uint32_t page, app_tiff_page *info, app_error *error);

/* Decodes the next strip, row of tiles or few lines of the selected page into pixels, the address of the picture's
 * first row (pitch in bytes), and says in *ready how many rows from the top are finished. To be called until that is
 * the height. */
cm_status app_tiff_decode(app_tiff *tiff, void *pixels, int64_t pitch, int32_t *ready, app_error *error);

/* Bytes a pixel. */
size_t app_sample_size(app_sample sample);

/* The names of the codecs that this libtiff has, called one after the other, and its version line (constant string). */
void app_tiff_codecs(void (*take)(void *data, const char *name), void *data);
const char *app_tiff_version(void);

#endif
