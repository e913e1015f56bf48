// SPDX-License-Identifier: BSD-2-Clause
// Sums over windows of at most XNCC_FLOAT_FUSED_TEMPLATE columns and rows, for kernels that have
// the samples under a tile of windows in shared memory, and the template.
//
// Thread mapping. A block has a tile of 32 x 64 map elements and 128 threads; lane i of warp k has
// the 16 elements of column i from row 16 k on.
//
// - X: down a column of the template, ROWS rows at a time. A thread reads a column of samples once
//   for all its windows, and the part of the template, which is in registers, is multiplied with
//   it: 128 multiply-adds for 23 samples.
// - S and Q: sums along the rows, of 8 adjacent windows at a time (sum_windows), which go through
//   shared memory, and then down the columns in the same way.
//
// Pitches in shared memory are odd and constant: neither lanes in adjacent columns nor lanes in
// adjacent rows meet in a bank, and no address is computed.
#ifndef XNCC_CUDA_PLANES_SMALL_WINDOWS_CUH
#define XNCC_CUDA_PLANES_SMALL_WINDOWS_CUH

#include "cuda/runtime/shared_memory.h"
#include "cuda/runtime/warp.cuh"

#include "math/near.h"

#include <type_traits>

extern "C" {
#include "plan/cost_fft_cuda.h"
}

namespace xncc {

constexpr int SMALL_WIDTH = XNCC_FLOAT_FUSED_WIDTH, SMALL_HEIGHT = XNCC_FLOAT_FUSED_HEIGHT;
constexpr int SMALL_SPAN = 16;                    // elements of a thread, one below the other
constexpr int SMALL_ROWS = XNCC_FLOAT_FUSED_ROWS; // of the template, at a time
constexpr int SMALL_THREADS = SMALL_WIDTH * SMALL_HEIGHT / SMALL_SPAN,
              SMALL_WARPS = SMALL_THREADS / WARP_LANES;
constexpr int EIGHT = 8; // windows whose sums are made together
static_assert(SMALL_WIDTH == WARP_LANES && SMALL_SPAN % EIGHT == 0 && SMALL_WIDTH % EIGHT == 0,
              "whole groups of windows");

// The shared memory of a block: xncc_float_fused_shared bytes, behind which a kernel may have more.
struct SmallTile {
    static constexpr int PITCH = SMALL_WIDTH + XNCC_FLOAT_FUSED_TEMPLATE - 1,
                         SUMS_PITCH = SMALL_WIDTH + 1;
    static_assert(PITCH % 2 == 1 && SUMS_PITCH % 2 == 1, "see above");
    double *templ;         // column by column, each padded with zeros to whole groups of ROWS
    double *samples;       // row by row
    double *sums;          // of WIDTH windows per row of samples
    int32_t stride;        // of a column of the template
    int32_t rows, columns; // of the samples

