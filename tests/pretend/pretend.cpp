// SPDX-License-Identifier: BSD-2-Clause
// A CUDA runtime without a device. It answers like an H200: device memory is host memory, copies
// happen at once, and kernels are counted, not run. So all results are wrong. What is right is
// which kernels a program launches, and what it does when a call fails (pretend.h).
//
// At the end, a process appends to the file EXACTNCC_LAUNCHES a line `R NAME` per kernel instance
// that the program has, and `L NAME` per instance that it launched.
#include "pretend/pretend.h"

#include <cuda.h>
#include <cuda_runtime_api.h>

#include <map>
#include <mutex>
#include <set>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <string>
#include <sys/mman.h>

extern "C" __attribute__((weak)) int pretend_fails(const char *, const char *, const void *)
{
    return 0;
}

namespace {

constexpr size_t FREE_BYTES = size_t(64) << 30;
constexpr size_t PAGE = 4096;
constexpr int FFT_FAILED = 6; // CUFFT_EXEC_FAILED

// The numbers of pieces of work: kernels, copies and fills.
using Work = std::set<uint64_t>;

// A stream is a block of this type; the default stream is NULL.
struct Stream {
    bool captures = false;
    Work behind; // what has ended once the stream's work has
};

struct Event {
    Work behind;
};

// The state of the runtime. What static constructors of the library fill comes before main.
struct State {
    std::mutex lock;
    std::map<const void *, std::string> instance;
    std::set<const void *> launched;
    std::map<void *, size_t> memory, pinned;
    std::map<const void *, void *> symbol;
    std::set<Event *> events;
    std::set<Stream *> streams;
    Stream default_stream;
    std::set<cudaTextureObject_t> textures;
    std::set<int> transforms;
    uint64_t made = 0;                  // numbers given away
    std::map<uint64_t, bool> under_way; // true: it uses memory of the caller
    std::string misuse;                 // the first one
    int devices = 1, only = -1;
    bool all_pinned = false;
};

State &state()
{
    static State *all = new State; // never destroyed: used after main
    return *all;
}

using Guard = std::lock_guard<std::mutex>;

thread_local cudaError_t last = cudaSuccess;
thread_local int current = 0;

// Call these with the lock held.

void forbid(const std::string &what)
{
    if (state().misuse.empty())
        state().misuse = what;
}

// Objects are made and work is done on the right device.
void expect_device(const char *call)
{
    if (state().only >= 0 && current != state().only)
        forbid(std::string(call) + " on device " + std::to_string(current));
}

Stream *stream_of(cudaStream_t stream, const char *call)
{
    Stream *of = reinterpret_cast<Stream *>(stream);
    if (!of)
        return &state().default_stream;
    if (state().streams.count(of))
        return of;
    forbid(std::string(call) + " of a stream that does not exist");
    return &state().default_stream;
}

Event *event_of(cudaEvent_t event, const char *call)
{
    static Event none;
    Event *of = reinterpret_cast<Event *>(event);
    if (state().events.count(of))
        return of;
    forbid(std::string(call) + " of an event that does not exist");
    return &none;
}

// The work has ended.
void end(Work *work)
{
    for (const uint64_t piece : *work)
        state().under_way.erase(piece);
    work->clear();
}

void end_all()
{
    state().under_way.clear();
}

// Adds work that has not ended.
void join(Work *to, const Work &from)
{
    for (const uint64_t piece : from)
        if (state().under_way.count(piece))
            to->insert(piece);
}

// Puts work on a stream.
void put_on(Stream *stream, bool of_caller)
{
    if (stream->captures)
        return;
    state().under_way[++state().made] = of_caller;
    stream->behind.insert(state().made);
}

// The detail of a call that waits: whether there is anything to wait for.
const char *waits_for(const Work &work)
{
    for (const uint64_t piece : work)
        if (state().under_way.count(piece))
            return "work";
    return nullptr;
}

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

cudaError_t failed(cudaError_t code)
{
    last = code;
    return code;
}

// The code of a call that the program makes fail.
constexpr cudaError_t FAILED = cudaErrorUnknown;

#define PLACE __builtin_return_address(0)
#define FAILS(detail) pretend_fails(__func__, detail, PLACE)

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
    put_on(stream_of(stream, "cudaLaunchKernel"), false);
    state().launched.insert(kernel);
    return cudaSuccess;
}

