// SPDX-License-Identifier: BSD-2-Clause
// Window sums and score in one pass over the image, for 8-bit windows up to XNCC_WINDOW_WIDTH = 128
// pixels wide whose sums fit 32 bits. All methods. Method and data mapping: window_score_u8.cu.
#ifndef XNCC_CUDA_SCORE_WINDOW_SCORE_U8_H
#define XNCC_CUDA_SCORE_WINDOW_SCORE_U8_H

#include "cuda/score/column_score.h"

namespace xncc {

// Scores of a band. X must be in job.map as uint32_t; each element is overwritten by its score.
// job.rows and job.sums are not used. The caller has checked xncc_cuda_is_one_pass().
// XNCC_COVERAGE is refused (cudaErrorInvalidValue).
cudaError_t launch_window_score(const ScoreJob &job, cudaStream_t stream);

} // namespace xncc

#endif
