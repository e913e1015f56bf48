/* SPDX-License-Identifier: BSD-2-Clause */
/* Turned templates as steps (probe.h), without their pixels row by row. First all steps are listed,
 * four rows at a time, then each is computed: a loop per row, whose length changes from row to row,
 * costs as much as the pixels, since processors guess its end wrong. */
#include "pose/lanes_avx2.h"
#include "pose/probe.h"
#include "pose/sampling.h"

#include <string.h>

enum { LANES = 8, ROWS = 4, STEP = XNCC_PROBE_STEP, PAIRS = 4, AT_ONCE = 16 };

/* Positions have 32 bits for 256ths of a pixel and 32 bits for parts of them: UNIT of what
 * sampling.h has. */
enum { SHIFT = XNCC_TAP_BITS - 1, UNIT = 1 << SHIFT };

/* Eight distances along one axis: 256ths of a pixel, and their parts, which are moved from 0 ..
 * 2^32 - 1 to the range of an int32_t. */
typedef struct distances {
    __m256i whole, part;
} distances;

/* What all steps of a template share. Sines and cosines are distances of neighbouring pixels. */
typedef struct turned {
    const uint32_t *quads;
    int64_t u, v, cos, sin;           /* u, v: the position of pixel (0, 0) */
    distances along_u[2], along_v[2]; /* of sixteen pixels from the first one */
    int32_t last_u, last_v;           /* the largest 256ths that count */
    __m256i most_u, most_v, pitch;    /* pitch: pairs of 1 and the width of the source */
} turned;

/* first * step .. (first + 7) * step. */
static distances distances_of(int64_t step, int first)
{
    int32_t whole[LANES], part[LANES];
    for (int i = 0; i < LANES; i++) {
        const int64_t at = (first + i) * step;
        whole[i] = (int32_t)(at >> 32);
        part[i] = (int32_t)((uint32_t)at ^ 0x80000000u);
    }
    return (distances){ xncc_lanes_load(whole), xncc_lanes_load(part) };
}

static turned turned_of(const xncc_sampling *s)
{
    const xncc_pose_source *from = s->source;
    const xncc_sampled_row top = xncc_sampled_row_of(s, 0);
    const int64_t half = INT64_C(1) << (32 - XNCC_TAP_BITS), cos = 2 * s->cos * UNIT,
                  sin = 2 * s->sin * UNIT;
    const int32_t last_u = (from->width - 1) << XNCC_TAP_BITS, last_v = (from->height - 1)
                                                                        << XNCC_TAP_BITS;
    return (turned){ .quads = from->quads,
                     .u = (top.u + half) * UNIT,
                     .v = (top.v + half) * UNIT,
                     .cos = cos,
                     .sin = sin,
                     .along_u = { distances_of(cos, 0), distances_of(cos, LANES) },
                     .along_v = { distances_of(sin, 0), distances_of(sin, LANES) },
                     .last_u = last_u,
                     .last_v = last_v,
                     .most_u = _mm256_set1_epi16((int16_t)last_u),
                     .most_v = _mm256_set1_epi16((int16_t)last_v),
                     .pitch = _mm256_set1_epi32(from->width << 16 | 1) };
}

static int counts(const turned *t, int32_t x, int32_t y)
{
    const int64_t u = t->u + x * t->cos - y * t->sin, v = t->v + x * t->sin + y * t->cos;
    return (uint32_t)(u >> 32) <= (uint32_t)t->last_u && (uint32_t)(v >> 32) <= (uint32_t)t->last_v;
}

/* Where rows enter and leave the source along one axis, as numbers of pixels: (enter - start) * per
 * and (leave - start) * per, where start is the position of the row's first pixel. */
typedef struct axis {
    __m256d start, down; /* of four rows; down: to the next four */
    __m256d enter, leave, per;
} axis;

/* start: of row 0, without the half unit by which positions are rounded. */
static axis axis_of(int64_t start, int64_t down, double per, int32_t extent)
{
    const double half = 0x1p24, low = -half, high = (extent - 1) * 0x1p33 + half, d = (double)down;
    const __m256d row = _mm256_setr_pd(0.0, 1.0, 2.0, 3.0);
    return (axis){ .start = _mm256_add_pd(_mm256_set1_pd((double)start),
                                          _mm256_mul_pd(row, _mm256_set1_pd(d))),
                   .down = _mm256_set1_pd(ROWS * d),
                   .enter = _mm256_set1_pd(per < 0.0 ? high : low),
                   .leave = _mm256_set1_pd(per < 0.0 ? low : high),
                   .per = _mm256_set1_pd(per) };
}

