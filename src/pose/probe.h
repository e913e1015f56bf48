/* SPDX-License-Identifier: BSD-2-Clause */
/* Exact scores of a few neighbouring windows of 8-bit pixels, for poses that are tried one by
 * one. */
#ifndef XNCC_POSE_PROBE_H
#define XNCC_POSE_PROBE_H

#include "exactncc/image.h"
#include "pose/resample.h"

/* The windows of a probe: side x side, row by row. */
enum { XNCC_PROBE_SIDE = 3, XNCC_PROBE_WINDOWS = 9, XNCC_PROBE_FAR_SIDE = 5, XNCC_PROBE_FAR = 25 };

/* A template of 8-bit pixels. */
typedef struct xncc_pose_probe {
    xncc_pose_pixels of; /* owned; the mask's bytes are 0 and 255 */
    int32_t *span;       /* per row the first counting column, and one more than the last; owned */
    uint64_t sum, sum2;  /* over the pixels that count */
    double root_var;     /* of n*sum2 - sum^2; 0: flat */
} xncc_pose_probe;

/* The sums of a window over the pixels that count. */
typedef struct xncc_probe_sums {
    uint64_t S, Q, X;
} xncc_probe_sums;

/* Adds S, Q and X of the `windows` windows (1 .. 5) that begin at image, image + 1 and so on.
 * pitch: bytes per row of the image. */
typedef void (*xncc_probe_loop)(const xncc_pose_probe *probe, const uint8_t *image, int64_t pitch,
                                int32_t windows, xncc_probe_sums *sum);

/* Makes a probe of 8-bit pixels, which it takes over also if it fails. Returns XNCC_OK or
 * XNCC_ERROR_MEMORY; xncc_pose_probe_clear must follow in any case. */
xncc_status xncc_pose_probe_make(xncc_pose_pixels *pixels, xncc_pose_probe *probe,
                                 xncc_error *error);
void xncc_pose_probe_clear(xncc_pose_probe *probe);

/* Computes the scores of the windows whose top-left pixels are (x, y) .. (x + side - 1, y + side -
 * 1), for a side of 3 or 5. They are those of xncc_correlate before the rounding to float. NaN: the
 * window is flat, or not inside the image. */
void xncc_pose_probe_scores(const xncc_pose_probe *probe, xncc_probe_loop loop,
                            const xncc_image *image, int32_t x, int32_t y, int32_t side,
                            double *score);

/* Returns the fastest code for a processor (plan/machine.h). */
xncc_probe_loop xncc_probe_loop_of(uint32_t features);

void xncc_probe_loop_portable(const xncc_pose_probe *probe, const uint8_t *image, int64_t pitch,
                              int32_t windows, xncc_probe_sums *sum);
void xncc_probe_loop_avx2(const xncc_pose_probe *probe, const uint8_t *image, int64_t pitch,
                          int32_t windows, xncc_probe_sums *sum);

#endif
