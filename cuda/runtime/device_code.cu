// SPDX-License-Identifier: BSD-2-Clause
// An empty kernel whose attributes show whether the build has code for the current device. All
// kernels are built for the same architectures, except those of products/correlate_wgmma.cu.
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
