// Window sums that slide down the planes of bytes.
#ifndef XNCC_CUDA_SCORE_SLIDING_SCORE_U8_H
#define XNCC_CUDA_SCORE_SLIDING_SCORE_U8_H

#include "cuda/runtime/handles.h"

namespace xncc {

// Sums over whole windows, of the bytes of a plane and of their squares, that fit 32 bits; windows
// up to XNCC_WINDOW_WIDTH wide.
struct SlideJob {
    const unsigned char *bytes;
    int64_t plane_pitch;
    int32_t templ_width, templ_height;
    uint32_t *sums, *squares; // nullptr: not wanted
    int32_t add_sums, add_squares;
    int64_t pitch; // elements
    int32_t width, height;
};
cudaError_t launch_slide(const SlideJob &job, cudaStream_t stream);

} // namespace xncc

#endif
