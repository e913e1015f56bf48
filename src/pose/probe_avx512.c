/* SPDX-License-Identifier: BSD-2-Clause */
/* The sums of windows in steps of 64 pixels of a row, by dot products of bytes. Masked loads read
 * the pixels that count and nothing else. One factor of a dot product is signed, so 128 is
 * subtracted from it; S makes up for that. */
#include "pose/probe_windows.h"
#include "pose/sampling.h"

#include <immintrin.h>

enum { STEP = 64, HALF = 32, BIAS = 128 };

/* A step adds at most 4 * 255 * 128 in magnitude to each of 16 sums of 32 bits, and a row has at
 * most XNCC_MAX_POSE_SIDE / STEP steps. After the row that reaches MOST_STEPS the total of the 16
 * is still below 2^31. */
enum { MOST_STEPS = 700 };

/* The sums of one window: of v, v * (v - BIAS) and v * (t - BIAS), sixteen numbers each. */
typedef struct lanes {
    __m512i S, Q, X;
} lanes;

/* The first `count` of 64 lanes, at most all. */
static inline __mmask64 first_lanes(int32_t count)
{
    return count < STEP ? ~UINT64_C(0) >> (STEP - count) : ~UINT64_C(0);
}

/* A row of a template with its mask, and where it lies in a window. */
typedef struct row {
    int64_t image;
    const uint8_t *templ, *mask;
    int32_t count;
} row;

static inline row row_of(const xncc_pose_probe *probe, int64_t pitch, int32_t r)
{
    const int32_t *span = probe->span + 2 * (size_t)r;
    const size_t at = (size_t)r * (size_t)probe->of.width + (size_t)span[0];
    return (row){ r * pitch + span[0], (const uint8_t *)probe->of.pixels + at, probe->of.mask + at,
                  span[1] - span[0] };
}

/* Adds the pixels `v` of a window. */
static inline void add_pixels(lanes *to, __m512i v, __m512i templ)
{
    to->S = _mm512_dpbusd_epi32(to->S, v, _mm512_set1_epi8(1));
    to->Q = _mm512_dpbusd_epi32(to->Q, v, _mm512_xor_si512(v, _mm512_set1_epi8((char)BIAS)));
    to->X = _mm512_dpbusd_epi32(to->X, v, templ);
}

/* Adds a row to the windows. */
__attribute__((always_inline)) static inline void add_row(const row *a, const place *at,
                                                          int32_t windows, lanes *to)
{
    for (int32_t i = 0; i < a->count; i += STEP) {
        const __m512i m = _mm512_maskz_loadu_epi8(first_lanes(a->count - i), a->mask + i);
        const __mmask64 kept = _mm512_test_epi8_mask(m, m);
        const __m512i t = _mm512_xor_si512(_mm512_maskz_loadu_epi8(kept, a->templ + i),
                                           _mm512_set1_epi8((char)BIAS));
        UNROLLED for (int32_t w = 0; w < windows; w++)
            add_pixels(&to[w], _mm512_maskz_loadu_epi8(kept, at_window(at, w) + a->image + i), t);
    }
}

static inline __mmask32 kept_of(const row *a)
{
    const __mmask32 there = a->count < HALF ? (1u << a->count) - 1u : ~0u;
    const __m256i m = _mm256_maskz_loadu_epi8(there, a->mask);
    return _mm256_test_epi8_mask(m, m);
}

static inline __m512i both(__m256i a, __m256i b)
{
    return _mm512_inserti64x4(_mm512_castsi256_si512(a), b, 1);
}

/* Adds two rows of at most HALF pixels, one in each half of the lanes. */
__attribute__((always_inline)) static inline void
add_pair(const row *a, const row *b, const place *at, int32_t windows, lanes *to)
{
    const __mmask32 in_a = kept_of(a), in_b = kept_of(b);
    const __m512i t = _mm512_xor_si512(
        both(_mm256_maskz_loadu_epi8(in_a, a->templ), _mm256_maskz_loadu_epi8(in_b, b->templ)),
        _mm512_set1_epi8((char)BIAS));
    UNROLLED for (int32_t w = 0; w < windows; w++)
        add_pixels(&to[w],
                   both(_mm256_maskz_loadu_epi8(in_a, at_window(at, w) + a->image),
                        _mm256_maskz_loadu_epi8(in_b, at_window(at, w) + b->image)),
                   t);
}

