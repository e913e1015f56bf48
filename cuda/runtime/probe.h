// Which devices there are, and why one is not usable.
#ifndef XNCC_CUDA_RUNTIME_PROBE_H
#define XNCC_CUDA_RUNTIME_PROBE_H

#include "cuda/runtime/handles.h"

namespace xncc {

// Says why the CUDA runtime has no usable device; nullptr when the code means something else.
const char *why_unusable(cudaError_t code);

// Success when this build has machine code for the current device.
cudaError_t find_device_code();

} // namespace xncc

#endif
