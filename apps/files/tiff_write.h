/* SPDX-License-Identifier: BSD-2-Clause */
/* TIFF output: a float map, or 8-bit RGB. Strips are not compressed and no date is written, so that
 * the same picture always gives the same bytes. */
#ifndef APP_TIFF_WRITE_H
#define APP_TIFF_WRITE_H

#include "fail.h"
#include "geo.h"

#include <stdint.h>

typedef struct app_tiff_out {
    const void *pixels; /* tight rows: one float per pixel, or three bytes if rgb is set */
    int32_t width, height;
    int rgb;
    const char *description; /* ImageDescription; NULL: none */
    uint64_t big_above;      /* bytes of pixels above which BigTIFF is written; 0: 3.5e9 */
    app_place place;
    int has_nan; /* 1: NaN means no value, which GDAL's no-data tag then says */
} app_tiff_out;

/* Writes the file through app_output. Every write is checked, and the file is flushed to disk
 * before it gets its name. */
xncc_status app_tiff_write(const char *path, const app_tiff_out *picture, app_error *error);

#endif
