// SPDX-License-Identifier: BSD-2-Clause
// Score pass of a general match of integers (masks, channels, all integer pixel types, all
// methods): from a window's sums, given as a list of terms, to its score. Method and data mapping:
// term_score.cu.
#ifndef XNCC_CUDA_SCORE_TERM_SCORE_H
#define XNCC_CUDA_SCORE_TERM_SCORE_H

#include "cuda/runtime/handles.h"
#include "cuda/runtime/map_job.h"
#include "math/general_score.h"

extern "C" {
#include "plan/general_planes.h"
}

namespace xncc {

// A term: 2^shift times plane `plane` of the sums is added to a sum (xncc_sum_id). The terms of a
// channel are adjacent in the list.
struct GeneralTerm {
    uint8_t sum, shift, plane;
    // In the last term of a channel, that channel's number plus 1; otherwise 0.
    uint8_t next;
};

struct GeneralScoreJob : MapJob {
    xncc_general_rule rule;
    xncc_method method;
    // Number of channels, and of terms.
    int32_t channels, count;
    GeneralTerm term[XNCC_GENERAL_TERMS];
    // Sums that are the same in every window: the number of pixels that count, sumT per channel,
    // and sumT2 over all channels. 0 for a sum that terms make.
    uint64_t n, T[XNCC_MAX_CHANNELS];
    xncc_u128 T2;
    // Planes of sums, uint32_t or (wide) uint64_t. Rows are padded to whole pairs.
    const void *sums;
    // Elements from row to row, and from plane to plane.
    int64_t pitch, plane;
    // wide: planes of 64 bits. narrow_score: everything that the formula computes fits 63 bits.
    int32_t wide, narrow_score;
};

// Scores of a band.
cudaError_t launch_general_score(const GeneralScoreJob &job, cudaStream_t stream);

} // namespace xncc

#endif
