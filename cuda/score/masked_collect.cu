// SPDX-License-Identifier: BSD-2-Clause
// Collects candidates of masked templates without a score map (masked_collect.h).
//
// The blocks share the list of tiles. For one tile and the rim of one element around it, a block of
// 256 threads computes the scores from X, S and Q in shared memory; then the threads look for
// candidates. The last block to finish chooses the matches.
#include "cuda/peaks/choose.cuh"
#include "cuda/score/masked_collect.h"
#include "cuda/score/masked_score_u8.cuh"

#include <math_constants.h>

namespace xncc {

namespace {

constexpr int THREADS = 256;

struct CollectJob {
    PeakJob peaks;
    MaskedWindows scores;
};

union Shared {
    TileScores tile;
    alignas(16) uint64_t key[PEAK_ROOM];
};

// What the scores of a slot are computed from: X, the sums under its mask, and of its template.
struct SlotSums {
    const uint32_t *X, *S, *low, *high;
    uint32_t n, sum, sum2;
};

__device__ SlotSums sums_of(const CollectJob &of, int slot)
{
    const MaskWindows &w = of.scores.windows;
    const int mask = of.scores.mask[slot];
    const uint32_t *S = w.sums + mask * w.mask;
    return { of.scores.X + slot * of.peaks.plane,
             S,
             S + w.plane,
             S + 2 * w.plane,
             w.n[mask],
             of.scores.sum[slot],
             of.scores.sum2[slot] };
}

// The score of a window.
__device__ float score_at(const MaskedScoreJob &job, int64_t at, const SlotSums &of)
{
    const MaskedSums sums = { of.n,
                              __ldg(of.S + at),
                              of.sum,
                              __ldg(of.X + at),
                              __ldg(of.low + at) + (__ldg(of.high + at) << 8),
                              of.sum2 };
    float score;
    return masked_score_fast<true>(job, sums, &score) ? score : masked_score_exact<true>(job, sums);
}

// Computes the scores of a tile and its rim.
__device__ void score_tile(const CollectJob &of, int slot, const Tile &t, TileScores *tile)
{
    const SlotSums sums = sums_of(of, slot);
    const int64_t pitch = of.scores.windows.pitch;
    const int count = (t.rows + 2) * TileScores::COLUMNS;
    for (int i = threadIdx.x; i < count; i += THREADS) {
        const int r = i / TileScores::COLUMNS, c = i % TileScores::COLUMNS, x = t.x - 1 + c,
                  y = t.y - 1 + r;
        const bool inside = x >= 0 && y >= 0 && x < of.peaks.width && y < of.peaks.height;
        tile->at[r][c] = inside ? score_at(of.scores.job, y * pitch + x, sums) : CUDART_NAN_F;
    }
    __syncthreads();
}

__global__ __launch_bounds__(THREADS) void collect_masked(const __grid_constant__ CollectJob of)
{
    __shared__ Shared shared;
    collect_listed(of.peaks, shared.tile, shared.key,
                   [&](int slot, const Tile &t) { score_tile(of, slot, t, &shared.tile); });
}

} // namespace

cudaError_t launch_masked_collect(const PeakJob &search, const MaskedWindows &scores, int slots,
                                  cudaStream_t stream)
{
    return launch(collect_masked, peak_grid(likely_blocks(search), slots), THREADS, 0, stream,
                  search.pdl, CollectJob{ search, scores });
}

} // namespace xncc
