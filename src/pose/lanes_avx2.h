/* SPDX-License-Identifier: BSD-2-Clause */
/* What loops with AVX2 share. */
#ifndef XNCC_POSE_LANES_AVX2_H
#define XNCC_POSE_LANES_AVX2_H

#include <immintrin.h>
#include <stdint.h>

static inline __m256i xncc_lanes_load(const void *from)
{
    return _mm256_loadu_si256((const __m256i *)from);
}

/* The sum of eight numbers. */
static inline uint32_t xncc_lanes_total(__m256i v)
{
    __m128i s = _mm_add_epi32(_mm256_castsi256_si128(v), _mm256_extracti128_si256(v, 1));
    s = _mm_add_epi32(s, _mm_shuffle_epi32(s, 0x4e));
    s = _mm_add_epi32(s, _mm_shuffle_epi32(s, 0xb1));
    return (uint32_t)_mm_cvtsi128_si32(s);
}

/* The quads (resample.h) at eight places, by eight loads: many processors take longer for one
 * gathered load. */
__attribute__((always_inline)) static inline __m256i xncc_lanes_quads(const uint32_t *quads,
                                                                      const uint32_t place[8])
{
    return _mm256_setr_epi32((int32_t)quads[place[0]], (int32_t)quads[place[1]],
                             (int32_t)quads[place[2]], (int32_t)quads[place[3]],
                             (int32_t)quads[place[4]], (int32_t)quads[place[5]],
                             (int32_t)quads[place[6]], (int32_t)quads[place[7]]);
}

#endif
