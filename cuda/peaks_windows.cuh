// Peak search without a map: where X of every window is at hand, scores of the few tiles that matter are computed where they are needed.
#ifndef CM_CUDA_PEAKS_WINDOWS_CUH
#define CM_CUDA_PEAKS_WINDOWS_CUH

#include "peaks.cuh"

#include "model/score.h"

namespace cm {

// 8-bit windows up to CM_WINDOW_WIDTH wide, whose sums fit 32 bits: the image, the first window at its first pixel, and X.
struct WindowScores {
    const unsigned char *data;
    int64_t pitch; // bytes
    int32_t last_column, last_row;
    int32_t window_width, window_height;
    cm_method method;
    const uint32_t *products; // of slot 0; pitch and plane are the search's
    cm_score_rule rule[PEAK_SLOTS];
};

// Candidates of the listed tiles, like launch_peak_collect.
cudaError_t launch_window_collect(const PeakJob &job, const WindowScores &scores, int slots, cudaStream_t stream);

} // namespace cm

#endif
