// SPDX-License-Identifier: BSD-2-Clause
// S and Q of whole windows of a plane of doubles without NaN, from the sums of its columns
// (column_sums.h). Data mapping: float_windows.cu.
#ifndef XNCC_CUDA_WINDOWS_FLOAT_WINDOWS_H
#define XNCC_CUDA_WINDOWS_FLOAT_WINDOWS_H

#include "cuda/planes/float_image.h"

namespace xncc {

// Windows of a row that are summed together.
constexpr int32_t FLOAT_WINDOWS = 512;

struct FloatWindowsJob {
    FloatColumns columns;
    int32_t templ_width;
    int32_t width, height; // map elements of the band
    double *S, *Q;         // maps; nullptr: nobody asks for it
    int64_t pitch;         // elements of a row of the maps
    bool adds;             // Q is added to what is there
};

// How many windows of a row have bounds in common: a multiple of FLOAT_WINDOWS.
int32_t float_windows_segment(int32_t templ_width, int32_t width);

// What the sums lose besides 8 units of 2^-53 of the sizes of a window's samples: Q at most `loss`
// times the reach of the segment's columns, and S `loss` times the root of its product with
// `samples`.
struct FloatWindowsLoss {
    double loss, samples;
};
FloatWindowsLoss float_windows_loss(const FloatColumns &columns, int32_t templ_width,
                                    int32_t templ_height, int32_t segment);

cudaError_t launch_float_windows(const FloatWindowsJob &job, cudaStream_t stream);

} // namespace xncc

#endif
