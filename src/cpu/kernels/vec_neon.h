/* SPDX-License-Identifier: BSD-2-Clause */
/* The vector operations of rows.h, which is included before, and dot.h for NEON. The kernels share
 * the products of words. */
#ifndef XNCC_CPU_KERNELS_VEC_NEON_H
#define XNCC_CPU_KERNELS_VEC_NEON_H

#include <arm_neon.h>
#include <stdint.h>

typedef int32x4_t vec;
enum { VEC_LANES = 4 };

static inline rows_double rows_sqrt(rows_double v)
{
    return (rows_double)vsqrtq_f64((float64x2_t)v);
}

static inline vec vec_fill(int32_t number)
{
    return vdupq_n_s32(number);
}

static inline vec vec_load(const void *from)
{
    return vreinterpretq_s32_u8(vld1q_u8((const uint8_t *)from));
}

/* The words of a vector as vec_words takes them: those at even places, then those at odd ones. */
static inline vec vec_apart(vec image)
{
    const int16x8_t words = vreinterpretq_s16_s32(image);
    return vreinterpretq_s32_s16(vcombine_s16(vget_low_s16(vuzp1q_s16(words, words)),
                                              vget_low_s16(vuzp2q_s16(words, words))));
}

/* The words of two dwords, of which dword i is the first if i is even, else the second. */
#define VEC_TWO_DWORDS(t, i) vreinterpret_s16_s32(vld1_s32((t) + ((i) & ~1)))

/* A macro, because the numbers of lanes must be constants. */
#define vec_words(sum, image, t, i)                                                                \
    vmlal_high_lane_s16(vmlal_lane_s16(sum, vget_low_s16(vreinterpretq_s16_s32(image)),            \
                                       VEC_TWO_DWORDS(t, i), 2 * ((i)&1)),                         \
                        vreinterpretq_s16_s32(image), VEC_TWO_DWORDS(t, i), 2 * ((i)&1) + 1)

static inline void vec_store2(int32_t *out, const vec sum[2])
{
    const int32x4x2_t phases = { { sum[0], sum[1] } };
    vst2q_s32(out, phases);
}

static inline void vec_store4(int32_t *out, const vec sum[4])
{
    const int32x4x4_t phases = { { sum[0], sum[1], sum[2], sum[3] } };
    vst4q_s32(out, phases);
}

#endif
