// SPDX-License-Identifier: BSD-2-Clause
// A CUDA runtime without a device (EXACTNCC_PRETEND_GPU). It answers like an H200: device memory is
// host memory, copies happen at once, and kernels are counted, not run. So all results are wrong,
// and what is right is which kernels a test would launch.
//
// At the end, a process appends to the file EXACTNCC_LAUNCHES a line `R NAME` per kernel instance
// that the program has, and `L NAME` per instance that it launched.
#include <cuda.h>
#include <cuda_runtime_api.h>

#include <map>
#include <mutex>
#include <set>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <string>
#include <sys/mman.h>

namespace {

constexpr size_t FREE_BYTES = size_t(64) << 30;

// What static constructors of the library fill, before main.
struct Kernels {
    std::mutex lock;
    std::map<const void *, std::string> instance;
    std::set<const void *> launched;
    std::map<void *, size_t> memory;
};

Kernels &kernels()
{
    static Kernels *all = new Kernels; // never destroyed: used after main
    return *all;
}

void report()
{
    const char *path = getenv("EXACTNCC_LAUNCHES");
    FILE *file = path ? fopen(path, "a") : nullptr;
    if (!file)
        return;
    std::string text;
    for (const auto &one : kernels().instance)
        text += "R " + one.second + "\n";
    for (const void *one : kernels().launched)
        text += "L " + kernels().instance[one] + "\n";
    (void)fwrite(text.data(), 1, text.size(), file);
    (void)fclose(file);
}

cudaError_t count(const void *kernel)
{
    const std::lock_guard<std::mutex> guard(kernels().lock);
    kernels().launched.insert(kernel);
    return cudaSuccess;
}

// Reserves address space only, so that large workspaces cost what is touched.
cudaError_t take(void **memory, size_t bytes)
{
    const size_t rounded = (bytes + 4095) / 4096 * 4096;
    void *made = mmap(nullptr, rounded, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (bytes > FREE_BYTES || made == MAP_FAILED)
        return cudaErrorMemoryAllocation;
    const std::lock_guard<std::mutex> guard(kernels().lock);
    kernels().memory[made] = rounded;
    *memory = made;
    return cudaSuccess;
}

cudaError_t give_back(void *memory)
{
    const std::lock_guard<std::mutex> guard(kernels().lock);
    const auto found = kernels().memory.find(memory);
    if (found != kernels().memory.end()) {
        (void)munmap(found->first, found->second);
        kernels().memory.erase(found);
    }
    return cudaSuccess;
}

cudaError_t copy_rows(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t bytes,
                      size_t rows)
{
    for (size_t y = 0; y < rows; y++)
        memmove(static_cast<char *>(to) + y * to_pitch,
                static_cast<const char *>(from) + y * from_pitch, bytes);
    return cudaSuccess;
}

struct Call {
    dim3 grid, block;
    size_t shared;
    cudaStream_t stream;
};
thread_local Call pending;

CUresult encode_tiled(...)
{
    return CUDA_SUCCESS;
}

// A stream is a block of this type; the default stream is NULL.
struct Stream {
    bool captures;
};

Stream *stream_of(cudaStream_t stream)
{
    return reinterpret_cast<Stream *>(stream);
}

// ---- cuFFT, which the library loads at run time ----

int fft_made(int *handle)
{
    *handle = 1;
    return 0;
}

int fft_planned(int, int, long long *, long long *, long long, long long, long long *, long long,
                long long, int, long long, size_t *bytes)
{
    *bytes = 0;
    return 0;
}

int fft_done(...)
{
    return 0;
}

} // namespace

extern "C" {

void *__wrap_dlopen(const char *, int)
{
    return &kernels();
}

int __wrap_dlclose(void *)
{
    return 0;
}

void *__wrap_dlsym(void *, const char *name)
{
    if (strcmp(name, "cufftCreate") == 0)
        return reinterpret_cast<void *>(fft_made);
    if (strcmp(name, "cufftMakePlanMany64") == 0)
        return reinterpret_cast<void *>(fft_planned);
    return reinterpret_cast<void *>(fft_done);
}

// Tests that stop at a failure go on.
long __wrap_kit_failures(void)
{
    return 0;
}

// ---- what the compiler's code calls ----

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
    kernels().instance[host] = name;
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

cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3, dim3, void **, size_t, cudaStream_t)
{
    return count(kernel);
}

cudaError_t cudaLaunchKernel(const void *kernel, dim3, dim3, void **, size_t, cudaStream_t)
{
    return count(kernel);
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *, const void *kernel, void **)
{
    return count(kernel);
}

// ---- devices ----

cudaError_t cudaGetDeviceCount(int *devices)
{
    *devices = 1;
    return cudaSuccess;
}

cudaError_t cudaGetDevice(int *device)
{
    *device = 0;
    return cudaSuccess;
}

cudaError_t cudaSetDevice(int)
{
    return cudaSuccess;
}

cudaError_t cudaDriverGetVersion(int *version)
{
    *version = CUDART_VERSION;
    return cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp *p, int)
{
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

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *attributes, const void *)
{
    memset(attributes, 0, sizeof *attributes);
    attributes->ptxVersion = attributes->binaryVersion = 90;
    attributes->maxThreadsPerBlock = 1024;
    return cudaSuccess;
}

cudaError_t cudaFuncSetAttribute(const void *, cudaFuncAttribute, int)
{
    return cudaSuccess;
}

cudaError_t cudaGetSymbolAddress(void **address, const void *)
{
    return take(address, 65536);
}

cudaError_t cudaGetDriverEntryPointByVersion(const char *, void **function, unsigned,
                                             unsigned long long,
                                             cudaDriverEntryPointQueryResult *result)
{
    *function = reinterpret_cast<void *>(encode_tiled);
    *result = cudaDriverEntryPointSuccess;
    return cudaSuccess;
}

cudaError_t cudaGetLastError(void)
{
    return cudaSuccess;
}

const char *cudaGetErrorString(cudaError_t)
{
    return "pretended";
}

const char *cudaGetErrorName(cudaError_t)
{
    return "pretended";
}

cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, cudaChannelFormatKind kind)
{
    return { x, y, z, w, kind };
}

