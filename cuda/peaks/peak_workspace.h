// The device memory of peak searches in maps of one size.
#ifndef XNCC_CUDA_PEAKS_PEAK_WORKSPACE_H
#define XNCC_CUDA_PEAKS_PEAK_WORKSPACE_H

#include "cuda/peaks/peak_search.h"

namespace xncc {

class PeakWorkspace {
  public:
    // True if a map of this size can be searched on the device: a position must fit 32 bits.
    static bool serves(int32_t width, int32_t height);
    // Allocates the memory for searches in `slots` maps at once.
    cudaError_t make(int32_t width, int32_t height, int slots);
    // Makes sure that there is room for the results of `slots` searches with `top` matches each.
    // Keeps larger memory that it already has.
    cudaError_t make_results(uint64_t slots, uint64_t top);
    // The job of a rule, with this object's memory. The caller sets map, pitch, plane and
    // bound_margin.
    PeakJob job(const xncc_peak_rule &rule) const;
    // The results of slot 0 in device memory.
    PeakState *states() const
    {
        return state.as<PeakState>();
    }
    xncc_match *matches() const
    {
        return match.as<xncc_match>();
    }

  private:
    int32_t width = 0, height = 0; // of a map, in elements
    int32_t rows = 0;              // rows of a tile
    int32_t across = 0, tiles = 0; // tiles per row of tiles, and per map
    bool pdl = false;
    uint64_t state_room = 0, match_room = 0;                  // elements of `state` and `match`
    DeviceMemory best, list, candidate, leader, state, match; // as in PeakJob
};

} // namespace xncc

#endif
