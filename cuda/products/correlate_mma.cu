// SPDX-License-Identifier: BSD-2-Clause
// X by integer matrix products, mma.sync.m16n8k32: the kernel `tensor-mma`, for compute capability
// 8.0 and later (correlate_mma.h).
//
// Method: the Toeplitz product that correlate_wgmma.cu derives. For one image row and one chunk of
// 32 template columns it is A[a][k] = I[8 a + k] times B[k][b] = T[k - b], which gives the row's
// contribution to map elements x = 8 a + b.
//
// Data mapping: a block of 128 threads is 2 x 2 warps and covers 512 x 32 map elements. A warp
// covers 256 x 16: two tiles of 16 values of a (128 map columns each), 16 map rows. For a chunk,
// image row i contributes to map row r with template row i - r, r = 0 .. 15. From one image row to
// the next these template rows advance by one, so the warp keeps 16 B fragments in registers as a
// ring and loads one fragment (two registers) per 32 products.
//
// Resources: dynamic shared memory blocks.shared_bytes holds all image rows under the block;
// 128 accumulators and 32 registers of B per thread, two blocks per multiprocessor
// (__launch_bounds__), so up to 255 registers. The template fragments come through the read-only
// cache.
//
// Unsigned 32-bit sums are exact: xncc_fit_tensor checks that the template's pixels times 255^2
// fit.
//
// Measured (H200, November 2026, 8192 x 8192, u8, whole match): n = 8 0.33 ms, 32 0.58 ms,
// 64 1.10 ms, 128 2.84 ms; correlate_wgmma.cu takes 0.27, 0.33, 0.60 and 1.53 ms there.
#include "cuda/products/mma_ptx.cuh"
#include "cuda/products/correlate_mma.h"
#include "cuda/runtime/shared_memory.h"

namespace xncc {

namespace {

constexpr int ROWS = XNCC_TENSOR_ROWS;
// Tiles per warp, of 16 values of a (128 map columns) each.
constexpr int TILES = 2;
constexpr int WARP_COLUMNS = 128 * TILES;
constexpr int WARPS_ACROSS = XNCC_TENSOR_COLUMNS / WARP_COLUMNS, WARPS_DOWN = XNCC_TENSOR_MMA_DOWN;
constexpr int THREADS = 32 * WARPS_ACROSS * WARPS_DOWN;
// Template columns per product.
constexpr int CHUNK = 32;

// Asynchronous copy of 16 bytes from global to shared memory, past the first-level cache.
__device__ __forceinline__ void copy16(void *to, const void *from)
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(
                     static_cast<uint32_t>(__cvta_generic_to_shared(to))),
                 "l"(from));
#endif
}

// Loads the image rows under a block's tile into shared memory. Past the plane's right and bottom
// edge its last bytes are repeated; they only meet zeros of the template or windows outside the
// map.
__device__ void load_image(const MmaJob &job, unsigned char *tile, int x0, int y0)
{
    const TensorPlane &image = job.image;
    int pieces = job.blocks.row_bytes / 16,
        rows = ROWS * (WARPS_DOWN - 1) + XNCC_TENSOR_PERIOD * job.blocks.periods;
    for (int i = threadIdx.x; i < rows * pieces; i += THREADS) {
        int y = i / pieces, x = i % pieces * 16;
        const unsigned char *row = image.data +
                                   static_cast<int64_t>(min(y0 + y, image.height - 1)) *
                                       image.pitch;
        copy16(tile + y * job.blocks.row_bytes + x, row + min(x0 + x, image.width - 16));
    }
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_all;" ::: "memory");
#endif
    __syncthreads();
}

// Adds the products of one chunk of template columns with all `rows` image rows under a warp's
// tile. image: the thread's bytes of the first row; pitch: bytes per row. toeplitz: the chunk's
// fragments, with the lane's offset.
__device__ __forceinline__ void run_chunk(uint32_t (*d)[TILES][4], const unsigned char *image,
                                          const uint2 *toeplitz, int rows, int pitch)
{
    uint2 b[ROWS]; // ring: the fragment for map row r and image row i is b[(r - i) % 16]
#pragma unroll
    for (int r = 0; r < ROWS; r++)
        b[r] = __ldg(toeplitz + (ROWS - 1 - r) * 32);
    for (int i = 0; i < rows; i += ROWS, toeplitz += ROWS * 32) {
#pragma unroll
        for (int s = 0; s < ROWS; s++, image += pitch) {
            uint2 next = __ldg(toeplitz + (s + ROWS) * 32);
            uint32_t a[TILES][4];
#pragma unroll
            for (int m = 0; m < TILES; m++)
#pragma unroll
                for (int k = 0; k < 4; k++)
                    a[m][k] = *reinterpret_cast<const uint32_t *>(image + 128 * m + 64 * (k % 2) +
                                                                  16 * (k / 2));
#pragma unroll
            for (int r = 0; r < ROWS; r++)
#pragma unroll
                for (int m = 0; m < TILES; m++)
                    mma_m16n8k32(d[r][m], a[m], b[(r - s + ROWS) % ROWS]);
            b[ROWS - 1 - s] = next;
        }
    }
}

