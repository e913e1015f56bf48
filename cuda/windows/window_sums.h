// SPDX-License-Identifier: BSD-2-Clause
// Sums over whole windows of a byte plane of the image, any size of window. (For narrow windows
// whose sums fit 32 bits, launch_slide in sliding_score_u8.h is faster.) Data mapping:
// window_sums.cu.
#ifndef XNCC_CUDA_WINDOWS_WINDOW_SUMS_H
#define XNCC_CUDA_WINDOWS_WINDOW_SUMS_H

#include "cuda/runtime/handles.h"

namespace xncc {

//     sums(x, y) (+)= sum over the window of v, or (square) of v^2
struct WindowsJob {
    // The plane: height + templ_height - 1 rows of width + templ_width - 1 bytes; pitch in bytes.
    const unsigned char *bytes;
    int64_t pitch;
    // Size of a window in pixels; at most 65536 wide.
    int32_t templ_width, templ_height;
    // Number of windows per row, and of rows.
    int32_t width, height;
    // Scratch memory: height + templ_height - 1 rows of sums along image rows.
    uint32_t *rows;
    // Pitch of `rows` and of `sums` in elements; a multiple of 4.
    int64_t rows_pitch;
    // square: sum squares. add: add to `sums`. wide: 64-bit sums.
    int32_t square, add, wide;
    // Output: uint32_t or (wide) uint64_t.
    void *sums;
};

cudaError_t launch_windows(const WindowsJob &job, cudaStream_t stream);

} // namespace xncc

#endif
