// Which devices there are, and why one is not usable.
#ifndef XNCC_CUDA_RUNTIME_PROBE_H
#define XNCC_CUDA_RUNTIME_PROBE_H

#include "cuda/runtime/handles.h"

namespace xncc {

// Says why the CUDA runtime has no usable device; nullptr when the code means something else.
const char *why_unusable(cudaError_t code);

// Success when this build has machine code for the current device. *arch: what that code was
// compiled for, as __CUDA_ARCH__ (900 is 9.0).
cudaError_t find_device_code(int *arch);

} // namespace xncc

#endif
