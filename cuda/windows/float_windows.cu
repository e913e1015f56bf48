// SPDX-License-Identifier: BSD-2-Clause
// Sums of columns slide along the rows (float_windows.h).
//
// A warp slides along a segment of a row, 128 windows at a time, SPAN adjacent ones per lane. From
// one window to the next S and Q gain a column and lose one, so they are the first window's sums
// plus prefix sums of those differences. All of these are pairs of doubles. A block is 4 warps,
// each on a row of its own; blockIdx.x: group of 4 rows; blockIdx.y: segment. No shared memory; any
// compute capability.
//
// Errors. 8 units of 2^-53 are for the roundings of samples, of their squares, of columns and of
// what is stored. A pair of a segment is made by at most K = 2 (segment + 3 templ_width) + 64
// additions, which lose at most K^2 2^-105 of the sizes of all that entered or left: these are at
// most twice the reach of the segment's columns, with what the columns lose.
#include "cuda/windows/float_windows.h"

#include "math/twofold.h"

extern "C" {
#include "plan/workspace_cuda.h"
}

namespace xncc {

namespace {

constexpr int LANES = 32;
constexpr int WARPS = 4;           // rows per block
constexpr int SPAN = 4;            // adjacent windows per lane
constexpr int STEP = LANES * SPAN; // windows per warp and turn
constexpr unsigned ALL = 0xffffffffu;
static_assert(FLOAT_WINDOWS % STEP == 0, "whole turns");

// S and Q of some columns.
struct Sums {
    xncc_twofold S, Q;

    __device__ void put(double2 column, double sign)
    {
        xncc_twofold_put(&S, sign * column.x);
        xncc_twofold_put(&Q, sign * column.y);
    }
    __device__ void add(const Sums &other)
    {
        S = xncc_twofold_add(S, other.S);
        Q = xncc_twofold_add(Q, other.Q);
    }
};

// A function of the 4 doubles of each lane's sums.
template <class Function> __device__ Sums each_of(const Sums &of, const Function &function)
{
    Sums r;
    r.S = xncc_twofold_of(function(of.S.high), function(of.S.low));
    r.Q = xncc_twofold_of(function(of.Q.high), function(of.Q.low));
    return r;
}

// The sums of all lanes.
__device__ Sums total(Sums own)
{
#pragma unroll
    for (int step = LANES / 2; step > 0; step /= 2)
        own.add(each_of(own, [&](double v) { return __shfl_xor_sync(ALL, v, step); }));
    return own;
}

// The sums of the lanes before this one, and its own.
__device__ Sums until(Sums own, int lane)
{
#pragma unroll
    for (int step = 1; step < LANES; step *= 2)
        own.add(each_of(own, [&](double v) {
            const double before = __shfl_up_sync(ALL, v, step);
            return lane >= step ? before : 0.0;
        }));
    return own;
}

__global__
__launch_bounds__(LANES *WARPS) void slide_windows(const __grid_constant__ FloatWindowsJob job,
                                                   int segment)
{
    const int lane = static_cast<int>(threadIdx.x),
              y = static_cast<int>(blockIdx.x) * WARPS + static_cast<int>(threadIdx.y),
              begin = static_cast<int>(blockIdx.y) * segment, end = min(begin + segment, job.width);
    if (y >= job.height)
        return;
    const double2 *columns = job.columns.sums + y * job.columns.pitch;
    const int last = job.width + job.templ_width - 2;
    Sums at = {};
    for (int i = lane; i < job.templ_width; i += LANES)
        at.put(__ldg(columns + begin + i), 1.0);
    at = total(at);
    for (int first = begin; first < end; first += STEP) {
        const int x = first + lane * SPAN;
        double2 in[SPAN], out[SPAN];
#pragma unroll
        for (int i = 0; i < SPAN; i++) { // columns past the last one reach no window that is stored
            in[i] = __ldg(columns + min(x + i + job.templ_width, last));
            out[i] = __ldg(columns + min(x + i, last));
        }
        Sums moved = {};
#pragma unroll
        for (int i = 0; i < SPAN; i++) {
            moved.put(in[i], 1.0);
            moved.put(out[i], -1.0);
        }
        const Sums end_of_lane = until(moved, lane),
                   before = each_of(end_of_lane, [&](double v) {
                       const double other = __shfl_up_sync(ALL, v, 1);
                       return lane ? other : 0.0;
                   });
        Sums now = at;
        now.add(before);
        double *S = job.S + y * job.pitch + x, *Q = job.Q + y * job.pitch + x;
#pragma unroll
        for (int i = 0; i < SPAN; i++) {
            if (job.S && x + i < end)
                S[i] = xncc_sum(now.S.high, now.S.low);
            if (job.Q && x + i < end)
                Q[i] = xncc_sum(now.Q.high, now.Q.low) + (job.adds ? Q[i] : 0.0);
            now.put(in[i], 1.0);
            now.put(out[i], -1.0);
        }
        at.add(each_of(end_of_lane, [](double v) { return __shfl_sync(ALL, v, LANES - 1); }));
    }
}

} // namespace

int32_t float_windows_segment(int32_t templ_width, int32_t width)
{
    // long enough that the first window costs little
    int32_t segment = ceil_div(4 * templ_width, FLOAT_WINDOWS) * FLOAT_WINDOWS;
    while (ceil_div(width, segment) > UINT16_MAX)
        segment *= 2;
    return segment;
}

FloatWindowsLoss float_windows_loss(const FloatColumns &columns, int32_t templ_width,
                                    int32_t templ_height, int32_t segment)
{
    const double width = templ_width, additions = 2.0 * (segment + 3.0 * width) + 64.0;
    return { 2.0 * columns.loss + 2.0 * additions * additions * 0x1p-105,
             2.0 * (segment + width + 2.0 * XNCC_COLUMN_BLOCK) *
                 (static_cast<double>(templ_height) + XNCC_COLUMN_STRIP) };
}

cudaError_t launch_float_windows(const FloatWindowsJob &job, cudaStream_t stream)
{
    const int32_t segment = float_windows_segment(job.templ_width, job.width);
    const dim3 block(LANES, WARPS), grid(static_cast<unsigned>(ceil_div(job.height, WARPS)),
                                         static_cast<unsigned>(ceil_div(job.width, segment)));
    slide_windows<<<grid, block, 0, stream>>>(job, segment);
    return cudaGetLastError();
}

} // namespace xncc
