/* SPDX-License-Identifier: BSD-2-Clause */
/* direct-neon: 16-bit products by SMLAL, for any aarch64. Of 32 registers, 24 are accumulators for
 * words, and 12 for bytes. */
#define ROWS_LANES 2
#include "cpu/kernels/direct.h"
#include "cpu/kernels/rows.h"
#include "cpu/kernels/variants.h"
#include "cpu/kernels/vec_neon.h"

#define vec_bytes vec_words /* never called */
#define vec_prepare(image, bytes) vec_apart(image)
enum { DOT_BYTES = 0, DOT_ROWS_U8 = XNCC_NEON_ROWS, DOT_ROWS_U16 = XNCC_NEON_ROWS };
#include "cpu/kernels/dot.h"

const xncc_isa_rows xncc_rows_neon = ROWS_TABLE(rows_window);
const xncc_direct_isa xncc_direct_isa_neon = { dot_u8, dot_u16, NULL, NULL };
