// SPDX-License-Identifier: BSD-2-Clause
// The windows in doubt by levels (float_score.h).
//
// A warp has a row of the map, 128 windows at a time, SPAN adjacent ones per lane. Where windows
// are that wide, a window is the columns that all 128 have in common, and those before and behind
// them, which are sums over lanes from either side. Of narrower windows, those of a lane have
// columns in common. A block is 4 warps; blockIdx.x: group of 4 rows. No shared memory; any compute
// capability.
//
// Errors. S and Q are trees of additions of the window's columns alone, of depth D at most, so that
// Q is off by (D + 8) u Q: 8 are for the roundings of samples, squares and columns. The sizes of S
// add up to sqrt(n Q) at most, by Cauchy and Schwarz.
#include "cuda/score/float_score.h"
#include "cuda/runtime/dispatch.h"

#include "cuda/planes/doubt_list.cuh"
#include "cuda/planes/float_image.cuh"
#include "cuda/runtime/warp.cuh"
#include "math/method.h"

namespace xncc {

namespace {

constexpr int WARPS = 4;                // rows per block
constexpr int SPAN = 4;                 // adjacent windows per lane
constexpr int STEP = WARP_LANES * SPAN; // windows per warp and turn

__device__ __forceinline__ double2 operator+(double2 a, double2 b)
{
    return make_double2(a.x + b.x, a.y + b.y);
}

__device__ __forceinline__ double2 none()
{
    return make_double2(0.0, 0.0);
}

// The sum over the lanes on one side of this one.
template <bool BEFORE> __device__ double2 sum_beside(double2 value, int lane)
{
#pragma unroll
    for (int step = 1; step < WARP_LANES; step *= 2) {
        const double2 other = BEFORE ? make_double2(__shfl_up_sync(WARP_ALL, value.x, step),
                                                    __shfl_up_sync(WARP_ALL, value.y, step))
                                     : make_double2(__shfl_down_sync(WARP_ALL, value.x, step),
                                                    __shfl_down_sync(WARP_ALL, value.y, step));
        if (BEFORE ? lane >= step : lane + step < WARP_LANES)
            value = value + other;
    }
    const double2 one = BEFORE ? make_double2(__shfl_up_sync(WARP_ALL, value.x, 1),
                                              __shfl_up_sync(WARP_ALL, value.y, 1))
                               : make_double2(__shfl_down_sync(WARP_ALL, value.x, 1),
                                              __shfl_down_sync(WARP_ALL, value.y, 1));
    return lane == (BEFORE ? 0 : WARP_LANES - 1) ? none() : one;
}

// S and Q of a lane's windows, from window x on; the turn begins at window `first`. columns: of the
// row; width: of the template; last: the last column.
__device__ void sum_windows(const double2 *columns, int first, int x, int width, int last,
                            double2 (&sum)[SPAN])
{
    const int lane = static_cast<int>(threadIdx.x);
    const bool wide = width >= STEP;
    // the windows that share what is common: of the turn, or of the lane
    const int begin = wide ? first : x, end = begin + (wide ? STEP : SPAN) - 1;
    double2 common = none(), before[SPAN], behind[SPAN], some = none(), more = none();
    if (width < SPAN) {
#pragma unroll
        for (int i = 0; i < SPAN; i++) {
            sum[i] = none();
            for (int k = 0; k < width; k++)
                sum[i] = sum[i] + __ldg(columns + min(x + i + k, last));
        }
        return;
    }
    for (int k = end + (wide ? lane : 0); k < begin + width; k += wide ? WARP_LANES : 1)
        common = common + __ldg(columns + min(k, last));
    if (wide)
        common = make_double2(warp_sum(common.x), warp_sum(common.y));
#pragma unroll
    for (int i = SPAN - 1; i >= 0; i--) { // the last window has only what is common before
        if (x + i < end)
            some = some + __ldg(columns + min(x + i, last));
        before[i] = some;
    }
#pragma unroll
    for (int i = 0; i < SPAN; i++) {
        behind[i] = more;
        more = more + __ldg(columns + min(x + i + width, last));
    }
    some = wide ? sum_beside<false>(some, lane) : none();
    more = wide ? sum_beside<true>(more, lane) : none();
#pragma unroll
    for (int i = 0; i < SPAN; i++)
        sum[i] = common + ((some + before[i]) + (more + behind[i]));
}

// The roundings of a window's sums, in units of 2^-53.
__device__ double depth_of(int width)
{
    return width < STEP ? width + 2.0
                        : max(ceil_div(width - STEP + 1, WARP_LANES) + 5, SPAN + 7) + 1.0;
}

// Lets a window in doubt wait for X, unless all samples are 0.
struct Sizes {
    static __device__ __forceinline__ bool begins(const LevelScoreJob &job)
    {
        return job.score.constants->again != 0;
    }
    static __device__ __forceinline__ bool window(const LevelScoreJob &job, int x, int y,
                                                  const xncc_window_sums &s)
    {
        const int size = size_of_window(s.Q + s.error_Q);
        if (!has_level(size))
            return false;
        job.sums[y * job.score.sums_pitch + x] = waiting_product(size);
        if (__ldcg(job.levels->seen + size) == 0)
            atomicExch(job.levels->seen + size, 1u);
        BlockSizes *sizes = job.sizes + job.score.bounds.block_of(x, y);
        if (__ldcg(&sizes->least) > size)
            atomicMin(&sizes->least, size);
        if (__ldcg(&sizes->most) < size)
            atomicMax(&sizes->most, size);
        return false;
    }
};

template <xncc_method METHOD> struct Scores {
    static __device__ __forceinline__ bool begins(const LevelScoreJob &job)
    {
        return job.score.constants->again && job.levels->made;
    }
    static __device__ __forceinline__ bool window(const LevelScoreJob &job, int x, int y,
                                                  xncc_window_sums s)
    {
        const FloatScoreJob &of = job.score;
        const FloatLevels &levels = *job.levels;
        const int size = size_of_window(s.Q + s.error_Q);
        s.X = of.sums[y * of.sums_pitch + x];
        if (!has_level(size) || is_waiting(s.X))
            return true;
        int level = 0;
        while (size > levels.most[level])
            level++;
        s.error_X = of.bounds.error[level * job.blocks + job.score.bounds.block_of(x, y)] +
                    of.bounds.own * of.constants->templ.norm * sqrt(s.Q + s.error_Q);
        const float score = xncc_window_decide(METHOD, &of.constants->templ, &s, of.undefined);
        of.map[y * of.map_pitch + x] = score;
        return __float_as_uint(score) == XNCC_DOUBT;
    }
};

// Use::window says whether a window goes on the list.
template <class Use>
__global__
__launch_bounds__(WARP_LANES *WARPS) void look_again(const __grid_constant__ LevelScoreJob job)
{
    const FloatScoreJob &of = job.score;
    const int lane = static_cast<int>(threadIdx.x),
              y = static_cast<int>(blockIdx.x) * WARPS + static_cast<int>(threadIdx.y);
    if (y >= of.height || !Use::begins(job))
        return;
    const double2 *columns = of.columns.sums + y * of.columns.pitch;
    const float *map = of.map + y * of.map_pitch;
    const double unit = (depth_of(of.templ_width) + 8.0) * 0x1.04p-53, n = of.constants->templ.n;
    for (int first = 0; first < of.width; first += STEP) {
        const int x = first + lane * SPAN;
        unsigned doubts = 0, listed = 0; // a bit per window
#pragma unroll
        for (int i = 0; i < SPAN; i++)
            if (x + i < of.width && __float_as_uint(map[x + i]) == XNCC_DOUBT)
                doubts |= 1u << i;
        if (!__any_sync(WARP_ALL, doubts != 0))
            continue;
        double2 sum[SPAN];
        sum_windows(columns, first, x, of.templ_width, of.width + of.templ_width - 2, sum);
#pragma unroll
        for (int i = 0; i < SPAN; i++) {
            if (!(doubts >> i & 1u))
                continue;
            xncc_window_sums s = {};
            s.S = sum[i].x;
            s.Q = sum[i].y;
            s.error_Q = unit * s.Q + XNCC_WINDOW_TINY;
            s.error_S = unit * sqrt(1.01 * n * (s.Q + s.error_Q)) + XNCC_WINDOW_TINY;
            listed |= Use::window(job, x + i, y, s) ? 1u << i : 0u;
        }
        if (__any_sync(WARP_ALL, listed != 0))
            list_doubts_of_row(of.doubts, of.constants, x, y, listed);
    }
}

template <class Use> void launch(const LevelScoreJob &job, cudaStream_t stream)
{
    look_again<Use><<<static_cast<unsigned>(ceil_div(job.score.height, WARPS)),
                      dim3(WARP_LANES, WARPS), 0, stream>>>(job);
}

} // namespace

cudaError_t launch_window_sizes(const LevelScoreJob &job, cudaStream_t stream)
{
    launch<Sizes>(job, stream);
    return cudaGetLastError();
}

cudaError_t launch_level_score(const LevelScoreJob &job, cudaStream_t stream)
{
    return with_score_method(job.score.method,
                             [&](auto method) { launch<Scores<method>>(job, stream); });
}

} // namespace xncc
