// Staging: copies the image pixels under a band to the plan's memory, in chunks if the image is on
// the host and large enough.
#ifndef XNCC_CUDA_ENGINE_STAGING_H
#define XNCC_CUDA_ENGINE_STAGING_H

#include "cuda/engine/call.h"

namespace xncc {

// Stages the band in column bx and row by of bands.
xncc_status stage_band(const Call &call, int32_t bx, int32_t by);

// Stages the band and computes X of all of its windows. With chunks, X is computed as soon as the
// rows it needs have arrived.
xncc_status stage_and_multiply(const Call &call, int32_t bx, int32_t by, const Target &target);

} // namespace xncc

#endif
