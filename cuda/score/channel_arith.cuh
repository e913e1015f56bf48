// SPDX-License-Identifier: BSD-2-Clause
// From the window sums of several channels to the score: the common part of channel_score.cu, which
// says why its results are exact, and of fused_channels.cu.
#ifndef XNCC_CUDA_SCORE_CHANNEL_ARITH_CUH
#define XNCC_CUDA_SCORE_CHANNEL_ARITH_CUH

#include "cuda/score/channel_windows.cuh"

namespace xncc {

__device__ __forceinline__ double u32_to_double(uint32_t v)
{
    return __dadd_rn(__hiloint2double(LIFTED_HIGH_WORD, static_cast<int>(v)), -LIFT);
}

// Numerator and denominator of the score, for a thread's four windows.
__device__ __forceinline__ void byte_fractions(const ChannelJob &job, const ByteWindows &windows,
                                               const uint32_t *x, double *num, double *var)
{
    if (job.centred) {
#pragma unroll
        for (int i = 0; i < 4; i++) {
            num[i] = fma(job.n, __hiloint2double(LIFTED_HIGH_WORD, static_cast<int>(x[i])),
                         job.lowered);
            var[i] = fma(job.n, windows.q[i], job.lowered);
        }
#pragma unroll
        for (int c = 0; c < CHANNELS; c++)
            if (c < job.summed)
#pragma unroll
                for (int i = 0; i < 4; i++) {
                    const double sum = __dadd_rn(windows.s[c][i], -LIFT);
                    num[i] = fma(-job.T[c], sum, num[i]);
                    var[i] = fma(-sum, sum, var[i]);
                }
        return;
    }
#pragma unroll
    for (int i = 0; i < 4; i++) {
        uint32_t all = 0;
#pragma unroll
        for (int c = 0; c < CHANNELS; c++)
            all += windows.sum(c, i);
        const double sum = u32_to_double(all), square = __dadd_rn(windows.q[i], -LIFT);
        num[i] = fma(job.num.product, u32_to_double(x[i]), job.num.rest);
        num[i] = fma(job.num.square, square, fma(job.num.sum, sum, num[i]));
        var[i] = fma(job.var.sum, sum, __dadd_rn(square, job.var.rest));
    }
}

__device__ __forceinline__ void OneByte::fractions(const ChannelJob &job, const Windows &windows,
                                                   const Product *x, double *num, double *var)
{
    byte_fractions(job, windows, x, num, var);
}

// The scores of a thread's four windows; false if one of them must be computed again.
__device__ __forceinline__ bool finish(const ChannelJob &job, const double *num, const double *var,
                                       float *score)
{
    bool sure = true;
    if (job.finish == FINISH_ROOT) {
#pragma unroll
        for (int i = 0; i < 4; i++)
            sure &= fast_quotient(num[i], var[i], job.unit, &score[i]);
    } else if (job.finish == FINISH_DIVIDE) {
#pragma unroll
        for (int i = 0; i < 4; i++)
            score[i] = exact_quotient(num[i], job.n, job.reciprocal);
    } else {
#pragma unroll
        for (int i = 0; i < 4; i++)
            score[i] = __double2float_rn(num[i]);
    }
    return sure;
}

// The score by general_score.h. s: S of each channel.
__device__ __noinline__ inline float exact_score(const ChannelJob &job, const uint32_t *s,
                                                 uint64_t q, uint64_t x)
{
    xncc_general all = xncc_general_begin(job.all.rule.whole);
#pragma unroll 1
    for (int c = 0; c < job.all.channels; c++) {
        const bool first = c == 0;
        const xncc_general_sums sums = { s[c], job.all.T[c], xncc_u128_of(first ? q : 0),
                                         xncc_u128_of(first ? x : 0),
                                         xncc_u128_of(first ? job.all.T2 : 0) };
        xncc_general_add(&all, &sums, job.all.rule.bias);
    }
    return xncc_general_score(job.all.method, &job.all.rule, &all);
}

// The linear functions of the methods that are not centred.
inline void make_linear(ChannelJob *job)
{
    const ChannelScoreJob &all = job->all;
    uint64_t templ = 0;
    for (int c = 0; c < all.channels; c++)
        templ += all.T[c];
    const LinearScore of = linear_score(all.method, all.rule, all.channels, templ, all.T2);
    job->whole_num = of.num;
    job->whole_var = of.var;
    job->num = as_doubles(of.num);
    job->var = as_doubles(of.var);
}

// The reciprocal root of the template's part of the denominator, or NaN if that is 0.
inline double unit_of_templ(const ChannelScoreJob &all)
{
    xncc_general templ = xncc_general_begin(all.rule.whole);
    for (int c = 0; c < all.channels; c++) {
        const xncc_general_sums sums = { 0, all.T[c], xncc_u128_of(0), xncc_u128_of(0),
                                         xncc_u128_of(c == 0 ? all.T2 : 0) };
        xncc_general_add(&templ, &sums, all.rule.bias);
    }
    return unit_of_general(all.method, templ);
}

// The job with its derived constants; the segment is set by cut_strips. floats: per vector of the
// map.
inline ChannelJob make_channel_job(const ChannelScoreJob &all, int floats)
{
    ChannelJob job = {};
    job.all = all;
    const bool normed = xncc_method_is_normed(all.method);
    job.centred = xncc_method_is_centred(all.method);
    job.squared = normed || xncc_method_of_difference(all.method);
    job.summed = job.centred || (all.rule.bias && !xncc_method_ignores_offset(all.method))
                     ? all.channels
                     : 0;
    job.read = job.summed || job.squared ? all.channels : 0;
    job.n = static_cast<double>(all.rule.whole);
    job.reciprocal = 1.0 / job.n;
    job.lowered = -job.n * LIFT;
    job.finish = normed ? FINISH_ROOT : job.centred ? FINISH_DIVIDE : FINISH_EXACT;
    job.unit = normed ? unit_of_templ(all) : 0.0;
    for (int c = 0; c < all.channels; c++)
        job.T[c] = static_cast<double>(all.T[c]);
    for (int k = 0; k < all.terms; k++)
        job.weight[k] = 1u << all.term[k].shift;
    job.vector_columns = vector_columns(all, floats);
    make_linear(&job);
    return job;
}

} // namespace xncc

#endif
