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
constexpr int STEP = 991;                       // from tile to tile of a thread of select_tiles
constexpr int HELD = 36;                        // of these tiles, those that are kept in registers
constexpr int CHUNK = 9;                        // of them, those whose loads are in one branch
static_assert(STEP < BLOCK, "each tile has a thread");

// Computes best[tile] = max of peak_order over the tile. One warp per tile: lane i reads columns i,
// i + 32, i + 64 and i + 96 of each row. No shared memory. NaN stands for no score: fmaxf takes the
// number.
__global__ __launch_bounds__(THREADS) void best_of_tiles(PeakJob job)
{
    let_next_begin();
    wait_for_front();
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

// The tiles of a thread of select_tiles: its own number, and every STEP behind that. A prime: in an
// image that repeats itself, the same thread must not have all copies of a tile. The loads of the
// first HELD are in flight together, and the list needs no second look at them.
struct OwnTiles {
    uint32_t order[HELD];
    const uint32_t *best;
    int own, end;

    __device__ __forceinline__ OwnTiles(const uint32_t *of, int tiles)
        : best(of), own(static_cast<int>(threadIdx.x)), end(own < STEP ? tiles : 0)
    {
#pragma unroll
        for (int k = 0; k < HELD; k++)
            order[k] = 0;
#pragma unroll
        for (int first = 0; first < HELD; first += CHUNK)
            if (first * STEP < tiles)
#pragma unroll
                for (int k = first; k < first + CHUNK; k++)
                    if (own + k * STEP < end)
                        order[k] = best[own + k * STEP];
    }
    // Calls what(order, tile) for those that are not held.
    template <class What> __device__ __forceinline__ void each_further(const What &what) const
    {
#pragma unroll 8
        for (int tile = own + HELD * STEP; tile < end; tile += STEP)
            what(best[tile], tile);
    }
    __device__ __forceinline__ uint32_t most() const
    {
        uint32_t most = 0;
#pragma unroll
        for (int k = 0; k < HELD; k++)
            most = max(most, order[k]);
        each_further([&](uint32_t of, int) { most = max(most, of); });
        return most;
    }
    // Calls put(tile) for those that reach an order.
    template <class Put> __device__ __forceinline__ void list(uint32_t reach, const Put &put) const
    {
        unsigned long long bits = 0;
#pragma unroll
        for (int k = 0; k < HELD; k++)
            bits |= order[k] >= reach ? 1ull << k : 0ull;
#pragma unroll 1
        for (; bits; bits &= bits - 1)
            put(own + (__ffsll(static_cast<long long>(bits)) - 1) * STEP);
        each_further([&](uint32_t of, int tile) {
            if (of >= reach)
                put(tile);
        });
    }
};

// Chooses the level and lists the tiles that may reach it. One block of 1,024 threads per slot;
// each has tiles of its own. The level is found bit by bit, from the top bit down: it is a value
// that the best tiles of at least `wanted` threads reach, and not many more. Each thread counts for
// its best tile only, so at least `wanted` tiles reach the level. Bits that would make the level
// exceed the best tile of all are left out: no thread reaches them. The instructions are few, since
// to fetch them takes longer than to execute them.
//
// With bound_margin e > 0, a tile's score b and its exact best score s satisfy |b - s| <= e; where
// scores are above 1, at most e times the smaller of them. Let b be the value found. The exact best
// of those tiles is no worse than b by e, so that is the level. Every tile whose exact best reaches
// the level has a score that is no worse than the level by e, so those tiles are listed.
__global__ __launch_bounds__(BLOCK) void select_tiles(PeakJob job)
{
    __shared__ uint32_t listed, room[BLOCK / WARP_LANES];
    let_next_begin();
    wait_for_front();
    const int slot = blockIdx.z, wanted = static_cast<int>(job.wanted),
              enough = wanted + wanted / 4;
    const uint32_t *best = job.best + static_cast<size_t>(slot) * job.tiles;
    uint32_t *list = job.list + static_cast<size_t>(slot) * job.tiles;
    if (threadIdx.x == 0)
        listed = 0;
    const OwnTiles tiles(best, job.tiles);
    const uint32_t mine = tiles.most(), most = block_max(mine, room);
    uint32_t level = 0;
#pragma unroll 1
    for (uint32_t bit = 0x80000000u; bit != 0; bit >>= 1) {
        if ((level | bit) > most)
            continue;
        const int reaching = __syncthreads_count(mine >= (level | bit));
        if (reaching >= wanted)
            level |= bit;
        if (reaching >= wanted && reaching <= enough)
            break;
    }
    level = max(worse(level, job.bound_margin), peak_order(job.limit, job.smallest));
    const uint32_t reach = max(worse(level, job.bound_margin), 1u);
    if (mine >= reach)
        tiles.list(reach,
                   [&](int tile) { list[atomicAdd(&listed, 1u)] = static_cast<uint32_t>(tile); });
    __syncthreads();
    if (threadIdx.x == 0)
        job.state[slot] = PeakState{ level, listed, 0, 0, 0, 0, 0 };
}

// Loads a tile's scores and the rim around them. Called by all threads of the block.
__device__ __forceinline__ void load_scores(const PeakJob &job, int slot, const Tile &t,
                                            TileScores *to)
{
    constexpr int COLUMNS = TileScores::COLUMNS, ALL = COLUMNS * TileScores::ROWS;
    const float *map = job.map + slot * job.plane;
#pragma unroll
    for (int first = 0; first < ALL; first += THREADS) { // all loads are in flight together
        const int k = first + static_cast<int>(threadIdx.x), r = k / COLUMNS, c = k % COLUMNS,
                  x = t.x - 1 + c, y = t.y - 1 + r;
        const bool inside = r < t.rows + 2 && x >= 0 && y >= 0 && x < job.width && y < job.height;
        const float score = inside ? __ldg(map + y * job.pitch + x) : CUDART_NAN_F;
        if (k < ALL)
            to->at[r][c] = score;
    }
}

// Shared memory: the scores of a tile, or PEAK_ROOM keys, for the choice.
__global__ __launch_bounds__(THREADS) void collect(PeakJob job)
{
    __shared__ union {
        TileScores scores;
        alignas(16) uint64_t key[PEAK_ROOM];
    } shared;
    collect_listed(job, shared.scores, shared.key, [&](int slot, const Tile &t) {
        load_scores(job, slot, t, &shared.scores);
        __syncthreads();
    });
}

} // namespace

cudaError_t launch_peak_tiles(const PeakJob &job, int slots, cudaStream_t stream)
{
    return launch(best_of_tiles, peak_grid(ceil_div(job.tiles, WARPS), slots), THREADS, 0, stream,
                  job.pdl, job);
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

cudaError_t launch_peak_passes(const PeakJob &job, int slots, bool has_best, cudaStream_t stream)
{
    cudaError_t code = has_best ? cudaSuccess : launch_peak_tiles(job, slots, stream);
    if (code == cudaSuccess)
        code = launch_peak_select(job, slots, stream);
    return code == cudaSuccess ? launch_peak_collect(job, slots, stream) : code;
}

cudaError_t peak_select_may_use_pdl(bool *may)
{
    return may_use_pdl(select_tiles, may);
}

} // namespace xncc