__attribute__((always_inline)) static inline void
add_windows(const xncc_pose_probe *probe, const uint8_t *image, int64_t pitch,
            const int64_t *window, int32_t windows, int block, xncc_probe_sums *sum)
{
    const int32_t height = probe->of.height, narrow = probe->of.width <= HALF;
    place at = { .pitch = pitch, .block = block };
    for (int32_t w = 0; w < windows; w++)
        at.from[w] = image + window[w];
    for (int32_t r = 0; r < height;) {
        lanes to[XNCC_PROBE_WINDOWS];
        UNROLLED for (int32_t w = 0; w < windows; w++) to[w].S = to[w].Q = to[w].X =
            _mm512_setzero_si512();
        for (int32_t steps = 0; r < height && steps < MOST_STEPS; r++) {
            const row a = row_of(probe, pitch, r);
            steps += a.count / STEP + 1;
            if (narrow && r + 1 < height) {
                const row b = row_of(probe, pitch, ++r);
                add_pair(&a, &b, &at, windows, to);
            } else {
                add_row(&a, &at, windows, to);
            }
        }
        UNROLLED for (int32_t w = 0; w < windows; w++)
        {
            const int64_t S = _mm512_reduce_add_epi32(to[w].S);
            sum[w].S += (uint64_t)S;
            sum[w].Q += (uint64_t)(_mm512_reduce_add_epi32(to[w].Q) + BIAS * S);
            sum[w].X += (uint64_t)(_mm512_reduce_add_epi32(to[w].X) + BIAS * S);
        }
    }
}

static void add(const xncc_pose_probe *probe, const uint8_t *image, int64_t pitch,
                const int64_t *at, int32_t count, xncc_probe_sums *sum)
{
    for (; count >= XNCC_PROBE_WINDOWS; count -= XNCC_PROBE_WINDOWS) {
        if (xncc_probe_is_block(at, pitch))
            add_windows(probe, image, pitch, at, XNCC_PROBE_WINDOWS, 1, sum);
        else
            add_windows(probe, image, pitch, at, XNCC_PROBE_WINDOWS, 0, sum);
        at += XNCC_PROBE_WINDOWS;
        sum += XNCC_PROBE_WINDOWS;
    }
    switch (count) {
    case 1: add_windows(probe, image, pitch, at, 1, 0, sum); break;
    case 2: add_windows(probe, image, pitch, at, 2, 0, sum); break;
    case 3: add_windows(probe, image, pitch, at, 3, 0, sum); break;
    case 4: add_windows(probe, image, pitch, at, 4, 0, sum); break;
    case 5: add_windows(probe, image, pitch, at, 5, 0, sum); break;
    case 6: add_windows(probe, image, pitch, at, 6, 0, sum); break;
    case 7: add_windows(probe, image, pitch, at, 7, 0, sum); break;
    case 8: add_windows(probe, image, pitch, at, 8, 0, sum); break;
    default: break;
    }
}

/* Makes the bytes of a row of the mask 0 and 255, and sets the row's span. */
static inline void span_row(uint8_t *mask, int32_t width, int32_t span[2])
{
    int32_t first = width, end = 0;
    for (int32_t i = 0; i < width; i += STEP) {
        const __mmask64 there = first_lanes(width - i);
        const __m512i m = _mm512_maskz_loadu_epi8(there, mask + i);
        const __mmask64 kept = _mm512_test_epi8_mask(m, m);
        _mm512_mask_storeu_epi8(mask + i, there, _mm512_movm_epi8(kept));
        if (kept == 0)
            continue;
        first = first < width ? first : i + (int32_t)__builtin_ctzll(kept);
        end = i + STEP - (int32_t)__builtin_clzll(kept);
    }
    span[0] = first < end ? first : 0;
    span[1] = end;
}

static void prepare(xncc_pose_probe *probe)
{
    const __m512i bias = _mm512_set1_epi8((char)BIAS), ones = _mm512_set1_epi8(1);
    const int32_t width = probe->of.width;
    for (int32_t r = 0; r < probe->of.height;) {
        __m512i sum = _mm512_setzero_si512(), sum2 = sum;
        for (int32_t steps = 0; r < probe->of.height && steps < MOST_STEPS; r++) {
            const size_t at = (size_t)r * (size_t)width;
            int32_t *span = probe->span + 2 * (size_t)r;
            span_row(probe->of.mask + at, width, span);
            for (int32_t i = span[0]; i < span[1]; i += STEP, steps++) {
                const __m512i t = _mm512_maskz_loadu_epi8(
                    first_lanes(span[1] - i), (const uint8_t *)probe->of.pixels + at + i);
                sum = _mm512_dpbusd_epi32(sum, t, ones);
                sum2 = _mm512_dpbusd_epi32(sum2, t, _mm512_xor_si512(t, bias));
            }
        }
        const int64_t total = _mm512_reduce_add_epi32(sum);
        probe->sum += (uint64_t)total;
        probe->sum2 += (uint64_t)(_mm512_reduce_add_epi32(sum2) + BIAS * total);
    }
}

const xncc_pose_loops xncc_pose_loops_avx512 = {
    xncc_pose_byte_rows_avx512, prepare, add, NULL, NULL, &xncc_running_avx2
};
