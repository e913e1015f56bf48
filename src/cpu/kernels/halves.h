/* SPDX-License-Identifier: BSD-2-Clause */
/* Half images: what upper bounds of the scores of many templates share (bounds.h).
 *
 * A quad is the sum of 2 x 2 pixels, and a half pixel is a quarter of it, rounded. Windows that
 * begin in an even column, say, see the quads that begin in even columns. So an image of bytes has
 * four half images, one per parity of the column and of the row, and a window of w x h pixels is a
 * window of w/2 x h/2 pixels in one of them. If w or h is odd, its last column or row is in no
 * quad.
 *
 * For each window of the map there are three numbers. `scale` is 1 / |I - mean|, with |..| the
 * Euclidean norm over the window, and 0 for a flat window. `rest` is the part of that norm which
 * quads do not see: the norm of what is left when each quad is subtracted from its pixels, and the
 * mean of all quads from the pixels in no quad, times `scale`. The third number is the sum of a
 * window's half pixels. */
#ifndef XNCC_CPU_KERNELS_HALVES_H
#define XNCC_CPU_KERNELS_HALVES_H

#include "cpu/kernels/products.h"

typedef struct xncc_halves {
    const xncc_isa_rows *isa;
    int32_t width, height; /* of the image */
    int32_t map_width, map_height, templ_width, templ_height;
    int64_t pitch;           /* half pixels from one row of a half image to the next */
    int32_t stride;          /* windows from one row to the next */
    uint64_t plane, windows; /* half pixels, and windows, from one parity to the next */
    uint8_t *half;
    uint16_t *quad;
    float *scale, *rest;
    int32_t *sum; /* of the half pixels of a window */
    char *memory; /* owned */
} xncc_halves;

/* Allocates the half images of an image under a template of a plain problem. Returns 1, or 0 if
 * there is no memory. */
int xncc_halves_make(const xncc_problem *problem, const xncc_isa_rows *isa, xncc_halves *halves);
void xncc_halves_clear(xncc_halves *halves);

/* Returns the index of the half image of the windows in rows and columns of these parities. */
static inline int xncc_parity(int row, int column)
{
    return 2 * row + column;
}

/* Returns the number of columns (or rows) 0 .. extent - 1 that have a parity. */
static inline int32_t xncc_of_parity(int32_t extent, int parity)
{
    return (extent + 1 - parity) / 2;
}

/* Returns a view of a half image, as bytes or, with the sums of its quads, as words. */
xncc_image xncc_halves_view(const xncc_halves *halves, int parity, xncc_pixel pixel);

/* Sums up the quads whose first rows are image rows first .. end - 1, of which the last image row
 * is none. */
void xncc_halves_sum(xncc_halves *halves, const xncc_image *image, int32_t first, int32_t end);

/* Computes the numbers of the windows in map rows first .. end - 1; first is even. All quads have
 * been summed up. scratch: xncc_halves_scratch bytes. */
void xncc_halves_weigh(xncc_halves *halves, const xncc_image *image, const xncc_watch *watch,
                       int32_t first, int32_t end, char *scratch);
uint64_t xncc_halves_scratch(const xncc_halves *halves);

#endif
