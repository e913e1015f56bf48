/* SPDX-License-Identifier: BSD-2-Clause */
/* Running sums along the rows of a small rectangle of an image. A row of a window then takes two
 * numbers for S and Q, however long it is. */
#ifndef XNCC_POSE_RUNNING_H
#define XNCC_POSE_RUNNING_H

#include "base/error.h"
#include "exactncc/image.h"

/* Windows beside each other whose sums are written together. */
enum { XNCC_RUNNING_BESIDE = 4 };

/* The loops over rows, for an instruction set. */
typedef struct xncc_running_loops {
    /* Sets the sums of rows, as below. pitch: bytes per row of the image. */
    void (*add_up)(const uint8_t *pixel, int64_t pitch, int32_t width, int32_t height,
                   uint64_t *sum);
    /* As xncc_running_windows, of windows whose first number is at `from`. pitch: numbers per row.
     */
    void (*windows)(const uint64_t *from, int32_t pitch, const int32_t *span, int32_t rows,
                    int32_t down, int32_t side, uint64_t *sum);
} xncc_running_loops;

extern const xncc_running_loops xncc_running_portable, xncc_running_avx2;

/* The sums of a rectangle of an 8-bit image with one channel. One thread uses them at a time. */
typedef struct xncc_running {
    const xncc_running_loops *loops;
    int32_t x, y, width, height; /* the rectangle; width 0: there is none yet */
    /* `height` rows of width + 1 numbers. Number i of a row is the sum of the first i pixels, plus
     * 2^32 times the sum of their squares. */
    uint64_t *sum;
} xncc_running;

/* Makes `count` of them, empty. xncc_free must follow, of *running, also after a failure. Returns
 * XNCC_OK or XNCC_ERROR_MEMORY. */
xncc_status xncc_running_open(int32_t count, const xncc_running_loops *loops,
                              xncc_running **running, xncc_error *error);

/* Sees to it that a rectangle of the image has sums. It keeps what there is if that covers the
 * rectangle. Otherwise it makes the sums of the rectangle and of some pixels around it. Sums of one
 * image must not be used for another: set width to 0 before. Returns 0 if the rectangle leaves the
 * image or is too large; what there was is kept. */
int xncc_running_cover(xncc_running *running, const xncc_image *image, int32_t x, int32_t y,
                       int32_t width, int32_t height);

/* Returns 1 if a rectangle of these sides is not too large, wherever it lies. */
int xncc_running_has_room(int32_t width, int32_t height);

/* Writes the sums of XNCC_RUNNING_BESIDE windows, which begin at (x, y), (x + 1, y) and so on, to
 * sum[0], sum[1] and so on, then those of the windows one row lower from sum[side] on, for `down`
 * rows in all. Row i of a window counts from column span[2 * i] to span[2 * i + 1] - 1. Windows may
 * leave the rectangle at the right; their sums are any numbers. */
void xncc_running_windows(const xncc_running *running, int32_t x, int32_t y, const int32_t *span,
                          int32_t rows, int32_t down, int32_t side, uint64_t *sum);

#endif
