// SPDX-License-Identifier: BSD-2-Clause
// X of windows in doubt once more, with an error that is relative to the window's own samples
// (step float-sum-score).
#ifndef XNCC_CUDA_SCORE_REFINE_SUMS_H
#define XNCC_CUDA_SCORE_REFINE_SUMS_H

#include "cuda/score/float_sum_score.h"

namespace xncc {

// Scores the windows that launch_float_sum_score has listed. Those that stay in doubt are hard; if
// the list had no room for all of them, all are.
cudaError_t launch_refine_sums(const FloatSumScoreJob &job, const FloatSource &of, int processors,
                               cudaStream_t stream);

} // namespace xncc

#endif
