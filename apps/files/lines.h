/* SPDX-License-Identifier: BSD-2-Clause */
/* Pages that are decoded row by row, each row with all samples of its pixels next to each other:
 * every format but TIFF. */
#ifndef APP_LINES_H
#define APP_LINES_H

#include "decoder.h"
#include "samples.h"

typedef struct app_lines {
    app_samples samples;
    int32_t width, height;
    int32_t row;         /* the next row */
    uint64_t line_bytes; /* of a row as samples describes it */
    uint8_t *line;
    /* Puts the next row into `line`. */
    xncc_status (*next)(void *state, uint8_t *line, app_error *error);
    /* Goes to a later row without decoding those between; NULL: they are decoded. */
    xncc_status (*skip)(void *state, int32_t row, app_error *error);
} app_lines;

/* Where the samples of a page come from. */
typedef struct app_lines_source {
    unsigned colours;   /* samples that are colours: 3 for RGB, else 1 */
    int alpha;          /* the index of the alpha sample; -1: there is none */
    uint64_t most;      /* as in app_need */
    uint64_t buffers;   /* bytes for decoding, beyond a row */
    uint64_t file_size; /* of this page's data; UINT64_MAX: not known */
} app_lines_source;

/* Starts a page whose extents, kind, bits, per_pixel, pixel and palette are set: chooses the
 * samples to use, compares with the limits, and describes the page. */
xncc_status app_lines_begin(app_lines *lines, const app_lines_source *source,
                            const app_reading *reading, app_page *info, app_error *error);

/* The `decode` of a decoder. state: what next and skip receive. */
xncc_status app_lines_decode(app_lines *lines, void *state, const app_target *to, int32_t *ready,
                             app_error *error);

void app_lines_free(app_lines *lines);

/* Reverses the bytes of samples of 2, 4 or 8 bytes if the file's order is not the machine's. */
void app_lines_swap(uint8_t *line, uint64_t bytes, unsigned sample, int big_endian);

/* The only page of a format that has no others: an implementation of `count`. */
xncc_status app_count_one(void *state, uint32_t most, uint32_t *pages, app_error *error);

#endif
