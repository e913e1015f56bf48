// The constant bank: 64 KB a device and kernel family, shared by all plans of the process.
//
// Every family that includes this file has its own __constant__ array (device code of one file is
// one module, and a module has one bank). Whose turn it is to fill an array is settled by a mutex
// on the host; that a filling waits for the kernels that still read the previous one, by an event
// on the device. Nothing waits on the host.
#ifndef XNCC_CUDA_RUNTIME_CONSTANT_CACHE_H
#define XNCC_CUDA_RUNTIME_CONSTANT_CACHE_H

#include "cuda/runtime/handles.h"

#include <pthread.h>

namespace xncc {

// 127 x 128 floats: the largest filter, its rows padded to 16 bytes. The rest of the 64 KB is left
// to the compiler.
constexpr int CONSTANT_BYTES = 65024;

enum Family {
    FAMILY_TEXTURE,
    FAMILY_SHARED,
    FAMILY_CONVOLVE,
    FAMILY_COUNT,
    FAMILY_NONE = FAMILY_COUNT
};

// What a bank holds: a prepared object's serial number (never used twice in a process; 0: nothing)
// and its first row.
struct ConstantContent {
    uint64_t serial;
    int32_t row;
    int32_t layout;
};

struct ConstantCache {
    pthread_mutex_t lock;
    cudaEvent_t idle;    // behind the last kernel that reads the bank
    unsigned char *data; // the array's address in device memory
    ConstantContent content;
};

// The bank of a family on the current device, made on the first call. It lives as long as the
// process.
cudaError_t constant_cache_open(Family family, int device, const void *symbol,
                                ConstantCache **constant_cache);

// A number that no other prepared object of the process has.
uint64_t next_serial();

// A turn at a bank on a stream: from construction to destruction no other turn is put on any
// stream, and the device runs turns in that order.
class ConstantTurn {
  public:
    ConstantTurn(ConstantCache *constant_cache, cudaStream_t stream);
    ~ConstantTurn();
    ConstantTurn(const ConstantTurn &) = delete;
    ConstantTurn &operator=(const ConstantTurn &) = delete;

    // Fills the bank with `rows` rows of `bytes` bytes, one behind the other, unless it holds this
    // content already.
    cudaError_t load(const ConstantContent &content, const void *source, size_t pitch, size_t bytes,
                     size_t rows);

  private:
    ConstantCache *constant_cache;
    cudaStream_t stream;
    cudaError_t waited;
};

} // namespace xncc

#endif
