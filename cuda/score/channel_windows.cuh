// SPDX-License-Identifier: BSD-2-Clause
// Window sums of several channels in a strip of 512 map columns, four map rows at a time, for
// channel_score.cu and, in part, for fused_channels.cu: S of each channel, and Q of all channels
// together.
//
// As in strip_windows.cuh, a block of four warps walks down a segment of a strip. Per batch of four
// map rows each warp takes one of them, and writes to shared memory, summed along the row, what
// that row's windows gain at their lower edge (lead) and lose at their upper edge (lag). Each
// thread then slides the windows of its four columns. All sums wrap modulo 2^32, or 2^64 for Q of
// two-byte pixels, which is exact because they fit.
//
// A pixel class (OneByte, TwoBytes) has
//
// - DIGITS: bytes per sample,
// - Square: type of the prefix sums of Q,
// - Windows: S and Q of a thread's four windows, in the form that slides and scores fastest; S of
//   channels that are not summed is 0,
// - BLOCKS: blocks per multiprocessor, for __launch_bounds__,
// - AHEAD: terms of X that are loaded one row ahead,
// - Product: type of X,
// - Row: the bytes of a lane's columns of an image row,
// - sum_first(): sums the columns above a segment's first lead row,
// - write_sums(), add_squares(): sums along a row, and
// - fractions() (channel_arith.cuh, channel_score.cu): numerator and denominator of the score.
#ifndef XNCC_CUDA_SCORE_CHANNEL_WINDOWS_CUH
#define XNCC_CUDA_SCORE_CHANNEL_WINDOWS_CUH

#include "cuda/runtime/warp.cuh"
#include "cuda/score/channel_score.h"
#include "cuda/score/strip_windows.cuh"

namespace xncc {

constexpr int CHANNELS = XNCC_CHANNEL_SCORE_CHANNELS;

// Parameters of the pass, with constants derived on the host.
struct ChannelJob {
    ChannelScoreJob all;
    // Map rows of a strip per block.
    int32_t segment;
    // Channels that are read, and channels whose S is needed: all or 0. squared: 1 if Q is needed.
    int32_t read, summed, squared;
    // 1: numerator and denominator are n X - (sum of S sumT) and n Q - (sum of S^2). 0: they are
    // num and var below.
    int32_t centred;
    Finish finish;
    // Map columns that are stored by aligned vectors (vector_columns): all or none.
    int32_t vector_columns;
    // Factor of the score, or NaN if the plain formula must decide for every window.
    double unit;
    // n and -n 2^52, sumT of each channel.
    double n, lowered, T[CHANNELS];
    // 1 / n.
    double reciprocal;
    Linear<double> num, var;
    Linear<int64_t> whole_num, whole_var;
    // 2^shift of each term of X.
    uint32_t weight[XNCC_CHANNEL_SCORE_TERMS];
};

// Shared memory: arrays of prefix sums, first those of Q, then S of each channel; and then the
// image rows, per warp and plane a lead and a lag row. Bytes of an image row, and of both.
constexpr int PIXEL_ROW = Span<WORDS>::COLUMNS, PIXEL_ROWS = 2 * PIXEL_ROW;
static_assert(PREFIX_ARRAY * 4 == XNCC_CHANNEL_SCORE_ARRAY &&
                  WARPS * PIXEL_ROWS == XNCC_CHANNEL_SCORE_PIXELS,
              "the decision knows the size of shared memory");

// S of each channel of one byte, and Q, of a thread's four windows: lifted doubles
// (score_arith.cuh).
struct ByteWindows {
    static constexpr int COUNT = CHANNELS;
    double s[COUNT][4], q[4];

    __device__ __forceinline__ void set_sum(int c, int i, uint32_t v)
    {
        s[c][i] = Fp64::from_integer(v);
    }
    __device__ __forceinline__ void set_square(int i, uint32_t v)
    {
        q[i] = Fp64::from_integer(v);
    }
    __device__ __forceinline__ uint32_t sum(int c, int i) const
    {
        return Fp64::to_integer(s[c][i]);
    }
    __device__ __forceinline__ uint32_t square(int i) const
    {
        return Fp64::to_integer(q[i]);
    }
};

// Pixel class: samples of one byte.
struct OneByte {
    static constexpr int DIGITS = 1, BLOCKS = 4, AHEAD = 1;
    using Square = uint32_t;
    using Product = uint32_t;

    struct Row {
        uint32_t word[WORDS];

