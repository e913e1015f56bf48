/* SPDX-License-Identifier: BSD-2-Clause */
/* direct-neon: 16-bit products by SMLAL, for any aarch64. Of 32 registers, 24 are accumulators for
 * words, and 12 for bytes. */
#define ROWS_LANES 2
#include "cpu/kernels/direct.h"
#include "cpu/kernels/rows.h"
#include "cpu/kernels/variants.h"
#include "cpu/kernels/vec_neon.h"

static inline rows_double rows_sqrt(rows_double v)
{
    return (rows_double)vsqrtq_f64((float64x2_t)v);
}

#define vec_bytes vec_words /* never called */
#define vec_prepare(image, bytes) vec_apart(image)
#include "cpu/kernels/dot.h"

static void dot_u8(const xncc_dot *d)
{
    dot_live(d, 0, 1, XNCC_NEON_ROWS);
}

static void dot_u16(const xncc_dot *d)
{
    dot_live(d, 0, 2, XNCC_NEON_ROWS);
}

const xncc_isa_rows xncc_rows_neon = ROWS_TABLE(rows_window);
static const xncc_direct_isa isa = { dot_u8, dot_u16, NULL, NULL };
const xncc_product_kernel xncc_direct_neon = XNCC_DIRECT_KERNEL(isa, xncc_rows_neon);
