// First pass: S and Q of every window row, that is of every run of `width` pixels in a staged image
// row.
#ifndef XNCC_CUDA_WINDOWS_ROW_SUMS_H
#define XNCC_CUDA_WINDOWS_ROW_SUMS_H

#include "cuda/planes/stage.h"

namespace xncc {

// S and Q of a window row, side by side. 8 bits: modulo 2^32, which is exact for rows up to 65536
// pixels. Floats: of pixel - pivot.
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
    StageView stage;
    int32_t size;    // pixels of a window row
    int32_t columns; // windows a row
    int32_t rows;    // rows, from the first row of the band's first window on
    void *sums;      // RowSums<pixel>::Value
    int64_t pitch;   // elements a row
    double pivot;    // floats only
};

cudaError_t launch_row_sums(xncc_pixel pixel, const RowSumsJob &job, cudaStream_t stream);

} // namespace xncc

#endif
