// SPDX-License-Identifier: BSD-2-Clause
// Window sums that slide down byte planes, with the masked score in the same pass (slide_scores) or
// alone (slide_sums); see sliding_score_u8.h.
//
//     N = sum of counts,  S = sum of values,  Q = sum of values^2  over the window
//
// Data mapping: that of window_score_u8.cu. A block of five warps walks down a strip of 512 map
// columns, two map rows per batch. Each thread keeps the sums of 4 adjacent columns over the
// window's height, prefix sums along the row go to shared memory, and the difference of two
// prefixes is a window's sum. All sums wrap modulo 2^32, which is exact because they fit.
//
// Resources: static shared memory 15,872 bytes; 4 blocks of 160 threads per multiprocessor
// (__launch_bounds__), so at most 96 registers per thread. Any compute capability from 6.1 on
// (__dp4a).
#include "cuda/score/masked_score_u8.cuh"
#include "cuda/runtime/warp.cuh"
#include "cuda/score/sliding_score_u8.h"

namespace xncc {

namespace {

constexpr int SPAN = 4;
constexpr int WARP_COLUMNS = WARP_LANES * SPAN;
constexpr int WARPS = 5; // no window begins in the last one's columns
constexpr int OUTPUT_WARPS = WARPS - 1;
constexpr int THREADS = WARPS * WARP_LANES;
constexpr int OUTPUTS = OUTPUT_WARPS * WARP_COLUMNS; // map elements per row of a block
constexpr int BATCH = 2;                             // map rows between barriers
constexpr int STRIDE = THREADS + 4;                  // against bank conflicts
static_assert(XNCC_WINDOW_WIDTH <= WARP_COLUMNS, "a window crosses at most one warp's edge");

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
struct Prefixes {
    uint2 sq[SPAN][STRIDE];
    uint32_t n[SPAN][STRIDE];
    Sums total[WARPS];

    __device__ void store(int column, int at, const Sums &v)
    {
        sq[column][at] = make_uint2(v.s, v.q);
        n[column][at] = v.n;
    }
    __device__ Sums load(int column, int at) const
    {
        const uint2 v = sq[column][at];
        return { n[column][at], v.x, v.y };
    }
};

// Sums over a thread's first 1, 2, 3 and 4 columns.
struct Columns {
    Sums of[SPAN];

    __device__ void add(uint2 words)
    {
#pragma unroll
        for (int i = 0; i < SPAN; i++) {
            const uint32_t mask = 0xffffffffu >> (8 * (SPAN - 1 - i)), ones = mask & 0x01010101u;
            of[i].n = __dp4a(words.y, ones, of[i].n);
            of[i].s = __dp4a(words.x, ones, of[i].s);
            of[i].q = __dp4a(words.x, words.x & mask, of[i].q);
        }
    }
};

// Reads a thread's 4 columns of an image row: values (x) and counts (y). Right of the planes and
// below them the last ones are read again; those are in no window of the map.
struct ColumnReader {
    const unsigned char *values, *counts;
    int64_t pitch;
    int last;

    template <class Job>
    __device__ ColumnReader(const Job &job, const unsigned char *of_values,
                            const unsigned char *of_counts, int column)
        : pitch(job.plane_pitch), last(job.height + job.templ_height - 2)
    {
        const int64_t at = column + SPAN <= pitch ? column : pitch - SPAN;
        values = of_values + at;
        counts = of_counts + at;
    }
    __device__ uint2 at(int row) const
    {
        const int64_t line = min(row, last) * pitch;
        return make_uint2(__ldg(reinterpret_cast<const uint32_t *>(values + line)),
                          __ldg(reinterpret_cast<const uint32_t *>(counts + line)));
    }
};

// Writes a map row's prefix sums to shared memory. in: sums over all rows down to the window's
// last; out: over those above the window.
__device__ void write_prefixes(const Columns &in, const Columns &out, Prefixes *row)
{
    const int lane = threadIdx.x % WARP_LANES, warp = threadIdx.x / WARP_LANES;
    const Sums own = in.of[SPAN - 1] - out.of[SPAN - 1];
    Sums sum = own;
#pragma unroll
    for (int step = 1; step < WARP_LANES; step *= 2) {
        const Sums before = { __shfl_up_sync(WARP_ALL, sum.n, step),
                              __shfl_up_sync(WARP_ALL, sum.s, step),
                              __shfl_up_sync(WARP_ALL, sum.q, step) };
        if (lane >= step)
            sum = sum + before;
    }
    if (lane == WARP_LANES - 1)
        row->total[warp] = sum;
    sum = sum - own;
    row->store(0, threadIdx.x, sum);
#pragma unroll
    for (int i = 1; i < SPAN; i++)
        row->store(i, threadIdx.x, sum + in.of[i - 1] - out.of[i - 1]);
}

// The sums of a window that come as products; T0 and T1 are T2's low and high bytes.
struct Products {
    uint32_t X = 0, T = 0, T0 = 0, T1 = 0;

