// Last pass: S and Q of every window, and with X they become the score. In general window rows'
// sums (row_sums.cuh) slide down into S and Q; for small windows of 8-bit pixels one pass does
// both.
#ifndef XNCC_CUDA_SCORE_COLUMN_SCORE_H
#define XNCC_CUDA_SCORE_COLUMN_SCORE_H

#include "cuda/planes/stage.h"

#include "math/float_float.h"

namespace xncc {

struct ScoreJob {
    xncc_score_rule
        rule; // a kernel's parameters lie in constant memory, so the template's sums do too
    xncc_method method;
    int32_t width, height; // of the band, in map elements
    int32_t size;          // rows of a window
    int32_t window_width;  // pixels a row of it
    StageView stage;
    const void *rows;   // RowSums<pixel>::Value, height + size - 1 rows
    int64_t rows_pitch; // elements
    const void
        *sums; // X: 64-bit integers or doubles; nullptr: 32-bit integers where the scores will be
    int64_t sums_pitch; // elements
    float *map;
    int64_t map_pitch; // elements
    bool fp64_is_slow; // integers: scores in pairs of floats
    xncc_float_float pair_unit;
};

// narrow: X, S and Q of every window fit 32 bits, and X lies in the map's own memory.
cudaError_t launch_score(xncc_pixel pixel, bool narrow, const ScoreJob &job, cudaStream_t stream);

// Sums and score in one pass over the image: narrow, and windows up to XNCC_WINDOW_WIDTH wide.
// job.rows is not used.
cudaError_t launch_one_pass(const ScoreJob &job, cudaStream_t stream);

} // namespace xncc

#endif
