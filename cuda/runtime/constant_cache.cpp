// SPDX-License-Identifier: BSD-2-Clause
// The constant caches of all families and devices, and the turns that order their use.
#include "cuda/runtime/constant_cache.h"

namespace xncc {

namespace {

constexpr int MAX_DEVICES = 64;
pthread_mutex_t table_lock = PTHREAD_MUTEX_INITIALIZER;
ConstantCache table[FAMILY_COUNT][MAX_DEVICES];
std::atomic<uint64_t> serials{ 0 };

} // namespace

uint64_t next_serial()
{
    return serials.fetch_add(1) + 1;
}

cudaError_t constant_cache_open(Family family, int device, const void *symbol,
                                ConstantCache **result)
{
    if (device >= MAX_DEVICES)
        return cudaErrorInvalidDevice;
    ConstantCache *constant_cache = &table[family][device];
    cudaError_t code = cudaSuccess;
    (void)pthread_mutex_lock(&table_lock);
    if (!constant_cache->data) {
        void *data = nullptr;
        code = cudaGetSymbolAddress(&data, symbol);
        if (code == cudaSuccess)
            code = cudaEventCreateWithFlags(&constant_cache->idle, cudaEventDisableTiming);
        if (code == cudaSuccess && pthread_mutex_init(&constant_cache->lock, nullptr) != 0)
            code = cudaErrorMemoryAllocation;
        if (code == cudaSuccess)
            constant_cache->data = static_cast<unsigned char *>(data);
    }
    (void)pthread_mutex_unlock(&table_lock);
    *result = constant_cache;
    return code;
}

ConstantTurn::ConstantTurn(ConstantCache *of, cudaStream_t on) : constant_cache(of), stream(on)
{
    cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
    (void)pthread_mutex_lock(&constant_cache->lock);
    waited = cudaStreamIsCapturing(stream, &capture);
    // A graph would replay the work without taking a turn.
    if (waited == cudaSuccess && capture != cudaStreamCaptureStatusNone)
        waited = cudaErrorStreamCaptureUnsupported;
    if (waited == cudaSuccess)
        waited = cudaStreamWaitEvent(stream, constant_cache->idle, 0);
}

ConstantTurn::~ConstantTurn()
{
    (void)pthread_mutex_unlock(&constant_cache->lock);
}

cudaError_t ConstantTurn::end(cudaError_t code)
{
    if (waited != cudaSuccess)
        return waited;
    const cudaError_t recorded = cudaEventRecord(constant_cache->idle, stream);
    if (recorded != cudaSuccess)
        forgive(cudaStreamSynchronize(stream)); // the next turn could not wait for the kernels
    return code == cudaSuccess ? recorded : code;
}

cudaError_t ConstantTurn::load(const ConstantContent &content, const void *source, size_t pitch,
                               size_t bytes, size_t rows)
{
    if (waited != cudaSuccess)
        return waited;
    ConstantContent &loaded = constant_cache->content;
    if (loaded.serial == content.serial && loaded.row == content.row &&
        loaded.layout == content.layout)
        return cudaSuccess;
    loaded.serial = 0;
    cudaError_t code = bytes == pitch
                           ? cudaMemcpyAsync(constant_cache->data, source, bytes * rows,
                                             cudaMemcpyDeviceToDevice, stream)
                           : cudaMemcpy2DAsync(constant_cache->data, bytes, source, pitch, bytes,
                                               rows, cudaMemcpyDeviceToDevice, stream);
    if (code == cudaSuccess)
        loaded = content;
    return code;
}

} // namespace xncc
