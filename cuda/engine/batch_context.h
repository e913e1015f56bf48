// SPDX-License-Identifier: BSD-2-Clause
// The operations on what the plans of a batch share.
#ifndef XNCC_CUDA_ENGINE_BATCH_CONTEXT_H
#define XNCC_CUDA_ENGINE_BATCH_CONTEXT_H

#include "cuda/runtime/handles.h"

extern "C" {
#include "engine/batch_ops.h"
}

namespace xncc {

extern const xncc_batch_ops batch_operations;

} // namespace xncc

#endif
