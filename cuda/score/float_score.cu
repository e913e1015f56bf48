// SPDX-License-Identifier: BSD-2-Clause
// Sums of columns slide along the rows to S and Q of every window, which with X give the score
// (float_score.h).
//
// A warp slides along a segment of a row, 128 windows at a time, SPAN adjacent ones per lane. From
// one window to the next S and Q gain a column and lose one, so they are the first window's sums
// plus prefix sums of those differences. A block is 4 warps, each on a row of its own; blockIdx.x:
// group of 4 rows; blockIdx.y: segment. No shared memory; any compute capability.
//
// Errors. All additions that lead to a sum are a tree of depth D, and the sum of the sizes of what
// is added is at most R, the first window's Q and the Q of all columns that entered or left: so the
// error of Q is at most (D + 8) u R, of which 8 are for the roundings of samples, squares, columns
// and differences. The sizes of S add up to sqrt(samples * R) at most, by Cauchy and Schwarz.
#include "cuda/score/float_score.h"
#include "cuda/runtime/dispatch.h"

#include "cuda/planes/doubt_list.cuh"
#include "cuda/planes/float_image.cuh"
#include "cuda/runtime/warp.cuh"
#include "math/method.h"

namespace xncc {

namespace {

constexpr int WARPS = 4;                // rows per block
constexpr int BLOCKS = 4;               // per multiprocessor; more of them spill registers
constexpr int SPAN = 4;                 // adjacent windows per lane
constexpr int STEP = WARP_LANES * SPAN; // windows per warp and turn

// Where a warp is in its segment.
struct Slide {
    double S, Q;  // of the window before the turn's first one, with the columns that enter
    double sizes; // R above
    double used;  // columns that were added
    double depth; // D above
    int marked;   // columns of the window that are marked
};

// The sums of a column, 0 if it is marked. *marks gets a bit then.
__device__ __forceinline__ double2 column_at(const double2 *from, unsigned bit, unsigned *marks)
{
    const double2 column = __ldg(from);
    if (!is_marked(column))
        return column;
    *marks |= bit;
    return make_double2(0.0, 0.0);
}

// The first window of a segment; every lane gets it. reach: of its columns.
__device__ Slide first_window(const FloatScoreJob &job, const double2 *columns, double reach,
                              int lane)
{
    double s = 0.0, q = 0.0, size = 0.0;
    int marked = 0;
    for (int i = lane; i < job.templ_width; i += WARP_LANES) {
        unsigned mark = 0;
        const double2 v = column_at(columns + i, 1u, &mark);
        marked += mark ? 1 : 0;
        s += v.x;
        q += v.y;
        size += fabs(v.y);
    }
    Slide at;
    at.S = warp_sum(s);
    at.Q = warp_sum(q);
    at.sizes = warp_sum(size) + job.columns.loss * reach;
    at.used = job.templ_width;
    at.depth = ceil_div(job.templ_width, WARP_LANES) + 5.0;
    at.marked = warp_sum(marked);
    return at;
}

// The bounds that all windows of a turn share.
struct TurnBounds {
    double S, Q;
};

// reach: of the columns of the turn's windows.
__device__ TurnBounds bounds_of(const FloatScoreJob &job, const Slide &at, double reach)
{
    const double samples = at.used * job.templ_height, unit = (at.depth + 8.0) * 0x1.04p-53,
                 loss = job.columns.loss;
    TurnBounds b;
    b.Q = unit * fabs(at.sizes) + loss * reach + XNCC_WINDOW_TINY;
    b.S = unit * sqrt(samples * fabs(at.sizes)) + loss * sqrt(job.columns.samples * reach) +
          XNCC_WINDOW_TINY;
    return b;
}

// The bound of X's error in SPAN windows from x on: the largest one of their blocks'.
__device__ __forceinline__ double error_at(const FloatScoreJob &job, int x, int row_of_blocks)
{
    const int last = min(x + SPAN, job.width) - 1, row = row_of_blocks * job.bounds.across,
              end = (row + last / job.bounds.step_x) / job.bounds.each;
    int block = (row + x / job.bounds.step_x) / job.bounds.each;
    double error = __ldg(job.bounds.error + block);
    while (++block <= end) {
        const double more = __ldg(job.bounds.error + block);
        error = error < more ? more : error; // where a bound is NaN, so is X
    }
    return error;
}

// The windows of a lane in a turn: the sums of the first one, X of all, and what S and Q gain from
// one to the next.
struct LaneWindows {
    xncc_window_sums first;
    double X[SPAN], ds[SPAN], dq[SPAN];
};

// Scores a lane's windows with their outliers, or where the template decides: `left` are left in
// the row from (x, y) on. skips: a bit for each that is left as it is. Returns one for each in
// doubt.
template <xncc_method METHOD>
__device__ __noinline__ unsigned score_others(const FloatScoreJob &job, int x, int y, int left,
                                              unsigned skips, LaneWindows w)
{
    const FloatConstants &c = *job.constants;
    unsigned doubts = 0;
    for (int i = 0; i < min(SPAN, left); i++) {
        xncc_window_sums sums = w.first;
        sums.X = w.X[i];
        add_outliers(c, job.templ_width, job.templ_height, x + i, y, &sums);
        add_outliers_to_X(c, job.templ_width, job.templ_height, x + i, y, &sums);
        if (!(skips >> i & 1u)) {
            const float score = xncc_window_decide(METHOD, &c.templ, &sums, job.undefined);
            job.map[y * job.map_pitch + x + i] = score;
            doubts |= __float_as_uint(score) == XNCC_DOUBT ? 1u << i : 0u;
        }
        w.first.S += w.ds[i];
        w.first.Q += w.dq[i];
    }
    return doubts;
}

template <xncc_method METHOD>
__global__ __launch_bounds__(WARP_LANES *WARPS,
                             BLOCKS) void score_rows(const __grid_constant__ FloatScoreJob job,
                                                     int segment)
{
    const int lane = static_cast<int>(threadIdx.x),
              y = static_cast<int>(blockIdx.x) * WARPS + static_cast<int>(threadIdx.y),
              begin = static_cast<int>(blockIdx.y) * segment, end = min(begin + segment, job.width);
    if (y >= job.height)
        return;
    const xncc_window_templ t = job.constants->templ;
    const bool others = job.constants->outliers || t.bad ||
                        (xncc_method_is_centred(METHOD) && t.flat);
    const double2 *columns = job.columns.sums + y * job.columns.pitch;
    const double *products = job.sums + y * job.sums_pitch;
    float *map = job.map + y * job.map_pitch;
    const int last = job.width + job.templ_width - 2, row_of_blocks = y / job.bounds.step_y;
    Slide at = first_window(job, columns + begin,
                            reach_of(job.columns, begin, begin + job.templ_width - 1, y), lane);
    double error = 0.0;
    int known = 0; // windows before this one have `error`
    for (int first = begin; first < end; first += STEP) {
        const int x = first + lane * SPAN;
        double ds[SPAN], dq[SPAN], X[SPAN], s = 0.0, q = 0.0, moved = 0.0;
        double2 in[SPAN], out[SPAN];
#pragma unroll
        for (int i = 0; i < SPAN; i++) { // early: the sums below take as long as the loads
            X[i] = x + i < end ? __ldg(products + x + i) : 0.0;
            // columns past the last one reach no window that is stored
            in[i] = __ldg(columns + min(x + i + job.templ_width, last));
            out[i] = __ldg(columns + min(x + i, last));
        }
        const double reach = reach_of(job.columns, first,
                                      min(first + STEP, end) + job.templ_width - 2, y);
        if (x < end && x + SPAN > known) {
            error = error_at(job, x, row_of_blocks);
            known = (x / job.bounds.step_x + 1) * job.bounds.step_x;
        }
#pragma unroll
        for (int i = 0; i < SPAN; i++) {
            s += ds[i] = in[i].x - out[i].x;
            q += dq[i] = in[i].y - out[i].y;
            moved += fabs(in[i].y) + fabs(out[i].y);
        }
        unsigned skips = 0, doubts = 0; // a bit per window: it has a marked column; it is in doubt
        if (__any_sync(WARP_ALL, at.marked || isnan(moved))) {
            // one of these columns is marked
            unsigned marks_in = 0, marks_out = 0; // a bit per column
            s = q = moved = 0.0;
#pragma unroll
            for (int i = 0; i < SPAN; i++) {
                const double2 in = column_at(columns + min(x + i + job.templ_width, last), 1u << i,
                                             &marks_in),
                              out = column_at(columns + min(x + i, last), 1u << i, &marks_out);
                s += ds[i] = in.x - out.x;
                q += dq[i] = in.y - out.y;
                moved += fabs(in.y) + fabs(out.y);
            }
            const int more = __popc(marks_in) - __popc(marks_out),
                      until = warp_sum_until(more, lane);
            int marked = at.marked + until - more; // columns of the lane's next window
            at.marked += __shfl_sync(WARP_ALL, until, WARP_LANES - 1);
#pragma unroll
            for (int i = 0; i < SPAN; i++) {
                if (marked && x + i < end) {
                    skips |= 1u << i;
                    map[x + i] = xncc_float_of_bits(0x7fc00000u);
                }
                marked += static_cast<int>(marks_in >> i & 1u) -
                          static_cast<int>(marks_out >> i & 1u);
            }
        }
        const double s_end = warp_sum_until(s, lane), q_end = warp_sum_until(q, lane);
        // what a column has lost counts where it enters and where it leaves
        at.sizes += warp_sum(moved) + 2.0 * job.columns.loss * reach;
        at.used += 2.0 * STEP;
        at.depth += 1.0;
        Slide turn = at;
        turn.depth += 13.0; // within the turn: 4 of a lane, 5 of the scan, and 4 after it
        const TurnBounds bound = bounds_of(job, turn, reach);
        xncc_window_sums sums;
        const double s_before = __shfl_up_sync(WARP_ALL, s_end, 1),
                     q_before = __shfl_up_sync(WARP_ALL, q_end, 1);
        sums.S = at.S + (lane ? s_before : 0.0);
        sums.Q = at.Q + (lane ? q_before : 0.0);
        sums.error_S = bound.S;
        sums.error_Q = bound.Q;
        sums.error_X = error;
        if (job.bounds.own != 0.0) // no window of this lane has more than that
            sums.error_X += job.bounds.own * t.norm * sqrt(sums.Q + moved + 2.0 * bound.Q);
        if (others) {
            LaneWindows windows = { sums, {}, {}, {} };
#pragma unroll
            for (int i = 0; i < SPAN; i++) {
                windows.X[i] = X[i];
                windows.ds[i] = ds[i];
                windows.dq[i] = dq[i];
            }
            doubts = score_others<METHOD>(job, x, y, end - x, skips, windows);
        } else {
            float score[SPAN];
#pragma unroll
            for (int i = 0; i < SPAN; i++) { // without a branch, so that they are made side by side
                sums.X = X[i];
                score[i] = xncc_window_score(METHOD, &t, &sums);
                sums.S += ds[i];
                sums.Q += dq[i];
            }
#pragma unroll
            for (int i = 0; i < SPAN; i++)
                if (x + i < end && !(skips >> i & 1u)) {
                    map[x + i] = score[i];
                    doubts |= __float_as_uint(score[i]) == XNCC_DOUBT ? 1u << i : 0u;
                }
        }
        if (__any_sync(WARP_ALL, doubts != 0))
            list_doubts_of_row(job.doubts, job.constants, x, y, doubts);
        at.S += __shfl_sync(WARP_ALL, s_end, WARP_LANES - 1);
        at.Q += __shfl_sync(WARP_ALL, q_end, WARP_LANES - 1);
    }
}

template <xncc_method METHOD> void launch(const FloatScoreJob &job, cudaStream_t stream)
{
    // long enough that the first window costs little, short enough that the bounds stay small
    int segment = 4 * job.templ_width > 4 * STEP ? ceil_div(4 * job.templ_width, STEP) * STEP
                                                 : 4 * STEP;
    while (ceil_div(job.width, segment) > UINT16_MAX)
        segment *= 2;
    const dim3 block(WARP_LANES, WARPS),
        grid = make_grid(ceil_div(job.height, WARPS), ceil_div(job.width, segment));
    score_rows<METHOD><<<grid, block, 0, stream>>>(job, segment);
}

} // namespace

cudaError_t launch_float_score(const FloatScoreJob &job, cudaStream_t stream)
{
    return with_score_method(job.method, [&](auto method) { launch<method>(job, stream); });
}

} // namespace xncc
