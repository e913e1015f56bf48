// Sums over whole windows of a plane of bytes.
#ifndef XNCC_CUDA_WINDOWS_WINDOW_SUMS_H
#define XNCC_CUDA_WINDOWS_WINDOW_SUMS_H

#include "cuda/runtime/handles.h"

namespace xncc {

// Sums over whole windows of a plane of bytes, or of their squares.
struct WindowsJob {
    const unsigned char *bytes;
    int64_t pitch;
    int32_t templ_width, templ_height;
    int32_t width, height; // windows
    uint32_t *rows;        // height + templ_height - 1 rows of sums along rows
    int64_t rows_pitch;    // elements, as of the sums; a multiple of 4
    int32_t square, add, wide;
    void *sums; // 32 or, wide, 64 bits
};
cudaError_t launch_windows(const WindowsJob &job, cudaStream_t stream);

} // namespace xncc

#endif
