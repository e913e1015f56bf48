/* SPDX-License-Identifier: BSD-2-Clause */
/* What each picture format implements. Formats are listed in kinds.c; callers use file_read.h. The
 * text of a failure names neither the file nor the page, except that of `open`, which names the
 * file: file_read.c adds what is missing. */
#ifndef APP_DECODER_H
#define APP_DECODER_H

#include "fail.h"
#include "geo.h"
#include "input.h"
#include "reading.h"

/* A page of a file. */
typedef struct app_page {
    int32_t width, height;
    xncc_pixel pixel;
    int32_t channels; /* samples per pixel of the picture, 1 .. XNCC_MAX_CHANNELS */
    int masked;       /* 1: the page can have pixels that do not count */
    int secondary;    /* a reduced copy of another page, or a transparency mask (NewSubfileType) */
    int32_t together; /* rows that are decoded together, from row 0 on: those of a tile or strip */
    int any_order;    /* 1: rows can be decoded without those above, so by several handles */
    uint64_t buffers; /* bytes that decoding takes, beside the picture */
} app_page;

/* The memory that rows of a page are decoded to. */
typedef struct app_target {
    void *pixels;  /* the first of the rows */
    int64_t pitch; /* bytes per row */
    uint8_t
        *mask; /* receives 1 for each pixel that counts, else 0, in tight rows; NULL: not wanted */
    int32_t first, rows; /* which rows of the page: `rows` rows from `first` on */
} app_target;

typedef struct app_decoder {
    int paged; /* 1: a file can have several pages */
    /* Makes the format's state for an input that is at its beginning. The input stays the caller's
     * and outlives the state. */
    xncc_status (*open)(app_input *input, const app_reading *reading, void **state,
                        app_error *error);
    void (*close)(void *state);
    /* Counts the pages, up to `most`. Fails if the file breaks before that many. */
    xncc_status (*count)(void *state, uint32_t most, uint32_t *pages, app_error *error);
    /* Selects a page that there is, and describes it. */
    xncc_status (*select)(void *state, uint32_t page, app_page *info, app_error *error);
    /* As app_file_decode. */
    xncc_status (*decode)(void *state, const app_target *to, int32_t *ready, app_error *error);
    void (*geo)(void *state, app_geo *geo); /* NULL: the format has no geo tags */
    uint64_t (*decoded)(void *state);       /* as app_file_decoded; NULL: not counted */
} app_decoder;

extern const app_decoder app_tiff_decoder, app_png_decoder, app_jpeg_decoder, app_pnm_decoder,
    app_bmp_decoder, app_npy_decoder, app_raw_decoder;

/* A need for memory, to be compared with the limits. */
typedef struct app_need {
    int64_t width, height;
    uint64_t pixel;     /* bytes per pixel of the picture, with its mask */
    uint64_t buffers;   /* bytes for decoding */
    uint64_t claim;     /* bytes of packed pixels that the file claims to hold */
    uint64_t file_size; /* UINT64_MAX: not known */
    uint64_t most;      /* the most bytes of packed pixels that one byte of the file can encode */
} app_need;

/* Fails if the page needs more memory than the limits allow, or claims more than its file can
 * hold. */
xncc_status app_need_check(const app_need *need, const app_reading *reading, app_error *error);

#endif
