/* How the pixels of a page lie in its strips or tiles, and how a row of them becomes a row of the
 * picture. */
#ifndef APP_TIFF_LAYOUT_H
#define APP_TIFF_LAYOUT_H

#include "tiff_read.h"

#include <tiffio.h>

typedef struct tiff_layout {
    uint32_t width, height;
    uint16_t bits, samples, format, photometric, compression, subfile;
    uint16_t pick[XNCC_MAX_CHANNELS +
                  1];  /* the samples that are read of a pixel: colours or bands, then alpha */
    uint16_t picked;   /* how many, alpha with them */
    uint16_t planes;   /* how many segments hold them for one place: 1, or as many when planes are
                          separate */
    uint16_t channels; /* of the picture */
    xncc_pixel pixel;  /* of the picture */
    int alpha;         /* 1: the last that is picked is alpha */
    int luma;          /* 1: the first three make one channel */
    int separate, tiled, invert, palette;
    int has_no_data;
    double no_data;         /* as floats, and 32-bit signed samples, are compared with it */
    uint32_t no_data_level; /* as tiff_rows.c holds integers */
    int by_line;            /* strips are too large to be held: decode line by line */
    uint32_t segment_width; /* pixels of a strip or tile */
    uint32_t segment_height;
    uint64_t segment_bytes; /* of one plane */
    uint64_t row_bytes;     /* of one row of a segment */
    uint8_t colour[256][3]; /* of each palette entry */
} tiff_layout;

/* Reads the tags of the current directory and fills *layout. XNCC_ERROR_UNSUPPORTED names the tag
 * and its value. The text does not name the file. */
xncc_status tiff_layout_read(TIFF *tif, const app_reading *reading, tiff_layout *layout,
                             app_error *error);

/* Its parts that say what a sample is, which samples make a pixel, and which pixels count. */
xncc_status tiff_layout_channels(TIFF *tif, const app_reading *reading, tiff_layout *layout,
                                 app_error *error);

/* Refuses a page that would take more than the limits. */
xncc_status tiff_layout_check(const tiff_layout *layout, uint64_t file_size,
                              const app_reading *reading, app_error *error);

/* Whether its pixels have to be told apart by whether they count. */
int tiff_layout_masked(const tiff_layout *layout);

/* 0 when the stream of a strip or tile says that it holds another picture than the tags do; rows:
 * how many it should have. */
int tiff_guard_segment(TIFF *tif, const tiff_layout *layout, uint32_t segment, uint32_t rows);

/* Turns count pixels from the start of a segment's row into pixels of the picture. row: the row in
 * each plane. mask: a byte for each of the pixels, or NULL. */
void tiff_row_convert(const tiff_layout *layout, const uint8_t *const *row, uint32_t count,
                      void *out, uint8_t *mask);

#endif
