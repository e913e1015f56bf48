/* SPDX-License-Identifier: BSD-2-Clause */
/* Vectors of doubles for matching of floats (reals_body.h). */
#ifndef XNCC_CPU_KERNELS_REALS_VECTOR_H
#define XNCC_CPU_KERNELS_REALS_VECTOR_H

#include "cpu/kernels/reals.h"

#include <string.h>

typedef double rd __attribute__((vector_size(8 * REALS_LANES)));
typedef int64_t rl __attribute__((vector_size(8 * REALS_LANES)));
typedef float rf __attribute__((vector_size(4 * REALS_LANES)));
typedef int32_t ri __attribute__((vector_size(4 * REALS_LANES)));
typedef uint32_t ru __attribute__((vector_size(4 * REALS_LANES)));
typedef uint8_t rb __attribute__((vector_size(REALS_LANES)));

/* A vector of elements of two: clang and gcc have different built-in functions for it. */
#ifdef __clang__
#define REALS_SHUFFLE(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define REALS_SHUFFLE(a, b, ...) __builtin_shuffle(a, b, (rl){ __VA_ARGS__ })
#endif

#define REALS_INLINE __attribute__((always_inline)) static inline

/* f(pixel, ...) with pixel, f32, f64 or u32, as a constant. */
#define REALS_OF_PIXEL(pixel, f, ...)                                                              \
    ((pixel) == XNCC_F32   ? f(XNCC_F32, __VA_ARGS__)                                              \
     : (pixel) == XNCC_U32 ? f(XNCC_U32, __VA_ARGS__)                                              \
                           : f(XNCC_F64, __VA_ARGS__))

/* Is a bit of a lane set? */
static inline int rl_any(rl v);
static inline int ri_any(ri v);
static inline rd rd_sqrt(rd v);
/* Exactly. gcc 12 makes several instructions of __builtin_convertvector of four or more. */
static inline rd rd_of_floats(rf v);
static inline rd rd_fma(rd a, rd b, rd c); /* a*b + c, rounded at most twice */
/* a*b - p for p = a*b rounded, exact unless it is below the smallest double. */
static inline rd rd_product_error(rd a, rd b, rd p);

REALS_INLINE rd rd_load(const double *from)
{
    rd v;
    memcpy(&v, from, sizeof v);
    return v;
}
/* Samples x and following of a row of f32, f64 or u32, exactly. The bits of an integer below 2^32
 * under the exponent of 2^52 are that integer plus 2^52. */
REALS_INLINE rd rd_samples(xncc_pixel pixel, const void *row, int32_t x)
{
    if (pixel == XNCC_F64)
        return rd_load((const double *)row + x);
    if (pixel == XNCC_U32) {
        ru v;
        memcpy(&v, (const uint32_t *)row + x, sizeof v);
        return (rd)(__builtin_convertvector(v, rl) | INT64_C(0x4330000000000000)) - 0x1p52;
    }
    rf v;
    memcpy(&v, (const float *)row + x, sizeof v);
    return rd_of_floats(v);
}
/* Lanes of ones where a byte is not 0. */
REALS_INLINE rl rl_counts(const uint8_t *from)
{
    rb v;
    memcpy(&v, from, sizeof v);
    return __builtin_convertvector(v, rl) != 0;
}
REALS_INLINE void rd_store(double *to, rd v)
{
    memcpy(to, &v, sizeof v);
}
REALS_INLINE rd rd_fill(double v)
{
    return v - (rd){ 0 };
}
REALS_INLINE rd rd_choose(rl condition, rd yes, rd no)
{
    return (rd)((condition & (rl)yes) | (~condition & (rl)no));
}
REALS_INLINE rd rd_size(rd v)
{
    return (rd)((rl)v & INT64_MAX);
}
REALS_INLINE double rd_total(rd v)
{
    double lane[REALS_LANES], total = 0.0;
    memcpy(lane, &v, sizeof lane);
    for (int i = 0; i < REALS_LANES; i++)
        total += lane[i];
    return total;
}

/* Adds a number to a sum that is much larger, which rounds it to a multiple of the sum's unit, and
 * what that leaves to `low`. */
REALS_INLINE void rd_cut_add(rd v, rd *high, rd *low)
{
    const rd sum = *high + v;
    *low += v - (sum - *high);
    *high = sum;
}

/* The exact error of the rounded sum s = a + b (Knuth, "The Art of Computer Programming", volume 2,
 * section 4.2.2). */
REALS_INLINE rd rd_sum_error(rd a, rd b, rd s)
{
    const rd of_b = s - a;
    return (a - (s - of_b)) + (b - of_b);
}

#endif
