// SPDX-License-Identifier: BSD-2-Clause
// Kernels that keep the best of several score maps at each position, for many templates on one
// image.
#ifndef XNCC_CUDA_PEAKS_BEST_MAP_H
#define XNCC_CUDA_PEAKS_BEST_MAP_H

#include "cuda/runtime/handles.h"

extern "C" {
#include "engine/batch_ops.h"
}

namespace xncc {

// A best map in device memory.
struct BestView {
    float *score;          // the best score at each position; NaN: none
    int32_t *index;        // which template has it; -1: none
    int64_t score_pitch;   // elements per row of score
    int64_t index_pitch;   // elements per row of index
    int32_t width, height; // positions
};

// One template's score map in device memory, as large as the view of the best that it is folded
// into.
struct MapView {
    const float *score;
    int64_t pitch;  // elements per row
    xncc_fold fold; // the template's index and the order of scores; its `map` is ignored
};

// Sets every position to "no score": NaN and -1.
cudaError_t launch_clear_best(const BestView &best, cudaStream_t stream);

// Replaces the best at each position where the map's score wins by xncc_best_takes.
cudaError_t launch_fold_map(const BestView &best, const MapView &map, cudaStream_t stream);

} // namespace xncc

#endif
