/* SPDX-License-Identifier: BSD-2-Clause */
/* Resampled rows of bytes, eight pixels at a time, by gathered loads of four bytes. */
#include "pose/sampling.h"

#include <immintrin.h>

enum { LANES = 8, WORD = 4 };

/* Positions are made positive before they are shifted: they are below 2^48 in magnitude. */
#define POSITION_BIAS (INT64_C(1) << 50)

/* Eight positions along one axis, in 256ths of a pixel. */
__attribute__((always_inline)) static inline __m256i positions(int64_t start, int64_t step)
{
    const int64_t half = INT64_C(1) << (32 - XNCC_TAP_BITS), at = start + half + POSITION_BIAS;
    const __m256i a = _mm256_setr_epi64x(at, at + step, at + 4 * step, at + 5 * step),
                  b = _mm256_add_epi64(a, _mm256_set1_epi64x(2 * step));
    const __m256 low = _mm256_castsi256_ps(_mm256_srli_epi64(a, 33 - XNCC_TAP_BITS)),
                 high = _mm256_castsi256_ps(_mm256_srli_epi64(b, 33 - XNCC_TAP_BITS));
    return _mm256_sub_epi32(_mm256_castps_si256(_mm256_shuffle_ps(low, high, 0x88)),
                            _mm256_set1_epi32((int32_t)(POSITION_BIAS >> (33 - XNCC_TAP_BITS))));
}

/* The two bytes at each place, in the low halves of the lanes. last: the last place of which WORD
 * bytes can be read; from there on a lane is read earlier and moved. */
__attribute__((always_inline)) static inline __m256i pairs(const uint8_t *from, __m256i at,
                                                           __m256i last)
{
    const __m256i place = _mm256_min_epi32(at, last);
    const __m256i words = _mm256_i32gather_epi32((const int *)(const void *)from, place, 1);
    return _mm256_srlv_epi32(words, _mm256_slli_epi32(_mm256_sub_epi32(at, place), 3));
}

/* The low pairs of bytes of the lanes, weighted by pairs of 16-bit weights. */
__attribute__((always_inline)) static inline __m256i across(__m256i pair, __m256i weights)
{
    const __m256i spread = _mm256_setr_epi8(0, -1, 1, -1, 4, -1, 5, -1, 8, -1, 9, -1, 12, -1, 13,
                                            -1, 0, -1, 1, -1, 4, -1, 5, -1, 8, -1, 9, -1, 12, -1,
                                            13, -1);
    return _mm256_madd_epi16(_mm256_shuffle_epi8(pair, spread), weights);
}

/* Which lanes have a byte of 0 in their mask, where a pixel has a weight. */
__attribute__((always_inline)) static inline __m256i uncounted(__m256i pair, __m256i weighted)
{
    const __m256i none = _mm256_cmpeq_epi8(pair, _mm256_setzero_si256());
    return _mm256_cmpgt_epi32(_mm256_and_si256(none, weighted), _mm256_setzero_si256());
}

/* A row of the window, for eight pixels. */
typedef struct strip {
    const xncc_pose_source *from;
    __m256i last, zero;
} strip;

/* Computes eight pixels, as bytes in 32-bit lanes. *valid: lanes of ones for those that count; it
 * comes with the lanes inside the disc. */
