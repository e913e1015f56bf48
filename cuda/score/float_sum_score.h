// SPDX-License-Identifier: BSD-2-Clause
// The score of floats and u32 from maps of their sums, sums of columns and the template's integral
// images, with bounds of all errors (step float-sum-score). Where the bounds leave two floats, the
// map gets XNCC_DOUBT (math/near.h).
#ifndef XNCC_CUDA_SCORE_FLOAT_SUM_SCORE_H
#define XNCC_CUDA_SCORE_FLOAT_SUM_SCORE_H

#include "cuda/planes/float_planes.h"
#include "cuda/windows/column_sums.h"
#include "math/general_score.h"

namespace xncc {

struct FloatSumScoreJob {
    FloatTerms *terms;
    xncc_float_sums at;
    xncc_method method;
    xncc_general_rule rule;
    int32_t width, height; // of the band, in map elements
    int32_t templ_width, templ_height;
    const uint8_t *mask; // of the template, tightly packed; nullptr: all of its pixels count
    const double *sums;
    int64_t step, pitch; // elements: from one map of sums to the next, and of a row
    // The bounds of the errors: per sum, those of `blocks` blocks, of which (x / step_x, y /
    // step_y) has the window. And what is added to them: a bound relative to the norms of the
    // samples that a window and the template have.
    const double *error;
    int32_t blocks, step_x, step_y, across;
    double own;
    double root_whole;       // at least the root of the number of pixels of the template that count
    ColumnsOfPlanes columns; // at.windows
    // at.clips: the template's integral images; the size of the image, and the pixel of it where
    // the first window begins.
    const double *integrals;
    int64_t image_x, image_y;
    int32_t image_width, image_height;
    float *map;
    int64_t map_pitch;
    // The windows in doubt, and those that are left to the next step. They are one list unless X
    // is made again for the former.
    DoubtList doubts, hard;
};

// Lists the windows in doubt. The method is not XNCC_COVERAGE.
cudaError_t launch_float_sum_score(const FloatSumScoreJob &job, cudaStream_t stream);

// Scores the listed windows by an X that is made once more, with an error that is relative to the
// window's own samples (refine_sums.cu). Those that stay in doubt are hard; if the list had no room
// for all of them, all are.
cudaError_t launch_refine_sums(const FloatSumScoreJob &job, const FloatSource &of, int processors,
                               cudaStream_t stream);

// Windows with far samples become XNCC_DOUBT and hard, and those with bad ones NaN. Comes behind
// all that reads the list of windows in doubt.
cudaError_t launch_mark_left_out(const FloatSumScoreJob &job, cudaStream_t stream);

} // namespace xncc

#endif
