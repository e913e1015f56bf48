/* SPDX-License-Identifier: BSD-2-Clause */
/* direct-avxvnni: the VNNI instructions on 256-bit vectors, for processors without AVX-512. It uses
 * 12 accumulators, the image, and a broadcast of the template. */
#define ROWS_LANES 4
#include "cpu/kernels/direct.h"
#include "cpu/kernels/rows.h"
#include "cpu/kernels/variants.h"
#include "cpu/kernels/vec256.h"

static inline vec vec_bytes(vec sum, vec image, const int32_t *t, int i)
{
    return (vec)_mm256_dpbusd_avx_epi32((__m256i)sum, (__m256i)image, _mm256_set1_epi32(t[i]));
}

static inline vec vec_words(vec sum, vec image, const int32_t *t, int i)
{
    return (vec)_mm256_dpwssd_avx_epi32((__m256i)sum, (__m256i)image, _mm256_set1_epi32(t[i]));
}

enum { DOT_BYTES = 1, DOT_ROWS_U8 = XNCC_AVXVNNI_ROWS, DOT_ROWS_U16 = XNCC_AVXVNNI_ROWS };
#include "cpu/kernels/dot.h"

/* Lane l has the pixels l .. l + 3. */
static inline vec lanes_bytes(const void *at)
{
    const __m256i fours = _mm256_set_epi8(10, 9, 8, 7, 9, 8, 7, 6, 8, 7, 6, 5, 7, 6, 5, 4, 6, 5, 4,
                                          3, 5, 4, 3, 2, 4, 3, 2, 1, 3, 2, 1, 0);
    return (vec)_mm256_shuffle_epi8(load_halves(at, at), fours);
}

enum { LANES_BYTES_TAPS = 4, LANES_BYTES_ROWS = 5, LANES_WORDS_ROWS = 2 };
#include "cpu/kernels/dot_lanes.h"

const xncc_isa_rows xncc_rows_avxvnni = ROWS_TABLE(rows_window);
const xncc_direct_isa xncc_direct_isa_avxvnni = { dot_u8, dot_u16, dot_u8_lanes, dot_u16_lanes };
