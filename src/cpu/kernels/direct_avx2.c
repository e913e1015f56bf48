/* direct-avx2: 16-bit products by vpmaddwd. Of 16 registers, 14 are used: 12 accumulators, the
 * image, and a broadcast of the template that is overwritten by the product. */
#define ROWS_LANES 4
#include "cpu/kernels/general_body.h"
#include "cpu/kernels/rows.h"
#include "cpu/kernels/variants.h"
#include "cpu/kernels/vec256.h"

static inline rows_double rows_sqrt(rows_double v)
{
    return (rows_double)_mm256_sqrt_pd((__m256d)v);
}

static inline vec vec_words(vec sum, vec image, const int32_t *dword)
{
    return sum + (vec)_mm256_madd_epi16((__m256i)image, _mm256_set1_epi32(*dword));
}
#define vec_bytes vec_words /* AVX2 has no such instruction; never called */

#include "cpu/kernels/dot.h"

enum { ROWS_U8 = 6, ROWS_U16 = 3 };

static void dot_u8(const xncc_dot *d)
{
    dot_live(d, 0, 1, ROWS_U8);
}

static void dot_u16(const xncc_dot *d)
{
    dot_live(d, 0, 2, ROWS_U16);
}

const xncc_isa_windows xncc_windows_avx2 = {
    rows_add_u8,     rows_slide_u8,   rows_window,  rows_score,    rows_wide_add,
    rows_wide_slide, rows_wide_score, general_emit, general_plane, general_accumulate_terms,
    general_score
};
static const xncc_direct_isa isa = {
    .u8 = { XNCC_FORM_WORDS, ROWS_U8, dot_u8 },
    .u16 = { XNCC_FORM_WORDS, ROWS_U16, dot_u16 },
    .windows = &xncc_windows_avx2,
};
const xncc_cpu_kernel xncc_direct_avx2_match = { xncc_direct_shape, xncc_direct_begin,
                                                 xncc_direct_area, NULL, &isa };
