// Scores from window terms, on the device.
#ifndef XNCC_CUDA_SCORE_WINDOW_TERMS_CUH
#define XNCC_CUDA_SCORE_WINDOW_TERMS_CUH

#include "cuda/score/window_terms.h"

namespace xncc {

constexpr int LIFT_HIGH = 0x43300000;

// num y, cut to its high word, where num = n X - S sumT. n and sumT: of the template; lowered: -n
// 2^52. With the hardware's root y within 2^-20 + 2^-40 of the true one, relatively, num y rounded
// once, and cut, it is within 2^-19 + 2^-40.
__device__ __forceinline__ int weigh(double n, double lowered, double of_template, double sum,
                                     uint32_t x, int root)
{
    double nx = fma(n, __hiloint2double(LIFT_HIGH, static_cast<int>(x)), lowered),
           num = fma(-of_template, sum, nx);
    return __double2hiint(__dmul_rn(num, __hiloint2double(root, 0)));
}

// The score of which the best window's num y is this. unit: of the template.
__device__ __forceinline__ float bound_score(int best, float unit)
{
    return static_cast<float>(__hiloint2double(best, 0)) * unit;
}

} // namespace xncc

#endif
