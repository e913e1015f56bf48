/* TIFF input. A page becomes a row-major picture whose pixels have one sample, or several side by
 * side: samples              8 and 16 bits, 32-bit unsigned, float32, float64: as they are; 1 to 4
 * bits scaled to 0..255 (bilevel: 0 and 255); signed 32 bits as float64 MinIsWhite inverted:
 * largest value - v, -1 - v for signed samples, -v for floats APP_LUMA             one sample a
 * pixel: RGB by (299 R + 587 G + 114 B + 500) / 1000 in integers, (299 R + 587 G + 114 B) / 1000 in
 * double for floats and signed 32 bits, both exact for greys; a palette's entries by the same
 * formula; of all else the first sample APP_SUM              all samples of a pixel but alpha; a
 * palette gives R, G and B palette              the upper 8 bits of the colour map's entries (the
 * whole entries where all are below 256) YCbCr in JPEG        as RGB;  LogL, LogLuv: the luminance
 * as float Which pixels count. Where an extra sample is alpha, those where it is not 0 (nor a NaN);
 * where there is a no-data value, those of which a sample that is used differs from it as it is
 * stored (where it is a NaN: those without a NaN). Pixels are in the order in which they are
 * stored; the Orientation tag is not followed. A strip or tile that libtiff cannot decode, or only
 * with a warning, is an error. Nothing here keeps global state; a handle is for one thread at a
 * time. */
#ifndef APP_TIFF_READ_H
#define APP_TIFF_READ_H

#include "exactncc/image.h"
#include "fail.h"
#include "geo.h"

#include <stddef.h>
#include <stdint.h>

typedef enum app_channels { APP_LUMA, APP_SUM } app_channels;

/* Where the no-data value is from. */
typedef enum app_no_data { APP_NO_DATA_TAG, APP_NO_DATA_NONE, APP_NO_DATA_GIVEN } app_no_data;

/* How a file is read, and what that may cost. */
typedef struct app_reading {
    uint64_t max_memory; /* bytes for one picture and the buffers to decode it */
    int trusted;         /* 1: do not ask whether so few bytes of file can hold so many pixels */
    app_channels channels;
    app_no_data no_data;
    double no_data_value; /* APP_NO_DATA_GIVEN */
    int mask;             /* 1: the file is a mask: "transparency mask" is taken as grey */
} app_reading;

/* 8 GiB, files are not trusted, luma, and the no-data value of GDAL's tag. */
extern const app_reading app_default_reading;

typedef struct app_tiff_page {
    int32_t width, height;
    xncc_pixel pixel;
    int32_t channels; /* of the picture: samples a pixel, 1 .. XNCC_MAX_CHANNELS */
    int masked;       /* 1: there may be pixels that do not count */
    int secondary;    /* a reduced copy of another page, or a transparency mask (NewSubfileType) */
} app_tiff_page;

typedef struct app_tiff app_tiff;

/* On failure *tiff is NULL. Page 0 is not yet looked at. */
xncc_status app_tiff_open(const char *path, const app_reading *reading, app_tiff **tiff,
                          app_error *error);
void app_tiff_close(app_tiff *tiff);

/* How many pages (directories of the main chain) there are; 0 is possible for a damaged file. */
uint32_t app_tiff_pages(app_tiff *tiff);

/* Selects a page, counted from 0, checks that it can be read within the limits, and describes it.
 * Nothing of its size has been allocated when this returns. */
xncc_status app_tiff_select(app_tiff *tiff, uint32_t page, app_tiff_page *info, app_error *error);

/* The selected page's geo tags; to be freed with app_geo_free. Empty where there are none or memory
 * is short. */
void app_tiff_geo(app_tiff *tiff, app_geo *geo);

/* Where a page is decoded to. */
typedef struct app_tiff_target {
    void *pixels;  /* of the picture's first row */
    int64_t pitch; /* bytes a row */
    uint8_t *mask; /* 1 for each pixel that counts, else 0, rows without gaps; NULL: not wanted */
} app_tiff_target;

/* Decodes the next strip, row of tiles or few lines of the selected page, and says in *ready how
 * many rows from the top are finished. To be called until that is the height. */
xncc_status app_tiff_decode(app_tiff *tiff, const app_tiff_target *to, int32_t *ready,
                            app_error *error);

/* The names of the codecs that this libtiff has, called one after the other, and its version line
 * (constant string). */
void app_tiff_codecs(void (*take)(void *data, const char *name), void *data);
const char *app_tiff_version(void);

#endif
