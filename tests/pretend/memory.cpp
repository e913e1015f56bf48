// SPDX-License-Identifier: BSD-2-Clause
// Memory, copies and textures. Device memory is host memory, and copies happen at once.
#include "pretend/state.h"

#include <string.h>
#include <sys/mman.h>

using namespace pretended;

namespace {

constexpr size_t PAGE = 4096;

cudaError_t take(std::map<void *, size_t> State::*from, void **memory, size_t bytes,
                 const char *call)
{
    void *made = reserve(bytes);
    if (!made)
        return failed(cudaErrorMemoryAllocation);
    const Guard guard(state().lock);
    expect_device(call);
    (state().*from)[made] = bytes;
    if (from == &State::memory) {
        Device &device = state().device[current];
        state().holder[made] = current;
        device.memory += bytes;
        device.peak = device.memory > device.peak ? device.memory : device.peak;
    }
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
    if (to == &State::memory) {
        state().device[state().holder[memory]].memory -= found->second;
        state().holder.erase(memory);
    }
    (void)munmap(found->first, (found->second + PAGE - 1) / PAGE * PAGE);
    (state().*to).erase(found);
    end_all();
}

// The block of a list that an address is in; nullptr: none.
void *block_of(const std::map<void *, size_t> &list, const void *at)
{
    const char *byte = static_cast<const char *>(at);
    auto after = list.upper_bound(const_cast<void *>(at));
    if (after == list.begin())
        return nullptr;
    --after;
    return byte < static_cast<const char *>(after->first) + after->second ? after->first : nullptr;
}

bool is_pinned(const void *at)
{
    return block_of(state().pinned, at) != nullptr;
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
    expect_here(stream_of(stream, call)->device, call);
    put_on(stream_of(stream, call), host && !is_pinned(host));
    return cudaSuccess;
}

// Whole pages of zeros cost nothing.
cudaError_t fill(void *memory, int value, size_t bytes, cudaStream_t stream, const char *call)
{
    {
        const Guard guard(state().lock);
        expect_device(call);
        expect_here(stream_of(stream, call)->device, call);
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

} // namespace

extern "C" {

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
    if (void *block = block_of(state().memory, at)) {
        attributes->type = cudaMemoryTypeDevice;
        attributes->device = state().holder[block];
    }
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

cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, cudaChannelFormatKind kind)
{
    return { x, y, z, w, kind };
}
}
