// SPDX-License-Identifier: BSD-2-Clause
// The best score of each tile, found by the threads that write the map, so that a search need not
// read the map (peak_search.h).
#ifndef XNCC_CUDA_SCORE_TILE_MAX_CUH
#define XNCC_CUDA_SCORE_TILE_MAX_CUH

#include "cuda/peaks/peak_key.cuh"
#include "cuda/runtime/warp.cuh"

namespace xncc {

// Which tile a warp's columns are in as it walks down. A block's map rows begin and end with tiles.
struct TilePlace {
    int32_t at, rows; // the tile, and its rows that are left

    // x: the thread's first column; y: the block's first map row.
    __device__ __forceinline__ TilePlace(const MapTiles &to, int x, int y)
        : at(y / to.rows * to.across + x / PEAK_COLUMNS), rows(to.rows)
    {
    }
    // Ends four map rows. Returns whether the tile ends with them. left: map rows left in the
    // segment.
    __device__ __forceinline__ bool ends(int left)
    {
        rows -= 4;
        return rows <= 0 || left <= 4;
    }
    // Stores the best score of the warp's threads, and goes on to the next tile. inside: the warp's
    // first column is in the map.
    __device__ __forceinline__ void store(const MapTiles &to, float best, bool inside)
    {
        const uint32_t all = __reduce_max_sync(WARP_ALL, peak_order(best, 0));
        rows = to.rows;
        if (threadIdx.x % WARP_LANES == 0 && inside)
            to.best[at] = all;
        at += to.across;
    }
};

// The larger number; the number if the other one is NaN, so NaN stands for none. Written as fmaxf,
// the compiler merges it with the question whether the row counts, and makes two instructions of
// it.
__device__ __forceinline__ float larger(float a, float b)
{
    asm("max.f32 %0, %0, %1;" : "+f"(a) : "f"(b));
    return a;
}

// Of a warp whose threads have four columns each (Columns, strip_windows.cuh) and walk down
// together; its columns are those of one tile. ON: false for a kernel that only writes the map: to
// ask at every row costs up to 5 percent there.
template <class Columns, bool ON = true> struct TileMax {
    // What the scores of the thread's columns are multiplied by: MapTiles::factor, or NaN outside
    // the map.
    float factor[4];
    // The best so far, negative if small scores are good: in the tile, and in the batch of map
    // rows.
    float tile, batch;
    TilePlace place;

    // x: the thread's first column; y: the block's first map row.
    __device__ __forceinline__ TileMax(const MapTiles &to, int x, int y, int width)
        : tile(NAN), batch(NAN), place(to, x, y)
    {
#pragma unroll
        for (int i = 0; i < 4; i++) {
            factor[i] = x + Columns::column(i) < width ? to.factor : NAN;
            asm volatile("" : "+f"(factor[i])); // else the compiler makes it again in every row
        }
    }
    // Adds a thread's scores of a map row. inside: the row is in the segment.
    __device__ __forceinline__ void add(const float *score, bool inside)
    {
        if (!inside)
            return;
#pragma unroll
        for (int i = 0; i < 4; i++)
            batch = larger(batch, __fmul_rn(score[i], factor[i]));
    }
    // Takes the batch's scores from the map instead, where some were computed again by this thread.
    // map: the thread's first column of the first row; left: map rows left.
    __device__ __forceinline__ void read(const MapTiles &to, const float *map, int64_t pitch, int x,
                                         int width, int left)
    {
        batch = NAN;
#pragma unroll 1
        for (int r = 0; r < 4 && r < left; r++, map += pitch)
#pragma unroll 1
            for (int i = 0; i < 4 && x + Columns::column(i) < width; i++)
                batch = fmaxf(batch, __fmul_rn(map[Columns::column(i)], to.factor));
    }
    // Ends a batch of four map rows, and the tile with its last one. left: map rows left in the
    // segment.
    __device__ __forceinline__ void end_batch(const MapTiles &to, int x, int width, int left)
    {
        tile = larger(tile, batch);
        batch = NAN;
        if (!place.ends(left))
            return;
        place.store(to, tile, x < width);
        tile = NAN;
    }
};

// The same for kernels whose scores are final. It keeps the best score of each column, so that it
// is asked once per tile, and not at every row, whether a column is in the map. LARGEST: the
// method's large scores are good, so that MapTiles::factor is 1 and is left out.
template <class Columns, bool LARGEST> struct ColumnMax {
    const MapTiles &to;
    float best[4];
    TilePlace place;

    __device__ __forceinline__ ColumnMax(const MapTiles &of, int x, int y, int)
        : to(of), place(of, x, y)
    {
        forget();
    }
    __device__ __forceinline__ void forget()
    {
#pragma unroll
        for (int i = 0; i < 4; i++)
            best[i] = NAN;
    }
    __device__ __forceinline__ void add(const float *score, bool inside)
    {
#pragma unroll
        for (int i = 0; i < 4 && inside; i++)
            best[i] = larger(best[i], LARGEST ? score[i] : __fmul_rn(score[i], to.factor));
    }
    __device__ __forceinline__ void end_batch(const MapTiles &, int x, int width, int left)
    {
        if (!place.ends(left))
            return;
        float all = NAN;
#pragma unroll
        for (int i = 0; i < 4; i++)
            if (x + Columns::column(i) < width)
                all = larger(all, best[i]);
        place.store(to, all, x < width);
        forget();
    }
};

// For kernels that only write the map.
template <class Columns> struct TileMax<Columns, false> {
    __device__ __forceinline__ TileMax(const MapTiles &, int, int, int)
    {
    }
    __device__ __forceinline__ void add(const float *, bool)
    {
    }
    __device__ __forceinline__ void read(const MapTiles &, const float *, int64_t, int, int, int)
    {
    }
    __device__ __forceinline__ void end_batch(const MapTiles &, int, int, int)
    {
    }
};

} // namespace xncc

#endif
