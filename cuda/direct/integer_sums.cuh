// SPDX-License-Identifier: BSD-2-Clause
// Exact sums of a window whose samples are integers of at most INTEGER_BITS bits, in units of the
// finest one's last bit. A warp makes them, one window after the other; each lane keeps those of a
// window, and then all lanes score theirs at once.
//
// Sizes: a window has at most 2^10 pixels in INTEGER_CHANNELS = 2^2 channels. Sums of products have
// 2 * 58 + 10 bits and a sign. The arguments of the formula have at most 2 * 58 + 2 * 10 + 2 + 2
// bits and a sign, which are 5 words of 32 bits.
#ifndef XNCC_CUDA_DIRECT_INTEGER_SUMS_CUH
#define XNCC_CUDA_DIRECT_INTEGER_SUMS_CUH

#include "cuda/planes/sample_integer.cuh"
#include "cuda/runtime/warp.cuh"

#include "math/grid.h"
#include "math/long_score.h"

namespace xncc {

constexpr int INTEGER_CHANNELS = 4;

struct IntegerSums {
    Int128 S, T, Q, T2, X;
};

// The sum over the lanes; every lane gets it.
static __device__ __forceinline__ Int128 join_lanes(Int128 v)
{
#pragma unroll
    for (int step = WARP_LANES / 2; step > 0; step /= 2) {
        const uint64_t low = __shfl_xor_sync(WARP_ALL, static_cast<uint64_t>(v), step),
                       high = __shfl_xor_sync(WARP_ALL, static_cast<uint64_t>(v >> 64), step);
        v += static_cast<Int128>(high) << 64 | low;
    }
    return v;
}

// A number as `count` words, of 32 bits each.
static __device__ void put_words(Int128 v, uint32_t *to, int count)
{
    for (int i = 0; i < count; i++, v >>= 32)
        to[i] = static_cast<uint32_t>(v);
}

// The unit of samples on this grid, 2^unit, as fine as INTEGER_BITS bits allow. Returns false if
// they have more, or if doubles cannot be multiplied by its inverse.
static __device__ bool choose_unit(const xncc_grid &grid, int32_t *unit)
{
    *unit = grid.top - INTEGER_BITS + XNCC_WIDE_VALUES;
    return grid.top - grid.unit <= INTEGER_BITS && *unit > -900 && *unit < 900;
}

// The sums of a channel of samples in units of 2^unit. each: calls a function of two samples for
// each of the lane's pairs. *n: the lane's pairs. *fits becomes false if a sample is no integer.
template <class Each>
__device__ __forceinline__ IntegerSums integer_sums(int32_t unit, const Each &each, uint32_t *n,
                                                    bool *fits)
{
    const double scale = ldexp(1.0, -unit);
    IntegerSums s = {};
    *n = 0;
    each([&](double of_image, double of_templ) {
        const int64_t v = integer_in(of_image, scale, fits), t = integer_in(of_templ, scale, fits);
        s.S += v;
        s.T += t;
        s.Q += Int128{ v } * v;
        s.T2 += Int128{ t } * t;
        s.X += Int128{ v } * t;
        ++*n;
    });
    return { join_lanes(s.S), join_lanes(s.T), join_lanes(s.Q), join_lanes(s.T2), join_lanes(s.X) };
}

// A window and its sums, of each channel.
struct HeldWindow {
    int x, y;
    uint32_t n;
    int32_t unit; // of samples: 2^unit
    IntegerSums of[INTEGER_CHANNELS];
};

static __device__ float score_integers(xncc_method method, const xncc_general_rule &rule,
                                       int channels, const HeldWindow &w)
{
    constexpr int WORDS = 5;
    uint32_t numerator[WORDS] = {}, image[WORDS] = {}, templ[WORDS] = {}, minus[WORDS];
    const xncc_long_terms terms = { numerator, image, templ, minus, WORDS };
    for (int c = 0; c < channels; c++) {
        uint32_t S[WORDS], T[WORDS], Q[WORDS], T2[WORDS], X[WORDS];
        const IntegerSums &sums = w.of[c];
        put_words(sums.S, S, WORDS);
        put_words(sums.T, T, WORDS);
        put_words(sums.Q, Q, WORDS);
        put_words(sums.T2, T2, WORDS);
        put_words(sums.X, X, WORDS);
        const xncc_long_sums words = { S, T, Q, T2, X };
        xncc_long_add_channel(method, w.n, &words, &terms);
    }
    return xncc_long_score(method, &rule, w.n, &terms, w.unit);
}

} // namespace xncc

#endif
