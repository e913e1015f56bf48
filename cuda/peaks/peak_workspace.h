// SPDX-License-Identifier: BSD-2-Clause
// The device memory of peak searches in maps of one size, which the caller owns.
#ifndef XNCC_CUDA_PEAKS_PEAK_WORKSPACE_H
#define XNCC_CUDA_PEAKS_PEAK_WORKSPACE_H

#include "cuda/peaks/peak_search.h"

namespace xncc {

class PeakWorkspace {
  public:
    // Uses `memory` for searches in `slots` maps at once: xncc_search_bytes() for the search, and
    // after it what is needed for results (xncc_search_results).
    cudaError_t make(int32_t width, int32_t height, int slots, unsigned char *memory);
    // Places the results of `searches` searches: the states, then the matches.
    void place_results(uint64_t searches);
    // The job of a rule, with this object's memory. The caller sets map, pitch, plane and
    // bound_margin.
    PeakJob job(const xncc_search_rule &rule) const;
    // The results of slot 0 in device memory.
    PeakState *states() const
    {
        return all.state;
    }
    xncc_match *matches() const
    {
        return all.match;
    }

  private:
    PeakJob all = {}; // what the jobs of all rules share
};

} // namespace xncc

#endif
