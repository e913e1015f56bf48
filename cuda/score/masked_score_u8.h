// The last pass of the common joint match: ccoeff_normed, one channel of 8 bits, sums of 32 bits.
#ifndef XNCC_CUDA_SCORE_MASKED_SCORE_U8_H
#define XNCC_CUDA_SCORE_MASKED_SCORE_U8_H

#include <cuda_runtime.h>
#include <stdint.h>

namespace xncc {

struct MaskedScoreJob {
    // products of planes; nullptr where the sum is the same in every window, or is made here
    const uint32_t *N, *X, *S, *T, *Q[2], *T2[2]; // [1]: of the high bytes of squares
    int64_t pitch;                                // elements
    uint32_t n, sum, sum2; // of the template, for what is the same in every window
    uint32_t least;
    float undefined;
    // for windows that are summed here
    const unsigned char *values, *counts;
    int64_t plane_pitch;
    int32_t templ_width, templ_height;
    float *map;
    int64_t map_pitch; // elements
    int32_t width, height;
};

// A template with a mask: everything the image has a part in is a product. varies: pixels of the
// image need not count either.
cudaError_t launch_quick(const MaskedScoreJob &job, bool varies, cudaStream_t stream);

// A template of which all counts, up to XNCC_WINDOW_WIDTH wide: N, S and Q slide down with the
// windows.
cudaError_t launch_quick_windows(const MaskedScoreJob &job, cudaStream_t stream);

} // namespace xncc

#endif
