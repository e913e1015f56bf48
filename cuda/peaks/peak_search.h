// SPDX-License-Identifier: BSD-2-Clause
// Peak search on the device: finds the matches of a score map by the rule of exactncc/find.h, so
// that only the matches are copied to the host.
//
// The fast search has three passes:
// 1. The map is divided into tiles, and each tile gets the order (peak_order) of its best score.
// 2. A level is chosen that a small number of tiles reach; these tiles are listed.
// 3. The candidates of the listed tiles at or above the level are collected. The last block to
//    finish sorts them and takes matches in order.
//
// Every candidate below the level comes after all candidates at or above it. So the result is the
// rule's result if there are enough matches, or if the level is the caller's own score limit. If
// neither holds, or if there are more candidates than one block can sort, the search is not done,
// and a tournament over the tiles decides: it takes the best candidate of all, removes the
// candidates too close to it, and repeats until there are enough. The tournament is always right.
//
// Every kernel serves several maps of one size at once. A map and its results are a slot;
// blockIdx.z is the slot.
#ifndef XNCC_CUDA_PEAKS_PEAK_SEARCH_H
#define XNCC_CUDA_PEAKS_PEAK_SEARCH_H

#include "cuda/runtime/handles.h"

extern "C" {
#include "peaks/peaks.h"
#include "plan/search_cuda.h"
}

namespace xncc {

constexpr int PEAK_COLUMNS = XNCC_PEAK_COLUMNS; // map elements per row of a tile
constexpr int PEAK_ROWS = XNCC_PEAK_ROWS;       // the most rows of a tile
constexpr int PEAK_SLOTS = XNCC_PEAK_SLOTS;    // the most slots of passes that take a rule per slot
constexpr uint32_t PEAK_ROOM = XNCC_PEAK_ROOM; // the most candidates that one block sorts

// The progress and result of one slot's search, in device memory.
struct PeakState {
    uint32_t level;      // the order (peak_order) that candidates must reach
    uint32_t tiles;      // tiles in the list
    uint32_t candidates; // candidates found; only the first PEAK_ROOM are stored
    uint32_t found;      // matches; valid if done
    uint32_t done;       // 1: the matches are final
    uint32_t collected;  // blocks that have ended the collection
    uint32_t led;        // blocks that have ended the first round of the tournament
};

static_assert(sizeof(PeakState) == XNCC_PEAK_STATE_BYTES &&
                  sizeof(xncc_match) == XNCC_PEAK_MATCH_BYTES,
              "the sizes that the decision uses");

// What the kernels of a search share. Pointers are to device memory and belong to slot 0.
struct PeakJob {
    // The maps.
    const float *map;      // scores; nullptr: the scores are computed where they are needed
    int64_t pitch;         // elements per row
    int64_t plane;         // elements from slot to slot
    int32_t width, height; // elements
    // The tiles.
    int32_t tile_rows; // rows of a tile, at most PEAK_ROWS
    int32_t across;    // tiles per row of tiles
    int32_t tiles;     // tiles per map
    // The rule.
    int32_t smallest;     // 1: small scores are good
    float limit;          // the worst score of a match
    int32_t min_distance; // between matches, in elements; at least 1
    uint32_t top;         // the most matches
    uint32_t wanted;      // tiles that must reach the level
    float bound_margin;   // `best` is within this of the exact scores, of those above 1 within this
                          // part of them; 0: it is exact
    int32_t x0, y0;       // added to the position of each match
    // Memory of the search.
    uint32_t *best;      // per tile: the order of its best score; 0: it has no score
    uint32_t *list;      // the tiles that reach the level
    uint64_t *candidate; // PEAK_ROOM keys (peak_key) per slot
    uint64_t *leader;    // per tile: the key of its best candidate still in play; 0: none
    PeakState *state;
    // The result.
    xncc_match *match; // `top` per slot
    uint32_t *found;   // the number of matches; nullptr: only PeakState has it
    bool pdl;          // the passes after the first may be launched early (pdl.cuh)
};

// The passes, in order. The first and the third read a map of scores. Most score passes fill `best`
// while they write the map (MapTiles), fused/, score/ and products/ have kernels that do so without
// a map, and collect.h has another collection, and a way of its own for the best match alone.

// Sets `best` of every tile from the map.
cudaError_t launch_peak_tiles(const PeakJob &job, int slots, cudaStream_t stream);
// Resets the state, chooses the level and lists the tiles that reach it.
cudaError_t launch_peak_select(const PeakJob &job, int slots, cudaStream_t stream);
// Collects candidates and chooses the matches; leaves done = 0 if that was inconclusive.
cudaError_t launch_peak_collect(const PeakJob &job, int slots, cudaStream_t stream);
// For slots that are not done: the tournament over the map's scores (tournament.cu).
cudaError_t launch_peak_tournament(const PeakJob &job, int slots, cudaStream_t stream);

// The first three of these. has_best: `best` is set already.
cudaError_t launch_peak_passes(const PeakJob &job, int slots, bool has_best, cudaStream_t stream);

// Sets *may to true if the passes may be launched early on the current device.
cudaError_t peak_select_may_use_pdl(bool *may);

} // namespace xncc

#endif
