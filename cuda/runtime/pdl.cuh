// Launches before the kernel in front has ended (programmatic dependent launch, compute
// capability 9.0), where both agree: the one in front lets the next begin, and the next waits
// before it reads what that one writes, and before it writes at all.
//
// A kernel in front that lets the next begin is itself launched when all before it has ended, or
// waits likewise. So what was there before that kernel may be read without waiting. A kernel that
// reads nothing of what the one in front writes may wait at its end alone, so that it ends after
// that one; what the one in front waited for before it let it begin is there.
#ifndef XNCC_CUDA_RUNTIME_PDL_CUH
#define XNCC_CUDA_RUNTIME_PDL_CUH

#include <cuda_runtime.h>

namespace xncc {

__device__ __forceinline__ void let_next_begin()
{
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.launch_dependents;");
#endif
}

// Until the kernels in front have ended and what they wrote can be seen.
__device__ __forceinline__ void wait_for_front()
{
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

// Whether `kernel`, and with it all that are compiled for the same targets, has these instructions
// as it runs here.
template <class Kernel> cudaError_t may_use_pdl(Kernel *kernel, bool *may)
{
    constexpr int FIRST = 90; // of compute capability 9.0
    cudaFuncAttributes of = {};
    cudaError_t code = cudaFuncGetAttributes(&of, kernel);
    *may = code == cudaSuccess && of.ptxVersion >= FIRST;
    return code;
}

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