/* Cuts four rows, `from` the first pixel and `to` the last one, and moves on. */
static inline void cut_rows(axis *a, __m256d *from, __m256d *to)
{
    *from = _mm256_max_pd(*from, _mm256_mul_pd(_mm256_sub_pd(a->enter, a->start), a->per));
    *to = _mm256_min_pd(*to, _mm256_mul_pd(_mm256_sub_pd(a->leave, a->start), a->per));
    a->start = _mm256_add_pd(a->start, a->down);
}

/* Writes the spans of four rows. Returns 0 if a place is so close to a whole number that its
 * rounding is not sure. */
static inline int span_rows(__m256d from, __m256d to, int32_t *span)
{
    const __m256d little = _mm256_set1_pd(0x1p-20), one = _mm256_set1_pd(1.0);
    const __m256d first = _mm256_ceil_pd(_mm256_sub_pd(from, little)),
                  last = _mm256_floor_pd(_mm256_add_pd(to, little)),
                  sure = _mm256_and_pd(
                      _mm256_cmp_pd(first, _mm256_ceil_pd(_mm256_add_pd(from, little)), _CMP_EQ_OQ),
                      _mm256_cmp_pd(last, _mm256_floor_pd(_mm256_sub_pd(to, little)), _CMP_EQ_OQ));
    const __m128i begin = _mm256_cvttpd_epi32(first),
                  end = _mm256_cvttpd_epi32(_mm256_add_pd(last, one)),
                  some = _mm_cmpgt_epi32(end, begin), b = _mm_and_si128(begin, some),
                  e = _mm_and_si128(end, some);
    _mm_storeu_si128((__m128i *)(void *)span, _mm_unpacklo_epi32(b, e));
    _mm_storeu_si128((__m128i *)(void *)(span + ROWS), _mm_unpackhi_epi32(b, e));
    return _mm256_movemask_pd(sure) == (1 << ROWS) - 1;
}

/* Corrects a span that can be a pixel too long at each end, or that of a row outside the source. */
static void shorten(const turned *t, int32_t y, int32_t span[2])
{
    while (span[0] < span[1] && !counts(t, span[0], y))
        span[0]++;
    while (span[0] < span[1] && !counts(t, span[1] - 1, y))
        span[1]--;
    if (span[0] == span[1])
        span[0] = span[1] = 0;
}

/* Sets the spans. */
static void find_spans(const xncc_sampling *s, const turned *t, xncc_pose_probe *p)
{
    const xncc_sampled_row top = xncc_sampled_row_of(s, 0);
    const int straight = s->per_cos == 0.0 || s->per_sin == 0.0;
    axis u = axis_of(top.u, -2 * s->sin, s->per_cos, s->source->width),
         v = axis_of(top.v, 2 * s->cos, s->per_sin, s->source->height);
    const __m256d width = _mm256_set1_pd(s->width), none = _mm256_set1_pd(-1.0);
    for (int32_t y = 0; y < s->height; y += ROWS) {
        __m256d from = _mm256_setzero_pd(), to = _mm256_add_pd(width, none);
        if (s->per_cos != 0.0)
            cut_rows(&u, &from, &to);
        if (s->per_sin != 0.0)
            cut_rows(&v, &from, &to);
        const int sure = span_rows(_mm256_min_pd(from, width), _mm256_max_pd(to, none),
                                   p->span + 2 * y);
        for (int32_t i = y; i < y + ROWS && i < s->height && (straight || !sure); i++)
            shorten(t, i, p->span + 2 * i);
    }
}

/* Lists the steps of all rows, also where they leave the window. Up to PAIRS - 1 places after the
 * last one are written, too. */
