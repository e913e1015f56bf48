// What a plan keeps for finding matches on the device.
#ifndef XNCC_CUDA_ENGINE_FIND_STATE_H
#define XNCC_CUDA_ENGINE_FIND_STATE_H

#include "cuda/peaks/collect.h"
#include "cuda/peaks/peak_workspace.h"
#include "cuda/runtime/upload.h"

namespace xncc {

// Searches of many templates, `slots` at a time; its memory is taken by the first call that wants
// it.
struct FindBatch {
    int slots = 0;
    PeakWorkspace search;
    DeviceMemory planes; // scores of the slots' maps, where there are maps
    int64_t plane = 0;   // elements
    PinnedMemory fetched;
    uint64_t room = 0; // bytes of it
};

struct Find {
    bool served = false; // the map is one band that a search on the device takes
    PeakWorkspace search;
    PinnedMemory fetched; // a PeakState, then PEAK_ROOM matches
    FindBatch batch;
};

} // namespace xncc

#endif
