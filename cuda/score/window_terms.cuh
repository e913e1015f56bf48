// What the score of a window needs beside X. Several templates on one image share it, so that it is
// computed once (score_u8.cu) and read where the products have X in registers
// (correlate_wgmma.cu).
#ifndef XNCC_CUDA_WINDOW_TERMS_CUH
#define XNCC_CUDA_WINDOW_TERMS_CUH

#include <stdint.h>

namespace xncc {

constexpr double LIFT =
    4503599627370496.0; // 2^52: a double 2^52 + v has the integer v in its low word
constexpr int LIFT_HIGH = 0x43300000;

// S, and the high word of y = 1 / sqrt(n Q - S^2), cut to that of 1. Both are 0 outside of the map.
struct WindowTerms {
    uint32_t sum;
    int32_t root;
};

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

// 1 / root_var of a template, 0 for a flat one.
__host__ __device__ __forceinline__ float unit_of(double root_var)
{
    return root_var > 0.0 ? static_cast<float>(1.0 / root_var) : 0.0f;
}

// The score of which the best window's num y is this. unit: of the template.
__device__ __forceinline__ float bound_score(int best, float unit)
{
    return static_cast<float>(__hiloint2double(best, 0)) * unit;
}

} // namespace xncc

#endif
