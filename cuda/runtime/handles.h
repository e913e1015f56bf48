// SPDX-License-Identifier: BSD-2-Clause
// The base of every file of the CUDA engine: the library's C headers, the conversion of CUDA
// errors, and classes that own CUDA resources. Each class frees its resource in its destructor.
#ifndef XNCC_CUDA_RUNTIME_HANDLES_H
#define XNCC_CUDA_RUNTIME_HANDLES_H

#include <atomic>
#include <math.h>
#include <new>
#include <stddef.h>
#include <stdint.h>

#include <cuda_runtime.h>

extern "C" {
#include "base/error.h"
#include "base/memory.h"
#include "base/pool.h"
#include "base/watch.h"
#include "image/image.h"
#include "plan/cost_cuda.h"
}

namespace xncc {

// Converts the result of a CUDA call to a status. `what` names the action for the error text, which
// reads "CUDA: <what> failed: ...". error may be NULL.
inline xncc_status check(cudaError_t code, const char *what, xncc_error *error)
{
    if (code == cudaSuccess)
        return XNCC_OK;
    (void)cudaGetLastError(); // clears it: the next launch shall not report it again
    return xncc_fail(
        error, code == cudaErrorMemoryAllocation ? XNCC_ERROR_MEMORY : XNCC_ERROR_DEVICE,
        "CUDA: %s failed: %s (%s)", what, cudaGetErrorString(code), cudaGetErrorName(code));
}

// Ends a call that has nobody to tell of a failure. The next launch shall not report it.
inline void forgive(cudaError_t code)
{
    if (code != cudaSuccess)
        (void)cudaGetLastError();
}

// Makes an object behind an opaque pointer of the C interface; nullptr if there is no memory. It
// uses the library's allocator and placement new, so that the library needs no C++ runtime.
// destroy() frees the object.
template <class T> T *create()
{
    void *memory = xncc_alloc(1, sizeof(T));
    return memory ? new (memory) T() : nullptr;
}

template <class T> void destroy(T *object)
{
    if (object) {
        object->~T();
        xncc_free(object);
    }
}

// Gives the caller an object that has been made, or destroys it after a failure.
template <class T, class Result> xncc_status hand_over(xncc_status status, T *made, Result **result)
{
    if (status)
        destroy(made);
    else
        *result = made;
    return status;
}

// The base of classes that own something, and so cannot be copied.
class Owner {
  public:
    Owner() = default;
    Owner(const Owner &) = delete;
    Owner &operator=(const Owner &) = delete;
};

// Makes `device` the thread's current device for the lifetime of this object, then restores the
// caller's device. Whoever allocates or launches must ask for the status first. Resources can be
// freed on any device.
class DeviceScope : Owner {
  public:
    explicit DeviceScope(int device)
    {
        code = cudaGetDevice(&before);
        if (code == cudaSuccess && before != device) {
            code = cudaSetDevice(device);
            changed = code == cudaSuccess;
        }
        forgive(code);
    }
    ~DeviceScope()
    {
        if (changed)
            forgive(cudaSetDevice(before));
    }
    xncc_status status(xncc_error *error) const
    {
        return check(code, "making the device current", error);
    }
    // cudaSuccess if the device is current.
    cudaError_t result() const
    {
        return code;
    }

