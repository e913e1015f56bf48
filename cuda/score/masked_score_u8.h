// SPDX-License-Identifier: BSD-2-Clause
// Score pass of masked 8-bit matches: one channel, all sums in 32 bits, templates with a mask,
// every method but coverage. Method and data mapping: masked_score_u8.cu.
#ifndef XNCC_CUDA_SCORE_MASKED_SCORE_U8_H
#define XNCC_CUDA_SCORE_MASKED_SCORE_U8_H

#include "cuda/runtime/handles.h"
#include "cuda/runtime/map_job.h"
#include "math/general_score.h"

#include <cuda_runtime.h>
#include <stdint.h>

namespace xncc {

// Parameters of the passes that score masked windows of 8-bit pixels: launch_masked_score here,
// launch_masked_windows (sliding_score_u8.h), which does not raise the tiles, and
// launch_masked_planes (fused_masked_u8.h).
struct MaskedScoreJob : MapJob {
    // Sums of every window as products of byte planes; Q and T2 are those of the low bytes of
    // squares [0] and of the high bytes [1]. nullptr for a sum that is the same in every window,
    // that the pass computes itself, or that the method does not need. Rows are padded to whole
    // vectors of 4.
    const uint32_t *N, *X, *S, *T, *Q[2], *T2[2];
    // Pitch of these in elements.
    int64_t pitch;
    // The template's own n, sumT and sumT2, for sums that are the same in every window.
    uint32_t n, sum, sum2;
    // The method, and what general_score.h needs to know.
    xncc_method method;
    xncc_general_rule rule;
    // launch_masked_windows: the image as planes of bytes, its pixels (0 where they do not count)
    // and 1 or 0 for whether they count; pitch in bytes.
    const unsigned char *values, *counts;
    int64_t plane_pitch;
    // Size of the template in pixels.
    int32_t templ_width, templ_height;
};

// Scores of a template with a mask, all sums that depend on the image being products. varies:
// pixels of the image may not count either, so N, T and T2 are products, too. Tiles that are asked
// for have been cleared.
cudaError_t launch_masked_score(const MaskedScoreJob &job, bool varies, cudaStream_t stream);

} // namespace xncc

#endif
