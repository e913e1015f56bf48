// SPDX-License-Identifier: BSD-2-Clause
// The exact scores of single windows by long integers (settle_long.h). With samples of window and
// template in units of the finest one's last bit, the sums are integers, as in exact_sums.cu, and
// WORDS words hold them if the largest sample is not too large: with n pixels, at most
// (32 WORDS - 4) / 2 - log2(n) bits, which is what the arguments of the formula need.
//
// Thread mapping: a warp has a window of the list at a time; its lanes take the samples in turn.
// Numbers are in local memory, which the first-level cache holds. No shared memory; any compute
// capability.
#include "cuda/direct/settle_long.h"

#include "cuda/direct/refine.cuh"
#include "cuda/peaks/peak_key.cuh"
#include "cuda/planes/sample_integer.cuh"
#include "cuda/runtime/warp.cuh"
#include "math/long_score.h"

namespace xncc {

namespace {

constexpr int WARPS = 4;  // of a block
constexpr int BLOCKS = 4; // per multiprocessor
constexpr int WORDS = 12; // of a number, at most

struct LongSums {
    uint32_t S[WORDS], T[WORDS], Q[WORDS], T2[WORDS], X[WORDS];
};

// The grid of the samples of window and template; every lane gets it.
template <xncc_pixel PIXEL>
__device__ xncc_grid grid_of(const RefineJob &job, const Reader<PIXEL> &image, int lane)
{
    xncc_grid grid = job.constants->grid;
    Walk walk(lane, WARP_LANES, job.templ_width);
    for (; walk.j < job.templ_height; walk.next())
        xncc_grid_add(&grid, image.sample(walk.i, walk.j));
    return warp_grid(grid);
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

// The sum of a number over the lanes; every lane gets it.
__device__ void join_lanes(uint32_t *number, int words)
{
    for (int step = WARP_LANES / 2; step > 0; step /= 2) {
        uint64_t carry = 0;
        for (int i = 0; i < words; i++) {
            carry += uint64_t{ number[i] } + __shfl_xor_sync(WARP_ALL, number[i], step);
            number[i] = static_cast<uint32_t>(carry);
            carry >>= 32;
        }
    }
}

template <xncc_pixel PIXEL>
__device__ LongSums sums_of(const RefineJob &job, const Reader<PIXEL> &image, int lane, int unit,
                            int words)
{
    LongSums s = {};
    Walk walk(lane, WARP_LANES, job.templ_width);
    for (; walk.j < job.templ_height; walk.next()) {
        const Integer v = integer_of(image.sample(walk.i, walk.j), unit),
                      t = integer_of(templ_sample<PIXEL>(job.templ, walk.i, walk.j), unit);
        add_value(s.S, words, v);
        add_value(s.T, words, t);
        add_product(s.Q, words, v, v);
        add_product(s.T2, words, t, t);
        add_product(s.X, words, v, t);
    }
    for (uint32_t *number : { s.S, s.T, s.Q, s.T2, s.X })
        join_lanes(number, words);
    return s;
}

// The score from the sums, in units of 2^unit and its square. Destroys T.
__device__ float score_of(const RefineJob &job, const xncc_general_rule &rule, LongSums *s,
                          int words, int32_t unit)
{
    const uint32_t pixels = pixels_of(job);
    uint32_t numerator[WORDS] = {}, image[WORDS] = {}, templ[WORDS] = {}, minus[WORDS];
    const xncc_long_terms terms = { numerator, image, templ, minus, words };
    const xncc_long_sums sums = { s->S, s->T, s->Q, s->T2, s->X };
    xncc_long_add_channel(job.method, pixels, &sums, &terms);
    return xncc_long_score(job.method, &rule, pixels, &terms, unit);
}

template <xncc_pixel PIXEL>
__global__
__launch_bounds__(WARP_LANES *WARPS) void settle_long(const __grid_constant__ RefineJob job,
                                                      const xncc_general_rule rule)
{
    const uint32_t count = job.constants->last, warps = gridDim.x * WARPS;
    const int lane = static_cast<int>(threadIdx.x) % WARP_LANES;
    for (uint32_t i = (blockIdx.x * (WARP_LANES * WARPS) + threadIdx.x) / WARP_LANES; i < count;
         i += warps) {
        const FloatDoubt at = job.doubts.list[i];
        const Reader<PIXEL> image(job, at);
        const xncc_grid grid = grid_of(job, image, lane);
        const int words = grid.top ? xncc_long_term_words(grid.top - grid.unit, pixels_of(job)) : 1;
        if (words > WORDS) {
            if (lane == 0)
                put_on(job.doubts.hard, &job.constants->far, at);
            continue;
        }
        LongSums sums = sums_of(job, image, lane, grid.unit, words);
        if (lane)
            continue;
        const float score = score_of(job, rule, &sums, words, grid.unit + XNCC_WIDE_VALUES);
        job.map[at.y * job.map_pitch + at.x] = score;
        raise_tile(job.tiles, at.x, at.y, score);
    }
}

} // namespace

cudaError_t launch_settle_long(const RefineJob &job, const xncc_general_rule &rule, int processors,
                               cudaStream_t stream)
{
    with_float_pixel(job.image.image.pixel, [&](auto type) {
        settle_long<type>
            <<<static_cast<unsigned>(processors * BLOCKS), WARP_LANES * WARPS, 0, stream>>>(job,
                                                                                            rule);
    });
    return cudaGetLastError();
}

} // namespace xncc
