// SPDX-License-Identifier: BSD-2-Clause
// Expands templates to the Toeplitz matrices of correlate_wgmma.cu, as matrix descriptors read
// them.
#include "cuda/products/toeplitz.h"

#include "cuda/runtime/pdl.cuh"

namespace xncc {

namespace {

constexpr int THREADS = 256;

// Chunk arrays: one per whole chunk of 16 template bytes per row, and one for half chunks.
__host__ __device__ int arrays_of(const xncc_tensor_blocks &b)
{
    return b.chunks + b.half;
}

// One thread per byte of the result; blockIdx.y is the plane.
//
// The result is a sequence of core matrices of 8 x 16 bytes (XNCC_TENSOR_CORE): for each step q,
// one core matrix per chunk array. Step q holds template row r = 8 * periods - 1 - q of the block,
// so steps go from the bottom row to the top, with zero rows on both sides. Row b and column k of
// the core matrix of chunk array c is T(16 c + k - b, r), zero outside the template. In the array
// of half chunks columns 0..7 belong to row r and columns 8..15 to row r + 1.
__global__ void build_toeplitz(ToeplitzJob job)
{
    let_next_begin();
    int64_t at = static_cast<int64_t>(blockIdx.x) * THREADS + threadIdx.x;
    if (at >= static_cast<int64_t>(job.blocks.toeplitz))
        return;
    int k = static_cast<int>(at % 16), b = static_cast<int>(at / 16 % 8),
        core = static_cast<int>(at / XNCC_TENSOR_CORE);
    int array = core % arrays_of(job.blocks), step = core / arrays_of(job.blocks);
    int row = XNCC_TENSOR_PERIOD * job.blocks.periods - 1 - step, column = 16 * array - b;
    if (array < job.blocks.chunks) {
        column += k;
    } else {
        row += k / 8;
        column += k % 8;
    }
    const unsigned char *pixels = job.pixels[blockIdx.y];
    bool inside = row >= 0 && row < job.blocks.height && job.y + row < job.height && column >= 0 &&
                  column < job.blocks.width && job.x + column < job.width;
    job.toeplitz[blockIdx.y * job.slot_toeplitz + at] =
        inside ? pixels[(job.y + row) * job.pitch + static_cast<int64_t>(job.x + column) * job.step]
               : 0;
}

} // namespace

cudaError_t toeplitz_build(const ToeplitzJob &job, cudaStream_t stream)
{
    const int64_t blocks = ceil_div<int64_t>(job.blocks.toeplitz, THREADS);
    build_toeplitz<<<make_grid(blocks, job.slots), THREADS, 0, stream>>>(job);
    return cudaGetLastError();
}

cudaError_t toeplitz_may_use_pdl(bool *may)
{
    return may_use_pdl(build_toeplitz, may);
}

} // namespace xncc
