// SPDX-License-Identifier: BSD-2-Clause
// Sums of whole windows along a row, from the sums of columns (column_sums.h): S of a plane of
// doubles without NaN, and Q of several planes.
//
// A warp slides along a segment of the row, SLIDE_TURN windows at a time, SLIDE_SPAN adjacent ones
// per lane. From one window to the next a sum gains a column of each plane and loses one, so it is
// the first window's plus a prefix sum of those differences. All of these are pairs of doubles.
//
// Errors, in units of 2^-53 of the sizes of a window's samples, or of Q: a sample less its pivot, a
// column and what is stored are rounded once each; and of Q, so is a square, in which the sample is
// twice. Besides, a pair of a segment is made by at most K = 3 planes (segment + 3 templ_width) +
// 64 additions, of columns or of pairs. Each rounds its low part at most twice, so they lose at
// most K^2 2^-105 of the sizes of all that entered or left: these are at most twice the reach of
// the segment's columns, with what the columns lose.
#ifndef XNCC_CUDA_WINDOWS_WINDOW_SLIDE_CUH
#define XNCC_CUDA_WINDOWS_WINDOW_SLIDE_CUH

#include "cuda/planes/float_image.h"
#include "cuda/planes/group_sums.cuh"
#include "cuda/runtime/warp.cuh"

#include "math/twofold.h"

extern "C" {
#include "plan/workspace_cuda.h"
}

namespace xncc {

constexpr int SLIDE_SPAN = 4, SLIDE_TURN = WARP_LANES * SLIDE_SPAN;
constexpr double SLIDE_ERROR_S = 3.0, SLIDE_ERROR_Q = 5.0;

// Where a warp keeps a double of each window of a turn: neither adjacent lanes nor adjacent windows
// meet in a bank of shared memory.
constexpr int SLIDE_PITCH = WARP_LANES + 4, SLIDE_ROOM = SLIDE_SPAN * SLIDE_PITCH;
__device__ __forceinline__ int slide_place(int window)
{
    return window % SLIDE_SPAN * SLIDE_PITCH + window / SLIDE_SPAN;
}

// S and Q of a plane in the first window of a segment; every lane gets them.
struct SlideSums {
    xncc_twofold S, Q;
};
__device__ inline SlideSums slide_begin(const double2 *columns, int templ_width, int lane)
{
    SlideSums own = {};
    for (int i = lane; i < templ_width; i += WARP_LANES) {
        const double2 column = __ldg(columns + i);
        xncc_twofold_put(&own.S, column.x);
        xncc_twofold_put(&own.Q, column.y);
    }
    return { group_pair(own.S, WARP_LANES), group_pair(own.Q, WARP_LANES) };
}

// What each of a lane's windows gives to the next one.
struct SlideGains {
    xncc_twofold of[SLIDE_SPAN];
};

// in - out
__device__ __forceinline__ xncc_twofold slide_gain(double in, double out)
{
    const double gain = xncc_sum(in, -out);
    return xncc_twofold_of(gain, xncc_sum_error(in, -out, gain));
}

// The gains of the windows of a turn from x on by a plane: of S, and those of Q are added to *Q if
// `squares`. columns: of their row, of which no window reaches one behind the last.
__device__ __forceinline__ SlideGains slide_gains(const double2 *columns, int last, int templ_width,
                                                  int x, int lane, bool squares, SlideGains *Q)
{
    double2 in[SLIDE_SPAN], out[SLIDE_SPAN];
    x += lane * SLIDE_SPAN;
#pragma unroll
    for (int i = 0; i < SLIDE_SPAN; i++) {
        in[i] = __ldg(columns + min(x + i + templ_width, last));
        out[i] = __ldg(columns + min(x + i, last));
    }
    SlideGains S;
#pragma unroll
    for (int i = 0; i < SLIDE_SPAN; i++) {
        S.of[i] = slide_gain(in[i].x, out[i].x);
        if (squares)
            xncc_twofold_put_pair(Q->of + i, slide_gain(in[i].y, out[i].y));
    }
    return S;
}

// The sums of a turn's windows. *at: the first one's, which becomes that of the next turn's.
// take(i, sum): gets the sum of this lane's window i, rounded.
template <class Take>
__device__ __forceinline__ void slide_turn(const SlideGains &gains, int lane, xncc_twofold *at,
                                           const Take &take)
{
    SlideGains until = gains; // what windows gain from the lane's first one on,
#pragma unroll
    for (int i = 1; i < SLIDE_SPAN; i++)
        xncc_twofold_put_pair(until.of + i, until.of[i - 1]);
    xncc_twofold all = until.of[SLIDE_SPAN - 1]; // and up to the next lane's first one
#pragma unroll
    for (int step = 1; step < WARP_LANES; step *= 2) {
        const xncc_twofold before = xncc_twofold_of(__shfl_up_sync(WARP_ALL, all.high, step),
                                                    __shfl_up_sync(WARP_ALL, all.low, step));
        if (lane >= step)
            xncc_twofold_put_pair(&all, before);
    }
    const xncc_twofold before = xncc_twofold_of(__shfl_up_sync(WARP_ALL, all.high, 1),
                                                __shfl_up_sync(WARP_ALL, all.low, 1));
    xncc_twofold now = *at;
    if (lane)
        xncc_twofold_put_pair(&now, before);
#pragma unroll
    for (int i = 0; i < SLIDE_SPAN; i++) {
        xncc_twofold own = now;
        if (i > 0)
            xncc_twofold_put_pair(&own, until.of[i - 1]);
        take(i, xncc_sum(own.high, own.low));
    }
    xncc_twofold_put_pair(at, xncc_twofold_of(__shfl_sync(WARP_ALL, all.high, WARP_LANES - 1),
                                              __shfl_sync(WARP_ALL, all.low, WARP_LANES - 1)));
}

// How many windows of a row are a segment: a multiple of SLIDE_TURN. Long enough that the first
// window costs little.
inline int32_t slide_segment(int32_t templ_width, int32_t width)
{
    int32_t segment = ceil_div(max(4 * templ_width, 8 * SLIDE_TURN), SLIDE_TURN) * SLIDE_TURN;
    while (ceil_div(width, segment) > UINT16_MAX)
        segment *= 2;
    return segment;
}

// What the sums lose besides SLIDE_ERROR_S and SLIDE_ERROR_Q units: Q at most `loss` times the
// reach of the segment's columns, and S `loss` times the root of its product with `samples`.
struct SlideLoss {
    double loss, samples;
};
inline SlideLoss slide_loss(const FloatColumns &columns, int32_t planes, int32_t templ_width,
                            int32_t templ_height, int32_t segment)
{
    const double width = templ_width, additions = 3.0 * planes * (segment + 3.0 * width) + 64.0;
    return { 2.0 * columns.loss + 2.0 * additions * additions * 0x1p-105,
             2.0 * (segment + width + 2.0 * XNCC_COLUMN_BLOCK) *
                 (static_cast<double>(templ_height) + XNCC_COLUMN_STRIP) };
}

} // namespace xncc

#endif
