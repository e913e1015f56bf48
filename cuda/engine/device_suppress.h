// SPDX-License-Identifier: BSD-2-Clause
// The operations of a suppressor of candidates in device memory.
#ifndef XNCC_CUDA_ENGINE_DEVICE_SUPPRESS_H
#define XNCC_CUDA_ENGINE_DEVICE_SUPPRESS_H

#include "cuda/runtime/handles.h"

extern "C" {
#include "engine/batch_ops.h"
}

namespace xncc {

extern const xncc_suppress_ops suppress_operations;

} // namespace xncc

#endif
