// SPDX-License-Identifier: BSD-2-Clause
// Sums of windows up to XNCC_WINDOW_WIDTH = 128 pixels wide that slide down an image of bytes: the
// common part of window_score_u8.cu and sliding_score_u8.cu.
//
//     N = sum of counts,  S = sum of values,  Q = sum of values^2  over the window
//
// Data mapping: a block of five warps walks down a strip of 512 map columns, two map rows per
// batch. Each thread keeps the sums of 4 adjacent image columns over the window's height. A prefix
// sum along the row (in registers, then over the warp) goes to shared memory, relative to the
// columns of its warp, and the difference of two prefixes is a window's sum; if the window crosses
// into the next warp's columns, that warp's total is added. The fifth warp's columns only belong to
// windows that begin in the others' columns. In the second half of a batch each of the first 128
// threads has one window in each of the four warps' columns. All sums wrap modulo 2^32, which is
// exact because they fit.
//
// Any compute capability from 6.1 on (__dp4a). Template parameter: COUNTS, whether N is made; it is
// 0 otherwise.
#ifndef XNCC_CUDA_SCORE_SLIDE_DOWN_CUH
#define XNCC_CUDA_SCORE_SLIDE_DOWN_CUH

#include "cuda/runtime/handles.h"
#include "cuda/runtime/warp.cuh"

extern "C" {
#include "plan/cost_cuda.h"
}

namespace xncc {

// Image columns per thread and per warp.
constexpr int SPAN = 4;
constexpr int WARP_COLUMNS = WARP_LANES * SPAN;
// No window begins in the last warp's columns.
constexpr int WARPS = 5;
constexpr int OUTPUT_WARPS = WARPS - 1;
constexpr int THREADS = WARPS * WARP_LANES;
// Map elements per row of a block.
constexpr int OUTPUTS = OUTPUT_WARPS * WARP_COLUMNS;
// Map rows between barriers.
constexpr int BATCH = 2;
// 4 more than a multiple of 16, so that adjacent columns are in different banks.
constexpr int COLUMN_STRIDE = THREADS + 4;
static_assert(XNCC_WINDOW_WIDTH <= WARP_COLUMNS, "a window crosses at most one warp's edge");
static_assert(COLUMN_STRIDE % 16 == 4, "bank conflicts");

// Sums of counts, of values, and of squared values.
struct Sums {
    uint32_t n, s, q;

