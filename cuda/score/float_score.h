// SPDX-License-Identifier: BSD-2-Clause
// The score of floats and u32 from X and the sums of columns, with bounds of all errors: the last
// step of kernels float-fft, float-split and float-tiles. Where the bounds leave two floats, the
// map gets XNCC_DOUBT (math/near.h), and the window is put on a list. Data mapping: float_score.cu.
#ifndef XNCC_CUDA_SCORE_FLOAT_SCORE_H
#define XNCC_CUDA_SCORE_FLOAT_SCORE_H

#include "cuda/planes/float_image.h"

namespace xncc {

struct FloatScoreJob {
    FloatConstants *constants; // and how many windows are on the list
    xncc_method method;
    int32_t width, height; // of the band, in map elements
    int32_t templ_width, templ_height;
    FloatColumns columns; // column_sums.h
    const double *sums;   // X
    int64_t sums_pitch;
    BlockBounds bounds; // of the errors of X
    float undefined;    // the score of a flat window by ccoeff_normed
    float *map;
    int64_t map_pitch;
    FloatDoubts doubts; // the list
};

// The method is not XNCC_COVERAGE.
cudaError_t launch_float_score(const FloatScoreJob &job, cudaStream_t stream);

// Kernel float-split, where many windows are in doubt: S and Q of each such window from the sums of
// its own columns, without subtractions, so that the bounds of their errors do not depend on other
// windows. Data mapping: level_score.cu.
struct LevelScoreJob {
    FloatScoreJob score; // bounds: per level, of the `blocks` blocks of the band
    double *sums;        // X
    FloatLevels *levels;
    BlockSizes *sizes; // per block
    int32_t blocks;
};

// Lets the windows in doubt wait for X (waiting_product), and tells the levels their sizes. Only if
// the constants say `again`, as the next one.
cudaError_t launch_window_sizes(const LevelScoreJob &job, cudaStream_t stream);

// Scores the windows in doubt whose X is there, and lists those that stay in doubt. Only if levels
// are made.
cudaError_t launch_level_score(const LevelScoreJob &job, cudaStream_t stream);

} // namespace xncc

#endif
