// SPDX-License-Identifier: BSD-2-Clause
// Floats and u32, one channel, all pixels count: the list of the windows in doubt.
#ifndef XNCC_CUDA_DIRECT_DOUBTS_H
#define XNCC_CUDA_DIRECT_DOUBTS_H

#include "cuda/planes/float_image.h"

namespace xncc {

struct ListDoubtsJob {
    const float *map; // of the band
    int64_t map_pitch;
    int32_t width, height;
    FloatConstants *constants; // how many windows are on the lists
    FloatDoubts doubts;
};

// Puts the XNCC_DOUBT of the map on the first list, neighbours side by side. The scores of
// float-split list them themselves (FloatScoreJob::doubts).
cudaError_t launch_list_doubts(const ListDoubtsJob &job, cudaStream_t stream);

struct JudgeDoubtsJob {
    FloatConstants *constants;
    FloatLevels *levels;
    uint32_t most;
    bool centred; // the method
};

// If the windows in doubt are more than `most`, asks for their sums to be made again (`again` of
// the constants), forgets them and the outliers, chooses the pivot for that, and empties the
// levels.
cudaError_t launch_judge_doubts(const JudgeDoubtsJob &job, cudaStream_t stream);

} // namespace xncc

#endif
