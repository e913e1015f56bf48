// SPDX-License-Identifier: BSD-2-Clause
// Lists the CUDA devices and explains why a device cannot be used.
#include "cuda/runtime/probe.h"

#include <stdio.h>
#include <string.h>

namespace xncc {

const char *why_unusable(cudaError_t code)
{
    switch (code) {
    case cudaErrorInsufficientDriver: {
        int version = 0;
        const cudaError_t told = cudaDriverGetVersion(&version);
        forgive(told);
        if (told == cudaSuccess && version != 0)
            return "the NVIDIA driver is older than this build's CUDA runtime; update the driver";
        return "no NVIDIA driver is installed";
    }
    case cudaErrorStubLibrary: return "the NVIDIA driver library is a stub; install the driver";
    case cudaErrorNoDevice: return "the NVIDIA driver finds no device";
    case cudaErrorSystemDriverMismatch:
        return "the NVIDIA driver library and kernel module differ in version; restart the machine";
    case cudaErrorDevicesUnavailable:
        return "another process uses the device, which is in an exclusive mode, or the device is "
               "disabled";
    case cudaErrorNoKernelImageForDevice:
        return "this build has no code for the device's compute capability; rebuild with "
               "CMAKE_CUDA_ARCHITECTURES";
    case cudaErrorUnsupportedPtxVersion:
        return "the driver is too old for this build's PTX; update it or rebuild with "
               "CMAKE_CUDA_ARCHITECTURES";
    default: return nullptr;
    }
}

namespace {

// Writes the reason into a text of `size` bytes.
void explain(cudaError_t code, char *text, size_t size)
{
    const char *why = why_unusable(code);
    (void)cudaGetLastError();
    if (why)
        (void)snprintf(text, size, "%s", why);
    else
        (void)snprintf(text, size, "%s (%s)", cudaGetErrorString(code), cudaGetErrorName(code));
}

void describe_device(int device, xncc_device_info *info)
{
    cudaDeviceProp properties;
    info->index = device;
    cudaError_t code = cudaGetDeviceProperties(&properties, device);
    if (code == cudaSuccess) {
        info->major = properties.major;
        info->minor = properties.minor;
        info->processors = properties.multiProcessorCount;
        info->memory = static_cast<int64_t>(properties.totalGlobalMem);
        info->shared_memory = static_cast<int64_t>(properties.sharedMemPerBlock);
        info->shared_optin = static_cast<int64_t>(properties.sharedMemPerBlockOptin);
        info->constant_memory = static_cast<int64_t>(properties.totalConstMem);
        info->l2_cache = properties.l2CacheSize;
        info->registers_per_block = properties.regsPerBlock;
        info->registers_per_processor = properties.regsPerMultiprocessor;
        info->texture_width = properties.maxTexture2DLinear[0];
        info->texture_height = properties.maxTexture2DLinear[1];
        info->texture_pitch = properties.maxTexture2DLinear[2];
        (void)snprintf(info->name, sizeof info->name, "%.*s",
                       static_cast<int>(sizeof info->name - 1), properties.name);
        DeviceScope scope(device);
        int arch = 0;
        code = scope.result();
        if (code == cudaSuccess)
            code = find_device_code(&arch);
    }
    info->usable = code == cudaSuccess;
    if (code != cudaSuccess)
        explain(code, info->text, sizeof info->text);
}

} // namespace

size_t count_devices()
{
    int count = 0;
    const cudaError_t code = cudaGetDeviceCount(&count);
    (void)cudaGetLastError();
    return code == cudaSuccess && count > 0 ? static_cast<size_t>(count) : 1;
}

void describe(size_t number, xncc_device_info *info)
{
    int count = 0;
    cudaError_t code = cudaGetDeviceCount(&count);
    if (code == cudaSuccess && count == 0)
        code = cudaErrorNoDevice;
    info->device = XNCC_DEVICE_CUDA;
    info->index = -1;
    if (code == cudaSuccess)
        describe_device(static_cast<int>(number), info);
    else
        explain(code, info->text, sizeof info->text);
    (void)cudaGetLastError();
}

} // namespace xncc