__attribute__((always_inline)) static inline __m256i eight(const strip *s, __m256i pu, __m256i pv,
                                                           __m256i *valid)
{
    const xncc_pose_source *from = s->from;
    const __m256i most_u = _mm256_set1_epi32((from->width - 1) << XNCC_TAP_BITS),
                  most_v = _mm256_set1_epi32((from->height - 1) << XNCC_TAP_BITS),
                  low = _mm256_set1_epi32(XNCC_TAP_ONE - 1), one = _mm256_set1_epi32(XNCC_TAP_ONE);
    const __m256i outside = _mm256_or_si256(
        _mm256_or_si256(_mm256_cmpgt_epi32(s->zero, pu), _mm256_cmpgt_epi32(pu, most_u)),
        _mm256_or_si256(_mm256_cmpgt_epi32(s->zero, pv), _mm256_cmpgt_epi32(pv, most_v)));
    *valid = _mm256_andnot_si256(outside, *valid);
    const __m256i wx = _mm256_and_si256(pu, low), wy = _mm256_and_si256(pv, low),
                  has_below = _mm256_cmpgt_epi32(wy, s->zero),
                  width = _mm256_set1_epi32(from->width);
    __m256i at = _mm256_add_epi32(_mm256_mullo_epi32(_mm256_srli_epi32(pv, XNCC_TAP_BITS), width),
                                  _mm256_srli_epi32(pu, XNCC_TAP_BITS));
    at = _mm256_and_si256(at, *valid);
    const __m256i below = _mm256_add_epi32(
        at, _mm256_and_si256(width, _mm256_and_si256(has_below, *valid)));
    if (from->mask) {
        const __m256i weighted = _mm256_or_si256(
            _mm256_set1_epi32(0xff),
            _mm256_and_si256(_mm256_cmpgt_epi32(wx, s->zero), _mm256_set1_epi32(0xff00)));
        const __m256i without = _mm256_or_si256(
            uncounted(pairs(from->mask, at, s->last), weighted),
            uncounted(pairs(from->mask, below, s->last), weighted));
        *valid = _mm256_andnot_si256(without, *valid);
    }
    const __m256i weights = _mm256_or_si256(_mm256_sub_epi32(one, wx), _mm256_slli_epi32(wx, 16));
    __m256i above, under; /* the pixels on either side of the position */
    if (from->quads) {
        above = _mm256_i32gather_epi32((const int *)(const void *)from->quads, at, 4);
        under = _mm256_srli_epi32(above, 16);
    } else {
        above = pairs(from->pixels, at, s->last);
        under = pairs(from->pixels, below, s->last);
    }
    const __m256i upper = across(above, weights), lower = across(under, weights);
    const __m256i sum = _mm256_add_epi32(_mm256_mullo_epi32(upper, _mm256_sub_epi32(one, wy)),
                                         _mm256_mullo_epi32(lower, wy));
    const __m256i value = _mm256_srli_epi32(
        _mm256_add_epi32(sum, _mm256_set1_epi32(1 << (2 * XNCC_TAP_BITS - 1))), 2 * XNCC_TAP_BITS);
    return _mm256_and_si256(value, *valid);
}

/* Writes the low bytes of eight lanes. */
static inline void store(uint8_t *to, __m256i v)
{
    const __m128i words = _mm_packus_epi32(_mm256_castsi256_si128(v),
                                           _mm256_extracti128_si256(v, 1));
    _mm_storel_epi64((__m128i *)(void *)to, _mm_packus_epi16(words, words));
}

/* Which of eight pixels from x on are inside the disc. */
static inline __m256i inside_disc(const xncc_sampling *s, int32_t x, int32_t y)
{
    const int32_t first = 2 * x - (s->width - 1), dy = 2 * y - (s->height - 1);
    const __m256i dx = _mm256_add_epi32(_mm256_set1_epi32(first),
                                        _mm256_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14)),
                  distance = _mm256_add_epi32(_mm256_mullo_epi32(dx, dx),
                                              _mm256_set1_epi32(dy * dy));
    /* The squares are integers, so that the limit can be rounded down. */
    const int32_t limit = s->disc < 0x1p31 - 1.0 ? (int32_t)s->disc : INT32_MAX;
    return _mm256_andnot_si256(_mm256_cmpgt_epi32(distance, _mm256_set1_epi32(limit)),
                               _mm256_set1_epi32(-1));
}

static uint64_t sample_row(const xncc_sampling *s, const strip *here, int32_t y, uint8_t *pixels,
                           uint8_t *mask)
{
    xncc_sampled_row row = xncc_sampled_row_of(s, y);
    uint64_t count = 0;
    for (; row.first < row.end && row.first + LANES <= s->width; row.first += LANES) {
        const int32_t x = row.first;
        __m256i valid = inside_disc(s, x, y);
        const __m256i v = eight(here, positions(row.u + 2 * s->cos * x, 2 * s->cos),
                                positions(row.v + 2 * s->sin * x, 2 * s->sin), &valid);
        store(pixels + x, v);
        store(mask + x, _mm256_srli_epi32(valid, 31));
        count += (uint64_t)__builtin_popcount(
            (unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(valid)));
    }
    return count + xncc_pose_byte_pixels(s, y, &row, pixels, mask);
}

uint64_t xncc_pose_byte_rows_avx2(const xncc_sampling *s, int32_t first, int32_t end,
                                  uint8_t *pixels, uint8_t *mask)
{
    const xncc_pose_source *from = s->source;
    const int64_t size = (int64_t)from->width * from->height;
    uint64_t count = 0;
    if (size < WORD)
        return xncc_pose_byte_rows_portable(s, first, end, pixels, mask);
    const strip here = { .from = from,
                         .last = _mm256_set1_epi32((int32_t)(size - WORD)),
                         .zero = _mm256_setzero_si256() };
    for (int32_t y = first; y < end; y++) {
        const size_t at = (size_t)(y - first) * (size_t)s->width;
        count += sample_row(s, &here, y, pixels + at, mask + at);
    }
    return count;
}
