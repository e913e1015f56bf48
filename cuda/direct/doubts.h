// SPDX-License-Identifier: BSD-2-Clause
// Floats and u32, one channel, all pixels count: whether the windows in doubt are many.
#ifndef XNCC_CUDA_DIRECT_DOUBTS_H
#define XNCC_CUDA_DIRECT_DOUBTS_H

#include "cuda/planes/float_image.h"

namespace xncc {

struct JudgeDoubtsJob {
    FloatConstants *constants;
    FloatLevels *levels;
    BlockSizes *sizes; // of so many blocks
    int32_t blocks;
    uint32_t most;
    bool centred; // the method
};

// If the windows in doubt are more than `most`, asks for their sums to be made again (`again` of
// the constants), forgets the outliers, chooses the pivot for that, and empties the levels and the
// sizes of blocks.
cudaError_t launch_judge_doubts(const JudgeDoubtsJob &job, cudaStream_t stream);

} // namespace xncc

#endif
