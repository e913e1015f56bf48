/* SPDX-License-Identifier: BSD-2-Clause */
/* The sums of a row in steps of sixteen pixels. The last step ends where the row ends and leaves
 * out what the steps before it have added, so nothing beyond the row is read. */
#include "pose/probe.h"

#include <immintrin.h>

enum { STEP = 16, MOST_WINDOWS = XNCC_PROBE_FAR_SIDE };

/* 16 zeros, then 16 bytes of ones. Read from n on, they keep the last n of 16 pixels. */
static const uint8_t keep_last[2 * STEP] = { 0,   0,   0,   0,   0,   0,   0,   0,   0,   0,   0,
                                             0,   0,   0,   0,   0,   255, 255, 255, 255, 255, 255,
                                             255, 255, 255, 255, 255, 255, 255, 255, 255, 255 };

static inline __m128i load(const uint8_t *from)
{
    return _mm_loadu_si128((const __m128i *)(const void *)from);
}

static inline uint32_t total(__m256i v)
{
    __m128i s = _mm_add_epi32(_mm256_castsi256_si128(v), _mm256_extracti128_si256(v, 1));
    s = _mm_add_epi32(s, _mm_shuffle_epi32(s, 0x4e));
    s = _mm_add_epi32(s, _mm_shuffle_epi32(s, 0xb1));
    return (uint32_t)_mm_cvtsi128_si32(s);
}

__attribute__((always_inline)) static inline void add_windows(const uint8_t *image,
                                                              const uint8_t *templ,
                                                              const uint8_t *mask, int32_t count,
                                                              int32_t windows, xncc_probe_sums *sum)
{
    const __m256i ones = _mm256_set1_epi16(1);
    __m256i S[MOST_WINDOWS], Q[MOST_WINDOWS], X[MOST_WINDOWS];
    for (int32_t w = 0; w < windows; w++)
        S[w] = Q[w] = X[w] = _mm256_setzero_si256();
    for (int32_t i = 0; i < count; i += STEP) {
        const int32_t at = i + STEP <= count ? i : count - STEP;
        const __m128i kept = _mm_and_si128(load(mask + at), load(keep_last + (at + STEP - i)));
        const __m256i t = _mm256_cvtepu8_epi16(load(templ + at));
        for (int32_t w = 0; w < windows; w++) {
            const __m256i v = _mm256_cvtepu8_epi16(_mm_and_si128(load(image + w + at), kept));
            S[w] = _mm256_add_epi32(S[w], _mm256_madd_epi16(v, ones));
            Q[w] = _mm256_add_epi32(Q[w], _mm256_madd_epi16(v, v));
            X[w] = _mm256_add_epi32(X[w], _mm256_madd_epi16(v, t));
        }
    }
    for (int32_t w = 0; w < windows; w++) {
        sum[w].S += total(S[w]);
        sum[w].Q += total(Q[w]);
        sum[w].X += total(X[w]);
    }
}

void xncc_probe_row_avx2(const uint8_t *image, const uint8_t *templ, const uint8_t *mask,
                         int32_t count, int32_t windows, xncc_probe_sums *sum)
{
    if (count < STEP) {
        xncc_probe_row_portable(image, templ, mask, count, windows, sum);
        return;
    }
    switch (windows) {
    case 3: add_windows(image, templ, mask, count, 3, sum); break;
    case 5: add_windows(image, templ, mask, count, 5, sum); break;
    default:
        for (int32_t w = 0; w < windows; w++)
            add_windows(image + w, templ, mask, count, 1, sum + w);
    }
}
