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

// Appends the candidates of a tile that reach the level. Called by all threads of a block.
__device__ __forceinline__ void append_leaders(const PeakJob &job, int slot, uint32_t level,
                                               const Tile &t, const TileScores &scores)
{
    for (int k = static_cast<int>(threadIdx.x); k < t.rows * PEAK_COLUMNS;
         k += static_cast<int>(blockDim.x)) {
        int r = k / PEAK_COLUMNS, c = k % PEAK_COLUMNS;
        const float *here = &scores.at[r + 1][c + 1];
        uint32_t order = peak_order(*here, job.smallest);
        if (c < t.columns && order != 0 && order >= level &&
            (job.min_distance == 1 ||
             peak_leads(here, TileScores::COLUMNS, order, PeakSides{ true, true, true, true },
                        job.smallest)))
            peak_append(job, slot, order, t.x + c, t.y + r);
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