__global__ __launch_bounds__(THREADS, 2) void correlate_mma(const __grid_constant__ MmaJob job)
{
    extern __shared__ __align__(16) unsigned char tile[];
    int x0 = blockIdx.x * XNCC_TENSOR_COLUMNS, y0 = blockIdx.y * ROWS * WARPS_DOWN;
    load_image(job, tile, x0 + job.x, y0 + job.y);
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32, g = lane / 4, t = lane % 4;
    int across = warp % WARPS_ACROSS, down = warp / WARPS_ACROSS,
        rows = XNCC_TENSOR_PERIOD * job.blocks.periods;
    uint32_t d[ROWS][TILES][4] = {};
    const unsigned char *image = tile + down * ROWS * job.blocks.row_bytes + across * WARP_COLUMNS +
                                 8 * g + 4 * t;
    for (int chunk = 0; chunk < job.blocks.chunks; chunk++)
        run_chunk(d, image + CHUNK * chunk, job.toeplitz + chunk * (rows + ROWS) * 32 + lane, rows,
                  job.blocks.row_bytes);
    int x = x0 + across * WARP_COLUMNS + 8 * g + 2 * t, y = y0 + down * ROWS;
    uint32_t *to = job.sums + static_cast<int64_t>(y) * job.pitch + x;
#pragma unroll
    for (int r = 0; r < ROWS; r++, to += job.pitch)
#pragma unroll
        for (int m = 0; m < TILES; m++)
#pragma unroll
            for (int k = 0; k < 2; k++) {
                uint2 *p = reinterpret_cast<uint2 *>(to + 128 * m + 64 * k);
                uint2 before = job.add ? *p : make_uint2(0, 0);
                *p = make_uint2(before.x + d[r][m][2 * k], before.y + d[r][m][2 * k + 1]);
            }
}

// Lays one block of a template out as B fragments of mma.m16n8k32. One thread per lane's register
// pair. For each chunk, step q holds template row q - 15, so that 15 zero rows precede the
// template; rows and columns outside it are 0.
__global__ void build_fragments(ToeplitzJob job)
{
    int steps = XNCC_TENSOR_PERIOD * job.blocks.periods + ROWS,
        at = blockIdx.x * blockDim.x + threadIdx.x;
    if (at >= steps * job.blocks.chunks * 32)
        return;
    int lane = at % 32, row = at / 32 % steps - (ROWS - 1), chunk = at / 32 / steps, b = lane / 4,
        t = lane % 4;
    uint32_t words[2] = { 0, 0 };
    bool inside = row >= 0 && row < job.blocks.height && job.y + row < job.height;
    const unsigned char *pixels = job.pixels[0] + (job.y + row) * job.pitch;
    for (int i = 0; i < 8; i++) {
        int column = CHUNK * chunk + 16 * (i / 4) + 4 * t + i % 4 - b;
        if (inside && column >= 0 && column < job.blocks.width && job.x + column < job.width)
            words[i / 4] |=
                static_cast<uint32_t>(pixels[static_cast<int64_t>(job.x + column) * job.step])
                << (8 * (i % 4));
    }
    reinterpret_cast<uint2 *>(job.toeplitz)[at] = make_uint2(words[0], words[1]);
}

} // namespace

cudaError_t mma_set_max_shared_memory(int most)
{
    return set_max_shared_memory(most, correlate_mma);
}

cudaError_t mma_build(const ToeplitzJob &job, cudaStream_t stream)
{
    unsigned count = static_cast<unsigned>((XNCC_TENSOR_PERIOD * job.blocks.periods + ROWS) *
                                           job.blocks.chunks * 32);
    build_fragments<<<(count + 255) / 256, 256, 0, stream>>>(job);
    return cudaGetLastError();
}

cudaError_t mma_launch(const MmaJob &job, cudaStream_t stream)
{
    const dim3 grid = rows_grid(job.width, ceil_div(job.height, ROWS * WARPS_DOWN),
                                XNCC_TENSOR_COLUMNS);
    correlate_mma<<<grid, THREADS, static_cast<size_t>(job.blocks.shared_bytes), stream>>>(job);
    return cudaGetLastError();
}

} // namespace xncc
