// SPDX-License-Identifier: BSD-2-Clause
// S and Q of columns, and of windows from them, for exact_windows.cuh.
#ifndef XNCC_CUDA_PRODUCTS_EXACT_COLUMNS_CUH
#define XNCC_CUDA_PRODUCTS_EXACT_COLUMNS_CUH

#include "cuda/products/exact_samples.cuh"
#include "cuda/runtime/warp.cuh"

namespace xncc {

// S and Q of a column whose samples have few bits: limbs of S, and one more of Q.
template <int LIMBS> struct ShortColumn {
    static constexpr int OF_S = LIMBS - 1, NUMBERS = OF_S + LIMBS;
    int64_t limb[NUMBERS];

    __device__ __forceinline__ void add(double v, bool minus, int32_t unit)
    {
        const Integer of = integer_of(v, unit);
        const uint64_t size = of.mantissa << of.place;
        const xncc_u128 square = xncc_u128_of_product(size, size);
#pragma unroll
        for (int k = 0; k < NUMBERS; k++) {
            const bool of_S = k < OF_S;
            const int64_t part = limb_of(of_S ? xncc_u128_of(size) : square, of_S ? k : k - OF_S);
            limb[k] += (of_S && of.negative) != minus ? -part : part;
        }
    }
    static __device__ __forceinline__ int64_t limb_of(xncc_u128 v, int k)
    {
        const int bit = SHORT_BITS * k;
        const uint64_t from = bit == 0   ? v.low
                              : bit < 64 ? v.low >> bit | v.high << (64 - bit)
                                         : v.high >> (bit - 64);
        return static_cast<int64_t>(from & ((uint64_t{ 1 } << SHORT_BITS) - 1));
    }
};

// S and Q of a thread's columns: limb l, of those that are not 0, of column e is at (l EACH + e)
// `step`. In shared memory if there is room.
struct LongColumns {
    static constexpr int GROUP = 4; // limbs that are summed together
    int64_t *at;
    int step;
    uint64_t limbs;

