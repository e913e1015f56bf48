// SPDX-License-Identifier: BSD-2-Clause
// Window sums and ccoeff_normed of 16-bit windows in one pass over the image and X. Method and data
// mapping: score_u16.cu.
#ifndef XNCC_CUDA_SCORE_SCORE_U16_H
#define XNCC_CUDA_SCORE_SCORE_U16_H

#include "cuda/score/score_u8.h"

namespace xncc {

// Sets the kernels' dynamic shared-memory limit on the current device to what they need, 61,696
// bytes. Call once before the first launch.
cudaError_t score_u16_set_max_shared_memory();

// Scores of a band: windows up to XNCC_TENSOR_WIDTH = 128 wide and up to 33,025 pixels. job.image
// and job.plane: the planes of low and of high bytes. job.sums: planes 0, 1 and 3 of products of
// bytes, job.sums_step apart: low * low, low * high + high * low, high * high. Compute
// capability 8.0.
cudaError_t score_u16_launch(const TensorScoreJob &job, int processors, cudaStream_t stream);

} // namespace xncc

#endif
