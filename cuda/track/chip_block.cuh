// SPDX-License-Identifier: BSD-2-Clause
// What the parts of the tracking kernel share: the block's memory, and values that its warps join.
#ifndef XNCC_CUDA_TRACK_CHIP_BLOCK_CUH
#define XNCC_CUDA_TRACK_CHIP_BLOCK_CUH

#include "cuda/track/track_chips.h"

namespace xncc {

constexpr int MOST_WARPS = 8; // per block

// What the warps of a block tell each other.
struct ChipShared {
    unsigned long long templ_sum2[MOST_WARPS];
    uint32_t templ_sum[MOST_WARPS];
    float3 peaks[MOST_WARPS]; // the best score, the second one, and the position of the best
};

// A block's view of the chip that it tracks.
struct ChipBlock {
    const ChipJob &job;
    const xncc_chip_place &place;
    unsigned char *memory; // laid out by job.layout; the window of the scene comes first
    ChipShared *shared;

    // S of each window, then Q: columns 0 .. 2 map_width - 1 of a row, and for 16 bits the high
    // words of Q in the next map_width. A score takes the place of its S.
    __device__ uint32_t *sums() const
    {
        return reinterpret_cast<uint32_t *>(memory + job.layout.sums_at);
    }
    __device__ const float *scores() const
    {
        return reinterpret_cast<const float *>(sums());
    }
};

} // namespace xncc

#endif
