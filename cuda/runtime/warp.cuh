// SPDX-License-Identifier: BSD-2-Clause
// What the lanes of a warp make together. All of them take part, and each gets the result.
#ifndef XNCC_CUDA_RUNTIME_WARP_CUH
#define XNCC_CUDA_RUNTIME_WARP_CUH

#include <stdint.h>

namespace xncc {

constexpr int WARP_LANES = 32;
constexpr unsigned WARP_ALL = 0xffffffffu; // all lanes take part

// The sum over the lanes. T: any type of __shfl_xor_sync.
template <class T> __device__ __forceinline__ T warp_sum(T value)
{
#pragma unroll
    for (int step = WARP_LANES / 2; step > 0; step /= 2)
        value += __shfl_xor_sync(WARP_ALL, value, step);
    return value;
}

// The largest value.
template <class T> __device__ __forceinline__ T warp_max(T value)
{
#pragma unroll
    for (int step = WARP_LANES / 2; step > 0; step /= 2) {
        const T other = __shfl_xor_sync(WARP_ALL, value, step);
        value = other > value ? other : value;
    }
    return value;
}
__device__ __forceinline__ uint32_t warp_max(uint32_t value)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    return __reduce_max_sync(WARP_ALL, value);
#else
    return warp_max<uint32_t>(value);
#endif
}

// The bits that some lane has.
__device__ __forceinline__ uint32_t warp_or(uint32_t value)
{
#pragma unroll
    for (int step = WARP_LANES / 2; step > 0; step /= 2)
        value |= __shfl_xor_sync(WARP_ALL, value, step);
    return value;
}

// The sum over the lanes up to this one.
template <class T> __device__ __forceinline__ T warp_sum_until(T value, int lane)
{
#pragma unroll
    for (int step = 1; step < WARP_LANES; step *= 2) {
        const T before = __shfl_up_sync(WARP_ALL, value, step);
        value += lane >= step ? before : T(0);
    }
    return value;
}

// Counts a lane's items, a bit for each, and returns the place of the first of them in a list that
// has *count items before. All lanes take part.
__device__ __forceinline__ uint32_t places_in_list(uint32_t *count, unsigned items)
{
    const int lane = static_cast<int>(threadIdx.x) % WARP_LANES, mine = __popc(items),
              until = warp_sum_until(mine, lane);
    uint32_t at = 0;
    if (lane == WARP_LANES - 1 && until)
        at = atomicAdd(count, static_cast<uint32_t>(until));
    return __shfl_sync(WARP_ALL, at, WARP_LANES - 1) + static_cast<uint32_t>(until - mine);
}

} // namespace xncc

#endif
