// SPDX-License-Identifier: BSD-2-Clause
// Floats and u32, one channel, all pixels count: X of the windows that the fast sums left in doubt,
// from their own samples.
#ifndef XNCC_CUDA_DIRECT_REFINE_H
#define XNCC_CUDA_DIRECT_REFINE_H

#include "cuda/planes/float_image.h"

namespace xncc {

// The windows in doubt of a band, in device memory: those on the first list, as many as there is
// room for, and those that stay in doubt.
struct FloatDoubts {
    FloatDoubt *list, *hard;
    uint32_t room;
};

struct RefineJob {
    FloatImage image;
    FloatConstants *constants; // and how many windows are on the lists
    FloatDoubts doubts;
    FloatColumns columns; // S and Q of the windows' columns
    int32_t templ_width, templ_height;
    xncc_method method;
    float undefined; // the score of a flat window by ccoeff_normed
    float *map;
    int64_t map_pitch;
};

// Replaces the XNCC_DOUBT of windows on the list by their scores, or puts them on the list of hard
// ones. processors: of the device.
cudaError_t launch_refine(const RefineJob &job, int processors, cudaStream_t stream);

} // namespace xncc

#endif
