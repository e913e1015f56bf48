// SPDX-License-Identifier: BSD-2-Clause
// Searches without a map: instead of scores, the best score of each tile. Output class for the
// score pass of 8-bit pixels (score_u8.cu) and the fused kernel (fused_u8.cu).
#ifndef XNCC_CUDA_SCORE_TILE_BEST_CUH
#define XNCC_CUDA_SCORE_TILE_BEST_CUH

#include "cuda/runtime/warp.cuh"
#include "cuda/score/strip_windows.cuh"

namespace xncc {

// The larger one of two keys (Arith::Key). Written as such, the compiler merges max with the
// question whether the row counts, and makes two instructions of it.
__device__ __forceinline__ int larger_key(int a, int b)
{
    asm("max.s32 %0, %0, %1;" : "+r"(a) : "r"(b));
    return a;
}
__device__ __forceinline__ uint32_t larger_key(uint32_t a, uint32_t b)
{
    asm("max.u32 %0, %0, %1;" : "+r"(a) : "r"(b));
    return a;
}
__device__ __forceinline__ double larger_key(double a, double b)
{
    return b > a ? b : a;
}

// The largest of a warp's keys. A template for int and uint32_t, since before compute capability
// 8.0, where no kernel uses it, the function that it calls is not declared.
template <class Key> __device__ __forceinline__ Key best_key(Key key)
{
    return __reduce_max_sync(WARP_ALL, key);
}
__device__ __forceinline__ double best_key(double key)
{
#pragma unroll
    for (int step = WARP_LANES / 2; step > 0; step /= 2)
        key = larger_key(key, __shfl_xor_sync(WARP_ALL, key, step));
    return key;
}

// Output class (strip_windows.cuh): the best score of each tile; of the normed methods within
// BOUND_MARGIN of the exact one, and at least 0 by ccoeff_normed and ccorr_normed.
//
// Error bound of the normed methods. num y is within 2^-19 + 2^-40 (window_terms.cuh). The product
// with 1 / root_var, in float, adds at most 5 roundings of 2^-24, and the float of score.h one
// more. So a score is off by less than 2^-18.6 of itself.
//
// Flat cases. A window without variance, or of zeros, has num = 0, and y is limited to 1, its
// largest value otherwise: the result is 0, even where the exact score is NaN. A flat template, or
// one of zeros, has unit 0. By sqdiff_normed a window of zeros has num = sumT2, and its score is 1;
// a tile that has one is known by its largest root, and is no worse than 1. A template of zeros
// yields 0, which is no worse than the exact scores: a bound may be better than the score at the
// cost of time alone.
//
// blockIdx.z is the template (slot).
template <class Arith, class Columns> struct TilesOutput {
    using Sum = typename Arith::Sum;
    static constexpr bool FROM_PRODUCTS = true;
    const TensorTiles &tiles;
    typename Arith::Templ templ;
    // The largest keys of the thread's columns in the current tile. Whether a column is in the map
    // is asked once per tile.
    typename Arith::Key best[4];
    // The current tile, and its rows that are left.
    int32_t at, rows;
    // The largest root_word in the tile, columns and rows outside of the map included.
    int root;

    // x: the thread's first column; y: the block's first map row.
    __device__ TilesOutput(const Job &job, const TensorTiles &of, int x, int y)
        : tiles(of), templ(Arith::templ_of(job, of.rule[blockIdx.z])),
          at(y / of.rows * of.across + x / PEAK_COLUMNS), rows(of.rows)
    {
        forget();
    }
    __device__ __forceinline__ void forget()
    {
#pragma unroll
        for (int i = 0; i < 4; i++)
            best[i] = Arith::NO_KEY;
        root = 0;
    }
    __device__ __forceinline__ const uint32_t *sums(const Job &job) const
    {
        return job.all.sums + blockIdx.z * tiles.plane;
    }
    __device__ __forceinline__ void score_row(const Job &job, const Sum *s, const Sum *q,
                                              const uint32_t *product, int, bool inside)
    {
#pragma unroll
        for (int i = 0; i < 4; i++) {
            const typename Arith::Key key = Arith::bound_key_of(job, templ, s[i], q[i], product[i],
                                                                &root);
            if (inside)
                best[i] = larger_key(best[i], key);
        }
    }
    // At the end of a tile, the warp's maximum is stored. A warp's columns are those of one tile.
    template <int WORDS, class Products>
    __device__ __forceinline__ void end_batch(const Job &job, const StripPrefixes<WORDS> &,
                                              const Sum *, const Sum *, const Products &, int x,
                                              int, int left)
    {
        rows -= ROWS;
        if (rows > 0 && left > ROWS)
            return;
        const int32_t tile = at;
        at += tiles.across;
        rows = tiles.rows;
        typename Arith::Key all = Arith::NO_KEY;
#pragma unroll
        for (int i = 0; i < 4; i++)
            if (x + Columns::column(i) < job.all.width)
                all = larger_key(all, best[i]);
        all = best_key(all);
        const int largest = __reduce_max_sync(WARP_ALL, root);
        forget();
        if (threadIdx.x % WARP_LANES != 0 || x >= job.all.width)
            return;
        float score = Arith::bound_score_of(job, all, largest, tiles.rule[blockIdx.z]);
        tiles.best[static_cast<int64_t>(blockIdx.z) * tiles.count + tile] = peak_order(
            score, xncc_method_of_difference(job.all.method));
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
