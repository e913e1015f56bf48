// SPDX-License-Identifier: BSD-2-Clause
// Searches without a map: instead of scores, the best score of each tile. Output class for the
// score pass of 8-bit pixels (score_u8.cu) and the fused kernel (fused_u8.cu).
#ifndef XNCC_CUDA_SCORE_TILE_BEST_CUH
#define XNCC_CUDA_SCORE_TILE_BEST_CUH

#include "cuda/score/strip_windows.cuh"

namespace xncc {

// Output class (strip_windows.cuh): the best score of each tile, at least 0, within BOUND_MARGIN of
// the exact one.
//
// Error bound. num y is within 2^-19 + 2^-40 (window_terms.cuh). The product with 1 / root_var, in
// float, adds at most 5 roundings of 2^-24, and the float of score.h one more. So a score of at
// most 1 is off by less than 2^-18.6.
//
// Flat cases. A window without variance has num = 0, and y is limited to 1, its largest value
// otherwise: the result is 0, even where the exact score is NaN. A flat template has unit 0.
//
// blockIdx.z is the template (slot).
template <class Arith, class Columns> struct TilesOutput {
    using Sum = typename Arith::Sum;
    static constexpr bool FROM_PRODUCTS = true;
    const TensorTiles &tiles;
    // sumT of the template.
    typename Arith::TemplSum sum;
    // The largest key (num y) in the current tile.
    int best;

    __device__ TilesOutput(const TensorTiles &of)
        : tiles(of), sum(static_cast<typename Arith::TemplSum>(of.rule[blockIdx.z].sum)), best(0)
    {
    }
    __device__ __forceinline__ const uint32_t *sums(const Job &job) const
    {
        return job.all.sums + blockIdx.z * tiles.plane;
    }
    __device__ __forceinline__ void score_row(const Job &job, const Sum *s, const Sum *q,
                                              const uint32_t *product, int x, bool inside)
    {
#pragma unroll
        for (int i = 0; i < 4; i++) {
            int key = Arith::bound_key_of(job, sum, s[i], q[i], product[i]);
            if (inside && x + Columns::column(i) < job.all.width)
                best = max(best, key);
        }
    }
    // At the end of a tile, the warp's maximum is stored. A warp's columns are those of one tile.
    template <int WORDS, class Products>
    __device__ __forceinline__ void end_batch(const Job &job, const StripPrefixes<WORDS> &,
                                              const Sum *, const Sum *, const Products &, int x,
                                              int y, int left)
    {
        if ((y + ROWS) % tiles.rows != 0 && left > ROWS)
            return;
        int all = __reduce_max_sync(0xffffffffu, best);
        best = 0;
        if (threadIdx.x % LANES != 0 || x >= job.all.width)
            return;
        float score = Arith::bound_score_of(all, tiles.rule[blockIdx.z].root_var);
        tiles.best[static_cast<int64_t>(blockIdx.z) * tiles.count + y / tiles.rows * tiles.across +
                   x / PEAK_COLUMNS] = peak_order(score, 0);
    }
};

// Parameters of a pass over tiles.
struct TilesJob {
    Job job;
    TensorTiles tiles;
};

// cut_strips for tiles: segments are multiples of the tiles' rows, so that no tile is in two
// blocks. blocks: blocks per multiprocessor, shared by all slots.
inline dim3 cut_tiles(TilesJob *of, int processors, int blocks)
{
    dim3 grid = cut_strips(&of->job, processors, ceil_div(blocks, of->tiles.slots));
    of->job.segment = ceil_div(of->job.segment, of->tiles.rows) * of->tiles.rows;
    grid.y = static_cast<unsigned>(ceil_div<int32_t>(of->job.all.height, of->job.segment));
    grid.z = static_cast<unsigned>(of->tiles.slots);
    return grid;
}

} // namespace xncc

#endif
