// SPDX-License-Identifier: BSD-2-Clause
// What the library loads at run time: cuFFT, and a function of the driver.
#include "pretend/state.h"

#include <string.h>

using namespace pretended;

namespace {

constexpr int FFT_FAILED = 6; // CUFFT_EXEC_FAILED

CUresult encode_tiled(...)
{
    return pretend_fails("cuTensorMapEncodeTiled", nullptr, PLACE) ? CUDA_ERROR_UNKNOWN
                                                                   : CUDA_SUCCESS;
}

void check_transform(int handle, const char *call)
{
    const Guard guard(state().lock);
    if (!state().transforms.count(handle))
        forbid(std::string(call) + " of a plan that does not exist");
}

int fft_made(int *handle)
{
    if (pretend_fails("cufftCreate", nullptr, PLACE))
        return FFT_FAILED;
    const Guard guard(state().lock);
    *handle = static_cast<int>(++state().made);
    state().transforms.insert(*handle);
    return 0;
}

int fft_planned(int handle, int, long long *, long long *, long long, long long, long long *,
                long long, long long, int, long long, size_t *bytes)
{
    check_transform(handle, "cufftMakePlanMany64");
    *bytes = 0;
    return pretend_fails("cufftMakePlanMany64", nullptr, PLACE) ? FFT_FAILED : 0;
}

int fft_destroyed(int handle)
{
    check_transform(handle, "cufftDestroy");
    const int result = pretend_fails("cufftDestroy", nullptr, PLACE) ? FFT_FAILED : 0;
    const Guard guard(state().lock);
    state().transforms.erase(handle);
    return result;
}

int fft_allocates(int handle, int)
{
    check_transform(handle, "cufftSetAutoAllocation");
    return pretend_fails("cufftSetAutoAllocation", nullptr, PLACE) ? FFT_FAILED : 0;
}

int fft_area(int handle, void *)
{
    check_transform(handle, "cufftSetWorkArea");
    return pretend_fails("cufftSetWorkArea", nullptr, PLACE) ? FFT_FAILED : 0;
}

int fft_stream(int handle, cudaStream_t)
{
    check_transform(handle, "cufftSetStream");
    return pretend_fails("cufftSetStream", nullptr, PLACE) ? FFT_FAILED : 0;
}

int fft_executed(int handle, double2 *, double2 *, int)
{
    check_transform(handle, "cufftExecZ2Z");
    return pretend_fails("cufftExecZ2Z", nullptr, PLACE) ? FFT_FAILED : 0;
}

const struct {
    const char *name;
    void *function;
} fft_functions[] = {
    { "cufftCreate", reinterpret_cast<void *>(fft_made) },
    { "cufftDestroy", reinterpret_cast<void *>(fft_destroyed) },
    { "cufftSetAutoAllocation", reinterpret_cast<void *>(fft_allocates) },
    { "cufftMakePlanMany64", reinterpret_cast<void *>(fft_planned) },
    { "cufftSetWorkArea", reinterpret_cast<void *>(fft_area) },
    { "cufftSetStream", reinterpret_cast<void *>(fft_stream) },
    { "cufftExecZ2Z", reinterpret_cast<void *>(fft_executed) },
};

} // namespace

extern "C" {

void *__wrap_dlopen(const char *name, int)
{
    return pretend_fails("dlopen", name, PLACE) ? nullptr : &state();
}

int __wrap_dlclose(void *)
{
    return 0;
}

void *__wrap_dlsym(void *, const char *name)
{
    if (pretend_fails("dlsym", name, PLACE))
        return nullptr;
    for (const auto &one : fft_functions)
        if (strcmp(one.name, name) == 0)
            return one.function;
    return nullptr;
}

cudaError_t cudaGetDriverEntryPointByVersion(const char *name, void **function, unsigned,
                                             unsigned long long,
                                             cudaDriverEntryPointQueryResult *result)
{
    if (FAILS(name))
        return failed(FAILED);
    *function = reinterpret_cast<void *>(encode_tiled);
    *result = cudaDriverEntryPointSuccess;
    return cudaSuccess;
}
}
