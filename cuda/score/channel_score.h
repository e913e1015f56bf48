// SPDX-License-Identifier: BSD-2-Clause
// Window sums and scores of one to four channels in one pass over the image and X, for integer
// pixels of one or two bytes of which all count, by every method but coverage. Windows up to
// XNCC_TENSOR_WIDTH = 128 wide. For compute capability 8.0 and later. Method, data mapping and
// proofs: channel_score.cu.
#ifndef XNCC_CUDA_SCORE_CHANNEL_SCORE_H
#define XNCC_CUDA_SCORE_CHANNEL_SCORE_H

#include "cuda/peaks/peak_search.h"
#include "cuda/planes/byte_plane.h"
#include "cuda/runtime/map_job.h"
#include "math/general_score.h"

extern "C" {
#include "plan/cost_tensor.h"
}

namespace xncc {

// A plane of 32-bit partial sums. Times 2^shift it is added to X.
struct ProductTerm {
    int64_t offset; // elements from ChannelScoreJob::sums to the plane
    int32_t shift;  // 0 for one-byte pixels, at most 16 for two-byte pixels
};

// Sizes and sums are in the range of xncc_channel_scores.
struct ChannelScoreJob : MapJob {
    // The image under the band as byte planes, in the order of the channels; for two-byte pixels,
    // each channel's plane of low bytes before that of its high bytes. `image` is the first one,
    // and `plane` the distance from one plane to the next in bytes.
    TensorPlane image;
    int64_t plane;
    // Number of channels, and bytes per sample.
    int32_t channels, digits;
    // All sums are of biased samples: those of the template below and X, too.
    // The method, and what general_score.h needs to know. rule.whole: pixels of a window.
    xncc_method method;
    xncc_general_rule rule;
    // sumT of each channel, and sumT2 over all channels.
    uint64_t T[XNCC_CHANNEL_SCORE_CHANNELS], T2;
    // Size of a window in pixels.
    int32_t window_width, window_height;
    // X, summed over the channels: at least one term. The pitch in elements is a multiple of
    // XNCC_TENSOR_COLUMNS. Rows up to XNCC_TENSOR_SPARE_ROWS below the band are read and ignored.
    const uint32_t *sums;
    int64_t sums_pitch;
    int32_t terms;
    ProductTerm term[XNCC_CHANNEL_SCORE_TERMS];
    // nullptr, or a word in device memory: if it is not 0 the kernel does nothing.
    const uint32_t *skip;
};

// Sets the kernels' limit of dynamic shared memory on the current device; most: all that the device
// allows. Call once before the first launch.
cudaError_t channel_score_set_max_shared_memory(int most);

// Scores of a band. processors: multiprocessors of the device. shared_memory: the most that a block
// can have there, in bytes (sharedMemPerBlockOptin).
cudaError_t launch_channel_score(const ChannelScoreJob &job, int processors, int shared_memory,
                                 cudaStream_t stream);

} // namespace xncc

#endif
