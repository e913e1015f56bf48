// SPDX-License-Identifier: BSD-2-Clause
// The constant memory that kernels read template pixels and filter coefficients from. It is 64 KB
// per device and kernel family, and all plans of the process share it.
//
// Each family declares its own __constant__ array: the device code of one source file is a module,
// and each module has its own constant memory. Two mechanisms order the use of an array:
// - A host mutex decides whose turn it is to fill the array and to launch the kernels that read it.
// - A CUDA event makes each fill wait, on the device, for the kernels that read the old content.
//
// The host never waits for the device here.
#ifndef XNCC_CUDA_RUNTIME_CONSTANT_CACHE_H
#define XNCC_CUDA_RUNTIME_CONSTANT_CACHE_H

#include "cuda/runtime/handles.h"

#include <pthread.h>

namespace xncc {

// The size of each array: 127 x 128 floats, which is the largest filter with its rows padded to 16
// bytes. The compiler uses the rest of the 64 KB for its own constants.
constexpr int CONSTANT_BYTES = 65024;

// The kernel families that have a __constant__ array.
enum Family {
    FAMILY_TEXTURE,
    FAMILY_SHARED,
    FAMILY_CONVOLVE,
    FAMILY_COUNT,
    FAMILY_NONE = FAMILY_COUNT // the family reads nothing from constant memory
};

// Identifies the content of an array.
struct ConstantContent {
    uint64_t serial; // next_serial() of the prepared object; 0: the array holds nothing
    int32_t row;     // the object's first row in the array
    int32_t layout;  // how the rows are arranged; each family numbers its own layouts
};

// One family's array on one device.
struct ConstantCache {
    pthread_mutex_t lock;
    cudaEvent_t idle;    // recorded after the last kernel that reads the array
    unsigned char *data; // the array's address in device memory; nullptr until it is first opened
    ConstantContent content;
};

// Returns the cache of a family on the current device, which must be `device`. The first call for a
// pair of family and device sets it up. symbol: the family's __constant__ array. The cache lives as
// long as the process. Any thread.
cudaError_t constant_cache_open(Family family, int device, const void *symbol,
                                ConstantCache **constant_cache);

// Returns a number that identifies the content of a prepared object. It is never 0, and no other
// call in the process returns the same number.
uint64_t next_serial();

// A turn: exclusive use of a cache for work on one stream. While the object lives, no other thread
// can enqueue work that uses the cache, and the device executes turns in the order in which they
// were taken. Launch the kernels that read the array during the turn.
class ConstantTurn : Owner {
  public:
    ConstantTurn(ConstantCache *constant_cache, cudaStream_t stream);
    ~ConstantTurn();

    // Ends the work of the turn, which has come to `code`. The next turn waits for it. Returns the
    // first failure. Call it once, after the last launch.
    cudaError_t end(cudaError_t code);

    // Copies `rows` rows of `bytes` bytes, `pitch` bytes apart in device memory, to the array,
    // where they are tightly packed. Does nothing if the array already holds this content. Fails
    // with cudaErrorStreamCaptureUnsupported on a stream that is being captured.
    cudaError_t load(const ConstantContent &content, const void *source, size_t pitch, size_t bytes,
                     size_t rows);

  private:
    ConstantCache *constant_cache;
    cudaStream_t stream;
    cudaError_t waited; // whether the stream waits for the previous turn
};

} // namespace xncc

#endif
