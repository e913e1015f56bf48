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
// - WIDE: whether there are also kernels for the widest windows.
// - For searches without a map (TilesOutput, tile_best.cuh): Templ, templ_of, what a bound needs to
//   know of a template; Key, NO_KEY, a number that is the larger, the better the score, and the
//   worst one; bound_key_of, that of a window, which also keeps the largest of the windows' roots
//   if the score needs it (root_word); and bound_score_of, the score of a key.
// - score: the score, or false if the plain formula must decide.
// - exact: the score by the plain formula.
#ifndef XNCC_CUDA_SCORE_SCORE_ARITH_CUH
#define XNCC_CUDA_SCORE_SCORE_ARITH_CUH

#include "cuda/runtime/score_arithmetic.h"
#include "cuda/score/score_common.cuh"

namespace xncc {

// Sums as they are.
struct Integers {
    using Sum = uint32_t;

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
};

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
    static constexpr bool OF_S = true, OF_Q = true, WIDE = true;
    using Key = int;
    static constexpr Key NO_KEY = 0;

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
    using Templ = double; // sumT

    __device__ __forceinline__ static Templ templ_of(const Job &, const xncc_score_rule &rule)
    {
        return static_cast<double>(rule.sum);
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
        return xncc::root_key(fma(-sum, sum, fma(job.n, q, job.lowered)));
    }
    // bound_key (window_terms.cuh) from the sums.
    __device__ __forceinline__ static Key bound_key_of(const Job &job, Templ templ_sum, Sum s,
                                                       Sum q, uint32_t x, int *)
    {
        double sum = __dadd_rn(s, -LIFT);
        return bound_key(job.n, job.lowered, templ_sum, sum, x, root_key(job, sum, q));
    }
    __device__ __forceinline__ static float bound_score_of(const Job &, Key best, int,
                                                           const xncc_score_rule &rule)
    {
        return bound_score(best, unit_of(rule.root_var));
    }
};

// n X, S sumT, n Q and S^2 are below 2^49, numerator and variance below 2^48, so their differences
// are exact in 64 bits and as pairs (math/float_float.h).
struct FloatFloat : Integers, CentredRoot {
    static constexpr bool IS_BUILT = builds_arithmetic(true);
    using Templ = uint32_t; // sumT

    __device__ __forceinline__ static Templ templ_of(const Job &, const xncc_score_rule &rule)
    {
        return static_cast<uint32_t>(rule.sum);
    }
    __device__ __forceinline__ static bool score(const Job &job, Sum s, Sum q, uint32_t x,
                                                 float *score)
    {
        return xncc_ff_score(XNCC_CCOEFF_NORMED, &job.all.rule, job.pair_unit, 1, s, q, x, score) !=
               0;
    }
    // The bits of the float num y. num and var are rounded to float once each, the seed is within
    // 2^-22 of the root, and the product is rounded: a relative error below 2^-21 in all.
    __device__ __forceinline__ static Key bound_key_of(const Job &job, Templ templ_sum, Sum s,
                                                       Sum q, uint32_t x, int *)
    {
        xncc_float_float num = xncc_ff_from_s48(
            xncc_difference_s64(job.all.rule.n, x, s, templ_sum, 1));
        xncc_float_float var = xncc_ff_from_s48(xncc_difference_s64(job.all.rule.n, q, s, s, 1));
        return __float_as_int(__fmul_rn(num.high, fminf(xncc_ff_rsqrt_seed(var), 1.0f)));
    }
    __device__ __forceinline__ static float bound_score_of(const Job &, Key best, int,
                                                           const xncc_score_rule &rule)
    {
        float root = static_cast<float>(rule.root_var);
        return root > 0.0f ? __int_as_float(best) / root : 0.0f;
    }
};

// ccoeff: (n X - S sumT) / n, exact as in Fp64. It is never in doubt. A key is the numerator, whose
// quotient is the exact score.
struct Quotient : Lifted {
    static constexpr bool IS_BUILT = true, OF_S = true, OF_Q = false, WIDE = false;
    using Templ = double; // sumT
    using Key = double;
    static constexpr Key NO_KEY = -LIFT * LIFT; // less than any numerator

    // templ_sum: sumT
    __device__ __forceinline__ static double numerator(const Job &job, double templ_sum, Sum s,
                                                       uint32_t x)
    {
        const double nx = fma(job.n, __hiloint2double(LIFTED_HIGH_WORD, static_cast<int>(x)),
                              job.lowered);
        return fma(-templ_sum, __dadd_rn(s, -LIFT), nx);
    }
    __device__ __forceinline__ static bool score(const Job &job, Sum s, Sum, uint32_t x,
                                                 float *score)
    {
        *score = exact_quotient(numerator(job, job.sum, s, x), job.n, job.reciprocal);
        return true;
    }
    __device__ __forceinline__ static Templ templ_of(const Job &, const xncc_score_rule &rule)
    {
        return static_cast<double>(rule.sum);
    }
    __device__ __forceinline__ static Key bound_key_of(const Job &job, Templ templ_sum, Sum s, Sum,
                                                       uint32_t x, int *)
    {
        return numerator(job, templ_sum, s, x);
    }
    __device__ __forceinline__ static float bound_score_of(const Job &job, Key best, int,
                                                           const xncc_score_rule &)
    {
        return exact_quotient(best, job.n, job.reciprocal);
    }
    __device__ __forceinline__ static float exact(const Job &, uint32_t, uint32_t, uint32_t)
    {
        return 0.0f; // not called
    }
};

