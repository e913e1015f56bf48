// SPDX-License-Identifier: BSD-2-Clause
// conv-tiled for float images and the filter sizes of xncc_conv_is_unrolled, with the filter's
// width known to the compiler.
//
// Thread mapping: a block of 256 threads covers 128 columns and 64 rows of the result; a thread has
// 32 adjacent columns of one row. Each tap is an operand of 32 fused multiply-adds, and each pixel,
// once in a register, serves a whole row of taps. So neither shared memory nor the issue rate is
// the limit. The taps are a kernel parameter in constant memory and reach the arithmetic through
// uniform registers. The image pixels under the block are in dynamic shared memory
// (job.shared_bytes), which compute capability 8.0 and later fill with asynchronous copies.
//
// Measured on one H200, 2026-11, 27 x 27 on 1920 x 1080, in a graph: 0.058 ms. With 8 columns of 4
// rows per thread and the taps in shared memory it took 0.071 ms
// (docs/notes/2026-11-convolution.md).
#include "cuda/convolve/conv_device.cuh"
#include "cuda/runtime/dispatch.h"
#include "cuda/runtime/shared_memory.h"

#include <string.h>

namespace xncc {

namespace {

constexpr int COLUMNS = 32, HEIGHT = XNCC_CONV_UNROLLED_HEIGHT, ACROSS = XNCC_TILE_WIDTH / COLUMNS,
              THREADS = ACROSS * HEIGHT;
// Floats per vector; after every GAP vectors of a tile's row, one vector stays empty.
constexpr int VECTOR = 4, GAP = 8;

// The taps, with each filter row padded to whole vectors.
struct RowTaps {
    float4 v[XNCC_CONV_PARAMETER_BYTES / sizeof(float4)];
};
static_assert(sizeof(RowTaps) + sizeof(ConvolveJob) <= 4096,
              "every device takes 4 KB of parameters");

// The geometry of a row for filters of WIDTH taps.
template <int WIDTH> struct Row {
    // Vectors of taps.
    static constexpr int TAPS = (WIDTH + VECTOR - 1) / VECTOR;
    // Columns of the tile to the left of the first window.
    static constexpr int SHIFT = XNCC_CONV_SHIFT(WIDTH);
    // Vectors of pixels per row of the tile.
    static constexpr int VECTORS = (SHIFT + XNCC_TILE_WIDTH + WIDTH - 1 + VECTOR - 1) / VECTOR;
};

// The place of a vector in a tile's row. A quarter of a warp is served at a time; its lanes read
// vectors that are 8 apart, in 2 adjacent rows. The gaps, and rows that begin 4 vectors apart
// modulo 8 (plan/cost_cuda.c), spread these reads over all banks of shared memory.
__host__ __device__ constexpr int place(int vector)
{
    return vector + vector / GAP;
}

// Copies BYTES (16 or 4) bytes to shared memory, asynchronously where the device can. blank: writes
// zeros instead.
template <int BYTES>
__device__ __forceinline__ void copy_async(float *to, const float *from, bool blank)
{
#if __CUDA_ARCH__ >= 800
    unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(to));
    if (BYTES == 16)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(address), "l"(from),
                     "r"(blank ? 0 : 16)
                     : "memory");
    else
        asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(address), "l"(from),
                     "r"(blank ? 0 : 4)
                     : "memory");
#else
    if (BYTES == 16)
        *reinterpret_cast<float4 *>(to) = blank ? make_float4(0.0f, 0.0f, 0.0f, 0.0f)
                                                : __ldg(reinterpret_cast<const float4 *>(from));
    else
        *to = blank ? 0.0f : __ldg(from);
#endif
}

// Waits for the copies of all threads of the block.
__device__ __forceinline__ void wait_copies()
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_all;" ::: "memory");
#endif
    __syncthreads();
}

// Loads the tile. x, y: the image column and row of its corner. Each thread loads one vector of
// every AT_ONCE-th row.
template <int WIDTH>
__device__ __forceinline__ void fill(float *tile, const ConvolveJob &job, int x, int y)
{
    constexpr int AT_ONCE = THREADS / Row<WIDTH>::VECTORS;
    int vector = threadIdx.x % Row<WIDTH>::VECTORS, row = threadIdx.x / Row<WIDTH>::VECTORS;
    if (threadIdx.x >= AT_ONCE * Row<WIDTH>::VECTORS)
        return;
    x += vector * VECTOR;
    bool aligned = (reinterpret_cast<uintptr_t>(job.data) | static_cast<uintptr_t>(job.pitch)) %
                       sizeof(float4) ==
                   0;
    bool whole = aligned && x % VECTOR == 0 && x >= 0 && x + VECTOR <= job.image_width;
    int across = job.tile_pitch / static_cast<int>(sizeof(float));
    float *out = tile + row * across + place(vector) * VECTOR;
    for (; row < job.tile_rows; row += AT_ONCE, out += AT_ONCE * across) {
        int line = min(max(y + row, job.first), job.end - 1);
        bool blank = job.zero && line != y + row;
        const float *in = reinterpret_cast<const float *>(
            job.data + static_cast<int64_t>(line - job.first) * job.pitch);
        if (whole) {
            copy_async<16>(out, in + x, blank);
            continue;
        }
#pragma unroll
        for (int i = 0; i < VECTOR; i++) {
            int column = min(max(x + i, 0), job.image_width - 1);
            copy_async<4>(out + i, in + column, blank || (job.zero && column != x + i));
        }
    }
}

