/* SPDX-License-Identifier: BSD-2-Clause */
/* The sums of windows in steps of sixteen pixels of a row. The last step of a row ends where the
 * row ends and leaves out what the steps before it have added; a row of less than sixteen pixels is
 * read in two overlapping parts. So nothing beyond a row is read. */
#include "pose/lanes_avx2.h"
#include "pose/probe_windows.h"
#include "pose/sampling.h"

#include <string.h>

enum { WIDE = 32, STEP = 16, HALF = 8, QUARTER = 4 };

/* A step adds at most 16 * 255 * 255 to a sum of 32 bits, and a row has at most XNCC_MAX_POSE_SIDE
 * / STEP + 1 steps. After the row that reaches MOST_STEPS a sum is still below 2^32. */
enum { MOST_STEPS = 3000 };

/* 16 zeros, then 16 bytes of ones. Read from n on, they keep the last n of 16 pixels. */
static const uint8_t keep_last[2 * STEP] = { 0,   0,   0,   0,   0,   0,   0,   0,   0,   0,   0,
                                             0,   0,   0,   0,   0,   255, 255, 255, 255, 255, 255,
                                             255, 255, 255, 255, 255, 255, 255, 255, 255, 255 };

/* The sums of one window, eight numbers each. */
typedef struct lanes {
    __m256i S, Q, X;
} lanes;

static inline __m128i load(const uint8_t *from)
{
    return _mm_loadu_si128((const __m128i *)(const void *)from);
}

static inline __m128i load_half(const uint8_t *from)
{
    return _mm_loadl_epi64((const __m128i *)(const void *)from);
}

static inline __m128i load_quarter(const uint8_t *from)
{
    int32_t four;
    memcpy(&four, from, sizeof four);
    return _mm_cvtsi32_si128(four);
}

/* A row of less than STEP pixels, its last ones twice if need be, and zeros. */
__attribute__((always_inline)) static inline __m128i load_short(const uint8_t *from, int32_t count)
{
    if (count >= HALF)
        return _mm_unpacklo_epi64(load_half(from), load_half(from + count - HALF));
    if (count >= QUARTER)
        return _mm_unpacklo_epi32(load_quarter(from), load_quarter(from + count - QUARTER));
    uint8_t few[STEP] = { 0 };
    for (int32_t i = 0; i < count; i++)
        few[i] = from[i];
    return load(few);
}

/* Which bytes of load_short are there for the first time: those of its first part, and the last
 * ones of its second. */
static inline __m128i first_time(int32_t count)
{
    const __m128i at = _mm_setr_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    const int32_t part = count >= HALF ? HALF : count >= QUARTER ? QUARTER : 0;
    return _mm_or_si128(_mm_cmpgt_epi8(_mm_set1_epi8((char)part), at),
                        _mm_cmpgt_epi8(at, _mm_set1_epi8((char)(3 * part - count - 1))));
}

__attribute__((always_inline)) static inline void add_step(lanes *to, __m128i pixels, __m128i kept,
                                                           __m256i templ)
{
    const __m256i v = _mm256_cvtepu8_epi16(_mm_and_si128(pixels, kept));
    to->S = _mm256_add_epi32(to->S, _mm256_madd_epi16(v, _mm256_set1_epi16(1)));
    to->Q = _mm256_add_epi32(to->Q, _mm256_madd_epi16(v, v));
    to->X = _mm256_add_epi32(to->X, _mm256_madd_epi16(v, templ));
}

__attribute__((always_inline)) static inline void
add_row(const uint8_t *const image[XNCC_PROBE_SIDE], int64_t row, const uint8_t *templ,
        const uint8_t *mask, int32_t count, int32_t windows, lanes *to)
{
    if (count < STEP) {
        const __m128i kept = _mm_and_si128(load_short(mask, count), first_time(count));
        const __m256i t = _mm256_cvtepu8_epi16(load_short(templ, count));
        for (int32_t w = 0; w < windows; w++)
            add_step(&to[w], load_short(image[w] + row, count), kept, t);
        return;
    }
    for (int32_t i = 0; i < count; i += STEP) {
        const int32_t at = i + STEP <= count ? i : count - STEP;
        const __m128i kept = _mm_and_si128(load(mask + at), load(keep_last + (at + STEP - i)));
        const __m256i t = _mm256_cvtepu8_epi16(load(templ + at));
        for (int32_t w = 0; w < windows; w++)
            add_step(&to[w], load(image[w] + row + at), kept, t);
    }
}

