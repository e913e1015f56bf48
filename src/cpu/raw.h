/* Rows of the image with what its border adds to their left and right, above and below. */
#ifndef CM_CPU_RAW_H
#define CM_CPU_RAW_H

#include "cpu/kernel.h"

/* A row of `width` elements of `size` bytes: pixels, or a mask. */
typedef struct cm_row {
    const void *data;
    int64_t width;
    size_t size;
    cm_border border;
} cm_row;

/* count elements from element x on: in place where they lie inside, else copied to buffer. Bytes of 0 where there are
 * none (CM_BORDER_ZERO, CM_BORDER_OVERLAP). */
const void *cm_row_take(const cm_row *row, int64_t x, int64_t count, void *buffer);

/* count pixels of image row y from column x on, for images of one channel: biased samples where the job asks for that.
 * In place, or copied to buffer. */
const void *cm_raw_row(const cm_job *job, int64_t y, int64_t x, int64_t count, void *buffer);

#endif
