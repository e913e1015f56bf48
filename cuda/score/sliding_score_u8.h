// SPDX-License-Identifier: BSD-2-Clause
// Window sums that slide down byte planes of the image, for windows up to XNCC_WINDOW_WIDTH = 128
// pixels wide whose sums fit 32 bits: with the masked score in the same pass, or alone. Method and
// data mapping: sliding_score_u8.cu.
#ifndef XNCC_CUDA_SCORE_SLIDING_SCORE_U8_H
#define XNCC_CUDA_SCORE_SLIDING_SCORE_U8_H

#include "cuda/runtime/handles.h"
#include "cuda/score/masked_score_u8.h"

namespace xncc {

// Scores of a template of which all pixels count, on an image of which not all do: N, S and Q are
// summed from job.values and job.counts; X, T and T2 are products.
cudaError_t launch_masked_windows(const MaskedScoreJob &job, cudaStream_t stream);

// Sums of a byte plane over whole windows:
//
//     sums(x, y) (+)= sum over the window of v        squares(x, y) (+)= sum over the window of v^2
struct SlideJob {
    // The plane: (height + templ_height - 1) rows; pitch in bytes.
    const unsigned char *bytes;
    int64_t plane_pitch;
    // Size of a window in pixels.
    int32_t templ_width, templ_height;
    // Outputs; nullptr for one that is not wanted.
    uint32_t *sums, *squares;
    // 0: overwrite. 1: add.
    int32_t add_sums, add_squares;
    // Pitch of the outputs in elements.
    int64_t pitch;
    // Number of windows per row and of rows.
    int32_t width, height;
};

cudaError_t launch_slide(const SlideJob &job, cudaStream_t stream);

} // namespace xncc

#endif
