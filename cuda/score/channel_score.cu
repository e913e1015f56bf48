// SPDX-License-Identifier: BSD-2-Clause
// Window sums and scores of one to four channels in one pass over the image and X
// (channel_score.h).
//
// Centred methods are evaluated from n X - (sum over the channels of S sumT) and n Q - (sum of
// S^2), the others from linear functions of X, S and Q that remove the bias (general_score.h; S is
// that of all channels there). For sqdiff the bias cancels.
//
// Ranges. With C channels, n pixels and m the largest sample, C n 255^2 < 2^32 and n m < 2^32
// (xncc_channel_scores), so n <= 66,051 for one-byte pixels and n <= 65,537 for two-byte pixels.
//
// - One-byte pixels: S, Q and X fit 32 bits, and C n^2 m^2 < 2^48.1. Everything is an integer below
//   2^53, so doubles with fused multiply-adds are exact.
// - Two-byte pixels: X, Q and what the other methods make of them are below 2^49. Centred:
//   |n X_c - S_c sumT_c| is at most n^2 m^2 / 4 for each channel (n^2 times a covariance of values
//   in 0 .. m), and so is n Q_c - S_c^2. Their sums are below 2^62.1. They are computed modulo
//   2^64, therefore exact, and rounded to double once, as in general_score.h.
//
// Rounding. The quotients of the normed methods are those of quotient.cuh: general_score.h
// multiplies two rounded roots, as score.h does, so the proof and the doubtful interval are the
// same. ccoeff is the plain formula, a division: where n has few bits many of its quotients are
// midpoints of floats, so that no approximation would be certain. ccorr and sqdiff are integers
// below 2^53. Windows in doubt, those whose denominator is 0, and all windows under a template
// whose denominator is 0 (unit is NaN) are computed by general_score.h itself. It adds up channels;
// only the sums over all channels are known for X and Q, so they are given to it as those of the
// first channel, which gives the same totals.
//
// All devices compute in doubles. Where these are slow the pass takes longer; the score needs about
// 10 of them per window and 3 per channel.
//
// Data mapping: a block of four warps walks down a segment of a strip of 512 map columns, four map
// rows per batch (channel_windows.cuh). Image rows come through shared memory by asynchronous
// copies, one batch ahead; X is loaded one map row ahead, and for one-byte pixels asked for three
// more rows ahead. blockIdx.x: strip; blockIdx.y: segment.
//
// Resources: dynamic shared memory xncc_channel_score_bytes, 25,728 bytes for one channel of one
// byte up to 102,784 bytes for four of two bytes; 4 or 3 blocks of 128 threads per multiprocessor
// (__launch_bounds__), so at most 128 or 168 registers per thread.
//
// Template parameters: Pixel, a pixel class (channel_windows.cuh); SHIFT, the window's width modulo
// 4; TILES, whether the best score of each tile is asked for. Below compute capability 8.0 the
// kernels are empty.
#include "cuda/score/channel_arith.cuh"
#include "cuda/runtime/warp.cuh"

