/* SPDX-License-Identifier: BSD-2-Clause */
/* Resampled rows of bytes, eight pixels at a time, by gathered loads of four bytes. */
#include "pose/lanes_avx2.h"
#include "pose/sampling.h"

enum { LANES = 8, WORD = 4 };

#define POSITIONS(operation) _mm256_##operation
typedef __m256i positions_vector;
#define LANE_NUMBERS _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7)
#include "pose/positions.h"

/* The two bytes at each place, in the low halves of the lanes. last: the last place of which WORD
 * bytes can be read; from there on a lane is read earlier and moved. */
__attribute__((always_inline)) static inline __m256i pairs(const uint8_t *from, __m256i at,
                                                           __m256i last)
{
    const __m256i place = _mm256_min_epi32(at, last);
    const __m256i words = _mm256_i32gather_epi32((const int *)(const void *)from, place, 1);
    return _mm256_srlv_epi32(words, _mm256_slli_epi32(_mm256_sub_epi32(at, place), 3));
}

/* Two bytes of each lane, the low ones or, with `second` 2, the high ones, weighted by pairs of
 * 16-bit weights. */
__attribute__((always_inline)) static inline __m256i across(__m256i pair, int second,
                                                            __m256i weights)
{
    const __m256i spread = _mm256_add_epi8(
        _mm256_setr_epi8(0, -128, 1, -128, 4, -128, 5, -128, 8, -128, 9, -128, 12, -128, 13, -128,
                         0, -128, 1, -128, 4, -128, 5, -128, 8, -128, 9, -128, 12, -128, 13, -128),
        _mm256_set1_epi16((int16_t)second));
    return _mm256_madd_epi16(_mm256_shuffle_epi8(pair, spread), weights);
}

/* Which lanes have a byte of 0 in their mask, where a pixel has a weight. */
__attribute__((always_inline)) static inline __m256i uncounted(__m256i pair, __m256i weighted)
{
    const __m256i none = _mm256_cmpeq_epi8(pair, _mm256_setzero_si256());
    return _mm256_cmpgt_epi32(_mm256_and_si256(none, weighted), _mm256_setzero_si256());
}

/* What all rows of a window share. */
typedef struct strip {
    const xncc_pose_source *from;
    positions lane_u, lane_v, next_u, next_v;
    __m256i most_u, most_v, last;
} strip;

/* Which lanes are from 0 to a largest value. Those below 0 are large as unsigned numbers. */
static inline __m256i up_to(__m256i at, __m256i most)
{
    return _mm256_cmpeq_epi32(_mm256_min_epu32(at, most), at);
}

/* The quads at eight places. */
__attribute__((always_inline)) static inline __m256i quads_at(const uint32_t *quads, __m256i at)
{
    uint32_t place[LANES] __attribute__((aligned(32)));
    _mm256_store_si256((__m256i *)(void *)place, at);
    return xncc_lanes_quads(quads, place);
}

/* Computes eight pixels, as bytes in 32-bit lanes. *valid: lanes of ones for those that count; it
 * comes with the lanes inside the disc. */
__attribute__((always_inline)) static inline __m256i eight(const strip *s, __m256i pu, __m256i pv,
                                                           __m256i *valid)
{
    const xncc_pose_source *from = s->from;
    const __m256i low = _mm256_set1_epi32(XNCC_TAP_ONE - 1), one = _mm256_set1_epi32(XNCC_TAP_ONE),
                  zero = _mm256_setzero_si256(), width = _mm256_set1_epi32(from->width);
    *valid = _mm256_and_si256(*valid, _mm256_and_si256(up_to(pu, s->most_u), up_to(pv, s->most_v)));
    const __m256i wx = _mm256_and_si256(pu, low), wy = _mm256_and_si256(pv, low);
    /* Sides are below 2^15: one product of 16 bits. */
    __m256i at = _mm256_add_epi32(_mm256_madd_epi16(_mm256_srli_epi32(pv, XNCC_TAP_BITS), width),
                                  _mm256_srli_epi32(pu, XNCC_TAP_BITS));
    at = _mm256_and_si256(at, *valid);
    const __m256i below = _mm256_add_epi32(
        at, _mm256_and_si256(width, _mm256_and_si256(_mm256_cmpgt_epi32(wy, zero), *valid)));
    if (from->mask) {
        const __m256i weighted = _mm256_or_si256(
            _mm256_set1_epi32(0xff),
            _mm256_and_si256(_mm256_cmpgt_epi32(wx, zero), _mm256_set1_epi32(0xff00)));
        const __m256i without = _mm256_or_si256(
            uncounted(pairs(from->mask, at, s->last), weighted),
            uncounted(pairs(from->mask, below, s->last), weighted));
        *valid = _mm256_andnot_si256(without, *valid);
    }
    const __m256i weights = _mm256_or_si256(_mm256_sub_epi32(one, wx), _mm256_slli_epi32(wx, 16));
    __m256i upper, lower; /* the pixels on either side of the position */
    if (from->quads) {
        const __m256i quads = quads_at(from->quads, at);
        upper = across(quads, 0, weights);
        lower = across(quads, 2, weights);
    } else {
        upper = across(pairs(from->pixels, at, s->last), 0, weights);
        lower = across(pairs(from->pixels, below, s->last), 0, weights);
    }
    const __m256i sum = _mm256_add_epi32(_mm256_slli_epi32(upper, XNCC_TAP_BITS),
                                         _mm256_mullo_epi32(_mm256_sub_epi32(lower, upper), wy));
    const __m256i value = _mm256_srli_epi32(
        _mm256_add_epi32(sum, _mm256_set1_epi32(1 << (2 * XNCC_TAP_BITS - 1))), 2 * XNCC_TAP_BITS);
    return _mm256_and_si256(value, *valid);
}