__attribute__((always_inline)) static inline void add_windows(const xncc_pose_probe *probe,
                                                              const uint8_t *image, int64_t pitch,
                                                              const int64_t *window,
                                                              int32_t windows, xncc_probe_sums *sum)
{
    const uint8_t *from[XNCC_PROBE_SIDE];
    for (int32_t w = 0; w < windows; w++)
        from[w] = image + window[w];
    for (int32_t r = 0; r < probe->of.height;) {
        lanes to[XNCC_PROBE_SIDE];
        for (int32_t w = 0; w < windows; w++)
            to[w].S = to[w].Q = to[w].X = _mm256_setzero_si256();
        for (int32_t steps = 0; r < probe->of.height && steps < MOST_STEPS; r++) {
            const int32_t *span = probe->span + 2 * (size_t)r;
            const size_t at = (size_t)r * (size_t)probe->of.width + (size_t)span[0];
            add_row(from, r * pitch + span[0], (const uint8_t *)probe->of.pixels + at,
                    probe->of.mask + at, span[1] - span[0], windows, to);
            steps += (span[1] - span[0]) / STEP + 1;
        }
        for (int32_t w = 0; w < windows; w++) {
            sum[w].S += xncc_lanes_total(to[w].S);
            sum[w].Q += xncc_lanes_total(to[w].Q);
            sum[w].X += xncc_lanes_total(to[w].X);
        }
    }
}

static void add(const xncc_pose_probe *probe, const uint8_t *image, int64_t pitch,
                const int64_t *at, int32_t count, xncc_probe_sums *sum)
{
    for (; count >= XNCC_PROBE_SIDE; count -= XNCC_PROBE_SIDE) {
        add_windows(probe, image, pitch, at, XNCC_PROBE_SIDE, sum);
        at += XNCC_PROBE_SIDE;
        sum += XNCC_PROBE_SIDE;
    }
    if (count == 2)
        add_windows(probe, image, pitch, at, 2, sum);
    else if (count == 1)
        add_windows(probe, image, pitch, at, 1, sum);
}

_Static_assert((int)STEP == XNCC_PROBE_STEP, "a vector has the words of a step");

__attribute__((always_inline)) static inline void
multiply_windows(const xncc_pose_probe *probe, const uint8_t *image, int64_t pitch,
                 const int64_t *window, int32_t windows, int block, xncc_probe_sums *sum)
{
    place from = { .pitch = pitch, .block = block };
    __m256i X[XNCC_PROBE_WINDOWS];
    for (int32_t w = 0; w < windows; w++)
        from.from[w] = image + window[w];
    UNROLLED for (int32_t w = 0; w < windows; w++) X[w] = _mm256_setzero_si256();
    for (int32_t i = 0; i < probe->steps; i++) {
        const int64_t at = probe->place[2 * i] * pitch + probe->place[2 * i + 1];
        const __m256i t = xncc_lanes_load(probe->word + (size_t)i * STEP);
        UNROLLED for (int32_t w = 0; w < windows; w++) X[w] = _mm256_add_epi32(
            X[w], _mm256_madd_epi16(_mm256_cvtepu8_epi16(load(at_window(&from, w) + at)), t));
    }
    UNROLLED for (int32_t w = 0; w < windows; w++) sum[w].X += xncc_lanes_total(X[w]);
}

/* Windows that are multiplied at once, unless they are a block. */
enum { FEW = 5 };

