// SPDX-License-Identifier: BSD-2-Clause
// Scores of masked 8-bit matches in one kernel, for small templates (kernel `tensor-fused`).
// For compute capability 8.0 and later. Method and data mapping: fused_masked_u8.cu.
#ifndef XNCC_CUDA_FUSED_FUSED_MASKED_U8_H
#define XNCC_CUDA_FUSED_FUSED_MASKED_U8_H

#include "cuda/planes/byte_plane.h"
#include "cuda/runtime/handles.h"
#include "cuda/score/masked_score_u8.h"

extern "C" {
#include "plan/cost_tensor.h"
}

namespace xncc {

// The most image planes, and the most products.
constexpr int MASKED_PLANES = 4, MASKED_PRODUCTS = 8;

// A product: plane number of the image, plane number of the template.
struct MaskedProduct {
    int32_t plane, templ;
};

// The planes that the kernel multiplies.
struct MaskedPlanes {
    // The image's first byte plane, bytes from one plane to the next, and number of planes.
    TensorPlane image;
    int64_t plane;
    int32_t images;
    // The template's planes as fused_build laid them out, contiguous: bytes per plane, number of
    // planes.
    const uint4 *taps;
    int32_t templ_bytes, templs;
    // The products, in this order: X, S, high bytes of Q, low bytes of Q, and, where the image
    // varies, N, T, high bytes of T2, low bytes of T2. Those that the method does not need
    // have a plane below 0; ccoeff_normed needs all.
    MaskedProduct product[MASKED_PRODUCTS];
};

// Sets the kernels' dynamic shared-memory limit on the current device to `most` bytes. The last
// call holds for all plans, so pass the device's maximum.
cudaError_t masked_planes_set_max_shared_memory(const xncc_tensor_blocks &blocks,
                                                xncc_method method, bool varies, int most);

// Scores of a band. All sums are computed in the kernel: the planes of sums in `job` are not read.
// varies: pixels of the image may not count either, so N, T and T2 are products, too.
cudaError_t launch_masked_planes(const MaskedScoreJob &job, const MaskedPlanes &planes,
                                 const xncc_tensor_blocks &blocks, bool varies, int processors,
                                 cudaStream_t stream);

} // namespace xncc

#endif
