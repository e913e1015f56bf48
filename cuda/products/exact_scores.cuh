// SPDX-License-Identifier: BSD-2-Clause
// The last step of exact_sums.cu: the scores of the windows in doubt, from what primes leave of
// their sums.
#ifndef XNCC_CUDA_PRODUCTS_EXACT_SCORES_CUH
#define XNCC_CUDA_PRODUCTS_EXACT_SCORES_CUH

#include "cuda/products/exact_state.cuh"

namespace xncc {

// A number by its residues, times the square of the samples' unit.
static __device__ xncc_real number_of(const ExactJob &job, const uint32_t *residue, bool only_zero)
{
    constexpr int FEW = 12; // samples of f32 that are up to 2^100 apart
    const ExactState &s = *state_of(job);
    const int32_t unit = 2 * (s.unit + XNCC_WIDE_VALUES);
    return s.primes <= FEW
               ? real_of<RootPrimes, FEW>(residue, 1, s.primes, unit, only_zero)
               : real_of<RootPrimes, ROOT_PRIMES>(residue, 1, s.primes, unit, only_zero);
}

// The template's sums in a channel, if all windows have the same. T2 is that of all channels, which
// the first one has.
static __device__ ResidueTempl templ_sums(const ExactJob &job, int prime, int channel)
{
    const ExactState &s = *state_of(job);
    return { static_cast<uint32_t>(job.rule.whole), s.T[prime][channel],
             channel ? 0 : s.T2[prime] };
}

// The template's sums as they are used, and its term. One share.
static __device__ void describe_template(const ExactJob &job)
{
    ExactState &s = *state_of(job);
    const int own = static_cast<int>(threadIdx.x);
    for (int i = own; i < s.primes * (job.channels + 1); i += THREADS) {
        const int prime = i / (job.channels + 1), c = i % (job.channels + 1);
        if (c < job.channels)
            s.T[prime][c] = RootPrimes::at(prime).residue_of(s.sums[prime][c]);
        else
            s.T2[prime] = RootPrimes::at(prime).residue_of(s.sums[prime][XNCC_MAX_CHANNELS]);
    }
    __syncthreads();
    if (own)
        return;
    uint32_t term[ROOT_PRIMES] = {};
    for (int prime = 0; prime < s.primes; prime++)
        for (int c = 0; c < job.channels; c++)
            add_templ(job.method, RootPrimes::at(prime), templ_sums(job, prime, c), &term[prime]);
    s.templ = number_of(job, term, false);
}

// The score of a window. sums: its first sum by the first prime; sums are `step` elements apart,
// and those of primes `of_prime`.
static __device__ __noinline__ float score_of(const ExactJob &job, bool missing,
                                              const uint32_t *sums, int64_t step, int64_t of_prime)
{
    const ExactState &s = *state_of(job);
    const ExactPlanes planes(job);
    const bool normed = xncc_method_is_normed(job.method) != 0;
    // N is less than a prime
    const uint32_t n = missing ? sums[planes.N() * step] : static_cast<uint32_t>(job.rule.whole);
    float score;
    if (xncc_general_score_from_count(job.method, &job.rule, n, &score))
        return score;
    uint32_t numerator[ROOT_PRIMES], image[ROOT_PRIMES], templ[ROOT_PRIMES];
    for (int prime = 0; prime < s.primes; prime++, sums += of_prime) {
        const RootPrime by = RootPrimes::at(prime);
        uint32_t of_window = 0, of_image = 0, of_templ = 0;
        for (int c = 0; c < job.channels; c++) {
            ResidueTempl t = templ_sums(job, prime, c);
            if (missing)
                t = { n, planes.centred ? sums[(planes.T() + c) * step] : 0,
                      planes.squares && c == 0 ? sums[planes.T2() * step] : 0 };
            ResidueSums w = {};
            w.X = c ? 0 : sums[planes.X * step];
            w.Q = c || !planes.squares ? 0 : sums[planes.Q() * step];
            w.S = planes.centred ? sums[(planes.S() + c) * step] : 0;
            add_window(job.method, by, t, w, &of_window, &of_image);
            if (missing)
                add_templ(job.method, by, t, &of_templ);
        }
        numerator[prime] = of_window;
        image[prime] = of_image;
        templ[prime] = of_templ;
    }
    const xncc_real of_numerator = number_of(job, numerator, false);
    const bool zero = of_numerator.m == 0.0;
    const xncc_real none = { 0.0, 0 };
    return xncc_score_of_terms(job.method, &job.rule, n, of_numerator,
                               normed ? number_of(job, image, zero) : none,
                               missing ? number_of(job, templ, zero) : s.templ);
}

// The scores of a batch. A piece is a row of windows of a pair of blocks.
static __device__ void score_windows(const ExactJob &job, int first, int index)
{
    const ExactPlanes planes(job);
    const int rows = job.blocks.step_y, buffers = planes.buffers();
    const int64_t step = 2 * points_of(job);
    for (int piece = index; piece < rows * pairs_in_batch(job, first);
         piece += static_cast<int>(gridDim.x)) {
        const int y = piece % rows, own = piece / rows;
        const BlockPair pair(job, first + own);
        const uint32_t *sums = reinterpret_cast<const uint32_t *>(
            buffer_of(job, buffers, own, 0, planes.planes()) + int64_t{ y } * job.blocks.width);
        for (int e = 0; e < pair.count; e++) {
            const int2 start = pair.start[e];
            if (start.y + y >= job.height)
                continue;
            float *map = job.map + (start.y + y) * job.map_pitch + start.x;
            for (int x = static_cast<int>(threadIdx.x);
                 x < min(job.blocks.step_x, job.width - start.x); x += THREADS)
                if (__float_as_uint(map[x]) == XNCC_DOUBT)
                    map[x] = score_of(job, pair.missing, sums + 2 * x + e, step, step * buffers);
        }
    }
}

} // namespace xncc

#endif