static void multiply(const xncc_pose_probe *probe, const uint8_t *image, int64_t pitch,
                     const int64_t *at, int32_t count, xncc_probe_sums *sum)
{
    if (count == XNCC_PROBE_WINDOWS && xncc_probe_is_block(at, pitch)) {
        multiply_windows(probe, image, pitch, at, XNCC_PROBE_WINDOWS, 1, sum);
        return;
    }
    for (; count >= FEW; count -= FEW) {
        multiply_windows(probe, image, pitch, at, FEW, 0, sum);
        at += FEW;
        sum += FEW;
    }
    switch (count) {
    case 1: multiply_windows(probe, image, pitch, at, 1, 0, sum); break;
    case 2: multiply_windows(probe, image, pitch, at, 2, 0, sum); break;
    case 3: multiply_windows(probe, image, pitch, at, 3, 0, sum); break;
    case 4: multiply_windows(probe, image, pitch, at, 4, 0, sum); break;
    default: break;
    }
}

/* The last `count` of 32 lanes. */
static inline __m256i last_lanes(int32_t count)
{
    const __m256i at = _mm256_setr_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16,
                                        17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31);
    return _mm256_cmpgt_epi8(at, _mm256_set1_epi8((char)(WIDE - 1 - count)));
}

/* Makes the bytes of the mask 0 and 255, from a number on, WIDE of them or those at its end, and
 * adds the pixels to the four numbers of *sum, their squares to the eight of *sum2. Pixels that do
 * not count are 0. */
static inline void prepare_wide(const xncc_pose_probe *probe, size_t from, __m256i *sum,
                                __m256i *sum2)
{
    const size_t size = (size_t)probe->of.width * (size_t)probe->of.height,
                 at = from + WIDE <= size ? from : size - WIDE;
    uint8_t *mask = probe->of.mask + at;
    const __m256i zero = _mm256_setzero_si256(),
                  none = _mm256_cmpeq_epi8(xncc_lanes_load(mask), zero),
                  t = _mm256_and_si256(xncc_lanes_load((const uint8_t *)probe->of.pixels + at),
                                       last_lanes((int32_t)(at + WIDE - from))),
                  low = _mm256_unpacklo_epi8(t, zero), high = _mm256_unpackhi_epi8(t, zero);
    _mm256_storeu_si256((__m256i *)(void *)mask, _mm256_xor_si256(none, _mm256_set1_epi8(-1)));
    *sum = _mm256_add_epi64(*sum, _mm256_sad_epu8(t, zero));
    *sum2 = _mm256_add_epi32(
        *sum2, _mm256_add_epi32(_mm256_madd_epi16(low, low), _mm256_madd_epi16(high, high)));
}

/* Sets the span of a row. */
static inline void span_row(const uint8_t *mask, int32_t width, int32_t span[2])
{
    int32_t first = width, end = 0;
    for (int32_t i = 0; i < width; i += WIDE) {
        const int32_t at = i + WIDE <= width ? i : width - WIDE;
        const uint32_t kept = (uint32_t)_mm256_movemask_epi8(xncc_lanes_load(mask + at));
        if (kept == 0)
            continue;
        first = first < width ? first : at + __builtin_ctz(kept);
        end = at + WIDE - __builtin_clz(kept);
    }
    span[0] = first < end ? first : 0;
    span[1] = end;
}

static void prepare(xncc_pose_probe *probe)
{
    const int32_t width = probe->of.width;
    const size_t size = (size_t)width * (size_t)probe->of.height;
    __m256i sum = _mm256_setzero_si256();
    if (width < WIDE) {
        xncc_probe_prepare_portable(probe);
        return;
    }
    for (size_t i = 0; i < size;) {
        __m256i sum2 = _mm256_setzero_si256();
        for (int32_t steps = 0; i < size && steps < MOST_STEPS; i += WIDE, steps += 2)
            prepare_wide(probe, i, &sum, &sum2);
        probe->sum2 += xncc_lanes_total(sum2);
    }
    uint64_t four[4];
    _mm256_storeu_si256((__m256i *)(void *)four, sum);
    probe->sum = four[0] + four[1] + four[2] + four[3];
    for (int32_t r = 0; r < probe->of.height; r++)
        span_row(probe->of.mask + (size_t)r * (size_t)width, width, probe->span + 2 * (size_t)r);
}

const xncc_pose_loops xncc_pose_loops_avx2 = {
    xncc_pose_byte_rows_avx2, prepare, add, multiply, xncc_probe_sample_avx2, &xncc_running_avx2
};
