// SPDX-License-Identifier: BSD-2-Clause
// Floats: settles the windows that the other kernels left in doubt (XNCC_DOUBT, math/near.h).
#ifndef XNCC_CUDA_DIRECT_SETTLE_H
#define XNCC_CUDA_DIRECT_SETTLE_H

#include "cuda/direct/general.h"

namespace xncc {

// Replaces every XNCC_DOUBT in the rectangle of the map by the score of math/exact_score.h.
// image.pixel is XNCC_F32 or XNCC_F64; the method is not XNCC_COVERAGE. Launches the kernel in
// several pieces if the rectangle has too many blocks.
cudaError_t launch_settle(const PixelsJob &job, cudaStream_t stream);

} // namespace xncc

#endif