    __device__ SmallTile(int templ_width, int templ_height, double *memory)
        : templ(memory), stride(ceil_div(templ_height, SMALL_ROWS) * SMALL_ROWS),
          rows(SMALL_HEIGHT + stride - 1), columns(SMALL_WIDTH + templ_width - 1)
    {
        samples = templ + stride * templ_width;
        sums = samples + rows * PITCH;
    }
};

// The mean of some samples of the tile, or 0 if none of them is finite. sample(x, y): a sample
// under its windows, or one that is not finite. Every thread gets it.
template <class Sample> __device__ double small_pivot(const Sample &sample)
{
    static_assert(SMALL_THREADS == 128, "8 x 16 samples make the pivot");
    __shared__ double sum[SMALL_WARPS], count[SMALL_WARPS];
    const int own = static_cast<int>(threadIdx.x);
    double all = sample(own % 8 * (SMALL_WIDTH / 8), own / 8 * (SMALL_HEIGHT / 16)), some = 1.0;
    if (!isfinite(all))
        all = some = 0.0;
    all = warp_sum(all);
    some = warp_sum(some);
    if (own % WARP_LANES == 0) {
        sum[own / WARP_LANES] = all;
        count[own / WARP_LANES] = some;
    }
    __syncthreads();
    all = some = 0.0;
    for (int i = 0; i < SMALL_WARPS; i++) {
        all += sum[i];
        some += count[i];
    }
    const double mean = all / some;
    return isfinite(mean) ? mean : 0.0;
}

// Loads the template. sample(x, y): one of its samples, or 0 behind its last row.
template <class Sample>
__device__ void load_templ(const SmallTile &tile, int templ_width, const Sample &sample)
{
    for (int i = static_cast<int>(threadIdx.x); i < tile.stride * templ_width; i += SMALL_THREADS)
        tile.templ[i] = sample(i / tile.stride, i % tile.stride);
}

// How a sample is stored.
template <xncc_pixel PIXEL>
using FloatSample = std::conditional_t<PIXEL == XNCC_F32, float,
                                       std::conditional_t<PIXEL == XNCC_F64, double, uint32_t>>;

// Loads the samples under the tile's windows. A warp loads a row at a time, a lane two samples of
// it. If all of the tile is inside the image, BATCH rows are in flight, as they are stored.
// read(x, y): such a sample. value(x, y): a sample of another tile less the pivot, or 0 where no
// window reaches.
template <class Read, class Value>
__device__ void load_samples(const SmallTile &tile, bool inside, double pivot, const Read &read,
                             const Value &value)
{
    constexpr int BATCH = 6, PITCH = SmallTile::PITCH;
    static_assert(PITCH <= 2 * WARP_LANES, "a lane has two samples of a row");
    const int own = static_cast<int>(threadIdx.x), lane = own % WARP_LANES,
              other = lane + WARP_LANES;
    const bool has_other = other < tile.columns;
    for (int y = own / WARP_LANES; y < tile.rows && !inside; y += SMALL_WARPS) {
        tile.samples[y * PITCH + lane] = value(lane, y);
        if (has_other)
            tile.samples[y * PITCH + other] = value(other, y);
    }
    for (int first = own / WARP_LANES; first < tile.rows && inside; first += SMALL_WARPS * BATCH) {
        decltype(read(0, 0)) v[BATCH][2];
#pragma unroll
        for (int k = 0; k < BATCH; k++) {
            const int y = first + k * SMALL_WARPS;
            v[k][0] = v[k][1] = 0;
            if (y >= tile.rows)
                continue;
            v[k][0] = read(lane, y);
            if (has_other)
                v[k][1] = read(other, y);
        }
#pragma unroll
        for (int k = 0; k < BATCH; k++) {
            const int y = first + k * SMALL_WARPS;
            if (y >= tile.rows)
                continue;
            tile.samples[y * PITCH + lane] = xncc_sum(static_cast<double>(v[k][0]), -pivot);
            if (has_other)
                tile.samples[y * PITCH + other] = xncc_sum(static_cast<double>(v[k][1]), -pivot);
        }
    }
}

// Whether the samples of a window or template are all equal, and finite.
template <class Sample> __device__ bool has_equal(int width, int height, const Sample &sample)
{
    const double first = sample(0, 0);
    for (int j = 0; j < height; j++)
        for (int i = 0; i < width; i++)
            if (sample(i, j) != first)
                return false;
    return isfinite(first);
}

// Whether one of them is not finite.
template <class Sample> __device__ bool has_infinite(int width, int height, const Sample &sample)
{
    for (int j = 0; j < height; j++)
        for (int i = 0; i < width; i++)
            if (!isfinite(sample(i, j)))
                return true;
    return false;
}

// Adds up X of a thread's windows. at: the first sample of the first one.
__device__ __forceinline__ void multiply(const SmallTile &tile, int templ_width, const double *at,
                                         double (&X)[SMALL_SPAN])
{
    for (int part = 0; part < tile.stride; part += SMALL_ROWS) {
        const double *from = at + part * SmallTile::PITCH, *templ = tile.templ + part;
#pragma unroll 1
        for (int i = 0; i < templ_width; i++, templ += tile.stride) {
            double t[SMALL_ROWS];
#pragma unroll
            for (int j = 0; j < SMALL_ROWS; j++)
                t[j] = templ[j];
#pragma unroll
            for (int r = 0; r < SMALL_SPAN + SMALL_ROWS - 1; r++) {
                const double v = from[r * SmallTile::PITCH + i];
#pragma unroll
                for (int j = 0; j < SMALL_ROWS; j++)
                    if (r - j >= 0 && r - j < SMALL_SPAN)
                        X[r - j] = fma(v, t[j], X[r - j]);
            }
        }
    }
}

// sum[k] = value(k) + ... + value(k + count - 1), k = 0 .. 7: what all of them have in common, and
// what each has before and behind it.
template <class Value>
__device__ __forceinline__ void sum_windows(int count, const Value &value, double (&sum)[EIGHT])
{
    if (count < EIGHT) {
#pragma unroll
        for (int k = 0; k < EIGHT; k++)
            sum[k] = 0.0;
        for (int i = 0; i < count; i++)
#pragma unroll
            for (int k = 0; k < EIGHT; k++)
                sum[k] += value(k + i);
        return;
    }
    double common = 0.0, before = 0.0, behind = 0.0;
    for (int i = EIGHT - 1; i < count; i++)
        common += value(i);
    sum[EIGHT - 1] = common;
#pragma unroll
    for (int k = EIGHT - 2; k >= 0; k--) {
        before += value(k);
        sum[k] = common + before;
    }
#pragma unroll
    for (int k = 1; k < EIGHT; k++) {
        behind += value(count + k - 1);
        sum[k] += behind;
    }
}

// Sums along the rows of the samples, or of their squares. Lanes have adjacent rows.
template <bool SQUARES>
__device__ void sum_rows(const SmallTile &tile, int templ_width, int templ_height)
{
    const int rows = SMALL_HEIGHT + templ_height - 1;
    for (int task = static_cast<int>(threadIdx.x); task < rows * (SMALL_WIDTH / EIGHT);
         task += SMALL_THREADS) {
        const int y = task % rows, x = task / rows * EIGHT;
        const double *from = tile.samples + y * SmallTile::PITCH + x;
        double sum[EIGHT], *to = tile.sums + y * SmallTile::SUMS_PITCH + x;
        sum_windows(
            templ_width, [&](int i) { return SQUARES ? xncc_product(from[i], from[i]) : from[i]; },
            sum);
#pragma unroll
        for (int k = 0; k < EIGHT; k++)
            to[k] = sum[k];
    }
}

// A family of kernels has one for each pixel type of floats, and for two kinds of methods:
// Family::of<PIXEL, KIND>(). Calls a function with one of them.
template <class Family, class Function>
void with_small_kernel(xncc_pixel pixel, bool kind, const Function &function)
{
    with_float_pixel(pixel, [&](auto type) {
        function(kind ? Family::template of<type, true>() : Family::template of<type, false>());
    });
}

// Raises the dynamic shared-memory limit of all kernels of a family on the current device.
template <class Family> cudaError_t raise_small_kernels(int bytes)
{
    cudaError_t code = cudaSuccess;
    each_float_pixel([&](auto type) {
        if (code == cudaSuccess)
            code = set_max_shared_memory(bytes, Family::template of<type, true>(),
                                         Family::template of<type, false>());
    });
    return code;
}

// Which kernel of a family is launched, and how. bytes: of shared memory.
struct SmallLaunch {
    xncc_pixel pixel;
    bool kind;
    int width, height; // of the map
    int32_t bytes;
    cudaStream_t stream;
};

// Launches kernel(job, tiles of a row).
template <class Family, class Job> cudaError_t launch_small(const Job &job, const SmallLaunch &l)
{
    const int across = ceil_div(l.width, SMALL_WIDTH);
    const unsigned blocks = static_cast<unsigned>(across) *
                            static_cast<unsigned>(ceil_div(l.height, SMALL_HEIGHT));
    with_small_kernel<Family>(l.pixel, l.kind, [&](auto *kernel) {
        kernel<<<blocks, SMALL_THREADS, static_cast<size_t>(l.bytes), l.stream>>>(job, across);
    });
    return cudaGetLastError();
}

} // namespace xncc

#endif
