// SPDX-License-Identifier: BSD-2-Clause
// Templates expanded to Toeplitz matrices for the integer tensor-core kernels.
#ifndef XNCC_CUDA_PRODUCTS_TOEPLITZ_H
#define XNCC_CUDA_PRODUCTS_TOEPLITZ_H

#include "cuda/planes/byte_plane.h"
#include "cuda/runtime/handles.h"

extern "C" {
#include "plan/cost_tensor.h"
}

namespace xncc {

// One block of byte planes of templates to expand. The three tensor-core families have layouts of
// their own (toeplitz_build, mma_build, fused_build) but share these parameters. mma_build
// expands one plane at a time.
struct ToeplitzJob {
    // The bytes of pixel (0, 0) of each plane; up to LAYOUT_SLOTS planes of the same size.
    const unsigned char *pixels[LAYOUT_SLOTS];
    // Number of planes, at least 1.
    int32_t slots;
    // Bytes per row of the template, and per pixel.
    int64_t pitch;
    int32_t step;
    // Template size in pixels.
    int32_t width, height;
    // Template pixel where the block begins.
    int32_t x, y;
    // How the template is cut into blocks; blocks.toeplitz is the size of one expanded block.
    xncc_tensor_blocks blocks;
    // The result for the first plane, blocks.toeplitz bytes, and bytes from one to the next.
    unsigned char *toeplitz;
    int64_t slot_toeplitz;
};

// Expands the block of every plane for correlate_wgmma.cu (layout: toeplitz.cu). One thread per
// byte, 256 threads per block. Lets the next kernel on the stream begin at once (pdl.cuh).
cudaError_t toeplitz_build(const ToeplitzJob &job, cudaStream_t stream);

// *may: whether the device code in use supports programmatic dependent launch (pdl.cuh), so that
// kernels after toeplitz_build may be launched early.
cudaError_t toeplitz_may_use_pdl(bool *may);

} // namespace xncc

#endif
