// SPDX-License-Identifier: BSD-2-Clause
// Floats and u32: the exact sums of all windows of a band, and the scores of those in doubt. For
// images that leave so many windows in doubt that one by one they would take long: where the
// numerator is exactly 0 everywhere, where windows are flat, or where some samples outweigh all
// others.
//
// Samples are integers times a power of two. Their sums are made modulo primes (residues.cuh), as
// many as their bits take: by transforms modulo the prime, which are exact. All sums are products
// of planes, those of plan/float_sums.h. Where the plane of the template is 1 everywhere, the sum
// is one of adjacent pixels, and takes no transform. docs/numerics.md says why they are.
#ifndef XNCC_CUDA_PRODUCTS_EXACT_SUMS_H
#define XNCC_CUDA_PRODUCTS_EXACT_SUMS_H

#include "cuda/planes/float_planes.h"
#include "cuda/runtime/map_job.h"

#include "math/general_score.h"

extern "C" {
#include "plan/cost_exact_cuda.h"
}

namespace xncc {

struct ExactJob {
    FloatImage image; // with its mask and no-data value
    TemplateView templ;
    const uint8_t *mask; // of the template, tightly packed; nullptr: all of its pixels count
    bool masked;         // a pixel of the template may not count
    int32_t channels;
    bool varies; // pixels of the image, or outside of it, may not count
    // The windows in doubt; hard: those that finer sums leave, or nullptr. If no more than `few`
    // are in doubt, nothing is done. If the band is settled, both become 0.
    uint32_t *doubts, *hard;
    uint32_t few;
    // Samples that are not finite: if there are more than XNCC_FLOAT_BAD, windows that hold one may
    // be in doubt, and nothing is done. nullptr: these windows have their scores or, if
    // `all_finite`, nothing is done where there is one.
    const uint32_t *bad;
    bool all_finite;
    ExactWork *work;
    xncc_method method;
    xncc_general_rule rule;
    int32_t width, height; // map elements of the band
    // Nanoseconds of a window by itself, and of one of so many that not rounding is what leaves
    // them in doubt.
    double alone_ns, hard_ns;
    float *map;
    int64_t map_pitch;
    MapTiles tiles; // raised by the scores
    // The rest is filled by launch_exact_sums.
    xncc_exact_blocks blocks;
    xncc_exact_buffers at;
    int32_t down, count; // blocks per column of blocks, and in the band
    unsigned char *memory;
};

// Replaces the XNCC_DOUBT of a band by the scores if that takes less time than one by one, unless
// the samples have too many bits.
// blocks: those that were decided, with `memory` of blocks.bytes.
cudaError_t launch_exact_sums(const ExactJob &job, const xncc_exact_blocks &blocks, void *memory,
                              int processors, cudaStream_t stream);

} // namespace xncc

#endif
