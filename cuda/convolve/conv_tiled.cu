// SPDX-License-Identifier: BSD-2-Clause
// Convolution with the filter in constant memory: conv-tiled for any filter size and pixel type,
// and the textbook kernels conv-global, conv-constant and conv-cached-halo. They are in one file
// because they share its constant memory.
#include "cuda/convolve/conv_device.cuh"
#include "cuda/runtime/constant_read.cuh"
#include "cuda/runtime/dispatch.h"
#include "cuda/runtime/shared_memory.h"

namespace xncc {

namespace {

__constant__ __align__(16) unsigned char constant_cache[CONSTANT_BYTES];

__device__ const float *constant_filter()
{
    return reinterpret_cast<const float *>(constant_cache) + lane_zero();
}

// ---- conv-tiled for any filter size and pixel type
//
// Thread mapping: a block of 256 threads covers 128 columns and 32 rows of the result; a thread has
// 8 adjacent columns of 2 rows. The image pixels under the block are in dynamic shared memory, as
// floats (tile_rows rows of tile_pitch bytes). A thread reads 8 taps of a row at a time from
// constant memory.

constexpr int COLUMNS = 8, ROWS = 2;
constexpr int TILED_X = XNCC_TILE_WIDTH / COLUMNS, TILED_Y = XNCC_CONV_TILE_HEIGHT / ROWS;
constexpr int TILED_THREADS = TILED_X * TILED_Y;
constexpr int CHUNK = XNCC_CONV_CHUNK;

// Loads the tile, whose corner is image column x and row y. One warp per row.
template <class Pixel> __device__ void fill_tile(float *tile, const ConvolveJob &job, int x, int y)
{
    int across = job.tile_pitch / static_cast<int>(sizeof(float)),
        used = XNCC_TILE_WIDTH + (job.width + CHUNK - 1) / CHUNK * CHUNK;
    bool inside = x >= 0 && y >= job.first && x + used <= job.image_width &&
                  y + job.tile_rows <= job.end;
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    for (int row = warp; row < job.tile_rows; row += TILED_THREADS / 32) {
        const Pixel *line = reinterpret_cast<const Pixel *>(
                                job.data + static_cast<int64_t>(y + row - job.first) * job.pitch) +
                            x;
        if (inside) {
#pragma unroll 5
            for (int column = lane; column < used; column += 32)
                tile[row * across + column] = static_cast<float>(__ldg(line + column));
        } else {
            for (int column = lane; column < used; column += 32)
                tile[row * across + column] = pixel_at<Pixel>(job, x + column, y + row);
        }
    }
}

// Adds the products of image line j with TAPS adjacent taps of the filter rows that it meets: row j
// - k for row k of the thread. ALL: all of these filter rows exist. taps: of filter row 0.
template <int TAPS, bool ALL>
__device__ __forceinline__ void add_taps(float (&sum)[ROWS][COLUMNS], const float *line,
                                         const float *taps, const ConvolveJob &job, int j)
{
    constexpr int NEEDED = COLUMNS + TAPS - 1, VECTORS = (NEEDED + 3) / 4;
    float v[4 * VECTORS];
#pragma unroll
    for (int i = 0; i < VECTORS; i++)
        reinterpret_cast<float4 *>(v)[i] = reinterpret_cast<const float4 *>(line)[i];
#pragma unroll
    for (int k = 0; k < ROWS; k++) {
        if (ALL || static_cast<unsigned>(j - k) < static_cast<unsigned>(job.height)) {
            float tap[CHUNK];
            const float4 *vectors = reinterpret_cast<const float4 *>(taps +
                                                                     (j - k) * job.filter_pitch);
            // rows in constant memory are padded to whole vectors
#pragma unroll
            for (int t = 0; t < (TAPS + 3) / 4; t++)
                reinterpret_cast<float4 *>(tap)[t] = vectors[t];
#pragma unroll
            for (int t = 0; t < TAPS; t++)
#pragma unroll
                for (int i = 0; i < COLUMNS; i++)
                    sum[k][i] = __fmaf_rn(tap[t], v[i + t], sum[k][i]);
        }
    }
}

// Adds the products of image line j with all taps, from left to right.
template <bool ALL>
__device__ __forceinline__ void add_line(float (&sum)[ROWS][COLUMNS], const float *line,
                                         const ConvolveJob &job, int j)
{
    const float *taps = constant_filter();
    int left = job.width;
    for (; left >= CHUNK; left -= CHUNK, line += CHUNK, taps += CHUNK)
        add_taps<CHUNK, ALL>(sum, line, taps, job, j);
    switch (left) {
    case 1: add_taps<1, ALL>(sum, line, taps, job, j); break;
    case 2: add_taps<2, ALL>(sum, line, taps, job, j); break;
    case 3: add_taps<3, ALL>(sum, line, taps, job, j); break;
    case 4: add_taps<4, ALL>(sum, line, taps, job, j); break;
    case 5: add_taps<5, ALL>(sum, line, taps, job, j); break;
    case 6: add_taps<6, ALL>(sum, line, taps, job, j); break;
    case 7: add_taps<7, ALL>(sum, line, taps, job, j); break;
    default: break;
    }
}

// Needs job.shared_bytes of dynamic shared memory.
template <class Pixel> __global__ __launch_bounds__(TILED_THREADS) void tiled(ConvolveJob job)
{
    extern __shared__ float4 tile4[];
    float *tile = reinterpret_cast<float *>(tile4);
    int x0 = blockIdx.x * XNCC_TILE_WIDTH, y0 = blockIdx.y * XNCC_CONV_TILE_HEIGHT;
    fill_tile<Pixel>(tile, job, x0 - job.anchor_x, job.y0 + y0 - job.anchor_y);
    __syncthreads();
    int tx = threadIdx.x % TILED_X * COLUMNS, ty = threadIdx.x / TILED_X * ROWS;
    int across = job.tile_pitch / static_cast<int>(sizeof(float));
    const float *line = tile + ty * across + tx;
    float sum[ROWS][COLUMNS] = {};
    for (int j = 0; j < job.height + ROWS - 1; j++, line += across) {
        if (j >= ROWS - 1 && j < job.height)
            add_line<true>(sum, line, job, j);
        else
            add_line<false>(sum, line, job, j);
    }
#pragma unroll
    for (int k = 0; k < ROWS; k++)
        store(job, x0 + tx, y0 + ty + k, sum[k]);
}

// ---- the textbook kernels: blocks of 32 x 8 threads, one result per thread

constexpr int PLAIN_X = 32, PLAIN_Y = 8;

// conv-global (GLOBAL: the filter is in global memory) and conv-constant (it is in constant
// memory). The image comes through the cache.
template <class Pixel, bool GLOBAL>
__global__ __launch_bounds__(PLAIN_X *PLAIN_Y) void plain(ConvolveJob job)
{
    int x = blockIdx.x * PLAIN_X + threadIdx.x, y = blockIdx.y * PLAIN_Y + threadIdx.y;
    if (x >= job.image_width || y >= job.rows)
        return;
    const float *taps = GLOBAL ? job.filter : constant_filter();
    float sum = 0.0f;
    for (int j = 0; j < job.height; j++, taps += job.filter_pitch)
        for (int i = 0; i < job.width; i++)
            sum = __fmaf_rn(
                taps[i], pixel_at<Pixel>(job, x - job.anchor_x + i, job.y0 + y - job.anchor_y + j),
                sum);
    job.out[x + y * job.out_pitch] = sum;
}

// conv-cached-halo: the shared tile holds the pixels at the block's own positions; pixels around it
// come through the cache.
template <class Pixel>
__global__ __launch_bounds__(PLAIN_X *PLAIN_Y) void cached_halo(ConvolveJob job)
{
    __shared__ float tile[PLAIN_Y][PLAIN_X];
    int x = blockIdx.x * PLAIN_X + threadIdx.x, y = blockIdx.y * PLAIN_Y + threadIdx.y;
    tile[threadIdx.y][threadIdx.x] = pixel_at<Pixel>(job, x, job.y0 + min(y, job.rows - 1));
    __syncthreads();
    if (x >= job.image_width || y >= job.rows)
        return;
    const float *taps = constant_filter();
    float sum = 0.0f;
    for (int j = 0; j < job.height; j++, taps += job.filter_pitch) {
        int row = threadIdx.y + j - job.anchor_y;
        bool in_rows = static_cast<unsigned>(row) < PLAIN_Y &&
                       row + static_cast<int>(blockIdx.y * PLAIN_Y) < job.rows;
        for (int i = 0; i < job.width; i++) {
            int column = threadIdx.x + i - job.anchor_x, at = x - job.anchor_x + i;
            bool in_tile = in_rows && static_cast<unsigned>(column) < PLAIN_X &&
                           at < job.image_width;
            float v = in_tile ? tile[row][column]
                              : pixel_at<Pixel>(job, at, job.y0 + y - job.anchor_y + j);
            sum = __fmaf_rn(taps[i], v, sum);
        }
    }
    job.out[x + y * job.out_pitch] = sum;
}

template <class Pixel>
void launch_pixel(xncc_kernel kernel, const ConvolveJob &job, cudaStream_t stream)
{
    dim3 block(PLAIN_X, PLAIN_Y), grid = grid_of(job, PLAIN_X, PLAIN_Y);
    if (kernel == XNCC_KERNEL_CONV_GLOBAL)
        plain<Pixel, true><<<grid, block, 0, stream>>>(job);
    else if (kernel == XNCC_KERNEL_CONV_CONSTANT)
        plain<Pixel, false><<<grid, block, 0, stream>>>(job);
    else if (kernel == XNCC_KERNEL_CONV_CACHED_HALO)
        cached_halo<Pixel><<<grid, block, 0, stream>>>(job);
    else
        tiled<Pixel><<<grid_of(job, XNCC_TILE_WIDTH, XNCC_CONV_TILE_HEIGHT), TILED_THREADS,
                       static_cast<size_t>(job.shared_bytes), stream>>>(job);
}

} // namespace

const void *convolve_constant()
{
    return constant_cache;
}

cudaError_t convolve_set_max_shared_memory(int bytes)
{
    const cudaError_t code = unrolled_set_max_shared_memory(bytes);
    return code == cudaSuccess ? set_max_shared_memory(bytes, tiled<unsigned char>,
                                                       tiled<unsigned short>, tiled<float>)
                               : code;
}

cudaError_t launch_convolve(xncc_kernel kernel, xncc_pixel pixel, const ConvolveJob &job,
                            cudaStream_t stream)
{
    with_pixel(pixel, [&](auto of) { launch_pixel<decltype(of)>(kernel, job, stream); });
    return cudaGetLastError();
}

} // namespace xncc
