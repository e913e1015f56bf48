// SPDX-License-Identifier: BSD-2-Clause
// The score of float_sum_score.h: a window per thread, in blocks of 256 adjacent windows of a row.
// Shared memory: the reach of the block's columns; any compute capability.
//
// Errors. A sum is off by at most its block's bound, which comes from the rest of the samples
// (split_passes.cuh), and by `own` times the norms of what the window and the template have in its
// planes. The norm of a window's samples is at most the root of Q, that of their squares Q, and
// that of its counts the root of N. Squares are rounded once, which is at most a unit of 2^-53 of
// their sum; and so is each addition of a channel. Sums of windows have the bounds of
// float_windows.h.
#include "cuda/score/float_sum_score.h"

#include "cuda/planes/float_image.cuh"
#include "math/method.h"
#include "math/sum_bounds.h"

namespace xncc {

namespace {

constexpr int THREADS = 256, MARKERS = 512;
constexpr double UNIT = 0x1.04p-53;
static_assert(FLOAT_WINDOWS % THREADS == 0, "a block's windows are of one segment");

__device__ __forceinline__ double root_of_bound(double v)
{
    return xncc_bound_root(v + XNCC_WINDOW_TINY);
}

// The sums of a window.
struct WindowSums {
    const FloatSumScoreJob &job;
    int64_t at; // in a map of sums
    int32_t block;
    const double *reach; // of each channel's columns

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
    // Q of all channels.
    __device__ xncc_bounded Q() const
    {
        const double channels = static_cast<double>(job.at.channels);
        xncc_bounded q = { value(job.at.Q), 0.0 };
        if (job.at.windows) {
            double reached = 0.0;
            for (int c = 0; c < job.at.channels; c++)
                reached += reach[c];
            q.error = (8.0 * UNIT) * fabs(q.value) + job.loss.loss * reached;
        } else {
            // the norm of the squares is at most their sum, and the largest size times its root
            const double most = __uint_as_float(job.terms->largest),
                         size = 1.02 * (fabs(q.value) + bounded(job.at.Q, 0.0).error);
            q.error =
                bounded(job.at.Q, job.root_whole * fmin(size, most * root_of_bound(size))).error;
        }
        q.error += (channels + 1.0) * UNIT * fabs(q.value) + XNCC_WINDOW_TINY;
        return q;
    }
    // S of a channel; sizes: at least the sum of the sizes of its samples.
    __device__ xncc_bounded S(int channel, double sizes) const
    {
        if (!job.at.windows)
            return bounded(job.at.S + channel, sizes);
        return { value(job.at.S + channel),
                 8.0 * UNIT * sizes +
                     job.loss.loss * root_of_bound(job.loss.samples * reach[channel]) +
                     XNCC_WINDOW_TINY };
    }
};

template <xncc_method METHOD>
__device__ float score_of(const FloatSumScoreJob &job, const double *reach, int x, int y)
{
    const FloatTerms &t = *job.terms;
    const xncc_float_sums &at = job.at;
    const WindowSums sums = { job, y * job.pitch + x, y / job.step_y * job.across + x / job.step_x,
                              reach };
    const double whole = static_cast<double>(job.rule.whole),
                 n = at.varies ? rint(sums.value(at.N)) : whole,
                 channels = static_cast<double>(at.channels);
    float score;
    if (at.varies && !at.windows &&
        !(sums.bounded(at.N, root_of_bound(n) * job.root_whole).error < 0.45))
        return xncc_float_of_bits(XNCC_DOUBT);
    if (xncc_general_score_from_count(METHOD, &job.rule, static_cast<uint64_t>(n), &score))
        return score;
    if (t.bad_samples > XNCC_FLOAT_BAD) // any window may have some
        return xncc_float_of_bits(XNCC_DOUBT);
    if (xncc_method_is_centred(METHOD) && !t.differs)
        return METHOD == XNCC_CCOEFF ? 0.0f : job.rule.undefined;
    const xncc_bounded Q = sums.Q();
    const double norm = root_of_bound(fabs(Q.value) + Q.error), counted = root_of_bound(n);
    xncc_bounded X = sums.bounded(at.X, t.norm_of_all * norm), T2 = { t.T2, t.error_T2 };
    X.error += channels * UNIT * t.norm_of_all * norm;
    if (at.varies) {
        T2 = sums.bounded(at.T2, t.norm_of_squares * counted);
        T2.error += (channels + 1.0) * UNIT * fabs(T2.value);
    }
    xncc_bounded_terms terms = xncc_sum_bounds_begin(METHOD, n, X, Q, T2);
    if (xncc_method_is_centred(METHOD))
        for (int c = 0; c < at.channels; c++) {
            const xncc_bounded S = sums.S(c, job.root_whole * norm),
                               T = at.varies ? sums.bounded(at.T + c, t.norm[c] * counted)
                                             : xncc_bounded{ t.T[c], t.error_T[c] };
            xncc_sum_bounds_centre(&terms, S, T);
        }
    return xncc_bounded_score(METHOD, n, &terms);
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

template <xncc_method METHOD>
__global__ __launch_bounds__(THREADS) void score_sums(const __grid_constant__ FloatSumScoreJob job)
{
    __shared__ double reach[XNCC_FLOAT_CHANNELS];
    const int own = static_cast<int>(threadIdx.x), x = static_cast<int>(blockIdx.x) * THREADS + own,
              begin = x / job.segment * job.segment;
    for (int y = static_cast<int>(blockIdx.y); y < job.height; y += static_cast<int>(gridDim.y)) {
        __syncthreads();
        if (own < job.at.channels && job.at.windows) {
            FloatColumns columns = job.columns;
            columns.reach += own * job.reach_step;
            reach[own] = reach_of(columns, begin, begin + job.segment + job.templ_width - 2, y);
        }
        __syncthreads();
        if (x >= job.width)
            continue;
        const float score = score_of<METHOD>(job, reach, x, y);
        job.map[y * job.map_pitch + x] = score;
        if (__float_as_uint(score) == XNCC_DOUBT)
            list_doubt(job.terms, x, y);
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
    const dim3 grid(static_cast<unsigned>(ceil_div(job.width, THREADS)),
                    static_cast<unsigned>(job.height < UINT16_MAX ? job.height : UINT16_MAX));
    score_sums<METHOD><<<grid, THREADS, 0, stream>>>(job);
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
