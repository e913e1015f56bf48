// SPDX-License-Identifier: BSD-2-Clause
// Convolution: the engine's operations for plans whose task is XNCC_TASK_CONVOLVE.
#ifndef XNCC_CUDA_ENGINE_CONVOLVE_PLAN_H
#define XNCC_CUDA_ENGINE_CONVOLVE_PLAN_H

#include "cuda/engine/engine_plan.h"

namespace xncc {

// Allocates the memory of a plan whose problem, decision and buffers are set.
xncc_status filter_bind(xncc_engine_plan *plan, xncc_error *error);

// Convolves the image. Waits if image or result is on the host.
xncc_status filter_convolve(xncc_engine_plan *plan, const xncc_image *image,
                            const xncc_filter *filter, const xncc_map *out, xncc_stream stream,
                            xncc_error *error);

} // namespace xncc

#endif
