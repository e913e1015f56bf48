// SPDX-License-Identifier: BSD-2-Clause
// What a peak search without a score map needs for masked templates of one size: the terms of
// windows under their masks (window_terms.h; masked_terms.cu), and the collection pass
// (masked_collect.cu).
#ifndef XNCC_CUDA_SCORE_MASKED_COLLECT_H
#define XNCC_CUDA_SCORE_MASKED_COLLECT_H

#include "cuda/peaks/peak_search.h"
#include "cuda/score/masked_score_u8.h"
#include "cuda/score/window_terms.h"

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

// What the scores by ccoeff_normed are computed from.
struct MaskedWindows {
    MaskedScoreJob job;  // the method and its rule are read, and nothing else
    MaskWindows windows; // S and Q
    const uint32_t *X;   // of slot 0, with PeakJob's plane
    // Of each slot's template: its mask, sumT and sumT2.
    int32_t mask[PEAK_SLOTS];
    uint32_t sum[PEAK_SLOTS], sum2[PEAK_SLOTS];
};

// Does what launch_peak_collect does, without a map: search.map is nullptr.
cudaError_t launch_masked_collect(const PeakJob &search, const MaskedWindows &scores, int slots,
                                  cudaStream_t stream);

} // namespace xncc

#endif
