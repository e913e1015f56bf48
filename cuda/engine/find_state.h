// SPDX-License-Identifier: BSD-2-Clause
// What a plan keeps for peak searches on the device.
#ifndef XNCC_CUDA_ENGINE_FIND_STATE_H
#define XNCC_CUDA_ENGINE_FIND_STATE_H

#include "cuda/peaks/collect.h"
#include "cuda/peaks/peak_workspace.h"

namespace xncc {

// Searches with one template, and with several at a time.
struct Find {
    bool served = false; // the plan holds the map, and the device can search it
    PeakWorkspace search;
    PinnedMemory fetched; // one PeakState, then PEAK_ROOM matches
    PeakWorkspace batch;
    bool batch_made = false;    // by the first batch
    PinnedMemory batch_fetched; // the states of a batch, then their matches
};

} // namespace xncc

#endif