  private:
    int before = 0;
    cudaError_t code;
    bool changed = false;
};

// A block of memory of one kind. as() returns nullptr while nothing was taken; then nothing is
// freed either: the driver would take its lock.
template <cudaError_t (*TAKE)(void **, size_t), cudaError_t (*FREE)(void *)> class Block : Owner {
  public:
    ~Block()
    {
        release();
    }
    void release()
    {
        if (address && !borrowed)
            forgive(FREE(address));
        address = nullptr;
        room = 0;
        borrowed = false;
    }
    // May be called once after construction or release().
    cudaError_t take(uint64_t bytes)
    {
        const cudaError_t code = bytes ? TAKE(&address, static_cast<size_t>(bytes)) : cudaSuccess;
        room = code == cudaSuccess ? bytes : 0;
        return code;
    }
    // Takes at least `bytes`, and `usual` if that is more, unless `bytes` are there. What was there
    // is lost; the caller has waited for the work that uses it. *grew: memory was taken.
    cudaError_t need(uint64_t bytes, uint64_t usual = 0, bool *grew = nullptr)
    {
        if (grew)
            *grew = bytes > room;
        if (bytes <= room)
            return cudaSuccess;
        release();
        return take(bytes < usual ? usual : bytes);
    }
    // Refers to a part of another block, which that block's owner frees.
    void use(void *part)
    {
        release();
        address = part;
        borrowed = true;
    }
    // Bytes that were taken.
    uint64_t size() const
    {
        return room;
    }
    template <class T> T *as() const
    {
        return static_cast<T *>(address);
    }

  private:
    void *address = nullptr;
    uint64_t room = 0;
    bool borrowed = false;
};
using DeviceMemory = Block<cudaMalloc, cudaFree>;
using PinnedMemory = Block<cudaMallocHost, cudaFreeHost>; // page-locked memory of the host

// The base of classes that own a handle of CUDA. get() returns 0 before it is made.
template <class T, cudaError_t (*DESTROY)(T)> class Handle : Owner {
  public:
    ~Handle()
    {
        if (handle && !borrowed)
            forgive(DESTROY(handle));
    }
    T get() const
    {
        return handle;
    }

  protected:
    T handle = 0;
    bool borrowed = false; // its owner destroys it later
};

// An event without timing.
class Event : public Handle<cudaEvent_t, cudaEventDestroy> {
  public:
    cudaError_t make()
    {
        return cudaEventCreateWithFlags(&handle, cudaEventDisableTiming);
    }
    // Stands for an event of another owner.
    void use(cudaEvent_t other)
    {
        handle = other;
        borrowed = true;
    }
};

// A stream that does not synchronize with the default stream.
class Stream : public Handle<cudaStream_t, cudaStreamDestroy> {
  public:
    cudaError_t make()
    {
        return cudaStreamCreateWithFlags(&handle, cudaStreamNonBlocking);
    }
};

// A texture object over pitch-linear device memory: clamp addressing, point sampling, unnormalized
// coordinates, values of the element type. It does not own the memory.
class Texture : public Handle<cudaTextureObject_t, cudaDestroyTextureObject> {
  public:
    // width: texels per row. height: rows. pitch: bytes per row.
    cudaError_t make(void *data, const cudaChannelFormatDesc &format, size_t width, size_t height,
                     size_t pitch)
    {
        cudaResourceDesc resource = {};
        resource.resType = cudaResourceTypePitch2D;
        resource.res.pitch2D.devPtr = data;
        resource.res.pitch2D.desc = format;
        resource.res.pitch2D.width = width;
        resource.res.pitch2D.height = height;
        resource.res.pitch2D.pitchInBytes = pitch;
        cudaTextureDesc rule = {};
        rule.addressMode[0] = rule.addressMode[1] = cudaAddressModeClamp;
        rule.filterMode = cudaFilterModePoint;
        rule.readMode = cudaReadModeElementType;
        return cudaCreateTextureObject(&handle, &resource, &rule, nullptr);
    }
};

// a / b, rounded up, for a >= 0 and b > 0; a + b - 1 must fit T.
template <class T> constexpr __host__ __device__ T ceil_div(T a, T b)
{
    return (a + b - 1) / b;
}

// A grid of so many blocks.
inline dim3 make_grid(int64_t x, int64_t y = 1, int64_t z = 1)
{
    return dim3(static_cast<unsigned>(x), static_cast<unsigned>(y), static_cast<unsigned>(z));
}

// A grid of blocks of `threads` threads across each row.
inline dim3 rows_grid(int32_t width, int64_t rows, int32_t threads, int32_t depth = 1)
{
    return make_grid(ceil_div(width, threads), rows, depth);
}

// The texel format of u8, u16 and f32 pixels. Signed samples are stored biased, so they use the
// unsigned types.
inline cudaChannelFormatDesc pixel_format(xncc_pixel pixel)
{
    if (pixel == XNCC_U8)
        return cudaCreateChannelDesc<unsigned char>();
    if (pixel == XNCC_U16)
        return cudaCreateChannelDesc<unsigned short>();
    return cudaCreateChannelDesc<float>();
}

} // namespace xncc

#endif
