// SPDX-License-Identifier: BSD-2-Clause
// Scores of 8-bit pixels in one kernel, for small templates: the kernel `tensor-fused`. For
// compute capability 8.0 and later. Method and data mapping: fused_u8.cu.
#ifndef XNCC_CUDA_FUSED_FUSED_U8_H
#define XNCC_CUDA_FUSED_FUSED_U8_H

#include "cuda/products/toeplitz.h"
#include "cuda/score/score_u8.h"

namespace xncc {

// Sets the dynamic shared-memory limit of the kernels for this shape of template and method on the
// current device to `most` bytes. The last call holds for all plans, so pass the device's maximum.
cudaError_t fused_set_max_shared_memory(const TensorScoreJob &job, const xncc_tensor_blocks &blocks,
                                        int most);

// Lays planes of templates out as B fragments (`taps` below), blocks.toeplitz bytes each. Also
// serves fused_channels.h and fused_masked_u8.h.
cudaError_t fused_build(const ToeplitzJob &job, cudaStream_t stream);

// Scores of a band, as score_u8_launch, but X is computed in the kernel; job.sums is not read.
// processors: multiprocessors of the device.
cudaError_t fused_launch(const TensorScoreJob &job, const xncc_tensor_blocks &blocks,
                         const unsigned char *taps, int processors, cudaStream_t stream);

// The best score of each tile, as score_u8_tiles_launch, but X is computed in the kernel. taps:
// those of all slots, contiguous.
cudaError_t fused_tiles_launch(const TensorScoreJob &job, const TensorTiles &tiles,
                               const xncc_tensor_blocks &blocks, const unsigned char *taps,
                               int processors, cudaStream_t stream);

} // namespace xncc

#endif
