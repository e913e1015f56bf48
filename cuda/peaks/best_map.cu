// SPDX-License-Identifier: BSD-2-Clause
// Kernels that keep the best of several score maps (best_map.h).
//
// Thread mapping: a block of 256 threads covers 256 adjacent positions of a row. A block takes the
// rows blockIdx.y, blockIdx.y + gridDim.y, and so on. No shared memory.
#include "cuda/peaks/best_map.h"

namespace xncc {

namespace {

constexpr int COLUMNS = 256;

__global__ void clear_best(BestView b)
{
    const int32_t x = static_cast<int32_t>(blockIdx.x * COLUMNS + threadIdx.x);
    if (x >= b.width)
        return;
    for (int32_t y = static_cast<int32_t>(blockIdx.y); y < b.height;
         y += static_cast<int32_t>(gridDim.y)) {
        b.score[y * b.score_pitch + x] = NAN;
        b.index[y * b.index_pitch + x] = -1;
    }
}

__global__ void fold_map(BestView b, MapView m)
{
    const int32_t x = static_cast<int32_t>(blockIdx.x * COLUMNS + threadIdx.x);
    if (x >= b.width)
        return;
    for (int32_t y = static_cast<int32_t>(blockIdx.y); y < b.height;
         y += static_cast<int32_t>(gridDim.y)) {
        const float score = m.score[y * m.pitch + x];
        float *best = b.score + y * b.score_pitch + x;
        int32_t *index = b.index + y * b.index_pitch + x;
        if (xncc_best_takes(&m.fold, score, *best, *index)) {
            *best = score;
            *index = m.fold.index;
        }
    }
}

dim3 grid_of(const BestView &b)
{
    return rows_grid(b.width, b.height < UINT16_MAX ? b.height : UINT16_MAX, COLUMNS);
}

} // namespace

cudaError_t launch_clear_best(const BestView &best, cudaStream_t stream)
{
    clear_best<<<grid_of(best), COLUMNS, 0, stream>>>(best);
    return cudaGetLastError();
}

cudaError_t launch_fold_map(const BestView &best, const MapView &map, cudaStream_t stream)
{
    fold_map<<<grid_of(best), COLUMNS, 0, stream>>>(best, map);
    return cudaGetLastError();
}

} // namespace xncc
