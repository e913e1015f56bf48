// SPDX-License-Identifier: BSD-2-Clause
// What kernels that look at every pixel by itself are told of a band.
#ifndef XNCC_CUDA_ENGINE_PIXELS_JOB_H
#define XNCC_CUDA_ENGINE_PIXELS_JOB_H

#include "cuda/direct/general.h"
#include "cuda/engine/call.h"

namespace xncc {

// What the score takes from the template and the match rule.
xncc_general_rule general_rule_of(const Call &call);

// The windows of the band. The image is the call's or, if the plan stages bands, what is staged.
PixelsJob make_pixels_job(const Call &call, const Band &band, const Target &target);

} // namespace xncc

#endif
