// SPDX-License-Identifier: BSD-2-Clause
// Lists the CUDA devices and explains why a device cannot be used.
#ifndef XNCC_CUDA_RUNTIME_PROBE_H
#define XNCC_CUDA_RUNTIME_PROBE_H

#include "cuda/runtime/handles.h"

namespace xncc {

// Explains why the CUDA runtime has no usable device. Returns nullptr if the code has another
// meaning.
const char *why_unusable(cudaError_t code);

// cudaSuccess if the build has machine code, or PTX that the driver can compile, for the current
// device. *arch: what that code was compiled for, as __CUDA_ARCH__ (900 is 9.0).
cudaError_t find_device_code(int *arch);

// xncc_cuda_count and xncc_cuda_describe (cuda/engine/cuda_engine.h).
size_t count_devices();
void describe(size_t number, xncc_device_info *info);

} // namespace xncc

#endif
