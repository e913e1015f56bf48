// SPDX-License-Identifier: BSD-2-Clause
// The best score of each tile, found by the threads that write the map, so that a search need not
// read the map (peak_search.h).
#ifndef XNCC_CUDA_SCORE_TILE_MAX_CUH
#define XNCC_CUDA_SCORE_TILE_MAX_CUH

#include "cuda/peaks/peak_key.cuh"

namespace xncc {

// Of a warp whose threads have four columns each (Columns, strip_windows.cuh) and walk down
// together; its columns are those of one tile. A block's map rows begin and end with tiles. ON:
// false for a kernel that only writes the map: to ask at every row costs up to 5 percent there.
template <class Columns, bool ON = true> struct TileMax {
    // The best so far, negative if small scores are good: in the tile, and in the batch of map
    // rows. fmaxf takes the number if the other one is NaN, so NaN stands for none.
    float tile = NAN, batch = NAN;

    __device__ __forceinline__ static float signed_score(const MapTiles &to, float score)
    {
        return __uint_as_float(__float_as_uint(score) ^ to.sign);
    }
    // Adds a thread's scores of a map row; x: its first column; inside: the row is in the segment.
    __device__ __forceinline__ void add(const MapTiles &to, const float *score, int x, int width,
                                        bool inside)
    {
        if (!to.best || !inside)
            return;
        const bool whole = x + Columns::column(3) < width;
        if (__builtin_expect(whole, 1)) {
#pragma unroll
            for (int i = 0; i < 4; i++)
                batch = fmaxf(batch, signed_score(to, score[i]));
            return;
        }
#pragma unroll
        for (int i = 0; i < 3; i++)
            if (x + Columns::column(i) < width)
                batch = fmaxf(batch, signed_score(to, score[i]));
    }
    // Takes the batch's scores from the map instead, where some were computed again by this thread.
    // map: the thread's first column of the first row; rows: map rows left.
    __device__ __forceinline__ void read(const MapTiles &to, const float *map, int64_t pitch, int x,
                                         int width, int rows)
    {
        if (!to.best)
            return;
        batch = NAN;
#pragma unroll 1
        for (int r = 0; r < 4 && r < rows; r++, map += pitch)
#pragma unroll 1
            for (int i = 0; i < 4 && x + Columns::column(i) < width; i++)
                batch = fmaxf(batch, signed_score(to, map[Columns::column(i)]));
    }
    // Ends a batch of four map rows, and the tile with its last one. y: its first row; left: map
    // rows left in the segment.
    __device__ __forceinline__ void end_batch(const MapTiles &to, int x, int y, int width, int left)
    {
        if (!to.best)
            return;
        tile = fmaxf(tile, batch);
        batch = NAN;
        if ((y + 4) % to.rows != 0 && left > 4)
            return;
        const uint32_t all = __reduce_max_sync(0xffffffffu, peak_order(tile, 0));
        tile = NAN;
        if (threadIdx.x % 32 == 0 && x < width)
            to.best[y / to.rows * to.across + x / PEAK_COLUMNS] = all;
    }
};

// For kernels that only write the map: to ask at every row whether the best is wanted cost up to 5
// percent there.
template <class Columns> struct TileMax<Columns, false> {
    __device__ __forceinline__ void add(const MapTiles &, const float *, int, int, bool)
    {
    }
    __device__ __forceinline__ void read(const MapTiles &, const float *, int64_t, int, int, int)
    {
    }
    __device__ __forceinline__ void end_batch(const MapTiles &, int, int, int, int)
    {
    }
};

} // namespace xncc

#endif
