// SPDX-License-Identifier: BSD-2-Clause
// S and Q of every window row, that is of every run of `size` pixels in a staged image row. First
// half of the window sums; column_score.h adds them down the columns. Data mapping: row_sums.cu.
#ifndef XNCC_CUDA_WINDOWS_ROW_SUMS_H
#define XNCC_CUDA_WINDOWS_ROW_SUMS_H

#include "cuda/planes/stage.h"

namespace xncc {

struct RowSumsJob {
    // The image under the band.
    StageView stage;
    // Pixels per window row.
    int32_t size;
    // Windows per row, and image rows, from the first row of the band's first window on.
    int32_t columns;
    int32_t rows;
    // Output: S and Q of a window row side by side. uint2 for 8 bits, modulo 2^32, which is exact
    // for rows of up to 65536 pixels; ulonglong2 for 16 bits; double2 for f32, sums of pixel -
    // pivot. Rows are padded to a multiple of 4 elements.
    void *sums;
    // Pitch of `sums` in elements.
    int64_t pitch;
    // f32 only: subtracted from every pixel.
    double pivot;
};

cudaError_t launch_row_sums(xncc_pixel pixel, const RowSumsJob &job, cudaStream_t stream);

} // namespace xncc

#endif
