// SPDX-License-Identifier: BSD-2-Clause
// The last step of exact_sums.cu: the scores of the windows in doubt, from what primes leave of
// their sums.
#ifndef XNCC_CUDA_PRODUCTS_EXACT_SCORES_CUH
#define XNCC_CUDA_PRODUCTS_EXACT_SCORES_CUH

#include "cuda/peaks/peak_key.cuh"
#include "cuda/products/exact_state.cuh"

namespace xncc {

// A number by its residues, times the square of the samples' unit.
static __device__ xncc_real number_of(const ExactJob &job, const uint32_t *residue)
{
    // samples of f32 up to 2^100 apart, and of f64
    constexpr int FEW = 12, SOME = 14;
    const ExactState &s = *state_of(job);
    const int32_t unit = 2 * (s.unit + XNCC_WIDE_VALUES);
    return s.primes <= FEW    ? real_of<RootPrimes, FEW>(residue, 1, s.primes, unit, false)
           : s.primes <= SOME ? real_of<RootPrimes, SOME>(residue, 1, s.primes, unit, false)
                              : real_of<RootPrimes, ROOT_PRIMES>(residue, 1, s.primes, unit, false);
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
    s.templ = number_of(job, term);
}

// The sums of a window of n pixels that count: by the first prime; sums are `step` elements apart,
// and those of primes `of_prime`.
struct WindowSums {
    const uint32_t *sums;
    int64_t step, of_prime;
    bool missing;
    uint32_t n;

    // In a channel. A sum of all channels is in the first one.
    __device__ __forceinline__ ResidueSums in_channel(const ExactPlanes &planes, int prime,
                                                      int channel) const
    {
        ResidueSums of = {};
        of.X = channel ? 0 : at(prime, planes.X);
        of.Q = channel || !planes.squares ? 0 : at(prime, planes.Q());
        of.S = planes.centred ? at(prime, planes.S() + channel) : 0;
        return of;
    }
    __device__ __forceinline__ ResidueTempl templ(const ExactJob &job, const ExactPlanes &planes,
                                                  int prime, int channel) const
    {
        if (!missing)
            return templ_sums(job, prime, channel);
        return { n, planes.centred ? at(prime, planes.T() + channel) : 0,
                 planes.squares && channel == 0 ? at(prime, planes.T2()) : 0 };
    }

  private:
    __device__ __forceinline__ uint32_t at(int prime, int sum) const
    {
        return sums[prime * of_prime + sum * step];
    }
};

// An argument of the formula. only_zero: 1.0 will do if it is not 0.
enum class Term { NUMERATOR, IMAGE, TEMPL };
template <Term TERM>
__device__ __forceinline__ xncc_real term_of(const ExactJob &job, const WindowSums &window,
                                             bool only_zero)
{
    constexpr int AT_A_TIME = 4; // primes whose loads are in flight
    static_assert(ROOT_PRIMES % AT_A_TIME == 0, "no more than there is room for");
    const ExactPlanes planes(job);
    const int primes = state_of(job)->primes;
    uint32_t term[ROOT_PRIMES], some = 0;
    for (int first = 0; first < primes; first += AT_A_TIME) {
        uint32_t of[AT_A_TIME] = {};
        for (int c = 0; c < job.channels; c++) {
            ResidueSums sums[AT_A_TIME];
            ResidueTempl templ[AT_A_TIME];
#pragma unroll
            for (int k = 0; k < AT_A_TIME; k++) {
                const int prime = min(first + k, primes - 1);
                sums[k] = window.in_channel(planes, prime, c);
                templ[k] = window.templ(job, planes, prime, c);
            }
#pragma unroll
            for (int k = 0; k < AT_A_TIME; k++) {
                const RootPrime by = RootPrimes::at(min(first + k, primes - 1));
                if (TERM == Term::NUMERATOR)
                    add_numerator(job.method, by, templ[k], sums[k], &of[k]);
                else if (TERM == Term::IMAGE)
                    add_image(job.method, by, templ[k], sums[k], &of[k]);
                else
                    add_templ(job.method, by, templ[k], &of[k]);
            }
        }
#pragma unroll
        for (int k = 0; k < AT_A_TIME; k++) {
            term[first + k] = of[k];
            some |= of[k];
        }
        if (some && only_zero)
            break;
    }
    return !some || only_zero ? xncc_real{ some ? 1.0 : 0.0, 0 } : number_of(job, term);
}

// The score of a window in doubt.
static __device__ __noinline__ float score_of(const ExactJob &job, WindowSums window)
{
    const ExactState &s = *state_of(job);
    float score;
    if (xncc_general_score_from_count(job.method, &job.rule, window.n, &score))
        return score;
    const xncc_real numerator = term_of<Term::NUMERATOR>(job, window, false), none = { 0.0, 0 };
    const bool zero = numerator.m == 0.0;
    return xncc_score_of_terms(
        job.method, &job.rule, window.n, numerator,
        xncc_method_is_normed(job.method) ? term_of<Term::IMAGE>(job, window, zero) : none,
        window.missing ? term_of<Term::TEMPL>(job, window, zero) : s.templ);
}

// The scores of a batch. A piece is as many windows of a pair of blocks as there are threads, those
// of both blocks by turns, and of paired rows.
static __device__ void score_windows(const ExactJob &job, int first, int index)
{
    const ExactPlanes planes(job);
    const bool paired = are_rows_paired(job.blocks.height);
    const int buffers = planes.buffers(), step_x = job.blocks.step_x, step_y = job.blocks.step_y,
              together = paired ? 2 : 1, // rows
        windows = 2 * step_x * ceil_div(step_y, together) * together,
              pieces = ceil_div(windows, THREADS);
    const int64_t step = 2 * points_of(job);
    for (int piece = index; piece < pieces * pairs_in_batch(job, first);
         piece += static_cast<int>(gridDim.x)) {
        const int own = piece / pieces,
                  window = piece % pieces * THREADS + static_cast<int>(threadIdx.x);
        const BlockPair pair(job, first + own);
        const int e = window % 2, of_rows = window / 2, x = of_rows / together % step_x,
                  y = of_rows / together / step_x * together + of_rows % together;
        if (e >= pair.count || y >= step_y)
            continue;
        const int column = pair.start[e].x + x, row = pair.start[e].y + y;
        if (column >= job.width || row >= job.height)
            continue;
        float *score = job.map + row * job.map_pitch + column;
        if (__float_as_uint(*score) != XNCC_DOUBT)
            continue;
        const uint32_t *sums = reinterpret_cast<const uint32_t *>(
            buffer_of(job, buffers, own, 0, planes.buffer_of_sum(planes.X)) +
            (paired ? element_of<true>(job, x, y) : element_of<false>(job, x, y)));
        sums += e;
        // N is less than a prime
        const uint32_t n = pair.missing ? sums[planes.N() * step]
                                        : static_cast<uint32_t>(job.rule.whole);
        *score = score_of(job, { sums, step, step * buffers, pair.missing, n });
        raise_tile(job.tiles, column, row, *score);
    }
}

} // namespace xncc

#endif
