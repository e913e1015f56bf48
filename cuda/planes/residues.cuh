// SPDX-License-Identifier: BSD-2-Clause
// Long integers as what they leave when they are divided by primes: sums and products of such
// numbers are sums and products of 32 bits, one for each prime. The residues determine a number
// that is less than a quarter of the product of the primes in size.
#ifndef XNCC_CUDA_PLANES_RESIDUES_CUH
#define XNCC_CUDA_PLANES_RESIDUES_CUH

#include "cuda/planes/sample_integer.cuh"

#include "math/long_integer.h"

namespace xncc {

constexpr int PRIME_BITS = 28;

// The prime that 2^28 exceeds by so much.
__host__ __device__ constexpr uint32_t prime_of(uint32_t lack)
{
    return (1u << PRIME_BITS) - lack;
}

// Primes a little below 2^28, by their distance to it.
template <int COUNT> struct PrimeTable {
    uint32_t lack[COUNT];
    // For each prime what the product of the first i primes leaves, and the inverse of that of all
    // primes before it.
    uint32_t weight[COUNT][COUNT], inverse[COUNT];

    constexpr explicit PrimeTable(const uint32_t (&lacks)[COUNT]) : lack{}, weight{}, inverse{}
    {
        for (int j = 0; j < COUNT; j++)
            lack[j] = lacks[j];
        for (int j = 0; j < COUNT; j++) {
            uint64_t product = 1;
            for (int i = 0; i < j; i++) {
                weight[j][i] = static_cast<uint32_t>(product);
                product = product * prime(i) % prime(j);
            }
            inverse[j] = power_of(product, prime(j) - 2, prime(j));
        }
    }
    __host__ __device__ constexpr uint32_t prime(int number) const
    {
        return prime_of(lack[number]);
    }
    // v^e modulo a prime; for e = prime - 2 that is the inverse of v.
    static __host__ __device__ constexpr uint32_t power_of(uint64_t v, uint32_t e, uint32_t prime)
    {
        uint64_t power = 1;
        for (; e; e >>= 1, v = v * v % prime)
            if (e & 1u)
                power = power * v % prime;
        return static_cast<uint32_t>(power);
    }
};

// The bits of numbers, positive or negative, that so many primes determine: a quarter of their
// product, which is at least 0.95 * 2^(28 count), is more. And how many primes they take.
__host__ __device__ constexpr int bits_of(int count)
{
    return PRIME_BITS * count - 3;
}
__host__ __device__ constexpr int primes_for(int bits)
{
    return (bits + 3 + PRIME_BITS - 1) / PRIME_BITS;
}

// A prime so near to 2^28 that a number of 64 bits is divided in two steps.
struct NearPrime {
    uint32_t lack; // below 2^10

    __device__ __forceinline__ uint32_t value() const
    {
        return prime_of(lack);
    }
    // v: below 2 primes.
    __device__ __forceinline__ uint32_t below(uint32_t v) const
    {
        return min(v, v - value());
    }
    __device__ __forceinline__ uint32_t residue_of(uint64_t v) const
    {
        constexpr uint32_t BELOW = (1u << PRIME_BITS) - 1u;
        const uint64_t once = (v & BELOW) + (v >> PRIME_BITS) * lack; // below 2^46
        const uint32_t twice = static_cast<uint32_t>(once & BELOW) +
                               static_cast<uint32_t>(once >> PRIME_BITS) * lack; // below 2 primes
        return below(twice);
    }
};

// What mantissa * 2^place leaves. power: what 2^0, 2^1 and so on leave, to 2^(place + PRIME_BITS).
template <class Prime>
__device__ __forceinline__ uint32_t residue_of(const Integer &v, const uint32_t *power,
                                               const Prime &prime)
{
    constexpr uint64_t BELOW = (1u << PRIME_BITS) - 1u;
    const uint64_t high = v.mantissa >> PRIME_BITS;
    uint64_t product = (v.mantissa & BELOW) * power[v.place];
    if (high)
        product += high * power[v.place + PRIME_BITS]; // below 2^57
    const uint32_t size = prime.residue_of(product);
    return v.negative && size ? prime.value() - size : size;
}

// The number whose residues by the first `count` primes are `step` elements apart, times 2^unit,
// rounded to 53 bits. It is found digit by digit: it is a sum of digits, each below its prime,
// times the product of the primes before. only_zero: 1.0 will do for numbers that are not 0.
// Primes::table() has at least MOST primes, and Primes::at one of them.
template <class Primes, int MOST>
__device__ __noinline__ xncc_real real_of(const uint32_t *residue, int step, int count,
                                          int32_t unit, bool only_zero)
{
    const auto &primes = Primes::table();
    constexpr int WORDS = (MOST * PRIME_BITS + 32) / 32;
    uint32_t digit[MOST], some = 0;
#pragma unroll
    for (int j = 0; j < MOST; j++) {
        digit[j] = j < count ? residue[j * step] : 0;
        some |= digit[j];
    }
    if (!some || only_zero)
        return { some ? 1.0 : 0.0, 0 };
#pragma unroll
    for (int j = 1; j < MOST; j++)
        if (j < count) {
            uint64_t known = 0;
#pragma unroll
            for (int i = 0; i < j; i++)
                known += uint64_t{ digit[i] } * primes.weight[j][i];
            const auto prime = Primes::at(j);
            const uint32_t less = prime.residue_of(known),
                           rest = digit[j] + (digit[j] < less ? prime.value() : 0u) - less;
            digit[j] = prime.residue_of(uint64_t{ rest } * primes.inverse[j]);
        }
    // The first digit tells the sign. Minus a number, less 1, has the digits prime - 1 - digit.
    bool negative = false;
#pragma unroll
    for (int j = 0; j < MOST; j++)
        negative = j == count - 1 ? digit[j] > primes.prime(j) / 2 : negative;
    uint32_t word[WORDS] = {};
#pragma unroll
    for (int j = MOST - 1; j >= 0; j--)
        if (j < count) {
            const uint32_t prime = primes.prime(j);
            uint64_t carry = negative ? prime - 1u - digit[j] : digit[j];
#pragma unroll
            for (int k = 0; k < WORDS && 32 * k < PRIME_BITS * (MOST - j); k++) {
                carry += uint64_t{ word[k] } * prime;
                word[k] = static_cast<uint32_t>(carry);
                carry >>= 32;
            }
        }
    if (negative) { // plus 1, and minus all of it: every bit the other way
#pragma unroll
        for (int k = 0; k < WORDS; k++)
            word[k] = ~word[k];
    }
    return xncc_long_round(word, WORDS, unit);
}

} // namespace xncc

#endif
