// Kernel general: every window by itself, pixel by pixel.
#ifndef XNCC_CUDA_DIRECT_GENERAL_H
#define XNCC_CUDA_DIRECT_GENERAL_H

#include "cuda/runtime/handles.h"
#include "math/general_score.h"

namespace xncc {

// Kernel joint: a part of the map.
struct PixelsJob {
    xncc_image image; // in device memory
    xncc_border border;
    int64_t x, y;                // image pixel where the first window begins
    int32_t width, rows;         // windows
    const unsigned char *pixels; // of the template, as DeviceTemplate has them
    int64_t pitch;
    const uint8_t *mask;
    int32_t templ_width, templ_height, channels;
    xncc_method method;
    xncc_general_rule rule;
    float *map;
    int64_t map_pitch; // elements
};
cudaError_t launch_pixels(const PixelsJob &job, cudaStream_t stream);

} // namespace xncc

#endif
