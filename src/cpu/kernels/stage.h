/* SPDX-License-Identifier: BSD-2-Clause */
/* A rectangle of the image with its border: which of its pixels count, its samples, and its planes
 * of bytes or words. Its first pixel is image pixel (left, top), which may lie outside. */
#ifndef XNCC_CPU_KERNELS_STAGE_H
#define XNCC_CPU_KERNELS_STAGE_H

#include "cpu/kernels/isa_rows.h"
#include "cpu/kernels/kernel.h"

typedef struct xncc_stage {
    const xncc_job *job;
    int64_t left, top;
    int32_t width, height;
    int64_t pitch;  /* elements per row of a plane */
    uint8_t *count; /* plane of 1 (the pixel counts) and 0; NULL: all pixels count */
    uint8_t *ones;  /* a row of ones */
    uint8_t *mask;  /* memory for a row of the mask */
    void *raw;      /* memory for a row of the image */
    void *pick;     /* memory for a row of one channel's samples */
} xncc_stage;

/* Divides `memory` into the four row buffers, which share no cache line, and returns the bytes
 * needed. If memory is NULL, only returns the bytes. */
uint64_t xncc_stage_layout(const xncc_problem *problem, int32_t width, char *memory,
                           xncc_stage *stage);

/* Returns row y of the rectangle: interleaved samples as the image stores them, 0 outside the image
 * with the zero border. */
const void *xncc_stage_raw(const xncc_stage *stage, int32_t y);
/* Writes which pixels of row y count, 1 or 0 each. */
void xncc_stage_count_row(const xncc_stage *stage, int32_t y, uint8_t *out);

/* Fills stage->count and says whether all, some or none of the pixels count. */
typedef enum xncc_counts { XNCC_COUNTS_NONE, XNCC_COUNTS_SOME, XNCC_COUNTS_ALL } xncc_counts;
xncc_counts xncc_stage_counts(xncc_stage *stage);

/* Fills a plane with digits of `bytes` bytes. Returns 0 only if the plane is all 0. */
uint32_t xncc_stage_plane(const xncc_stage *stage, const xncc_isa_rows *isa,
                          const xncc_plane_of *plane, int bytes, void *out);

#endif
