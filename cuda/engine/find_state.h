// What a plan keeps for peak searches on the device.
#ifndef XNCC_CUDA_ENGINE_FIND_STATE_H
#define XNCC_CUDA_ENGINE_FIND_STATE_H

#include "cuda/peaks/collect.h"
#include "cuda/peaks/peak_workspace.h"

namespace xncc {

// Searches with several templates of the plan's size, `slots` at a time. The first call that needs
// the memory allocates it.
struct FindBatch {
    int slots = 0; // templates per group; 0: no memory yet
    PeakWorkspace search;
    DeviceMemory planes;  // the score maps of the slots, if maps are computed
    int64_t plane = 0;    // elements per map
    PinnedMemory fetched; // the states of all templates, then their matches
    uint64_t room = 0;    // bytes of `fetched`
};

// Searches with one template.
struct Find {
    bool served = false; // the map is a single band that can be searched on the device
    PeakWorkspace search;
    PinnedMemory fetched; // one PeakState, then PEAK_ROOM matches
    FindBatch batch;
};

} // namespace xncc

#endif
