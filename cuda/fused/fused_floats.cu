// SPDX-License-Identifier: BSD-2-Clause
// Scores of floats under small templates (fused_floats.h).
//
// Thread mapping. A block has a tile of 32 x 64 map elements and 128 threads; lane i of warp k has
// the 16 elements of column i from row 16 k on. The block loads the samples under its windows into
// shared memory, less a pivot of its own (the mean of some of them, if the method is centred).
//
// - X: down a column of the template, ROWS rows at a time. A thread reads a column of samples once
//   for all its windows, and the part of the template, which is in registers, is multiplied with
//   it: 128 multiply-adds for 23 samples.
// - S and Q: sums along the rows, of 8 adjacent windows at a time (sum_windows), which go through
//   shared memory, and then down the columns in the same way.
//
// Pitches in shared memory are odd and constant: neither lanes in adjacent columns nor lanes in
// adjacent rows meet in a bank, and no address is computed. Shared memory: fused_floats_shared() in
// plan/cost_fft_cuda.h. Four blocks per multiprocessor. Any compute capability.
//
// Errors, in units of u = 2^-53. Samples of image and template are rounded once. A product of X
// takes part in at most w h additions, each fused with a product; so X is off by at most (w h + 3)
// u times the sum of the sizes of its products, which is at most the root of Q times the template's
// norm. A sample of S takes part in at most w + 2 additions along the row and h + 2 down the
// column, a square of Q likewise, which is rounded before.
#include "cuda/fused/fused_floats.h"

#include "cuda/planes/float_image.cuh"
#include "math/method.h"

extern "C" {
#include "plan/cost_fft_cuda.h"
}

namespace xncc {

namespace {

constexpr int WIDTH = XNCC_FLOAT_FUSED_WIDTH, HEIGHT = XNCC_FLOAT_FUSED_HEIGHT; // of a tile
constexpr int SPAN = 16;                    // elements of a thread, one below the other
constexpr int ROWS = XNCC_FLOAT_FUSED_ROWS; // of the template, at a time
constexpr int EIGHT = 8;                    // windows whose sums are made together
constexpr int BATCH = 6;                    // rows whose loads are in flight at a time
constexpr int LANES = 32, THREADS = WIDTH * HEIGHT / SPAN, BLOCKS = 4, WARPS = THREADS / LANES;
constexpr int PITCH = WIDTH + XNCC_FLOAT_FUSED_TEMPLATE - 1, SUMS_PITCH = WIDTH + 1;
static_assert(PITCH % 2 == 1 && SUMS_PITCH % 2 == 1, "see above");
constexpr unsigned ALL = 0xffffffffu;
static_assert(WIDTH == LANES && SPAN % EIGHT == 0 && WIDTH % EIGHT == 0, "whole groups of windows");

// The shared memory of a block, behind the partial sums of the pivot.
struct Tile {
    double *templ;         // column by column, each padded with zeros to whole groups of ROWS
    double *samples;       // row by row
    double *sums;          // of WIDTH windows per row of samples
    int32_t stride;        // of a column of the template
    int32_t rows, columns; // of the samples

