// SPDX-License-Identifier: BSD-2-Clause
// The score of float_sum_score.h.
//
// - If the template has a mask, S and Q come from maps, and N, unless it is that of a rectangle: a
//   window per thread, in blocks of 256 adjacent windows of a row.
// - Else S, Q and N come from sums of columns: a warp slides along a segment of a row
//   (window_slide.cuh), for one plane after the other; the sums of a turn are in shared memory,
//   from which each lane scores every 32nd window. A block is 4 warps, each on a row of its own;
//   blockIdx.x: group of 4 rows, blockIdx.y: segment. Shared memory: 6 KB and 5 KB per plane.
//
// Any compute capability.
//
// Errors. A sum is off by at most its block's bound, which comes from the rest of the samples
// (split_passes.cuh), and by `own` times the norms of what the window and the template have in its
// planes. The norm of a window's samples is at most the root of Q, that of their squares Q, and
// that of its counts the root of N. Squares are rounded once, which is at most a unit of 2^-53 of
// their sum; and so is each addition of a channel. Sums of windows have the bounds of
// window_slide.cuh, and sums of rectangles that of float_integrals.h.
#include "cuda/score/float_sum_score.h"

#include "cuda/planes/float_image.cuh"
#include "cuda/planes/float_integrals.h"
#include "cuda/windows/window_slide.cuh"
#include "math/method.h"
#include "math/sum_bounds.h"

