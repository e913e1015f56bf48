// SPDX-License-Identifier: BSD-2-Clause
// Tracking: the scores of many chips, each in a window of its own, and what is read of each map of
// scores, in one launch. For compute capability 8.0 and later. Method and data mapping:
// track_chips.cu.
#ifndef XNCC_CUDA_TRACK_TRACK_CHIPS_H
#define XNCC_CUDA_TRACK_TRACK_CHIPS_H

#include "cuda/runtime/handles.h"

extern "C" {
#include "engine/chip_ops.h"
}

namespace xncc {

// What is read of the map of a chip. The scores around the best one follow it: side * side floats,
// row by row, NaN where there is none.
struct ChipRecord {
    double sum, squares; // as in xncc_reading
    int32_t n;           // likewise
    int32_t x, y;        // the best window; x is -1 if no window has a score
    float second;        // the best of the other local maxima, -infinity if there is none
};

// How the shared memory of a block is laid out. All offsets are in bytes, but where they say
// otherwise.
struct ChipLayout {
    int32_t pieces;       // groups of 48 columns that the products of a row of the chip read
    int32_t tiles;        // of 8 map rows that a warp computes at a time
    int32_t units;        // parts of the map that a warp computes at a time: 16 columns, `tiles`
    int32_t groups;       // of 16 columns of the map
    int32_t warps;        // per block
    int32_t window_pitch; // from one row of the window to the next: 16 times an odd number
    int32_t window_plane; // from the window's low bytes to its high bytes
    int32_t sums_at, sums_pitch; // S and Q of the windows; words from row to row, an odd number
    int32_t chip_at;             // the chip: words of four copies side by side
    int32_t chip_plane;          // from the chip's low bytes to its high bytes
    int32_t bytes;               // in all
};

// Chips of `problem`, which are sought in maps of at most its map's extents.
struct ChipJob {
    const unsigned char *from, *scene; // the images that the chips and the windows are taken from
    int64_t from_pitch, scene_pitch;   // bytes
    int32_t from_width, scene_width;   // pixels
    const xncc_chip_place *place;      // `count` of them, inside of the images
    unsigned char *record;             // `count` of them, record_bytes apart
    int32_t record_bytes, side;
    int32_t count;
    int32_t chip_width, chip_height, map_width, map_height;
    int32_t centred; // 1: ccoeff_normed; 0: ccorr_normed
    int32_t planes;  // bytes per sample
    ChipLayout layout;
};

// The oldest architecture, as __CUDA_ARCH__, that has the kernel.
constexpr int TRACK_ARCH = 800;

// Fills a job's layout from its extents and planes. Returns false if the kernel cannot serve them
// with `most` bytes of shared memory per block.
bool track_chips_fit(ChipJob *job, int64_t most);

// The bytes of a record with its scores.
constexpr int32_t record_bytes(int32_t side)
{
    return static_cast<int32_t>((sizeof(ChipRecord) + 4 * static_cast<size_t>(side * side) + 7) /
                                8 * 8);
}

// Sets the kernels' limit of dynamic shared memory on the current device.
cudaError_t track_set_max_shared_memory(int most);

// Launches the chips of a job. count: at least 1.
cudaError_t track_chips_launch(const ChipJob &job, cudaStream_t stream);

} // namespace xncc

#endif
