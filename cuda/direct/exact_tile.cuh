// SPDX-License-Identifier: BSD-2-Clause
// The sums of the windows of a tile modulo a prime, for small_exact.cu.
#ifndef XNCC_CUDA_DIRECT_EXACT_TILE_CUH
#define XNCC_CUDA_DIRECT_EXACT_TILE_CUH

#include "cuda/direct/general.h"
#include "cuda/planes/residue_terms.cuh"

extern "C" {
#include "plan/cost_fft_cuda.h"
}

namespace xncc {

// The largest primes below 2^28.
constexpr int MOST_PRIMES = 13;
struct NearTable : PrimeTable<MOST_PRIMES> {
    constexpr NearTable()
        : PrimeTable({ 57, 89, 95, 119, 125, 143, 165, 183, 213, 273, 285, 299, 309 })
    {
    }
};
static __constant__ NearTable near_table = NearTable();
struct NearPrimes {
    static __device__ __forceinline__ const NearTable &table()
    {
        return near_table;
    }
    static __device__ __forceinline__ NearPrime at(int number)
    {
        return { near_table.lack[number] };
    }
};

constexpr int TILE_THREADS = 256, TILE_WIDTH = 32,
              TILE_DOWN = TILE_THREADS / TILE_WIDTH;  // threads of a column of windows
constexpr int TILE_TEMPL = XNCC_FLOAT_FUSED_TEMPLATE; // columns and rows of a template, at most
constexpr int TILE_TEMPL_PIXELS = TILE_TEMPL * TILE_TEMPL;
constexpr int TILE_PITCH = TILE_WIDTH + TILE_TEMPL - 1; // odd: rows begin in different banks
constexpr int ALONG_PITCH = TILE_WIDTH + 1;             // for the same reason
constexpr int ALONG = 8;                                // sums along a row that a thread makes
constexpr uint32_t ALL_BITS = 0xffffffffu;

// Which pixels of windows count.
enum class Counts {
    WHOLE, // all of them
    SAME,  // the same of every window, by the template's mask: windows have T, T2 and n in common
    OWN    // those that the image decides
};

constexpr int TILE_PIXELS_LOG2 = 8, CHANNELS_LOG2 = 6; // XNCC_MAX_CHANNELS is 64
constexpr int MOST_BITS = (bits_of(MOST_PRIMES) -
                           bits_of_terms(0, TILE_PIXELS_LOG2, CHANNELS_LOG2)) /
                          2;
constexpr int POWERS = MOST_BITS + 1 + PRIME_BITS; // of 2, for residues of samples
static_assert(POWERS <= TILE_THREADS, "a thread has a power of 2");

// An integer in 64 bits: a mantissa of 53 bits, a place of 10, and the sign.
static __device__ __forceinline__ uint64_t packed(const Integer &v)
{
    return v.mantissa | static_cast<uint64_t>(v.place) << 53 | uint64_t{ v.negative } << 63;
}
static __device__ __forceinline__ Integer unpacked(uint64_t v)
{
    return { v & ((uint64_t{ 1 } << 53) - 1u), static_cast<int32_t>(v >> 53 & 0x3ffu),
             v >> 63 != 0 };
}

// The shared memory of a block: samples of a channel, and their residues.
template <Counts COUNTS> struct ExactTile {
    static constexpr bool WHOLE = COUNTS == Counts::WHOLE, OWN = COUNTS == Counts::OWN;
    // Windows of a thread, one below the other: what registers hold.
    static constexpr int EACH = OWN ? 2 : 4;
    static constexpr int HEIGHT = TILE_DOWN * EACH, ROWS = HEIGHT + TILE_TEMPL - 1,
                         SAMPLES = ROWS * TILE_PITCH;

    uint32_t templ[TILE_TEMPL_PIXELS], // column by column; 0 if the pixel does not count
        mask[TILE_TEMPL_PIXELS];       // all bits if it counts
    uint64_t along_Q[WHOLE ? ROWS * ALONG_PITCH : 1];
    uint32_t along_S[WHOLE ? ROWS * ALONG_PITCH : 1]; // sums along rows
    uint64_t sample[SAMPLES];                         // as packed(); 0 if the pixel does not count
    uint32_t image[SAMPLES], counts[OWN ? SAMPLES : 1];
    uint32_t power[2][POWERS]; // of 2, by primes in turn
    uint32_t templ_term[MOST_PRIMES];
    ResidueTempl same; // sums of the template, if all windows have the same

    static __device__ ExactTile &of_block()
    {
        extern __shared__ int4 memory[];
        return *reinterpret_cast<ExactTile *>(memory);
    }
};

static_assert(sizeof(ExactTile<Counts::WHOLE>) <= 50 << 10 &&
                  sizeof(ExactTile<Counts::SAME>) <= 50 << 10 &&
                  sizeof(ExactTile<Counts::OWN>) <= 50 << 10,
              "four blocks of the most per multiprocessor; compute capability 7.5 has 64 KB");

// S and Q of the thread's windows, if all pixels count. All threads of the block take part.
template <Counts COUNTS>
__device__ __forceinline__ void sum_boxes(const PixelsJob &job, NearPrime prime,
                                          ExactTile<COUNTS> *tile,
                                          ResidueSums (&to)[ExactTile<COUNTS>::EACH])
{
    constexpr int EACH = ExactTile<COUNTS>::EACH;
    static_assert(uint64_t{ TILE_TEMPL } << PRIME_BITS <= uint64_t{ 1 } << 32,
                  "sums of residues along a row have 32 bits");
    const int own = static_cast<int>(threadIdx.x), width = job.templ_width,
              height = job.templ_height;
    static_assert(ExactTile<COUNTS>::ROWS * TILE_WIDTH / ALONG <= TILE_THREADS,
                  "one turn makes all sums along rows");
    const int row = own / (TILE_WIDTH / ALONG), column = own % (TILE_WIDTH / ALONG) * ALONG;
    if (row < ExactTile<COUNTS>::HEIGHT + height - 1) {
        const uint32_t *from = tile->image + row * TILE_PITCH + column;
        uint32_t S = 0;
        uint64_t Q = 0;
        for (int k = 0; k < width; k++) {
            S += from[k];
            Q += uint64_t{ from[k] } * from[k];
        }
        const int to_row = row * ALONG_PITCH + column;
#pragma unroll
        for (int k = 0; k < ALONG; k++) {
            tile->along_S[to_row + k] = S;
            tile->along_Q[to_row + k] = Q;
            if (k + 1 == ALONG)
                break;
            const uint32_t before = from[k], next = from[k + width];
            S += next - before;
            Q += uint64_t{ next } * next - uint64_t{ before } * before;
        }
    }
    __syncthreads();
    const int first = own / TILE_WIDTH * EACH * ALONG_PITCH + own % TILE_WIDTH;
    const uint32_t *S = tile->along_S + first;
    const uint64_t *Q = tile->along_Q + first;
    uint64_t sum = 0, squares = 0;
    for (int k = 0; k < height; k++) {
        sum += S[k * ALONG_PITCH];
        squares += Q[k * ALONG_PITCH];
    }
#pragma unroll
    for (int e = 0; e < EACH; e++) {
        to[e].S = prime.residue_of(sum);
        to[e].Q = prime.residue_of(squares);
        if (e + 1 == EACH)
            break;
        sum += uint64_t{ S[(e + height) * ALONG_PITCH] } - S[e * ALONG_PITCH];
        squares += Q[(e + height) * ALONG_PITCH] - Q[e * ALONG_PITCH];
    }
}

// X of two windows, one below the other, from three products of two rows of the template where two
// windows have four: with samples a, b, c and t, u below each other,
//     a t + b u = (a - b) t + b (t + u)        b t + c u = b (t + u) - (b - c) u
// and the sums are added up by themselves.
struct PairSums {
    uint64_t upper = 0, both = 0, lower = 0;

