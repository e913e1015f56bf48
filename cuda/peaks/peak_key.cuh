// SPDX-License-Identifier: BSD-2-Clause
// Scores and candidates as integers whose order is the order of matches.
#ifndef XNCC_CUDA_PEAKS_PEAK_KEY_CUH
#define XNCC_CUDA_PEAKS_PEAK_KEY_CUH

#include "cuda/peaks/peak_search.h"
#include "cuda/runtime/map_job.h"
#include "cuda/runtime/warp.cuh"

namespace xncc {

// Maps a score to an integer: the better the score, the larger the integer. 0 stands for NaN. Both
// zeros have the same order. smallest: 1 if small scores are good.
__host__ __device__ inline uint32_t peak_order(float score, int32_t smallest)
{
    float v = (smallest ? -score : score) + 0.0f;
    if (v != v)
        return 0;
#ifdef __CUDA_ARCH__
    uint32_t bits = __float_as_uint(v);
#else
    union {
        float f;
        uint32_t u;
    } pun;
    pun.f = v;
    uint32_t bits = pun.u;
#endif
    return bits & 0x80000000u ? ~bits : bits | 0x80000000u;
}

// The key of a candidate at (x, y): the better candidate has the larger key. Of equal scores, the
// one that comes first in the map is better.
__device__ inline uint64_t peak_key(const PeakJob &job, uint32_t order, int32_t x, int32_t y)
{
    const uint32_t at = static_cast<uint32_t>(y) * static_cast<uint32_t>(job.width) +
                        static_cast<uint32_t>(x); // below 2^32 - 1
    return static_cast<uint64_t>(order) << 32 | (0xffffffffu - at);
}

// Raises the best score of a map element's tile, if tiles are asked for.
__device__ __forceinline__ void raise_tile(const MapTiles &tiles, int x, int y, float score)
{
    if (!tiles.best)
        return;
    const uint32_t order = peak_order(score * tiles.factor, 0);
    uint32_t *best = tiles.best + y / tiles.rows * tiles.across + x / PEAK_COLUMNS;
    if (order > *best) // few are the best so far
        atomicMax(best, order);
}

// The same for elements of one tile, by a warp: rows y .. y + ROWS - 1, and columns from the first
// lane's x on. best: the best of a lane's scores times the tiles' factor, or NaN.
template <int ROWS>
__device__ __forceinline__ void raise_tile_of_warp(const MapTiles &tiles, int x, int y, float best)
{
    static_assert(PEAK_COLUMNS % WARP_LANES == 0 && PEAK_ROWS / 2 % ROWS == 0, "of one tile");
    const uint32_t order = warp_max(peak_order(best, 0));
    if (threadIdx.x % WARP_LANES == 0 && order)
        atomicMax(tiles.best + y / tiles.rows * tiles.across + x / PEAK_COLUMNS, order);
}

// The sides on which an element has neighbours.
struct PeakSides {
    bool left, right, above, below;
};
// True if the element at `here` comes before each of its up to 8 neighbours in the order of
// matches: by score, then by row, then by column. pitch: elements per row. order: of the element
// itself, which is not NaN.
__device__ inline bool peak_leads(const float *here, int64_t pitch, uint32_t order,
                                  const PeakSides &sides, int32_t smallest)
{
    constexpr int AROUND = 9; // by rows; the element itself is the one in the middle
    float score[AROUND];      // all loads are in flight together
#pragma unroll
    for (int i = 0; i < AROUND; i++) {
        const int dx = i % 3 - 1, dy = i / 3 - 1;
        const bool there = (dx >= 0 || sides.left) && (dx <= 0 || sides.right) &&
                           (dy >= 0 || sides.above) && (dy <= 0 || sides.below);
        score[i] = there && i != AROUND / 2 ? here[dy * pitch + dx] : NAN;
    }
    bool leads = true;
#pragma unroll
    for (int i = 0; i < AROUND; i++) {
        const uint32_t other = peak_order(score[i], smallest);
        leads &= other < order || (i > AROUND / 2 && other == order);
    }
    return leads;
}

// Puts a candidate at its place in the slot's list, if there is room. Beyond PEAK_ROOM, candidates
// are counted only.
__device__ inline void peak_put(const PeakJob &job, int slot, uint32_t at, uint32_t order,
                                int32_t x, int32_t y)
{
    if (at < PEAK_ROOM)
        job.candidate[static_cast<size_t>(slot) * PEAK_ROOM + at] = peak_key(job, order, x, y);
}

} // namespace xncc

#endif
