// SPDX-License-Identifier: BSD-2-Clause
// Floats and u32 under small templates: the exact scores of windows in doubt, where there are many.
#ifndef XNCC_CUDA_DIRECT_SMALL_EXACT_H
#define XNCC_CUDA_DIRECT_SMALL_EXACT_H

#include "cuda/direct/general.h"
#include "cuda/planes/float_image.h"

namespace xncc {

// The most windows in doubt of a band that are better settled one by one; and the least threads of
// a tile with windows in doubt that are better settled together, where the others take a few
// nanoseconds by themselves, and where they take half a microsecond.
constexpr uint32_t SMALL_EXACT_FEW = 1 << 15;
constexpr int SMALL_EXACT_MANY = 40, SMALL_EXACT_SOME = 2;

// A list of the windows in doubt, in device memory, which is made again of those that are left.
struct DoubtsLeft {
    FloatDoubt *window; // nullptr: there is no list
    uint32_t room;
    uint32_t *doubts, *listed; // how many windows are in doubt, and how many are on the list
    uint32_t *left, *done;     // counters, 0 before and afterwards
};

// Allows the kernel its shared memory on the current device.
cudaError_t small_exact_set_max_shared_memory();

// Replaces XNCC_DOUBT by the scores in tiles where many windows are in doubt and samples are finite
// and of similar size: where `many` threads have some. Does nothing if *doubts, in device memory,
// is no more than `few`. The template has at most XNCC_FLOAT_FUSED_TEMPLATE columns and rows; the
// method is not XNCC_COVERAGE. processors: of the device.
cudaError_t launch_small_exact(const PixelsJob &job, const uint32_t *doubts, uint32_t few, int many,
                               const DoubtsLeft &left, int processors, cudaStream_t stream);

} // namespace xncc

#endif
