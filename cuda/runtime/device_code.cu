// Whether this build has machine code for the current device.
#include "cuda/runtime/probe.h"

namespace xncc {

namespace {

__global__ void probe_kernel()
{
}

} // namespace

cudaError_t find_device_code(int *arch)
{
    cudaFuncAttributes attributes = {};
    cudaError_t code = cudaFuncGetAttributes(&attributes, probe_kernel);
    *arch = 10 * attributes.ptxVersion;
    return code;
}

} // namespace xncc