static void list_steps(xncc_pose_probe *p)
{
    const int32_t height = p->of.height;
    const uint32_t most = ((uint32_t)p->of.width + STEP - 1) / STEP;
    const __m256i next = _mm256_set1_epi64x((int64_t)(PAIRS * STEP) << 32);
    const int32_t *span = p->span;
    int32_t *place = p->place;
    uint32_t count = 0, all = 0;
    for (int32_t y = 0; y < height; y++, span += 2) {
        const uint32_t pixels = (uint32_t)(span[1] - span[0]), steps = (pixels + STEP - 1) / STEP;
        const __m256i row = _mm256_set1_epi64x((int64_t)span[0] << 32 | y);
        __m256i four = _mm256_add_epi32(row,
                                        _mm256_setr_epi32(0, 0, 0, STEP, 0, 2 * STEP, 0, 3 * STEP));
        for (uint32_t k = 0; k < most; k += PAIRS) {
            _mm256_storeu_si256((__m256i *)(void *)(place + 2 * k), four);
            four = _mm256_add_epi32(four, next);
        }
        place += 2 * steps;
        all += steps;
        count += pixels;
    }
    p->of.count = count;
    p->steps = (int32_t)all;
}

/* Eight positions, in 256ths. */
__attribute__((always_inline)) static inline __m256i add_distances(__m256i whole, __m256i part,
                                                                   const distances *d)
{
    const __m256i sum = _mm256_add_epi32(part, d->part), carry = _mm256_cmpgt_epi32(d->part, sum);
    return _mm256_sub_epi32(_mm256_add_epi32(whole, d->whole), carry);
}

/* Sixteen positions from `at` on, in 256ths, no less than 0 and no more than `most`. Four of them
 * from the first and four from the second eight take turns, as in all vectors of sixteen here. */
__attribute__((always_inline)) static inline __m256i positions(int64_t at, const distances along[2],
                                                               __m256i most)
{
    int32_t half[2];
    memcpy(half, &at, sizeof half);
    const __m256i part = _mm256_set1_epi32(half[0]), whole = _mm256_set1_epi32(half[1]);
    return _mm256_min_epu16(_mm256_packus_epi32(add_distances(whole, part, &along[0]),
                                                add_distances(whole, part, &along[1])),
                            most);
}

/* Eight pixels out of quads. wx: pairs of weights of the left and the right ones. wy: the weight of
 * the lower ones, twice. Both columns of a quad become one number each, which is less than 2^16,
 * and less 2^15 a signed one. */
__attribute__((always_inline)) static inline __m256i blend(__m256i quads, __m256i wx, __m256i wy)
{
    const __m256i bytes = _mm256_setr_epi8(0, -128, 1, -128, 4, -128, 5, -128, 8, -128, 9, -128, 12,
                                           -128, 13, -128, 0, -128, 1, -128, 4, -128, 5, -128, 8,
                                           -128, 9, -128, 12, -128, 13, -128);
    const __m256i upper = _mm256_shuffle_epi8(quads, bytes),
                  lower = _mm256_shuffle_epi8(quads, _mm256_add_epi8(bytes, _mm256_set1_epi16(2)));
    const __m256i column = _mm256_add_epi16(_mm256_slli_epi16(upper, XNCC_TAP_BITS),
                                            _mm256_mullo_epi16(_mm256_sub_epi16(lower, upper), wy));
    const __m256i sum = _mm256_madd_epi16(_mm256_xor_si256(column, _mm256_set1_epi16(INT16_MIN)),
                                          wx);
    const int32_t moved = 1 << (15 + XNCC_TAP_BITS), rounding = 1 << (2 * XNCC_TAP_BITS - 1);
    return _mm256_srli_epi32(_mm256_add_epi32(sum, _mm256_set1_epi32(moved + rounding)),
                             2 * XNCC_TAP_BITS);
}

/* Where the quads of a step are, and the weights of the right and of the lower pixels. */
typedef struct taps {
    __m256i right, below;
    uint32_t place[2][LANES];
} taps;

