// SPDX-License-Identifier: BSD-2-Clause
// What batches of one search need, which an engine keeps from search to search: to allocate and to
// free it takes longer than a search, and makes other threads wait for the driver.
#ifndef XNCC_CUDA_ENGINE_BATCH_MEMORY_H
#define XNCC_CUDA_ENGINE_BATCH_MEMORY_H

#include "cuda/runtime/handles.h"
#include "cuda/runtime/upload.h"

namespace xncc {

// The host's memory for results. Plans that are bound one after the other share it.
struct Fetched {
    PinnedMemory one;   // one PeakState, then PEAK_ROOM matches
    PinnedMemory batch; // the states of a batch, then their first matches
    uint64_t usual = 0; // bytes that `batch` should have if it has to grow
};

// The resources of one batch at a time.
struct BatchMemory {
    Stream stream;          // of the batch's calls
    Event before;           // the work that the stream follows
    Event done;             // of the plan that is bound
    DeviceMemory workspace; // of that plan
    DeviceMemory forms;     // pixels and masks of templates
    PinnedMemory staged;    // these on the host
    DeviceMemory image;     // the copy of an image of the host
    Upload upload;          // what makes that copy
    Fetched fetched;        // results on the host
};

// Bytes of the blocks of a set.
struct BatchRoom {
    uint64_t workspace, forms, image, results;
};

// The sets that an engine keeps. Any thread may take one and give one back.
class SpareMemory {
  public:
    ~SpareMemory()
    {
        release();
    }
    // A kept set or a new one, with its stream and events.
    xncc_status take(BatchMemory **result, xncc_error *error);
    // Keeps a set that no work uses, or frees it: if SETS are kept, or if it is so large that other
    // users of the device may miss it.
    void give(BatchMemory *memory);
    // Frees all sets. Returns whether there were any.
    bool release();
    // The most bytes of device memory that are kept; a part of what the device has.
    void set_limit(uint64_t device_bytes);
    // The largest size of each block in a set that was kept. A block that has to grow should get as
    // much: sets are taken in any order, and would grow now and then until each has had the largest
    // part of a search. Zeros if a set with all of it would not be kept.
    BatchRoom usual() const;

  private:
    static constexpr int SETS = 4;

    std::atomic<BatchMemory *> spare[SETS] = {};
    uint64_t most = 0; // bytes of a set
    // for usual()
    std::atomic<uint64_t> workspace{ 0 }, forms{ 0 }, image{ 0 }, results{ 0 };
};

} // namespace xncc

#endif
