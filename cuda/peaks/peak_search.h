// Peak search on the device: the matches of a map by the rule of include/exactncc/find.h, of which
// nothing but the matches is fetched.
//
// The map is cut into tiles. From the best score of each tile a level is chosen that a few tiles
// reach; their candidates at or above it are collected, sorted and taken in order. Candidates below
// the level come after all of those, so the result is the rule's if there are enough of them or the
// level is the caller's own limit. Otherwise, or when the candidates are too many to sort, the
// tiles play a tournament: the best candidate of all is taken and those too close to it struck out,
// until there are enough. That is always right.
//
// Every kernel serves several maps of one size at once (slots, by blockIdx.z).
#ifndef XNCC_CUDA_PEAKS_PEAK_SEARCH_H
#define XNCC_CUDA_PEAKS_PEAK_SEARCH_H

#include "cuda/runtime/handles.h"

extern "C" {
#include "peaks/peaks.h"
}

namespace xncc {

constexpr int PEAK_COLUMNS = 128;    // of a tile
constexpr int PEAK_ROWS = 16;        // and at most so many rows
constexpr int PEAK_SLOTS = 24;       // at most, where each has a rule of its own
constexpr uint32_t PEAK_ROOM = 4096; // candidates that one block sorts

// How far a search has come.
struct PeakState {
    uint32_t level;      // a candidate's order (peak_order) is at least this
    uint32_t tiles;      // that may hold one
    uint32_t candidates; // counted, though no more than PEAK_ROOM are kept
    uint32_t found;
    uint32_t done;           // 1: the matches are final
    uint32_t collected, led; // blocks that have ended
};

// What the kernels of a search share. Pointers are of slot 0.
struct PeakJob {
    const float *map; // scores; nullptr where only orders of candidates are known
    int64_t pitch;    // elements
    int64_t plane;    // elements from slot to slot
    int32_t width, height;
    int32_t tile_rows, across, tiles;
    // the rule
    int32_t smallest;
    float limit;
    int32_t min_distance;
    uint32_t top;
    uint32_t wanted;     // tiles that shall reach the level
    float bound_margin;  // the tiles' scores are within so much of the exact ones
    int32_t x0, y0;      // added to the matches
    uint32_t *best;      // of each tile, the order of its best score; 0: it has none
    uint32_t *list;      // tiles that reach the level
    uint64_t *candidate; // peak_key
    uint64_t *leader;    // of each tile, its best candidate still in play; 0: none
    PeakState *state;
    xncc_match *match; // top a slot
    uint32_t *found;   // nullptr: in the state only
    bool pdl;          // the passes behind the first may be launched early (pdl.cuh)
};

// The passes, in their order. The first and the last are for a map that holds scores; other ways to
// fill `best` and to collect stand elsewhere.
cudaError_t launch_peak_tiles(const PeakJob &job, int slots, cudaStream_t stream); // fills best
cudaError_t launch_peak_select(const PeakJob &job, int slots,
                               cudaStream_t stream); // level and list
cudaError_t launch_peak_collect(const PeakJob &job, int slots,
                                cudaStream_t stream); // candidates; then the matches, or done = 0
// For slots that are not done: the tournament over the map's scores.
cudaError_t launch_peak_tournament(const PeakJob &job, int slots, cudaStream_t stream);

// The memory of searches in maps of one size, and their jobs.
class PeakSearch {
  public:
    // May a map of this size be searched so? (A position is 32 bits.)
    static bool serves(int32_t width, int32_t height);
    cudaError_t make(int32_t width, int32_t height, int slots);
    // Room for the results of so many slots of `top` matches, beyond what there is.
    cudaError_t make_results(uint64_t slots, uint64_t top);
    // The job of a rule. Results are this search's own; map, pitch, plane and slack are left to the
    // caller.
    PeakJob job(const xncc_peak_rule &rule) const;
    PeakState *states() const
    {
        return state.as<PeakState>();
    }
    xncc_match *matches() const
    {
        return match.as<xncc_match>();
    }

  private:
    int32_t width = 0, height = 0, rows = 0, across = 0, tiles = 0;
    bool pdl = false;
    uint64_t state_room = 0, match_room = 0;
    DeviceMemory best, list, candidate, leader;
    DeviceMemory state, match;
};

} // namespace xncc

#endif
