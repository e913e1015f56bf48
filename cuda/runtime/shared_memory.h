// SPDX-License-Identifier: BSD-2-Clause
// Raises the limit of the dynamic shared memory of kernels.
#ifndef XNCC_CUDA_RUNTIME_SHARED_MEMORY_H
#define XNCC_CUDA_RUNTIME_SHARED_MEMORY_H

#include "cuda/runtime/handles.h"

namespace xncc {

// Allows each block of the kernels to use up to `most` bytes of dynamic shared memory. The limit
// belongs to the kernel and the device, not to a plan: the last call holds for all plans, so pass
// all that the device allows. Fails if a kernel is nullptr, which means that no such variant was
// built.
template <class... Kernels> cudaError_t set_max_shared_memory(int most, Kernels *...kernels)
{
    cudaError_t code = cudaSuccess;
    const auto raise = [&](const void *kernel) {
        if (code == cudaSuccess)
            code = kernel ? cudaFuncSetAttribute(kernel,
                                                 cudaFuncAttributeMaxDynamicSharedMemorySize, most)
                          : cudaErrorInvalidValue;
    };
    (raise(reinterpret_cast<const void *>(kernels)), ...);
    return code;
}

} // namespace xncc

#endif
