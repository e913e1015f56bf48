// ccoeff_normed of 8-bit pixels in one kernel.
#ifndef XNCC_CUDA_FUSED_FUSED_U8_H
#define XNCC_CUDA_FUSED_FUSED_U8_H

#include "cuda/products/toeplitz.h"
#include "cuda/score/score_u8.h"

namespace xncc {

// The same with X computed in place, from what fused_build made of the template; job.sums is not
// read. For devices of compute capability 8.0 and later.
cudaError_t fused_set_max_shared_memory(const xncc_tensor_blocks &blocks, int most);
cudaError_t fused_build(const ToeplitzJob &job, cudaStream_t stream);
cudaError_t fused_launch(const TensorScoreJob &job, const xncc_tensor_blocks &blocks,
                         const unsigned char *taps, int processors, cudaStream_t stream);
// The same with X computed in place, from what fused_build made of the templates, one behind the
// other.
cudaError_t fused_tiles_launch(const TensorScoreJob &job, const TensorTiles &tiles,
                               const xncc_tensor_blocks &blocks, const unsigned char *taps,
                               int processors, cudaStream_t stream);

} // namespace xncc

#endif
