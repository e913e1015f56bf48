// Templates laid out for the integer matrix products.
#ifndef XNCC_CUDA_PRODUCTS_TOEPLITZ_H
#define XNCC_CUDA_PRODUCTS_TOEPLITZ_H

#include "cuda/planes/byte_plane.h"
#include "cuda/runtime/handles.h"

extern "C" {
#include "plan/cost_tensor.h"
}

namespace xncc {

// The template's block as the products read it.
struct ToeplitzJob {
    const unsigned char *pixels;
    int64_t pitch;
    int32_t size, plane;   // bytes of a pixel, and which of them
    int32_t width, height; // of the template
    int32_t x, y;          // of the block's first pixel
    xncc_tensor_blocks blocks;
    unsigned char *toeplitz;
    // of templates at once: their pixels, and bytes from one's blocks to the next one's
    const unsigned char *slot_pixels[LAYOUT_SLOTS];
    int64_t slot_toeplitz;
    int32_t slots;
};

// The layout of correlate_wgmma.h.
cudaError_t toeplitz_build(const ToeplitzJob &job, cudaStream_t stream);
// May kernels behind toeplitz_build be launched early (pdl.cuh)?
cudaError_t toeplitz_may_use_pdl(bool *may);

} // namespace xncc

#endif
