// Window sums and ccoeff_normed of 8-bit windows in one pass over the image and X.
#ifndef XNCC_CUDA_SCORE_SCORE_U8_H
#define XNCC_CUDA_SCORE_SCORE_U8_H

#include "cuda/planes/byte_plane.h"
#include "cuda/score/window_terms.h"
#include "math/score.h"

extern "C" {
#include "plan/cost_tensor.h"
}

namespace xncc {

// Window sums and ccoeff_normed of windows up to XNCC_TENSOR_SCORE_WIDTH wide, of 16 bits
// XNCC_TENSOR_WIDTH. 16 bits: the planes of high bytes, and the other products of bytes, lie behind
// the first.
struct TensorScoreJob {
    TensorPlane image;
    int64_t plane;     // bytes
    int64_t sums_step; // elements
    xncc_score_rule rule;
    int32_t window_width, window_height;
    const uint32_t *sums; // X
    int64_t sums_pitch;
    float *map;
    int64_t map_pitch;
    int32_t width, height; // of the band
    const uint32_t *skip;  // nullptr, or a word on the device: where it is not 0 nothing is done
    bool fp64_is_slow;     // scores in pairs of floats
    bool pdl;              // pdl.cuh, where the kernel in front lets it
};
cudaError_t score_u8_launch(const TensorScoreJob &job, int processors, cudaStream_t stream);
// Of up to TENSOR_SLOTS templates on one image, all at once: the best score of each tile of the
// map, as peak_order and within BOUND_MARGIN, and at least that of 0. 8-bit pixels.
constexpr float BOUND_MARGIN = 1.0f / (1 << 18);
struct TensorTiles {
    uint32_t *best;       // of slot 0
    int32_t rows, across; // of a tile; tiles in a row
    int32_t count, slots;
    int32_t width, height; // of the map
    int64_t plane;         // elements of X from slot to slot
    bool fp64_is_slow;
    xncc_score_rule rule[TENSOR_SLOTS];
};
cudaError_t tensor_tiles_launch(const TensorScoreJob &job, const TensorTiles &tiles, int processors,
                                cudaStream_t stream);
// The windows' terms; rows as long as those of X.
cudaError_t tensor_terms_launch(const TensorScoreJob &job, WindowTerms *terms, int processors,
                                cudaStream_t stream);

} // namespace xncc

#endif
