// SPDX-License-Identifier: BSD-2-Clause
// Raises the limit of a kernel's dynamic shared memory.
#ifndef XNCC_CUDA_RUNTIME_SHARED_MEMORY_H
#define XNCC_CUDA_RUNTIME_SHARED_MEMORY_H

#include "cuda/runtime/handles.h"

namespace xncc {

// Allows each block of a kernel to use up to `most` bytes of dynamic shared memory. The limit
// belongs to the kernel and the device, not to a plan: the last call holds for all plans, so pass
// all that the device allows. Fails if `kernel` is nullptr, which means that no such variant was
// built.
template <class Kernel> cudaError_t set_max_shared_memory(Kernel *kernel, int most)
{
    return kernel ? cudaFuncSetAttribute(reinterpret_cast<const void *>(kernel),
                                         cudaFuncAttributeMaxDynamicSharedMemorySize, most)
                  : cudaErrorInvalidValue;
}

} // namespace xncc

#endif
