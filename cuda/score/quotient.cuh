// SPDX-License-Identifier: BSD-2-Clause
// Quotients by a square root without a square root and a division, and a test whether their float
// is certainly that of the plain formula.
#ifndef XNCC_CUDA_SCORE_QUOTIENT_CUH
#define XNCC_CUDA_SCORE_QUOTIENT_CUH

#include "cuda/score/window_terms.cuh"

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

// *score = num unit / sqrt(var). Returns false if the plain formula must decide, in particular if
// var is 0 (*score is then NaN).
//
// num and var are numerator and variance, exact or rounded to double once, as in score.h. Let u =
// 2^-53.
//
// - y is the hardware's reciprocal square root of var; e = 1 - var y^2 is at most 2^-19, off by at
//   most u. (Measured over all 2^21 arguments that the hardware distinguishes: 2^-19.04; see
//   docs/notes/2026-11-score-pass.md.)
// - c = e (1/2 + 3/8 e) omits 5/16 e^3 < 2^-58 of 1 / sqrt(1 - e) - 1.
// - t = (num cT) y has two roundings, and cT, the reciprocal of a rounded root, three: 5 u.
// - q = t + t c adds u / 2 + u + 2^-58.
//
// So q is within 7 u of the exact quotient, relatively, and the four roundings of score.h within 4
// u: the two differ by less than 11 u |q|, which is at most 11 units of q's last place. Their
// floats can differ only if a midpoint of two floats is between them, that is, if the low 29 bits
// of q are within 11 of 2^28. Scores within ROUNDING_DOUBT = 32 of it (one in 8 million), and
// windows without variance, for which q is not a number, are computed again by the formula of
// score.h.
__device__ __forceinline__ bool fast_quotient(double num, double var, double unit, float *score)
{
    double y;
    asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(var));
    double e = fma(-__dmul_rn(var, y), y, 1.0), c = __dmul_rn(e, fma(0.375, e, 0.5));
    double t = __dmul_rn(__dmul_rn(num, unit), y), quotient = fma(t, c, t);
    *score = __double2float_rn(quotient);
    return is_certain(quotient) && *score == *score;
}

// 64-bit integers to double by two additions and with one rounding, as the (slow) conversion
// instruction does: the doubles of both halves are exact.
__device__ __forceinline__ double u64_to_double(uint64_t v)
{
    double high = __hiloint2double(0x45300000, static_cast<int>(v >> 32)),
           low = __hiloint2double(LIFTED_HIGH_WORD, static_cast<int>(v));
    return __dadd_rn(__dadd_rn(high, -19342813118337666422669312.0), low); // 2^84 + 2^52
}

__device__ __forceinline__ double s64_to_double(int64_t v)
{
    double high = __hiloint2double(0x45300000, static_cast<int>(v >> 32) ^ INT32_MIN),
           low = __hiloint2double(LIFTED_HIGH_WORD, static_cast<int>(v));
    return __dadd_rn(__dadd_rn(high, -19342822341709703277445120.0), low); // 2^84 + 2^63 + 2^52
}

} // namespace xncc

#endif
