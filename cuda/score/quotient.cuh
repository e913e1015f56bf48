// num / sqrt(p) without a root and a division, rounded to float as the plain formula is, or the
// knowledge that it may not be.
#ifndef XNCC_CUDA_SCORE_QUOTIENT_CUH
#define XNCC_CUDA_SCORE_QUOTIENT_CUH

#include <stdint.h>

namespace xncc {

constexpr uint32_t ROUNDING_DOUBT =
    32; // last places of q: more than what q and the plain formula may differ by

// y is the hardware's reciprocal root of p; e = 1 - p y^2 is at most 2^-18, and c = e (1/2 + 3/8 e)
// leaves out less than 2^-55 of 1 / sqrt(1 - e) - 1. t = num y and q = t + t c. The floats of q and
// of the plain formula differ only when a midpoint of two floats lies between them. False: when one
// is near, that is when the low 29 bits of q are within ROUNDING_DOUBT of 2^28. What q is where p
// is 0 is the caller's to know. Callers say how far q may be from the plain formula.
__device__ __forceinline__ bool root_quotient(double num, double p, float *score)
{
    double y;
    asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(p));
    const double e = fma(-__dmul_rn(p, y), y, 1.0), c = __dmul_rn(e, fma(0.375, e, 0.5));
    const double t = __dmul_rn(num, y), q = fma(t, c, t);
    *score = __double2float_rn(q);
    const uint32_t low = static_cast<uint32_t>(__double2loint(q))
                         << 3; // the 29 bits that a float has not
    return low - (0x80000000u - (ROUNDING_DOUBT << 3)) > 2 * (ROUNDING_DOUBT << 3);
}

} // namespace xncc

#endif
