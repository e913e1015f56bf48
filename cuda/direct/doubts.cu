// SPDX-License-Identifier: BSD-2-Clause
// The list of the windows in doubt, in tiles of the map, so that windows that follow each other on
// the list have samples in common (doubts.h).
//
// Thread mapping: a block of 256 threads has a tile of 128 x 32 map elements; a warp has 4 rows of
// it, and a lane the columns lane, lane + 32, lane + 64 and lane + 96. blockIdx.x: tiles, row by
// row. Shared memory: 40 bytes. Any compute capability.
#include "cuda/direct/doubts.h"

#include "cuda/planes/doubt_list.cuh"

namespace xncc {

namespace {

constexpr int LANES = 32, WARPS = 8, THREADS = LANES * WARPS;
constexpr int ROWS = 4, COLUMNS = 4; // map elements of a thread
constexpr int TILE_WIDTH = LANES * COLUMNS, TILE_HEIGHT = WARPS * ROWS;

__global__ __launch_bounds__(THREADS) void list_doubts(const __grid_constant__ ListDoubtsJob job,
                                                       int across)
{
    __shared__ int of_warp[WARPS];
    __shared__ uint32_t start;
    const int lane = static_cast<int>(threadIdx.x) % LANES,
              warp = static_cast<int>(threadIdx.x) / LANES, tile = static_cast<int>(blockIdx.x);
    const int x0 = tile % across * TILE_WIDTH + lane,
              y0 = tile / across * TILE_HEIGHT + warp * ROWS;
    unsigned doubts = 0; // a bit per element
#pragma unroll
    for (int i = 0; i < ROWS * COLUMNS; i++) {
        const int x = x0 + i % COLUMNS * LANES, y = y0 + i / COLUMNS;
        if (x < job.width && y < job.height &&
            __float_as_uint(job.map[y * job.map_pitch + x]) == XNCC_DOUBT)
            doubts |= 1u << i;
    }
    if (!__syncthreads_or(doubts != 0))
        return;
    const int mine = __popc(doubts), until = up_to(mine, lane);
    if (lane == LANES - 1)
        of_warp[warp] = until;
    __syncthreads();
    int before = until - mine, all = 0;
    for (int i = 0; i < WARPS; i++) {
        before += i < warp ? of_warp[i] : 0;
        all += of_warp[i];
    }
    if (threadIdx.x == 0)
        start = atomicAdd(&job.constants->doubts, static_cast<uint32_t>(all));
    __syncthreads();
    uint32_t to = start + static_cast<uint32_t>(before);
    for (; doubts; doubts &= doubts - 1, to++) {
        const int i = __ffs(static_cast<int>(doubts)) - 1;
        if (to < job.doubts.room)
            job.doubts.list[to] = FloatDoubt{ x0 + i % COLUMNS * LANES, y0 + i / COLUMNS };
    }
}

// The sums that are made again have a pivot only if it is far from 0, by what samples usually are:
// elsewhere it would outweigh samples that are small, and no pivot costs little.
constexpr double STEADY = 32.0;

__global__ __launch_bounds__(THREADS) void judge_doubts(const __grid_constant__ JudgeDoubtsJob job)
{
    FloatConstants *c = job.constants;
    const bool again = c->doubts > job.most;
    __syncthreads();
    for (int i = static_cast<int>(threadIdx.x); i < SIZES_OF_WINDOWS && again; i += THREADS)
        job.levels->seen[i] = 0;
    if (!again || threadIdx.x)
        return;
    c->again = 1;
    c->doubts = c->outliers = 0;
    c->limit = ALL_FINITE;
    job.levels->taken = job.levels->done = 0;
    if (job.centred && !(fabs(c->image_pivot) > STEADY * c->usual))
        c->image_pivot = 0.0;
}

} // namespace

cudaError_t launch_judge_doubts(const JudgeDoubtsJob &job, cudaStream_t stream)
{
    judge_doubts<<<1, THREADS, 0, stream>>>(job);
    return cudaGetLastError();
}

cudaError_t launch_list_doubts(const ListDoubtsJob &job, cudaStream_t stream)
{
    const int across = ceil_div(job.width, TILE_WIDTH);
    list_doubts<<<static_cast<unsigned>(across) *
                      static_cast<unsigned>(ceil_div(job.height, TILE_HEIGHT)),
                  THREADS, 0, stream>>>(job, across);
    return cudaGetLastError();
}

} // namespace xncc