namespace xncc {

__device__ __forceinline__ void TwoBytes::fractions(const ChannelJob &job, const Windows &windows,
                                                    const Product *x, double *num, double *var)
{
    uint64_t over[4], under[4];
    if (job.centred) {
        const uint32_t n = static_cast<uint32_t>(job.all.rule.whole);
#pragma unroll
        for (int i = 0; i < 4; i++) {
            over[i] = n * x[i];
            under[i] = n * windows.q[i];
        }
#pragma unroll
        for (int c = 0; c < CHANNELS; c++)
            if (c < job.summed)
#pragma unroll
                for (int i = 0; i < 4; i++) {
                    const uint64_t sum = windows.s[c][i];
                    over[i] -= sum * static_cast<uint32_t>(job.all.T[c]);
                    under[i] -= sum * windows.s[c][i];
                }
    } else {
#pragma unroll
        for (int i = 0; i < 4; i++) {
            uint64_t sum = 0;
#pragma unroll
            for (int c = 0; c < CHANNELS; c++)
                sum += windows.s[c][i];
            over[i] = static_cast<uint64_t>(job.whole_num.product) * x[i] +
                      static_cast<uint64_t>(job.whole_num.sum) * sum +
                      static_cast<uint64_t>(job.whole_num.square) * windows.q[i] +
                      static_cast<uint64_t>(job.whole_num.rest);
            under[i] = static_cast<uint64_t>(job.whole_var.sum) * sum + windows.q[i] +
                       static_cast<uint64_t>(job.whole_var.rest);
        }
    }
#pragma unroll
    for (int i = 0; i < 4; i++) {
        num[i] = s64_to_double(static_cast<int64_t>(over[i]));
        var[i] = u64_to_double(under[i]);
    }
}

namespace {

// X of a thread's four columns in a map row: `ahead` has the first terms of the row, loaded early.
template <class Pixel> struct ProductReader {
    uint4 ahead[Pixel::AHEAD] = {};

    __device__ __forceinline__ static uint4 load(const ChannelJob &job, const uint32_t *row, int k)
    {
        return __ldcs(reinterpret_cast<const uint4 *>(row + job.all.term[k].offset));
    }
    __device__ __forceinline__ static void add(const ChannelJob &job, uint4 v, int k,
                                               typename Pixel::Product *x)
    {
        const uint32_t term[4] = { v.x, v.y, v.z, v.w };
#pragma unroll
        for (int i = 0; i < 4; i++)
            x[i] += Pixel::DIGITS == 1
                        ? term[i]
                        : term[i] * static_cast<typename Pixel::Product>(job.weight[k]);
    }
    // row: the map row's sums at the thread's first column.
    __device__ __forceinline__ void load_ahead(const ChannelJob &job, const uint32_t *row)
    {
#pragma unroll
        for (int k = 0; k < Pixel::AHEAD; k++)
            if (k == 0 || k < job.all.terms)
                ahead[k] = load(job, row, k);
    }
    __device__ __forceinline__ void sum(const ChannelJob &job, const uint32_t *row,
                                        typename Pixel::Product *x) const
    {
#pragma unroll
        for (int i = 0; i < 4; i++)
            x[i] = 0;
#pragma unroll
        for (int k = 0; k < Pixel::AHEAD; k++)
            if (k == 0 || k < job.all.terms)
                add(job, ahead[k], k, x);
#pragma unroll 1
        for (int k = Pixel::AHEAD; k < job.all.terms; k++)
            add(job, load(job, row, k), k, x);
    }
};

// Computes the scores of a batch again by general_score.h, for a thread's four columns. own: the
// prefixes of the first map row at its first column. windows: its windows at the batch's last row;
// the function goes up from there, taking the changes back. rows: map rows left, at least 1. Out of
// line and rarely called.
template <class Pixel>
__device__ __noinline__ void rescore_batch(const ChannelJob &job, const uint32_t *own,
                                           const typename Pixel::Windows *windows, int x, int y,
                                           int rows)
{
    const int right = job.all.window_width;
#pragma unroll 1
    for (int i = 0; i < 4 && x + i < job.all.width; i++) {
        uint32_t s[CHANNELS];
        for (int c = 0; c < CHANNELS; c++)
            s[c] = windows->sum(c, i);
        typename Pixel::Square q = windows->square(i), entering, leaving;
#pragma unroll 1
        for (int r = ROWS - 1; r >= 0; r--) {
            const uint32_t *row = own + r * PREFIX_ROW + i;
            if (r < rows) {
                const uint32_t *sums = job.all.sums + (y + r) * job.all.sums_pitch + x + i;
                uint64_t product = 0;
                for (int k = 0; k < job.all.terms; k++)
                    product += static_cast<uint64_t>(sums[job.all.term[k].offset]) * job.weight[k];
                job.all.map[(y + r) * job.all.map_pitch + x + i] = exact_score(job, s, q, product);
            }
            if (job.squared) {
                load_prefix(row + right, &entering);
                load_prefix(row, &leaving);
                q -= entering - leaving;
            }
            for (int c = 0; c < job.summed; c++) {
                const uint32_t *sum = row + (Pixel::DIGITS + c) * PREFIX_ARRAY;
                s[c] -= sum[right] - sum[0];
            }
        }
    }
}

// Starts the copies of a batch's image rows. to: shared-memory address of the warp's first plane.
template <class Pixel>
__device__ __forceinline__ void fetch_rows(const ChannelJob &job, RowLoader<WORDS> &rows)
{
    int64_t plane = 0;
    uint32_t to = rows.now;
#pragma unroll 1
    for (int p = 0; p < Pixel::DIGITS * job.read; p++) {
        rows.copy_rows(job.all.image.pitch, job.all.window_height, plane, to);
        plane += job.all.plane;
        to += PIXEL_ROWS;
    }
    rows.end_batch(job.all.image.pitch);
}

// Walks down map rows y0 .. y1 - 1 of the block's strip. memory: shared memory.
template <class Pixel, int SHIFT, bool TILES>
__device__ void walk(const ChannelJob &job, unsigned char *memory, int y0, int y1)
{
    const int own = Adjacent::first(), x = first_column() + own, lane = threadIdx.x % WARP_LANES,
              warp = threadIdx.x / WARP_LANES;
    uint32_t *prefixes = reinterpret_cast<uint32_t *>(memory);
    unsigned char *pixels = memory + (Pixel::DIGITS + job.summed) * XNCC_CHANNEL_SCORE_ARRAY +
                            warp * Pixel::DIGITS * job.read * PIXEL_ROWS;
    RowLoader<WORDS> rows(job.all.image, job.all.window_width, job.all.window_height, pixels,
                          first_column(), y0);
    fetch_rows<Pixel>(job, rows);
    sum_first_channels<Pixel, PREFIX_ARRAY>(job, prefixes, first_column(), y0);
    typename Pixel::Windows windows;
    load_first_channels<Pixel, Adjacent, PREFIX_ARRAY>(job, prefixes + own, &windows);
    const int64_t sums_pitch = job.all.sums_pitch;
    const uint32_t *sums = job.all.sums + y0 * sums_pitch + x;
    ProductReader<Pixel> products;
    products.load_ahead(job, sums);
    TileMax<Adjacent, TILES> tiles(job.all.tiles, x, y0, job.all.width);
    const int64_t map_pitch = job.all.map_pitch;
    float *map = job.all.map + y0 * map_pitch + x;
    for (int y = y0; y < y1; y += ROWS, map += ROWS * map_pitch) {
        asm volatile("cp.async.wait_group 0;" ::: "memory");
        __syncthreads(); // the last batch's prefixes have been read
        write_row<Pixel>(job, pixels + 4 * WORDS * lane,
                         prefixes + warp * PREFIX_ROW + 4 * WORDS * lane);
        __syncwarp();
        fetch_rows<Pixel>(job, rows);
        __syncthreads();
        bool sure = true;
#pragma unroll 1
        for (int r = 0; r < ROWS; r++) {
            typename Pixel::Product product[4];
            products.sum(job, sums, product);
            sums += sums_pitch;
            products.load_ahead(job, sums);
            if (Pixel::DIGITS == 1)
                asm volatile("prefetch.global.L2 [%0];" ::"l"(sums + 3 * sums_pitch));
            slide_channels<Pixel, SHIFT>(job, prefixes + r * PREFIX_ROW + own, &windows);
            double num[4], var[4];
            Pixel::fractions(job, windows, product, num, var);
            float score[4];
            sure &= finish(job, num, var, score);
            if (y + r < y1)
                store(map + r * map_pitch, score, x, job.all.width, job.vector_columns);
            tiles.add(score, y + r < y1);
        }
        if (__builtin_expect(!sure, 0)) {
            const typename Pixel::Windows copy = windows;
            rescore_batch<Pixel>(job, prefixes + own, &copy, x, y, y1 - y);
            tiles.read(job.all.tiles, map, map_pitch, x, job.all.width, y1 - y);
        }
        tiles.end_batch(job.all.tiles, x, job.all.width, y1 - y);
    }
    asm volatile("cp.async.wait_group 0;" ::: "memory");
}

// The scores of a band.
template <class Pixel, int SHIFT, bool TILES>
__global__
__launch_bounds__(THREADS,
                  Pixel::BLOCKS) void score_channels(const __grid_constant__ ChannelJob job)
{
#if __CUDA_ARCH__ >= 800
    extern __shared__ __align__(16) unsigned char memory[];
    const int y0 = blockIdx.y * job.segment, y1 = min(y0 + job.segment, job.all.height);
    if (y0 < y1 && !(job.all.skip && *job.all.skip))
        walk<Pixel, SHIFT, TILES>(job, memory, y0, y1);
#endif
}

using Kernel = void (*)(ChannelJob);

template <class Pixel> Kernel kernel_of(int shift, bool tiles)
{
    return with_one_of<0, 1, 2, 3>(shift, [&](auto s) -> Kernel {
        return tiles ? score_channels<Pixel, s, true> : score_channels<Pixel, s, false>;
    });
}

Kernel kernel_of(int digits, int shift, bool tiles)
{
    return digits == 1 ? kernel_of<OneByte>(shift, tiles) : kernel_of<TwoBytes>(shift, tiles);
}

} // namespace

cudaError_t channel_score_set_max_shared_memory(int most)
{
    cudaError_t code = cudaSuccess;
    for (int i = 0; i < 16 && code == cudaSuccess; i++)
        code = set_max_shared_memory(most, kernel_of(1 + i / 8, i % 4, i & 4));
    return code;
}

cudaError_t launch_channel_score(const ChannelScoreJob &all, int processors, int shared_memory,
                                 cudaStream_t stream)
{
    ChannelJob job = make_channel_job(all, Adjacent::STEP);
    const Kernel kernel = kernel_of(all.digits, all.window_width % Adjacent::STEP,
                                    all.tiles.best != nullptr);
    const int bytes = xncc_channel_score_bytes(job.read, job.summed, all.digits);
    // The device reserves 1 KiB more for every block, also for the largest.
    constexpr int RESERVED = 1024;
    const int by_registers = all.digits == 1 ? OneByte::BLOCKS : TwoBytes::BLOCKS,
              by_memory = (shared_memory + RESERVED) / (bytes + RESERVED),
              blocks = by_memory < by_registers ? by_memory : by_registers;
    const dim3 grid = cut_strips(all, all.window_height, processors * blocks, ROWS, &job.segment);
    return launch(kernel, grid, THREADS, bytes, stream, false, job);
}

} // namespace xncc
