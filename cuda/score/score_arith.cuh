// SPDX-License-Identifier: BSD-2-Clause
// From the exact sums of a window to its score. Two ways for ccoeff_normed, which give the same
// bits:
//
// - Fp64: in doubles, for devices whose doubles run at half the rate of floats.
// - FloatFloat: in pairs of floats (math/float_float.h), for devices with slow doubles. Doubles are
//   used only if the rounding is in doubt.
//
// The other methods are computed in doubles on every device: Quotient (ccoeff) and Linear64.
//
// All have the same static interface, so a pass takes one as a template parameter (`Arith`):
//
// - Sum: a window's S or Q in the form that slides fastest; from_integer, to_integer, slide_by.
// - OF_S, OF_Q: whether the score needs S and Q. Sums that it does not need are not made.
// - BOUNDS_TILES: whether searches do without a map; there are also kernels for wider windows then.
// - score: the score, or false if the plain formula must decide.
// - exact: the score by the plain formula.
// - bound_key_of, bound_score_of (ccoeff_normed): approximate scores for the best score of a tile.
#ifndef XNCC_CUDA_SCORE_SCORE_ARITH_CUH
#define XNCC_CUDA_SCORE_SCORE_ARITH_CUH

#include "cuda/runtime/score_arithmetic.h"
#include "cuda/score/score_common.cuh"

namespace xncc {

// Sums as lifted doubles: 2^52 + the sum, which is then the low word.
struct Lifted {
    using Sum = double;

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
};

// What both ways of ccoeff_normed share.
struct CentredRoot {
    static constexpr bool OF_S = true, OF_Q = true, BOUNDS_TILES = true;

    __device__ __forceinline__ static float exact(const Job &job, uint32_t s, uint32_t q,
                                                  uint32_t x)
    {
        return xncc_score_integer(XNCC_CCOEFF_NORMED, &job.all.rule, s, q, x);
    }
};

// S, Q < 2^32 and n < 2^17, so n X, S sumT, n Q and S^2 are integers below 2^53
// (n^2 255^2 < 2^53 up to n = 372,000): two fused multiply-adds each give numerator and variance
// exactly.
struct Fp64 : Lifted, CentredRoot {
    static constexpr bool IS_BUILT = builds_arithmetic(false);
    using TemplSum = double;
    // High word of 1.0.
    static constexpr int ONE = 0x3ff00000;

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
struct FloatFloat : CentredRoot {
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

// ccoeff: (n X - S sumT) / n, exact as in Fp64. It is never in doubt.
struct Quotient : Lifted {
    static constexpr bool IS_BUILT = true, OF_S = true, OF_Q = false, BOUNDS_TILES = false;

    __device__ __forceinline__ static bool score(const Job &job, Sum s, Sum, uint32_t x,
                                                 float *score)
    {
        const double nx = fma(job.n, __hiloint2double(LIFTED_HIGH_WORD, static_cast<int>(x)),
                              job.lowered);
        *score = exact_quotient(fma(-job.sum, __dadd_rn(s, -LIFT), nx), job.n, job.reciprocal);
        return true;
    }
    __device__ __forceinline__ static float exact(const Job &, uint32_t, uint32_t, uint32_t)
    {
        return 0.0f; // not called
    }
};

// The methods that are not centred: linear functions of X, S and Q that remove the bias, all of
// them integers below 2^53 (channel_score.cu). NORMED: num / sqrt(var), otherwise num. S is needed
// only if there is a bias that the method depends on.
template <bool NORMED, bool S, bool Q> struct Linear64 : Lifted {
    static constexpr bool IS_BUILT = true, OF_S = S, OF_Q = Q, BOUNDS_TILES = false;

    __device__ __forceinline__ static bool score(const Job &job, Sum s, Sum q, uint32_t x,
                                                 float *score)
    {
        const double product = __dadd_rn(__hiloint2double(LIFTED_HIGH_WORD, static_cast<int>(x)),
                                         -LIFT);
        const double sum = S ? __dadd_rn(s, -LIFT) : 0.0, square = Q ? __dadd_rn(q, -LIFT) : 0.0;
        double num = fma(job.num.product, product, job.num.rest), var = square;
        if (S)
            num = fma(job.num.sum, sum, num);
        if (Q)
            num = fma(job.num.square, square, num);
        if (S)
            var = fma(job.var.sum, sum, __dadd_rn(square, job.var.rest));
        if (NORMED)
            return fast_quotient(num, var, job.unit, score);
        *score = __double2float_rn(num);
        return true;
    }
    // By general_score.h, which score.h agrees with. Without a bias S does not matter.
    __device__ __forceinline__ static float exact(const Job &job, uint32_t s, uint32_t q,
                                                  uint32_t x)
    {
        xncc_general all = xncc_general_begin(job.all.general.whole);
        const xncc_general_sums sums = { S ? s : 0, job.all.T, xncc_u128_of(q), xncc_u128_of(x),
                                         xncc_u128_of(job.all.T2) };
        xncc_general_add(&all, &sums, job.all.general.bias);
        return xncc_general_score(job.all.method, &job.all.general, &all);
    }
};

// Calls make with the arithmetic of a method. biased: the pixels are; pairs: compute ccoeff_normed
// in pairs of floats.
template <class Make> auto with_arithmetic(xncc_method method, bool biased, bool pairs, Make make)
{
    switch (method) {
    case XNCC_CCOEFF: return make(Quotient());
    case XNCC_CCORR:
        return biased ? make(Linear64<false, true, false>())
                      : make(Linear64<false, false, false>());
    case XNCC_SQDIFF: return make(Linear64<false, false, true>()); // the bias cancels
    case XNCC_CCORR_NORMED:
    case XNCC_SQDIFF_NORMED:
        return biased ? make(Linear64<true, true, true>()) : make(Linear64<true, false, true>());
    default: return pairs ? make(FloatFloat()) : make(Fp64());
    }
}

// Calls make with the arithmetic of a job.
template <class Make> auto with_arithmetic(const TensorScoreJob &all, Make make)
{
    return with_arithmetic(all.method, all.general.bias != 0, all.fp64_is_slow, make);
}

} // namespace xncc

#endif
