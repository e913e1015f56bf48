// SPDX-License-Identifier: BSD-2-Clause
// Kernel `general`: computes the score of each window by itself, pixel by pixel, for every pixel
// type, mask and number of channels.
#ifndef XNCC_CUDA_DIRECT_GENERAL_H
#define XNCC_CUDA_DIRECT_GENERAL_H

#include "cuda/runtime/handles.h"
#include "cuda/runtime/map_job.h"
#include "math/general_score.h"

namespace xncc {

// The parameters of a launch: a rectangle of the map.
struct PixelsJob {
    xncc_image image; // in device memory, with its pitches
    xncc_border border;
    int64_t x, y;                // the image pixel where the first window begins
    int32_t width, rows;         // windows per row, and rows of windows
    const unsigned char *pixels; // the template, as DeviceTemplate stores it
    int64_t pitch;               // bytes per row of the template
    const uint8_t *mask;         // of the template, tightly packed; nullptr: all pixels count
    int32_t templ_width, templ_height, channels;
    xncc_method method;
    xncc_general_rule rule; // of the template
    float *map;             // the score of the first window
    int64_t map_pitch;      // elements per row
    bool varies;            // which pixels count depends on the image
    int32_t shared_bytes;   // 0, or the shared memory of a block of the forms for small templates
    // Floats. 0: the kernel makes all windows. Else it makes those that are XNCC_DOUBT, and only in
    // thread blocks where at least `doubts` threads have one. It ends at once if no more than
    // `room` windows of the map are in doubt; *listed says how many are.
    int32_t doubts;
    const uint32_t *listed;
    uint32_t room;
    // small_exact.cu: all samples of windows that are XNCC_DOUBT are finite, so that those which
    // are not count for nothing.
    bool finite;
    // Counts the windows that become XNCC_DOUBT, as long as they are few; nullptr: nobody asks.
    uint32_t *in_doubt;
    MapTiles tiles; // raised by the kernels that settle windows
};

// Launches the kernel, in several pieces if the rectangle has more than 2^31 - 1 blocks.
cudaError_t launch_pixels(const PixelsJob &job, cudaStream_t stream);

// The same for floats and u32, which may become XNCC_DOUBT (math/near.h).
cudaError_t launch_float_pixels(const PixelsJob &job, cudaStream_t stream);

// Calls launch(some, grid) for parts of a job that a grid has room for: so many blocks across, each
// of which has `windows` rows.
template <class Launch>
void each_part(const PixelsJob &job, int across, int windows, const Launch &launch)
{
    const int32_t step = INT32_MAX / across / windows * windows;
    for (int32_t row = 0; row < job.rows; row += step) {
        PixelsJob some = job;
        some.rows = job.rows - row < step ? job.rows - row : step;
        some.y += row;
        some.map += row * job.map_pitch;
        launch(some, make_grid(int64_t{ across } * ceil_div(some.rows, windows)));
        if (job.rows - row <= step)
            break;
    }
}

// The forms for f32, f64 and u32 under templates of at most XNCC_FLOAT_FUSED_TEMPLATE columns and
// rows of which all pixels count, by every method but coverage, which launch_pixels takes if
// `shared_bytes` is not 0. small_floats.cu serves any number of channels, if all pixels of the
// image count; small_masked.cu serves one channel.
cudaError_t launch_small_floats(const PixelsJob &job, cudaStream_t stream);
cudaError_t launch_small_masked(const PixelsJob &job, cudaStream_t stream);

// Raise the dynamic shared-memory limit on the current device of the forms for small templates, and
// of one of them.
cudaError_t small_pixels_set_max_shared_memory(bool varies, int bytes);
cudaError_t small_floats_set_max_shared_memory(int bytes);
cudaError_t small_masked_set_max_shared_memory(int bytes);

} // namespace xncc

#endif
