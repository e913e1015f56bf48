// SPDX-License-Identifier: BSD-2-Clause
// Floats and u32, one channel, all pixels count: the exact scores of the windows that sums in pairs
// of doubles leave in doubt, where long integers of a fixed size hold their sums.
#ifndef XNCC_CUDA_DIRECT_SETTLE_LONG_H
#define XNCC_CUDA_DIRECT_SETTLE_LONG_H

#include "cuda/direct/refine.h"

#include "math/general_score.h"

namespace xncc {

// Replaces the XNCC_DOUBT of the windows that launch_refine_hard left on the first list by their
// scores. The others, whose samples are too far from each other, are put on the list of hard ones.
// processors: of the device.
cudaError_t launch_settle_long(const RefineJob &job, const xncc_general_rule &rule, int processors,
                               cudaStream_t stream);

} // namespace xncc

#endif
