// SPDX-License-Identifier: BSD-2-Clause
// The score of a window from maps of sums, sums of columns and the template's integral images
// (float_sum_score.h).
//
// Errors. A sum is off by at most its block's bound, which comes from the rest of the samples
// (split_passes.cuh), and by `own` times the norms of what the window and the template have in its
// planes. The norm of a window's samples is at most the root of Q, that of their squares Q, and
// that of its counts the root of N. Squares are rounded once, which is at most a unit of 2^-53 of
// their sum; and so is each addition of a channel. Sums of windows have the bounds of
// window_slide.cuh, and sums of rectangles that of float_planes.h.
#ifndef XNCC_CUDA_SCORE_FLOAT_SUM_WINDOW_CUH
#define XNCC_CUDA_SCORE_FLOAT_SUM_WINDOW_CUH

#include "cuda/score/float_sum_score.h"

#include "cuda/planes/float_image.cuh"
#include "cuda/windows/window_slide.cuh"
#include "math/method.h"
#include "math/sum_bounds.h"

namespace xncc {

constexpr double UNIT = 0x1.04p-53;
static __device__ __forceinline__ double root_of_bound(double v)
{
    return xncc_bound_root(v + XNCC_WINDOW_TINY);
}

constexpr int TURN_SUMS = 1 + XNCC_FLOAT_CHANNELS + 1; // of a turn, at most

// What the threads of a warp share. templ: the template's term, if all windows have the same. Of a
// warp that slides, the sums of its turn's windows, by slide_place, and what they lose in its
// segment: Q is the first, S of the channels and N follow.
struct Turn {
    const xncc_bounded *templ;
    const double *sums, *loss;
};

// The sums of a window, with their bounds. SLIDES: S, Q and N are in a turn, at `place`.
template <bool SLIDES> struct WindowSums {
    const FloatSumScoreJob &job;
    const Turn &turn;
    int place;
    int64_t at; // in a map of sums
    int32_t block;

    __device__ double value(int sum) const
    {
        return __ldg(job.sums + sum * job.step + at);
    }
    // norm: of what a window's plane has, times that of the template's
    __device__ xncc_bounded bounded(int sum, double norm) const
    {
        return { value(sum), __ldg(job.error + static_cast<int64_t>(sum) * job.blocks + block) +
                                 job.own * norm + XNCC_WINDOW_TINY };
    }
    __device__ double N() const
    {
        if constexpr (SLIDES)
            return turn.sums[(1 + job.at.channels) * SLIDE_ROOM + place];
        return value(job.at.N);
    }
    // Q of all channels.
    __device__ xncc_bounded Q() const
    {
        if constexpr (SLIDES) {
            const double q = turn.sums[place];
            return { q, SLIDE_ERROR_Q * UNIT * fabs(q) + turn.loss[0] + XNCC_WINDOW_TINY };
        }
        // the norm of the squares is at most their sum, and the largest size times its root
        xncc_bounded q = bounded(job.at.Q, 0.0);
        const double most = __uint_as_float(job.terms->largest),
                     size = 1.02 * (fabs(q.value) + q.error);
        q.error += job.own * (job.root_whole * fmin(size, most * root_of_bound(size))) +
                   (static_cast<double>(job.at.channels) + 1.0) * UNIT * fabs(q.value);
        return q;
    }
    // S of a channel; sizes: at least the sum of the sizes of its samples.
    __device__ xncc_bounded S(int channel, double sizes) const
    {
        if constexpr (SLIDES)
            return { turn.sums[(1 + channel) * SLIDE_ROOM + place],
                     SLIDE_ERROR_S * UNIT * sizes + turn.loss[1 + channel] };
        return bounded(job.at.S + channel, sizes);
    }
};

// The part of the template that the image has under a window: columns left .. right - 1, rows top
// .. bottom - 1.
struct Clip {
    const FloatSumScoreJob &job;
    int left, right, top, bottom;

