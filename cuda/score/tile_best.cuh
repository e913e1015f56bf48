// Searches without a map: what the score pass of 8-bit pixels and the fused kernel make of a
// strip's windows there.
#ifndef XNCC_CUDA_SCORE_TILE_BEST_CUH
#define XNCC_CUDA_SCORE_TILE_BEST_CUH

#include "cuda/score/strip_windows.cuh"

namespace xncc {

// The best score of each tile, within BOUND_MARGIN of the exact one, 0 for less. num y is within
// 2^-19 + 2^-40 (score_arith.cuh). The product with 1 / root_var, in float, adds 5 roundings of
// 2^-24 at most, and score.h's own float one. So a score of at most 1 is off by less than 2^-18.6.
// A window without variance has num = 0, and y is cut to 1, its largest value otherwise: 0, even
// where the score is not a number. A flat template has unit 0.
template <class Arith, class Spread> struct ToTiles {
    using Sum = typename Arith::Sum;
    static constexpr bool FROM_PRODUCTS = true;
    const TensorTiles &tiles;
    typename Arith::Whole sum; // of the template
    int best;                  // num y

    __device__ ToTiles(const TensorTiles &of)
        : tiles(of), sum(static_cast<typename Arith::Whole>(of.rule[blockIdx.z].sum)), best(0)
    {
    }
    __device__ __forceinline__ const uint32_t *sums(const Job &job) const
    {
        return job.all.sums + blockIdx.z * tiles.plane;
    }
    __device__ __forceinline__ void row(const Job &job, const Sum *s, const Sum *q,
                                        const uint32_t *product, int x, bool inside)
    {
#pragma unroll
        for (int i = 0; i < 4; i++) {
            int bounded = Arith::bound(job, sum, s[i], q[i], product[i]);
            if (inside && x + Spread::column(i) < job.all.width)
                best = max(best, bounded);
        }
    }
    template <int WORDS, class Products>
    __device__ __forceinline__ void batch(const Job &job, const Windows<WORDS> &, const Sum *,
                                          const Sum *, const Products &, int x, int y, int left)
    {
        if ((y + ROWS) % tiles.rows != 0 && left > ROWS)
            return;
        int all = __reduce_max_sync(0xffffffffu, best);
        best = 0;
        if (threadIdx.x % LANES != 0 || x >= job.all.width)
            return;
        float score = Arith::bounded(all, tiles.rule[blockIdx.z].root_var);
        tiles.best[static_cast<int64_t>(blockIdx.z) * tiles.count + y / tiles.rows * tiles.across +
                   x / PEAK_COLUMNS] = peak_order(score, 0);
    }
};

struct TilesJob {
    Job job;
    TensorTiles tiles;
};

// No tile in two blocks. blocks: that fit a multiprocessor.
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
