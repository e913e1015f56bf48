// SPDX-License-Identifier: BSD-2-Clause
// Approximate scores from window terms, for the best score of a tile of windows.
#ifndef XNCC_CUDA_SCORE_WINDOW_TERMS_CUH
#define XNCC_CUDA_SCORE_WINDOW_TERMS_CUH

#include "cuda/score/window_terms.h"

namespace xncc {

// High word of a lifted value 2^52 + v, 0 <= v < 2^32.
constexpr int LIFTED_HIGH_WORD = 0x43300000;

// High word of 1.0.
constexpr int ONE_HIGH_WORD = 0x3ff00000;

// The high word of the reciprocal root of var, an integer; of infinity if that is 0.
__device__ __forceinline__ int root_word(double var)
{
    double y;
    asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(var));
    return __double2hiint(y);
}

// The same, at most that of 1.
__device__ __forceinline__ int root_key(double var)
{
    return min(root_word(var), ONE_HIGH_WORD);
}

// An integer whose order among windows is that of their scores for one template, as far as scores
// are not negative (negative scores give negative integers): the high word of the double num y,
// where num = n X - S sumT and y is the window's reciprocal root. n and templ_sum (sumT) belong to
// the template; lowered = -n 2^52; sum is S; root is the high word of y.
//
// Relative error of num y as returned: at most 2^-19 + 2^-40. The hardware's y, truncated to its
// high word, is within 2^-20 + 2^-40 of the true root; num y is rounded once and truncated to its
// high word.
__device__ __forceinline__ int bound_key(double n, double lowered, double templ_sum, double sum,
                                         uint32_t x, int root)
{
    double nx = fma(n, __hiloint2double(LIFTED_HIGH_WORD, static_cast<int>(x)), lowered),
           num = fma(-templ_sum, sum, nx);
    return __double2hiint(__dmul_rn(num, __hiloint2double(root, 0)));
}

// Converts the largest bound_key of a tile to a score. unit: unit_of() the template.
__device__ __forceinline__ float bound_score(int best, float unit)
{
    return static_cast<float>(__hiloint2double(best, 0)) * unit;
}

} // namespace xncc

#endif
