// What the search's kernels share on the device.
#ifndef XNCC_CUDA_PEAKS_PEAK_ORDER_CUH
#define XNCC_CUDA_PEAKS_PEAK_ORDER_CUH

#include "cuda/runtime/pdl.cuh"
#include "cuda/peaks/peak_key.cuh"

namespace xncc {

constexpr unsigned WHOLE_WARP = 0xffffffffu;
constexpr int LANES = 32;
constexpr int PEAK_BLOCK = 1024; // threads of the kernels that are one block a slot
constexpr int64_t PEAK_BLOCKS =
    528; // of kernels that walk a list: enough to fill a device, few enough to start for nothing

struct Tile {
    int32_t x, y, columns, rows;

    __device__ Tile(const PeakJob &job, int32_t tile)
    {
        x = tile % job.across * PEAK_COLUMNS;
        y = tile / job.across * job.tile_rows;
        columns = min(PEAK_COLUMNS, job.width - x);
        rows = min(job.tile_rows, job.height - y);
    }
};

template <class T> __device__ T warp_max(T value)
{
#pragma unroll
    for (int step = LANES / 2; step > 0; step /= 2) {
        T other = __shfl_xor_sync(WHOLE_WARP, value, step);
        value = other > value ? other : value;
    }
    return value;
}

__device__ inline float score_of_order(uint32_t order)
{
    return __uint_as_float(order & 0x80000000u ? order & 0x7fffffffu : ~order);
}

struct Place {
    int32_t x, y;

    __device__ Place(uint64_t key, int32_t width)
    {
        uint32_t at = 0xffffffffu - static_cast<uint32_t>(key);
        x = static_cast<int32_t>(at % static_cast<uint32_t>(width));
        y = static_cast<int32_t>(at / static_cast<uint32_t>(width));
    }
    __device__ bool close(const int2 &other, int32_t distance) const
    {
        return abs(x - other.x) < distance && abs(y - other.y) < distance;
    }
};

__device__ inline PeakSides sides_at(const PeakJob &job, int32_t x, int32_t y)
{
    return PeakSides{ x > 0, x + 1 < job.width, y > 0, y + 1 < job.height };
}

__device__ inline void write_match(const PeakJob &job, int slot, uint32_t at, uint64_t key)
{
    Place p(key, job.width);
    float score = score_of_order(static_cast<uint32_t>(key >> 32));
    score = job.smallest ? 0.0f - score : score;
    if (job.map) // the same number, but for the sign of a zero
        score = job.map[slot * job.plane + p.y * job.pitch + p.x];
    job.match[static_cast<size_t>(slot) * job.top + at] = xncc_match{ p.x + job.x0, p.y + job.y0,
                                                                      score };
}

// True in the block that comes last to a slot's counter; what the others wrote before is then to be
// seen past the first-level cache.
__device__ inline bool is_last_block(uint32_t *counter)
{
    __shared__ bool last;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0)
        last = atomicAdd(counter, 1u) == gridDim.x - 1;
    __syncthreads();
    __threadfence();
    return last;
}

inline dim3 peak_grid(int64_t blocks, int slots)
{
    return dim3(static_cast<unsigned>(blocks), 1, static_cast<unsigned>(slots));
}

} // namespace xncc

#endif
