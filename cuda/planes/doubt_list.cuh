// SPDX-License-Identifier: BSD-2-Clause
// How windows in doubt are listed (FloatDoubts), or counted.
#ifndef XNCC_CUDA_PLANES_DOUBT_LIST_CUH
#define XNCC_CUDA_PLANES_DOUBT_LIST_CUH

#include "cuda/planes/float_image.h"

extern "C" {
#include "plan/float_sums.h"
}

namespace xncc {

// The sum over the lanes of a warp before this one, and its own number.
template <class Number> __device__ __forceinline__ Number up_to(Number number, int lane)
{
#pragma unroll
    for (int step = 1; step < 32; step *= 2) {
        const Number before = __shfl_up_sync(0xffffffffu, number, step);
        number += lane >= step ? before : Number{ 0 };
    }
    return number;
}

// Lists a lane's windows in doubt, a bit of `doubts` for each from (x, y) on. All lanes of the warp
// take part. Those that the list has no room for are only counted.
static __device__ __noinline__ void
list_doubts_of_row(const FloatDoubts &to, FloatConstants *constants, int x, int y, unsigned doubts)
{
    const int lane = static_cast<int>(threadIdx.x) % 32, mine = __popc(doubts),
              until = up_to(mine, lane);
    uint32_t at = 0;
    if (lane == 31)
        at = atomicAdd(&constants->doubts, static_cast<uint32_t>(until));
    at = __shfl_sync(0xffffffffu, at, 31) + static_cast<uint32_t>(until - mine);
    for (; doubts; doubts &= doubts - 1, at++)
        if (at < to.room)
            to.list[at] = FloatDoubt{ x + __ffs(static_cast<int>(doubts)) - 1, y };
}

// Counts the windows in doubt of a warp, of which this lane has `own`, as long as they are few. All
// lanes take part. count: nullptr: nobody asks.
static __device__ __forceinline__ void count_doubts(uint32_t *count, uint32_t own)
{
    constexpr uint32_t few = 16 * XNCC_FLOAT_HARD;
    if (!count || !__any_sync(0xffffffffu, own != 0))
        return;
    const int lane = static_cast<int>(threadIdx.x) % 32;
    const uint32_t all = up_to(own, lane);
    if (lane == 31 && *static_cast<volatile const uint32_t *>(count) <= few)
        atomicAdd(count, all);
}

} // namespace xncc

#endif
