/* SPDX-License-Identifier: BSD-2-Clause */
/* The vector operations of rows.h, which is included before, and dot.h for the two 256-bit
 * instruction sets. */
#ifndef XNCC_CPU_KERNELS_VEC256_H
#define XNCC_CPU_KERNELS_VEC256_H

#include <immintrin.h>
#include <stdint.h>

/* 32-bit lanes, for the reason given in direct_avx512.c. */
typedef int32_t vec __attribute__((vector_size(32)));
enum { VEC_LANES = 8 };

static inline rows_double rows_sqrt(rows_double v)
{
    return (rows_double)_mm256_sqrt_pd((__m256d)v);
}

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

/* A vector whose halves are loaded from two addresses. */
static inline __m256i load_halves(const void *low, const void *high)
{
    return _mm256_inserti128_si256(_mm256_castsi128_si256(_mm_loadu_si128((const __m128i *)low)),
                                   _mm_loadu_si128((const __m128i *)high), 1);
}

/* What dot_lanes.h needs: lane l of words has the words l and l + 1. */
static inline vec lanes_words(const void *at)
{
    const __m256i pairs = _mm256_broadcastsi128_si256(
        _mm_set_epi8(9, 8, 7, 6, 7, 6, 5, 4, 5, 4, 3, 2, 3, 2, 1, 0));
    return (vec)_mm256_shuffle_epi8(load_halves(at, (const char *)at + 8), pairs);
}

#endif
