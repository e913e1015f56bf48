// SPDX-License-Identifier: BSD-2-Clause
// Kernel float-split, where many windows are in doubt: S and Q of each such window from the sums of
// its own columns, without subtractions, so that the bounds of their errors do not depend on other
// windows. Data mapping: level_score.cu.
#ifndef XNCC_CUDA_SCORE_LEVEL_SCORE_H
#define XNCC_CUDA_SCORE_LEVEL_SCORE_H

#include "cuda/score/float_score.h"

namespace xncc {

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
