/* Rows of the image with what its border adds to their left and right, above and below. */
#ifndef XNCC_CPU_KERNELS_BORDER_ROW_H
#define XNCC_CPU_KERNELS_BORDER_ROW_H

#include "cpu/kernels/kernel.h"

/* A row of `width` elements of `size` bytes: pixels, or a mask. */
typedef struct xncc_row {
    const void *data;
    int64_t width;
    size_t size;
    xncc_border border;
} xncc_row;

/* count elements from element x on: in place where they lie inside, else copied to buffer. Bytes of
 * 0 where there are none (XNCC_BORDER_ZERO, XNCC_BORDER_OVERLAP). */
const void *xncc_row_take(const xncc_row *row, int64_t x, int64_t count, void *buffer);

/* count pixels of image row y from column x on, for images of one channel: biased samples where the
 * job asks for that. In place, or copied to buffer. */
const void *xncc_border_row(const xncc_job *job, int64_t y, int64_t x, int64_t count, void *buffer);

#endif