// The methods that are not centred: linear functions of X, S and Q that remove the bias, all of
// them integers below 2^53 (channel_score.cu). NORMED: num / sqrt(var), otherwise num. S is needed
// only if there is a bias that the method depends on.
//
// Bounds: num is X or, by the sqdiff methods, D = Q - 2 X + sumT2. X of signed samples fits 32 bits
// with a sign, and what is not negative fits 32 bits, so num is computed modulo 2^32. Not NORMED,
// num itself is the key, or its complement if small scores are good, and the score is exact.
// NORMED, the key is the high word of num y, or its complement, as in bound_key (window_terms.cuh)
// and with its error; where num is negative it is 0.
template <bool NORMED, bool S, bool Q> struct Linear64 : Lifted {
    static constexpr bool IS_BUILT = true, OF_S = S, OF_Q = Q, WIDE = false;
    // num = product X + sum S + (Q & mask) + rest, which is made positive by `lift`. A normed key
    // is XORed with the mask.
    struct Templ {
        uint32_t product, sum, mask, rest;
        double lift;
    };
    using Key = uint32_t;
    static constexpr Key NO_KEY = 0;

    __device__ __forceinline__ static Templ templ_of(const Job &job, const xncc_score_rule &rule)
    {
        const uint64_t bias = S ? job.all.general.bias : 0, square = bias * bias * rule.n,
                       both = bias * rule.sum;
        if (xncc_method_of_difference(job.all.method))
            return { static_cast<uint32_t>(-2), 0, ~0u,
                     static_cast<uint32_t>(rule.sum2 + 2 * both - square), LIFT };
        const uint32_t half = S ? 0x80000000u : 0;
        return { 1, static_cast<uint32_t>(0 - bias), 0, static_cast<uint32_t>(square - both) + half,
                 LIFT + half };
    }
    // The window's Q without the bias.
    __device__ __forceinline__ static double square_of(const Job &job, Sum s, Sum q)
    {
        if (!S)
            return __dadd_rn(q, -LIFT);
        return fma(job.var.sum, __dadd_rn(s, -LIFT), __dadd_rn(__dadd_rn(q, -LIFT), job.var.rest));
    }
    __device__ __forceinline__ static Key bound_key_of(const Job &job, const Templ &templ, Sum s,
                                                       Sum q, uint32_t x, int *root)
    {
        if (!NORMED && Q)
            return 2 * x - low_word(q) + ~templ.rest;
        if (!NORMED && !S)
            return x;
        uint32_t num = templ.product * x + (low_word(q) & templ.mask) + templ.rest;
        if (S)
            num += templ.sum * low_word(s);
        if (!NORMED)
            return num;
        const int word = root_word(square_of(job, s, q));
        *root = max(*root, word);
        const double y = __hiloint2double(min(word, ONE_HIGH_WORD), 0),
                     product = __dmul_rn(
                         __dadd_rn(__hiloint2double(LIFTED_HIGH_WORD, static_cast<int>(num)),
                                   S ? -templ.lift : -LIFT),
                         y);
        int key = __double2hiint(product);
        if (S)
            key = max(key, 0);
        return static_cast<uint32_t>(key) ^ templ.mask;
    }
    // By sqdiff_normed at most 1, the score of a window of zeros, if the tile has one.
    __device__ __forceinline__ static float bound_score_of(const Job &job, Key best, int root,
                                                           const xncc_score_rule &rule)
    {
        if (!NORMED && S)
            return __int2float_rn(static_cast<int>(best ^ 0x80000000u));
        if (!NORMED)
            return __uint2float_rn(Q ? ~best : best);
        const bool smallest = xncc_method_of_difference(job.all.method) != 0;
        const float score = bound_score(static_cast<int>(smallest ? ~best : best),
                                        unit_of(rule.root_sum2));
        return smallest && root > ONE_HIGH_WORD ? fminf(score, 1.0f) : score;
    }

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

// Calls make with the arithmetic of a job.
template <class Make> auto with_arithmetic(const TensorScoreJob &all, Make make)
{
    const bool biased = all.general.bias != 0;
    switch (all.method) {
    case XNCC_CCOEFF: return make(Quotient());
    case XNCC_CCORR:
        return biased ? make(Linear64<false, true, false>())
                      : make(Linear64<false, false, false>());
    case XNCC_SQDIFF: return make(Linear64<false, false, true>()); // the bias cancels
    case XNCC_CCORR_NORMED:
    case XNCC_SQDIFF_NORMED:
        return biased ? make(Linear64<true, true, true>()) : make(Linear64<true, false, true>());
    default: return all.fp64_is_slow ? make(FloatFloat()) : make(Fp64());
    }
}

} // namespace xncc

#endif
