/* SPDX-License-Identifier: BSD-2-Clause */
/* The `direct` kernels: sums of products in SIMD, sliding window sums, and a score computed row by
 * row. direct.c is the part that all instruction sets share; one file per instruction set defines
 * an xncc_direct_isa.
 *
 * Correlation in phases. Let P be the number of template pixels in a dword (4 bytes, or 2 words of
 * 16 bits). Accumulator lane l of phase p is the map column P*l + p. Image dword l + g, loaded
 * without a shift, is multiplied by dword g of the template row shifted right by p pixels, which is
 * the same for all lanes. So a template row is stored as table[g][p] dwords with g < groups =
 * ceil((w + P - 1) / P), zero where the shift leaves no pixel. With P = 1 (portable C) there is one
 * phase, and a dword is one template pixel.
 *
 * Narrow maps. A vector of all phases has P times as many columns as lanes, of which a narrow map
 * uses few. There accumulator lane l is map column l (dot_lanes.h), and the table has no shifts:
 * table[g] with groups = ceil(w / P). */
#ifndef XNCC_CPU_KERNELS_DIRECT_H
#define XNCC_CPU_KERNELS_DIRECT_H

#include "cpu/kernels/products.h"

/* How pixels are staged and how the template is tabulated, by the number of phases.
 * - 4, u8: the image is u8, the template T - 128 as s8. A product is at most 255 * 128 = 32640 in
 *   magnitude.
 * - 2, u8: image and T - 128 as s16; the same products.
 * - 2, u16: the image is I - 32768 as s16. The template is T - 32896 = 256*a + b with a and b in
 *   -128 .. 127, which covers exactly 65536 values; a and b are s16 in two planes. A product is at
 *   most 32768 * 128 = 2^22 in magnitude.
 * - 1: the image as with 2 phases, one template pixel per dword. */

/* The arguments of a kernel's dot function, which computes sums of products for up to
 * blocks->direct.rows rows of the map. */
typedef struct xncc_dot {
    /* Staged image rows, each from the column that the first template column meets: rows + live - 1
     * of them. Whole vectors can be read beyond the pixels that are needed. */
    const void *const *row;
    const int32_t *table; /* table[((j * groups + g) * planes + plane) * shifts + p] */
    int32_t rows; /* template rows; rows * groups * P is within XNCC_MOST_PRODUCTS_U8 or _U16 */
    int32_t groups;
    int32_t live; /* map rows to compute, at least 1 */
    /* Map columns first .. columns - 1. They are multiples of the kernel's tile; in narrow maps,
     * first is 0 and columns is any number. */
    int32_t first, columns;
    int32_t *out; /* out[(r * planes + plane) * stride + x] */
    ptrdiff_t stride;
    int32_t start; /* for a kernel's own use */
} xncc_dot;

typedef struct xncc_direct_isa {
    void (*u8)(const xncc_dot *dot);
    void (*u16)(const xncc_dot *dot);
    /* The same for narrow maps (xncc_direct_blocks.lanes), any number of map rows at a time. NULL:
     * there are no such blocks. */
    void (*u8_lanes)(const xncc_dot *dot);
    void (*u16_lanes)(const xncc_dot *dot);
} xncc_direct_isa;

/* The functions that all instruction sets share. self->variant is an xncc_direct_isa. */
xncc_kernel_memory xncc_direct_memory(const xncc_product_kernel *self,
                                      const xncc_cpu_blocks *blocks, int32_t width);
void xncc_direct_begin(const xncc_product_kernel *self, const xncc_cpu_blocks *blocks,
                       const xncc_template *templ, const xncc_watch *watch, void *shared,
                       void *scratch);
void xncc_direct_compute(const xncc_product_kernel *self, const xncc_plane_product *product,
                         void *const *scratch, int count);

/* Returns template pixel `at` in the form that kernels of products multiply: for bytes T - 128, for
 * words two digits of T - 32896. */
static inline void xncc_template_digits(const xncc_template *templ, size_t at, int words,
                                        int32_t digit[2])
{
    if (!words) {
        digit[0] = ((const uint8_t *)templ->pixels)[at] - 128;
        return;
    }
    const int32_t t = ((const uint16_t *)templ->pixels)[at]; /* t - 32896 = 256 * a + b */
    digit[0] = (t >> 8) - 128;
    digit[1] = (t & 255) - 128;
}

#endif
