// SPDX-License-Identifier: BSD-2-Clause
// The terms of windows under masks of one size (window_terms.h), which all templates with a mask
// share. Method and data mapping: masked_terms.cu.
#ifndef XNCC_CUDA_SCORE_MASKED_TERMS_H
#define XNCC_CUDA_SCORE_MASKED_TERMS_H

#include "cuda/score/window_terms.h"

extern "C" {
#include "plan/search_cuda.h"
}

namespace xncc {

// The sums of the windows of an image under several masks.
struct MaskWindows {
    // Of mask 0: XNCC_MASK_SUMS planes of 32-bit sums, which are S, those of the low bytes of the
    // squares, and those of their high bytes.
    const uint32_t *sums;
    // Elements from one plane to the next, and from one mask to the next.
    int64_t plane, mask;
    // Elements per row; a multiple of XNCC_TENSOR_COLUMNS.
    int64_t pitch;
    // Size of the map.
    int32_t width, height;
    // Pixels of each mask.
    uint32_t n[XNCC_BATCH_MASKS];
};

// Where the terms of masks are written.
struct MaskTerms {
    // Of mask 0, in rows of MaskWindows::pitch elements; elements from one mask to the next.
    WindowTerms *terms;
    int64_t step;
    // The masks: 1 to XNCC_BATCH_MASKS of them.
    int32_t mask[XNCC_BATCH_MASKS];
    int32_t count;
};

// Writes the terms of whole tiles of the products: whole rows, and as many as the map has, rounded
// up to XNCC_TENSOR_ROWS.
cudaError_t launch_masked_terms(const MaskWindows &windows, const MaskTerms &to,
                                cudaStream_t stream);

} // namespace xncc

#endif
