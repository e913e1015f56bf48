// SPDX-License-Identifier: BSD-2-Clause
// X by integer matrix products that every device of compute capability 8.0 and later has: the
// kernel `tensor-mma` (method and data mapping: correlate_mma.cu).
#ifndef XNCC_CUDA_PRODUCTS_CORRELATE_MMA_H
#define XNCC_CUDA_PRODUCTS_CORRELATE_MMA_H

#include "cuda/planes/byte_plane.h"
#include "cuda/products/toeplitz.h"

namespace xncc {

// One block of the template over a band of the map:
//
//     sums(x, y) (+)= the block's contribution to X
struct MmaJob {
    // A byte plane of the image under the band.
    TensorPlane image;
    // The block as mma_build laid it out.
    const uint2 *toeplitz;
    // Output, 32-bit sums. Whole tiles are written, so rows up to the next multiple of 32 must
    // exist (XNCC_TENSOR_SPARE_ROWS).
    uint32_t *sums;
    // Pitch of `sums` in elements; a multiple of XNCC_TENSOR_COLUMNS.
    int64_t pitch;
    // Size of the band in map elements.
    int32_t width, height;
    // Template pixel where the block begins; x is a multiple of 16.
    int32_t x, y;
    // 0: overwrite `sums`. 1: add to them.
    int32_t add;
    // The shape of the block (fit_mma in cost_tensor.c).
    xncc_tensor_blocks blocks;
};

// Sets the kernel's dynamic shared-memory limit on the current device to `most` bytes. The last
// call holds for all plans, so pass the device's maximum.
cudaError_t mma_set_max_shared_memory(int most);

// Lays a block of one template out for mma_launch, as B fragments.
cudaError_t mma_build(const ToeplitzJob &job, cudaStream_t stream);

// Launches one block of the template over the band.
cudaError_t mma_launch(const MmaJob &job, cudaStream_t stream);

} // namespace xncc

#endif
