// SPDX-License-Identifier: BSD-2-Clause
// The fast peak search over score maps (peak_search.h): tiles, level, candidates.
//
// Profiled on one H200, 2026-11, for 1920 x 1080, with cold caches: level and list 6.7 us
// (docs/notes/2026-11-find.md).
#include "cuda/peaks/choose.cuh"
#include "cuda/runtime/warp.cuh"

#include <math_constants.h>

namespace xncc {

namespace {

constexpr int THREADS = 256;
constexpr int WARPS = THREADS / WARP_LANES;
constexpr int BLOCK = PEAK_BLOCK;
constexpr int SPAN = PEAK_COLUMNS / WARP_LANES; // columns per lane
constexpr int TOGETHER = 8;                     // rows whose loads are in flight together
constexpr int HELD = 32; // tiles that a thread of select_tiles keeps in registers
constexpr int CHUNK = 8; // of them, tiles whose loads are in one branch

// Computes best[tile] = max of peak_order over the tile. One warp per tile: lane i reads columns i,
// i + 32, i + 64 and i + 96 of each row. No shared memory. NaN stands for no score: fmaxf takes the
// number.
__global__ __launch_bounds__(THREADS) void best_of_tiles(PeakJob job)
{
    int slot = blockIdx.z, lane = threadIdx.x % WARP_LANES;
    int tile = blockIdx.x * WARPS + threadIdx.x / WARP_LANES;
    if (tile >= job.tiles)
        return;
    Tile t(job, tile);
    const float *row = job.map + slot * job.plane + t.y * job.pitch + t.x;
    const bool smallest = job.smallest != 0;
    float best = CUDART_NAN_F;
    for (int y = 0; y < t.rows; y += TOGETHER) {
        float v[TOGETHER][SPAN];
#pragma unroll
        for (int r = 0; r < TOGETHER; r++, row += job.pitch)
#pragma unroll
            for (int i = 0; i < SPAN; i++)
                v[r][i] = y + r < t.rows && lane + i * WARP_LANES < t.columns
                              ? __ldg(row + lane + i * WARP_LANES)
                              : CUDART_NAN_F;
#pragma unroll
        for (int r = 0; r < TOGETHER; r++)
#pragma unroll
            for (int i = 0; i < SPAN; i++)
                best = fmaxf(best, smallest ? -v[r][i] : v[r][i]);
    }
    const uint32_t all = warp_max(peak_order(best, 0));
    if (lane == 0)
        job.best[static_cast<size_t>(slot) * job.tiles + tile] = all;
}

// The orders of a thread's first HELD tiles. The loads of all of them are in flight together, and
// the list needs no second look at them.
struct HeldTiles {
    uint32_t order[HELD];

