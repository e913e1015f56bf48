// SPDX-License-Identifier: BSD-2-Clause
// Floats, and u32 by kernels in double: settles the windows that the other kernels left in doubt
// (XNCC_DOUBT, math/near.h).
#ifndef XNCC_CUDA_DIRECT_SETTLE_H
#define XNCC_CUDA_DIRECT_SETTLE_H

#include "cuda/direct/general.h"
#include "cuda/planes/float_image.h"

namespace xncc {

// What is known of the windows in doubt, in device memory; all nullptr: nothing.
struct SettleList {
    const FloatDoubt *window; // windows that may be in doubt
    const uint32_t *count;    // of them, at most `room` of which are listed
    const uint32_t *doubts;   // if no more than `room`, there is no other in the map
    uint32_t room;
};

// Replaces every XNCC_DOUBT in the rectangle of the map by the score of math/exact_score.h.
// image.pixel is XNCC_F32, XNCC_F64 or XNCC_U32; the method is not XNCC_COVERAGE. processors: of
// the device.
cudaError_t launch_settle(const PixelsJob &job, const SettleList &list, int processors,
                          cudaStream_t stream);

} // namespace xncc

#endif
