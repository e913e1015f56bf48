// SPDX-License-Identifier: BSD-2-Clause
// Where kernels put the scores of a band.
#ifndef XNCC_CUDA_RUNTIME_MAP_JOB_H
#define XNCC_CUDA_RUNTIME_MAP_JOB_H

#include <stdint.h>

namespace xncc {

// Where a pass puts the best score of each tile besides the map (PeakJob). Its band is the whole
// map.
struct MapTiles {
    uint32_t *best; // nullptr: the best scores are not asked for, and kernels without them run
    int32_t rows, across;
    float factor; // what scores are multiplied by: 1, or -1 if small ones are good
};

// What the parameters of such a kernel begin with.
struct MapJob {
    float *map;            // the band's first element
    int64_t map_pitch;     // elements per row
    int32_t width, height; // of the band, in map elements
    MapTiles tiles;        // only for kernels that say so
};

} // namespace xncc

#endif
