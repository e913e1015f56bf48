// SPDX-License-Identifier: BSD-2-Clause
// Residues modulo primes that have roots of 1 for transforms (line_fft.cuh), two numbers at a time.
#ifndef XNCC_CUDA_PRODUCTS_ROOT_FIELD_CUH
#define XNCC_CUDA_PRODUCTS_ROOT_FIELD_CUH

#include "cuda/planes/residues.cuh"
#include "cuda/products/radix.cuh"

extern "C" {
#include "plan/cost_exact_cuda.h"
}

namespace xncc {

// The largest primes below 2^28 that leave 1 when they are divided by 2048.
constexpr int ROOT_PRIMES = XNCC_EXACT_PRIMES, ROOT_ORDER = XNCC_EXACT_MOST;

// A factor, and 2^32 times the factor divided by the prime, rounded down.
struct RootTurn {
    uint32_t factor, shoup;
};

struct RootTable : PrimeTable<ROOT_PRIMES> {
    uint32_t rest[ROOT_PRIMES];          // 2^60 divided by the prime, rounded down, less 2^32
    uint32_t minus[ROOT_PRIMES];         // minus the inverse of the prime modulo 2^32
    uint32_t root[ROOT_PRIMES];          // of 1, of order ROOT_ORDER
    RootTurn sixteenth[ROOT_PRIMES][10]; // powers of the root of order 16

    constexpr RootTable()
        : PrimeTable({ 65535,  67583,  73727,  92159,  108543, 157695, 163839, 178175,
                       190463, 196607, 215039, 219135, 245759, 249855, 258047, 286719,
                       301055, 317439, 329727, 344063, 374783, 378879, 393215, 434175 }),
          rest{}, minus{}, root{}, sixteenth{}
    {
        for (int j = 0; j < ROOT_PRIMES; j++) {
            const uint32_t p = prime(j);
            rest[j] = static_cast<uint32_t>((uint64_t{ 1 } << 60) / p - (uint64_t{ 1 } << 32));
            uint32_t inverse_of_p = p; // 3 bits of it are right, and twice as many each time
            for (int k = 0; k < 4; k++)
                inverse_of_p *= 2u - p * inverse_of_p;
            minus[j] = 0u - inverse_of_p;
            for (uint32_t v = 2; !root[j]; v++) {
                const uint32_t power = power_of(v, (p - 1) / ROOT_ORDER, p);
                if (power_of(power, ROOT_ORDER / 2, p) == p - 1)
                    root[j] = power;
            }
            const uint32_t of_16 = power_of(root[j], ROOT_ORDER / 16, p);
            for (uint32_t k = 0; k < 10; k++)
                sixteenth[j][k] = turn(power_of(of_16, k, p), p);
        }
    }
    static __host__ __device__ constexpr RootTurn turn(uint32_t factor, uint32_t prime)
    {
        return { factor, static_cast<uint32_t>((uint64_t{ factor } << 32) / prime) };
    }
};
static __constant__ RootTable root_table = RootTable();

// A prime of the table.
struct RootPrime {
    uint32_t lack, rest;

    __device__ __forceinline__ uint32_t value() const
    {
        return prime_of(lack);
    }
    __device__ __forceinline__ uint32_t residue_of(uint64_t v) const
    {
        // 2^32 leaves 16 times what the prime lacks
        const uint64_t once = (v >> 32) * (16u * lack) + static_cast<uint32_t>(v);
        const uint32_t above = static_cast<uint32_t>(once >> PRIME_BITS),
                       quotient = above + __umulhi(above, rest), // less by 2 at most
            left = static_cast<uint32_t>(once) - quotient * value(),
                       less = min(left, left - 2 * value());
        return min(less, less - value());
    }
};

struct RootPrimes {
    static __device__ __forceinline__ const RootTable &table()
    {
        return root_table;
    }
    static __device__ __forceinline__ RootPrime at(int number)
    {
        return { root_table.lack[number], root_table.rest[number] };
    }
};

// Numbers are below 2 primes where a step begins and below 16, which is less than 2^32, where it
// ends. The roots are the same forward and back: the numbers behind a transform back are in the
// order 0, POINTS - 1, POINTS - 2, ..., 1.
struct RootField {
    using Point = uint2; // two numbers, of two transforms
    using Turn = RootTurn;
    static constexpr int APART = 1;
    int number; // of the prime
    uint32_t prime, minus;

    __device__ __forceinline__ explicit RootField(int of)
        : number(of), prime(root_table.prime(of)), minus(root_table.minus[of])
    {
    }
    __device__ __forceinline__ Point plus(Point a, Point b) const
    {
        return make_uint2(a.x + b.x, a.y + b.y);
    }
    // b is below BOUND primes.
    template <int BOUND> __device__ __forceinline__ Point less(Point a, Point b) const
    {
        return make_uint2(a.x - b.x + BOUND * prime, a.y - b.y + BOUND * prime);
    }
    // Below 2 primes, for any v of 32 bits.
    __device__ __forceinline__ uint32_t times(uint32_t v, Turn by) const
    {
        return v * by.factor - __umulhi(v, by.shoup) * prime;
    }
    template <bool> __device__ __forceinline__ Point turned(Point v, Turn by) const
    {
        return make_uint2(times(v.x, by), times(v.y, by));
    }
    template <int K, bool> __device__ __forceinline__ Point sixteenths(Point v) const
    {
        return turned<false>(v, root_table.sixteenth[number][K]);
    }
    __device__ __forceinline__ uint32_t settled(uint32_t v) const
    {
        v = min(v, v - 8 * prime);
        v = min(v, v - 4 * prime);
        return min(v, v - 2 * prime);
    }
    __device__ __forceinline__ Point settled(Point v) const
    {
        return make_uint2(settled(v.x), settled(v.y));
    }
    // Below the prime: of numbers below 2 primes, and of all.
    __device__ __forceinline__ Point below(Point v) const
    {
        return make_uint2(min(v.x, v.x - prime), min(v.y, v.y - prime));
    }
    __device__ __forceinline__ Point whole(Point v) const
    {
        return below(settled(v));
    }
    // a + b - c; all four are below the prime.
    __device__ __forceinline__ uint32_t moved(uint32_t a, uint32_t b, uint32_t c) const
    {
        const uint32_t sum = min(a + b, a + b - prime);
        return min(sum - c, sum - c + prime);
    }
    __device__ __forceinline__ Point moved(Point a, Point b, Point c) const
    {
        return make_uint2(moved(a.x, b.x, c.x), moved(a.y, b.y, c.y));
    }
    // v / 2^32, below 2 primes; v is less than the prime times 2^32.
    __device__ __forceinline__ uint32_t reduced(uint64_t v) const
    {
        const uint32_t times_prime = static_cast<uint32_t>(v) * minus;
        return static_cast<uint32_t>((v + uint64_t{ times_prime } * prime) >> 32);
    }
};

} // namespace xncc

#endif
