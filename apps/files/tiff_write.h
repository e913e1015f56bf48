/* SPDX-License-Identifier: BSD-2-Clause */
/* TIFF output: a float map, or 8-bit RGB. Strips or tiles are not compressed and follow each other
 * from the header on, so the place of each pixel in the file is known beforehand. No date is
 * written. So the same picture always gives the same bytes, whoever writes which part of it. */
#ifndef APP_TIFF_WRITE_H
#define APP_TIFF_WRITE_H

#include "fail.h"
#include "geo.h"

#include <stdint.h>

typedef struct app_tiff_out {
    const void *pixels; /* tight rows: one float per pixel, or three bytes if rgb is set */
    int32_t width, height;
    int rgb;
    int32_t tile;            /* side of a tile in pixels, a multiple of 16; 0: strips */
    const char *description; /* ImageDescription; NULL: none */
    uint64_t big_above;      /* bytes of pixels above which BigTIFF is written; 0: 3.5e9. Files
                                with tiles or several pages are always BigTIFF */
    uint64_t start;          /* of a page of several: app_tiff_book_start; otherwise 0 */
    app_place place;
    int has_nan; /* 1: NaN means no value, which GDAL's no-data tag then says */
} app_tiff_out;

/* Writes the file through app_output. Every write is checked, and the file is flushed to disk
 * before it gets its name. */
xncc_status app_tiff_write(const char *path, const app_tiff_out *picture, app_error *error);

/* app_tiff_write in parts, in any order, to an open file. The members pixels, description, place
 * and has_nan matter to the frame only. */

/* Writes rows to their place: `count` tight rows from row `first` on. Returns 0, or an errno. */
int app_tiff_put(int fd, const app_tiff_out *picture, int32_t first, int32_t count,
                 const void *rows);

/* Writes all that is not pixels. path: for messages. */
xncc_status app_tiff_frame(int fd, const char *path, const app_tiff_out *picture, app_error *error);

/* A file with several pages. path: for messages, must outlive the book. */
typedef struct app_tiff_book app_tiff_book;
xncc_status app_tiff_book_open(int fd, const char *path, app_tiff_book **book, app_error *error);

/* Where the pixels of the next page begin. */
uint64_t app_tiff_book_start(const app_tiff_book *book);

/* Ends a page whose pixels are in the file. */
xncc_status app_tiff_book_page(app_tiff_book *book, const app_tiff_out *picture, app_error *error);

/* NULL is allowed. */
void app_tiff_book_close(app_tiff_book *book);

/* A place in the file. */
typedef struct app_tiff_span {
    uint64_t offset, bytes;
} app_tiff_span;

/* Where the pixels are. */
app_tiff_span app_tiff_pixels(const app_tiff_out *picture);

#endif