// Reserves address space only, so that large workspaces cost what is touched.
void *reserve(size_t bytes)
{
    void *made = bytes > FREE_BYTES
                     ? MAP_FAILED
                     : mmap(nullptr, (bytes + PAGE - 1) / PAGE * PAGE, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return made == MAP_FAILED ? nullptr : made;
}

cudaError_t take(std::map<void *, size_t> State::*from, void **memory, size_t bytes,
                 const char *call)
{
    void *made = reserve(bytes);
    if (!made)
        return failed(cudaErrorMemoryAllocation);
    const Guard guard(state().lock);
    expect_device(call);
    (state().*from)[made] = bytes;
    *memory = made;
    return cudaSuccess;
}

// Freeing memory waits for the device.
void give_back(std::map<void *, size_t> State::*to, void *memory, const char *call)
{
    const Guard guard(state().lock);
    const auto found = (state().*to).find(memory);
    if (found == (state().*to).end()) {
        if (memory)
            forbid(std::string(call) + " of memory that does not exist");
        return;
    }
    (void)munmap(found->first, (found->second + PAGE - 1) / PAGE * PAGE);
    (state().*to).erase(found);
    end_all();
}

bool is_pinned(const void *at)
{
    const char *byte = static_cast<const char *>(at);
    auto after = state().pinned.upper_bound(const_cast<void *>(at));
    if (after == state().pinned.begin())
        return false;
    --after;
    return byte < static_cast<const char *>(after->first) + after->second;
}

// A copy of rows on a stream.
struct Rows {
    void *to;
    size_t to_pitch;
    const void *from;
    size_t from_pitch, bytes, rows;
};

cudaError_t copy(const Rows &r, cudaMemcpyKind kind, cudaStream_t stream, const char *call)
{
    for (size_t y = 0; y < r.rows; y++)
        memmove(static_cast<char *>(r.to) + y * r.to_pitch,
                static_cast<const char *>(r.from) + y * r.from_pitch, r.bytes);
    const void *host = kind == cudaMemcpyHostToDevice   ? r.from
                       : kind == cudaMemcpyDeviceToHost ? r.to
                                                        : nullptr;
    const Guard guard(state().lock);
    expect_device(call);
    put_on(stream_of(stream, call), host && !is_pinned(host));
    return cudaSuccess;
}

// Whole pages of zeros cost nothing.
cudaError_t fill(void *memory, int value, size_t bytes, cudaStream_t stream, const char *call)
{
    {
        const Guard guard(state().lock);
        expect_device(call);
        put_on(stream_of(stream, call), false);
    }
    if (value == 0 && reinterpret_cast<uintptr_t>(memory) % PAGE == 0) {
        const size_t whole = bytes / PAGE * PAGE;
        (void)madvise(memory, whole, MADV_DONTNEED);
        memory = static_cast<char *>(memory) + whole;
        bytes -= whole;
    }
    memset(memory, value, bytes);
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
    return pretend_fails("cuTensorMapEncodeTiled", nullptr, PLACE) ? CUDA_ERROR_UNKNOWN
                                                                   : CUDA_SUCCESS;
}

// ---- cuFFT, which the library loads at run time ----

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

// ---- for tests ----

int pretend_may_be_lost(const char *call, const char *detail)
{
    static const char *const names[] = { "cudaFree",
                                         "cudaFreeHost",
                                         "cudaEventDestroy",
                                         "cudaStreamDestroy",
                                         "cudaDestroyTextureObject",
                                         "cufftDestroy",
                                         "dlopen",
                                         "dlsym",
                                         "cudaGetDevice",
                                         "cudaSetDevice" };
    for (const char *name : names)
        if (strcmp(call, name) == 0)
            return 1;
    return strstr(call, "Synchronize") && !detail;
}

pretend_objects pretend_count(void)
{
    const State &s = state();
    const Guard guard(state().lock);
    return { static_cast<long>(s.memory.size()),   static_cast<long>(s.pinned.size()),
             static_cast<long>(s.events.size()),   static_cast<long>(s.streams.size()),
             static_cast<long>(s.textures.size()), static_cast<long>(s.transforms.size()) };
}

long pretend_count_all(const pretend_objects *o)
{
    return o->memory + o->pinned + o->events + o->streams + o->textures + o->transforms;
}

size_t pretend_under_way(void)
{
    const Guard guard(state().lock);
    size_t count = 0;
    for (const auto &one : state().under_way)
        count += one.second;
    return count;
}

const char *pretend_last_error(void)
{
    return last == cudaSuccess ? nullptr : cudaGetErrorName(last);
}

void pretend_clear_error(void)
{
    last = cudaSuccess;
}

const char *pretend_misuse(void)
{
    static std::string text;
    const Guard guard(state().lock);
    text.swap(state().misuse);
    state().misuse.clear();
    return text.empty() ? nullptr : text.c_str();
}

void pretend_devices(int count, int only)
{
    const Guard guard(state().lock);
    state().devices = count;
    state().only = only;
}

int pretend_device(void)
{
    return current;
}

void pretend_set_device(int device)
{
    current = device;
}

void pretend_all_pinned(int pinned)
{
    const Guard guard(state().lock);
    state().all_pinned = pinned != 0;
}

// ---- libraries that are loaded at run time ----

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

// Tests that stop at a failure go on (EXACTNCC_PRETEND_GPU).
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

// ---- devices ----

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

cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, cudaChannelFormatKind kind)
{
    return { x, y, z, w, kind };
}

