// What a plan keeps for finding matches on the device.
#ifndef CM_CUDA_FIND_CUH
#define CM_CUDA_FIND_CUH

#include "peaks_windows.cuh"
#include "upload.cuh"

namespace cm {

// Searches of many templates, some at a time; its memory is taken by the first call that wants it. While one set of slots is searched, the
// other set's X is computed.
struct FindBank {
    static constexpr int SETS = 2;
    int slots = 0; // of a set
    PeakSearch search[SETS]; // workspaces; results are in the first
    DeviceMemory planes;     // scores of the slots' maps, where there are maps
    int64_t plane = 0;       // elements
    PinnedMemory fetched;
    uint64_t room = 0; // bytes of it
    Stream side;       // of the searches
    Event computed[SETS], searched[SETS];
};

struct Find {
    bool served = false; // the map is one band that a search on the device takes
    PeakSearch search;
    PinnedMemory fetched; // a PeakState, then PEAK_ROOM matches
    FindBank bank;
};

} // namespace cm

#endif
