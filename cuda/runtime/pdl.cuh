// SPDX-License-Identifier: BSD-2-Clause
// Programmatic dependent launch (PDL): a kernel starts before the previous kernel on its stream has
// ended. It needs compute capability 9.0; on older devices the functions below do nothing.
//
// Both kernels must take part:
// - The earlier kernel calls let_next_begin().
// - The later kernel is launched with pdl = true. It calls wait_for_front() before it reads what
//   the earlier kernel writes, and before it writes memory that the earlier kernel may still use.
//
// What the later kernel may read without waiting:
// - if the earlier kernel was launched without PDL: whatever was complete before that kernel;
// - otherwise: whatever the earlier kernel waited for before its let_next_begin().
//
// A later kernel that uses nothing of the earlier kernel's output may call wait_for_front() at its
// end only, so that it does not end first.
#ifndef XNCC_CUDA_RUNTIME_PDL_CUH
#define XNCC_CUDA_RUNTIME_PDL_CUH

#include <cuda_runtime.h>

namespace xncc {

// Lets the next kernel on the stream start, once all blocks of this one have called it or ended.
__device__ __forceinline__ void let_next_begin()
{
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.launch_dependents;");
#endif
}

// Waits until the previous kernels on the stream have ended and their writes are visible.
__device__ __forceinline__ void wait_for_front()
{
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

// Sets *may to true if the code of `kernel` that runs on the current device contains the PDL
// instructions. The answer holds for all kernels that are built for the same targets.
template <class Kernel> cudaError_t may_use_pdl(Kernel *kernel, bool *may)
{
    constexpr int FIRST = 90; // compute capability 9.0
    cudaFuncAttributes of = {};
    cudaError_t code = cudaFuncGetAttributes(&of, kernel);
    *may = code == cudaSuccess && of.ptxVersion >= FIRST;
    return code;
}

// Launches kernel(job) with `threads` threads per block. pdl: the launch may begin early; pass the
// value that may_use_pdl gave, or false.
template <class Job>
cudaError_t launch(void (*kernel)(Job), dim3 grid, int threads, int shared_bytes,
                   cudaStream_t stream, bool pdl, const Job &job)
{
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = grid;
    config.blockDim = dim3(static_cast<unsigned>(threads));
    config.dynamicSmemBytes = static_cast<size_t>(shared_bytes);
    config.stream = stream;
    config.attrs = &attribute;
    config.numAttrs = pdl ? 1 : 0;
    return cudaLaunchKernelEx(&config, kernel, job);
}

} // namespace xncc

#endif