    __device__ Products()
    {
    }
    __device__ Products(const MaskedScoreJob &job, int64_t at)
        : X(load(job.X, at)), T(load(job.T, at)), T0(load(job.T2[0], at)), T1(load(job.T2[1], at))
    {
    }
    // from: nullptr for a sum that is not needed
    __device__ __forceinline__ static uint32_t load(const uint32_t *from, int64_t at)
    {
        return from ? __ldcs(from + at) : 0;
    }
};

// The sums of the window that begins at column threadIdx.x of warp i's columns.
__device__ Sums window_of(const Prefixes &row, int templ_width, int i)
{
    const int column = threadIdx.x, past = column + templ_width;
    const Sums sums = row.load(past % SPAN, past / SPAN + i * WARP_LANES) -
                      row.load(column % SPAN, column / SPAN + i * WARP_LANES);
    return past >= WARP_COLUMNS ? sums + row.total[i] : sums;
}

// All sums of that window.
__device__ __forceinline__ MaskedSums sums_of(const MaskedScoreJob &job, const Prefixes &row,
                                              const Products &product, int i)
{
    const Sums sums = window_of(row, job.templ_width, i);
    return { sums.n, sums.s, product.T, product.X, sums.q, product.T0 + (product.T1 << 8) };
}

// Slides down map rows y0 .. y1 - 1 of the block's strip. For each row, output.prefetch(r, y,
// inside) loads what it needs ahead of time, and output.finish_row(r, y, prefixes) is called by the
// threads of the first warp's columns, which make the windows; r is the row's number in its batch.
template <class Output>
__device__ __forceinline__ void slide_down(const ColumnReader &rows, int templ_height, int y0,
                                           int y1, Output output)
{
    __shared__ Prefixes prefixes[BATCH];
    Columns in = {}, out = {};
#pragma unroll 8
    for (int j = 0; j < templ_height - 1; j++)
        in.add(rows.at(y0 + j));
    for (int y = y0; y < y1; y += BATCH) {
        uint2 entering[BATCH], leaving[BATCH];
#pragma unroll
        for (int r = 0; r < BATCH; r++) {
            entering[r] = rows.at(y + r + templ_height - 1);
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

// Output: the scores.
template <bool CENTRED_ROOT> struct ScoreOutput {
    const MaskedScoreJob &job;
    int x;
    Products product[BATCH][OUTPUT_WARPS];

    __device__ ScoreOutput(const MaskedScoreJob &of, int column) : job(of), x(column)
    {
    }
    __device__ __forceinline__ void prefetch(int r, int y, bool inside)
    {
#pragma unroll
        for (int i = 0; i < OUTPUT_WARPS; i++)
            product[r][i] = inside && x + i * WARP_COLUMNS < job.width
                                ? Products(job, y * job.pitch + x + i * WARP_COLUMNS)
                                : Products();
    }
    // There is no branch between the windows, so that their arithmetic overlaps.
    __device__ __forceinline__ void finish_row(int r, int y, const Prefixes &row)
    {
        float score[OUTPUT_WARPS], *map = job.map + y * job.map_pitch + x;
        unsigned doubts = 0;
#pragma unroll
        for (int i = 0; i < OUTPUT_WARPS; i++)
            doubts |= masked_score_fast<CENTRED_ROOT>(job, sums_of(job, row, product[r][i], i),
                                                      &score[i])
                          ? 0
                          : 1u << i;
#pragma unroll
        for (int i = 0; i < OUTPUT_WARPS; i++)
            if (x + i * WARP_COLUMNS < job.width)
                __stcs(map + i * WARP_COLUMNS, doubts >> i & 1
                                                   ? masked_score_exact<CENTRED_ROOT>(
                                                         job, sums_of(job, row, product[r][i], i))
                                                   : score[i]);
    }
};

// Output: the sums.
struct SumOutput {
    const SlideJob &job;
    int x;

    __device__ __forceinline__ void prefetch(int, int, bool)
    {
    }
    __device__ __forceinline__ void finish_row(int, int y, const Prefixes &row)
    {
#pragma unroll
        for (int i = 0; i < OUTPUT_WARPS; i++) {
            if (x + i * WARP_COLUMNS >= job.width)
                continue;
            const Sums window = window_of(row, job.templ_width, i);
            const int64_t to = y * job.pitch + x + i * WARP_COLUMNS;
            if (job.sums)
                job.sums[to] = window.s + (job.add_sums ? job.sums[to] : 0);
            if (job.squares)
                job.squares[to] = window.q + (job.add_squares ? job.squares[to] : 0);
        }
    }
};

template <bool CENTRED_ROOT>
__global__ __launch_bounds__(THREADS,
                             4) void slide_scores(const __grid_constant__ MaskedScoreJob job,
                                                  int strip)
{
    const int x0 = blockIdx.x * OUTPUTS, y0 = blockIdx.y * strip;
    const ColumnReader rows(job, job.values, job.counts, x0 + static_cast<int>(threadIdx.x) * SPAN);
    slide_down(rows, job.templ_height, y0, min(y0 + strip, job.height),
               ScoreOutput<CENTRED_ROOT>(job, x0 + static_cast<int>(threadIdx.x)));
}

__global__ __launch_bounds__(THREADS, 4) void slide_sums(const __grid_constant__ SlideJob job,
                                                         int strip)
{
    const int x0 = blockIdx.x * OUTPUTS, y0 = blockIdx.y * strip;
    const ColumnReader rows(job, job.bytes, job.bytes, x0 + static_cast<int>(threadIdx.x) * SPAN);
    slide_down(rows, job.templ_height, y0, min(y0 + strip, job.height),
               SumOutput{ job, x0 + static_cast<int>(threadIdx.x) });
}

// The grid: strips of 512 columns, and of *strip rows.
dim3 strip_grid(int width, int height, int templ_height, int *strip)
{
    const int across = ceil_div(width, OUTPUTS);
    *strip = templ_height <= 128 ? 64 : 256;
    while (*strip > 16 && across * ceil_div(height, *strip) <
                              512) // short strips where a small map would leave the device idle
        *strip /= 2;
    while (ceil_div(height, *strip) > UINT16_MAX)
        *strip *= 2;
    return make_grid(across, ceil_div(height, *strip));
}

} // namespace

cudaError_t launch_masked_windows(const MaskedScoreJob &job, cudaStream_t stream)
{
    int strip;
    const dim3 grid = strip_grid(job.width, job.height, job.templ_height, &strip);
    const auto kernel = job.method == XNCC_CCOEFF_NORMED ? slide_scores<true> : slide_scores<false>;
    kernel<<<grid, THREADS, 0, stream>>>(job, strip);
    return cudaGetLastError();
}

cudaError_t launch_slide(const SlideJob &job, cudaStream_t stream)
{
    int strip;
    const dim3 grid = strip_grid(job.width, job.height, job.templ_height, &strip);
    slide_sums<<<grid, THREADS, 0, stream>>>(job, strip);
    return cudaGetLastError();
}

} // namespace xncc