// ---- memory ----

cudaError_t cudaMalloc(void **memory, size_t bytes)
{
    return take(memory, bytes);
}

cudaError_t cudaFree(void *memory)
{
    return give_back(memory);
}

cudaError_t cudaMallocHost(void **memory, size_t bytes)
{
    return take(memory, bytes);
}

cudaError_t cudaFreeHost(void *memory)
{
    return give_back(memory);
}

cudaError_t cudaMemGetInfo(size_t *available, size_t *total)
{
    *available = *total = FREE_BYTES;
    return cudaSuccess;
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes *attributes, const void *)
{
    memset(attributes, 0, sizeof *attributes);
    attributes->type = cudaMemoryTypeUnregistered;
    return cudaSuccess;
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, cudaMemcpyKind)
{
    return copy_rows(to, 0, from, 0, bytes, 1);
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, cudaMemcpyKind, cudaStream_t)
{
    return copy_rows(to, 0, from, 0, bytes, 1);
}

cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                              size_t bytes, size_t rows, cudaMemcpyKind, cudaStream_t)
{
    return copy_rows(to, to_pitch, from, from_pitch, bytes, rows);
}

cudaError_t cudaMemset(void *memory, int value, size_t bytes)
{
    memset(memory, value, bytes);
    return cudaSuccess;
}

cudaError_t cudaMemsetAsync(void *memory, int value, size_t bytes, cudaStream_t)
{
    memset(memory, value, bytes);
    return cudaSuccess;
}

cudaError_t cudaCreateTextureObject(cudaTextureObject_t *texture, const cudaResourceDesc *,
                                    const cudaTextureDesc *, const cudaResourceViewDesc *)
{
    *texture = 1;
    return cudaSuccess;
}

cudaError_t cudaDestroyTextureObject(cudaTextureObject_t)
{
    return cudaSuccess;
}

// ---- streams, events and graphs ----

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned)
{
    *stream = reinterpret_cast<cudaStream_t>(new Stream{ false });
    return cudaSuccess;
}

cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    delete stream_of(stream);
    return cudaSuccess;
}

cudaError_t cudaStreamSynchronize(cudaStream_t)
{
    return cudaSuccess;
}

cudaError_t cudaDeviceSynchronize(void)
{
    return cudaSuccess;
}

cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned)
{
    return cudaSuccess;
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus *status)
{
    const bool captures = stream && stream_of(stream)->captures;
    *status = captures ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusNone;
    return cudaSuccess;
}

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode)
{
    stream_of(stream)->captures = true;
    return cudaSuccess;
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph)
{
    stream_of(stream)->captures = false;
    *graph = reinterpret_cast<cudaGraph_t>(stream);
    return cudaSuccess;
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t *ready, cudaGraph_t graph, unsigned long long)
{
    *ready = reinterpret_cast<cudaGraphExec_t>(graph);
    return cudaSuccess;
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t, cudaStream_t)
{
    return cudaSuccess;
}

cudaError_t cudaGraphDestroy(cudaGraph_t)
{
    return cudaSuccess;
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t)
{
    return cudaSuccess;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned)
{
    *event = reinterpret_cast<cudaEvent_t>(new char);
    return cudaSuccess;
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    delete reinterpret_cast<char *>(event);
    return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t, cudaStream_t)
{
    return cudaSuccess;
}

cudaError_t cudaEventSynchronize(cudaEvent_t)
{
    return cudaSuccess;
}
}
