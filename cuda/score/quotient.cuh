// SPDX-License-Identifier: BSD-2-Clause
// The quotient num / sqrt(p) without a square root and a division, and a test whether its float is
// certainly that of the plain formula.
#ifndef XNCC_CUDA_SCORE_QUOTIENT_CUH
#define XNCC_CUDA_SCORE_QUOTIENT_CUH

#include <stdint.h>

namespace xncc {

// Half width of the doubtful interval around a midpoint of two floats, in units of q's last place:
// more than q and the plain formula can differ by.
constexpr uint32_t ROUNDING_DOUBT = 32;

// False if the float of a quotient may differ from that of the plain formula.
__device__ __forceinline__ bool is_certain(double quotient)
{
    const uint32_t low = static_cast<uint32_t>(__double2loint(quotient))
                         << 3; // the 29 bits that a float does not have
    return low - (0x80000000u - (ROUNDING_DOUBT << 3)) > 2 * (ROUNDING_DOUBT << 3);
}

// *score = (float)(num / sqrt(p)). Returns false if the float may differ from that of the plain
// formula.
//
// y is the hardware's reciprocal square root of p, e = 1 - p y^2 is at most 2^-18, and
// c = e (1/2 + 3/8 e) omits less than 2^-55 of 1 / sqrt(1 - e) - 1. With t = num y the result is
// q = t + t c. The floats of q and of the plain formula can differ only if a midpoint of two floats
// is between them; the function returns false if one is near, that is, if the low 29 bits of q
// (those that a float does not have) are within ROUNDING_DOUBT of 2^28.
//
// Callers prove how far q may be from the plain formula (term_score.cu), and handle p = 0, where q
// is meaningless.
__device__ __forceinline__ bool root_quotient(double num, double p, float *score)
{
    double y;
    asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(p));
    const double e = fma(-__dmul_rn(p, y), y, 1.0), c = __dmul_rn(e, fma(0.375, e, 0.5));
    const double t = __dmul_rn(num, y), q = fma(t, c, t);
    *score = __double2float_rn(q);
    return is_certain(q);
}

} // namespace xncc

#endif