// ---- memory ----

cudaError_t cudaMalloc(void **memory, size_t bytes)
{
    return FAILS(nullptr) ? failed(cudaErrorMemoryAllocation)
                          : take(&State::memory, memory, bytes, __func__);
}

cudaError_t cudaFree(void *memory)
{
    const bool fails = FAILS(nullptr);
    give_back(&State::memory, memory, __func__);
    return fails ? failed(FAILED) : cudaSuccess;
}

cudaError_t cudaMallocHost(void **memory, size_t bytes)
{
    return FAILS(nullptr) ? failed(cudaErrorMemoryAllocation)
                          : take(&State::pinned, memory, bytes, __func__);
}

cudaError_t cudaFreeHost(void *memory)
{
    const bool fails = FAILS(nullptr);
    give_back(&State::pinned, memory, __func__);
    return fails ? failed(FAILED) : cudaSuccess;
}

cudaError_t cudaMemGetInfo(size_t *available, size_t *total)
{
    if (FAILS(nullptr))
        return failed(FAILED);
    *available = *total = FREE_BYTES;
    return cudaSuccess;
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes *attributes, const void *at)
{
    if (FAILS(nullptr))
        return failed(FAILED);
    const Guard guard(state().lock);
    memset(attributes, 0, sizeof *attributes);
    attributes->type = state().all_pinned || is_pinned(at) ? cudaMemoryTypeHost
                                                           : cudaMemoryTypeUnregistered;
    return cudaSuccess;
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, cudaMemcpyKind)
{
    if (FAILS(nullptr))
        return failed(FAILED);
    return copy({ to, 0, from, 0, bytes, 1 }, cudaMemcpyDeviceToDevice, nullptr, __func__);
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream)
{
    return FAILS(nullptr) ? failed(FAILED)
                          : copy({ to, 0, from, 0, bytes, 1 }, kind, stream, __func__);
}

cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                              size_t bytes, size_t rows, cudaMemcpyKind kind, cudaStream_t stream)
{
    return FAILS(nullptr)
               ? failed(FAILED)
               : copy({ to, to_pitch, from, from_pitch, bytes, rows }, kind, stream, __func__);
}

cudaError_t cudaMemset(void *memory, int value, size_t bytes)
{
    return FAILS(nullptr) ? failed(FAILED) : fill(memory, value, bytes, nullptr, __func__);
}

cudaError_t cudaMemsetAsync(void *memory, int value, size_t bytes, cudaStream_t stream)
{
    return FAILS(nullptr) ? failed(FAILED) : fill(memory, value, bytes, stream, __func__);
}

