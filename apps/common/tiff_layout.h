/* How the pixels of a page are stored in its strips or tiles, and how a row of them becomes a row
 * of the picture. */
#ifndef APP_TIFF_LAYOUT_H
#define APP_TIFF_LAYOUT_H

#include "tiff_read.h"

#include <tiffio.h>

typedef struct tiff_layout {
    uint32_t width, height; /* pixels */
    uint16_t bits, samples, format, photometric, compression, subfile;
    /* The samples of a pixel that are read: colours or bands, then alpha. */
    uint16_t pick[XNCC_MAX_CHANNELS + 1];
    uint16_t picked;   /* number of samples in pick, alpha included */
    uint16_t planes;   /* segments per place: 1, or `picked` if planes are separate */
    uint16_t channels; /* of the picture */
    xncc_pixel pixel;  /* of the picture */
    int alpha;         /* 1: the last sample in pick is alpha */
    int luma;          /* 1: the first three samples make one channel */
    int separate, tiled, invert, palette;
    int has_no_data;
    double no_data;         /* the value to compare floats and 32-bit signed samples with */
    uint32_t no_data_level; /* the value to compare integers with, as tiff_rows.c stores them */
    int by_line;            /* 1: strips are too large, so lines are decoded one by one */
    uint32_t segment_width; /* pixels of a strip or tile */
    uint32_t segment_height;
    uint64_t segment_bytes; /* of one plane */
    uint64_t row_bytes;     /* of one row of a segment */
    uint8_t colour[256][3]; /* RGB of each palette entry */
} tiff_layout;

/* Reads the tags of the current directory and fills *layout. The text of XNCC_ERROR_UNSUPPORTED
 * names the tag and its value, but not the file. */
xncc_status tiff_layout_read(TIFF *tif, const app_reading *reading, tiff_layout *layout,
                             app_error *error);

/* Fills the members about samples, channels and pixels that count. Part of tiff_layout_read. */
xncc_status tiff_layout_channels(TIFF *tif, const app_reading *reading, tiff_layout *layout,
                                 app_error *error);

/* Fails if the page needs more memory than the limits allow. */
xncc_status tiff_layout_check(const tiff_layout *layout, uint64_t file_size,
                              const app_reading *reading, app_error *error);

/* 1 if the page can have pixels that do not count. */
int tiff_layout_masked(const tiff_layout *layout);

/* Returns 0 if the stream of a strip or tile has another picture size than the tags say, else 1.
 * rows: the number of rows that it should have. */
int tiff_guard_segment(TIFF *tif, const tiff_layout *layout, uint32_t segment, uint32_t rows);

/* Converts `count` pixels from the start of a segment's row to pixels of the picture. row: the row
 * in each plane. mask: one byte per pixel, or NULL. */
void tiff_row_convert(const tiff_layout *layout, const uint8_t *const *row, uint32_t count,
                      void *out, uint8_t *mask);

#endif
