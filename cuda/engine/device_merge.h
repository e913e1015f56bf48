// The operations of a merger of candidates in device memory.
#ifndef XNCC_CUDA_ENGINE_DEVICE_MERGE_H
#define XNCC_CUDA_ENGINE_DEVICE_MERGE_H

#include "cuda/runtime/handles.h"

extern "C" {
#include "engine/batch_ops.h"
}

namespace xncc {

extern const xncc_merge_ops merge_operations;

} // namespace xncc

#endif
