/* SPDX-License-Identifier: BSD-2-Clause */
/* Window sums that slide down a strip of the map. Used by every kernel of products. */
#ifndef XNCC_CPU_KERNELS_WINDOWS_H
#define XNCC_CPU_KERNELS_WINDOWS_H

#include "cpu/kernels/products.h"

typedef struct xncc_windows {
    const xncc_isa_rows *isa;
    const xncc_plane_product *product;
    int narrow;       /* 1: bytes, and S and Q are below 2^32 */
    int32_t x, width; /* the strip's first column and number of columns */
    int64_t room;     /* elements of column and raw */
    int64_t strip;    /* elements of window */
    uint64_t *column; /* column sums: packed if narrow, else S and then Q */
    uint64_t *window; /* window sums in the same layout */
    void *raw[2];     /* memory for two image rows with their border */
} xncc_windows;

/* Returns the bytes of memory that strips of up to `strip` columns need under a template of this
 * width. strip must be a multiple of 8. */
uint64_t xncc_windows_bytes(int32_t width, int narrow, int32_t strip);

/* Begins a product. memory: xncc_windows_bytes bytes. */
void xncc_windows_begin(xncc_windows *w, const xncc_isa_rows *isa,
                        const xncc_plane_product *product, int narrow, int32_t strip, char *memory);
/* Selects the columns of a strip. */
void xncc_windows_place(xncc_windows *w, int32_t x, int32_t width);

/* Delivers row y of the strip. Rows are processed in order; `fresh` is 1 for the first one. The
 * products are those of I and T - 128 (bytes), or of I - 32768 and T - 32896 (words). They are in
 * x32 if narrow, else in x64. Both have room for whole vectors. */
void xncc_windows_row(xncc_windows *w, int32_t y, int fresh, const int32_t *x32,
                      const int64_t *x64);

/* Computes only the window sums of row y of the strip, at w->window and, if not narrow, at
 * w->window + w->strip. Rows are processed in order. */
void xncc_windows_sums(xncc_windows *w, int32_t y, int fresh);

#endif
