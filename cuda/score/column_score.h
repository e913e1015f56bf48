// SPDX-License-Identifier: BSD-2-Clause
// Score pass of the general-purpose kernels: window rows' sums (row_sums.h) are added down the
// columns to S and Q of every window, which with X become the score. All pixel types and all
// methods. Method and data mapping: column_score.cu. For narrow 8-bit windows
// launch_window_score does both passes in one.
#ifndef XNCC_CUDA_SCORE_COLUMN_SCORE_H
#define XNCC_CUDA_SCORE_COLUMN_SCORE_H

#include "cuda/planes/stage.h"

#include "math/float_float.h"

namespace xncc {

// Parameters of launch_score and of launch_window_score.
struct ScoreJob {
    // The template's constants. Kernel parameters are in constant memory, and so are these.
    xncc_score_rule rule;
    xncc_method method;
    // Size of the band in map elements.
    int32_t width, height;
    // Rows of a window.
    int32_t size;
    // Columns of a window. launch_window_score only.
    int32_t window_width;
    // The image under the band. launch_window_score only.
    StageView stage;
    // S and Q of window rows (RowSumsJob::sums): height + size - 1 rows. launch_score only.
    const void *rows;
    // Pitch of `rows` in elements.
    int64_t rows_pitch;
    // X as uint64_t or, for f32, double. nullptr (narrow): X is in `map` as uint32_t, and each
    // element is overwritten by its score.
    const void *sums;
    // Pitch of `sums` in elements.
    int64_t sums_pitch;
    // Output: scores; pitch in elements.
    float *map;
    int64_t map_pitch;
    // Integer pixels: compute scores in pairs of floats (math/float_float.h).
    bool fp64_is_slow;
    // xncc_ff_unit() of the rule.
    xncc_float_float pair_unit;
};

// Scores of a band. narrow: 8-bit pixels, X, S and Q of every window fit 32 bits, and X is in the
// map's memory. XNCC_COVERAGE is refused (cudaErrorInvalidValue).
cudaError_t launch_score(xncc_pixel pixel, bool narrow, const ScoreJob &job, cudaStream_t stream);

// The same, with the window sums, in one pass over the image, for 8-bit windows up to
// XNCC_WINDOW_WIDTH = 128 pixels wide whose sums fit 32 bits (window_score_u8.cu). X must be in
// job.map as uint32_t. job.rows and job.sums are not used. The caller has checked
// xncc_cuda_is_one_pass().
cudaError_t launch_window_score(const ScoreJob &job, cudaStream_t stream);

} // namespace xncc

#endif
