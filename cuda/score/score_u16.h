// Window sums and ccoeff_normed of 16-bit windows in one pass over the image and X.
#ifndef XNCC_CUDA_SCORE_SCORE_U16_H
#define XNCC_CUDA_SCORE_SCORE_U16_H

#include "cuda/score/score_u8.h"

namespace xncc {

cudaError_t score_u16_set_max_shared_memory();
cudaError_t score_u16_launch(const TensorScoreJob &job, int processors, cudaStream_t stream);

} // namespace xncc

#endif
