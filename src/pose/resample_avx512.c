/* SPDX-License-Identifier: BSD-2-Clause */
/* Resampled rows of bytes that have quads, sixteen pixels at a time: one gathered load has the four
 * pixels around a position. Other sources are served by resample_avx2.c. */
#include "pose/sampling.h"

#include <immintrin.h>

enum { LANES = 16, HALF = 8 };

/* Sixteen positions along one axis, in units of 2^-33 pixels. */
typedef struct positions {
    __m512i low, high;
} positions;

static inline positions positions_at(int64_t start, int64_t step)
{
    const __m512i lane = _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7);
    const __m512i low = _mm512_add_epi64(_mm512_set1_epi64(start),
                                         _mm512_mullo_epi64(lane, _mm512_set1_epi64(step)));
    return (positions){ low, _mm512_add_epi64(low, _mm512_set1_epi64(HALF * step)) };
}

static inline void advance(positions *p, __m512i step)
{
    p->low = _mm512_add_epi64(p->low, step);
    p->high = _mm512_add_epi64(p->high, step);
}

/* The positions rounded down to 256ths of a pixel. */
static inline __m512i rounded(const positions *p)
{
    enum { SHIFT = 33 - XNCC_TAP_BITS };
    const __m256i low = _mm512_cvtepi64_epi32(_mm512_srai_epi64(p->low, SHIFT)),
                  high = _mm512_cvtepi64_epi32(_mm512_srai_epi64(p->high, SHIFT));
    return _mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1);
}

/* Which of sixteen pixels from x on are inside the disc. */
static inline __mmask16 inside_disc(const xncc_sampling *s, int32_t x, int32_t y)
{
    if (!(s->disc < 0x1p31 - 1.0))
        return 0xffff;
    const int32_t first = 2 * x - (s->width - 1), dy = 2 * y - (s->height - 1);
    const __m512i dx = _mm512_add_epi32(
        _mm512_set1_epi32(first),
        _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30));
    const __m512i distance = _mm512_add_epi32(_mm512_mullo_epi32(dx, dx),
                                              _mm512_set1_epi32(dy * dy));
    return _mm512_cmple_epi32_mask(distance, _mm512_set1_epi32((int32_t)s->disc));
}

/* Two bytes of each quad, weighted by pairs of 16-bit weights. */
static inline __m512i across(__m512i quads, int second, __m512i weights)
{
    const __m512i spread = _mm512_add_epi8(
        _mm512_broadcast_i32x4(_mm_setr_epi8(0, -128, 1, -128, 4, -128, 5, -128, 8, -128, 9, -128,
                                             12, -128, 13, -128)),
        _mm512_set1_epi16((int16_t)second));
    return _mm512_madd_epi16(_mm512_shuffle_epi8(quads, spread), weights);
}

/* The pixels at sixteen positions, of which `valid` lie in the source. */
static inline __m128i pixels_at(const xncc_pose_source *from, __m512i pu, __m512i pv,
                                __mmask16 valid)
{
    const __m512i low = _mm512_set1_epi32(XNCC_TAP_ONE - 1), one = _mm512_set1_epi32(XNCC_TAP_ONE),
                  zero = _mm512_setzero_si512();
    const __m512i wx = _mm512_and_si512(pu, low), wy = _mm512_and_si512(pv, low);
    const __m512i at = _mm512_add_epi32(
        _mm512_mullo_epi32(_mm512_srli_epi32(pv, XNCC_TAP_BITS), _mm512_set1_epi32(from->width)),
        _mm512_srli_epi32(pu, XNCC_TAP_BITS));
    const __m512i quads = _mm512_mask_i32gather_epi32(zero, valid, at, from->quads, 4);
    const __m512i weights = _mm512_or_si512(_mm512_sub_epi32(one, wx), _mm512_slli_epi32(wx, 16));
    const __m512i sum = _mm512_add_epi32(
        _mm512_mullo_epi32(across(quads, 0, weights), _mm512_sub_epi32(one, wy)),
        _mm512_mullo_epi32(across(quads, 2, weights), wy));
    const __m512i half = _mm512_set1_epi32(1 << (2 * XNCC_TAP_BITS - 1));
    return _mm512_cvtepi32_epi8(_mm512_srli_epi32(_mm512_add_epi32(sum, half), 2 * XNCC_TAP_BITS));
}

uint64_t xncc_pose_byte_row_avx512(const xncc_sampling *s, int32_t y, uint8_t *pixels,
                                   uint8_t *mask)
{
    const xncc_pose_source *from = s->source;
    if (!from->quads)
        return xncc_pose_byte_row_avx2(s, y, pixels, mask);
    const xncc_sampled_row row = xncc_sampled_row_of(s, y);
    const int64_t half = INT64_C(1) << (32 - XNCC_TAP_BITS);
    const __m512i most_u = _mm512_set1_epi32((from->width - 1) << XNCC_TAP_BITS),
                  most_v = _mm512_set1_epi32((from->height - 1) << XNCC_TAP_BITS),
                  step_u = _mm512_set1_epi64(2 * LANES * s->cos),
                  step_v = _mm512_set1_epi64(2 * LANES * s->sin);
    positions u = positions_at(row.u + half + 2 * s->cos * row.first, 2 * s->cos),
              v = positions_at(row.v + half + 2 * s->sin * row.first, 2 * s->sin);
    uint64_t count = 0;
    for (int32_t x = row.first; x < row.end; x += LANES) {
        const __mmask16 lanes = _cvtu32_mask16(row.end - x < LANES ? (1u << (row.end - x)) - 1u
                                                                   : 0xffffu);
        const __m512i pu = rounded(&u), pv = rounded(&v);
        /* Positions below 0 are large as unsigned numbers. */
        const __mmask16 in_width = _mm512_mask_cmple_epu32_mask(lanes, pu, most_u),
                        in_both = _mm512_mask_cmple_epu32_mask(in_width, pv, most_v),
                        valid = _kand_mask16(in_both, inside_disc(s, x, y));
        _mm_mask_storeu_epi8(pixels + x, valid, pixels_at(from, pu, pv, valid));
        _mm_mask_storeu_epi8(mask + x, valid, _mm_set1_epi8(1));
        count += (uint64_t)__builtin_popcount(valid);
        advance(&u, step_u);
        advance(&v, step_v);
    }
    return count;
}
