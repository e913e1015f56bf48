// SPDX-License-Identifier: BSD-2-Clause
// The tournament, which ends a peak search that the fast passes left undecided. Each tile's best
// candidate is its leader. The best leader is the next match; then the tiles that its neighbourhood
// touches determine a new leader.
//
// The first leaders are computed by all blocks, one warp per tile. The last block to finish runs
// the rounds alone: all threads search for the best leader, and each warp updates one tile at a
// time. A round costs about as much as reading some thousand map elements. Shared memory: the
// matches near a tile, 28 KB per block.
#include "cuda/peaks/peak_order.cuh"
#include "cuda/runtime/last_block.cuh"
#include "cuda/runtime/warp.cuh"

namespace xncc {

namespace {

constexpr int BLOCK = PEAK_BLOCK;

// The matches near a tile, as indices, for one warp. If there are more than NEAR_ROOM, all matches
// are checked instead.
constexpr uint32_t NEAR_ROOM = 224;
struct Near {
    uint32_t at[NEAR_ROOM];
};

// The matches so far.
struct Taken {
    const xncc_match *match;
    uint32_t count;
    uint64_t last; // the key of the last match
};

// True if match m suppresses the candidate at (x, y).
__device__ bool suppresses(const PeakJob &job, const xncc_match &m, int32_t x, int32_t y)
{
    return abs(x + job.x0 - m.x) < job.min_distance && abs(y + job.y0 - m.y) < job.min_distance;
}

// Finds the matches that can suppress a candidate of a tile. Returns their number; only the first
// NEAR_ROOM are stored. Called by one warp.
__device__ uint32_t gather_near(const PeakJob &job, const Tile &t, const Taken &taken, Near *near)
{
    uint32_t lane = threadIdx.x % WARP_LANES, count = 0;
    int32_t reach = job.min_distance - 1;
    for (uint32_t first = 0; first < taken.count; first += WARP_LANES) {
        uint32_t k = first + lane;
        bool in = k < taken.count;
        if (in) {
            int64_t x = static_cast<int64_t>(taken.match[k].x) - job.x0,
                    y = static_cast<int64_t>(taken.match[k].y) - job.y0;
            in = x + reach >= t.x && x - reach < t.x + t.columns && y + reach >= t.y &&
                 y - reach < t.y + t.rows;
        }
        unsigned all = __ballot_sync(WARP_ALL, in);
        uint32_t at = count + static_cast<uint32_t>(__popc(all & ((1u << lane) - 1)));
        if (in && at < NEAR_ROOM)
            near->at[at] = k;
        count += static_cast<uint32_t>(__popc(all));
    }
    __syncwarp();
    return count;
}

// True if a match suppresses the candidate at (x, y). count: what gather_near returned.
__device__ bool is_suppressed(const PeakJob &job, const Taken &taken, const Near *near,
                              uint32_t count, int32_t x, int32_t y)
{
    bool all = count > NEAR_ROOM, suppressed = false;
    uint32_t end = all ? taken.count : count;
    for (uint32_t k = 0; k < end && !suppressed; k++)
        suppressed = suppresses(job, taken.match[all ? k : near->at[k]], x, y);
    return suppressed;
}

// Returns the key of the best candidate of a tile that comes after the last match and that no match
// suppresses; 0 if there is none. Called by one warp: each lane reads columns of the tile.
__device__ uint64_t lead_of_tile(const PeakJob &job, int slot, int32_t tile, const Taken &taken,
                                 Near *near)
{
    Tile t(job, tile);
    uint32_t limit = max(peak_order(job.limit, job.smallest), 1u);
    uint32_t close = job.min_distance > 1 && taken.count > 0 ? gather_near(job, t, taken, near) : 0;
    uint64_t best = 0;
    for (int32_t i = threadIdx.x % WARP_LANES; i < t.columns; i += WARP_LANES) {
        const int32_t x = t.x + i;
        const float *column = job.map + slot * job.plane + t.y * job.pitch + x;
        const auto order_at = [&](int r) {
            return peak_order(column[r * job.pitch], job.smallest);
        };
        // A bit for each row that may hold the leader. All loads are in flight together.
        const uint32_t least = max(limit, static_cast<uint32_t>(best >> 32));
        uint32_t rows = 0;
#pragma unroll
        for (int r = 0; r < PEAK_ROWS; r++)
            rows |= r < t.rows && order_at(r) >= least ? 1u << r : 0u;
        for (; rows; rows &= rows - 1u) {
            const int r = __ffs(static_cast<int>(rows)) - 1;
            const int32_t y = t.y + r;
            const uint32_t order = order_at(r);
            const uint64_t key = peak_key(job, order, x, y);
            if (key <= best || key >= taken.last)
                continue;
            if (job.min_distance > 1 && (!peak_leads(column + r * job.pitch, job.pitch, order,
                                                     sides_at(job, x, y), job.smallest) ||
                                         is_suppressed(job, taken, near, close, x, y)))
                continue;
            best = key;
        }
    }
    __syncwarp();
    return warp_max(best);
}

// The tiles that the neighbourhood of a match touches.
struct Touched {
    int32_t x0, x1, y0, y1; // the first and last element in each dimension
    int32_t left, top;      // the first tile in each dimension
    int32_t across, count;  // tiles per row of tiles, and in total

