// SPDX-License-Identifier: BSD-2-Clause
// The terms of a window that its score needs besides X. Many templates on one image share them, so
// they are computed once (score_u8.cu) and read where the products have X in registers
// (tile_bound.cuh).
#ifndef XNCC_CUDA_SCORE_WINDOW_TERMS_H
#define XNCC_CUDA_SCORE_WINDOW_TERMS_H

#include <cuda_runtime.h>
#include <stdint.h>

namespace xncc {

// 2^52. The double 2^52 + v has the integer 0 <= v < 2^32 in its low word; such doubles are called
// lifted here.
constexpr double LIFT = 4503599627370496.0;

// sum is S; root is the high word of the double y = 1 / sqrt(n Q - S^2), limited to that of 1.0
// (which a window without variance gets). Both are 0 outside the map.
struct WindowTerms {
    uint32_t sum;
    int32_t root;
};

// 1 / root_var = 1 / sqrt(n sumT2 - sumT^2) of a template; 0 for a flat one.
__host__ __device__ __forceinline__ float unit_of(double root_var)
{
    return root_var > 0.0 ? static_cast<float>(1.0 / root_var) : 0.0f;
}

} // namespace xncc

#endif