namespace xncc {

namespace {

constexpr int THREADS = 256, MARKERS = 512;
constexpr double UNIT = 0x1.04p-53;
constexpr int LANES = SLIDE_LANES, WARPS = 4; // rows per block
constexpr int BLOCKS = 6;                     // per multiprocessor

__device__ __forceinline__ double root_of_bound(double v)
{
    return xncc_bound_root(v + XNCC_WINDOW_TINY);
}

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

template <xncc_method METHOD, bool SLIDES>
__device__ float score_of(const FloatSumScoreJob &job, const Turn &turn, int place, int x, int y)
{
    const FloatTerms &t = *job.terms;
    const WindowSums<SLIDES> sums = { job, turn, place, y * job.pitch + x,
                                      y / job.step_y * job.across + x / job.step_x };
    const TemplSums<SLIDES> templ(job, sums, x, y);
    const double n = templ.n;
    float score;
    if (templ.is_in_doubt())
        return xncc_float_of_bits(XNCC_DOUBT);
    if (xncc_general_score_from_count(METHOD, &job.rule, static_cast<uint64_t>(n), &score))
        return score;
    if (t.bad_samples > XNCC_FLOAT_BAD) // any window may have some
        return xncc_float_of_bits(XNCC_DOUBT);
    if (xncc_method_is_centred(METHOD) && !t.differs)
        return xncc_window_flat(METHOD, job.rule.undefined);
    const xncc_bounded Q = sums.Q();
    const double norm = root_of_bound(fabs(Q.value) + Q.error);
    xncc_bounded X = sums.bounded(job.at.X, t.norm_of_all * norm);
    X.error += static_cast<double>(job.at.channels) * UNIT * t.norm_of_all * norm;
    xncc_bounded_terms terms = xncc_sum_bounds_begin(METHOD, n, X, Q, templ.T2());
    if (xncc_method_is_centred(METHOD)) {
        for (int c = 0; c < job.at.channels; c++)
            xncc_sum_bounds_centre(&terms, sums.S(c, job.root_whole * norm), templ.T(c));
        if (templ.varies())
            for (int c = 0; c < job.at.channels; c++)
                xncc_sum_bounds_centre_square(&terms.templ, templ.T(c));
        else
            terms.templ = *turn.templ;
    }
    return xncc_bounded_score(METHOD, n, &terms);
}

// The template's term of a centred method, if all of its pixels count.
__device__ xncc_bounded term_of_templ(const FloatSumScoreJob &job)
{
    const FloatTerms &t = *job.terms;
    const double n = static_cast<double>(job.rule.whole);
    xncc_bounded term = {};
    xncc_sum_bounds_put(&term, n * t.T2.value, n * t.T2.error);
    for (int c = 0; c < job.at.channels; c++)
        xncc_sum_bounds_centre_square(&term, t.templ[c].T);
    return term;
}

// Lists a window in doubt. Where there are too many, not all are counted.
__device__ void list_doubt(FloatTerms *t, int x, int y)
{
    if (*static_cast<volatile const uint32_t *>(&t->doubts) > XNCC_FLOAT_DOUBTS)
        return;
    const uint32_t to = atomicAdd(&t->doubts, 1u);
    if (to < XNCC_FLOAT_DOUBTS)
        t->doubt_at[to] = FloatDoubt{ x, y };
}

template <xncc_method METHOD, bool SLIDES>
__device__ __forceinline__ void store_score(const FloatSumScoreJob &job, const Turn &turn,
                                            int place, int x, int y)
{
    const float score = score_of<METHOD, SLIDES>(job, turn, place, x, y);
    job.map[y * job.map_pitch + x] = score;
    if (__float_as_uint(score) == XNCC_DOUBT)
        list_doubt(job.terms, x, y);
}

template <xncc_method METHOD>
__global__ __launch_bounds__(THREADS) void score_sums(const __grid_constant__ FloatSumScoreJob job)
{
    const int x = static_cast<int>(blockIdx.x) * THREADS + static_cast<int>(threadIdx.x);
    const xncc_bounded templ = term_of_templ(job);
    const Turn turn = { &templ, nullptr, nullptr };
    for (int y = static_cast<int>(blockIdx.y); y < job.height && x < job.width;
         y += static_cast<int>(gridDim.y))
        store_score<METHOD, false>(job, turn, 0, x, y);
}

// Doubles of shared memory that a warp has, for the sums of a turn.
__host__ __device__ int room_of_warp(const xncc_float_sums &at)
{
    return (1 + at.columns) * SLIDE_ROOM;
}

template <xncc_method METHOD>
__global__ __launch_bounds__(LANES *WARPS, BLOCKS) void slide_and_score(
    const __grid_constant__ FloatSumScoreJob job, int segment, SlideLoss loss)
{
    constexpr int SUMS = 1 + XNCC_FLOAT_CHANNELS + 1;
    static_assert(sizeof(double) * WARPS * SUMS * SLIDE_ROOM + 2048 <= 48 << 10,
                  "no limit is raised");
    extern __shared__ double memory[];
    __shared__ xncc_twofold carried[WARPS][SUMS]; // of the first window of a turn
    __shared__ double losses[WARPS][SUMS];
    __shared__ xncc_bounded templ[WARPS];
    const int lane = static_cast<int>(threadIdx.x), warp = static_cast<int>(threadIdx.y),
              y = static_cast<int>(blockIdx.x) * WARPS + warp,
              begin = static_cast<int>(blockIdx.y) * segment, end = min(begin + segment, job.width),
              last = job.width + job.templ_width - 2;
    if (y >= job.height)
        return;
    double *sums = memory + warp * room_of_warp(job.at);
    const Turn turn = { templ + warp, sums, losses[warp] };
    xncc_twofold Q = {};
    double reached = 0.0; // by the columns of all channels
    for (int plane = 0; plane < job.at.columns; plane++) {
        const FloatColumns columns = job.columns.of(plane);
        const SlideSums first = slide_begin(columns.sums + y * columns.pitch + begin,
                                            job.templ_width, lane);
        const double reach = reach_of(columns, begin, begin + segment + job.templ_width - 2, y);
        if (lane == 0) {
            carried[warp][1 + plane] = first.S;
            losses[warp][1 + plane] = loss.loss * root_of_bound(loss.samples * reach) +
                                      XNCC_WINDOW_TINY;
        }
        if (plane < job.at.channels) { // and not what counts
            xncc_twofold_put_pair(&Q, first.Q);
            reached += reach;
        }
    }
    if (lane == 0) {
        carried[warp][0] = Q;
        losses[warp][0] = loss.loss * reached;
        templ[warp] = term_of_templ(job);
    }
    __syncwarp();
    for (int x = begin; x < end; x += SLIDE_TURN) {
        const auto slide = [&](const SlideGains &gains, int sum) {
            xncc_twofold at = carried[warp][sum];
            double *to = sums + sum * SLIDE_ROOM + lane;
            slide_turn(gains, lane, &at, [&](int i, double own) { to[i * SLIDE_PITCH] = own; });
            __syncwarp();
            if (lane == 0)
                carried[warp][sum] = at;
        };
        SlideGains squares = {};
        for (int plane = 0; plane <= job.at.columns; plane++) {
            const bool of_squares = plane == job.at.columns;
            SlideGains gains = squares;
            if (!of_squares) {
                const FloatColumns columns = job.columns.of(plane);
                gains = slide_gains(columns.sums + y * columns.pitch, last, job.templ_width, x,
                                    lane, plane < job.at.channels, &squares);
            }
            slide(gains, of_squares ? 0 : 1 + plane);
        }
        __syncwarp();
#pragma unroll 1
        for (int i = 0; i < SLIDE_SPAN; i++) {
            const int window = i * LANES + lane;
            if (x + window < end)
                store_score<METHOD, true>(job, turn, slide_place(window), x + window, y);
        }
        __syncwarp();
    }
}

// The windows of a sample that was left out score NaN, or are in doubt.
template <bool DOUBT> __device__ void mark_windows(const FloatSumScoreJob &job, SampleAt at)
{
    for (int i = static_cast<int>(threadIdx.x); i < job.templ_width * job.templ_height;
         i += THREADS) {
        const int x = at.x - i % job.templ_width, y = at.y - i / job.templ_width;
        if (x < 0 || y < 0 || x >= job.width || y >= job.height || (job.mask && !job.mask[i]))
            continue;
        job.map[y * job.map_pitch + x] = xncc_float_of_bits(DOUBT ? XNCC_DOUBT : 0x7fc00000u);
        if (DOUBT)
            list_doubt(job.terms, x, y);
    }
}

// FAR: windows with far samples, else those with bad ones. A block has a sample at a time.
template <bool FAR>
__global__
__launch_bounds__(THREADS) void mark_left_out(const __grid_constant__ FloatSumScoreJob job)
{
    const FloatTerms &t = *job.terms;
    const uint32_t own = blockIdx.x, all = gridDim.x;
    if constexpr (FAR) {
        for (uint32_t i = own; i < MOST_FAR * static_cast<uint32_t>(job.at.channels); i += all) {
            const uint32_t channel = i / MOST_FAR, count = t.far_samples[channel];
            if (i % MOST_FAR < count && count <= MOST_FAR)
                mark_windows<true>(job, t.far_at[channel][i % MOST_FAR]);
        }
    } else if (t.bad_samples <= XNCC_FLOAT_BAD) {
        for (uint32_t i = own; i < t.bad_samples; i += all)
            mark_windows<false>(job, t.bad_at[i]);
    }
}

template <xncc_method METHOD> void launch(const FloatSumScoreJob &job, cudaStream_t stream)
{
    if (job.at.windows) {
        const int32_t segment = slide_segment(job.templ_width, job.width);
        const dim3 block(LANES, WARPS), grid(static_cast<unsigned>(ceil_div(job.height, WARPS)),
                                             static_cast<unsigned>(ceil_div(job.width, segment)));
        const size_t bytes = sizeof(double) * WARPS * static_cast<size_t>(room_of_warp(job.at));
        slide_and_score<METHOD><<<grid, block, bytes, stream>>>(
            job, segment,
            slide_loss(job.columns.first, job.at.channels, job.templ_width, job.templ_height,
                       segment));
    } else {
        const dim3 grid(static_cast<unsigned>(ceil_div(job.width, THREADS)),
                        static_cast<unsigned>(job.height < UINT16_MAX ? job.height : UINT16_MAX));
        score_sums<METHOD><<<grid, THREADS, 0, stream>>>(job);
    }
    mark_left_out<true><<<MOST_FAR, THREADS, 0, stream>>>(job);
    mark_left_out<false><<<MARKERS, THREADS, 0, stream>>>(job);
}

} // namespace

cudaError_t launch_float_sum_score(const FloatSumScoreJob &job, cudaStream_t stream)
{
    switch (job.method) {
#define LAUNCH(method, name)                                                                       \
    case method: launch<method>(job, stream); break;
        XNCC_EACH_SCORE_METHOD(LAUNCH)
#undef LAUNCH
    case XNCC_COVERAGE: return cudaErrorInvalidValue;
    }
    return cudaGetLastError();
}

} // namespace xncc
