/* SPDX-License-Identifier: BSD-2-Clause */
/* direct-dotprod: NEON with the dot products of Armv8.2 (SDOT), which multiply signed bytes. So the
 * image is taken as I - 128, and what is missing, 128 times the sum of the template's bytes, is
 * what each sum begins with. Of 32 registers, 24 are accumulators. */
#define ROWS_LANES 2
#include "cpu/kernels/direct.h"
#include "cpu/kernels/rows.h"
#include "cpu/kernels/variants.h"
#include "cpu/kernels/vec_neon.h"

/* A macro, because the number of the lane must be a constant. One load serves all four dwords. */
#define vec_bytes(sum, image, t, i)                                                                \
    vdotq_laneq_s32(sum, vreinterpretq_s8_s32(image), vreinterpretq_s8_s32(vld1q_s32(t)), i)

static inline vec vec_signed(vec image)
{
    return veorq_s32(image, vreinterpretq_s32_u8(vdupq_n_u8(0x80)));
}
#define vec_prepare(image, bytes) ((bytes) ? vec_signed(image) : vec_apart(image))
#define vec_start(d) vec_fill((d)->start)
enum { DOT_BYTES = 1, DOT_ROWS_U8 = XNCC_NEON_ROWS, DOT_ROWS_U16 = XNCC_NEON_ROWS };
#include "cpu/kernels/dot.h"

static void dot_signed(const xncc_dot *d)
{
    /* Each of the four phases has all bytes of the template, at most 65792 of at most 128, so that
     * 128 times the sum of one phase is below 2^31. */
    const int8x16_t ones = vdupq_n_s8(1);
    const int64_t count = (int64_t)d->rows * d->groups;
    vec sum = vec_fill(0);
    for (int64_t g = 0; g < count; g++)
        sum = vdotq_s32(sum, vreinterpretq_s8_s32(vld1q_s32(d->table + 4 * g)), ones);
    xncc_dot from = *d;
    from.start = vaddvq_s32(sum) / 4 * 128;
    dot_live(&from, DOT_BYTES, 1, DOT_ROWS_U8);
}

const xncc_isa_rows xncc_rows_dotprod = ROWS_TABLE(rows_window);
const xncc_direct_isa xncc_direct_isa_dotprod = { dot_signed, dot_u16, NULL, NULL };