    // of: samples; t: two rows of the template, adjacent.
    __device__ __forceinline__ void add(NearPrime prime, const uint32_t *of, const uint32_t *t)
    {
        static_assert((TILE_TEMPL_PIXELS >> 1) <= 1 << (64 - (2 * PRIME_BITS + 1)),
                      "sums of a product for every other pixel");
        upper += uint64_t{ of[0] - of[1] + prime.value() } * t[0];
        both += uint64_t{ of[1] } * (t[0] + t[1]);
        lower += uint64_t{ of[1] - of[2] + prime.value() } * t[1];
    }
    __device__ __forceinline__ void finish(NearPrime prime, ResidueSums *to) const
    {
        const uint32_t middle = prime.residue_of(both);
        to[0].X = prime.below(prime.residue_of(upper) + middle);
        to[1].X = prime.below(middle + prime.value() - prime.residue_of(lower));
    }
};

// The sums of the thread's windows, which begin at sample `first` of the tile: X and, if not all
// pixels count, the others.
template <Counts COUNTS>
__device__ __forceinline__ void sum_windows(const PixelsJob &job, NearPrime prime,
                                            const ExactTile<COUNTS> &tile, int first,
                                            ResidueSums (&to)[ExactTile<COUNTS>::EACH])
{
    using Tile = ExactTile<COUNTS>;
    constexpr int EACH = Tile::EACH, GROUP = 4;     // rows of the template at a time
    constexpr int COUNTED = Tile::WHOLE ? 0 : EACH; // windows whose S and Q are summed here
    constexpr int MASKED = Tile::WHOLE ? 1 : EACH, OWN = Tile::OWN ? EACH : 1;
    PairSums X[EACH / 2];
    uint64_t S[MASKED] = {}, Q[MASKED] = {}, T[OWN] = {}, T2[OWN] = {};
    uint32_t n[OWN] = {};
    for (int x = 0; x < job.templ_width; x++) {
        constexpr int ROWS = EACH - 1 + TILE_TEMPL;
        uint32_t v[ROWS], counts[ROWS];
        const uint32_t *image = tile.image + first + x,
                       *counted = tile.counts + (Tile::OWN ? first + x : 0);
        const auto load = [&](int k) {
            v[k] = image[k * TILE_PITCH];
            counts[k] = Tile::OWN ? counted[k * TILE_PITCH] : ALL_BITS;
        };
#pragma unroll
        for (int k = 0; k < EACH - 1; k++)
            load(k);
#pragma unroll
        for (int y = 0; y < TILE_TEMPL; y += GROUP) {
            if (y >= job.templ_height)
                break;
#pragma unroll
            for (int k = 0; k < GROUP; k++)
                load(EACH - 1 + y + k);
            alignas(uint4) uint32_t t[GROUP], mask[GROUP];
            const int at = x * TILE_TEMPL + y;
            *reinterpret_cast<uint4 *>(t) = *reinterpret_cast<const uint4 *>(tile.templ + at);
            if (!Tile::WHOLE)
                *reinterpret_cast<uint4 *>(mask) = *reinterpret_cast<const uint4 *>(tile.mask + at);
#pragma unroll
            for (int j = 0; j < GROUP; j += 2)
#pragma unroll
                for (int e = 0; e < EACH; e += 2)
                    X[e / 2].add(prime, v + y + e + j, t + j);
#pragma unroll
            for (int j = 0; j < GROUP; j++)
#pragma unroll
                for (int e = 0; e < COUNTED; e++) {
                    const uint32_t own = v[y + e + j];
                    const uint32_t both = counts[y + e + j] & mask[j];
                    S[e] += own & both;
                    Q[e] += uint64_t{ own & both } * own;
                    if (!Tile::OWN)
                        continue;
                    const uint32_t other = t[j] & both;
                    T[e] += other;
                    T2[e] += uint64_t{ other } * other;
                    n[e] += both & 1u;
                }
        }
    }
#pragma unroll
    for (int e = 0; e < EACH; e += 2)
        X[e / 2].finish(prime, to + e);
#pragma unroll
    for (int e = 0; e < COUNTED; e++) {
        to[e].S = prime.residue_of(S[e]);
        to[e].Q = prime.residue_of(Q[e]);
        if (Tile::OWN) {
            to[e].T = prime.residue_of(T[e]);
            to[e].T2 = prime.residue_of(T2[e]);
            to[e].n = n[e];
        }
    }
}

} // namespace xncc

#endif
