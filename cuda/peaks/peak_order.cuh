// SPDX-License-Identifier: BSD-2-Clause
// Device functions that the kernels of the peak search share.
#ifndef XNCC_CUDA_PEAKS_PEAK_ORDER_CUH
#define XNCC_CUDA_PEAKS_PEAK_ORDER_CUH

#include "cuda/runtime/pdl.cuh"
#include "cuda/peaks/peak_key.cuh"
#include "cuda/runtime/warp.cuh"

namespace xncc {

constexpr int PEAK_BLOCK = 1024; // threads of the kernels that have one block per slot
// The most blocks of kernels whose blocks share a list: enough to fill a device, and few enough
// that a launch with nothing to do costs little.
constexpr int64_t PEAK_BLOCKS = 528;

// A tile of the map. The last tile of a row or column may be smaller.
struct Tile {
    int32_t x, y;          // its first element
    int32_t columns, rows; // elements

    __device__ Tile(const PeakJob &job, int32_t tile)
    {
        x = tile % job.across * PEAK_COLUMNS;
        y = tile / job.across * job.tile_rows;
        columns = min(PEAK_COLUMNS, job.width - x);
        rows = min(job.tile_rows, job.height - y);
    }
};

// Returns the largest value of the block, in every thread. room: one element per warp in shared
// memory; it may be reused after the next barrier.
template <class T> __device__ T block_max(T value, T *room)
{
    const unsigned lane = threadIdx.x % WARP_LANES;
    value = warp_max(value);
    if (lane == 0)
        room[threadIdx.x / WARP_LANES] = value;
    __syncthreads();
    return warp_max(lane < blockDim.x / WARP_LANES ? room[lane] : T(0));
}

// The inverse of peak_order, up to the sign that `smallest` turned. order is not 0.
__device__ inline float score_of_order(uint32_t order)
{
    return __uint_as_float(order & 0x80000000u ? order & 0x7fffffffu : ~order);
}

// Returns the order of the score that is worse by bound_margin, times the score if that is above 1,
// rounded down. 0 stays 0.
__device__ inline uint32_t worse(uint32_t order, float bound_margin)
{
    if (order == 0 || bound_margin == 0.0f)
        return order;
    const float score = score_of_order(order),
                margin = __fmul_ru(bound_margin, fmaxf(fabsf(score), 1.0f));
    return peak_order(__fsub_rd(score, margin), 0);
}

// The position of a candidate in the map.
struct Place {
    int32_t x, y;

    __device__ Place(uint64_t key, int32_t width)
    {
        uint32_t at = 0xffffffffu - static_cast<uint32_t>(key);
        x = static_cast<int32_t>(at % static_cast<uint32_t>(width));
        y = static_cast<int32_t>(at / static_cast<uint32_t>(width));
    }
    // True if the other position is closer than `distance` in both dimensions.
    __device__ bool close(const int2 &other, int32_t distance) const
    {
        return abs(x - other.x) < distance && abs(y - other.y) < distance;
    }
};

__device__ inline PeakSides sides_at(const PeakJob &job, int32_t x, int32_t y)
{
    return PeakSides{ x > 0, x + 1 < job.width, y > 0, y + 1 < job.height };
}

// Writes match number `at` of a slot.
__device__ inline void write_match(const PeakJob &job, int slot, uint32_t at, uint64_t key)
{
    Place p(key, job.width);
    float score = score_of_order(static_cast<uint32_t>(key >> 32));
    score = job.smallest ? 0.0f - score : score;
    if (job.map && score == 0.0f) // the map has the zero's sign
        score = job.map[slot * job.plane + p.y * job.pitch + p.x];
    job.match[static_cast<size_t>(slot) * job.top + at] = xncc_match{ p.x + job.x0, p.y + job.y0,
                                                                      score };
}

// Says that the matches of a slot are final.
__device__ inline void end_search(const PeakJob &job, int slot, uint32_t found)
{
    job.state[slot].found = found;
    job.state[slot].done = 1;
    if (job.found)
        job.found[slot] = found;
}

inline dim3 peak_grid(int64_t blocks, int slots)
{
    return make_grid(blocks, 1, slots);
}

} // namespace xncc

#endif
