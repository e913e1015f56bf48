// Peak search without a map: scores of the few tiles that matter are computed where they are
// needed, from X or from the pixels.
#ifndef XNCC_CUDA_PEAKS_COLLECT_H
#define XNCC_CUDA_PEAKS_COLLECT_H

#include "cuda/peaks/peak_search.h"

#include "math/score.h"

namespace xncc {

// 8-bit windows up to XNCC_WINDOW_WIDTH wide, whose sums fit 32 bits: the image, the first window
// at its first pixel, and X.
struct WindowScores {
    const unsigned char *data;
    int64_t pitch; // bytes
    int32_t last_column, last_row;
    int32_t window_width, window_height;
    xncc_method method;
    const uint32_t *products; // X of slot 0; pitch and plane are the search's. nullptr: there is
                              // none, and it is computed from
    const unsigned char *templ[PEAK_SLOTS]; // the templates
    int64_t templ_pitch;                    // bytes
    xncc_score_rule rule[PEAK_SLOTS];
};

// May templates of this size come without X?
bool windows_serve_pixels(int32_t width, int32_t height);

// Candidates of the listed tiles, like launch_peak_collect.
cudaError_t launch_window_collect(const PeakJob &job, const WindowScores &scores, int slots,
                                  cudaStream_t stream);

} // namespace xncc

#endif
