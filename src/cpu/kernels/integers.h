/* SPDX-License-Identifier: BSD-2-Clause */
/* Matching of integers. Every problem takes the same way through a rectangle of the map:
 * - the count plane, which says which image pixels count, if not all of them do;
 * - channel by channel, the products that plan/recipe.h lists, by a kernel of products. Planes of
 *   bytes are laid out with their border in the thread's scratch memory. If the samples themselves
 *   are the plane (tile->whole), they are read where the image is;
 * - the window sums that no product yields;
 * - the terms of the formulas, and the scores (scores.h). Where X is the last sum of its channel,
 *   its rows are scored as they come (tile->fold_x).
 *
 * A plane that is all 0 needs no product. In a rectangle whose pixels all count, the sums that
 * depend on the template alone are constants. */
#ifndef XNCC_CPU_KERNELS_INTEGERS_H
#define XNCC_CPU_KERNELS_INTEGERS_H

#include "cpu/kernels/products.h"
#include "cpu/kernels/scores.h"
#include "cpu/kernels/stage.h"

/* The functions of an xncc_cpu_kernel. self->variant is an xncc_product_kernel. */
xncc_kernel_memory xncc_integers_memory(const xncc_cpu_kernel *self, const xncc_problem *problem,
                                        const xncc_cpu_blocks *blocks);
void xncc_integers_begin(const xncc_cpu_kernel *self, const xncc_job *job, void *shared,
                         void *scratch);
void xncc_integers_area(const xncc_cpu_kernel *self, const xncc_job *job, void *scratch,
                        const xncc_area *area);

/* A plane of the template. If no_offset is 1, 128 has been added to its pixels (see
 * xncc_plane_product). */
typedef struct xncc_templ_plane {
    xncc_template templ;
    void *shared;  /* what the kernel of products prepared */
    int32_t empty; /* 1: all pixels are 0 */
    int32_t no_offset;
    int32_t made;
} xncc_templ_plane;

/* What begin computes from a template. */
typedef struct xncc_integers_shared {
    xncc_templ_sums sums;
    size_t products;
    xncc_product_of *product;
    xncc_templ_plane *plane;
} xncc_integers_shared;

/* Returns the index of a template plane in xncc_integers_shared.plane. */
int32_t xncc_templ_plane_index(const xncc_tile_blocks *tile, const xncc_plane_of *plane);

/* A thread's memory. Sums that are not stored are NULL. */
typedef struct xncc_integers_scratch {
    char *inner[2]; /* scratch of the kernel of products; the second is for pairs */
    xncc_stage stage;
    void *plane;
    uint64_t *sum[XNCC_SUMS];
    uint64_t *term[3];
    xncc_general *total;
    char *windows;
} xncc_integers_scratch;

/* Divides `memory` into the parts of a thread's memory and returns the bytes needed. If memory is
 * NULL, only returns the bytes. */
uint64_t xncc_integers_layout(const xncc_product_kernel *inner, const xncc_problem *problem,
                              const xncc_cpu_blocks *blocks, char *memory,
                              xncc_integers_scratch *m);

#endif
