// SPDX-License-Identifier: BSD-2-Clause
// The arguments of the formula from the sums of exact_sums.cu, and the score.
#ifndef XNCC_CUDA_PRODUCTS_EXACT_TERMS_CUH
#define XNCC_CUDA_PRODUCTS_EXACT_TERMS_CUH

#include "cuda/products/exact_planes.cuh"

namespace xncc {

// A number of `words` words that are `step` apart.
template <int WORDS>
__device__ __forceinline__ void load_number(const uint32_t *from, int64_t step, int words,
                                            uint32_t (&to)[WORDS])
{
#pragma unroll
    for (int i = 0; i < WORDS; i++)
        to[i] = i < words ? from[i * step] : i > 0 && to[i - 1] >> 31 ? 0xffffffffu : 0u;
}

template <int WORDS>
__device__ __forceinline__ void store_number(const uint32_t (&from)[WORDS], int64_t step, int words,
                                             uint32_t *to)
{
#pragma unroll
    for (int i = 0; i < WORDS; i++)
        if (i < words)
            to[i * step] = from[i];
}

// The words of an argument of the formula: a constant if it is small, so that loops are written
// out.
template <int WORDS> __device__ __forceinline__ int words_of_term(const ExactJob &job)
{
    return WORDS < XNCC_EXACT_WORDS ? WORDS : state_of(job)->of_term;
}

static __device__ int32_t unit_of_products(const ExactJob &job)
{
    return 2 * (state_of(job)->unit + XNCC_WIDE_VALUES);
}

// The arguments of the formula of a window, as far as its channels have them. WORDS: of a number,
// at most.
template <int WORDS> struct WindowTerms {
    uint32_t numerator[WORDS], image[WORDS];

    // Adds S and Q of a channel of a window of n pixels that count. T: the words of sumT, which are
    // `step` apart; nullptr: all of the template counts.
    __device__ __forceinline__ void add(const ExactJob &job, int channel, uint32_t n,
                                        const uint32_t (&S)[WORDS], const uint32_t (&Q)[WORDS],
                                        const uint32_t *T, int64_t step)
    {
        const ExactState &s = *state_of(job);
        const int words = words_of_term<WORDS>(job);
        const bool centred = xncc_method_is_centred(job.method);
        uint32_t other[WORDS], scratch[WORDS];
        if (centred && T) {
            load_number(T, step, s.of_S, other);
            xncc_long_subtract_product(numerator, words, S, other, scratch);
        } else if (centred) {
            xncc_long_add_product(numerator, words, S, words, s.minus_T[channel], words);
        }
        if (xncc_method_of_difference(job.method))
            xncc_long_add_multiple(numerator, words, 1, Q);
        if (!xncc_method_is_normed(job.method))
            return;
        xncc_long_add_multiple(image, words, centred ? n : 1, Q);
        if (centred)
            xncc_long_subtract_product(image, words, S, S, scratch);
    }
    // Adds X and T2, whose words are among those at `sums`, and makes the score. varies: pixels of
    // the window's block do not count.
    __device__ __forceinline__ float score(const ExactJob &job, uint32_t n, bool varies,
                                           const uint32_t *sums, int64_t step)
    {
        const ExactState &s = *state_of(job);
        const ExactWords at(job);
        const int words = words_of_term<WORDS>(job);
        const int32_t unit = unit_of_products(job);
        const bool centred = xncc_method_is_centred(job.method);
        uint32_t other[WORDS], scratch[WORDS];
        load_number(sums + at.X * step, step, s.of_X, other);
        xncc_long_add_X(job.method, n, other, numerator, words);
        if (varies && has_squares(job.method))
            load_number(sums + at.T2 * step, step, s.of_X, other);
        else
            load_number(s.T2, 1, XNCC_EXACT_WORDS, other);
        if (xncc_method_of_difference(job.method))
            xncc_long_add_multiple(numerator, words, 1, other);
        xncc_real of_templ = s.templ;
        if (varies && xncc_method_is_normed(job.method)) {
            uint32_t templ[WORDS] = {};
            xncc_long_add_multiple(templ, words, centred ? n : 1, other);
            for (int c = 0; c < job.channels && centred; c++) {
                load_number(sums + (at.T + c * s.of_S) * step, step, s.of_S, other);
                xncc_long_subtract_product(templ, words, other, other, scratch);
            }
            of_templ = xncc_long_round(templ, words, unit);
        }
        const xncc_real of_numerator = xncc_long_round(numerator, words, unit),
                        of_image = xncc_long_round(image, words, unit);
        return xncc_score_of_terms(job.method, &job.rule, n, of_numerator, of_image, of_templ);
    }
};

// The pixels of a window that count. varies: as above.
static __device__ uint32_t counted_in(const ExactJob &job, bool varies, const uint32_t *sums,
                                      int64_t step)
{
    return varies ? sums[ExactWords(job).N * step] : counted(job);
}

static __device__ const uint32_t *T_of(const ExactJob &job, bool varies, int channel,
                                       const uint32_t *sums, int64_t step)
{
    return varies ? sums + (ExactWords(job).T + channel * state_of(job)->of_S) * step : nullptr;
}

// Adds S and Q of a channel to what the channels before have. The last channel makes the score.
template <int WORDS>
__device__ __noinline__ void score_channel(const ExactJob &job, int channel, bool varies,
                                           uint32_t *sums, int64_t step, const uint32_t (&S)[WORDS],
                                           const uint32_t (&Q)[WORDS], float *score)
{
    const ExactState &s = *state_of(job);
    const ExactWords at(job);
    const uint32_t n = counted_in(job, varies, sums, step);
    WindowTerms<WORDS> terms = {};
    float from_count;
    if (xncc_general_score_from_count(job.method, &job.rule, n, &from_count)) {
        *score = from_count;
        return;
    }
    if (channel > 0) {
        load_number(sums + at.numerator * step, step, s.of_term, terms.numerator);
        load_number(sums + at.image * step, step, s.of_term, terms.image);
    }
    terms.add(job, channel, n, S, Q, T_of(job, varies, channel, sums, step), step);
    if (channel == job.channels - 1) {
        *score = terms.score(job, n, varies, sums, step);
        return;
    }
    store_number(terms.numerator, step, s.of_term, sums + at.numerator * step);
    store_number(terms.image, step, s.of_term, sums + at.image * step);
}

// The score of a window whose S and Q are products.
template <int WORDS>
__device__ __noinline__ float score_of_products(const ExactJob &job, bool varies,
                                                const uint32_t *sums, int64_t step)
{
    const ExactState &s = *state_of(job);
    const ExactWords at(job);
    const uint32_t n = counted_in(job, varies, sums, step);
    float score;
    if (xncc_general_score_from_count(job.method, &job.rule, n, &score))
        return score;
    WindowTerms<WORDS> terms = {};
    uint32_t S[WORDS] = {}, Q[WORDS] = {};
    if (has_squares(job.method))
        load_number(sums + at.Q * step, step, s.of_X, Q);
    for (int c = 0; c < job.channels; c++) {
        if (xncc_method_is_centred(job.method))
            load_number(sums + (at.S + c * s.of_S) * step, step, s.of_S, S);
        terms.add(job, c, n, S, Q, T_of(job, varies, c, sums, step), step);
        for (int i = 0; i < WORDS; i++)
            Q[i] = 0; // it is that of all channels
    }
    return terms.score(job, n, varies, sums, step);
}

} // namespace xncc

#endif
