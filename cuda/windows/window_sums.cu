// SPDX-License-Identifier: BSD-2-Clause
// Sums over whole windows of a byte plane (window_sums.h), in two passes: along rows, then down
// columns. Integers wrap, so sliding sums are exact.
//
// - sum_along: a warp slides along a segment of a row, 128 windows at a time, as in row_sums.cu.
//   A block is 4 warps, each on a row of its own; blockIdx.x: group of 4 rows; blockIdx.y: segment.
// - sum_down: a thread slides down a column of a strip of 64 to 256 rows; 128 adjacent columns per
//   block; loads of 4 rows are in flight at a time.
//
// No shared memory; any compute capability.
#include "cuda/windows/window_sums.h"

#include "cuda/runtime/warp.cuh"

namespace xncc {

namespace {

constexpr int WARPS = 4;      // rows per block
constexpr int SPAN = 4;       // adjacent windows per lane
constexpr int SEGMENT = 2048; // least number of windows that a warp slides over
constexpr int THREADS = 128;
constexpr int BATCH = 4; // rows whose loads are in flight at a time

// Sums along rows: at most 65536 * 255^2, which fits 32 bits (XNCC_CUDA_TEMPLATE_SIDE). segment:
// windows per warp.
template <bool SQUARE>
__global__
__launch_bounds__(WARP_LANES *WARPS) void sum_along(const __grid_constant__ WindowsJob job,
                                                    int segment)
{
    const int lane = threadIdx.x, row = blockIdx.x * WARPS + threadIdx.y;
    const int begin = blockIdx.y * segment, end = min(begin + segment, job.width);
    if (row >= job.height + job.templ_height - 1)
        return;
    const unsigned char *line = job.bytes + row * job.pitch;
    uint32_t *to = job.rows + row * job.rows_pitch;
    const int last = job.width + job.templ_width - 2; // windows past it are not stored
    auto value = [&](int x) {
        uint32_t v = line[min(x, last)];
        return SQUARE ? v * v : v;
    };
    uint32_t base = 0;
    for (int i = lane; i < job.templ_width; i += WARP_LANES)
        base += value(begin + i);
    base = __shfl_sync(WARP_ALL, warp_sum_until(base, lane), WARP_LANES - 1);
    for (int x = begin + lane * SPAN; x - lane * SPAN < end; x += WARP_LANES * SPAN) {
        uint32_t step[SPAN], own = 0;
#pragma unroll
        for (int i = 0; i < SPAN; i++)
            own += step[i] = value(x + i + job.templ_width) - value(x + i);
        const uint32_t lane_end = warp_sum_until(own, lane);
        uint32_t at = base + lane_end - own, sums[SPAN];
#pragma unroll
        for (int i = 0; i < SPAN; i++) {
            sums[i] = at;
            at += step[i];
        }
        // whole vectors are stored, past the last window, too: rows of sums are padded
        if (x < end)
            *reinterpret_cast<uint4 *>(to + x) = make_uint4(sums[0], sums[1], sums[2], sums[3]);
        base += __shfl_sync(WARP_ALL, lane_end, WARP_LANES - 1);
    }
}

// Sums down columns. strip: rows per thread.
template <class Sum>
__global__ __launch_bounds__(THREADS) void sum_down(const __grid_constant__ WindowsJob job,
                                                    int strip)
{
    const int x = blockIdx.x * THREADS + threadIdx.x, y0 = blockIdx.y * strip,
              y1 = min(y0 + strip, job.height);
    if (x >= job.width)
        return;
    const uint32_t *lag = job.rows + x + y0 * job.rows_pitch, *lead = lag;
    Sum sum = 0;
#pragma unroll 8
    for (int j = 0; j < job.templ_height - 1; j++, lead += job.rows_pitch)
        sum += __ldg(lead);
    Sum *to = static_cast<Sum *>(job.sums) + x + y0 * job.rows_pitch;
    for (int y = y0; y < y1; y += BATCH) {
        uint32_t in[BATCH], out[BATCH];
        Sum held[BATCH];
#pragma unroll
        for (int k = 0; k < BATCH; k++)
            if (y + k < y1) {
                in[k] = __ldg(lead + k * job.rows_pitch);
                out[k] = __ldg(lag + k * job.rows_pitch);
                held[k] = job.add ? to[k * job.rows_pitch] : Sum(0);
            }
#pragma unroll
        for (int k = 0; k < BATCH; k++)
            if (y + k < y1) {
                sum += in[k];
                to[k * job.rows_pitch] = held[k] + sum;
                sum -= out[k];
            }
        lead += BATCH * job.rows_pitch;
        lag += BATCH * job.rows_pitch;
        to += BATCH * job.rows_pitch;
    }
}

} // namespace

cudaError_t launch_windows(const WindowsJob &job, cudaStream_t stream)
{
    const int rows = job.height + job.templ_height - 1;
    int segment = 4 * job.templ_width > SEGMENT ? 4 * job.templ_width : SEGMENT;
    while (ceil_div(job.width, segment) > UINT16_MAX)
        segment *= 2;
    const dim3 block(WARP_LANES, WARPS),
        along = make_grid(ceil_div(rows, WARPS), ceil_div(job.width, segment));
    if (job.square)
        sum_along<true><<<along, block, 0, stream>>>(job, segment);
    else
        sum_along<false><<<along, block, 0, stream>>>(job, segment);
    int strip = job.templ_height <= 48 ? 64 : job.templ_height <= 256 ? 128 : 256;
    while (ceil_div(job.height, strip) > UINT16_MAX)
        strip *= 2;
    const dim3 down = rows_grid(job.width, ceil_div(job.height, strip), THREADS);
    if (job.wide)
        sum_down<uint64_t><<<down, THREADS, 0, stream>>>(job, strip);
    else
        sum_down<uint32_t><<<down, THREADS, 0, stream>>>(job, strip);
    return cudaGetLastError();
}

} // namespace xncc
