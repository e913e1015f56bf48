// X of 16-bit pixels from the products of their bytes. The launcher leaves the launch status to
// cudaGetLastError.
#ifndef XNCC_CUDA_PRODUCTS_COMBINE_PRODUCTS_H
#define XNCC_CUDA_PRODUCTS_COMBINE_PRODUCTS_H

#include "cuda/runtime/handles.h"

namespace xncc {

// sums = p[0] + 2^8 (p[1] + p[2]) + 2^16 p[3], where p[k] is the plane of products `step` elements
// after the one before. Pitches in elements; rows <= 65535.
void launch_combine(const uint32_t *products, int64_t step, int64_t pitch, uint64_t *sums,
                    int64_t sums_pitch, int32_t width, int32_t rows, cudaStream_t stream);

} // namespace xncc

#endif
