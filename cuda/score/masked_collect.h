// SPDX-License-Identifier: BSD-2-Clause
// The collection pass of a peak search without a score map for masked templates of one size.
#ifndef XNCC_CUDA_SCORE_MASKED_COLLECT_H
#define XNCC_CUDA_SCORE_MASKED_COLLECT_H

#include "cuda/peaks/peak_search.h"
#include "cuda/score/masked_score_u8.h"
#include "cuda/score/masked_terms.h"

namespace xncc {

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
