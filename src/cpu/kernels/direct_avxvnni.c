/* direct-avxvnni: the VNNI instructions on 256-bit vectors, for processors without AVX-512. It uses
 * 12 accumulators, the image, and a broadcast of the template. */
#define ROWS_LANES 4
#include "cpu/kernels/general_body.h"
#include "cpu/kernels/rows.h"
#include "cpu/kernels/variants.h"
#include "cpu/kernels/vec256.h"

static inline rows_double rows_sqrt(rows_double v)
{
    return (rows_double)_mm256_sqrt_pd((__m256d)v);
}

static inline vec vec_bytes(vec sum, vec image, const int32_t *dword)
{
    return (vec)_mm256_dpbusd_avx_epi32((__m256i)sum, (__m256i)image, _mm256_set1_epi32(*dword));
}

static inline vec vec_words(vec sum, vec image, const int32_t *dword)
{
    return (vec)_mm256_dpwssd_avx_epi32((__m256i)sum, (__m256i)image, _mm256_set1_epi32(*dword));
}

#include "cpu/kernels/dot.h"

enum { ROWS = 3 };

static void dot_u8(const xncc_dot *d)
{
    dot_live(d, 1, 1, ROWS);
}

static void dot_u16(const xncc_dot *d)
{
    dot_live(d, 0, 2, ROWS);
}

const xncc_isa_windows xncc_windows_avxvnni = {
    rows_add_u8,     rows_slide_u8,   rows_window,  rows_score,    rows_wide_add,
    rows_wide_slide, rows_wide_score, general_emit, general_plane, general_accumulate_terms,
    general_score
};
static const xncc_direct_isa isa = {
    .u8 = { XNCC_FORM_BYTES, ROWS, dot_u8 },
    .u16 = { XNCC_FORM_WORDS, ROWS, dot_u16 },
    .windows = &xncc_windows_avxvnni,
};
const xncc_cpu_kernel xncc_direct_avxvnni_match = { xncc_direct_shape, xncc_direct_begin,
                                                    xncc_direct_area, NULL, &isa };
