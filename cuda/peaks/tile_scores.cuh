// SPDX-License-Identifier: BSD-2-Clause
// The scores of one tile of a search without a map, in shared memory, and its candidates.
#ifndef XNCC_CUDA_PEAKS_TILE_SCORES_CUH
#define XNCC_CUDA_PEAKS_TILE_SCORES_CUH

#include "cuda/peaks/peak_order.cuh"

namespace xncc {

// A tile and the rim of one element around it. NaN, which is no candidate, stands for elements
// outside the map.
struct TileScores {
    static constexpr int COLUMNS = PEAK_COLUMNS + 2, ROWS = PEAK_ROWS + 2;
    float at[ROWS][COLUMNS];
};

// Appends the candidates of a tile that reach the level. Called by all threads of a block of at
// least PEAK_COLUMNS threads.
__device__ __forceinline__ void append_leaders(const PeakJob &job, int slot, uint32_t level,
                                               const Tile &t, const TileScores &scores)
{
    static_assert(PEAK_ROWS <= 32, "a thread has a bit for each of its elements");
    const int own = static_cast<int>(threadIdx.x), step = static_cast<int>(blockDim.x);
    const auto score_at = [&](int k) {
        return &scores.at[k / PEAK_COLUMNS + 1][k % PEAK_COLUMNS + 1];
    };
    const auto order_at = [&](int k) { return peak_order(*score_at(k), job.smallest); };
    const uint32_t least = max(level, 1u);
    uint32_t leads = 0;
#pragma unroll 2
    for (int k = own, i = 0; k < t.rows * PEAK_COLUMNS; k += step, i++)
        leads |= order_at(k) >= least ? 1u << i : 0u;
    const PeakSides all = { true, true, true, true };
    for (uint32_t rest = job.min_distance == 1 ? 0 : leads; rest; rest &= rest - 1u) {
        const int i = __ffs(static_cast<int>(rest)) - 1, k = own + i * step;
        if (!peak_leads(score_at(k), TileScores::COLUMNS, order_at(k), all, job.smallest))
            leads &= ~(1u << i);
    }
    for (uint32_t at = places_in_list(&job.state[slot].candidates, leads); leads;
         leads &= leads - 1u, at++) {
        const int k = own + (__ffs(static_cast<int>(leads)) - 1) * step;
        peak_put(job, slot, at, order_at(k), t.x + k % PEAK_COLUMNS, t.y + k / PEAK_COLUMNS);
    }
}

// The blocks of a collection without a map: usually only a few tiles per match are listed.
inline int64_t likely_blocks(const PeakJob &job)
{
    constexpr int64_t MAX_BLOCKS = 264;
    const int64_t likely = 2 * static_cast<int64_t>(job.wanted),
                  most = likely < MAX_BLOCKS ? likely : MAX_BLOCKS;
    return job.tiles < most ? job.tiles : most;
}

} // namespace xncc

#endif