        explicit __device__ Row(const unsigned char *pixels)
        {
#pragma unroll
            for (int i = 0; i < WORDS; i++)
                word[i] = reinterpret_cast<const uint32_t *>(pixels)[i];
        }
    };

    // Sums a window's rows but the last of four columns of a channel: sets s, and adds the squares
    // to q. from: the first byte.
    __device__ static void sum_first(const ChannelJob &job, const unsigned char *from, uint32_t *s,
                                     Square *q)
    {
        sum_columns(from, job.all.image.pitch, job.all.window_height - 1, 0, s, q);
    }

    // Writes S of a channel, summed along the row. to: the lane's columns.
    __device__ __forceinline__ static void write_sums(const Row &lead, const Row &lag, uint32_t *to)
    {
        uint32_t before[WORDS], total = 0;
#pragma unroll
        for (int i = 0; i < WORDS; i++) {
            before[i] = total;
            total = dp4a_signed(lag.word[i], 0xffffffffu, __dp4a(lead.word[i], 0x01010101u, total));
        }
        const uint32_t lower = sum_before(total);
#pragma unroll
        for (int i = 0; i < WORDS; i++) {
            const uint32_t a = lead.word[i], b = lag.word[i], s = before[i] + lower;
            *reinterpret_cast<uint4 *>(to + 4 * i) = make_uint4(
                s, dp4a_signed(b, 0xffu, __dp4a(a, 0x1u, s)),
                dp4a_signed(b, 0xffffu, __dp4a(a, 0x101u, s)),
                dp4a_signed(b, 0xffffffu, __dp4a(a, 0x10101u, s)));
        }
    }

    // Squares of a channel, summed over the first one to four columns of each word.
    struct Squares {
        uint32_t part[WORDS][4] = {};

        __device__ __forceinline__ void add(const Row &lead, const Row &lag)
        {
#pragma unroll
            for (int i = 0; i < WORDS; i++)
#pragma unroll
                for (int k = 0; k < 4; k++) {
                    const uint32_t mask = 0xffffffffu >> (24 - 8 * k), a = lead.word[i],
                                   b = lag.word[i];
                    part[i][k] = __dp4a(a & mask, a, part[i][k]) - __dp4a(b & mask, b, 0u);
                }
        }
        // Writes Q, summed along the row. to: the lane's columns.
        __device__ __forceinline__ void write(uint32_t *to) const
        {
            uint32_t total = 0;
#pragma unroll
            for (int i = 0; i < WORDS; i++)
                total += part[i][3];
            uint32_t before = sum_before(total);
#pragma unroll
            for (int i = 0; i < WORDS; i++) {
                *reinterpret_cast<uint4 *>(to + 4 * i) = make_uint4(
                    before, before + part[i][0], before + part[i][1], before + part[i][2]);
                before += part[i][3];
            }
        }
    };

    using Windows = ByteWindows;

    __device__ static void fractions(const ChannelJob &job, const Windows &windows,
                                     const Product *x, double *num, double *var);
};

// Pixel class: samples of two bytes, from a plane of low and a plane of high bytes.
struct TwoBytes {
    static constexpr int DIGITS = 2, BLOCKS = 3, AHEAD = 3;
    using Square = uint64_t;
    using Product = uint64_t;

    // Four samples from their low and high bytes.
    __device__ __forceinline__ static void join(uint32_t low, uint32_t high, int32_t *sample)
    {
        const uint32_t first = __byte_perm(low, high, 0x5140),
                       second = __byte_perm(low, high, 0x7362);
        sample[0] = static_cast<int32_t>(first & 0xffffu);
        sample[1] = static_cast<int32_t>(first >> 16);
        sample[2] = static_cast<int32_t>(second & 0xffffu);
        sample[3] = static_cast<int32_t>(second >> 16);
    }

    struct Row {
        uint32_t low[WORDS], high[WORDS];

        explicit __device__ Row(const unsigned char *pixels)
        {
#pragma unroll
            for (int i = 0; i < WORDS; i++) {
                low[i] = reinterpret_cast<const uint32_t *>(pixels)[i];
                high[i] = reinterpret_cast<const uint32_t *>(pixels + PIXEL_ROWS)[i];
            }
        }
    };

