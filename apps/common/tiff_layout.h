/* How the pixels of a page lie in its strips or tiles, and how a row of them becomes a row of the picture. */
#ifndef APP_TIFF_LAYOUT_H
#define APP_TIFF_LAYOUT_H

#include "tiff_read.h"

#include <tiffio.h>

typedef struct tiff_layout {
    uint32_t width, height;
    uint16_t bits, samples, format, photometric, compression, subfile;
    uint16_t first;    /* the sample that is used, or the first of three */
    uint16_t channels; /* 1, or 3 for luma */
    uint16_t planes;   /* how many segments hold the channels of one place: 1, or channels when planes are separate */
    app_sample sample;
    int separate, tiled, invert, palette;
    int by_line;            /* strips are too large to be held: decode line by line */
    uint32_t segment_width; /* pixels of a strip or tile */
    uint32_t segment_height;
    uint64_t segment_bytes; /* of one plane */
    uint64_t row_bytes;     /* of one row of a segment */
    uint8_t luma[256];      /* of each palette entry */
} tiff_layout;

/* Reads the tags of the current directory and fills *layout. CM_ERROR_UNSUPPORTED names the tag and its value. The text
 * does not name the file. */
cm_status tiff_layout_read(TIFF *tif, tiff_layout *layout, app_error *error);

/* Refuses a page that would take more than the limits. */
cm_status tiff_layout_check(const tiff_layout *layout, uint64_t file_size, const app_limits *limits, app_error *error);

/* 0 when the stream of a strip or tile says that it holds another picture than the tags do; rows: how many it should
 * have. */
int tiff_guard_segment(TIFF *tif, const tiff_layout *layout, uint32_t segment, uint32_t rows);

/* Turns count pixels from the start of a segment's row into pixels of the picture. row: the row in each plane (1 or 3
 * addresses). */
void tiff_row_convert(const tiff_layout *layout, const uint8_t *const *row, uint32_t count, void *out);

#endif