    __device__ int number(int limb) const // among the limbs that are not 0
    {
        return __popcll(limbs & ((uint64_t{ 1 } << limb) - 1));
    }
    // Adds v * 2^(bit of the limb), v of 128 bits less the shift, to a column, or subtracts it.
    template <int EACH>
    __device__ __forceinline__ void put(int e, int limb, xncc_u128 v, int shift, bool minus)
    {
        const xncc_u128 moved = xncc_u128_shift(v, shift);
        const uint64_t part[5] = { moved.low & 0xffffffffu, moved.low >> 32,
                                   moved.high & 0xffffffffu, moved.high >> 32,
                                   shift ? v.high >> (64 - shift) : 0 };
        int64_t *to = at + (number(limb) * EACH + e) * step;
#pragma unroll
        for (int k = 0; k < 5; k++, to += EACH * step)
            if (part[k])
                *to += minus ? -static_cast<int64_t>(part[k]) : static_cast<int64_t>(part[k]);
    }
    template <int EACH>
    __device__ __noinline__ void add(int e, double v, bool minus, const ExactJob &job, int32_t unit)
    {
        const Integer of = integer_of(v, unit);
        if (!of.mantissa)
            return;
        if (xncc_method_is_centred(job.method))
            put<EACH>(e, of.place >> 5, xncc_u128_of(of.mantissa), of.place & 31,
                      of.negative != minus);
        if (has_squares(job.method))
            put<EACH>(e, LIMBS_S + (2 * of.place >> 5),
                      xncc_u128_of_product(of.mantissa, of.mantissa), 2 * of.place & 31, minus);
    }
};

// Prefix sums over the columns of a block, of GROUP limbs at a time: thread t has EACH adjacent
// columns. Shared memory: GROUP times the columns and 1, and GROUP per warp.
template <int EACH, int GROUP> struct ColumnScan {
    static constexpr int PITCH = THREADS * EACH + 1, WARPS = THREADS / WARP_LANES,
                         NUMBERS = GROUP * (PITCH + WARPS);

    static __device__ int64_t *sums() // of the columns before x, at PITCH * limb + x
    {
        extern __shared__ __align__(16) unsigned char memory[];
        return reinterpret_cast<int64_t *>(memory);
    }
    static __device__ __forceinline__ void make(const int64_t (&column)[GROUP][EACH])
    {
        int64_t *of_warp = sums() + GROUP * PITCH;
        const int own = static_cast<int>(threadIdx.x), lane = own % WARP_LANES,
                  warp = own / WARP_LANES;
        int64_t mine[GROUP], until[GROUP];
#pragma unroll
        for (int g = 0; g < GROUP; g++) {
            mine[g] = 0;
#pragma unroll
            for (int e = 0; e < EACH; e++)
                mine[g] += column[g][e];
            until[g] = mine[g];
        }
#pragma unroll
        for (int step = 1; step < WARP_LANES; step *= 2)
#pragma unroll
            for (int g = 0; g < GROUP; g++) {
                const int64_t before = __shfl_up_sync(WARP_ALL, until[g], step);
                until[g] += lane >= step ? before : 0;
            }
        __syncthreads(); // the group before has been read
#pragma unroll
        for (int g = 0; g < GROUP; g++)
            if (lane == WARP_LANES - 1)
                of_warp[g * WARPS + warp] = until[g];
        __syncthreads();
#pragma unroll
        for (int g = 0; g < GROUP; g++) {
            int64_t before = warp_sum(lane < warp ? of_warp[g * WARPS + lane] : int64_t{ 0 }) +
                             until[g] - mine[g];
            int64_t *to = sums() + g * PITCH + own * EACH;
#pragma unroll
            for (int e = 0; e < EACH; e++) {
                to[e] = before;
                before += column[g][e];
            }
            if (own == THREADS - 1)
                to[EACH] = before;
        }
        __syncthreads();
    }
    // The sum of `width` columns from x on.
    static __device__ __forceinline__ int64_t window(int g, int x, int width)
    {
        return sums()[g * PITCH + x + width] - sums()[g * PITCH + x];
    }
};

// S and Q of a thread's windows, those of columns own, own + THREADS, ..., in words.
template <int EACH, int WORDS> struct WindowWords {
    uint32_t S[EACH][WORDS], Q[EACH][WORDS];

    __device__ static int column_of(int e, int columns)
    {
        return min(static_cast<int>(threadIdx.x) + e * THREADS, columns - 1);
    }
    template <int LIMBS>
    __device__ __forceinline__ void make(const ShortColumn<LIMBS> (&column)[EACH], int columns,
                                         int width)
    {
        using Column = ShortColumn<LIMBS>;
        using Scan = ColumnScan<EACH, Column::NUMBERS>;
        int64_t in[Column::NUMBERS][EACH];
#pragma unroll
        for (int e = 0; e < EACH; e++)
#pragma unroll
            for (int k = 0; k < Column::NUMBERS; k++)
                in[k][e] = column[e].limb[k];
        Scan::make(in);
#pragma unroll
        for (int e = 0; e < EACH; e++) {
            const int x = column_of(e, columns);
#pragma unroll
            for (int i = 0; i < WORDS; i++)
                S[e][i] = Q[e][i] = 0;
#pragma unroll
            for (int k = 0; k < Column::NUMBERS; k++) {
                const bool of_S = k < Column::OF_S;
                xncc_long_add(of_S ? S[e] : Q[e], 1, WORDS, Scan::window(k, x, width),
                              SHORT_BITS * (of_S ? k : k - Column::OF_S));
            }
        }
    }
    // words: of an argument of the formula
    __device__ __forceinline__ void make(const LongColumns &column, int columns, int width,
                                         int words)
    {
        constexpr int GROUP = LongColumns::GROUP;
        using Scan = ColumnScan<EACH, GROUP>;
        int64_t carry[EACH] = {};
        int next = 0; // word, of S first and then of Q at LIMBS_S
        const auto emit = [&](int until) {
            for (; next < until; next++)
#pragma unroll
                for (int e = 0; e < EACH; e++) {
                    (next < LIMBS_S ? S[e][next]
                                    : Q[e][next - LIMBS_S]) = static_cast<uint32_t>(carry[e]);
                    carry[e] >>= 32;
                }
        };
        int from = 0;
        for (uint64_t limbs = column.limbs; limbs; from += GROUP) {
            int64_t in[GROUP][EACH];
            const uint64_t first = limbs;
#pragma unroll
            for (int g = 0; g < GROUP; g++) {
#pragma unroll
                for (int e = 0; e < EACH; e++)
                    in[g][e] = limbs ? column.at[((from + g) * EACH + e) * column.step] : 0;
                limbs &= limbs - 1;
            }
            Scan::make(in);
            uint64_t left = first;
#pragma unroll
            for (int g = 0; g < GROUP; g++) {
                if (left) {
                    const int limb = __ffsll(static_cast<long long>(left)) - 1;
                    if (next < LIMBS_S && limb >= LIMBS_S)
                        emit_rest(carry, &next, words);
                    emit(limb);
#pragma unroll
                    for (int e = 0; e < EACH; e++)
                        carry[e] += Scan::window(g, column_of(e, columns), width);
                }
                left &= left - 1;
            }
        }
        if (next < LIMBS_S)
            emit_rest(carry, &next, words);
        emit(LIMBS_S + words);
    }
    // The words of S behind its limbs.
    __device__ __forceinline__ void emit_rest(int64_t (&carry)[EACH], int *next, int words)
    {
#pragma unroll
        for (int e = 0; e < EACH; e++) {
            for (int i = *next; i < words; i++) {
                S[e][i] = static_cast<uint32_t>(carry[e]);
                carry[e] >>= 32;
            }
            carry[e] = 0;
        }
        *next = LIMBS_S;
    }
};

} // namespace xncc

#endif