    __device__ static void sum_first(const ChannelJob &job, const unsigned char *from, uint32_t *s,
                                     Square *q)
    {
        s[0] = s[1] = s[2] = s[3] = 0;
#pragma unroll 4
        for (int j = 0; j < job.all.window_height - 1; j++, from += job.all.image.pitch) {
            int32_t sample[4];
            join(__ldg(reinterpret_cast<const uint32_t *>(from)),
                 __ldg(reinterpret_cast<const uint32_t *>(from + job.all.plane)), sample);
#pragma unroll
            for (int i = 0; i < 4; i++) {
                const uint32_t v = static_cast<uint32_t>(sample[i]);
                s[i] += v;
                q[i] += v * v; // below 2^32
            }
        }
    }

    __device__ __forceinline__ static void write_sums(const Row &lead, const Row &lag, uint32_t *to)
    {
        uint32_t before[WORDS][4], total = 0;
#pragma unroll
        for (int i = 0; i < WORDS; i++) {
            int32_t a[4], b[4];
            join(lead.low[i], lead.high[i], a);
            join(lag.low[i], lag.high[i], b);
#pragma unroll
            for (int k = 0; k < 4; k++) {
                before[i][k] = total;
                total += static_cast<uint32_t>(a[k] - b[k]);
            }
        }
        const uint32_t lower = sum_before(total);
#pragma unroll
        for (int i = 0; i < WORDS; i++)
            *reinterpret_cast<uint4 *>(to + 4 * i) = make_uint4(
                before[i][0] + lower, before[i][1] + lower, before[i][2] + lower,
                before[i][3] + lower);
    }

    // What each column gains and loses.
    struct Squares {
        int64_t column[WORDS][4] = {};

        __device__ __forceinline__ void add(const Row &lead, const Row &lag)
        {
#pragma unroll
            for (int i = 0; i < WORDS; i++) {
                int32_t a[4], b[4];
                join(lead.low[i], lead.high[i], a);
                join(lag.low[i], lag.high[i], b);
#pragma unroll
                for (int k = 0; k < 4; k++) // a^2 - b^2
                    column[i][k] += static_cast<int64_t>(a[k] - b[k]) * (a[k] + b[k]);
            }
        }
        __device__ __forceinline__ void write(uint32_t *to) const
        {
            uint64_t total = 0;
#pragma unroll
            for (int i = 0; i < WORDS; i++)
#pragma unroll
                for (int k = 0; k < 4; k++)
                    total += static_cast<uint64_t>(column[i][k]);
            uint64_t before = sum_before(total);
#pragma unroll
            for (int i = 0; i < WORDS; i++) {
                uint64_t sums[4];
#pragma unroll
                for (int k = 0; k < 4; k++) {
                    sums[k] = before;
                    before += static_cast<uint64_t>(column[i][k]);
                }
                store_prefixes(to + 4 * i, sums);
            }
        }
    };

    struct Windows {
        static constexpr int COUNT = CHANNELS;
        uint32_t s[COUNT][4];
        uint64_t q[4];

        __device__ __forceinline__ void set_sum(int c, int i, uint32_t v)
        {
            s[c][i] = v;
        }
        __device__ __forceinline__ void set_square(int i, Square v)
        {
            q[i] = v;
        }
        __device__ __forceinline__ uint32_t sum(int c, int i) const
        {
            return s[c][i];
        }
        __device__ __forceinline__ Square square(int i) const
        {
            return q[i];
        }
    };

