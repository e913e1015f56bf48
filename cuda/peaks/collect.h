// SPDX-License-Identifier: BSD-2-Clause
// The collection pass of a peak search without a score map: the scores of the few listed tiles are
// computed where they are needed, from X or from the pixels.
#ifndef XNCC_CUDA_PEAKS_COLLECT_H
#define XNCC_CUDA_PEAKS_COLLECT_H

#include "cuda/peaks/peak_search.h"

#include "math/score.h"

namespace xncc {

// What the scores are computed from: 8-bit windows at most XNCC_WINDOW_WIDTH wide whose sums fit 32
// bits.
struct WindowScores {
    const unsigned char *data;           // the image; map element (0, 0) has its window here
    int64_t pitch;                       // bytes per row of the image
    uint32_t flip;                       // of the image: TensorPlane::flip
    int32_t last_column, last_row;       // of the image that may be read
    int32_t window_width, window_height; // pixels
    xncc_method method;
    uint64_t bias; // of the samples, if the method depends on it
    // X of slot 0, with PeakJob's pitch and plane. nullptr: X is computed from the pixels of the
    // templates, for which xncc_collect_words must be at most XNCC_COLLECT_WORDS.
    const uint32_t *products;
    const unsigned char *templ[PEAK_SLOTS]; // the pixels of each slot's template
    int64_t templ_pitch;                    // bytes per row of a template
    xncc_score_rule rule[PEAK_SLOTS];       // of each slot's template
};

// Does what launch_peak_collect does, without a map: job.map is nullptr.
cudaError_t launch_window_collect(const PeakJob &job, const WindowScores &scores, int slots,
                                  cudaStream_t stream);

// Finds the best match alone (job.top is 1) in place of launch_peak_select and
// launch_window_collect. The search is done afterwards: the best score of a map is a candidate
// whatever the distance between matches, so no list of candidates is needed, which could be too
// long.
cudaError_t launch_window_best(const PeakJob &job, const WindowScores &scores, int slots,
                               cudaStream_t stream);

} // namespace xncc

#endif
