/* SPDX-License-Identifier: BSD-2-Clause */
/* Kernels of products: the `direct` and `fft` kernels correlate a plane of the image with one of
 * the template. Planes have unsigned bytes or words of 16 bits. With each row of products come the
 * sums of the image plane over the same windows, which slide down (windows.h). */
#ifndef XNCC_CPU_KERNELS_PRODUCTS_H
#define XNCC_CPU_KERNELS_PRODUCTS_H

#include "cpu/kernels/isa_rows.h"
#include "cpu/kernels/kernel.h"

typedef struct xncc_scores xncc_scores; /* scores.h */
typedef struct xncc_bounds xncc_bounds; /* bounds.h */

/* Where the rows go: to scores, to bounds or, if both are NULL, to planes of sums, `stride`
 * elements from one row to the next. */
typedef struct xncc_sink {
    const xncc_scores *scores;
    const xncc_bounds *bounds;
    xncc_emit to; /* of row 0, column 0 */
    int32_t stride;
    const uint64_t *known; /* the plane's window sums S, if they are known already; else NULL */
} xncc_sink;

/* A product. Element (0, 0) of the result belongs to the window at (left, top). */
typedef struct xncc_plane_product {
    const xncc_cpu_blocks *blocks;
    const xncc_image *image; /* one channel; signed samples are biased as they are read */
    xncc_border border;
    int64_t left, top;
    int32_t width, height;      /* elements of the result */
    const xncc_template *templ; /* pixels, extents and sum are used */
    const void *shared;         /* what begin wrote */
    /* 1: 128 was added to the template's pixels, and the products wanted are those without it. */
    int32_t no_offset;
    const xncc_watch *watch;           /* as in xncc_job */
    const xncc_window_plane *windows;  /* as in xncc_job */
    const xncc_image_spectra *spectra; /* likewise */
    xncc_sink sink;
} xncc_plane_product;

typedef struct xncc_product_kernel xncc_product_kernel;
struct xncc_product_kernel {
    xncc_kernel_memory (*memory)(const xncc_product_kernel *self, const xncc_cpu_blocks *blocks,
                                 int32_t width);
    /* Prepares a template. */
    void (*begin)(const xncc_product_kernel *self, const xncc_cpu_blocks *blocks,
                  const xncc_template *templ, const xncc_watch *watch, void *shared, void *scratch);
    /* Computes `count` products, 1 or, if pairs is 1, 2. They may differ in templ, shared,
     * no_offset and sink. Their rows are delivered alternately. Each has its own scratch memory. */
    void (*compute)(const xncc_product_kernel *self, const xncc_plane_product *product,
                    void *const *scratch, int count);
    int pairs;
    const void *variant; /* the data of an instruction set */
    const xncc_isa_rows *rows;
};

#endif
