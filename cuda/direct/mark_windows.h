// SPDX-License-Identifier: BSD-2-Clause
// Kernel `float-primes`: which windows of floats or u32 score NaN, since a sample is not finite.
// All others become XNCC_DOUBT (math/near.h), for the exact sums modulo primes.
#ifndef XNCC_CUDA_DIRECT_MARK_WINDOWS_H
#define XNCC_CUDA_DIRECT_MARK_WINDOWS_H

#include "cuda/direct/general.h"

namespace xncc {

struct MarkJob {
    PixelsJob of;      // one channel, all pixels count
    uint32_t *columns; // for of.rows rows of windows, a bit for each column of samples
    int32_t pitch;     // words per row
    uint32_t *bad;     // 0, or set if a sample of the template is not finite
};

// Fills the rectangle of the map. *of.in_doubt grows by the windows that become XNCC_DOUBT.
cudaError_t launch_mark_windows(const MarkJob &job, cudaStream_t stream);

} // namespace xncc

#endif
