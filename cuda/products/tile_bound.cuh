// Of a bank of templates, the best score of each tile of the search, from the registers that have X
// (correlate_wgmma.cu).
#ifndef XNCC_CUDA_PRODUCTS_TILE_BOUND_CUH
#define XNCC_CUDA_PRODUCTS_TILE_BOUND_CUH

#include "cuda/peaks/peak_key.cuh"
#include "cuda/products/correlate_wgmma.h"
#include "cuda/score/score_u8.h"
#include "cuda/score/window_terms.cuh"

namespace xncc {

// A warp's part of a tile of the products, some map rows at a time. It is as wide and as high as a
// tile of the search, or twice as high.
template <bool BOUNDS> struct Bounds {
    const TensorJob &job;
    int tile, warp, lane, column; // column: of the warp's part, the thread's first
    int best;                     // num y

    static_assert(PEAK_COLUMNS == XNCC_TENSOR_COLUMNS / 4 && PEAK_ROWS == XNCC_TENSOR_ROWS,
                  "a warp's part");

    // X of a thread: d[4 r ...] are columns c, c + 1, c + 64, c + 65 of row r.
    template <int COUNT> __device__ __forceinline__ void put(const uint32_t *d, int row)
    {
        if constexpr (!BOUNDS)
            return;
        const TileBound &of = job.bound;
        const int x = tile % job.tiles_across * XNCC_TENSOR_COLUMNS + warp * PEAK_COLUMNS,
                  y = tile / job.tiles_across * XNCC_TENSOR_ROWS + row;
        const uint4 *terms = reinterpret_cast<const uint4 *>(of.terms + y * job.pitch + x + column);
        const double sum = of.sum[blockIdx.y];
#pragma unroll
        for (int r = 0; r < COUNT; r++, terms += job.pitch / 2) {
            const uint4 near = __ldg(terms), far = __ldg(terms + 32);
            take(near.x, near.y, d[4 * r], sum);
            take(near.z, near.w, d[4 * r + 1], sum);
            take(far.x, far.y, d[4 * r + 2], sum);
            take(far.z, far.w, d[4 * r + 3], sum);
        }
        if ((row + COUNT) % of.rows == 0)
            store(x / PEAK_COLUMNS, y / of.rows);
    }

  private:
    __device__ __forceinline__ void take(uint32_t s, uint32_t root, uint32_t x, double of_template)
    {
        const double sum = __dadd_rn(__hiloint2double(LIFT_HIGH, static_cast<int>(s)), -LIFT);
        best = max(best, weigh(job.bound.n, job.bound.lowered, of_template, sum, x,
                               static_cast<int>(root)));
    }
    __device__ __forceinline__ void store(int across, int down)
    {
        const TileBound &of = job.bound;
        const int all = __reduce_max_sync(0xffffffffu, best), at = down * of.across + across;
        best = 0;
        if (lane == 0 && across < of.across && at < of.count)
            of.best[blockIdx.y * static_cast<int64_t>(of.count) + at] = peak_order(
                bound_score(all, of.unit[blockIdx.y]), 0);
    }
};

} // namespace xncc

#endif
