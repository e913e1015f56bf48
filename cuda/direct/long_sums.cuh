// SPDX-License-Identifier: BSD-2-Clause
// The exact sums of single windows as long integers. With samples of window and template in units
// of the finest one's last bit, the sums are integers, and LONG_WORDS words hold what the formula
// needs of them if the largest sample is not too large: with n pixels, at most
// (32 LONG_WORDS - 4) / 2 - log2(n) bits.
//
// A thread adds its samples to digits of its own, 64 bits for each 32 of a number: so nothing is
// carried from one digit to the next before all threads are done. Digits are in shared memory,
// where those of a thread are in one bank, whichever digit it is.
#ifndef XNCC_CUDA_DIRECT_LONG_SUMS_CUH
#define XNCC_CUDA_DIRECT_LONG_SUMS_CUH

#include "cuda/planes/sample_integer.cuh"
#include "cuda/runtime/warp.cuh"

#include "math/grid.h"
#include "math/long_score.h"

namespace xncc {

constexpr int LONG_WORDS = 12;                   // of a number, at most,
constexpr int LONG_VALUE_WORDS = LONG_WORDS / 2; // and of a sum of samples

// The words of the arguments of the formula, of samples on a grid; the sums have as many.
static __device__ int long_words(const xncc_grid &grid, uint32_t pixels)
{
    return xncc_long_term_words(grid.top ? grid.top - grid.unit : 1, pixels);
}

// The sums of a window or of a part of it in a channel.
struct LongSums {
    uint32_t S[LONG_WORDS], T[LONG_WORDS], Q[LONG_WORDS], T2[LONG_WORDS], X[LONG_WORDS];

    // Adds up the sums of a warp's lanes; every lane gets the sums.
    __device__ void join_lanes(int words)
    {
        for (int step = WARP_LANES / 2; step > 0; step /= 2)
            for (uint32_t *number : { S, T, Q, T2, X }) {
                uint64_t carry = 0;
                for (int i = 0; i < words; i++) {
                    carry += uint64_t{ number[i] } + __shfl_xor_sync(WARP_ALL, number[i], step);
                    number[i] = static_cast<uint32_t>(carry);
                    carry >>= 32;
                }
            }
    }
};

// The arguments of the formula, of the channels so far: the first three lanes of a warp have the
// numerator, the image's term and the template's. All lanes of the warp call the functions.
struct LongTerms {
    uint32_t own[LONG_WORDS];
    int words;

    __device__ explicit LongTerms(int words_) : own{}, words(words_)
    {
    }
    // Adds a channel of n pixels, whose sums these lanes have.
    __device__ void add(xncc_method method, uint32_t n, const LongSums &s)
    {
        const int lane = static_cast<int>(threadIdx.x) % WARP_LANES;
        const bool centred = xncc_method_is_centred(method) != 0;
        if (lane >= 3)
            return;
        if (lane == 0 && xncc_method_of_difference(method)) { // not centred: Q + T2 - 2 X
            const uint32_t minus_two[2] = { 0u - 2u, UINT32_MAX };
            xncc_long_add_product(own, words, minus_two, 2, s.X, words);
            xncc_long_add_multiple(own, words, 1, s.Q);
            xncc_long_add_multiple(own, words, 1, s.T2);
            return;
        }
        xncc_long_add_multiple(own, words, centred ? n : 1u,
                               lane == 0   ? s.X
                               : lane == 1 ? s.Q
                                           : s.T2);
        uint32_t minus[LONG_WORDS];
        if (centred)
            xncc_long_subtract_product(own, words, lane == 2 ? s.T : s.S, lane == 1 ? s.S : s.T,
                                       minus);
    }
    // The score of n pixels; every lane gets it. Destroys the arguments. unit: of the samples, as
    // that of a grid.
    __device__ float score(xncc_method method, const xncc_general_rule &rule, uint32_t n, int unit)
    {
        const xncc_real real = xncc_long_round(own, words, 2 * (unit + XNCC_WIDE_VALUES));
        const auto of_lane = [&](int lane) {
            return xncc_real{ __shfl_sync(WARP_ALL, real.m, lane),
                              __shfl_sync(WARP_ALL, real.e, lane) };
        };
        const xncc_real numerator = of_lane(0), image = of_lane(1), templ = of_lane(2);
        return xncc_score_of_terms(method, &rule, n, numerator, image, templ);
    }
};

// Digits of the sums of THREADS threads: of samples, of their squares, and of products.
template <int THREADS> struct LongDigits {
    int64_t S[LONG_VALUE_WORDS][THREADS], Q[LONG_WORDS][THREADS], X[LONG_WORDS][THREADS];

    __device__ void clear(int thread)
    {
        for (int i = 0; i < LONG_WORDS; i++) {
            if (i < LONG_VALUE_WORDS)
                S[i][thread] = 0;
            Q[i][thread] = X[i][thread] = 0;
        }
    }
    // Adds a thread's sample to S and Q.
    template <xncc_pixel PIXEL> __device__ __forceinline__ void add(int thread, const Integer &v)
    {
        put<PIXEL == XNCC_F64 ? 3 : 2>(&S[0][thread], v.mantissa, v.place, v.negative);
        put<PIXEL == XNCC_F64 ? 5 : 3>(&Q[0][thread], UInt128{ v.mantissa } * v.mantissa,
                                       2 * v.place, false);
    }
    // Adds a product of samples to X.
    template <xncc_pixel PIXEL>
    __device__ __forceinline__ void add(int thread, const Integer &v, const Integer &t)
    {
        put<PIXEL == XNCC_F64 ? 5 : 3>(&X[0][thread], UInt128{ v.mantissa } * t.mantissa,
                                       v.place + t.place, v.negative != t.negative);
    }

  private:
    // Adds size * 2^bit to digits, or subtracts it. COUNT: digits that it takes.
    template <int COUNT>
    static __device__ __forceinline__ void put(int64_t *digits, UInt128 size, int bit,
                                               bool negative)
    {
        int64_t *to = digits + (bit >> 5) * THREADS;
        uint32_t below = 0;
#pragma unroll
        for (int i = 0; i < COUNT; i++, size >>= 32) {
            const uint32_t part = static_cast<uint32_t>(size);
            const int64_t digit = static_cast<uint32_t>(
                ((uint64_t{ part } << 32 | below) << (bit & 31)) >> 32);
            if (digit) // there may be no place for more zeros
                to[i * THREADS] += negative ? -digit : digit;
            below = part;
        }
    }
};

// The number whose digits are the sums of `count` threads' digits, which is a power of 2 and at
// least 32; `given` words of it have digits. A warp makes it, and every lane gets it.
template <int THREADS>
static __device__ void join_digits(const int64_t (*digits)[THREADS], int first, int count,
                                   int given, int words, uint32_t *number)
{
    const int lane = static_cast<int>(threadIdx.x) % WARP_LANES;
    int64_t own = 0, carry = 0;
    if (lane < given)
#pragma unroll 8
        for (int i = 0; i < count; i++) // each lane in another bank
            own += digits[lane][first + ((i + lane) & (count - 1))];
    for (int i = 0; i < words; i++) {
        if (i < given)
            carry += __shfl_sync(WARP_ALL, own, i);
        number[i] = static_cast<uint32_t>(carry);
        carry >>= 32;
    }
}

} // namespace xncc

#endif
