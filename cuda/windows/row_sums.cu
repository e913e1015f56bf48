// SPDX-License-Identifier: BSD-2-Clause
// S and Q of every window row (row_sums.h):
//
//     S(x, y) = sum over i < size of I(x + i, y)        Q(x, y) = sum over i < size of I(x + i,
//     y)^2
//
// Integers (slide_rows): a warp slides along a segment of a row, 128 windows at a time. From one
// window to the next S gains the pixel that enters and loses the one that leaves, so the sums are
// prefix sums of those differences. Unsigned arithmetic wraps, so the result is exact.
//
// f32 (sum_rows): a thread sums 4 adjacent windows from left to right, the order that score.h
// prescribes, so nothing slides.
//
// A block is 4 warps, each on a row of its own; blockIdx.x: segment; blockIdx.y: group of 4 rows.
// The image is read through textures whose addressing clamps. No shared memory; any compute
// capability.
#include "cuda/windows/row_sums.h"

#include "cuda/planes/texel.cuh"
#include "cuda/runtime/warp.cuh"

#include "math/score.h"

namespace xncc {

namespace {

constexpr int WARPS = 4;      // rows per block
constexpr int SPAN = 4;       // adjacent windows per lane
constexpr int SEGMENT = 2048; // least number of windows that a warp slides over

__device__ void store(uint2 *to, const uint2 (&sums)[SPAN])
{
    uint4 *vectors = reinterpret_cast<uint4 *>(to);
    vectors[0] = make_uint4(sums[0].x, sums[0].y, sums[1].x, sums[1].y);
    vectors[1] = make_uint4(sums[2].x, sums[2].y, sums[3].x, sums[3].y);
}

__device__ void store(ulonglong2 *to, const ulonglong2 (&sums)[SPAN])
{
#pragma unroll
    for (int i = 0; i < SPAN; i++)
        to[i] = sums[i];
}

// The sums of a segment's first window; every lane gets them.
template <class Pixel, class Value>
__device__ Value first_window(const RowSumsJob &job, int x, int y, int lane)
{
    using Part = decltype(Value::x);
    Part s = 0, q = 0;
    for (int i = lane; i < job.size; i += WARP_LANES) {
        Part v = fetch<Pixel>(job.stage.pixels, x + i, y);
        s += v;
        q += v * v;
    }
    Value sums;
    sums.x = __shfl_sync(WARP_ALL, warp_sum_until(s, lane), WARP_LANES - 1);
    sums.y = __shfl_sync(WARP_ALL, warp_sum_until(q, lane), WARP_LANES - 1);
    return sums;
}

// Integers. Value: S and Q of a window row. segment: windows per warp.
template <class Pixel, class Value>
__global__ __launch_bounds__(WARP_LANES *WARPS) void slide_rows(RowSumsJob job, int segment)
{
    using Part = decltype(Value::x);
    int lane = threadIdx.x, row = blockIdx.y * WARPS + threadIdx.y;
    int begin = blockIdx.x * segment, end = min(begin + segment, job.columns);
    if (row >= job.rows)
        return;
    int x0 = job.stage.left, y = job.stage.top + row;
    auto *line = static_cast<Value *>(job.sums) + row * job.pitch;
    Value base = first_window<Pixel, Value>(job, x0 + begin, y, lane);
    for (int x = begin + lane * SPAN; x - lane * SPAN < end; x += WARP_LANES * SPAN) {
        Part ds[SPAN], dq[SPAN], s = 0, q = 0;
#pragma unroll
        for (int i = 0; i < SPAN; i++) {
            Part in = fetch<Pixel>(job.stage.pixels, x0 + x + i + job.size, y),
                 out = fetch<Pixel>(job.stage.pixels, x0 + x + i, y);
            s += ds[i] = in - out;
            q += dq[i] = in * in - out * out;
        }
        Part s_end = warp_sum_until(s, lane), q_end = warp_sum_until(q, lane);
        Part s_at = base.x + s_end - s, q_at = base.y + q_end - q;
        // whole vectors are stored, past the last window, too: rows of sums are padded
        Value sums[SPAN];
#pragma unroll
        for (int i = 0; i < SPAN; i++) {
            sums[i].x = s_at;
            sums[i].y = q_at;
            s_at += ds[i];
            q_at += dq[i];
        }
        if (x < end)
            store(line + x, sums);
        base.x += __shfl_sync(WARP_ALL, s_end, WARP_LANES - 1);
        base.y += __shfl_sync(WARP_ALL, q_end, WARP_LANES - 1);
    }
}

// f32.
__global__ __launch_bounds__(WARP_LANES *WARPS) void sum_rows(RowSumsJob job)
{
    int x = (blockIdx.x * WARP_LANES + threadIdx.x) * SPAN, row = blockIdx.y * WARPS + threadIdx.y;
    if (row >= job.rows || x >= job.columns)
        return;
    int left = job.stage.left + x, y = job.stage.top + row;
    double v[SPAN], v2[SPAN], s[SPAN], q[SPAN];
#pragma unroll
    for (int i = 0; i < SPAN; i++) {
        v[i] = i < SPAN - 1 ? xncc_centred(fetch<float>(job.stage.pixels, left + i, y), job.pivot)
                            : 0.0;
        v2[i] = xncc_product(v[i], v[i]);
        s[i] = q[i] = 0.0;
    }
#pragma unroll 4
    for (int i = 0; i < job.size; i++) {
        v[SPAN - 1] = xncc_centred(fetch<float>(job.stage.pixels, left + i + SPAN - 1, y),
                                   job.pivot);
        v2[SPAN - 1] = xncc_product(v[SPAN - 1], v[SPAN - 1]);
#pragma unroll
        for (int k = 0; k < SPAN; k++) {
            s[k] = xncc_sum(s[k], v[k]);
            q[k] = xncc_sum(q[k], v2[k]);
            v[k] = k < SPAN - 1 ? v[k + 1] : 0.0;
            v2[k] = k < SPAN - 1 ? v2[k + 1] : 0.0;
        }
    }
    double2 *line = static_cast<double2 *>(job.sums) + row * job.pitch;
#pragma unroll
    for (int k = 0; k < SPAN; k++)
        if (x + k < job.columns)
            line[x + k] = make_double2(s[k], q[k]);
}

} // namespace

cudaError_t launch_row_sums(xncc_pixel pixel, const RowSumsJob &job, cudaStream_t stream)
{
    dim3 block(WARP_LANES, WARPS), grid(1, static_cast<unsigned>(ceil_div(job.rows, WARPS)));
    int segment = 4 * job.size > SEGMENT ? 4 * job.size : SEGMENT;
    if (pixel == XNCC_F32) {
        grid.x = static_cast<unsigned>(ceil_div(job.columns, WARP_LANES * SPAN));
        sum_rows<<<grid, block, 0, stream>>>(job);
        return cudaGetLastError();
    }
    grid.x = static_cast<unsigned>(ceil_div(job.columns, segment));
    if (pixel == XNCC_U8)
        slide_rows<unsigned char, uint2><<<grid, block, 0, stream>>>(job, segment);
    else
        slide_rows<unsigned short, ulonglong2><<<grid, block, 0, stream>>>(job, segment);
    return cudaGetLastError();
}

} // namespace xncc
