// SPDX-License-Identifier: BSD-2-Clause
// The exact scores of single windows by long integers (refine.h). With samples of window and
// template in units of the finest one's last bit, the sums are integers, as in exact_sums.cu, and
// WORDS words hold them if the largest sample is not too large: with n pixels, at most
// (32 WORDS - 4) / 2 - log2(n) bits, which is what the arguments of the formula need.
//
// Thread mapping: 1 to 8 warps of a block per window of the list; their threads take the samples
// in turn. If there are few large windows, several blocks share one (WindowShares), and the last
// block adds up what they found. Numbers are in local memory, which the first-level cache holds.
// Shared memory: 2 KB. Any compute capability.
#include "cuda/direct/refine.cuh"
#include "cuda/planes/sample_integer.cuh"

#include "math/long_score.h"

namespace xncc {

namespace {

constexpr int BLOCKS = 2; // per multiprocessor
constexpr int LEAST = 4;  // samples of a thread, if several warps have a window
constexpr int WORDS = 12; // of a number, at most

// The sums of a window or of a part of it, the words that they need, and the place of their unit.
// If they need more than WORDS, they are not made.
struct LongSums {
    uint32_t S[WORDS], T[WORDS], Q[WORDS], T2[WORDS], X[WORDS];
    int32_t words, unit;

    static __device__ LongSums none()
    {
        return {};
    }
    __device__ void join_lanes()
    {
        const int count = __shfl_sync(WARP_ALL, words, 0);
        if (count > WORDS)
            return;
        for (int step = WARP_LANES / 2; step > 0; step /= 2)
            for (uint32_t *number : { S, T, Q, T2, X }) {
                uint64_t carry = 0;
                for (int i = 0; i < count; i++) {
                    carry += uint64_t{ number[i] } + __shfl_xor_sync(WARP_ALL, number[i], step);
                    number[i] = static_cast<uint32_t>(carry);
                    carry >>= 32;
                }
            }
    }
};

constexpr uint32_t MOST_PARTS = XNCC_DOUBT_PARTS * XNCC_DOUBT_PART_BYTES / sizeof(LongSums);

// The grid of the samples of window and template, for every thread. All of the block take part.
template <xncc_pixel PIXEL>
__device__ xncc_grid grid_of(const RefineJob &job, const Reader<PIXEL> &image,
                             const WindowShares &shares)
{
    __shared__ xncc_grid of_warp[SHARE_WARPS];
    const int lane = static_cast<int>(threadIdx.x) % WARP_LANES,
              warp = static_cast<int>(threadIdx.x) / WARP_LANES, number = warp % shares.warps;
    xncc_grid grid = job.constants->grid;
    Walk walk(number * WARP_LANES + lane, shares.warps * WARP_LANES, job.templ_width);
    for (; walk.j < job.templ_height; walk.next())
        xncc_grid_add(&grid, image.sample(walk.i, walk.j));
    grid = warp_grid(grid);
    if (shares.warps == 1)
        return grid;
    if (lane == 0)
        of_warp[warp] = grid;
    __syncthreads();
    for (int k = 0; k < shares.warps; k++)
        grid = xncc_grid_join(grid, of_warp[warp - number + k]);
    __syncthreads(); // of_warp has been read
    return grid;
}

__device__ uint32_t pixels_of(const RefineJob &job)
{
    return static_cast<uint32_t>(job.templ_width) * static_cast<uint32_t>(job.templ_height);
}

// Adds v, or the product of two samples, to a number.
__device__ void add_value(uint32_t *to, int words, const Integer &v)
{
    xncc_long_put(to, 1, words, xncc_u128_of(v.mantissa), v.place, v.negative);
}
__device__ void add_product(uint32_t *to, int words, const Integer &a, const Integer &b)
{
    if (a.mantissa && b.mantissa)
        xncc_long_put(to, 1, words, xncc_u128_of_product(a.mantissa, b.mantissa), a.place + b.place,
                      a.negative != b.negative);
}

// Makes the sums of a thread's samples, which are 0 before.
template <xncc_pixel PIXEL>
__device__ void add_samples(const RefineJob &job, const Reader<PIXEL> &image, xncc_grid grid,
                            const WindowShare &share, LongSums *s)
{
    const int words = grid.top ? xncc_long_term_words(grid.top - grid.unit, pixels_of(job)) : 1;
    s->words = words;
    s->unit = grid.unit;
    Walk walk(share.own, share.threads, job.templ_width);
    for (; words <= WORDS && walk.j < job.templ_height; walk.next()) {
        const Integer v = integer_of(image.sample(walk.i, walk.j), s->unit),
                      t = integer_of(templ_sample<PIXEL>(job.templ, walk.i, walk.j), s->unit);
        add_value(s->S, words, v);
        add_value(s->T, words, t);
        add_product(s->Q, words, v, v);
        add_product(s->T2, words, t, t);
        add_product(s->X, words, v, t);
    }
}

// The score of a window, or XNCC_DOUBT if its sums need more words.
__device__ float score_of(const RefineJob &job, const xncc_general_rule &rule, const LongSums &s)
{
    if (s.words > WORDS)
        return xncc_float_of_bits(XNCC_DOUBT);
    const uint32_t pixels = pixels_of(job);
    uint32_t numerator[WORDS] = {}, image[WORDS] = {}, templ[WORDS] = {}, minus[WORDS];
    const xncc_long_terms terms = { numerator, image, templ, minus, s.words };
    const xncc_long_sums sums = { s.S, s.T, s.Q, s.T2, s.X };
    xncc_long_add_channel(job.method, pixels, &sums, &terms);
    return xncc_long_score(job.method, &rule, pixels, &terms, s.unit + XNCC_WIDE_VALUES);
}

template <xncc_pixel PIXEL>
__global__
__launch_bounds__(WARP_LANES *SHARE_WARPS) void settle_long(const __grid_constant__ RefineJob job,
                                                            const xncc_general_rule rule)
{
    const uint32_t count = job.constants->last;
    const WindowShares shares(job, count, LEAST, MOST_PARTS);
    const auto make = [&](const WindowShare &share, FloatDoubt at, LongSums *sums) {
        const Reader<PIXEL> image(job, at);
        add_samples(job, image, grid_of(job, image, shares), share, sums);
    };
    sum_shares<LongSums>(
        job, shares, job.doubts.list, count, make, [&](FloatDoubt at, const LongSums &sums) {
            store(job, at, score_of(job, rule, sums), job.doubts.hard, &job.constants->far);
        });
}

} // namespace

cudaError_t launch_settle_long(const RefineJob &job, const xncc_general_rule &rule, int processors,
                               cudaStream_t stream)
{
    const unsigned blocks = static_cast<unsigned>(processors) * BLOCKS;
    with_float_pixel(job.image.image.pixel, [&](auto type) {
        settle_long<type><<<blocks, WARP_LANES * SHARE_WARPS, 0, stream>>>(job, rule);
    });
    return cudaGetLastError();
}

} // namespace xncc