    __device__ Touched(const PeakJob &job, const Place &p)
    {
        int32_t reach = min(job.min_distance, 1 << 30) - 1;
        x0 = max(p.x - reach, 0);
        y0 = max(p.y - reach, 0);
        x1 = reach < job.width - 1 - p.x ? p.x + reach : job.width - 1;
        y1 = reach < job.height - 1 - p.y ? p.y + reach : job.height - 1;
        left = x0 / PEAK_COLUMNS;
        top = y0 / job.tile_rows;
        across = x1 / PEAK_COLUMNS - left + 1;
        count = across * (y1 / job.tile_rows - top + 1);
    }
    __device__ int32_t tile(const PeakJob &job, int32_t i) const
    {
        return (top + i / across) * job.across + left + i % across;
    }
    // True if the match suppresses the whole tile.
    __device__ bool covers(const Tile &t) const
    {
        return t.x >= x0 && t.x + t.columns - 1 <= x1 && t.y >= y0 && t.y + t.rows - 1 <= y1;
    }
};

// Computes the first leader of every tile. Called by all blocks.
__device__ void lead_tiles(const PeakJob &job, int slot)
{
    constexpr int WARPS = BLOCK / WARP_LANES;
    Taken none = { nullptr, 0, UINT64_MAX };
    for (int tile = blockIdx.x * WARPS + threadIdx.x / WARP_LANES; tile < job.tiles;
         tile += gridDim.x * WARPS) {
        uint64_t best = lead_of_tile(job, slot, tile, none, nullptr);
        if (threadIdx.x % WARP_LANES == 0)
            job.leader[static_cast<size_t>(slot) * job.tiles + tile] = best;
    }
}

// The tournament of the slots that are not done. One slot per blockIdx.z.
__global__ __launch_bounds__(BLOCK, 1) void tournament(PeakJob job)
{
    __shared__ uint64_t room[2][WARP_LANES];
    __shared__ Near near[BLOCK / WARP_LANES];
    int slot = blockIdx.z, warp = threadIdx.x / WARP_LANES;
    wait_for_front();
    if (job.state[slot].done)
        return;
    lead_tiles(job, slot);
    if (!is_last_block(&job.state[slot].led))
        return;
    uint64_t *leader = job.leader + static_cast<size_t>(slot) * job.tiles;
    uint32_t taken = 0;
    while (taken < job.top) {
        uint64_t mine = 0;
        for (int t = threadIdx.x; t < job.tiles; t += BLOCK)
            mine = max(mine, __ldcg(leader + t));
        uint64_t winner = block_max(mine, room[taken & 1]);
        if (winner == 0)
            break;
        if (threadIdx.x == 0)
            write_match(job, slot, taken, winner);
        taken++;
        __syncthreads();
        Taken so_far = { job.match + static_cast<size_t>(slot) * job.top, taken, winner };
        Touched touched(job, Place(winner, job.width));
        for (int32_t i = warp; i < touched.count; i += BLOCK / WARP_LANES) {
            int32_t tile = touched.tile(job, i);
            if (__ldcg(leader + tile) == 0)
                continue;
            uint64_t best = touched.covers(Tile(job, tile))
                                ? 0
                                : lead_of_tile(job, slot, tile, so_far, &near[warp]);
            __syncwarp();
            if (threadIdx.x % WARP_LANES == 0)
                leader[tile] = best;
        }
        __syncthreads();
    }
    if (threadIdx.x == 0)
        end_search(job, slot, taken);
}

} // namespace

cudaError_t launch_peak_tournament(const PeakJob &job, int slots, cudaStream_t stream)
{
    // As many as fill the device, and no more: mostly they find nothing to do.
    constexpr int64_t MOST = PEAK_BLOCKS / 4, LEAST = 16;
    const int64_t wanted = ceil_div(job.tiles, BLOCK / WARP_LANES), share = 2 * MOST / slots,
                  each = share > MOST    ? MOST
                         : share < LEAST ? LEAST
                                         : share;
    return launch(tournament, peak_grid(wanted < each ? wanted : each, slots), BLOCK, 0, stream,
                  job.pdl, job);
}

} // namespace xncc
