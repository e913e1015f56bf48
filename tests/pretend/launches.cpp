// SPDX-License-Identifier: BSD-2-Clause
// Kernels: what the compiler's code registers and launches. At the end, a process appends to the
// file EXACTNCC_LAUNCHES a line `R NAME` per kernel instance that the program has, and `L NAME` per
// instance that it launched.
#include "pretend/state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

using namespace pretended;

namespace {

void report()
{
    const char *path = getenv("EXACTNCC_LAUNCHES");
    FILE *file = path ? fopen(path, "a") : nullptr;
    if (!file)
        return;
    std::string text;
    for (const auto &one : state().instance)
        text += "R " + one.second + "\n";
    for (const void *one : state().launched)
        text += "L " + state().instance[one] + "\n";
    (void)fwrite(text.data(), 1, text.size(), file);
    (void)fclose(file);
}

cudaError_t launch(const void *kernel, cudaStream_t stream, const void *place)
{
    const char *name;
    {
        const Guard guard(state().lock);
        name = state().instance[kernel].c_str();
    }
    if (pretend_fails("cudaLaunchKernel", name, place))
        return failed(FAILED);
    const Guard guard(state().lock);
    expect_device("cudaLaunchKernel");
    expect_here(stream_of(stream, "cudaLaunchKernel")->device, "cudaLaunchKernel");
    put_on(stream_of(stream, "cudaLaunchKernel"), false);
    state().launched.insert(kernel);
    return cudaSuccess;
}

struct Call {
    dim3 grid, block;
    size_t shared;
    cudaStream_t stream;
};
thread_local Call pending;

} // namespace

extern "C" {

void **__cudaRegisterFatBinary(void *)
{
    static const int once = atexit(report);
    static void *handle;
    (void)once;
    return &handle;
}

void __cudaRegisterFatBinaryEnd(void **)
{
}

void __cudaUnregisterFatBinary(void **)
{
}

char __cudaInitModule(void **)
{
    return 1;
}

void __cudaRegisterFunction(void **, const char *host, char *, const char *name, int, uint3 *,
                            uint3 *, dim3 *, dim3 *, int *)
{
    state().instance[host] = name;
}

void __cudaRegisterVar(void **, char *, char *, const char *, int, size_t, int, int)
{
}

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, void *stream)
{
    pending = { grid, block, shared, static_cast<cudaStream_t>(stream) };
    return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream)
{
    *grid = pending.grid;
    *block = pending.block;
    *shared = pending.shared;
    *static_cast<cudaStream_t *>(stream) = pending.stream;
    return cudaSuccess;
}

cudaError_t __cudaGetKernel(cudaKernel_t *kernel, const void *host)
{
    *kernel = static_cast<cudaKernel_t>(const_cast<void *>(host));
    return cudaSuccess;
}

cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3, dim3, void **, size_t,
                               cudaStream_t stream)
{
    return launch(kernel, stream, PLACE);
}

cudaError_t cudaLaunchKernel(const void *kernel, dim3, dim3, void **, size_t, cudaStream_t stream)
{
    return launch(kernel, stream, PLACE);
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *kernel, void **)
{
    return launch(kernel, config->stream, PLACE);
}

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *attributes, const void *)
{
    if (FAILS(nullptr))
        return failed(FAILED);
    memset(attributes, 0, sizeof *attributes);
    attributes->ptxVersion = attributes->binaryVersion = 90;
    attributes->maxThreadsPerBlock = 1024;
    return cudaSuccess;
}

cudaError_t cudaFuncSetAttribute(const void *, cudaFuncAttribute, int)
{
    return FAILS(nullptr) ? failed(FAILED) : cudaSuccess;
}

// A variable on the device is there as long as the process.
cudaError_t cudaGetSymbolAddress(void **address, const void *symbol)
{
    if (FAILS(nullptr))
        return failed(FAILED);
    const Guard guard(state().lock);
    void *&at = state().symbol[symbol];
    at = at ? at : reserve(65536);
    *address = at;
    return cudaSuccess;
}
}
