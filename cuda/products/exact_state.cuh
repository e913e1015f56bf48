// SPDX-License-Identifier: BSD-2-Clause
// What the parts of exact_sums.cu share: what is known of a call, which planes and sums it has, and
// where they are.
#ifndef XNCC_CUDA_PRODUCTS_EXACT_STATE_CUH
#define XNCC_CUDA_PRODUCTS_EXACT_STATE_CUH

#include "cuda/products/exact_sums.h"

#include "cuda/planes/residue_terms.cuh"
#include "cuda/products/line_fft.cuh"
#include "cuda/products/root_field.cuh"

#include "math/exact_score.h"
#include "math/long_score.h"

namespace xncc {

constexpr int THREADS = 256;
constexpr int BLOCKS = 2;       // per multiprocessor
constexpr int LINE_POINTS = 16; // of a thread
constexpr int FINEST = 4096;    // minus the unit: a number that grows as samples get finer

// What is known of a call, in device memory.
struct ExactState {
    int32_t on;      // 0: nothing is done
    int32_t unit;    // samples are integers times 2^unit, counted from the least double
    int32_t primes;  // how many the samples take
    int32_t active;  // blocks with windows in doubt
    int32_t pairs;   // of blocks at a time
    xncc_real templ; // the template's term, if all windows have the same
    // The template's sums of what primes leave: T of each channel, and T2 of all; and what primes
    // leave of these.
    unsigned long long sums[ROOT_PRIMES][XNCC_MAX_CHANNELS + 1];
    uint32_t T[ROOT_PRIMES][XNCC_MAX_CHANNELS], T2[ROOT_PRIMES];
};
static_assert(sizeof(ExactState) <= XNCC_EXACT_STATE, "the decision has less room");

static __device__ ExactState *state_of(const ExactJob &job)
{
    return reinterpret_cast<ExactState *>(job.memory);
}

// Factors of the transforms of a side; and those of rows or columns, modulo a prime.
static __device__ int count_turns(int side)
{
    return side + side / LINE_POINTS;
}
static __device__ RootTurn *turns_of(const ExactJob &job, bool columns, int prime)
{
    const int of_row = count_turns(job.blocks.width), of_column = count_turns(job.blocks.height);
    return reinterpret_cast<RootTurn *>(job.memory + job.at.turns) + prime * (of_row + of_column) +
           (columns ? of_row : 0);
}

// 2^32 times what 2^(place + unit - LEAST_PLACE) leaves, at place, for the mantissas of samples: a
// double of b bits ends up to 53 - b bits below its last bit.
constexpr int LEAST_PLACE = 53;
static __device__ uint32_t *powers_of(const ExactJob &job, int prime)
{
    return reinterpret_cast<uint32_t *>(job.memory + job.at.powers) + prime * XNCC_EXACT_POWERS;
}

// Per block: what is known of it.
struct BlockFlags {
    uint32_t doubts, missing; // 1: it has windows in doubt; a pixel of it does not count
};
static __device__ BlockFlags *flags_of(const ExactJob &job)
{
    return reinterpret_cast<BlockFlags *>(job.memory + job.at.of_block);
}

// The numbers of the blocks with windows in doubt.
static __device__ int32_t *active_of(const ExactJob &job)
{
    return reinterpret_cast<int32_t *>(flags_of(job) + job.count);
}

// The first window of a block. Blocks are counted down columns of them, so that those of the last
// column, which may have few windows, are paired with each other.
static __device__ int2 start_of(const ExactJob &job, int block)
{
    return make_int2(block / job.down * job.blocks.step_x, block % job.down * job.blocks.step_y);
}

static __device__ uint32_t pixels_of(const ExactJob &job)
{
    return static_cast<uint32_t>(job.templ.width) * static_cast<uint32_t>(job.templ.height);
}

// A sum of the windows: of products of a plane of the image and one of the template, or of `count`
// planes of each that follow.
struct ExactSum {
    int plane, templ, count;
};

// The planes and sums of a call, by their numbers. Values of channels come first among the planes
// of the image and of the template; S and T are those of the first channel. If all pixels of the
// template count, S, Q and N are boxes: sums of adjacent pixels of a plane.
struct ExactPlanes : xncc_exact_planes {
    __device__ explicit ExactPlanes(const ExactJob &job)
        : xncc_exact_planes{ job.channels, xncc_method_is_centred(job.method) != 0,
                             xncc_method_has_squares(job.method) != 0, job.varies, job.masked }
    {
    }
    __device__ int count() const // of the image: 1 where a pixel counts
    {
        return channels;
    }
    __device__ bool is_count(int plane) const
    {
        return varies && plane == count();
    }
    __device__ int square() const
    {
        return channels + varies;
    }
    // Planes whose rows are made. The squares of a single channel are summed beside its values, if
    // Q is a box.
    __device__ int planes() const
    {
        return channels + varies + (squares && (masked || channels > 1));
    }
    __device__ int spectra() const
    {
        return xncc_exact_spectra(this);
    }
    __device__ bool is_multiplied(int plane) const
    {
        return masked || plane < channels || (is_count(plane) && (centred || squares));
    }
    __device__ int templ_count() const // if the template is masked
    {
        return channels;
    }
    __device__ int templ_square() const
    {
        return channels + masked;
    }
    __device__ int templ_planes() const
    {
        return xncc_exact_templ_planes(this);
    }
    static constexpr int X = 0;
    __device__ int S() const
    {
        return 1;
    }
    __device__ int Q() const
    {
        return 1 + centred * channels;
    }
    __device__ int N() const
    {
        return Q() + squares;
    }
    __device__ int T() const
    {
        return N() + 1;
    }
    __device__ int T2() const
    {
        return T() + centred * channels;
    }
    // Those that all blocks have, and, where pixels of the image do not count, all.
    __device__ int sums(bool missing) const
    {
        return xncc_exact_window_sums(this, missing);
    }
    __device__ bool is_box(int sum) const
    {
        return !masked && sum > X && sum <= N();
    }
    // The box of a plane, or X.
    __device__ int box_of(int plane) const
    {
        if (masked)
            return X;
        if (plane < channels)
            return centred ? S() + plane : X;
        return is_count(plane) ? N() : Q();
    }
    // Q if it is made of a plane's squares, or X.
    __device__ int box_of_squares(int plane) const
    {
        return squares && !masked && channels == 1 && plane == 0 ? Q() : X;
    }
    // The sums that are products: so many, in order.
    __device__ int products(bool missing) const
    {
        return masked ? sums(missing) : missing ? sums(missing) - N() : 1;
    }
    __device__ int product(int number) const
    {
        return masked || number == X ? number : N() + number;
    }
    __device__ ExactSum sum(int number) const
    {
        if (number == X)
            return { 0, 0, channels };
        if (number < Q())
            return { number - S(), templ_count(), 1 };
        if (number < N())
            return { square(), templ_count(), 1 };
        if (number == N())
            return { count(), templ_count(), 1 };
        return { count(), number < T2() ? number - T() : templ_square(), 1 };
    }
    // Buffers of a pair of blocks for each prime: spectra, and then sums.
    __device__ int buffers() const
    {
        return buffer_of_sum(sums(varies));
    }
    __device__ int buffer_of_sum(int sum) const
    {
        return spectra() + sum;
    }
};

static __device__ int64_t points_of(const ExactJob &job)
{
    return int64_t{ job.blocks.width } * job.blocks.height;
}

// The spectrum of a plane of the template: 2^32 times it.
static __device__ uint32_t *templ_spectrum(const ExactJob &job, int prime, int plane)
{
    return reinterpret_cast<uint32_t *>(job.memory + job.at.arena) +
           (int64_t{ prime } * ExactPlanes(job).templ_planes() + plane) * points_of(job);
}

// Bytes of what a pair of blocks has: samples, and buffers for each prime.
static __device__ int64_t pair_bytes(const ExactJob &job, int primes)
{
    return points_of(job) *
           (job.channels * static_cast<int64_t>(sizeof(double2)) +
            primes * ExactPlanes(job).buffers() * static_cast<int64_t>(sizeof(uint2)));
}

// The samples of a pair of blocks of a batch, the same place of both adjacent. A sample that is not
// finite may be 0: its windows have their scores. Where a pixel does not count: NaN.
static __device__ double2 *samples_of(const ExactJob &job, int pair, int channel)
{
    const int primes = state_of(job)->primes;
    return reinterpret_cast<double2 *>(
               reinterpret_cast<unsigned char *>(templ_spectrum(job, primes, 0)) +
               pair * pair_bytes(job, primes)) +
           channel * points_of(job);
}

// A buffer of a pair of blocks of a batch. That of planes of the template, before there are
// any of the image: pair 0, with so many buffers.
static __device__ uint2 *buffer_of(const ExactJob &job, int buffers, int pair, int prime,
                                   int buffer)
{
    return reinterpret_cast<uint2 *>(samples_of(job, pair, job.channels)) +
           (int64_t{ prime } * buffers + buffer) * points_of(job);
}

// A thread block reads two of the longest columns at a time, or more of others, 8 bytes each. If
// they are that long, two rows of a buffer lie beside each other, so that it reads whole sectors.
__host__ __device__ constexpr bool are_rows_paired(int height)
{
    return height == XNCC_EXACT_MOST;
}
// Where element (x, y) of a buffer is.
template <bool PAIRED>
static __device__ __forceinline__ int64_t element_of(const ExactJob &job, int x, int y)
{
    return PAIRED ? (int64_t{ y >> 1 } * job.blocks.width + x) * 2 + (y & 1)
                  : int64_t{ y } * job.blocks.width + x;
}

// Two blocks, the same place of whose numbers is adjacent. number: of the pair among all.
struct BlockPair {
    int count;
    int2 start[2];
    bool missing; // pixels of a block do not count

    __device__ BlockPair(const ExactJob &job, int number) : count(0), start{}, missing(false)
    {
        for (; count < 2 && 2 * number + count < state_of(job)->active; count++) {
            const int block = active_of(job)[2 * number + count];
            start[count] = start_of(job, block);
            missing = missing || flags_of(job)[block].missing;
        }
    }
};

// Columns of windows of a pair of blocks: those of the first one, since the other one has no more.
static __device__ int columns_of(const ExactJob &job, int number)
{
    const int block = active_of(job)[2 * number];
    return min(job.blocks.step_x, job.width - start_of(job, block).x);
}

// Whether pixels of a pair of blocks do not count.
static __device__ bool has_missing(const ExactJob &job, int number)
{
    return job.varies && BlockPair(job, number).missing;
}

static __device__ int pairs_in_batch(const ExactJob &job, int first)
{
    const ExactState &s = *state_of(job);
    return min(s.pairs, ceil_div(s.active, 2) - first);
}

} // namespace xncc

#endif
