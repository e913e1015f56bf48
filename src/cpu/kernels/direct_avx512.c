/* SPDX-License-Identifier: BSD-2-Clause */
/* direct-avx512: AVX-512 with VNNI (needs F, BW, DQ, VL, VNNI). 6 map rows with 4 dwords per group
 * use 24 of the 32 registers as accumulators, and one image load serves all of them. */
#define ROWS_LANES 8
#include "cpu/kernels/direct.h"
#include "cpu/kernels/rows.h"
#include "cpu/kernels/variants.h"

#include <immintrin.h>

/* A vector type with 32-bit lanes for the accumulators: with __m512i, whose lanes are 64 bits, gcc
 * 12 copies every accumulator in every step. */
typedef int32_t vec __attribute__((vector_size(64)));
enum { VEC_LANES = 16 };

static inline rows_double rows_sqrt(rows_double v)
{
    return (rows_double)_mm512_sqrt_pd((__m512d)v);
}

static inline vec vec_fill(int32_t number)
{
    return (vec)_mm512_set1_epi32(number);
}

static inline vec vec_load(const void *from)
{
    return (vec)_mm512_loadu_si512(from);
}

static inline vec vec_bytes(vec sum, vec image, const int32_t *t, int i)
{
    return (vec)_mm512_dpbusd_epi32((__m512i)sum, (__m512i)image, _mm512_set1_epi32(t[i]));
}

static inline vec vec_words(vec sum, vec image, const int32_t *t, int i)
{
    return (vec)_mm512_dpwssd_epi32((__m512i)sum, (__m512i)image, _mm512_set1_epi32(t[i]));
}

static inline void vec_store2(int32_t *out, const vec sum[2])
{
    const __m512i low = _mm512_set_epi32(23, 7, 22, 6, 21, 5, 20, 4, 19, 3, 18, 2, 17, 1, 16, 0);
    const __m512i high = _mm512_set_epi32(31, 15, 30, 14, 29, 13, 28, 12, 27, 11, 26, 10, 25, 9, 24,
                                          8);
    _mm512_storeu_si512(out, _mm512_permutex2var_epi32((__m512i)sum[0], low, (__m512i)sum[1]));
    _mm512_storeu_si512(out + 16,
                        _mm512_permutex2var_epi32((__m512i)sum[0], high, (__m512i)sum[1]));
}

static inline void vec_store4(int32_t *out, const vec sum[4])
{
    const __m512i low = _mm512_set_epi32(23, 7, 22, 6, 21, 5, 20, 4, 19, 3, 18, 2, 17, 1, 16, 0);
    const __m512i high = _mm512_set_epi32(31, 15, 30, 14, 29, 13, 28, 12, 27, 11, 26, 10, 25, 9, 24,
                                          8);
    const __m512i low2 = _mm512_set_epi64(11, 3, 10, 2, 9, 1, 8, 0),
                  high2 = _mm512_set_epi64(15, 7, 14, 6, 13, 5, 12, 4);
    __m512i a = _mm512_permutex2var_epi32((__m512i)sum[0], low, (__m512i)sum[1]),
            b = _mm512_permutex2var_epi32((__m512i)sum[2], low, (__m512i)sum[3]);
    __m512i c = _mm512_permutex2var_epi32((__m512i)sum[0], high, (__m512i)sum[1]),
            d = _mm512_permutex2var_epi32((__m512i)sum[2], high, (__m512i)sum[3]);
    _mm512_storeu_si512(out, _mm512_permutex2var_epi64(a, low2, b));
    _mm512_storeu_si512(out + 16, _mm512_permutex2var_epi64(a, high2, b));
    _mm512_storeu_si512(out + 32, _mm512_permutex2var_epi64(c, low2, d));
    _mm512_storeu_si512(out + 48, _mm512_permutex2var_epi64(c, high2, d));
}

enum { DOT_BYTES = 1, DOT_ROWS_U8 = XNCC_AVX512_ROWS, DOT_ROWS_U16 = XNCC_AVX512_ROWS };
#include "cpu/kernels/dot.h"

/* Lane l of four has the bytes l .. l + 3 of its 128 bits. */
static inline __m512i four_bytes(__m512i v)
{
    const __m128i bytes = _mm_set_epi8(6, 5, 4, 3, 5, 4, 3, 2, 4, 3, 2, 1, 3, 2, 1, 0);
    return _mm512_shuffle_epi8(v, _mm512_broadcast_i32x4(bytes));
}

static inline vec lanes_bytes(const void *at)
{
    const __m512i dwords = _mm512_set_epi32(6, 5, 4, 3, 5, 4, 3, 2, 4, 3, 2, 1, 3, 2, 1, 0),
                  image = _mm512_castsi256_si512(_mm256_loadu_si256((const __m256i *)at));
    return (vec)four_bytes(_mm512_permutexvar_epi32(dwords, image));
}

static inline vec lanes_words(const void *at)
{
    const __m512i words = _mm512_set_epi16(16, 15, 15, 14, 14, 13, 13, 12, 12, 11, 11, 10, 10, 9, 9,
                                           8, 8, 7, 7, 6, 6, 5, 5, 4, 4, 3, 3, 2, 2, 1, 1, 0);
    return (vec)_mm512_permutexvar_epi16(words, _mm512_loadu_si512(at));
}

enum { LANES_BYTES_TAPS = 4, LANES_BYTES_ROWS = 12, LANES_WORDS_ROWS = 6 };
#include "cpu/kernels/dot_lanes.h"

/* Computes eight window sums per step: the differences between neighbouring windows are summed up
 * within the vector and added to the last sum of the previous step. */
static void window_sums(const uint64_t *column, int32_t width, uint64_t *window, int32_t count)
{
    const __m512i zero = _mm512_setzero_si512(), last = _mm512_set1_epi64(7);
    uint64_t first = 0;
    for (int32_t i = 0; i < width - 1; i++)
        first += column[i];
    __m512i carry = _mm512_set1_epi64((long long)first);
    /* column[-1] counts as 0: no column leaves before the first window */
    for (int32_t x = 0; x < count; x += 8) {
        __m512i leave = x ? _mm512_loadu_si512(column + x - 1)
                          : _mm512_alignr_epi64(_mm512_loadu_si512(column), zero, 7);
        __m512i sum = _mm512_sub_epi64(_mm512_loadu_si512(column + x + width - 1), leave);
        sum = _mm512_add_epi64(sum, _mm512_alignr_epi64(sum, zero, 7));
        sum = _mm512_add_epi64(sum, _mm512_alignr_epi64(sum, zero, 6));
        sum = _mm512_add_epi64(sum, _mm512_alignr_epi64(sum, zero, 4));
        sum = _mm512_add_epi64(sum, carry);
        carry = _mm512_permutexvar_epi64(last, sum);
        _mm512_storeu_si512(window + x, sum);
    }
}

const xncc_isa_rows xncc_rows_avx512 = ROWS_TABLE(window_sums);
const xncc_direct_isa xncc_direct_isa_avx512 = { dot_u8, dot_u16, dot_u8_lanes, dot_u16_lanes };
