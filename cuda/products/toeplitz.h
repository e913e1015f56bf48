// Templates expanded to Toeplitz matrices for the integer tensor-core kernels.
#ifndef XNCC_CUDA_PRODUCTS_TOEPLITZ_H
#define XNCC_CUDA_PRODUCTS_TOEPLITZ_H

#include "cuda/planes/byte_plane.h"
#include "cuda/runtime/handles.h"

extern "C" {
#include "plan/cost_tensor.h"
}

namespace xncc {

// One block of template pixels to expand, for up to LAYOUT_SLOTS templates of the same size. The
// three tensor-core families have layouts of their own (toeplitz_build, mma_build, fused_build) but
// share these parameters.
struct ToeplitzJob {
    // Template pixels, row by row (mma_build and fused_build; one template).
    const unsigned char *pixels;
    // Pitch of the template rows in bytes.
    int64_t pitch;
    // Bytes per pixel, and the byte to expand (0: the low one).
    int32_t size, plane;
    // Template size in pixels.
    int32_t width, height;
    // Template pixel where the block begins.
    int32_t x, y;
    // How the template is cut into blocks; blocks.toeplitz is the size of one expanded block.
    xncc_tensor_blocks blocks;
    // The result for the first template, blocks.toeplitz bytes.
    unsigned char *toeplitz;
    // toeplitz_build only: the pixels of each template.
    const unsigned char *slot_pixels[LAYOUT_SLOTS];
    // toeplitz_build only: bytes from one template's result to the next one's.
    int64_t slot_toeplitz;
    // toeplitz_build only: number of templates, at least 1.
    int32_t slots;
};

// Expands the block of every slot for correlate_wgmma.cu (layout: toeplitz.cu). One thread per
// byte, 256 threads per block. Lets the next kernel on the stream begin at once (pdl.cuh).
cudaError_t toeplitz_build(const ToeplitzJob &job, cudaStream_t stream);

// *may: whether the device code in use supports programmatic dependent launch (pdl.cuh), so that
// kernels after toeplitz_build may be launched early.
cudaError_t toeplitz_may_use_pdl(bool *may);

} // namespace xncc

#endif
