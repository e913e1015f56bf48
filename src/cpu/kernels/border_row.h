/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads rows of the image together with the pixels that the border rule adds outside the image. */
#ifndef XNCC_CPU_KERNELS_BORDER_ROW_H
#define XNCC_CPU_KERNELS_BORDER_ROW_H

#include "exactncc/find.h"

#include <stddef.h>
#include <stdint.h>

/* A row of `width` elements of `size` bytes each: the pixels of an image row, or its mask. */
typedef struct xncc_source_row {
    const void *data;
    int64_t width;
    size_t size;
    xncc_border border;
} xncc_source_row;

/* Returns `count` elements from element x on. The result points into the row if all of them are
 * inside; otherwise they are copied to `buffer`. With XNCC_BORDER_ZERO and XNCC_BORDER_OVERLAP the
 * elements outside are bytes of 0. */
const void *xncc_border_row_elements(const xncc_source_row *row, int64_t x, int64_t count,
                                     void *buffer);

/* Returns `count` pixels of image row y from column x on, as the image stores them. The result
 * points into the image, or to `buffer` if the pixels had to be copied. */
const void *xncc_border_row(const xncc_image *image, xncc_border border, int64_t y, int64_t x,
                            int64_t count, void *buffer);

/* The same for samples of 8 and 16 bits, with their bias added. */
const void *xncc_border_row_biased(const xncc_image *image, xncc_border border, int64_t y,
                                   int64_t x, int64_t count, void *buffer);

#endif
