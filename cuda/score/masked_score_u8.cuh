// SPDX-License-Identifier: BSD-2-Clause
// The score of one window of 8-bit pixels of which not all need count, on the device.
#ifndef XNCC_CUDA_SCORE_MASKED_SCORE_U8_CUH
#define XNCC_CUDA_SCORE_MASKED_SCORE_U8_CUH

#include "cuda/score/masked_score_u8.h"
#include "cuda/score/quotient.cuh"
#include "math/method.h"

namespace xncc {

// A window's sums over the pixels that count in image and template. Each is at most n 255^2 < 2^32.
struct MaskedSums {
    uint32_t n, S, T, X, Q, T2;
};

// The score by the formula of general_score.h. CENTRED_ROOT: the method is ccoeff_normed, which
// does not depend on the bias. The sums are passed by value: if their address were taken, every
// thread would store them to local memory for every window, whether in doubt or not.
template <bool CENTRED_ROOT>
__device__ __noinline__ float masked_score_formula(const MaskedScoreJob &job, const MaskedSums s)
{
    xncc_general_sums sums = { s.S, s.T, xncc_u128_of(s.Q), xncc_u128_of(s.X), xncc_u128_of(s.T2) };
    xncc_general general = xncc_general_begin(s.n);
    xncc_general_add(&general, &sums, CENTRED_ROOT ? 0 : job.rule.bias);
    return xncc_general_score(CENTRED_ROOT ? XNCC_CCOEFF_NORMED : job.method, &job.rule, &general);
}

// The same, without a call where too few pixels count: that holds for many windows at a time.
template <bool CENTRED_ROOT>
__device__ __forceinline__ float masked_score_exact(const MaskedScoreJob &job, const MaskedSums &s)
{
    float score;
    return xncc_general_score_from_count(CENTRED_ROOT ? XNCC_CCOEFF_NORMED : job.method, &job.rule,
                                         s.n, &score)
               ? score
               : masked_score_formula<CENTRED_ROOT>(job, s);
}

// An integer of magnitude below 2^51 (two's complement) as a double, exactly, by one addition. The
// constants are the bits of 2^52 + 2^51, and that number.
__device__ __forceinline__ double to_double(uint64_t v)
{
    return __longlong_as_double(static_cast<long long>(v + 0x4338000000000000u)) -
           6755399441055744.0;
}

// The score by ccoeff_normed without a square root and a division; false if masked_score_exact must
// decide. The bound is in term_score.cu. Products are below 2^49 here, so their differences are
// exact as doubles.
__device__ __forceinline__ bool centred_root(const MaskedScoreJob &job, const MaskedSums &s,
                                             float *score)
{
    const uint64_t n = s.n;
    const double num = to_double(n * s.X - static_cast<uint64_t>(s.S) * s.T);
    const double var = to_double(n * s.Q - static_cast<uint64_t>(s.S) * s.S);
    const double templ = to_double(n * s.T2 - static_cast<uint64_t>(s.T) * s.T),
                 p = __dmul_rn(var, templ);
    const bool certain = root_quotient(num, p, score);
    return n >= job.rule.least && p != 0.0 && certain;
}

// The same by the other methods. X, Q and T2 without the bias are sums of n products of samples of
// at most 255 in size, so these numbers are below 2^35.
__device__ __forceinline__ bool other_method(const MaskedScoreJob &job, const MaskedSums &s,
                                             float *score)
{
    if (job.method == XNCC_CCOEFF) {
        const double num = to_double(static_cast<uint64_t>(s.n) * s.X -
                                     static_cast<uint64_t>(s.S) * s.T);
        *score = __double2float_rn(__ddiv_rn(num, to_double(s.n)));
        return s.n >= job.rule.least;
    }
    const uint64_t bias = job.rule.bias, square = s.n * bias * bias,
                   X = s.X + square - bias * s.S - bias * s.T, Q = s.Q + square - 2 * bias * s.S,
                   T2 = s.T2 + square - 2 * bias * s.T;
    const double num = to_double(xncc_method_of_difference(job.method) ? Q + T2 - 2 * X : X);
    if (!xncc_method_is_normed(job.method)) {
        *score = __double2float_rn(num);
        return s.n >= job.rule.least;
    }
    const double p = __dmul_rn(to_double(Q), to_double(T2));
    const bool certain = root_quotient(num, p, score);
    return s.n >= job.rule.least && p != 0.0 && certain;
}

// The score; false if masked_score_exact must decide. CENTRED_ROOT: the method is ccoeff_normed.
template <bool CENTRED_ROOT>
__device__ __forceinline__ bool masked_score_fast(const MaskedScoreJob &job, const MaskedSums &s,
                                                  float *score)
{
    return CENTRED_ROOT ? centred_root(job, s, score) : other_method(job, s, score);
}

} // namespace xncc

#endif
