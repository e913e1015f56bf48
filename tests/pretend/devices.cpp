// SPDX-License-Identifier: BSD-2-Clause
// Devices, which are like an H200, and errors.
#include "pretend/state.h"

#include <stdio.h>
#include <string.h>

using namespace pretended;

extern "C" {

cudaError_t cudaGetDeviceCount(int *devices)
{
    if (FAILS(nullptr))
        return failed(FAILED);
    *devices = state().devices;
    return cudaSuccess;
}

cudaError_t cudaGetDevice(int *device)
{
    if (FAILS(nullptr))
        return failed(FAILED);
    *device = current;
    return cudaSuccess;
}

cudaError_t cudaSetDevice(int device)
{
    if (FAILS(device == state().only ? nullptr : "back"))
        return failed(FAILED);
    if (device < 0 || device >= state().devices)
        return failed(cudaErrorInvalidDevice);
    current = device;
    return cudaSuccess;
}

cudaError_t cudaDriverGetVersion(int *version)
{
    if (FAILS(nullptr))
        return failed(FAILED);
    *version = CUDART_VERSION;
    return cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp *p, int)
{
    if (FAILS(nullptr))
        return failed(FAILED);
    memset(p, 0, sizeof *p);
    (void)snprintf(p->name, sizeof p->name, "pretended");
    p->major = 9;
    p->multiProcessorCount = 132;
    p->totalGlobalMem = FREE_BYTES;
    p->sharedMemPerBlock = 49152;
    p->sharedMemPerBlockOptin = 232448;
    p->totalConstMem = 65536;
    p->l2CacheSize = 50 << 20;
    p->regsPerBlock = p->regsPerMultiprocessor = 65536;
    p->maxTexture2DLinear[0] = 131072;
    p->maxTexture2DLinear[1] = 65000;
    p->maxTexture2DLinear[2] = 2097120;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr name, int)
{
    if (FAILS(nullptr))
        return failed(FAILED);
    switch (name) {
    case cudaDevAttrComputeCapabilityMajor: *value = 9; break;
    case cudaDevAttrMultiProcessorCount: *value = 132; break;
    case cudaDevAttrSingleToDoublePrecisionPerfRatio: *value = 2; break;
    case cudaDevAttrMaxSharedMemoryPerBlock: *value = 49152; break;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin: *value = 232448; break;
    case cudaDevAttrMaxTexture2DLinearWidth: *value = 131072; break;
    case cudaDevAttrMaxTexture2DLinearHeight: *value = 65000; break;
    case cudaDevAttrMaxTexture2DLinearPitch: *value = 2097120; break;
    default: *value = 0; break;
    }
    return cudaSuccess;
}

cudaError_t cudaGetLastError(void)
{
    const cudaError_t code = last;
    last = cudaSuccess;
    return code;
}

const char *cudaGetErrorString(cudaError_t)
{
    return "pretended";
}

const char *cudaGetErrorName(cudaError_t code)
{
    return code == cudaErrorMemoryAllocation ? "cudaErrorMemoryAllocation"
           : code == cudaErrorUnknown        ? "cudaErrorUnknown"
                                             : "pretended";
}
}
