// SPDX-License-Identifier: BSD-2-Clause
// The exact scores of single windows by long integers (refine.h, long_sums.cuh).
//
// Thread mapping: 1 to 4 warps of a block per window of the list; their threads take the samples
// in turn. If there are few large windows, several blocks share one (WindowShares), and the last
// block adds up what they found. Numbers are in local memory, which the first-level cache holds.
// Shared memory: digits of the sums and the sums of warps, 32 KB. Any compute capability.
#include "cuda/direct/long_sums.cuh"
#include "cuda/direct/refine.cuh"

namespace xncc {

namespace {

constexpr int WARPS = 4;  // of a block
constexpr int BLOCKS = 4; // per multiprocessor
constexpr int LEAST = 4;  // samples of a thread, if several warps have a window
constexpr int BATCH = 4;  // samples of a thread that are loaded at a time
constexpr int THREADS = WARP_LANES * WARPS;
using Digits = LongDigits<THREADS>;

// The sums of a window or of a part of it, the words that they need, and the place of their unit.
// If they need more than LONG_WORDS, they are not made.
struct WindowSums : LongSums {
    static constexpr bool BY_WARP = true; // scores are made by a warp each
    int32_t words, unit;

    static __device__ WindowSums none()
    {
        return {};
    }
    __device__ bool fits() const
    {
        return words <= LONG_WORDS;
    }
    __device__ void join_lanes()
    {
        words = __shfl_sync(WARP_ALL, words, 0);
        unit = __shfl_sync(WARP_ALL, unit, 0);
        if (fits())
            LongSums::join_lanes(words);
    }
};

constexpr uint32_t MOST_PARTS = XNCC_DOUBT_PARTS * XNCC_DOUBT_PART_BYTES / sizeof(WindowSums);

// The grid of the samples of window and template, for every thread. All of the block take part.
template <xncc_pixel PIXEL>
__device__ xncc_grid grid_of(const RefineJob &job, const Reader<PIXEL> &image,
                             const WindowShares<WARPS> &shares)
{
    __shared__ xncc_grid of_warp[WARPS];
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

// Calls add(load(i, j)) for the samples of a thread's share, of which BATCH are loaded at a time;
// then for some that are 0.
template <class Load, class Add>
__device__ __forceinline__ void each_sample(const RefineJob &job, const WindowShare &share,
                                            const Load &load, const Add &add)
{
    Walk walk(share.own, share.threads, job.templ_width);
    while (walk.j < job.templ_height) {
        decltype(load(0, 0)) sample[BATCH];
#pragma unroll
        for (int k = 0; k < BATCH; k++, walk.next())
            sample[k] = walk.j < job.templ_height ? load(walk.i, walk.j) : decltype(load(0, 0)){};
#pragma unroll
        for (int k = 0; k < BATCH; k++)
            add(sample[k]);
    }
}

// The sums of the template over a warp's share. The next window's are mostly the same.
struct TemplSums {
    int32_t unit, own, words; // 0 words: nothing is known
    uint32_t T[LONG_WORDS], T2[LONG_WORDS];

    template <xncc_pixel PIXEL>
    __device__ void make(const RefineJob &job, const WindowShare &share, const WindowSums &s,
                         Digits *digits)
    {
        const int thread = static_cast<int>(threadIdx.x), warp = thread & ~(WARP_LANES - 1);
        if (unit == s.unit && own == share.own && words == s.words)
            return;
        unit = s.unit;
        own = share.own;
        words = s.words;
        digits->clear(thread);
        each_sample(
            job, share, [&](int i, int j) { return templ_sample<PIXEL>(job.templ, i, j); },
            [&](double t) { digits->add<PIXEL>(thread, integer_of(t, unit)); });
        __syncwarp();
        join_digits(digits->S, warp, WARP_LANES, LONG_VALUE_WORDS, words, T);
        join_digits(digits->Q, warp, WARP_LANES, words, words, T2);
        __syncwarp(); // the digits have been read
    }
};

// Makes the sums of a warp's share of a window.
template <xncc_pixel PIXEL>
__device__ void sum_share(const RefineJob &job, const Reader<PIXEL> &image, xncc_grid grid,
                          const WindowShare &share, Digits *digits, TemplSums *templ, WindowSums *s)
{
    struct Pair {
        double v, t;
    };
    const int thread = static_cast<int>(threadIdx.x), warp = thread & ~(WARP_LANES - 1);
    s->words = long_words(grid, pixels_of(job));
    s->unit = grid.unit;
    if (!s->fits())
        return;
    templ->make<PIXEL>(job, share, *s, digits);
    for (int i = 0; i < s->words; i++) {
        s->T[i] = templ->T[i];
        s->T2[i] = templ->T2[i];
    }
    digits->clear(thread);
    each_sample(
        job, share,
        [&](int i, int j) {
            return Pair{ image.sample(i, j), templ_sample<PIXEL>(job.templ, i, j) };
        },
        [&](const Pair &pair) {
            const Integer v = integer_of(pair.v, grid.unit);
            digits->add<PIXEL>(thread, v);
            digits->add<PIXEL>(thread, v, integer_of(pair.t, grid.unit));
        });
    __syncwarp();
    join_digits(digits->S, warp, WARP_LANES, LONG_VALUE_WORDS, s->words, s->S);
    join_digits(digits->Q, warp, WARP_LANES, s->words, s->words, s->Q);
    join_digits(digits->X, warp, WARP_LANES, s->words, s->words, s->X);
    __syncwarp(); // the digits have been read
}

// The score of a window, or XNCC_DOUBT if its sums need more words. By a warp; every lane gets it.
__device__ float score_of(const RefineJob &job, const xncc_general_rule &rule, const WindowSums &s)
{
    if (!s.fits())
        return xncc_float_of_bits(XNCC_DOUBT);
    LongTerms terms(s.words);
    terms.add(job.method, pixels_of(job), s);
    return terms.score(job.method, rule, pixels_of(job), s.unit);
}

template <xncc_pixel PIXEL>
__global__ __launch_bounds__(THREADS) void settle_long(const __grid_constant__ RefineJob job,
                                                       const xncc_general_rule rule)
{
    __shared__ Digits digits;
    const uint32_t count = job.constants->last;
    const WindowShares<WARPS> shares(job, count, LEAST, MOST_PARTS);
    TemplSums templ;
    templ.words = 0;
    const auto make = [&](const WindowShare &share, FloatDoubt at, WindowSums *sums) {
        const Reader<PIXEL> image(job, at);
        sum_share(job, image, grid_of(job, image, shares), share, &digits, &templ, sums);
    };
    const auto settle = [&](FloatDoubt at, const WindowSums &sums) {
        const float score = score_of(job, rule, sums);
        if (threadIdx.x % WARP_LANES == 0)
            store(job, at, score, job.doubts.hard, &job.constants->far);
    };
    sum_shares<WindowSums>(job, shares, job.doubts.list, count, make, settle);
}

} // namespace

cudaError_t launch_settle_long(const RefineJob &job, const xncc_general_rule &rule, int processors,
                               cudaStream_t stream)
{
    const unsigned blocks = static_cast<unsigned>(processors) * BLOCKS;
    with_float_pixel(job.image.image.pixel, [&](auto type) {
        settle_long<type><<<blocks, THREADS, 0, stream>>>(job, rule);
    });
    return cudaGetLastError();
}

} // namespace xncc
