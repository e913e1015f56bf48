/* SPDX-License-Identifier: BSD-2-Clause */
/* Many small searches of bytes, whose maps are computed whole (xncc_cpu_blocks.small). What the
 * searches of a neighbourhood have in common is made once: a copy of the pixels, with room for
 * vectors around them; the window sums (shared_windows.h); and the inverses of the windows' roots.
 * Then a map is products that stay in registers, and two multiplications per score instead of a
 * root and a division. The scores have the bits of the formula (rows_quotients in rows.h). */
#ifndef XNCC_CPU_KERNELS_SMALL_H
#define XNCC_CPU_KERNELS_SMALL_H

#include "cpu/kernels/kernel.h"

/* What a thread has. The inverses are arranged as the window sums are. */
typedef struct xncc_small {
    uint8_t *pixels; /* of the windows; the first pixel is that of the first window */
    int64_t pitch;
    double *inverse;
    xncc_window_plane windows;
    const void **row; /* the image rows of a map */
    int32_t *table;   /* of a template (direct.h) */
    int32_t *product;
    int32_t product_stride;
} xncc_small;

/* Divides `memory` into the parts of a thread's memory, for planes of up to `windows` windows, and
 * returns the bytes needed. If memory is NULL, only returns the bytes. */
uint64_t xncc_small_layout(const xncc_problem *problem, const xncc_cpu_blocks *blocks,
                           int32_t windows, char *memory, xncc_small *small);

/* Whether the memory has room for the pixels of a rectangle of windows. Those of the largest map
 * always fit. */
int xncc_small_has_room(const xncc_problem *problem, int64_t width, int64_t height);

/* Copies the pixels of a rectangle of windows, which are all inside the image, and inverts their
 * roots. windows: the sums of this rectangle. */
void xncc_small_stage(const xncc_cpu_kernel *self, const xncc_job *job, const xncc_area *area,
                      const xncc_window_plane *windows, xncc_small *small);

/* Computes the map of a chip, a view of the template's extents of which all pixels count, in a
 * rectangle of the staged windows. area->out has room for whole vectors in each row. The job's
 * template is not used. */
void xncc_small_map(const xncc_cpu_kernel *self, const xncc_job *job, const xncc_image *chip,
                    const xncc_area *area, const xncc_small *small);

#endif