    __device__ static void fractions(const ChannelJob &job, const Windows &windows,
                                     const Product *x, double *num, double *var);
};

// The first plane's bytes that a word of the segment's columns reads from row y on.
__device__ __forceinline__ const unsigned char *word_at(const ChannelJob &job, int column, int y)
{
    const TensorPlane &image = job.all.image;
    return image.data + min(column, image.width - 4) + y * image.pitch;
}

// Prefix sums over all but the last row of the segment's first windows, into row 0 of the arrays:
// down the columns first, then along the row, one warp per array. Ends with a barrier. ARRAY:
// elements from array to array.
template <class Pixel, int ARRAY>
__device__ void sum_first_channels(const ChannelJob &job, uint32_t *prefixes, int x0, int y0)
{
    constexpr int DIGITS = Pixel::DIGITS;
    for (int word = threadIdx.x; word < PIXEL_ROW / 4; word += THREADS) {
        typename Pixel::Square q[4] = {};
        const unsigned char *from = word_at(job, x0 + 4 * word, y0);
#pragma unroll 1
        for (int c = 0; c < job.read; c++, from += DIGITS * job.all.plane) {
            uint32_t s[4];
            Pixel::sum_first(job, from, s, q);
            if (job.summed)
                store_prefixes(prefixes + (DIGITS + c) * ARRAY + 4 * word, s);
        }
        store_prefixes(prefixes + 4 * word, q);
    }
    __syncthreads();
    for (int i = threadIdx.x / WARP_LANES; i < 1 + job.summed; i += WARPS)
        if (i == 0)
            accumulate_row<typename Pixel::Square, WORDS>(prefixes);
        else
            accumulate_row<uint32_t, WORDS>(prefixes + (DIGITS + i - 1) * ARRAY);
    __syncthreads();
}

// A thread's windows as sum_first_channels left them. own: the prefixes at its first column.
template <class Pixel, class Columns, int ARRAY, class Windows>
__device__ __forceinline__ void load_first_channels(const ChannelJob &job, const uint32_t *own,
                                                    Windows *w)
{
    const int right = job.all.window_width;
#pragma unroll
    for (int i = 0; i < 4; i++) {
        typename Pixel::Square before, all;
        const uint32_t *column = own + Columns::column(i);
        load_prefix(column, &before);
        load_prefix(column + right, &all);
        w->set_square(i, all - before);
#pragma unroll
        for (int c = 0; c < Windows::COUNT; c++) {
            const uint32_t *s = column + (Pixel::DIGITS + c) * ARRAY;
            w->set_sum(c, i, c < job.summed ? s[right] - s[0] : 0);
        }
    }
}

// Writes the prefix sums of the warp's map row. pixels: the lane's bytes of the first plane's lead
// row; row: the lane's columns in the first array.
template <class Pixel>
__device__ __forceinline__ void write_row(const ChannelJob &job, const unsigned char *pixels,
                                          uint32_t *row)
{
    typename Pixel::Squares squares;
    uint32_t *to = row + Pixel::DIGITS * PREFIX_ARRAY;
#pragma unroll 1
    for (int c = 0; c < job.read; c++) {
        const typename Pixel::Row lead(pixels), lag(pixels + PIXEL_ROW);
        if (job.summed && job.squared) { // the usual case, in one piece of code
            squares.add(lead, lag);
            Pixel::write_sums(lead, lag, to);
        } else if (job.squared) {
            squares.add(lead, lag);
        } else {
            Pixel::write_sums(lead, lag, to);
        }
        pixels += Pixel::DIGITS * PIXEL_ROWS;
        to += PREFIX_ARRAY;
    }
    if (job.squared)
        squares.write(row);
}

// Slides a thread's windows down by a map row. own: that row's prefixes at the thread's first
// column. SHIFT: the window's width modulo 4, so that reads stay aligned.
template <int SHIFT>
__device__ __forceinline__ void read_change(const uint32_t *own, int window_width,
                                            uint32_t *entering, uint32_t *leaving)
{
    ColumnReader<Adjacent>::read<0>(own, leaving);
    ColumnReader<Adjacent>::read<SHIFT>(own + (window_width - SHIFT), entering);
}
template <int SHIFT>
__device__ __forceinline__ void slide_sum(const uint32_t *own, int window_width, uint32_t *sum)
{
    slide<Integers, Adjacent, SHIFT>(sum, own, window_width - SHIFT);
}
template <int SHIFT>
__device__ __forceinline__ void slide_sum(const uint32_t *own, int window_width, double *sum)
{
    slide<Fp64, Adjacent, SHIFT>(sum, own, window_width - SHIFT);
}
template <int SHIFT>
__device__ __forceinline__ void slide_sum(const uint32_t *own, int window_width, uint64_t *sum)
{
    uint32_t entering[2][4], leaving[2][4];
#pragma unroll
    for (int k = 0; k < 2; k++)
        read_change<SHIFT>(own + k * PREFIX_ARRAY, window_width, entering[k], leaving[k]);
#pragma unroll
    for (int i = 0; i < 4; i++)
        sum[i] += (static_cast<uint64_t>(entering[1][i]) << 32 | entering[0][i]) -
                  (static_cast<uint64_t>(leaving[1][i]) << 32 | leaving[0][i]);
}
template <class Pixel, int SHIFT>
__device__ __forceinline__ void slide_channels(const ChannelJob &job, const uint32_t *own,
                                               typename Pixel::Windows *w)
{
    if (job.squared)
        slide_sum<SHIFT>(own, job.all.window_width, w->q);
#pragma unroll
    for (int c = 0; c < CHANNELS; c++)
        if (c < job.summed)
            slide_sum<SHIFT>(own + (Pixel::DIGITS + c) * PREFIX_ARRAY, job.all.window_width,
                             w->s[c]);
}

} // namespace xncc

#endif
