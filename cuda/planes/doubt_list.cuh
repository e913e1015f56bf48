// SPDX-License-Identifier: BSD-2-Clause
// How windows in doubt are listed (FloatDoubts), or counted.
#ifndef XNCC_CUDA_PLANES_DOUBT_LIST_CUH
#define XNCC_CUDA_PLANES_DOUBT_LIST_CUH

#include "cuda/planes/float_image.h"
#include "cuda/runtime/warp.cuh"

extern "C" {
#include "plan/float_sums.h"
}

namespace xncc {

// Lists a lane's windows in doubt, a bit of `doubts` for each from (x, y) on. All lanes of the warp
// take part. Those that the list has no room for are only counted.
static __device__ __noinline__ void
list_doubts_of_row(const FloatDoubts &to, FloatConstants *constants, int x, int y, unsigned doubts)
{
    for (uint32_t at = places_in_list(&constants->doubts, doubts); doubts;
         doubts &= doubts - 1, at++)
        if (at < to.room)
            to.list[at] = FloatDoubt{ x + __ffs(static_cast<int>(doubts)) - 1, y };
}

// Counts the windows in doubt of a warp, of which this lane has `own`, as long as they are few. All
// lanes take part. count: nullptr: nobody asks.
static __device__ __forceinline__ void count_doubts(uint32_t *count, uint32_t own)
{
    constexpr uint32_t few = 16 * XNCC_FLOAT_HARD;
    if (!count || !__any_sync(WARP_ALL, own != 0))
        return;
    const int lane = static_cast<int>(threadIdx.x) % WARP_LANES;
    const uint32_t all = warp_sum_until(own, lane);
    if (lane == WARP_LANES - 1 && *static_cast<volatile const uint32_t *>(count) <= few)
        atomicAdd(count, all);
}

} // namespace xncc

#endif
