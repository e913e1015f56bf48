// SPDX-License-Identifier: BSD-2-Clause
// The steps of kernels general and float-primes, and floats and u32 that other kernels leave in
// doubt.
#ifndef XNCC_CUDA_ENGINE_GENERAL_PASS_H
#define XNCC_CUDA_ENGINE_GENERAL_PASS_H

#include "cuda/engine/call.h"

namespace xncc {

// Prepares the kernels of a plan.
cudaError_t general_bind(const xncc_engine_plan *plan);

// Scores a band. Floats and u32: the map may hold XNCC_DOUBT afterwards.
xncc_status match_pixels(const Call &call, const Band &band, const Target &target);

// The step of kernel float-primes: windows with a sample that is not finite score NaN, and all
// others are XNCC_DOUBT.
xncc_status score_by_primes(const Call &call, const Band &band, const Target &target);

// Replaces every XNCC_DOUBT of a band.
xncc_status settle_band(const Call &call, const Band &band, const Target &target);

} // namespace xncc

#endif
