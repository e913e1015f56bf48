/* SPDX-License-Identifier: BSD-2-Clause */
/* The vector operations of dot.h for the two 256-bit instruction sets. */
#ifndef XNCC_CPU_KERNELS_VEC256_H
#define XNCC_CPU_KERNELS_VEC256_H

#include <immintrin.h>
#include <stdint.h>

/* 32-bit lanes, for the reason given in direct_avx512.c. */
typedef int32_t vec __attribute__((vector_size(32)));
enum { VEC_LANES = 8 };

static inline vec vec_fill(int32_t number)
{
    return (vec)_mm256_set1_epi32(number);
}

static inline vec vec_load(const void *from)
{
    return (vec)_mm256_loadu_si256((const __m256i *)from);
}

/* Stores two vectors whose 128-bit halves belong together: first both low halves, then both high
 * ones. */
static inline void store_halves(int32_t *low, int32_t *high, __m256i a, __m256i b)
{
    _mm256_storeu_si256((__m256i *)low, _mm256_permute2x128_si256(a, b, 0x20));
    _mm256_storeu_si256((__m256i *)high, _mm256_permute2x128_si256(a, b, 0x31));
}

static inline void vec_store2(int32_t *out, const vec sum[2])
{
    store_halves(out, out + 8, _mm256_unpacklo_epi32((__m256i)sum[0], (__m256i)sum[1]),
                 _mm256_unpackhi_epi32((__m256i)sum[0], (__m256i)sum[1]));
}

static inline void vec_store4(int32_t *out, const vec sum[4])
{
    __m256i a = _mm256_unpacklo_epi32((__m256i)sum[0], (__m256i)sum[1]),
            b = _mm256_unpacklo_epi32((__m256i)sum[2], (__m256i)sum[3]);
    __m256i c = _mm256_unpackhi_epi32((__m256i)sum[0], (__m256i)sum[1]),
            d = _mm256_unpackhi_epi32((__m256i)sum[2], (__m256i)sum[3]);
    store_halves(out, out + 16, _mm256_unpacklo_epi64(a, b), _mm256_unpackhi_epi64(a, b));
    store_halves(out + 8, out + 24, _mm256_unpacklo_epi64(c, d), _mm256_unpackhi_epi64(c, d));
}

#endif
