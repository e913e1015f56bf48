// Whether this build has machine code for the current device.
#include "cuda/runtime/probe.h"

namespace xncc {

namespace {

__global__ void probe_kernel()
{
}

} // namespace

cudaError_t find_device_code()
{
    cudaFuncAttributes attributes;
    return cudaFuncGetAttributes(&attributes, probe_kernel);
}

} // namespace xncc