// Adds the products of one tile row with one filter row.
template <int WIDTH>
__device__ __forceinline__ void add_row(float (&sum)[COLUMNS], const float4 *line,
                                        const float4 *taps)
{
    constexpr int NEEDED = (Row<WIDTH>::SHIFT + COLUMNS + WIDTH - 1 + VECTOR - 1) / VECTOR;
    float v[NEEDED * VECTOR];
#pragma unroll
    for (int i = 0; i < NEEDED; i++)
        reinterpret_cast<float4 *>(v)[i] = line[place(i)];
#pragma unroll
    for (int c = 0; c < Row<WIDTH>::TAPS; c++) {
        const float tap[VECTOR] = { taps[c].x, taps[c].y, taps[c].z, taps[c].w };
#pragma unroll
        for (int t = 0; t < VECTOR; t++)
#pragma unroll
            for (int i = 0; i < COLUMNS; i++)
                if (VECTOR * c + t < WIDTH)
                    sum[i] = __fmaf_rn(tap[t], v[Row<WIDTH>::SHIFT + i + VECTOR * c + t], sum[i]);
    }
}

// Stores the results by way of the tile, so that each store of a warp covers a whole row of the
// block.
__device__ __forceinline__ void store_rows(float4 *tile, int across, const ConvolveJob &job,
                                           const float (&sum)[COLUMNS])
{
    float4 *mine = tile + threadIdx.x / ACROSS * across +
                   place(threadIdx.x % ACROSS * (COLUMNS / VECTOR));
    __syncthreads(); // all threads have read the tile
#pragma unroll
    for (int i = 0; i < COLUMNS / VECTOR; i++)
        mine[place(i)] = make_float4(sum[VECTOR * i], sum[VECTOR * i + 1], sum[VECTOR * i + 2],
                                     sum[VECTOR * i + 3]);
    __syncwarp(); // a warp stores only rows of its own threads
    int lane = threadIdx.x % 32, row = threadIdx.x / 32 * (32 / ACROSS);
#pragma unroll
    for (int k = 0; k < 32 / ACROSS; k++) {
        const float4 four = tile[(row + k) * across + place(lane)];
        const float out[VECTOR] = { four.x, four.y, four.z, four.w };
        store(job, blockIdx.x * XNCC_TILE_WIDTH + lane * VECTOR, blockIdx.y * HEIGHT + row + k,
              out);
    }
}

// Needs job.shared_bytes of dynamic shared memory.
template <int WIDTH>
__global__ __launch_bounds__(THREADS) void unrolled(ConvolveJob job,
                                                    const __grid_constant__ RowTaps taps)
{
    extern __shared__ float4 tile[];
    int across = job.tile_pitch / static_cast<int>(sizeof(float4));
    fill<WIDTH>(reinterpret_cast<float *>(tile), job,
                blockIdx.x * XNCC_TILE_WIDTH - job.anchor_x - Row<WIDTH>::SHIFT,
                job.y0 + blockIdx.y * HEIGHT - job.anchor_y);
    // Brings the taps into the cache while the tile is copied, 64 bytes per thread.
    if (threadIdx.x * VECTOR < job.height * Row<WIDTH>::TAPS) {
        float touched = taps.v[threadIdx.x * VECTOR].x;
        asm volatile("" ::"f"(touched));
    }
    wait_copies();
    const float4 *line = tile + threadIdx.x / ACROSS * across +
                         place(threadIdx.x % ACROSS * (COLUMNS / VECTOR));
    float sum[COLUMNS] = {};
    for (int j = 0; j < job.height; j++, line += across)
        add_row<WIDTH>(sum, line, taps.v + j * Row<WIDTH>::TAPS);
    store_rows(tile, across, job, sum);
}

template <int WIDTH> void launch(const ConvolveJob &job, const float *taps, cudaStream_t stream)
{
    RowTaps parameter;
    memset(parameter.v, 0, sizeof parameter.v);
    for (int j = 0; j < job.height; j++)
        memcpy(&parameter.v[j * Row<WIDTH>::TAPS], taps + j * WIDTH, WIDTH * sizeof(float));
    unrolled<WIDTH><<<grid_of(job, XNCC_TILE_WIDTH, HEIGHT), THREADS,
                      static_cast<size_t>(job.shared_bytes), stream>>>(job, parameter);
}

} // namespace

cudaError_t unrolled_set_max_shared_memory(int bytes)
{
    return set_max_shared_memory(bytes, unrolled<9>, unrolled<17>, unrolled<27>);
}

cudaError_t launch_unrolled(const ConvolveJob &job, const float *taps, cudaStream_t stream)
{
    with_one_of<9, 17, 27>(job.width, [&](auto width) { launch<width>(job, taps, stream); });
    return cudaGetLastError();
}

} // namespace xncc
