// SPDX-License-Identifier: BSD-2-Clause
// What the files of the pretended CUDA runtime share.
#ifndef PRETEND_STATE_H
#define PRETEND_STATE_H

#include "pretend/pretend.h"

#include <cuda.h>
#include <cuda_runtime_api.h>

#include <map>
#include <mutex>
#include <set>
#include <stdint.h>
#include <string>

namespace pretended {

constexpr size_t FREE_BYTES = size_t(64) << 30;

// The code of a call that the program makes fail.
constexpr cudaError_t FAILED = cudaErrorUnknown;

// The numbers of pieces of work: kernels, copies and fills.
using Work = std::set<uint64_t>;

// A stream is a block of this type; the default stream of each device is NULL.
struct Stream {
    int device = 0;
    bool captures = false;
    Work behind; // what has ended once the stream's work has
};

struct Event {
    int device = 0;
    bool on_default = false; // recorded on a default stream
    Work behind;
};

// What was done on a device.
struct Device {
    Stream default_stream;
    uint64_t pieces = 0;         // of work
    size_t memory = 0, peak = 0; // bytes that are allocated, and the most at a time
};

// The state of the runtime. What static constructors of the library fill comes before main.
struct State {
    std::mutex lock;
    std::map<const void *, std::string> instance;
    std::set<const void *> launched;
    std::map<void *, size_t> memory, pinned;
    std::map<void *, int> holder; // of device memory
    std::map<const void *, void *> symbol;
    std::set<Event *> events;
    std::set<Stream *> streams;
    std::map<int, Device> device;
    std::set<cudaTextureObject_t> textures;
    std::set<int> transforms;
    uint64_t made = 0;                  // numbers given away
    long followed = 0;                  // waits for default streams
    std::map<uint64_t, bool> under_way; // true: it uses memory of the caller
    std::string misuse;                 // the first one
    int devices = 1, only = -1;
    bool all_pinned = false;
};

State &state();

using Guard = std::lock_guard<std::mutex>;

extern thread_local cudaError_t last;
extern thread_local int current;

// Notes an error for cudaGetLastError, and returns it.
cudaError_t failed(cudaError_t code);

// Reserves address space only, so that large workspaces cost what is touched. NULL: there is none.
void *reserve(size_t bytes);

// Call these with the lock held.

// Something that CUDA forbids was done.
void forbid(const std::string &what);

// Objects are made and work is done on the right device.
void expect_device(const char *call);

// Work is put on a stream, or an event is recorded, only while their device is current.
void expect_here(int device, const char *call);

Stream *stream_of(cudaStream_t stream, const char *call);
Event *event_of(cudaEvent_t event, const char *call);

// The work has ended.
void end(Work *work);
void end_all();

// Adds work that has not ended.
void join(Work *to, const Work &from);

// Puts work on a stream.
void put_on(Stream *stream, bool of_caller);

// The detail of a call that waits: whether there is anything to wait for.
const char *waits_for(const Work &work);

} // namespace pretended

#define PLACE __builtin_return_address(0)
#define FAILS(detail) pretend_fails(__func__, detail, PLACE)

#endif
