// SPDX-License-Identifier: BSD-2-Clause
// ccoeff_normed of one window of 8-bit pixels of which not all need count, on the device.
#ifndef XNCC_CUDA_SCORE_MASKED_SCORE_U8_CUH
#define XNCC_CUDA_SCORE_MASKED_SCORE_U8_CUH

#include "cuda/score/quotient.cuh"

extern "C" {
#include "math/general_score.h"
}

namespace xncc {

// A window's sums over the pixels that count in image and template. Each is at most n 255^2 < 2^32.
struct MaskedSums {
    uint32_t n, S, T, X, Q, T2;
};

// The score by the formula of general_score.h. (Sums that depend on the bias are not used by this
// method.) The sums are passed by value: if their address were taken, every thread would store them
// to local memory for every window, whether in doubt or not.
__device__ __noinline__ inline float masked_score_exact(const MaskedSums s, uint32_t least,
                                                        float undefined)
{
    xncc_general_rule rule = {};
    rule.least = least;
    rule.undefined = undefined;
    xncc_general_sums sums = { s.S, s.T, xncc_u128_of(s.Q), xncc_u128_of(s.X), xncc_u128_of(s.T2) };
    xncc_general general = xncc_general_begin(s.n);
    xncc_general_add(&general, &sums, 0);
    return xncc_general_score(XNCC_CCOEFF_NORMED, &rule, &general);
}

// An integer of magnitude below 2^51 (two's complement) as a double, exactly, by one addition. The
// constants are the bits of 2^52 + 2^51, and that number.
__device__ __forceinline__ double to_double(uint64_t v)
{
    return __longlong_as_double(static_cast<long long>(v + 0x4338000000000000u)) -
           6755399441055744.0;
}

// The score without a square root and a division; false if masked_score_exact must decide. The
// bound is in term_score.cu. Products are below 2^49 here, so their differences are exact as
// doubles.
__device__ __forceinline__ bool masked_score_fast(const MaskedSums &s, uint32_t least, float *score)
{
    const uint64_t n = s.n;
    const double num = to_double(n * s.X - static_cast<uint64_t>(s.S) * s.T);
    const double var = to_double(n * s.Q - static_cast<uint64_t>(s.S) * s.S);
    const double templ = to_double(n * s.T2 - static_cast<uint64_t>(s.T) * s.T),
                 p = __dmul_rn(var, templ);
    const bool certain = root_quotient(num, p, score);
    return s.n >= least && p != 0.0 && certain;
}

} // namespace xncc

#endif
