// The masked match of 8-bit pixels in one kernel.
#ifndef XNCC_CUDA_FUSED_FUSED_MASKED_U8_H
#define XNCC_CUDA_FUSED_FUSED_MASKED_U8_H

#include "cuda/planes/byte_plane.h"
#include "cuda/runtime/handles.h"
#include "cuda/score/masked_score_u8.h"

extern "C" {
#include "plan/cost_tensor.h"
}

namespace xncc {

// The same from the planes themselves, small templates on tensor cores (general_fused.cu): job's
// sums are not read. The products are, in order, of X, S, the high and the low bytes of Q, and,
// where the image varies, N, T, the high and the low bytes of T2.
constexpr int MASKED_PLANES = 4, MASKED_PRODUCTS = 8;
struct MaskedProduct {
    int32_t plane, templ; // of the image, of the template
};
struct MaskedPlanes {
    TensorPlane image; // the first of them
    int64_t plane;     // bytes from one to the next
    const uint4 *taps; // the template's planes as fused_build leaves them, one behind the other
    int32_t templ_bytes, templs;
    MaskedProduct product[MASKED_PRODUCTS];
};
cudaError_t masked_planes_set_max_shared_memory(const xncc_tensor_blocks &blocks, bool varies,
                                                int most);
cudaError_t launch_masked_planes(const MaskedScoreJob &job, const MaskedPlanes &planes,
                                 const xncc_tensor_blocks &blocks, bool varies, int processors,
                                 cudaStream_t stream);

} // namespace xncc

#endif
