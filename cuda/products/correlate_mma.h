// X by the integer matrix products of compute capability 8.0 and later.
#ifndef XNCC_CUDA_PRODUCTS_CORRELATE_MMA_H
#define XNCC_CUDA_PRODUCTS_CORRELATE_MMA_H

#include "cuda/planes/byte_plane.h"
#include "cuda/products/toeplitz.h"

namespace xncc {

// One block of the template over a band, for devices of compute capability 8.0 and later.
struct MmaJob {
    TensorPlane image;
    const uint2 *toeplitz;
    uint32_t *sums;
    int64_t pitch;         // elements; a multiple of XNCC_TENSOR_COLUMNS
    int32_t width, height; // of the band
    int32_t x, y;          // of the block's first pixel in the template; x a multiple of 16
    int32_t add;
    xncc_tensor_blocks blocks;
};
cudaError_t mma_set_max_shared_memory(int most);
cudaError_t mma_build(const ToeplitzJob &job, cudaStream_t stream);
cudaError_t mma_launch(const MmaJob &job, cudaStream_t stream);

} // namespace xncc

#endif
