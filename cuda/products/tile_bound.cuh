// SPDX-License-Identifier: BSD-2-Clause
// Epilogue of correlate_wgmma.cu: the best score of each tile of the search, taken from the
// registers that hold X. Used when many templates are searched for on one image.
//
// The score is an approximation within BOUND_MARGIN (score_u8.h, tile_best.cuh has the bound);
// tiles that could hold a match are evaluated exactly afterwards.
#ifndef XNCC_CUDA_PRODUCTS_TILE_BOUND_CUH
#define XNCC_CUDA_PRODUCTS_TILE_BOUND_CUH

#include "cuda/peaks/peak_key.cuh"
#include "cuda/products/correlate_wgmma.h"
#include "cuda/runtime/warp.cuh"
#include "cuda/score/score_u8.h"
#include "cuda/score/window_terms.cuh"

namespace xncc {

// The running maximum of one warp over its part of a product tile, 128 columns wide. Its rows form
// one search tile of 16 rows, or two of 8 rows. Does nothing if BOUNDS is false.
template <bool BOUNDS> struct TileMaxima {
    const TensorJob &job;
    // Product tile, warp in the warpgroup, lane, and the thread's first column in the warp's part.
    int tile, warp, lane, column;
    // The largest bound_key() so far; at least 0.
    int best;

    static_assert(PEAK_COLUMNS == XNCC_TENSOR_COLUMNS / 4 && PEAK_ROWS == XNCC_TENSOR_ROWS,
                  "a warp covers a search tile");

    // Adds COUNT rows from `row` on. d[4 r ...] is the thread's X of columns c, c + 1, c + 64 and
    // c + 65 of row r. Stores the maximum when a search tile is complete.
    template <int COUNT> __device__ __forceinline__ void add_rows(const uint32_t *d, int row)
    {
        if constexpr (!BOUNDS)
            return;
        const TileBound &of = job.bound;
        const int x = tile % job.tiles_across * XNCC_TENSOR_COLUMNS + warp * PEAK_COLUMNS,
                  y = tile / job.tiles_across * XNCC_TENSOR_ROWS + row;
        const uint4 *terms = reinterpret_cast<const uint4 *>(of.terms[blockIdx.y] + y * job.pitch +
                                                             x + column);
        const Of templ = { of.n[blockIdx.y], -LIFT * of.n[blockIdx.y], of.sum[blockIdx.y] };
#pragma unroll
        for (int r = 0; r < COUNT; r++, terms += job.pitch / 2) {
            const uint4 near = __ldg(terms), far = __ldg(terms + 32);
            add_window(near.x, near.y, d[4 * r], templ);
            add_window(near.z, near.w, d[4 * r + 1], templ);
            add_window(far.x, far.y, d[4 * r + 2], templ);
            add_window(far.z, far.w, d[4 * r + 3], templ);
        }
        if ((row + COUNT) % of.rows == 0)
            store_best(x / PEAK_COLUMNS, y / of.rows);
    }

  private:
    // n of the slot's template, -n 2^52, and sumT.
    struct Of {
        double n, lowered, sum;
    };
    // Adds one window: s and root are its terms (WindowTerms), x its X.
    __device__ __forceinline__ void add_window(uint32_t s, uint32_t root, uint32_t x,
                                               const Of &templ)
    {
        const double sum = __dadd_rn(__hiloint2double(LIFTED_HIGH_WORD, static_cast<int>(s)),
                                     -LIFT);
        best = max(best,
                   bound_key(templ.n, templ.lowered, templ.sum, sum, x, static_cast<int>(root)));
    }
    // Stores the warp's maximum as the score of search tile (across, down) and starts anew.
    __device__ __forceinline__ void store_best(int across, int down)
    {
        const TileBound &of = job.bound;
        const int all = __reduce_max_sync(WARP_ALL, best), at = down * of.across + across;
        best = 0;
        if (lane == 0 && across < of.across && at < of.count)
            of.best[blockIdx.y * static_cast<int64_t>(of.count) + at] = peak_order(
                bound_score(all, of.unit[blockIdx.y]), 0);
    }
};

} // namespace xncc

#endif
