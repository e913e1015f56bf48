// SPDX-License-Identifier: BSD-2-Clause
// The operations on what the plans of a batch share, and those of a suppressor of candidates in
// device memory (device_suppress.cpp).
#ifndef XNCC_CUDA_ENGINE_BATCH_CONTEXT_H
#define XNCC_CUDA_ENGINE_BATCH_CONTEXT_H

#include "cuda/runtime/handles.h"

extern "C" {
#include "engine/batch_ops.h"
}

namespace xncc {

extern const xncc_batch_ops batch_operations;
extern const xncc_suppress_ops suppress_operations;

struct Engine;

// The engine of a batch.
Engine *engine_behind(const xncc_batch_context *context);

// Gives a plan, whose decision is set, the memory and the event of the batch for as long as it is
// bound. No other plan has them. Enqueues what clears the memory on the stream of the batch.
xncc_status lend_memory(xncc_batch_context *context, xncc_engine_plan *plan, xncc_error *error);

} // namespace xncc

#endif
