// The score of one masked window of 8-bit pixels, on the device.
#ifndef XNCC_CUDA_SCORE_MASKED_SCORE_U8_CUH
#define XNCC_CUDA_SCORE_MASKED_SCORE_U8_CUH

#include "cuda/score/quotient.cuh"

extern "C" {
#include "math/general_score.h"
}

namespace xncc {

// A window's sums: X and Q are at most n 255^2 < 2^32.
struct QuickSums {
    uint32_t n, S, T, X, Q, T2;
};

// The quotient by general.h; sums that feel the bias are not looked at. By value: where they have
// an address, they are stored for every window.
__device__ __noinline__ inline float quick_exact(const QuickSums s, uint32_t least, float undefined)
{
    xncc_general_rule rule = {};
    rule.least = least;
    rule.undefined = undefined;
    xncc_general_sums sums = { s.S, s.T, xncc_u128_of(s.Q), xncc_u128_of(s.X), xncc_u128_of(s.T2) };
    xncc_general general = xncc_general_begin(s.n);
    xncc_general_add(&general, &sums, 0);
    return xncc_general_score(XNCC_CCOEFF_NORMED, &rule, &general);
}

// A double of an integer below 2^51 in magnitude, by one addition.
__device__ __forceinline__ double quick_double(uint64_t v)
{
    return __longlong_as_double(static_cast<long long>(v + 0x4338000000000000u)) -
           6755399441055744.0; // 2^52 + 2^51
}

// False: it has to be had from quick_exact. general_score.cu has the bound; products are below 2^49
// here, so that they are exact.
__device__ __forceinline__ bool quick_quotient(const QuickSums &s, uint32_t least, float *score)
{
    const uint64_t n = s.n;
    const double num = quick_double(n * s.X - static_cast<uint64_t>(s.S) * s.T);
    const double var = quick_double(n * s.Q - static_cast<uint64_t>(s.S) * s.S);
    const double templ = quick_double(n * s.T2 - static_cast<uint64_t>(s.T) * s.T),
                 p = __dmul_rn(var, templ);
    const bool sure = root_quotient(num, p, score);
    return s.n >= least && p != 0.0 && sure;
}

} // namespace xncc

#endif
