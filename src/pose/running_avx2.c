/* SPDX-License-Identifier: BSD-2-Clause */
/* Running sums of four rows side by side, so that one addition per column serves four of them. */
#include "pose/lanes_avx2.h"
#include "pose/running.h"

#include <string.h>

enum { ROWS = 4, COLUMNS = 16 };

/* What four pixels add to their rows: each itself, and 2^32 times its square (running.h). */
static inline __m256i values(const uint8_t pixels[ROWS])
{
    int32_t four;
    memcpy(&four, pixels, sizeof four);
    const __m256i twice = _mm256_setr_epi8(0, -128, -128, -128, 0, -128, -128, -128, 1, -128, -128,
                                           -128, 1, -128, -128, -128, 2, -128, -128, -128, 2, -128,
                                           -128, -128, 3, -128, -128, -128, 3, -128, -128, -128);
    const __m256i pixel = _mm256_shuffle_epi8(_mm256_set1_epi32(four), twice),
                  factor = _mm256_blend_epi32(_mm256_set1_epi32(1), pixel, 0xaa);
    return _mm256_madd_epi16(pixel, factor);
}

/* Sixteen columns of four rows, column by column. */
static inline void by_columns(const __m128i r[ROWS], uint8_t to[ROWS * COLUMNS])
{
    const __m128i a = _mm_unpacklo_epi8(r[0], r[1]), b = _mm_unpackhi_epi8(r[0], r[1]),
                  c = _mm_unpacklo_epi8(r[2], r[3]), d = _mm_unpackhi_epi8(r[2], r[3]);
    __m128i *out = (__m128i *)(void *)to;
    _mm_store_si128(out, _mm_unpacklo_epi16(a, c));
    _mm_store_si128(out + 1, _mm_unpackhi_epi16(a, c));
    _mm_store_si128(out + 2, _mm_unpacklo_epi16(b, d));
    _mm_store_si128(out + 3, _mm_unpackhi_epi16(b, d));
}

/* Writes four columns of four rows. */
static inline void store(const __m256i column[4], uint64_t *const row[ROWS], int32_t x)
{
    const __m256i a = _mm256_unpacklo_epi64(column[0], column[1]),
                  b = _mm256_unpackhi_epi64(column[0], column[1]),
                  c = _mm256_unpacklo_epi64(column[2], column[3]),
                  d = _mm256_unpackhi_epi64(column[2], column[3]);
    _mm256_storeu_si256((__m256i *)(void *)(row[0] + x), _mm256_permute2x128_si256(a, c, 0x20));
    _mm256_storeu_si256((__m256i *)(void *)(row[1] + x), _mm256_permute2x128_si256(b, d, 0x20));
    _mm256_storeu_si256((__m256i *)(void *)(row[2] + x), _mm256_permute2x128_si256(a, c, 0x31));
    _mm256_storeu_si256((__m256i *)(void *)(row[3] + x), _mm256_permute2x128_si256(b, d, 0x31));
}

/* Adds up four rows. The last columns are those at the end, of which some may have sums already. */
static void add_rows(const uint8_t *pixel, int64_t pitch, int32_t width, uint64_t *sum)
{
    uint64_t *to[ROWS];
    for (int k = 0; k < ROWS; k++) {
        to[k] = sum + (size_t)k * (size_t)(width + 1);
        to[k][0] = 0;
    }
    for (int32_t i = 0; i < width; i += COLUMNS) {
        const int32_t x = i + COLUMNS <= width ? i : width - COLUMNS;
        uint8_t bytes[ROWS * COLUMNS] __attribute__((aligned(32)));
        __m128i row[ROWS];
        for (int k = 0; k < ROWS; k++)
            row[k] = _mm_loadu_si128((const __m128i *)(const void *)(pixel + k * pitch + x));
        by_columns(row, bytes);
        __m256i total = _mm256_setr_epi64x((int64_t)to[0][x], (int64_t)to[1][x], (int64_t)to[2][x],
                                           (int64_t)to[3][x]);
        for (int32_t k = 0; k < COLUMNS; k += 4) {
            __m256i column[4];
            for (int j = 0; j < 4; j++)
                column[j] = total = _mm256_add_epi64(total, values(bytes + ROWS * (k + j)));
            store(column, to, x + k + 1);
        }
    }
}

static void add_up(const uint8_t *pixel, int64_t pitch, int32_t width, int32_t height,
                   uint64_t *sum)
{
    if (width < COLUMNS || height < ROWS) {
        xncc_running_portable.add_up(pixel, pitch, width, height, sum);
        return;
    }
    for (int32_t i = 0; i < height; i += ROWS) {
        const int32_t y = i + ROWS <= height ? i : height - ROWS;
        add_rows(pixel + y * pitch, pitch, width, sum + (size_t)y * (size_t)(width + 1));
    }
}

_Static_assert(XNCC_RUNNING_BESIDE == 4, "a vector has the sums of windows beside each other");

/* Up to three rows of windows. */
__attribute__((always_inline)) static inline void some_windows(const uint64_t *from, int32_t pitch,
                                                               const int32_t *span, int32_t rows,
                                                               int32_t down, int32_t side,
                                                               uint64_t *sum)
{
    __m256i total[3] = { _mm256_setzero_si256(), _mm256_setzero_si256(), _mm256_setzero_si256() };
    for (int32_t i = 0; i < rows; i++, from += pitch)
        for (int32_t j = 0; j < down; j++)
            total[j] = _mm256_add_epi64(
                total[j], _mm256_sub_epi64(xncc_lanes_load(from + j * pitch + span[2 * i + 1]),
                                           xncc_lanes_load(from + j * pitch + span[2 * i])));
    for (int32_t j = 0; j < down; j++)
        _mm256_storeu_si256((__m256i *)(void *)(sum + j * side), total[j]);
}

static void windows(const uint64_t *from, int32_t pitch, const int32_t *span, int32_t rows,
                    int32_t down, int32_t side, uint64_t *sum)
{
    for (; down >= 3; down -= 3, from += 3 * pitch, sum += 3 * side)
        some_windows(from, pitch, span, rows, 3, side, sum);
    if (down == 2)
        some_windows(from, pitch, span, rows, 2, side, sum);
    else if (down == 1)
        some_windows(from, pitch, span, rows, 1, side, sum);
}

const xncc_running_loops xncc_running_avx2 = { add_up, windows };
