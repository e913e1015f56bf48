// SPDX-License-Identifier: BSD-2-Clause
// The windows that hold a sample that is not finite (mark_windows.h), in two passes: for each row
// of windows the columns that have such a sample, a bit each, and then the windows over them.
//
// Thread mapping: blocks of 256 threads. Of the first pass, a thread goes down a column of samples,
// for a strip of rows of windows; of the second, it has a window. No shared memory; any compute
// capability.
#include "cuda/direct/mark_windows.h"

#include "cuda/planes/counted_sample.cuh"
#include "cuda/planes/float_image.cuh"
#include "cuda/runtime/warp.cuh"

#include "math/near.h"

#include <algorithm>

namespace xncc {

namespace {

constexpr int THREADS = 256;
constexpr int AT_A_TIME = 8;     // samples of a thread whose loads are in flight
constexpr int LEAST_STRIP = 128; // rows of windows of a thread, if the template is not higher
constexpr int MOST_ROWS = 65535; // of blocks in a grid

__device__ void look_at_template(const MarkJob &job)
{
    const PixelsJob &of = job.of;
    const int64_t pixels = int64_t{ of.templ_width } * of.templ_height,
                  step = int64_t{ gridDim.x } * gridDim.y * THREADS;
    bool bad = false;
    for (int64_t i = (int64_t{ blockIdx.y } * gridDim.x + blockIdx.x) * THREADS + threadIdx.x;
         i < pixels; i += step)
        bad |= !isfinite(sample_in(of.image.pixel, of.pixels + i / of.templ_width * of.pitch,
                                   i % of.templ_width));
    if (bad)
        *job.bad = 1;
}

template <xncc_pixel PIXEL>
__global__ __launch_bounds__(THREADS) void mark_columns(const __grid_constant__ MarkJob job,
                                                        int strip)
{
    const PixelsJob &of = job.of;
    look_at_template(job);
    const int x = static_cast<int>(blockIdx.x) * THREADS + static_cast<int>(threadIdx.x);
    const bool reached = x < of.width + of.templ_width - 1,
               writes = threadIdx.x % WARP_LANES == 0 && x / WARP_LANES < job.pitch;
    const auto sample = [&](int y) {
        return counted_sample<PIXEL>(of.image, of.border, 1, of.x + x, of.y + y, 0).v;
    };
    const int64_t step = int64_t{ gridDim.y } * strip;
    for (int64_t top = int64_t{ blockIdx.y } * strip; top < of.rows; top += step) {
        const int end = static_cast<int>(min(top + strip, int64_t{ of.rows })) + of.templ_height -
                        1;
        int last = -1; // the last row whose sample is not finite
        for (int first = static_cast<int>(top); first < end; first += AT_A_TIME) {
            double v[AT_A_TIME];
#pragma unroll
            for (int k = 0; k < AT_A_TIME; k++)
                v[k] = reached && first + k < end ? sample(first + k) : 0.0;
#pragma unroll
            for (int k = 0; k < AT_A_TIME; k++) {
                const int row = first + k, window = row - of.templ_height + 1;
                last = isfinite(v[k]) ? last : row;
                const uint32_t bits = __ballot_sync(WARP_ALL, last >= max(window, 0));
                if (writes && window >= top && row < end)
                    job.columns[int64_t{ window } * job.pitch + x / WARP_LANES] = bits;
            }
        }
    }
}

// Whether one of `count` bits from bit `first` on is set.
__device__ bool has_bit(const uint32_t *bits, int first, int count)
{
    const int end = first + count;
    for (int word = first / 32; word * 32 < end; word++) {
        const uint32_t from = word * 32 < first ? ~0u << first % 32 : ~0u,
                       to = end - word * 32 < 32 ? ~(~0u << (end - word * 32)) : ~0u;
        if (bits[word] & from & to)
            return true;
    }
    return false;
}

__global__ __launch_bounds__(THREADS) void mark_windows(const __grid_constant__ MarkJob job)
{
    const PixelsJob &of = job.of;
    const int x = static_cast<int>(blockIdx.x) * THREADS + static_cast<int>(threadIdx.x);
    const bool bad_template = *job.bad != 0;
    uint32_t doubts = 0;
    for (int y = static_cast<int>(blockIdx.y); y < of.rows; y += static_cast<int>(gridDim.y)) {
        if (x >= of.width)
            break;
        const bool bad = bad_template ||
                         has_bit(job.columns + int64_t{ y } * job.pitch, x, of.templ_width);
        of.map[y * of.map_pitch + x] = xncc_float_of_bits(bad ? UINT32_C(0x7fc00000) : XNCC_DOUBT);
        doubts += !bad;
    }
    doubts = warp_sum(doubts);
    if (threadIdx.x % WARP_LANES == 0 && doubts)
        atomicAdd(of.in_doubt, doubts);
}

// Blocks for so many columns, and for rows of which a thread has `each` at a time.
dim3 grid_of(int columns, int rows, int each)
{
    return rows_grid(columns, std::min(ceil_div(rows, each), MOST_ROWS), THREADS);
}

} // namespace

cudaError_t launch_mark_windows(const MarkJob &job, cudaStream_t stream)
{
    const PixelsJob &of = job.of;
    constexpr int ROWS = 32; // of windows of a thread
    const int strip = std::max(of.templ_height, LEAST_STRIP);
    const dim3 grid = grid_of(of.width + of.templ_width - 1, of.rows, strip);
    with_float_pixel(of.image.pixel, [&](auto type) {
        mark_columns<type><<<grid, THREADS, 0, stream>>>(job, strip);
    });
    const cudaError_t code = cudaGetLastError();
    if (code == cudaSuccess)
        mark_windows<<<grid_of(of.width, of.rows, ROWS), THREADS, 0, stream>>>(job);
    return code == cudaSuccess ? cudaGetLastError() : code;
}

} // namespace xncc
