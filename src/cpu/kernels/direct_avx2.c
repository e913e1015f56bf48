/* SPDX-License-Identifier: BSD-2-Clause */
/* direct-avx2: 16-bit products by vpmaddwd. Of 16 registers, 14 are used: 12 accumulators, the
 * image, and a broadcast of the template that is overwritten by the product. */
#define ROWS_LANES 4
#include "cpu/kernels/direct.h"
#include "cpu/kernels/rows.h"
#include "cpu/kernels/variants.h"
#include "cpu/kernels/vec256.h"

static inline vec vec_words(vec sum, vec image, const int32_t *t, int i)
{
    return sum + (vec)_mm256_madd_epi16((__m256i)image, _mm256_set1_epi32(t[i]));
}
#define vec_bytes vec_words /* AVX2 has no such instruction; never called */

enum { DOT_BYTES = 0, DOT_ROWS_U8 = XNCC_AVX2_ROWS_U8, DOT_ROWS_U16 = XNCC_AVX2_ROWS_U16 };
#include "cpu/kernels/dot.h"

/* Bytes as words: lane l has the pixels l and l + 1. */
static inline vec lanes_bytes(const void *at)
{
    const __m256i pairs = _mm256_set_epi8(-1, 8, -1, 7, -1, 7, -1, 6, -1, 6, -1, 5, -1, 5, -1, 4,
                                          -1, 4, -1, 3, -1, 3, -1, 2, -1, 2, -1, 1, -1, 1, -1, 0);
    return (vec)_mm256_shuffle_epi8(load_halves(at, at), pairs);
}

enum { LANES_BYTES_TAPS = 2, LANES_BYTES_ROWS = 5, LANES_WORDS_ROWS = 2 };
#include "cpu/kernels/dot_lanes.h"

const xncc_isa_rows xncc_rows_avx2 = ROWS_TABLE(rows_window);
const xncc_direct_isa xncc_direct_isa_avx2 = { dot_u8, dot_u16, dot_u8_lanes, dot_u16_lanes };
