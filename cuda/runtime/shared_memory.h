// The limit of dynamic shared memory of a kernel.
#ifndef XNCC_CUDA_RUNTIME_SHARED_MEMORY_H
#define XNCC_CUDA_RUNTIME_SHARED_MEMORY_H

#include "cuda/runtime/handles.h"

namespace xncc {

// Lets a block of a kernel have so much shared memory; nullptr: there is no such kernel.
template <class Kernel> cudaError_t set_max_shared_memory(Kernel *kernel, int most)
{
    return kernel ? cudaFuncSetAttribute(reinterpret_cast<const void *>(kernel),
                                         cudaFuncAttributeMaxDynamicSharedMemorySize, most)
                  : cudaErrorInvalidValue;
}

} // namespace xncc

#endif