    // Calls what(k) for the tiles that there are, and a few more.
    template <class What> __device__ __forceinline__ static void each(int tiles, What what)
    {
#pragma unroll
        for (int k = 0; k < HELD; k += CHUNK)
            if (k * BLOCK < tiles)
#pragma unroll
                for (int i = k; i < k + CHUNK; i++)
                    what(i);
    }
    __device__ __forceinline__ HeldTiles(const uint32_t *best, int tiles) : order()
    {
        each(tiles, [&](int k) {
            const int t = static_cast<int>(threadIdx.x) + k * BLOCK;
            order[k] = t < tiles ? best[t] : 0;
        });
    }
};

// Chooses the level and lists the tiles that may reach it. One block of 1,024 threads per slot;
// thread i looks at tiles i, i + 1024, and so on. The level is found bit by bit, from the top bit
// down: it is the highest value that the best tiles of at least `wanted` threads reach. Each thread
// counts for its best tile only, so at least `wanted` tiles reach the level.
//
// With bound_margin e > 0, a tile's score b and its exact best score s satisfy |b - s| <= e; where
// scores are above 1, at most e times the smaller of them. Let b be the value found. The exact best
// of those tiles is no worse than b by e, so that is the level. Every tile whose exact best reaches
// the level has a score that is no worse than the level by e, so those tiles are listed.
__global__ __launch_bounds__(BLOCK) void select_tiles(PeakJob job)
{
    let_next_begin();
    wait_for_front();
    int slot = blockIdx.z;
    PeakState *state = job.state + slot;
    const uint32_t *best = job.best + static_cast<size_t>(slot) * job.tiles;
    uint32_t *list = job.list + static_cast<size_t>(slot) * job.tiles;
    uint32_t mine = 0, level = 0, limit = peak_order(job.limit, job.smallest);
    const HeldTiles held(best, job.tiles);
    held.each(job.tiles, [&](int k) { mine = max(mine, held.order[k]); });
    const int first = static_cast<int>(threadIdx.x) + HELD * BLOCK; // of those that are not held
#pragma unroll 8
    for (int t = first; t < job.tiles; t += BLOCK)
        mine = max(mine, best[t]);
    for (uint32_t bit = 0x80000000u; bit != 0; bit >>= 1)
        if (__syncthreads_count(mine >= (level | bit)) >= static_cast<int>(job.wanted))
            level |= bit;
    level = max(worse(level, job.bound_margin), limit);
    if (threadIdx.x == 0)
        *state = PeakState{ level, 0, 0, 0, 0, 0, 0 };
    __syncthreads();
    uint32_t reach = worse(level, job.bound_margin);
    if (mine == 0 || mine < reach)
        return;
    const auto add = [&](uint32_t order, int t) {
        if (order != 0 && order >= reach)
            list[atomicAdd(&state->tiles, 1u)] = static_cast<uint32_t>(t);
    };
    held.each(job.tiles,
              [&](int k) { add(held.order[k], static_cast<int>(threadIdx.x) + k * BLOCK); });
    for (int t = first; t < job.tiles; t += BLOCK)
        add(best[t], t);
}

// Collects the candidates of the listed tiles; the last block to finish chooses the matches. The
// blocks share the list. In a tile of 128 columns a block of 256 threads has two threads per
// column, for the even and the odd rows. Shared memory: PEAK_ROOM keys, for the choice.
__global__ __launch_bounds__(THREADS) void collect(PeakJob job)
{
    constexpr int STRIDE = THREADS / PEAK_COLUMNS;
    __shared__ uint64_t key[PEAK_ROOM];
    int slot = blockIdx.z;
    let_next_begin();
    wait_for_front();
    uint32_t level = job.state[slot].level, count = job.state[slot].tiles;
    const uint32_t *list = job.list + static_cast<size_t>(slot) * job.tiles;
    for (uint32_t i = blockIdx.x; i < count; i += gridDim.x) {
        Tile t(job, static_cast<int32_t>(list[i]));
        const int32_t x = t.x + static_cast<int32_t>(threadIdx.x % PEAK_COLUMNS),
                      first = static_cast<int32_t>(threadIdx.x / PEAK_COLUMNS);
        const float *map = job.map + slot * job.plane + x;
        const auto row = [&](int k) { return t.y + first + k * STRIDE; };
        const auto order_at = [&](int k) {
            return peak_order(__ldg(map + row(k) * job.pitch), job.smallest);
        };
        uint32_t leads = 0; // a bit for each of the thread's candidates
#pragma unroll
        for (int k = 0; k < PEAK_ROWS / STRIDE; k++) {
            const bool inside = x < t.x + t.columns && first + k * STRIDE < t.rows;
            const uint32_t order = inside ? order_at(k) : 0;
            leads |= order != 0 && order >= level ? 1u << k : 0u;
        }
        for (uint32_t rest = job.min_distance == 1 ? 0 : leads; rest; rest &= rest - 1u) {
            const int k = __ffs(static_cast<int>(rest)) - 1;
            if (!peak_leads(map + row(k) * job.pitch, job.pitch, order_at(k),
                            sides_at(job, x, row(k)), job.smallest))
                leads &= ~(1u << k);
        }
        for (uint32_t at = places_in_list(&job.state[slot].candidates, leads); leads;
             leads &= leads - 1u, at++) {
            const int k = __ffs(static_cast<int>(leads)) - 1;
            peak_put(job, slot, at, order_at(k), x, row(k));
        }
    }
    if (is_last_block(&job.state[slot].collected))
        choose(job, slot, key);
}

} // namespace

cudaError_t launch_peak_tiles(const PeakJob &job, int slots, cudaStream_t stream)
{
    best_of_tiles<<<peak_grid(ceil_div(job.tiles, WARPS), slots), THREADS, 0, stream>>>(job);
    return cudaGetLastError();
}

cudaError_t launch_peak_select(const PeakJob &job, int slots, cudaStream_t stream)
{
    return launch(select_tiles, peak_grid(1, slots), BLOCK, 0, stream, job.pdl, job);
}

cudaError_t launch_peak_collect(const PeakJob &job, int slots, cudaStream_t stream)
{
    return launch(collect, peak_grid(job.tiles < PEAK_BLOCKS ? job.tiles : PEAK_BLOCKS, slots),
                  THREADS, 0, stream, job.pdl, job);
}

cudaError_t peak_select_may_use_pdl(bool *may)
{
    return may_use_pdl(select_tiles, may);
}

} // namespace xncc
