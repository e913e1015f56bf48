#include "cuda/peaks/choose.cuh"

namespace xncc {

namespace {

constexpr int THREADS = 256;
constexpr int WARPS = THREADS / LANES;
constexpr int BLOCK = PEAK_BLOCK;
constexpr int SPAN = PEAK_COLUMNS / LANES;

// The best score of each tile. A warp a tile.
__global__ __launch_bounds__(THREADS) void best_of_tiles(PeakJob job)
{
    int slot = blockIdx.z, lane = threadIdx.x % LANES;
    int tile = blockIdx.x * WARPS + threadIdx.x / LANES;
    if (tile >= job.tiles)
        return;
    Tile t(job, tile);
    const float *row = job.map + slot * job.plane + t.y * job.pitch + t.x;
    uint32_t best = 0;
#pragma unroll 4
    for (int y = 0; y < t.rows; y++, row += job.pitch)
#pragma unroll
        for (int i = 0; i < SPAN; i++)
            if (lane + i * LANES < t.columns)
                best = max(best, peak_order(__ldg(row + lane + i * LANES), job.smallest));
    best = warp_max(best);
    if (lane == 0)
        job.best[static_cast<size_t>(slot) * job.tiles + tile] = best;
}

// An order made worse by an error bound; 0 stays 0.
__device__ uint32_t worse(uint32_t order, float bound_margin)
{
    return order == 0 || bound_margin == 0.0f
               ? order
               : peak_order(__fsub_rd(score_of_order(order), bound_margin), 0);
}

// The level: the highest that `wanted` threads have a tile for. Each thread stands for its best
// tile only, so that at least as many tiles reach the level. With slack e, tiles' scores b and
// exact ones s, |b - s| <= e: those tiles' exact best is at least b - e, which is the level, and
// every tile whose exact best reaches the level has a score of at least level - e.
__global__ __launch_bounds__(BLOCK) void select_tiles(PeakJob job)
{
    let_next_begin();
    wait_for_front();
    int slot = blockIdx.z;
    PeakState *state = job.state + slot;
    const uint32_t *best = job.best + static_cast<size_t>(slot) * job.tiles;
    uint32_t *list = job.list + static_cast<size_t>(slot) * job.tiles;
    uint32_t mine = 0, level = 0, limit = peak_order(job.limit, job.smallest);
#pragma unroll 8
    for (int t = threadIdx.x; t < job.tiles; t += BLOCK)
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
    for (int t = threadIdx.x; t < job.tiles; t += BLOCK)
        if (best[t] != 0 && best[t] >= reach)
            list[atomicAdd(&state->tiles, 1u)] = static_cast<uint32_t>(t);
}

// Candidates of the listed tiles, and the choice among them. A thread has every second row of a
// column.
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
        int32_t x = t.x + static_cast<int32_t>(threadIdx.x % PEAK_COLUMNS),
                first = static_cast<int32_t>(threadIdx.x / PEAK_COLUMNS);
        if (x >= t.x + t.columns)
            continue;
        const float *here = job.map + slot * job.plane + (t.y + first) * job.pitch + x;
#pragma unroll 4
        for (int32_t y = t.y + first; y < t.y + t.rows; y += STRIDE, here += STRIDE * job.pitch) {
            uint32_t order = peak_order(__ldg(here), job.smallest);
            if (order != 0 && order >= level &&
                (job.min_distance == 1 ||
                 peak_leads(here, job.pitch, order, sides_at(job, x, y), job.smallest)))
                peak_append(job, slot, order, x, y);
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

bool PeakSearch::serves(int32_t width, int32_t height)
{
    return static_cast<uint64_t>(width) * static_cast<uint64_t>(height) < UINT32_MAX;
}

cudaError_t PeakSearch::make(int32_t map_width, int32_t map_height, int slots)
{
    constexpr int64_t SMALL =
        1 << 22; // maps up to here have few tiles: half as high, there are enough to choose from
    width = map_width;
    height = map_height;
    rows = static_cast<int64_t>(width) * height < SMALL ? PEAK_ROWS / 2 : PEAK_ROWS;
    across = ceil_div(width, PEAK_COLUMNS);
    tiles = across * ceil_div(height, rows);
    uint64_t all = static_cast<uint64_t>(tiles) * static_cast<uint64_t>(slots);
    cudaError_t code = best.take(all * sizeof(uint32_t));
    if (code == cudaSuccess)
        code = list.take(all * sizeof(uint32_t));
    if (code == cudaSuccess)
        code = leader.take(all * sizeof(uint64_t));
    if (code == cudaSuccess)
        code = candidate.take(static_cast<uint64_t>(slots) * PEAK_ROOM * sizeof(uint64_t));
    return code == cudaSuccess ? may_use_pdl(select_tiles, &pdl) : code;
}

cudaError_t PeakSearch::make_results(uint64_t slots, uint64_t top)
{
    cudaError_t code = cudaSuccess;
    if (slots > state_room) {
        state_room = 0;
        state.release();
        code = state.take(slots * sizeof(PeakState));
        state_room = code == cudaSuccess ? slots : 0;
    }
    if (code == cudaSuccess && slots * top > match_room) {
        match_room = 0;
        match.release();
        code = match.take(slots * top * sizeof(xncc_match));
        // they are fetched together, however few are found
        if (code == cudaSuccess)
            code = cudaMemset(match.as<void>(), 0, slots * top * sizeof(xncc_match));
        if (code == cudaSuccess)
            code = cudaStreamSynchronize(nullptr);
        match_room = code == cudaSuccess ? slots * top : 0;
    }
    return code;
}

PeakJob PeakSearch::job(const xncc_peak_rule &rule) const
{
    PeakJob job = {};
    job.width = width;
    job.height = height;
    job.tile_rows = rows;
    job.across = across;
    job.tiles = tiles;
    job.smallest = rule.smallest;
    job.limit = rule.limit;
    job.min_distance = rule.min_distance;
    job.top = static_cast<uint32_t>(rule.top);
    // the best tile has the first match; each match strikes out what lies in so many tiles; and a
    // level that too many tiles reach is no help
    constexpr uint64_t MOST = 384;
    uint64_t span = 2 * static_cast<uint64_t>(rule.min_distance) - 2;
    uint64_t touched = (span / PEAK_COLUMNS + 2) * (span / static_cast<uint64_t>(rows) + 2);
    uint64_t wanted = touched < MOST && rule.top < MOST ? 1 + touched * (rule.top - 1) : MOST;
    job.wanted = static_cast<uint32_t>(wanted < MOST ? wanted : MOST);
    job.best = best.as<uint32_t>();
    job.list = list.as<uint32_t>();
    job.candidate = candidate.as<uint64_t>();
    job.leader = leader.as<uint64_t>();
    job.state = state.as<PeakState>();
    job.match = match.as<xncc_match>();
    job.pdl = pdl;
    return job;
}

} // namespace xncc
