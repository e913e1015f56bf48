// SPDX-License-Identifier: BSD-2-Clause
// Checks whether this build has machine code for a device.
#ifndef XNCC_CUDA_RUNTIME_DEVICE_CODE_H
#define XNCC_CUDA_RUNTIME_DEVICE_CODE_H

#include <cuda_runtime.h>

namespace xncc {

// cudaSuccess if the build has machine code, or PTX that the driver can compile, for the current
// device. *arch: what that code was compiled for, as __CUDA_ARCH__ (900 is 9.0). why_unusable()
// explains the other codes.
cudaError_t find_device_code(int *arch);

} // namespace xncc

#endif
