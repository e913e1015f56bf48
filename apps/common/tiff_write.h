/* TIFF output: a float map, or 8-bit RGB. Uncompressed strips, no date, so that the same picture
 * gives the same bytes.
 */
#ifndef APP_TIFF_WRITE_H
#define APP_TIFF_WRITE_H

#include "fail.h"
#include "geo.h"

#include <stdint.h>

typedef struct app_tiff_out {
    const void *pixels; /* rows without gaps: float, or three bytes a pixel when rgb */
    int32_t width, height;
    int rgb;
    const char *description; /* ImageDescription; NULL: none */
    uint64_t big_above;      /* BigTIFF when the pixels take more bytes; 0: 3.5 GB */
    app_place place;
    int has_nan; /* 1: a NaN stands for no value; GDAL's no-data tag says so */
} app_tiff_out;

/* Written as app_output says; every write is checked, and the file is flushed to the disk before it
 * gets its name. */
xncc_status app_tiff_write(const char *path, const app_tiff_out *picture, app_error *error);

#endif
