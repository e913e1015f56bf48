// Kernel tensor: exact integer matrix products for X, and a pass of its own for window sums and score.
#ifndef CM_CUDA_TENSOR_CUH
#define CM_CUDA_TENSOR_CUH

#include "correlate.cuh"
#include "score.cuh"

#include <cuda.h>

extern "C" {
#include "plan/cost_tensor.h"
}

namespace cm {

// A byte plane: rows begin at multiples of 16 bytes, `width` bytes of them may be read, a multiple of 16.
struct TensorPlane {
    const unsigned char *data;
    int64_t pitch;
    int32_t width, height;
};

// One block of the template over a band: sums(x, y) = or += the block's share of X.
struct TensorJob {
    CUtensorMap image; // the plane, in 32-bit elements, boxes of a period
    const uint4 *toeplitz;
    uint32_t *sums;
    int64_t pitch; // elements; a multiple of CM_TENSOR_COLUMNS
    int32_t tiles_across, tiles;
    int32_t x, y; // of the block's first pixel in the template: 32-bit elements, rows
    int32_t add;
    uint32_t zero; // 0
    cm_tensor_blocks blocks;
};

// The template's block as the products read it.
struct ToeplitzJob {
    const unsigned char *pixels;
    int64_t pitch;
    int32_t size, plane;   // bytes of a pixel, and which of them
    int32_t width, height; // of the template
    int32_t x, y;          // of the block's first pixel
    cm_tensor_blocks blocks;
    unsigned char *toeplitz;
};

// For devices of compute capability 9.0 only. raise: lets a block have that much shared memory.
cudaError_t wgmma_raise(const cm_tensor_blocks &blocks, int bytes);
cudaError_t wgmma_launch(const TensorJob &job, int processors, cudaStream_t stream);

// Window sums and ccoeff_normed of 8-bit windows up to CM_TENSOR_WIDTH wide.
struct TensorScoreJob {
    TensorPlane image;
    cm_score_rule rule;
    int32_t window_width, window_height;
    const uint32_t *sums; // X
    int64_t sums_pitch;
    float *map;
    int64_t map_pitch;
    int32_t width, height; // of the band
};
cudaError_t tensor_score_launch(const TensorScoreJob &job, int processors, cudaStream_t stream);

// A plan's share.
class Tensor
{
public:
    cm_status make(const cm_problem &problem, const cm_decision &decision, int processors, cm_error *error);

    // The band of the image itself, where it can be read as it lies; data is null where it cannot.
    TensorPlane direct(const cm_image &image, const Axis &x, const Axis &y, int32_t band_x, int32_t band_y) const;

    // The staged band as a plane of the plan.
    cudaError_t copy(const StageView &stage, int32_t width, int32_t height, cudaStream_t stream);

    // X of a band into the plan's memory: 32 bits for pixels of 8 bits, and, all of it, for the four products of bytes.
    cm_status correlate(const Prepared &part, const TensorPlane &plane, int32_t width, int32_t height, cudaStream_t stream,
                        cm_error *error);

    // X of a band where the score of all kernels expects it.
    cm_status deliver(const CorrelateJob &job, const Prepared &part, cudaStream_t stream, cm_error *error);

    TensorPlane plane(int32_t width, int32_t height) const;
    TensorScoreJob score_job(const TensorPlane &image) const;
    int processors = 0;

private:
    cudaError_t build(const Prepared &part, cudaStream_t stream) const;
    cm_status multiply(const TensorPlane &plane, int image_byte, int part_byte, int32_t width, int32_t height,
                       cudaStream_t stream, cm_error *error) const;

    cm_problem problem = {};
    cm_tensor_blocks blocks = {};
    cm_tensor_parts parts = {};
    DeviceMemory planes, sums, toeplitz;
};

} // namespace cm

#endif