    __device__ Tile(const FusedFloatsJob &job, double *memory)
        : templ(memory), stride(ceil_div(job.templ_height, ROWS) * ROWS), rows(HEIGHT + stride - 1),
          columns(WIDTH + job.templ_width - 1)
    {
        samples = templ + stride * job.templ_width;
        sums = samples + rows * PITCH;
    }
};

// The mean of some samples of the tile, or 0 if none of them is finite. Every thread gets it.
template <xncc_pixel PIXEL> __device__ double tile_pivot(const FusedFloatsJob &job, int x0, int y0)
{
    __shared__ double sum[WARPS], count[WARPS];
    const int own = static_cast<int>(threadIdx.x), x = x0 + own % 8 * (WIDTH / 8),
              y = y0 + own / 8 * (HEIGHT / 16);
    double all = 0.0, some = 0.0;
    if (x < job.image.columns && y < job.image.rows) {
        const double v = float_sample<PIXEL>(job.image, x, y);
        if (isfinite(v)) {
            all = v;
            some = 1.0;
        }
    }
    for (int step = LANES / 2; step > 0; step /= 2) {
        all += __shfl_xor_sync(ALL, all, step);
        some += __shfl_xor_sync(ALL, some, step);
    }
    if (own % LANES == 0) {
        sum[own / LANES] = all;
        count[own / LANES] = some;
    }
    __syncthreads();
    all = some = 0.0;
    for (int i = 0; i < WARPS; i++) {
        all += sum[i];
        some += count[i];
    }
    const double mean = all / some;
    return isfinite(mean) ? mean : 0.0;
}
static_assert(THREADS == 128, "8 x 16 samples make the pivot");

// Loads the template and the samples under the tile's windows. A warp loads a row at a time, a lane
// two samples of it; BATCH rows are in flight.
template <xncc_pixel PIXEL>
__device__ void load(const FusedFloatsJob &job, const Tile &tile, int x0, int y0, double pivot)
{
    const int own = static_cast<int>(threadIdx.x), lane = own % LANES, other = lane + LANES;
    for (int i = own; i < tile.stride * job.templ_width; i += THREADS) {
        const int column = i / tile.stride, row = i % tile.stride;
        tile.templ[i] = row < job.templ_height
                            ? job.constants->samples[row * job.templ_width + column]
                            : 0.0;
    }
    const unsigned char *last = float_column<PIXEL>(job.image, x0 + tile.columns - 1, y0,
                                                    tile.rows);
    const bool inside = last && job.image.x + x0 >= 0, has_other = other < tile.columns;
    double *to = tile.samples;
    for (int first = own / LANES; first < tile.rows; first += WARPS * BATCH) {
        double v[BATCH][2];
#pragma unroll
        for (int k = 0; k < BATCH; k++) {
            const int y = first + k * WARPS;
            v[k][0] = v[k][1] = 0.0;
            if (y >= tile.rows)
                continue;
            if (inside) {
                const unsigned char *from = last + y * job.image.image.pitch;
                v[k][0] = xncc_sample_value(PIXEL, from, lane - (tile.columns - 1));
                if (has_other)
                    v[k][1] = xncc_sample_value(PIXEL, from, other - (tile.columns - 1));
            } else {
                v[k][0] = float_value<PIXEL>(job.image, x0 + lane, y0 + y, pivot);
                if (has_other)
                    v[k][1] = float_value<PIXEL>(job.image, x0 + other, y0 + y, pivot);
            }
        }
#pragma unroll
        for (int k = 0; k < BATCH; k++) {
            const int y = first + k * WARPS;
            if (y >= tile.rows)
                continue;
            to[y * PITCH + lane] = inside ? xncc_sum(v[k][0], -pivot) : v[k][0];
            if (has_other)
                to[y * PITCH + other] = inside ? xncc_sum(v[k][1], -pivot) : v[k][1];
        }
    }
}
static_assert(PITCH <= 2 * LANES, "a lane has two samples of a row");

// X of a thread's windows. at: the first sample of the first one.
__device__ __forceinline__ void multiply(const FusedFloatsJob &job, const Tile &tile,
                                         const double *at, double (&X)[SPAN])
{
#pragma unroll
    for (int k = 0; k < SPAN; k++)
        X[k] = 0.0;
    for (int part = 0; part < tile.stride; part += ROWS) {
        const double *from = at + part * PITCH, *templ = tile.templ + part;
#pragma unroll 1
        for (int i = 0; i < job.templ_width; i++, templ += tile.stride) {
            double t[ROWS];
#pragma unroll
            for (int j = 0; j < ROWS; j++)
                t[j] = templ[j];
#pragma unroll
            for (int r = 0; r < SPAN + ROWS - 1; r++) {
                const double v = from[r * PITCH + i];
#pragma unroll
                for (int j = 0; j < ROWS; j++)
                    if (r - j >= 0 && r - j < SPAN)
                        X[r - j] = fma(v, t[j], X[r - j]);
            }
        }
    }
}

// sum[k] = value(k) + ... + value(k + count - 1), k = 0 .. 7: what all of them have in common, and
// what each has before and behind it.
template <class Value>
__device__ __forceinline__ void sum_windows(int count, const Value &value, double (&sum)[EIGHT])
{
    if (count < EIGHT) {
#pragma unroll
        for (int k = 0; k < EIGHT; k++)
            sum[k] = 0.0;
        for (int i = 0; i < count; i++)
#pragma unroll
            for (int k = 0; k < EIGHT; k++)
                sum[k] += value(k + i);
        return;
    }
    double common = 0.0, before = 0.0, behind = 0.0;
    for (int i = EIGHT - 1; i < count; i++)
        common += value(i);
    sum[EIGHT - 1] = common;
#pragma unroll
    for (int k = EIGHT - 2; k >= 0; k--) {
        before += value(k);
        sum[k] = common + before;
    }
#pragma unroll
    for (int k = 1; k < EIGHT; k++) {
        behind += value(count + k - 1);
        sum[k] += behind;
    }
}

// Sums along the rows of the samples, or of their squares. Lanes have adjacent rows.
template <bool SQUARES> __device__ void sum_rows(const FusedFloatsJob &job, const Tile &tile)
{
    const int rows = HEIGHT + job.templ_height - 1;
    for (int task = static_cast<int>(threadIdx.x); task < rows * (WIDTH / EIGHT); task += THREADS) {
        const int y = task % rows, x = task / rows * EIGHT;
        const double *from = tile.samples + y * PITCH + x;
        double sum[EIGHT], *to = tile.sums + y * SUMS_PITCH + x;
        sum_windows(
            job.templ_width,
            [&](int i) { return SQUARES ? xncc_product(from[i], from[i]) : from[i]; }, sum);
#pragma unroll
        for (int k = 0; k < EIGHT; k++)
            to[k] = sum[k];
    }
}

// Which of a thread's windows have samples that are equal in shared memory: bit k for window k.
__device__ __noinline__ unsigned find_equal(const FusedFloatsJob &job, const Tile &tile,
                                            const double *at)
{
    unsigned found = 0;
    int run = 0; // rows up to this one of one value
    for (int r = 0; r < SPAN + job.templ_height - 1; r++, at += PITCH) {
        int i = 1;
        while (i < job.templ_width && at[i] == at[0])
            i++;
        if (i < job.templ_width)
            run = 0;
        else
            run = run > 0 && at[0] == at[-PITCH] ? run + 1 : 1;
        if (run >= job.templ_height)
            found |= 1u << (r - job.templ_height + 1);
    }
    return found;
}

// Are all samples of window (x, y) equal?
template <xncc_pixel PIXEL>
__device__ __noinline__ bool has_equal(const FusedFloatsJob &job, int x, int y)
{
    const double first = float_sample<PIXEL>(job.image, x, y);
    for (int j = 0; j < job.templ_height; j++)
        for (int i = 0; i < job.templ_width; i++)
            if (float_sample<PIXEL>(job.image, x + i, y + j) != first)
                return false;
    return isfinite(first);
}

// The same of a window whose samples are equal in shared memory, where they are `v`. Each is within
// 2^-53 |v| of v + pivot, and two f32 as large as this are further apart; integers are, too.
template <xncc_pixel PIXEL>
__device__ bool is_flat(const FusedFloatsJob &job, int x, int y, double v, double pivot)
{
    const bool tells = PIXEL == XNCC_F32 ? fabs(v + pivot) >= 0x1p-26 * fabs(v) : PIXEL == XNCC_U32;
    return tells ? isfinite(v) : has_equal<PIXEL>(job, x, y);
}

// Whether a window whose Q is not finite has a sample that is not. Squares of finite doubles may
// overflow, those of the others may not.
template <xncc_pixel PIXEL>
__device__ __noinline__ bool has_infinite(const FusedFloatsJob &job, int x, int y)
{
    for (int j = 0; PIXEL == XNCC_F64 && j < job.templ_height; j++)
        for (int i = 0; i < job.templ_width; i++)
            if (!isfinite(float_sample<PIXEL>(job.image, x + i, y + j)))
                return true;
    return PIXEL != XNCC_F64;
}

// Bounds of the errors of a window's sums: S and X relative to the root of Q, and Q to itself.
struct Bounds {
    double S, Q, X;
};

__device__ Bounds bounds_of(const FusedFloatsJob &job, const xncc_window_templ &t)
{
    const double w = job.templ_width, h = job.templ_height;
    Bounds b;
    b.X = 0x1.04p-53 * (w * h + 3.0) * t.norm;
    b.S = 0x1.04p-53 * (w + h + 6.0) * sqrt(t.n);
    b.Q = 0x1.04p-53 * (w + h + 8.0);
    return b;
}

template <xncc_pixel PIXEL, bool NCC>
__global__ __launch_bounds__(THREADS,
                             BLOCKS) void fused_floats(const __grid_constant__ FusedFloatsJob job,
                                                       int across)
{
    extern __shared__ __align__(16) double memory[];
    const xncc_method method = NCC ? XNCC_CCOEFF_NORMED : job.method;
    const Tile tile(job, memory);
    const int x0 = static_cast<int>(blockIdx.x) % across * WIDTH,
              y0 = static_cast<int>(blockIdx.x) / across * HEIGHT,
              column = static_cast<int>(threadIdx.x) % WIDTH,
              row = static_cast<int>(threadIdx.x) / WIDTH * SPAN;
    const bool centred = xncc_method_is_centred(method);
    const double pivot = centred ? tile_pivot<PIXEL>(job, x0, y0) : job.constants->image_pivot;
    load<PIXEL>(job, tile, x0, y0, pivot);
    __syncthreads();
    const double *at = tile.samples + row * PITCH + column,
                 *sums = tile.sums + row * SUMS_PITCH + column;
    double X[SPAN], S[SPAN], part[EIGHT];
    multiply(job, tile, at, X);
    sum_rows<false>(job, tile);
    __syncthreads();
#pragma unroll
    for (int first = 0; first < SPAN; first += EIGHT) {
        sum_windows(
            job.templ_height, [&](int r) { return sums[(first + r) * SUMS_PITCH]; }, part);
#pragma unroll
        for (int k = 0; k < EIGHT; k++)
            S[first + k] = part[k];
    }
    __syncthreads();
    sum_rows<true>(job, tile);
    __syncthreads();
    const xncc_window_templ t = job.constants->templ;
    const Bounds bounds = bounds_of(job, t);
    const int x = x0 + column, y = y0 + row;
    float *map = job.map + y * job.map_pitch + x;
    unsigned doubts = 0, flat = 0; // a bit per window; flat: its variance may be 0
    xncc_window_sums s;
#pragma unroll
    for (int first = 0; first < SPAN; first += EIGHT) {
        sum_windows(
            job.templ_height, [&](int r) { return sums[(first + r) * SUMS_PITCH]; }, part);
        double most = part[0];
#pragma unroll
        for (int k = 1; k < EIGHT; k++)
            most = fmax(most, part[k]);
        const double root = 1.01 * sqrt(most + XNCC_WINDOW_TINY);
        s.error_X = bounds.X * root + XNCC_WINDOW_TINY;
        s.error_S = bounds.S * root + XNCC_WINDOW_TINY;
#pragma unroll
        for (int k = 0; k < EIGHT; k++) {
            if (x >= job.width || y + first + k >= job.height)
                continue;
            s.X = X[first + k];
            s.S = S[first + k];
            s.Q = part[k];
            s.error_Q = bounds.Q * s.Q + XNCC_WINDOW_TINY;
            float score = xncc_window_decide(method, &t, &s, job.undefined);
            if (__float_as_uint(score) == XNCC_DOUBT && !isfinite(s.Q) &&
                has_infinite<PIXEL>(job, x, y + first + k)) {
                score = xncc_float_of_bits(0x7fc00000u);
            } else if (__float_as_uint(score) == XNCC_DOUBT) {
                const xncc_bounded image = xncc_window_image(method, &t, &s);
                doubts |= 1u << (first + k);
                if (centred && !(image.error < image.value))
                    flat |= 1u << (first + k);
            }
            map[(first + k) * job.map_pitch] = score;
        }
    }
    if (flat)
        flat &= find_equal(job, tile, at);
    for (; flat; flat &= flat - 1) {
        const int k = __ffs(static_cast<int>(flat)) - 1;
        if (!is_flat<PIXEL>(job, x, y + k, at[k * PITCH], pivot))
            continue;
        map[k * job.map_pitch] = xncc_window_flat(method, job.undefined);
        doubts &= ~(1u << k);
    }
    if (!doubts)
        return;
    uint32_t to = atomicAdd(&job.constants->doubts, static_cast<uint32_t>(__popc(doubts)));
    for (; doubts; doubts &= doubts - 1, to++)
        if (to < job.room)
            job.doubts[atomicAdd(&job.constants->hard, 1u)] = FloatDoubt{
                x, y + __ffs(static_cast<int>(doubts)) - 1
            };
}

// Calls a function with a kernel of every pixel type and method.
template <class Function> void with_kernel(xncc_pixel pixel, bool ncc, const Function &function)
{
    with_float_pixel(pixel, [&](auto type) {
        if (ncc)
            function(fused_floats<type, true>);
        else
            function(fused_floats<type, false>);
    });
}

} // namespace

cudaError_t fused_floats_set_max_shared_memory(int bytes)
{
    cudaError_t code = cudaSuccess;
    const auto raise = [&](auto *kernel) {
        if (code == cudaSuccess)
            code = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    };
#define RAISE(pixel, name, type)                                                                   \
    with_kernel(pixel, true, raise);                                                               \
    with_kernel(pixel, false, raise);
    XNCC_EACH_PIXEL(RAISE)
#undef RAISE
    return code;
}

cudaError_t launch_fused_floats(const FusedFloatsJob &job, cudaStream_t stream)
{
    const int across = ceil_div(job.width, WIDTH);
    const unsigned blocks = static_cast<unsigned>(across) *
                            static_cast<unsigned>(ceil_div(job.height, HEIGHT));
    const size_t bytes = static_cast<size_t>(
        xncc_float_fused_shared(job.templ_width, job.templ_height));
    with_kernel(job.image.image.pixel, job.method == XNCC_CCOEFF_NORMED,
                [&](auto *kernel) { kernel<<<blocks, THREADS, bytes, stream>>>(job, across); });
    return cudaGetLastError();
}

} // namespace xncc
