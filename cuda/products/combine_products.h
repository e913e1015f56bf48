// X of 16-bit pixels from the four products of their bytes.
#ifndef XNCC_CUDA_PRODUCTS_COMBINE_PRODUCTS_H
#define XNCC_CUDA_PRODUCTS_COMBINE_PRODUCTS_H

#include "cuda/runtime/handles.h"

namespace xncc {

//     sums(x, y) = p0(x, y) + 2^8 (p1(x, y) + p2(x, y)) + 2^16 p3(x, y)
//
// pk is plane k of `products`, image byte * template byte: low * low, low * high, high * low,
// high * high.
//
// step: elements from one plane to the next. pitch, sums_pitch: elements per row. width: map
// elements per row. rows: at most 65535 (grid.y). 256 threads per block, no shared memory, any
// compute capability. The launcher does not return the launch status: ask cudaGetLastError().
void launch_combine(const uint32_t *products, int64_t step, int64_t pitch, uint64_t *sums,
                    int64_t sums_pitch, int32_t width, int32_t rows, cudaStream_t stream);

} // namespace xncc

#endif