/* Writes eight pixels, and 1 to the mask where they count. */
static inline void store(uint8_t *pixels, uint8_t *mask, __m256i value, __m256i valid)
{
    const __m256i both = _mm256_or_si256(value,
                                         _mm256_and_si256(valid, _mm256_set1_epi32(0x10000)));
    const __m256i four = _mm256_shuffle_epi8(
        both, _mm256_setr_epi8(0, 4, 8, 12, 2, 6, 10, 14, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4, 8, 12, 2, 6,
                               10, 14, 0, 0, 0, 0, 0, 0, 0, 0));
    const __m128i all = _mm_unpacklo_epi32(_mm256_castsi256_si128(four),
                                           _mm256_extracti128_si256(four, 1));
    _mm_storel_epi64((__m128i *)(void *)pixels, all);
    _mm_storel_epi64((__m128i *)(void *)mask, _mm_unpackhi_epi64(all, all));
}

/* Which of eight pixels from x on are inside the disc. */
static inline __m256i inside_disc(const xncc_sampling *s, int32_t x, int32_t y)
{
    if (!(s->disc < 0x1p31 - 1.0))
        return _mm256_set1_epi32(-1);
    const int32_t first = 2 * x - (s->width - 1), dy = 2 * y - (s->height - 1);
    const __m256i dx = _mm256_add_epi32(_mm256_set1_epi32(first),
                                        _mm256_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14)),
                  distance = _mm256_add_epi32(_mm256_mullo_epi32(dx, dx),
                                              _mm256_set1_epi32(dy * dy));
    /* The squares are integers, so that the limit can be rounded down. */
    return _mm256_andnot_si256(_mm256_cmpgt_epi32(distance, _mm256_set1_epi32((int32_t)s->disc)),
                               _mm256_set1_epi32(-1));
}

static uint64_t sample_row(const xncc_sampling *s, const strip *here, int32_t y, uint8_t *pixels,
                           uint8_t *mask)
{
    const int64_t half = INT64_C(1) << (32 - XNCC_TAP_BITS);
    xncc_sampled_row row = xncc_sampled_row_of(s, y);
    uint64_t count = 0;
    /* Whole steps, if the window has room for them: pixels before the first one do not count. */
    const int32_t whole = (row.end - row.first + LANES - 1) & -LANES;
    if (row.first + whole > s->width && whole <= s->width)
        row.first = s->width - whole;
    positions u = sum_of(same(row.u + half + 2 * s->cos * row.first), here->lane_u),
              v = sum_of(same(row.v + half + 2 * s->sin * row.first), here->lane_v);
    for (; row.first < row.end && row.first + LANES <= s->width; row.first += LANES) {
        __m256i valid = inside_disc(s, row.first, y);
        const __m256i value = eight(here, u.whole, v.whole, &valid);
        store(pixels + row.first, mask + row.first, value, valid);
        count += (uint64_t)__builtin_popcount(
            (unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(valid)));
        u = sum_of(u, here->next_u);
        v = sum_of(v, here->next_v);
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
                         .lane_u = multiples(2 * s->cos),
                         .lane_v = multiples(2 * s->sin),
                         .next_u = same(2 * LANES * s->cos),
                         .next_v = same(2 * LANES * s->sin),
                         .most_u = _mm256_set1_epi32((from->width - 1) << XNCC_TAP_BITS),
                         .most_v = _mm256_set1_epi32((from->height - 1) << XNCC_TAP_BITS),
                         .last = _mm256_set1_epi32((int32_t)(size - WORD)) };
    for (int32_t y = first; y < end; y++) {
        const size_t at = (size_t)(y - first) * (size_t)s->width;
        count += sample_row(s, &here, y, pixels + at, mask + at);
    }
    return count;
}
