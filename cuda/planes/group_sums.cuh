// SPDX-License-Identifier: BSD-2-Clause
// Sums over the lanes of a warp, or of groups of them.
#ifndef XNCC_CUDA_PLANES_GROUP_SUMS_CUH
#define XNCC_CUDA_PLANES_GROUP_SUMS_CUH

#include "cuda/runtime/warp.cuh"

#include "math/twofold.h"

namespace xncc {

// The sums over the lanes of a group of adjacent ones; all of them get it.
__device__ __forceinline__ double group_sum(double v, int lanes)
{
    for (int step = WARP_LANES / 2; step > 0; step /= 2) {
        const double other = __shfl_xor_sync(WARP_ALL, v, step);
        v += step < lanes ? other : 0.0;
    }
    return v;
}

__device__ __forceinline__ xncc_twofold group_pair(xncc_twofold v, int lanes)
{
    for (int step = WARP_LANES / 2; step > 0; step /= 2) {
        const xncc_twofold other = { __shfl_xor_sync(WARP_ALL, v.high, step),
                                     __shfl_xor_sync(WARP_ALL, v.low, step) };
        if (step < lanes)
            v = xncc_twofold_add(v, other);
    }
    return v;
}

__device__ __forceinline__ unsigned group_or(unsigned v, int lanes)
{
    for (int step = WARP_LANES / 2; step > 0; step /= 2) {
        const unsigned other = __shfl_xor_sync(WARP_ALL, v, step);
        v |= step < lanes ? other : 0u;
    }
    return v;
}

} // namespace xncc

#endif
