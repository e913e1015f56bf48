// SPDX-License-Identifier: BSD-2-Clause
// Floats and u32, one channel, all pixels count: the exact sums of all windows of a band, and the
// scores of those in doubt. For images that leave so many windows in doubt that one by one they
// would take long: where the numerator is exactly 0 everywhere, where windows are flat, or where
// some samples outweigh all others.
//
// Samples are integers times a power of two. They are cut into slices, which are integers of few
// bits. The products of a slice of the image and one of the template come from transforms in
// double, whose error is below 0.45, so that they are exact once they are rounded. They
// are added up in long integers (math/long_integer.h). S and Q are sums of integers that slide down
// the columns. docs/numerics.md has the bound.
#ifndef XNCC_CUDA_PRODUCTS_EXACT_SUMS_H
#define XNCC_CUDA_PRODUCTS_EXACT_SUMS_H

#include "cuda/planes/float_image.h"

#include "math/general_score.h"

extern "C" {
#include "plan/cost_exact_cuda.h"
}

namespace xncc {

struct ExactJob {
    FloatImage image;
    TemplateView templ;
    FloatConstants *constants; // their counts of doubts, which become 0 if the band is settled
    xncc_method method;
    xncc_general_rule rule;
    int32_t width, height; // map elements of the band
    float *map;
    int64_t map_pitch;
    // The rest is filled by launch_exact_sums.
    xncc_exact_blocks blocks;
    xncc_exact_buffers at;
    int32_t across, count; // blocks per row of blocks, and in the band
    unsigned char *memory;
};

// Allows the kernel its shared memory on the current device.
cudaError_t exact_sums_set_max_shared_memory();

// Replaces the XNCC_DOUBT of a band by the scores if that takes less time than one by one, unless
// the samples have too many bits. blocks: those that were decided, with `memory` of blocks.bytes.
cudaError_t launch_exact_sums(const ExactJob &job, const xncc_exact_blocks &blocks, void *memory,
                              int processors, cudaStream_t stream);

} // namespace xncc

#endif
