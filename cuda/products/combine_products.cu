// X of 16-bit pixels from the four products of their bytes; see combine_products.h.
#include "cuda/products/combine_products.h"

namespace xncc {

namespace {

constexpr int THREADS = 256;

// One thread per map element, one grid row per map row. Plane 2 i + j of `products` is the product
// of byte i of the image with byte j of the template (0: low, 1: high).
__global__ void combine(const uint32_t *products, int64_t step, int64_t pitch, uint64_t *sums,
                        int64_t sums_pitch, int width)
{
    int x = blockIdx.x * THREADS + threadIdx.x;
    if (x >= width)
        return;
    const uint32_t *p = products + blockIdx.y * pitch + x;
    uint64_t middle = static_cast<uint64_t>(p[step]) + p[2 * step];
    sums[blockIdx.y * sums_pitch + x] = p[0] + (middle << 8) +
                                        (static_cast<uint64_t>(p[3 * step]) << 16);
}

} // namespace

void launch_combine(const uint32_t *products, int64_t step, int64_t pitch, uint64_t *sums,
                    int64_t sums_pitch, int32_t width, int32_t rows, cudaStream_t stream)
{
    combine<<<rows_grid(width, rows, THREADS), THREADS, 0, stream>>>(products, step, pitch, sums,
                                                                     sums_pitch, width);
}

} // namespace xncc