cudaError_t cudaCreateTextureObject(cudaTextureObject_t *texture, const cudaResourceDesc *,
                                    const cudaTextureDesc *, const cudaResourceViewDesc *)
{
    if (FAILS(nullptr))
        return failed(FAILED);
    const Guard guard(state().lock);
    expect_device(__func__);
    *texture = ++state().made;
    state().textures.insert(*texture);
    return cudaSuccess;
}

cudaError_t cudaDestroyTextureObject(cudaTextureObject_t texture)
{
    const bool fails = FAILS(nullptr);
    const Guard guard(state().lock);
    if (!state().textures.erase(texture))
        forbid("cudaDestroyTextureObject of a texture that does not exist");
    return fails ? failed(FAILED) : cudaSuccess;
}

// ---- streams, events and graphs ----

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned)
{
    if (FAILS(nullptr))
        return failed(FAILED);
    const Guard guard(state().lock);
    expect_device(__func__);
    Stream *made = new Stream;
    state().streams.insert(made);
    *stream = reinterpret_cast<cudaStream_t>(made);
    return cudaSuccess;
}

// What is on the stream still runs.
cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    const bool fails = FAILS(nullptr);
    const Guard guard(state().lock);
    Stream *of = stream_of(stream, __func__);
    if (state().streams.erase(of))
        delete of;
    return fails ? failed(FAILED) : cudaSuccess;
}

// A wait that fails reports work that failed; the work has ended.
cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    const char *detail;
    {
        const Guard guard(state().lock);
        detail = waits_for(stream_of(stream, __func__)->behind);
    }
    const bool fails = FAILS(detail);
    const Guard guard(state().lock);
    Stream *of = stream_of(stream, __func__);
    if (of->captures)
        return failed(cudaErrorStreamCaptureUnsupported);
    end(&of->behind);
    return fails ? failed(FAILED) : cudaSuccess;
}

cudaError_t cudaDeviceSynchronize(void)
{
    const bool fails = FAILS(state().under_way.empty() ? nullptr : "work");
    const Guard guard(state().lock);
    end_all();
    return fails ? failed(FAILED) : cudaSuccess;
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned)
{
    if (FAILS(nullptr))
        return failed(FAILED);
    const Guard guard(state().lock);
    join(&stream_of(stream, __func__)->behind, event_of(event, __func__)->behind);
    return cudaSuccess;
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus *status)
{
    if (FAILS(nullptr))
        return failed(FAILED);
    const Guard guard(state().lock);
    *status = stream_of(stream, __func__)->captures ? cudaStreamCaptureStatusActive
                                                    : cudaStreamCaptureStatusNone;
    return cudaSuccess;
}

// Graphs do nothing. The handle of one is its stream.

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode)
{
    const Guard guard(state().lock);
    stream_of(stream, __func__)->captures = true;
    return cudaSuccess;
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph)
{
    const Guard guard(state().lock);
    stream_of(stream, __func__)->captures = false;
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
    if (FAILS(nullptr))
        return failed(FAILED);
    const Guard guard(state().lock);
    expect_device(__func__);
    Event *made = new Event;
    state().events.insert(made);
    *event = reinterpret_cast<cudaEvent_t>(made);
    return cudaSuccess;
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    const bool fails = FAILS(nullptr);
    const Guard guard(state().lock);
    Event *of = event_of(event, __func__);
    if (state().events.erase(of))
        delete of;
    return fails ? failed(FAILED) : cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    if (FAILS(nullptr))
        return failed(FAILED);
    const Guard guard(state().lock);
    expect_device(__func__);
    Work behind;
    join(&behind, stream_of(stream, __func__)->behind);
    event_of(event, __func__)->behind.swap(behind);
    return cudaSuccess;
}

cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
    const char *detail;
    {
        const Guard guard(state().lock);
        detail = waits_for(event_of(event, __func__)->behind);
    }
    const bool fails = FAILS(detail);
    const Guard guard(state().lock);
    end(&event_of(event, __func__)->behind);
    return fails ? failed(FAILED) : cudaSuccess;
}
}