    __device__ Sums operator+(const Sums &o) const
    {
        return { n + o.n, s + o.s, q + o.q };
    }
    __device__ Sums operator-(const Sums &o) const
    {
        return { n - o.n, s - o.s, q - o.q };
    }
};

// Sums over the columns before a column of its warp: column c is at [c % 4][c / 4]. total: those of
// a warp's columns.
template <bool COUNTS> struct Prefixes {
    uint2 sq[SPAN][COLUMN_STRIDE], sq_total[WARPS];
    uint32_t n[SPAN][COUNTS ? COLUMN_STRIDE : 1], n_total[COUNTS ? WARPS : 1];

    __device__ void store(int column, int at, const Sums &v)
    {
        sq[column][at] = make_uint2(v.s, v.q);
        if (COUNTS)
            n[column][at] = v.n;
    }
    __device__ Sums load(int column, int at) const
    {
        const uint2 v = sq[column][at];
        return { COUNTS ? n[column][at] : 0, v.x, v.y };
    }
    __device__ void store_total(int warp, const Sums &v)
    {
        sq_total[warp] = make_uint2(v.s, v.q);
        if (COUNTS)
            n_total[warp] = v.n;
    }
    __device__ Sums total(int warp) const
    {
        const uint2 v = sq_total[warp];
        return { COUNTS ? n_total[warp] : 0, v.x, v.y };
    }
    // The sums of the window that begins at column threadIdx.x of warp i's columns.
    __device__ Sums window(int width, int i) const
    {
        const int column = threadIdx.x, past = column + width;
        const Sums sums = load(past % SPAN, past / SPAN + i * WARP_LANES) -
                          load(column % SPAN, column / SPAN + i * WARP_LANES);
        return past >= WARP_COLUMNS ? sums + total(i) : sums;
    }
};

// Sums over a thread's first 1, 2, 3 and 4 columns.
template <bool COUNTS> struct Columns {
    Sums of[SPAN];

    // words: values and counts.
    __device__ void add(uint2 words)
    {
#pragma unroll
        for (int i = 0; i < SPAN; i++) {
            const uint32_t mask = 0xffffffffu >> (8 * (SPAN - 1 - i)), ones = mask & 0x01010101u;
            if (COUNTS)
                of[i].n = __dp4a(words.y, ones, of[i].n);
            of[i].s = __dp4a(words.x, ones, of[i].s);
            of[i].q = __dp4a(words.x, words.x & mask, of[i].q);
        }
    }
};

// Writes a map row's prefix sums to shared memory. in: sums over all rows down to the window's
// last; out: over those above the window.
template <bool COUNTS>
__device__ void write_prefixes(const Columns<COUNTS> &in, const Columns<COUNTS> &out,
                               Prefixes<COUNTS> *row)
{
    const int lane = threadIdx.x % WARP_LANES, warp = threadIdx.x / WARP_LANES;
    const Sums own = in.of[SPAN - 1] - out.of[SPAN - 1];
    Sums sum = own;
#pragma unroll
    for (int step = 1; step < WARP_LANES; step *= 2) {
        const Sums before = { COUNTS ? __shfl_up_sync(WARP_ALL, sum.n, step) : 0,
                              __shfl_up_sync(WARP_ALL, sum.s, step),
                              __shfl_up_sync(WARP_ALL, sum.q, step) };
        if (lane >= step)
            sum = sum + before;
    }
    if (lane == WARP_LANES - 1)
        row->store_total(warp, sum);
    sum = sum - own;
    row->store(0, threadIdx.x, sum);
#pragma unroll
    for (int i = 1; i < SPAN; i++)
        row->store(i, threadIdx.x, sum + in.of[i - 1] - out.of[i - 1]);
}

// Slides down map rows y0 .. y1 - 1 of the block's strip. rows.at(y) reads a thread's 4 columns of
// the image row under map row y: their values (x) and, with COUNTS, their counts (y). For each map
// row y, r being its number in its batch, output.prefetch(r, y, inside) loads what it needs ahead
// of time, and output.finish_row(r, y, prefixes) is called by the threads of the first warp's
// columns, which make the windows.
template <bool COUNTS, class Reader, class Output>
__device__ __forceinline__ void slide_down(const Reader &rows, int window_height, int y0, int y1,
                                           Output output)
{
    __shared__ Prefixes<COUNTS> prefixes[BATCH];
    Columns<COUNTS> in = {}, out = {};
#pragma unroll 8
    for (int j = 0; j < window_height - 1; j++)
        in.add(rows.at(y0 + j));
    for (int y = y0; y < y1; y += BATCH) {
        uint2 entering[BATCH], leaving[BATCH];
#pragma unroll
        for (int r = 0; r < BATCH; r++) {
            entering[r] = rows.at(y + r + window_height - 1);
            leaving[r] = rows.at(y + r);
            output.prefetch(r, y + r, threadIdx.x < WARP_COLUMNS && y + r < y1);
        }
        if (y > y0)
            __syncthreads();
#pragma unroll
        for (int r = 0; r < BATCH; r++) {
            in.add(entering[r]);
            write_prefixes(in, out, &prefixes[r]);
            out.add(leaving[r]);
        }
        __syncthreads();
#pragma unroll
        for (int r = 0; r < BATCH; r++)
            if (threadIdx.x < WARP_COLUMNS && y + r < y1)
                output.finish_row(r, y + r, prefixes[r]);
    }
}

// The grid: strips of 512 columns, and of *strip rows.
inline dim3 strip_grid(int width, int height, int window_height, int *strip)
{
    const int across = ceil_div(width, OUTPUTS);
    *strip = window_height <= 128 ? 64 : 256;
    while (*strip > 16 && across * ceil_div(height, *strip) <
                              512) // short strips where a small map would leave the device idle
        *strip /= 2;
    while (ceil_div(height, *strip) > UINT16_MAX)
        *strip *= 2;
    return make_grid(across, ceil_div(height, *strip));
}

} // namespace xncc

#endif
