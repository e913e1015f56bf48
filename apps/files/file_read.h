/* SPDX-License-Identifier: BSD-2-Clause */
/* Picture files of every format that this build reads. A page becomes a row-major picture with one
 * or more samples per pixel. The format is recognized by the content of the file.
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
 * - Palette of a TIFF: the upper 8 bits of the colour map's entries, or the whole entries if all
 * are below 256.
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
 * Pixels keep the order in which they are stored; a tag about orientation is ignored. What a codec
 * cannot decode, or decodes with a warning, is an error. There is no global state. One thread at a
 * time may use a handle. */
#ifndef APP_FILE_READ_H
#define APP_FILE_READ_H

#include "decoder.h"

typedef struct app_file app_file;

/* Opens a file, or standard input ("-"). On failure *file is NULL. Page 0 is not checked yet. */
xncc_status app_file_open(const char *path, const app_reading *reading, app_file **file,
                          app_error *error);
void app_file_close(app_file *file);

/* Sets *has to whether the file has such a page, counted from 0. Going through pages in rising
 * order takes time in proportion to their number. Fails if the file breaks before that is known. */
xncc_status app_file_has(app_file *file, uint32_t page, int *has, app_error *error);

/* Selects a page, checks that it can be read within the limits, and describes it. Allocates no
 * memory for its pixels. Pages of a pipe of frames can be selected in rising order only. */
xncc_status app_file_select(app_file *file, uint32_t page, app_page *info, app_error *error);

/* Reads the selected page's geo tags; empty if there are none, or no memory. Free them with
 * app_geo_free. */
void app_file_geo(app_file *file, app_geo *geo);

/* Decodes the next rows of the selected page: a strip, a row of tiles or a few lines. Rows above
 * the first row of the target are left out, and so are rows below its last one that are decoded
 * together with it. *ready: the number of rows from the top that are finished. Call it until *ready
 * is at least first + rows. The next target must not begin above *ready, unless the page is
 * selected again. */
xncc_status app_file_decode(app_file *file, const app_target *to, int32_t *ready, app_error *error);

/* The number of strips and tiles of a TIFF that this handle has decoded; 0 for other formats. */
uint64_t app_file_decoded(const app_file *file);

#endif