    __device__ Clip(const FloatSumScoreJob &of, int x, int y) : job(of)
    {
        const int64_t x0 = job.image_x + x, y0 = job.image_y + y;
        left = xncc_clip_index(-x0, job.templ_width);
        right = xncc_clip_index(job.image_width - x0, job.templ_width);
        top = xncc_clip_index(-y0, job.templ_height);
        bottom = xncc_clip_index(job.image_height - y0, job.templ_height);
    }
    __device__ bool is_whole() const
    {
        return right - left == job.templ_width && bottom - top == job.templ_height;
    }
    // Its sum of an integral image.
    __device__ double sum(int number) const
    {
        const int64_t pitch = int64_t{ job.templ_width } + 1;
        const double *image = job.integrals + number * (int64_t{ job.templ_height } + 1) * pitch,
                     *above = image + top * pitch, *below = image + bottom * pitch;
        return xncc_sum(xncc_sum(__ldg(below + right), -__ldg(above + right)),
                        -xncc_sum(__ldg(below + left), -__ldg(above + left)));
    }
};

// What all windows have of the template, or N, T and T2 of one window.
template <bool SLIDES> struct TemplSums {
    const FloatSumScoreJob &job;
    const WindowSums<SLIDES> &sums;
    const Clip clip;
    const bool clipped;
    double n, root_of_n; // the latter at least

    __device__ TemplSums(const FloatSumScoreJob &of, const WindowSums<SLIDES> &window, int x, int y)
        : job(of), sums(window), clip(of, x, y), clipped(of.at.clips && !clip.is_whole())
    {
        n = clipped         ? clip.sum(INTEGRAL_OF_COUNT)
            : job.at.varies ? rint(sums.N())
                            : static_cast<double>(job.rule.whole);
        root_of_n = root_of_bound(n);
    }
    // Whether windows have different ones.
    __device__ bool varies() const
    {
        return clipped || job.at.varies;
    }
    // Whether n is in doubt.
    __device__ bool is_in_doubt() const
    {
        return !SLIDES && job.at.varies &&
               !(sums.bounded(job.at.N, root_of_n * job.root_whole).error < 0.45);
    }
    __device__ xncc_bounded T2() const
    {
        const FloatTerms &t = *job.terms;
        xncc_bounded r = t.T2;
        if (clipped)
            r = { clip.sum(INTEGRAL_OF_SQUARES),
                  INTEGRAL_ERROR * UNIT * (t.T2.value + t.T2.error) + XNCC_WINDOW_TINY };
        else if (job.at.varies)
            r = sums.bounded(job.at.T2, t.norm_of_squares * root_of_n);
        if (varies())
            r.error += (static_cast<double>(job.at.channels) + 1.0) * UNIT * fabs(r.value);
        return r;
    }
    __device__ xncc_bounded T(int channel) const
    {
        const FloatTerms &t = *job.terms;
        if (clipped)
            return { clip.sum(INTEGRAL_OF_SAMPLES + channel),
                     INTEGRAL_ERROR * UNIT * job.root_whole * t.templ[channel].norm +
                         XNCC_WINDOW_TINY };
        return job.at.varies ? sums.bounded(job.at.T + channel, t.templ[channel].norm * root_of_n)
                             : t.templ[channel].T;
    }
};

// X that has been made again. It is off by its last rounding, and by what was lost before.
struct XAgain {
    double value, lost;
};

// The score of the window at (x, y), or XNCC_DOUBT. method: of the job, a constant for the compiler
// where time matters. again: nullptr: X is in its map.
template <bool SLIDES>
__device__ __forceinline__ float score_of(xncc_method method, const FloatSumScoreJob &job,
                                          const Turn &turn, int place, int x, int y,
                                          const XAgain *again)
{
    const FloatTerms &t = *job.terms;
    const WindowSums<SLIDES> sums = { job, turn, place, y * job.pitch + x,
                                      y / job.step_y * job.across + x / job.step_x };
    const TemplSums<SLIDES> templ(job, sums, x, y);
    const double n = templ.n;
    float score;
    if (templ.is_in_doubt())
        return xncc_float_of_bits(XNCC_DOUBT);
    if (xncc_general_score_from_count(method, &job.rule, static_cast<uint64_t>(n), &score))
        return score;
    if (t.bad_samples > XNCC_FLOAT_BAD) // any window may have some
        return xncc_float_of_bits(XNCC_DOUBT);
    if (xncc_method_is_centred(method) && !t.differs)
        return xncc_window_flat(method, job.rule.undefined);
    const xncc_bounded Q = sums.Q();
    const double norm = root_of_bound(fabs(Q.value) + Q.error);
    xncc_bounded X;
    if (again) {
        X = { again->value, UNIT * fabs(again->value) + again->lost + XNCC_WINDOW_TINY };
    } else {
        X = sums.bounded(job.at.X, t.norm_of_all * norm);
        X.error += static_cast<double>(job.at.channels) * UNIT * t.norm_of_all * norm;
    }
    xncc_bounded_terms terms = xncc_sum_bounds_begin(method, n, X, Q, templ.T2());
    if (xncc_method_is_centred(method)) {
        for (int c = 0; c < job.at.channels; c++)
            xncc_sum_bounds_centre(&terms, sums.S(c, job.root_whole * norm), templ.T(c));
        if (templ.varies())
            for (int c = 0; c < job.at.channels; c++)
                xncc_sum_bounds_centre_square(&terms.templ, templ.T(c));
        else
            terms.templ = *turn.templ;
    }
    return xncc_bounded_score(method, n, &terms);
}

// The template's term of a centred method, if all of its pixels count.
static __device__ xncc_bounded term_of_templ(const FloatSumScoreJob &job)
{
    const FloatTerms &t = *job.terms;
    const double n = static_cast<double>(job.rule.whole);
    xncc_bounded term = {};
    xncc_sum_bounds_put(&term, n * t.T2.value, n * t.T2.error);
    for (int c = 0; c < job.at.channels; c++)
        xncc_sum_bounds_centre_square(&term, t.templ[c].T);
    return term;
}

// The sums of the window at (x, y) from its columns, by a warp, and to `lost` what those of
// `windows` adjacent ones lose. take(number of the sum, sum): called by the first lane.
template <class Take>
__device__ __forceinline__ void begin_sums(const FloatSumScoreJob &job, const SlideLoss &loss,
                                           int x, int y, int windows, int lane, double *lost,
                                           const Take &take)
{
    xncc_twofold Q = {};
    double reached = 0.0; // by the columns of all channels
    for (int plane = 0; plane < job.at.columns; plane++) {
        const FloatColumns columns = job.columns.of(plane);
        const SlideSums sums = slide_begin(columns.sums + y * columns.pitch + x, job.templ_width,
                                           lane);
        const double reach = reach_of(columns, x, x + windows + job.templ_width - 2, y);
        if (lane == 0) {
            take(1 + plane, sums.S);
            lost[1 + plane] = loss.loss * root_of_bound(loss.samples * reach) + XNCC_WINDOW_TINY;
        }
        if (plane < job.at.channels) { // and not what counts
            xncc_twofold_put_pair(&Q, sums.Q);
            reached += reach;
        }
    }
    if (lane == 0) {
        take(0, Q);
        lost[0] = loss.loss * reached;
    }
}

// Puts a window on a list, as far as it has room. Where there are too many, not all are counted.
static __device__ void list_window(const DoubtList &list, int x, int y)
{
    if (*static_cast<volatile const uint32_t *>(list.count) > list.room)
        return;
    const uint32_t to = atomicAdd(list.count, 1u);
    if (to < list.room)
        list.at[to] = FloatDoubt{ x, y };
}

} // namespace xncc

#endif
