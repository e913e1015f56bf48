/* SPDX-License-Identifier: BSD-2-Clause */
/* How the pixels of a page are stored in its strips or tiles, and how a row of them becomes a row
 * of the picture. */
#ifndef APP_TIFF_LAYOUT_H
#define APP_TIFF_LAYOUT_H

#include "decoder.h"
#include "samples.h"

#include <tiffio.h>

typedef struct tiff_layout {
    uint32_t width, height; /* pixels */
    uint16_t photometric, compression, subfile;
    app_samples s;
    uint16_t planes; /* segments per place: 1, or one per picked sample if planes are separate */
    int tiled;
    int short_lists;        /* 1: the lists of offsets or sizes are shorter than they must be */
    int by_line;            /* 1: strips are too large, so lines are decoded one by one */
    uint32_t segment_width; /* pixels of a strip or tile */
    uint32_t segment_height;
    uint64_t segment_bytes; /* of one plane */
    uint64_t row_bytes;     /* of one row of a segment */
} tiff_layout;

/* Reads the tags of the current directory and fills *layout. The text of XNCC_ERROR_UNSUPPORTED
 * names the tag and its value, but not the file. */
xncc_status tiff_layout_read(TIFF *tif, const app_reading *reading, tiff_layout *layout,
                             app_error *error);

/* Fills the members about samples, channels and pixels that count. Part of tiff_layout_read. */
xncc_status tiff_layout_channels(TIFF *tif, const app_reading *reading, tiff_layout *layout,
                                 app_error *error);

/* Refuses tags that libtiff passes over without a word, and then reads other pixels than were
 * stored. colours, predictor: PhotometricInterpretation and Predictor as they are in the file; -1
 * if there is none. */
xncc_status tiff_layout_hidden(TIFF *tif, const tiff_layout *layout, int colours, int predictor,
                               app_error *error);

/* Fails if the page needs more memory than the limits allow. */
xncc_status tiff_layout_check(const tiff_layout *layout, uint64_t file_size,
                              const app_reading *reading, app_error *error);

/* Returns 0 if the stream of a strip or tile has another picture size than the tags say, else 1.
 * rows: the number of rows that it should have. */
int tiff_guard_segment(TIFF *tif, const tiff_layout *layout, uint32_t segment, uint32_t rows);

typedef enum tiff_stored { TIFF_STORED, TIFF_MISSING, TIFF_DAMAGED } tiff_stored;

/* Whether a strip or tile is in the file. A writer that leaves out what holds nothing gives it
 * neither bytes nor an offset. bytes: the size of what it holds, or 0 if that is not known. *why:
 * what is damaged. */
tiff_stored tiff_guard_stored(TIFF *tif, const tiff_layout *layout, uint32_t segment,
                              uint64_t bytes, const char **why);

/* Fills a strip, a tile or a row that is missing: with the no-data value of GDAL's tag, as GDAL
 * does, or else with 0. */
void tiff_guard_fill(TIFF *tif, const tiff_layout *layout, uint8_t *to, uint64_t bytes);

#endif
