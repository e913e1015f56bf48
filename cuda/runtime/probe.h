// Lists the CUDA devices and explains why a device cannot be used.
#ifndef XNCC_CUDA_RUNTIME_PROBE_H
#define XNCC_CUDA_RUNTIME_PROBE_H

#include "cuda/runtime/handles.h"

namespace xncc {

// Explains why the CUDA runtime has no usable device. Returns nullptr if the code has another
// meaning.
const char *why_unusable(cudaError_t code);

// Describes the devices as xncc_cuda_describe (cuda/engine/cuda_engine.h) does.
size_t describe_devices(xncc_device_info *info, size_t capacity);

} // namespace xncc

#endif
