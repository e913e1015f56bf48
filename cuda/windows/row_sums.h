// SPDX-License-Identifier: BSD-2-Clause
// S and Q of every window row, that is of every run of `size` pixels in a staged image row. First
// half of the window sums; column_score.h adds them down the columns. Data mapping: row_sums.cu.
#ifndef XNCC_CUDA_WINDOWS_ROW_SUMS_H
#define XNCC_CUDA_WINDOWS_ROW_SUMS_H

#include "cuda/planes/stage.h"

namespace xncc {

// Types for a pixel type: Value holds S and Q of a window row side by side, Part is one of them. 8
// bits: modulo 2^32, which is exact for rows of up to 65536 pixels. f32: sums of pixel - pivot.
template <xncc_pixel PIXEL> struct RowSums;
template <> struct RowSums<XNCC_U8> {
    using Value = uint2;
    using Part = uint32_t;
    using Pixel = unsigned char;
};
template <> struct RowSums<XNCC_U16> {
    using Value = ulonglong2;
    using Part = uint64_t;
    using Pixel = unsigned short;
};
template <> struct RowSums<XNCC_F32> {
    using Value = double2;
    using Part = double;
    using Pixel = float;
};

struct RowSumsJob {
    // The image under the band.
    StageView stage;
    // Pixels per window row.
    int32_t size;
    // Windows per row, and image rows, from the first row of the band's first window on.
    int32_t columns;
    int32_t rows;
    // Output: RowSums<pixel>::Value. Rows are padded to a multiple of 4 elements.
    void *sums;
    // Pitch of `sums` in elements.
    int64_t pitch;
    // f32 only: subtracted from every pixel.
    double pivot;
};

cudaError_t launch_row_sums(xncc_pixel pixel, const RowSumsJob &job, cudaStream_t stream);

} // namespace xncc

#endif
