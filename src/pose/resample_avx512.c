/* SPDX-License-Identifier: BSD-2-Clause */
/* Resampled rows of bytes without a mask, sixteen pixels at a time. If the source has quads, one
 * gathered load has the four pixels around a position; otherwise two loads have two of them each.
 * Sources with a mask are served by resample_avx2.c. */
#include "pose/sampling.h"

#include <immintrin.h>

enum { LANES = 16, WORD = 4 };

#define POSITIONS(operation) _mm512_##operation
typedef __m512i positions_vector;
#define LANE_NUMBERS _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)
#include "pose/positions.h"

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

/* The four bytes from each place on; beyond the source there are zeros. last: the last place of
 * which four bytes can be read; those after it are read earlier and moved. */
static inline __m512i words_at(const uint8_t *from, __m512i at, __m512i last, __mmask16 valid)
{
    const __m512i place = _mm512_min_epi32(at, last);
    const __m512i words = _mm512_mask_i32gather_epi32(_mm512_setzero_si512(), valid, place, from,
                                                      1);
    return _mm512_srlv_epi32(words, _mm512_slli_epi32(_mm512_sub_epi32(at, place), 3));
}

/* The quads at sixteen places, of which `valid` lie in the source. below: those that have a weight
 * on the row below. */
static inline __m512i quads_at(const xncc_pose_source *from, __m512i at, __mmask16 valid,
                               __mmask16 below)
{
    if (from->quads)
        return _mm512_mask_i32gather_epi32(_mm512_setzero_si512(), valid, at, from->quads, 4);
    const __m512i last = _mm512_set1_epi32(from->width * from->height - WORD),
                  under = _mm512_mask_add_epi32(at, below, at, _mm512_set1_epi32(from->width));
    return _mm512_mask_blend_epi16(
        0xaaaaaaaa, words_at(from->pixels, at, last, valid),
        _mm512_slli_epi32(words_at(from->pixels, under, last, valid), 16));
}

/* The pixels at sixteen positions, of which `valid` lie in the source; 0 elsewhere. */
static inline __m128i pixels_at(const xncc_pose_source *from, __m512i pu, __m512i pv,
                                __mmask16 valid)
{
    const __m512i low = _mm512_set1_epi32(XNCC_TAP_ONE - 1), one = _mm512_set1_epi32(XNCC_TAP_ONE);
    const __m512i wx = _mm512_and_si512(pu, low), wy = _mm512_and_si512(pv, low);
    const __m512i at = _mm512_add_epi32(
        _mm512_mullo_epi32(_mm512_srli_epi32(pv, XNCC_TAP_BITS), _mm512_set1_epi32(from->width)),
        _mm512_srli_epi32(pu, XNCC_TAP_BITS));
    const __m512i quads = quads_at(from, at, valid, _mm512_test_epi32_mask(wy, wy));
    const __m512i weights = _mm512_or_si512(_mm512_sub_epi32(one, wx), _mm512_slli_epi32(wx, 16));
    const __m512i sum = _mm512_add_epi32(
        _mm512_mullo_epi32(across(quads, 0, weights), _mm512_sub_epi32(one, wy)),
        _mm512_mullo_epi32(across(quads, 2, weights), wy));
    const __m512i half = _mm512_set1_epi32(1 << (2 * XNCC_TAP_BITS - 1));
    return _mm512_maskz_cvtepi32_epi8(
        valid, _mm512_srli_epi32(_mm512_add_epi32(sum, half), 2 * XNCC_TAP_BITS));
}

/* What all rows of a window share. */
typedef struct steps {
    positions lane_u, lane_v, next_u, next_v;
    __m512i most_u, most_v;
} steps;

static inline uint64_t sample_row(const xncc_sampling *s, const steps *step, int32_t y,
                                  uint8_t *pixels, uint8_t *mask)
{
    const int64_t half = INT64_C(1) << (32 - XNCC_TAP_BITS);
    const xncc_sampled_row row = xncc_sampled_row_of(s, y);
    positions u = sum_of(same(row.u + half + 2 * s->cos * row.first), step->lane_u),
              v = sum_of(same(row.v + half + 2 * s->sin * row.first), step->lane_v);
    uint64_t count = 0;
    for (int32_t x = row.first; x < row.end; x += LANES) {
        const __mmask16 lanes = _cvtu32_mask16(row.end - x < LANES ? (1u << (row.end - x)) - 1u
                                                                   : 0xffffu);
        /* Positions below 0 are large as unsigned numbers. */
        const __mmask16 in_width = _mm512_mask_cmple_epu32_mask(lanes, u.whole, step->most_u),
                        in_both = _mm512_mask_cmple_epu32_mask(in_width, v.whole, step->most_v),
                        valid = _kand_mask16(in_both, inside_disc(s, x, y));
        _mm_mask_storeu_epi8(pixels + x, lanes, pixels_at(s->source, u.whole, v.whole, valid));
        _mm_mask_storeu_epi8(mask + x, lanes, _mm_maskz_set1_epi8(valid, 1));
        count += (uint64_t)__builtin_popcount(valid);
        u = sum_of(u, step->next_u);
        v = sum_of(v, step->next_v);
    }
    return count;
}

uint64_t xncc_pose_byte_rows_avx512(const xncc_sampling *s, int32_t first, int32_t end,
                                    uint8_t *pixels, uint8_t *mask)
{
    const xncc_pose_source *from = s->source;
    if (from->mask || (int64_t)from->width * from->height < WORD)
        return xncc_pose_byte_rows_avx2(s, first, end, pixels, mask);
    const steps step = { .lane_u = multiples(2 * s->cos),
                         .lane_v = multiples(2 * s->sin),
                         .next_u = same(2 * LANES * s->cos),
                         .next_v = same(2 * LANES * s->sin),
                         .most_u = _mm512_set1_epi32((from->width - 1) << XNCC_TAP_BITS),
                         .most_v = _mm512_set1_epi32((from->height - 1) << XNCC_TAP_BITS) };
    uint64_t count = 0;
    for (int32_t y = first; y < end; y++) {
        const size_t at = (size_t)(y - first) * (size_t)s->width;
        count += sample_row(s, &step, y, pixels + at, mask + at);
    }
    return count;
}
