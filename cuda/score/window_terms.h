// What the score of a window needs beside X. Several templates on one image share it, so that it is
// computed once (score_u8.cu) and read where the products have X in registers
// (correlate_wgmma.cu).
#ifndef XNCC_CUDA_SCORE_WINDOW_TERMS_H
#define XNCC_CUDA_SCORE_WINDOW_TERMS_H

#include <cuda_runtime.h>
#include <stdint.h>

namespace xncc {

constexpr double LIFT =
    4503599627370496.0; // 2^52: a double 2^52 + v has the integer v in its low word

// S, and the high word of y = 1 / sqrt(n Q - S^2), cut to that of 1. Both are 0 outside of the map.
struct WindowTerms {
    uint32_t sum;
    int32_t root;
};

// 1 / root_var of a template, 0 for a flat one.
__host__ __device__ __forceinline__ float unit_of(double root_var)
{
    return root_var > 0.0 ? static_cast<float>(1.0 / root_var) : 0.0f;
}

} // namespace xncc

#endif
