// SPDX-License-Identifier: BSD-2-Clause
// Kernel float-fused: the scores of f32, f64 and u32 under small templates, one channel, all pixels
// counting, in one pass from the image to the map. X, S and Q of a window are sums of its own
// samples in double, so their bounds (math/window_bounds.h) are small. Where they leave two floats,
// the map gets XNCC_DOUBT (math/near.h), and the window is put on the list of hard ones. Data
// mapping: fused_floats.cu.
#ifndef XNCC_CUDA_FUSED_FUSED_FLOATS_H
#define XNCC_CUDA_FUSED_FUSED_FLOATS_H

#include "cuda/planes/float_image.h"
#include "cuda/runtime/map_job.h"

namespace xncc {

struct FusedFloatsJob {
    FloatImage image;
    FloatConstants *constants; // of the template; how many windows are in doubt
    xncc_method method;
    int32_t width, height; // of the band, in map elements
    int32_t templ_width, templ_height;
    float undefined; // the score of a flat window by ccoeff_normed
    float *map;
    int64_t map_pitch;
    FloatDoubt *doubts; // windows in doubt, as many as there is room for
    uint32_t room;
    // The best scores of the tiles, which begin as 0, are raised by all windows but those in doubt.
    MapTiles tiles;
};

// Raises the dynamic shared-memory limit of the kernels on the current device.
cudaError_t fused_floats_set_max_shared_memory(int bytes);

// The method is not XNCC_COVERAGE. The template has at most XNCC_FLOAT_FUSED_TEMPLATE columns and
// rows.
cudaError_t launch_fused_floats(const FusedFloatsJob &job, cudaStream_t stream);

} // namespace xncc

#endif
