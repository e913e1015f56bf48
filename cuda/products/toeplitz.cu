// Lays templates out for the asynchronous matrix products of compute capability 9.0.
#include "cuda/products/toeplitz.h"

#include "cuda/runtime/pdl.cuh"

namespace xncc {

namespace {

constexpr int THREADS = 256;

__host__ __device__ int arrays_of(const xncc_tensor_blocks &b)
{
    return b.chunks + b.half;
}

// One thread a byte. Step q of array c holds template row (last - q) of the block: 8 values of b
// times 16 bytes of K. The array of halves holds 8 bytes of that row and 8 of the next.
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
    const unsigned char *pixels = job.slot_pixels[blockIdx.y];
    bool inside = row >= 0 && row < job.blocks.height && job.y + row < job.height && column >= 0 &&
                  column < job.blocks.width && job.x + column < job.width;
    job.toeplitz[blockIdx.y * job.slot_toeplitz + at] =
        inside ? pixels[(job.y + row) * job.pitch +
                        static_cast<int64_t>(job.x + column) * job.size + job.plane]
               : 0;
}

} // namespace

cudaError_t toeplitz_build(const ToeplitzJob &job, cudaStream_t stream)
{
    dim3 grid(static_cast<unsigned>(ceil_div<uint64_t>(job.blocks.toeplitz, THREADS)),
              static_cast<unsigned>(job.slots));
    build_toeplitz<<<grid, THREADS, 0, stream>>>(job);
    return cudaGetLastError();
}

cudaError_t toeplitz_may_use_pdl(bool *may)
{
    return may_use_pdl(build_toeplitz, may);
}

} // namespace xncc
