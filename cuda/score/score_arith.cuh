// SPDX-License-Identifier: BSD-2-Clause
// Two ways from the exact sums of a window to its score, which give the same bits:
//
// - Fp64: in doubles, for devices whose doubles run at half the rate of floats.
// - FloatFloat: in pairs of floats (math/float_float.h), for devices with slow doubles. Doubles are
//   used only if the rounding is in doubt.
//
// Both have the same static interface, so a pass takes one as a template parameter (`Arith`):
//
// - Sum: a window's S or Q in the form that slides fastest; from_integer, to_integer, slide_by.
// - score: the score, or false if the plain formula must decide.
// - bound_key_of, bound_score_of: approximate scores for the best score of a tile.
#ifndef XNCC_CUDA_SCORE_SCORE_ARITH_CUH
#define XNCC_CUDA_SCORE_SCORE_ARITH_CUH

#include "cuda/runtime/score_arithmetic.h"
#include "cuda/score/score_common.cuh"

namespace xncc {

// S, Q < 2^32 and n < 2^17, so n X, S sumT, n Q and S^2 are integers below 2^53
// (n^2 255^2 < 2^53 up to n = 372,000): two fused multiply-adds each give numerator and variance
// exactly.
struct Fp64 {
    static constexpr bool IS_BUILT = builds_arithmetic(false);
    using Sum = double; // lifted: 2^52 + the sum, which is then its low word
    using TemplSum = double;
    // High word of 1.0.
    static constexpr int ONE = 0x3ff00000;

    __device__ __forceinline__ static Sum from_integer(uint32_t v)
    {
        // hide from the compiler that the high word is constant, so that it stays in its register
        int high = LIFTED_HIGH_WORD;
        asm volatile("" : "+r"(high));
        return __hiloint2double(high, static_cast<int>(v));
    }
    __device__ __forceinline__ static uint32_t to_integer(Sum v)
    {
        return low_word(v);
    }
    __device__ __forceinline__ static Sum slide_by(Sum v, uint32_t entering, uint32_t leaving)
    {
        return __hiloint2double(__double2hiint(v),
                                static_cast<int>(low_word(v) + entering - leaving));
    }
    // The score of a window from S, Q and X; false if the plain formula must decide.
    __device__ __forceinline__ static bool score(const Job &job, Sum s, Sum q, uint32_t x,
                                                 float *score)
    {
        double sum = __dadd_rn(s, -LIFT),
               nx = fma(job.n, __hiloint2double(LIFTED_HIGH_WORD, static_cast<int>(x)),
                        job.lowered);
        double num = fma(-job.sum, sum, nx), var = fma(-sum, sum, fma(job.n, q, job.lowered));
        return fast_quotient(num, var, job.unit, score);
    }
    // The high word of the window's reciprocal root, at most ONE: the part of bound_key_of that is
    // the same for every template (WindowTerms::root). sum: S, not lifted.
    __device__ __forceinline__ static int root_key(const Job &job, double sum, Sum q)
    {
        double var = fma(-sum, sum, fma(job.n, q, job.lowered)), y;
        asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(var));
        return min(__double2hiint(y), ONE);
    }
    // bound_key (window_terms.cuh) from the sums.
    __device__ __forceinline__ static int bound_key_of(const Job &job, TemplSum templ_sum, Sum s,
                                                       Sum q, uint32_t x)
    {
        double sum = __dadd_rn(s, -LIFT);
        return bound_key(job.n, job.lowered, templ_sum, sum, x, root_key(job, sum, q));
    }
    __device__ __forceinline__ static float bound_score_of(int best, double root_var)
    {
        return bound_score(best, unit_of(root_var));
    }
};

// n X, S sumT, n Q and S^2 are below 2^49, numerator and variance below 2^48, so their differences
// are exact in 64 bits and as pairs (math/float_float.h).
struct FloatFloat {
    static constexpr bool IS_BUILT = builds_arithmetic(true);
    using Sum = uint32_t;
    using TemplSum = uint32_t;

    __device__ __forceinline__ static Sum from_integer(uint32_t v)
    {
        return v;
    }
    __device__ __forceinline__ static uint32_t to_integer(Sum v)
    {
        return v;
    }
    __device__ __forceinline__ static Sum slide_by(Sum v, uint32_t entering, uint32_t leaving)
    {
        return v + entering - leaving;
    }
    __device__ __forceinline__ static bool score(const Job &job, Sum s, Sum q, uint32_t x,
                                                 float *score)
    {
        return xncc_ff_score(XNCC_CCOEFF_NORMED, &job.all.rule, job.pair_unit, 1, s, q, x, score) !=
               0;
    }
    // The bits of the float num y. num and var are rounded to float once each, the seed is within
    // 2^-22 of the root, and the product is rounded: a relative error below 2^-21 in all.
    __device__ __forceinline__ static int bound_key_of(const Job &job, TemplSum templ_sum, Sum s,
                                                       Sum q, uint32_t x)
    {
        xncc_float_float num = xncc_ff_from_s48(
            xncc_difference_s64(job.all.rule.n, x, s, templ_sum, 1));
        xncc_float_float var = xncc_ff_from_s48(xncc_difference_s64(job.all.rule.n, q, s, s, 1));
        return __float_as_int(__fmul_rn(num.high, fminf(xncc_ff_rsqrt_seed(var), 1.0f)));
    }
    __device__ __forceinline__ static float bound_score_of(int best, double root_var)
    {
        float root = static_cast<float>(root_var);
        return root > 0.0f ? __int_as_float(best) / root : 0.0f;
    }
};

} // namespace xncc

#endif
