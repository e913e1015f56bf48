/* SPDX-License-Identifier: BSD-2-Clause */
/* The chain of a TIFF's pages, read without libtiff: where each directory begins, so that a page is
 * reached in one step and a chain that breaks is noticed. */
#ifndef APP_TIFF_PAGES_H
#define APP_TIFF_PAGES_H

#include "input.h"

typedef struct tiff_pages {
    app_input *input;
    int big_endian, big; /* big: BigTIFF */
    uint64_t *at;        /* where directory 0, 1, ... begins */
    uint64_t *seen;      /* a hash table of at, in which 0 is an empty place */
    uint32_t count, room;
    uint64_t next; /* where the first directory that is not in `at` begins; 0: there is none */
} tiff_pages;

/* Reads the header. The input, which must seek, stays the caller's. */
xncc_status tiff_pages_open(app_input *input, tiff_pages *pages, app_error *error);
void tiff_pages_close(tiff_pages *pages);

/* Follows the chain until `most` directories are known or it ends. Fails if it breaks. */
xncc_status tiff_pages_find(tiff_pages *pages, uint32_t most, app_error *error);

/* The value of a tag of a known directory that has one 16-bit value, as it is in the file; -1 if
 * there is none. libtiff changes or hides some. */
int tiff_pages_short(tiff_pages *pages, uint32_t page, uint16_t tag);

#endif