/* Positions outside the source get a pixel of its edge. */
__attribute__((always_inline)) static inline void look_up(const turned *t, int64_t u, int64_t v,
                                                          taps *to)
{
    const __m256i pu = positions(u, t->along_u, t->most_u),
                  pv = positions(v, t->along_v, t->most_v),
                  x = _mm256_srli_epi16(pu, XNCC_TAP_BITS),
                  y = _mm256_srli_epi16(pv, XNCC_TAP_BITS),
                  low = _mm256_set1_epi16(XNCC_TAP_ONE - 1);
    to->right = _mm256_and_si256(pu, low);
    to->below = _mm256_and_si256(pv, low);
    _mm256_store_si256((__m256i *)(void *)to->place[0],
                       _mm256_madd_epi16(_mm256_unpacklo_epi16(x, y), t->pitch));
    _mm256_store_si256((__m256i *)(void *)to->place[1],
                       _mm256_madd_epi16(_mm256_unpackhi_epi16(x, y), t->pitch));
}

/* The pixels of a step, as words. */
__attribute__((always_inline)) static inline __m256i sixteen(const turned *t, const taps *at)
{
    const __m256i right = at->right, below = at->below,
                  left = _mm256_sub_epi16(_mm256_set1_epi16(XNCC_TAP_ONE), right);
    const __m256i mixed = _mm256_packus_epi32(
        blend(xncc_lanes_quads(t->quads, at->place[0]), _mm256_unpacklo_epi16(left, right),
              _mm256_unpacklo_epi16(below, below)),
        blend(xncc_lanes_quads(t->quads, at->place[1]), _mm256_unpackhi_epi16(left, right),
              _mm256_unpackhi_epi16(below, below)));
    return _mm256_permute4x64_epi64(mixed, 0xd8);
}

/* The lesser number, without a branch. Processors would guess it wrong at the end of each row. */
static inline int32_t lesser(int32_t a, int32_t b)
{
    const int32_t difference = a - b;
    return b + (difference & difference >> 31);
}

/* Words of ones from number `first` to number end - 1 of sixteen. */
static inline __m256i lanes_between(int32_t first, int32_t end)
{
    static const int16_t ones[3 * STEP] = { [STEP] = -1, -1, -1, -1, -1, -1, -1, -1,
                                            -1,          -1, -1, -1, -1, -1, -1, -1 };
    return _mm256_and_si256(xncc_lanes_load(ones + STEP - first),
                            xncc_lanes_load(ones + 2 * STEP - lesser(end, STEP)));
}

/* Computes steps, and adds their pixels and the squares of these. The places of all their quads
 * come first: places that are read as soon as they are written take longer. */
static void compute_steps(const turned *t, xncc_pose_probe *p, int32_t first, int32_t count,
                          __m256i *sum, __m256i *sum2)
{
    const int32_t last = p->of.width - STEP, *span = p->span;
    int32_t *place = p->place + 2 * (size_t)first, skipped[AT_ONCE];
    int16_t *word = p->word + (size_t)first * STEP;
    taps at[AT_ONCE];
    for (int32_t i = 0; i < count; i++) {
        /* A step that would leave the window begins earlier, with what the one before it has. */
        const int32_t y = place[2 * i], x = place[2 * i + 1], begin = lesser(x, last);
        look_up(t, t->u + begin * t->cos - y * t->sin, t->v + begin * t->sin + y * t->cos, &at[i]);
        place[2 * i + 1] = begin;
        skipped[i] = x - begin;
    }
    for (int32_t i = 0; i < count; i++) {
        const int32_t end = span[2 * place[2 * i] + 1] - place[2 * i + 1];
        const __m256i words = _mm256_and_si256(sixteen(t, &at[i]), lanes_between(skipped[i], end));
        _mm256_storeu_si256((__m256i *)(void *)(word + (size_t)i * STEP), words);
        *sum = _mm256_add_epi32(*sum, _mm256_madd_epi16(words, _mm256_set1_epi16(1)));
        *sum2 = _mm256_add_epi32(*sum2, _mm256_madd_epi16(words, words));
    }
}

void xncc_probe_sample_avx2(const xncc_sampling *s, xncc_pose_probe *p)
{
    const turned t = turned_of(s);
    __m256i sum = _mm256_setzero_si256(), sum2 = sum;
    find_spans(s, &t, p);
    list_steps(p);
    for (int32_t i = 0; i < p->steps; i += AT_ONCE)
        compute_steps(&t, p, i, lesser(p->steps - i, AT_ONCE), &sum, &sum2);
    p->sum = xncc_lanes_total(sum);
    p->sum2 = xncc_lanes_total(sum2);
}
