/* direct-avx2: 16-bit products by vpmaddwd. 12 accumulators, the image, and a broadcast that becomes the product: 14 of
 * 16 registers. */
#define ROWS_LANES 4
#include "cpu/joint_body.h"
#include "cpu/rows.h"
#include "cpu/variants.h"
#include "cpu/vec256.h"

static inline rows_double rows_sqrt(rows_double v)
{
    return (rows_double)_mm256_sqrt_pd((__m256d)v);
}

static inline vec vec_words(vec sum, vec image, const int32_t *dword)
{
    return sum + (vec)_mm256_madd_epi16((__m256i)image, _mm256_set1_epi32(*dword));
}
#define vec_bytes vec_words /* no such instruction, never asked for */

#include "cpu/dot.h"

enum { ROWS_U8 = 6, ROWS_U16 = 3 };

static void dot_u8(const cm_dot *d)
{
    dot_live(d, 0, 1, ROWS_U8);
}

static void dot_u16(const cm_dot *d)
{
    dot_live(d, 0, 2, ROWS_U16);
}

const cm_isa_windows cm_windows_avx2 = { rows_add_u8,   rows_slide_u8,   rows_window,    rows_score,
                                         rows_wide_add, rows_wide_slide, rows_wide_score,
                                         joint_give,    joint_plane,     joint_fold,      joint_score };
static const cm_direct_isa isa = {
    .u8 = { CM_FORM_WORDS, ROWS_U8, dot_u8 },
    .u16 = { CM_FORM_WORDS, ROWS_U16, dot_u16 },
    .windows = &cm_windows_avx2,
};
const cm_cpu_kernel cm_direct_avx2_match = { cm_direct_shape, cm_direct_begin, cm_direct_area, NULL, &isa };
