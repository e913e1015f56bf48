/* SPDX-License-Identifier: BSD-2-Clause */
/* Upper bounds of the scores ccoeff_normed of plain bytes, from products of half images (halves.h),
 * which have a quarter of the pixels. A window whose bound is below the score of the worst match
 * needs no score. docs/numerics.md derives the bound. */
#ifndef XNCC_CPU_KERNELS_BOUNDS_H
#define XNCC_CPU_KERNELS_BOUNDS_H

#include "cpu/kernels/halves.h"

/* The bounds of a tile of windows are reduced to the largest. Tiles have an even number of columns
 * and of rows. */
enum { XNCC_BOUND_COLUMNS = 64, XNCC_BOUND_ROWS = 6 };

/* A template as the bounds see it. The bound of a window is, with X the product of the half images,
 * of which `products` sees the pixels less 128, and S the sum of the window of the image's,
 *   scale * (per_product * (X' + shift * S) + per_sum * S + constant) + per_rest * rest + always.
 * shift makes the parenthesis of integers small, so that floats lose little. */
typedef struct xncc_bound_templ {
    xncc_template half; /* its pixels, extents and sum */
    int32_t shift;
    float per_product, per_sum, constant, per_rest, always;
} xncc_bound_templ;

/* Fills *bound from a plain template of bytes that is not flat. pixels: memory for a quarter of the
 * template's, which must outlive *bound. Returns 1, or 0 if the template is flat. */
int xncc_bound_templ_make(const xncc_template *templ, uint8_t *pixels, xncc_bound_templ *bound);

/* Where rows of products become bounds: row y of the product is map row first + 2 * y, and the
 * windows are those of one parity. */
struct xncc_bounds {
    const xncc_halves *halves;
    const xncc_bound_templ *templ;
    int parity;
    int32_t first;
    /* Per tile, in rows of `across` tiles; element 0 is the map's first tile. Raised to the bounds
     * less `always`, and at least 0 when the first row comes. */
    float *best;
    int32_t across;
};

/* Row y of the product, from column x on. */
void xncc_bounds_row(const xncc_bounds *bounds, int32_t x, int32_t y, const int32_t *product,
                     int32_t count);

#endif
