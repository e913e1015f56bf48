// SPDX-License-Identifier: BSD-2-Clause
// What a plan keeps for peak searches on the device.
#ifndef XNCC_CUDA_ENGINE_FIND_STATE_H
#define XNCC_CUDA_ENGINE_FIND_STATE_H

#include "cuda/peaks/collect.h"
#include "cuda/peaks/peak_workspace.h"

extern "C" {
#include "engine/engine.h"
}

namespace xncc {

// The host's memory for results. Plans that are bound one after the other share it.
struct Fetched {
    PinnedMemory one;   // one PeakState, then PEAK_ROOM matches
    PinnedMemory batch; // the states of a batch, then their first matches
    uint64_t usual = 0; // bytes that `batch` should have if it has to grow
};

// Searches with one template, and with several at a time.
struct Find {
    bool served = false; // the plan holds the map, and the device can search it
    PeakWorkspace search;
    PeakWorkspace batch;
    bool batch_made = false; // by the first batch
    Fetched own;
    Fetched *fetched = &own;
};

// Searches in several images at a time.
struct Stack {
    xncc_stack_plan of = {};          // the decision's
    xncc_engine_plan *plan = nullptr; // of the tall image; by the first call that needs it
    bool made = false;                // the rest is set
    PeakWorkspace search;
    PinnedMemory fetched; // the states of a piece, then their matches
    Stream side;          // images come from the host on it, while the stack before is searched
    // By turns:
    Event arrived[2]; // the images of a stack are on the device
    Event sent[2];    // its results are on the host, and the memory of its images is free
};

} // namespace xncc

#endif
