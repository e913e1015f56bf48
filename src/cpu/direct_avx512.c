/* direct-avx512: AVX-512 with VNNI (F, BW, DQ, VL, VNNI). 6 map rows and 4 dwords a group make 24 accumulators of the 32 registers, and one
 * image load serves all of them. */
#include "cpu/rows.h"
#include "cpu/variants.h"

#include <immintrin.h>

typedef __m512i vec;
enum { VEC_LANES = 16, ROWS = 6 };

static inline vec vec_zero(void)
{
    return _mm512_setzero_si512();
}

static inline vec vec_load(const void *from)
{
    return _mm512_loadu_si512(from);
}

static inline vec vec_bytes(vec sum, vec image, const int32_t *dword)
{
    return _mm512_dpbusd_epi32(sum, image, _mm512_set1_epi32(*dword));
}

static inline vec vec_words(vec sum, vec image, const int32_t *dword)
{
    return _mm512_dpwssd_epi32(sum, image, _mm512_set1_epi32(*dword));
}

static inline void vec_store2(int32_t *out, const vec sum[2])
{
    const vec low = _mm512_set_epi32(23, 7, 22, 6, 21, 5, 20, 4, 19, 3, 18, 2, 17, 1, 16, 0);
    const vec high = _mm512_set_epi32(31, 15, 30, 14, 29, 13, 28, 12, 27, 11, 26, 10, 25, 9, 24, 8);
    _mm512_storeu_si512(out, _mm512_permutex2var_epi32(sum[0], low, sum[1]));
    _mm512_storeu_si512(out + 16, _mm512_permutex2var_epi32(sum[0], high, sum[1]));
}

static inline void vec_store4(int32_t *out, const vec sum[4])
{
    const vec low = _mm512_set_epi32(23, 7, 22, 6, 21, 5, 20, 4, 19, 3, 18, 2, 17, 1, 16, 0);
    const vec high = _mm512_set_epi32(31, 15, 30, 14, 29, 13, 28, 12, 27, 11, 26, 10, 25, 9, 24, 8);
    const vec low2 = _mm512_set_epi64(11, 3, 10, 2, 9, 1, 8, 0), high2 = _mm512_set_epi64(15, 7, 14, 6, 13, 5, 12, 4);
    vec a = _mm512_permutex2var_epi32(sum[0], low, sum[1]), b = _mm512_permutex2var_epi32(sum[2], low, sum[3]);
    vec c = _mm512_permutex2var_epi32(sum[0], high, sum[1]), d = _mm512_permutex2var_epi32(sum[2], high, sum[3]);
    _mm512_storeu_si512(out, _mm512_permutex2var_epi64(a, low2, b));
    _mm512_storeu_si512(out + 16, _mm512_permutex2var_epi64(a, high2, b));
    _mm512_storeu_si512(out + 32, _mm512_permutex2var_epi64(c, low2, d));
    _mm512_storeu_si512(out + 48, _mm512_permutex2var_epi64(c, high2, d));
}

#include "cpu/dot.h"

static void dot_u8(const cm_dot *d)
{
    dot_live(d, 1, 1, ROWS);
}

static void dot_u16(const cm_dot *d)
{
    dot_live(d, 0, 2, ROWS);
}

static const cm_direct_isa isa = {
    .u8 = { CM_FORM_BYTES, ROWS, dot_u8 },
    .u16 = { CM_FORM_WORDS, ROWS, dot_u16 },
    .rows = { rows_add_u8, rows_slide_u8, rows_window, rows_score },
    .wide = { rows_wide_add, rows_wide_slide, rows_wide_score },
};
const cm_cpu_kernel cm_direct_avx512_match = { cm_direct_shape, cm_direct_begin, cm_direct_area, &isa };
