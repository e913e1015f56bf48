/* SPDX-License-Identifier: BSD-2-Clause */
/* Image 2 deformed by a field: pixel (x, y) of the warped image is image 2 at (x, y) plus the
 * displacement of the field there. The warped image has the coordinates of image 1, and goes beyond
 * it by a margin. docs/track.md has the formulas. */
#ifndef XNCC_TRACK_WARP_H
#define XNCC_TRACK_WARP_H

#include "base/error.h"
#include "exactncc/image.h"
#include "track/field.h"

/* A warped image, and what its rows have in common. */
typedef struct xncc_warp {
    const xncc_field *field;
    int32_t left, top; /* the first pixel, in coordinates of image 1 */
    int32_t width, height;
    int32_t width2, height2; /* of image 2 */
    xncc_field_taps *column; /* of the columns */
    double *line;            /* per thread: a row of the field, then the places of a row's pixels */
} xncc_warp;

/* Rows of image 2 that a row of the warped image reads: none if end is 0. */
typedef struct xncc_warp_reads {
    int32_t first, end;
} xncc_warp_reads;

/* Some rows of image 2, and where a row of the warped image goes. */
typedef struct xncc_warp_row {
    const xncc_image *image;
    int32_t first; /* the row of image 2 that is the first of `image` */
    void *pixels;  /* receives the row */
    uint8_t *mask; /* receives 1 for each pixel that counts, else 0 */
} xncc_warp_row;

/* Allocates what the rows of a warped image need, whose extents and field are set. After a failure,
 * too, xncc_warp_clear frees it. */
xncc_status xncc_warp_make(xncc_warp *warp, int32_t threads, xncc_error *error);
void xncc_warp_clear(xncc_warp *warp);

/* Returns which rows of image 2 row y of the warped image reads, y from warp->top on. */
xncc_warp_reads xncc_warp_find_reads(const xncc_warp *warp, int32_t y, int32_t slot);

/* Makes row y. Returns how many of its pixels do not count. */
int32_t xncc_warp_make_row(const xncc_warp *warp, int32_t y, int32_t slot,
                           const xncc_warp_row *row);

#endif
