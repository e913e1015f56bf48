// SPDX-License-Identifier: BSD-2-Clause
// S and Q of whole windows of a plane of doubles without NaN, from the sums of its columns
// (column_sums.h).
//
// A warp slides along a segment of a row, SLIDE_TURN windows at a time, SLIDE_SPAN adjacent ones
// per lane. From one window to the next S and Q gain a column and lose one, so they are the first
// window's sums plus prefix sums of those differences. All of these are pairs of doubles.
//
// Errors. 8 units of 2^-53 are for the roundings of samples, of their squares, of columns and of
// what is stored. A pair of a segment is made by at most K = 3 (segment + 3 templ_width) + 64
// additions, of columns or of pairs. Each rounds its low part at most twice, so they lose at most
// K^2 2^-105 of the sizes of all that entered or left: these are at most twice the reach of the
// segment's columns, with what the columns lose.
#ifndef XNCC_CUDA_WINDOWS_WINDOW_SLIDE_CUH
#define XNCC_CUDA_WINDOWS_WINDOW_SLIDE_CUH

#include "cuda/planes/float_image.h"

#include "math/twofold.h"

extern "C" {
#include "plan/workspace_cuda.h"
}

namespace xncc {

constexpr int SLIDE_LANES = 32, SLIDE_SPAN = 4, SLIDE_TURN = SLIDE_LANES * SLIDE_SPAN;
constexpr unsigned SLIDE_ALL = 0xffffffffu;

// Where a warp keeps a double of each window of a turn: neither adjacent lanes nor adjacent windows
// meet in a bank of shared memory.
constexpr int SLIDE_PITCH = SLIDE_LANES + 4, SLIDE_ROOM = SLIDE_SPAN * SLIDE_PITCH;
__device__ __forceinline__ int slide_place(int window)
{
    return window % SLIDE_SPAN * SLIDE_PITCH + window / SLIDE_SPAN;
}

// S and Q of some columns.
struct SlideSums {
    xncc_twofold S, Q;

    __device__ void put(double2 column, double sign)
    {
        xncc_twofold_put(&S, sign * column.x);
        xncc_twofold_put(&Q, sign * column.y);
    }
    __device__ void add(const SlideSums &other)
    {
        xncc_twofold_put_pair(&S, other.S);
        xncc_twofold_put_pair(&Q, other.Q);
    }
    // S and Q, rounded.
    __device__ double2 rounded() const
    {
        return make_double2(xncc_sum(S.high, S.low), xncc_sum(Q.high, Q.low));
    }
    // A function of the 4 doubles of each lane.
    template <class Function> __device__ SlideSums each(const Function &function) const
    {
        return { xncc_twofold_of(function(S.high), function(S.low)),
                 xncc_twofold_of(function(Q.high), function(Q.low)) };
    }
};

// The sums of the first window of a segment; every lane gets them.
__device__ inline SlideSums slide_begin(const double2 *columns, int templ_width, int lane)
{
    SlideSums own = {};
    for (int i = lane; i < templ_width; i += SLIDE_LANES)
        own.put(__ldg(columns + i), 1.0);
#pragma unroll
    for (int step = SLIDE_LANES / 2; step > 0; step /= 2)
        own.add(own.each([&](double v) { return __shfl_xor_sync(SLIDE_ALL, v, step); }));
    return own;
}

// A turn of the windows from x on. columns: of their row, of which no window reaches one behind the
// last. *at: the sums of the turn's first window, which become those of the next turn's. take(i,
// sums): gets S and Q of this lane's window i.
template <class Take>
__device__ __forceinline__ void slide_turn(const double2 *columns, int last, int templ_width, int x,
                                           int lane, SlideSums *at, const Take &take)
{
    double2 in[SLIDE_SPAN], out[SLIDE_SPAN];
    x += lane * SLIDE_SPAN;
#pragma unroll
    for (int i = 0; i < SLIDE_SPAN; i++) {
        in[i] = __ldg(columns + min(x + i + templ_width, last));
        out[i] = __ldg(columns + min(x + i, last));
    }
    SlideSums until = {};       // what windows gain up to the next lane's first one,
    SlideSums gain[SLIDE_SPAN]; // and up to each of this lane's
#pragma unroll
    for (int i = 0; i < SLIDE_SPAN; i++) {
        gain[i] = until;
        until.put(in[i], 1.0);
        until.put(out[i], -1.0);
    }
#pragma unroll
    for (int step = 1; step < SLIDE_LANES; step *= 2)
        until.add(until.each([&](double v) {
            const double before = __shfl_up_sync(SLIDE_ALL, v, step);
            return lane >= step ? before : 0.0;
        }));
    SlideSums now = *at;
    now.add(until.each([&](double v) {
        const double before = __shfl_up_sync(SLIDE_ALL, v, 1);
        return lane ? before : 0.0;
    }));
#pragma unroll
    for (int i = 0; i < SLIDE_SPAN; i++) {
        SlideSums own = now;
        if (i > 0)
            own.add(gain[i]);
        take(i, own.rounded());
    }
    at->add(until.each([](double v) { return __shfl_sync(SLIDE_ALL, v, SLIDE_LANES - 1); }));
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

// What the sums lose besides 8 units of 2^-53 of the sizes of a window's samples: Q at most `loss`
// times the reach of the segment's columns, and S `loss` times the root of its product with
// `samples`.
struct SlideLoss {
    double loss, samples;
};
inline SlideLoss slide_loss(const FloatColumns &columns, int32_t templ_width, int32_t templ_height,
                            int32_t segment)
{
    const double width = templ_width, additions = 3.0 * (segment + 3.0 * width) + 64.0;
    return { 2.0 * columns.loss + 2.0 * additions * additions * 0x1p-105,
             2.0 * (segment + width + 2.0 * XNCC_COLUMN_BLOCK) *
                 (static_cast<double>(templ_height) + XNCC_COLUMN_STRIP) };
}

} // namespace xncc

#endif
