// The two ways of the tensor kernels' score passes from exact sums to scores, of the same bits: in
// doubles, for devices that have them at half the rate of floats, and in pairs of floats
// (math/float_float.h), where no double is touched unless the rounding is in doubt.
#ifndef XNCC_CUDA_SCORE_SCORE_ARITH_CUH
#define XNCC_CUDA_SCORE_SCORE_ARITH_CUH

#include "cuda/score/score_common.cuh"

namespace xncc {

// S, Q < 2^32 and n < 2^17, so n X, S sumT, n Q and S^2 are integers below 2^53 (n^2 255^2 < 2^53
// to n = 372,000): two fused multiply-adds each give numerator and variance exactly.
struct Fp64 {
    using Sum = double; // 2^52 and the sum: its low word
    using Whole = double;
    static constexpr int ONE = 0x3ff00000; // high word of 1.0

    __device__ __forceinline__ static Sum lift(uint32_t v)
    {
        int high = LIFT_HIGH;
        asm volatile(""
                     : "+r"(high)); // not known to be constant, so that a lifted value's high word
                                    // stays where it is
        return __hiloint2double(high, static_cast<int>(v));
    }
    __device__ __forceinline__ static uint32_t lower(Sum v)
    {
        return value(v);
    }
    __device__ __forceinline__ static Sum move(Sum v, uint32_t come, uint32_t gone)
    {
        return __hiloint2double(__double2hiint(v), static_cast<int>(value(v) + come - gone));
    }
    // False: the score has to be done again.
    __device__ __forceinline__ static bool score(const Job &job, Sum s, Sum q, uint32_t x,
                                                 float *score)
    {
        double sum = __dadd_rn(s, -LIFT),
               nx = fma(job.n, __hiloint2double(LIFT_HIGH, static_cast<int>(x)), job.lowered);
        double num = fma(-job.sum, sum, nx), var = fma(-sum, sum, fma(job.n, q, job.lowered));
        return quick_quotient(num, var, job.unit, score);
    }
    // What several templates share of it (window_terms.cuh).
    __device__ __forceinline__ static int root(const Job &job, double whole, Sum q)
    {
        double var = fma(-whole, whole, fma(job.n, q, job.lowered)), y;
        asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(var));
        return min(__double2hiint(y), ONE);
    }
    __device__ __forceinline__ static int bound(const Job &job, Whole of_template, Sum s, Sum q,
                                                uint32_t x)
    {
        double whole = __dadd_rn(s, -LIFT);
        return weigh(job.n, job.lowered, of_template, whole, x, root(job, whole, q));
    }
    __device__ __forceinline__ static float bounded(int best, double root_var)
    {
        return bound_score(best, unit_of(root_var));
    }
};

// S^2 and the like are below 2^49, and numerator and variance below 2^48 (math/float_float.h).
struct FloatFloat {
    using Sum = uint32_t;
    using Whole = uint32_t;

    __device__ __forceinline__ static Sum lift(uint32_t v)
    {
        return v;
    }
    __device__ __forceinline__ static uint32_t lower(Sum v)
    {
        return v;
    }
    __device__ __forceinline__ static Sum move(Sum v, uint32_t come, uint32_t gone)
    {
        return v + come - gone;
    }
    __device__ __forceinline__ static bool score(const Job &job, Sum s, Sum q, uint32_t x,
                                                 float *score)
    {
        return xncc_ff_score(XNCC_CCOEFF_NORMED, &job.all.rule, job.pair_unit, 1, s, q, x, score) !=
               0;
    }
    // num y in floats, as bits: num and var rounded once each, the seed within 2^-22, the product
    // rounded: within 2^-21.
    __device__ __forceinline__ static int bound(const Job &job, Whole of_template, Sum s, Sum q,
                                                uint32_t x)
    {
        xncc_float_float num = xncc_ff_from_s48(
            xncc_difference_s64(job.all.rule.n, x, s, of_template, 1));
        xncc_float_float var = xncc_ff_from_s48(xncc_difference_s64(job.all.rule.n, q, s, s, 1));
        return __float_as_int(__fmul_rn(num.high, fminf(xncc_ff_rsqrt_seed(var), 1.0f)));
    }
    __device__ __forceinline__ static float bounded(int best, double root_var)
    {
        float root = static_cast<float>(root_var);
        return root > 0.0f ? __int_as_float(best) / root : 0.0f;
    }
};

} // namespace xncc

#endif
