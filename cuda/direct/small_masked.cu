// SPDX-License-Identifier: BSD-2-Clause
// Kernel `general` for floats and u32 with one channel, under small templates of which all pixels
// count, if pixels of the image do not: the sums of each window over those that do, and the score
// of math/sum_bounds.h, or XNCC_DOUBT where its bounds leave two floats.
//
// Thread and data mapping: cuda/planes/small_windows.cuh. A block loads the samples under its
// windows, less a pivot of its own if the method is centred, else less the template's, and 0 where
// a pixel does not count; and a bit per pixel that counts. X is the product of samples and
// template. T and T2 are products of the bits with the template and with its squares: a thread has
// the bits of its rows in registers.
// Three blocks per multiprocessor. Any compute capability with the shared memory.
//
// Errors. With w and h of the template: a product takes part in at most w h additions, a sample of
// S, and a square of Q, in at most w along the row and h down the column. Samples, the template's
// samples and squares are rounded before.
#include "cuda/direct/general.h"

#include "cuda/planes/counted_sample.cuh"
#include "cuda/planes/doubt_list.cuh"
#include "cuda/planes/float_image.cuh"
#include "cuda/planes/small_windows.cuh"
#include "cuda/runtime/warp.cuh"

#include "image/samples.h"
#include "math/method.h"
#include "math/sum_bounds.h"

namespace xncc {

namespace {

constexpr int SPAN = SMALL_SPAN, BLOCKS = 3;
constexpr double UNIT = 0x1.04p-53;

// The shared memory of a block: xncc_small_floats_shared bytes.
struct MaskedTile {
    SmallTile of;    // the samples, and sums of them
    double *squares; // of the template, as its samples are
    double *sums_of_squares;
    uint64_t *counts; // a bit per pixel that counts, row by row

    __device__ MaskedTile(int templ_width, int templ_height, double *memory)
        : of(templ_width, templ_height, memory)
    {
        sums_of_squares = of.sums + of.rows * SmallTile::SUMS_PITCH;
        squares = sums_of_squares + of.rows * SmallTile::SUMS_PITCH;
        counts = reinterpret_cast<uint64_t *>(squares + of.stride * templ_width);
    }
};

// Pixel (x, y) of the band.
template <xncc_pixel PIXEL> __device__ Counted pixel_at(const PixelsJob &job, int64_t x, int64_t y)
{
    return counted_sample<PIXEL>(job.image, job.border, 1, job.x + x, job.y + y, 0);
}

// The same; a pixel that no window of the band reaches does not count.
template <xncc_pixel PIXEL>
__device__ __noinline__ Counted reached_pixel(const PixelsJob &job, int x, int y)
{
    return x < job.width + job.templ_width - 1 && y < job.rows + job.templ_height - 1
               ? pixel_at<PIXEL>(job, x, y)
               : Counted{ false, 0.0 };
}

// Sample (x, y) of the template, less the pivot; 0 behind its last row.
template <xncc_pixel PIXEL> __device__ double templ_sample(const PixelsJob &job, int x, int y)
{
    return y < job.templ_height ? xncc_sum(xncc_sample_value(PIXEL, job.pixels + y * job.pitch, x),
                                           -job.rule.pivot[0])
                                : 0.0;
}

template <xncc_pixel PIXEL>
__device__ void load(const PixelsJob &job, const MaskedTile &tile, int x0, int y0, double pivot)
{
    const int lane = static_cast<int>(threadIdx.x) % WARP_LANES, other = lane + WARP_LANES;
    load_templ(tile.of, job.templ_width,
               [&](int x, int y) { return templ_sample<PIXEL>(job, x, y); });
    for (int i = static_cast<int>(threadIdx.x); i < tile.of.stride * job.templ_width;
         i += SMALL_THREADS) {
        const double t = tile.of.templ[i]; // which the thread has loaded itself
        tile.squares[i] = xncc_product(t, t);
    }
    for (int y = static_cast<int>(threadIdx.x) / WARP_LANES; y < tile.of.rows; y += SMALL_WARPS) {
        const Counted first = reached_pixel<PIXEL>(job, x0 + lane, y0 + y),
                      second = other < tile.of.columns
                                   ? reached_pixel<PIXEL>(job, x0 + other, y0 + y)
                                   : Counted{ false, 0.0 };
        double *row = tile.of.samples + y * SmallTile::PITCH;
        row[lane] = first.counts ? xncc_sum(first.v, -pivot) : 0.0;
        if (other < tile.of.columns)
            row[other] = second.counts ? xncc_sum(second.v, -pivot) : 0.0;
        const unsigned low = __ballot_sync(WARP_ALL, first.counts),
                       high = __ballot_sync(WARP_ALL, second.counts);
        if (lane == 0)
            tile.counts[y] = uint64_t{ high } << 32 | low;
    }
}

// Adds up T and T2 of a thread's windows. row, column: of the first one in the tile.
__device__ __forceinline__ void multiply_counts(const MaskedTile &tile, int templ_width, int row,
                                                int column, double (&T)[SPAN], double (&T2)[SPAN])
{
    constexpr int DOWN = SPAN + SMALL_ROWS - 1;
    for (int part = 0; part < tile.of.stride; part += SMALL_ROWS) {
        uint32_t bits[(DOWN + 1) / 2]; // of two rows each: of the columns that windows reach
#pragma unroll
        for (int r = 0; r < (DOWN + 1) / 2; r++) {
            const uint64_t *at = tile.counts + row + part + 2 * r;
            const uint32_t next = 2 * r + 1 < DOWN ? static_cast<uint32_t>(at[1] >> column) : 0u;
            bits[r] = (static_cast<uint32_t>(at[0] >> column) & 0xffffu) | next << 16;
        }
        const double *templ = tile.of.templ + part, *squares = tile.squares + part;
#pragma unroll 1
        for (int i = 0; i < templ_width; i++, templ += tile.of.stride, squares += tile.of.stride) {
            double t[SMALL_ROWS], square[SMALL_ROWS];
#pragma unroll
            for (int j = 0; j < SMALL_ROWS; j++) {
                t[j] = templ[j];
                square[j] = squares[j];
            }
#pragma unroll
            for (int r = 0; r < DOWN; r++) {
                const bool on = bits[r / 2] >> (i + r % 2 * 16) & 1u;
                const double count = __hiloint2double(on ? 0x3ff00000 : 0, 0);
#pragma unroll
                for (int j = 0; j < SMALL_ROWS; j++)
                    if (r - j >= 0 && r - j < SPAN) {
                        T[r - j] = fma(count, t[j], T[r - j]);
                        T2[r - j] = fma(count, square[j], T2[r - j]);
                    }
            }
        }
    }
}

// What is known of the template: the root of the sum of its squares, at least; and whether all of
// its samples are equal.
struct Templ {
    double norm;
    bool flat;
};

template <xncc_pixel PIXEL>
__device__ Templ look_at_templ(const PixelsJob &job, const MaskedTile &tile)
{
    double sum = 0.0;
    bool differs = false;
    const auto raw = [&](int x, int y) {
        return xncc_sample_value(PIXEL, job.pixels + y * job.pitch, x);
    };
    const double first = raw(0, 0);
    for (int i = static_cast<int>(threadIdx.x) % WARP_LANES; i < tile.of.stride * job.templ_width;
         i += WARP_LANES) {
        sum += tile.squares[i];
        differs |= i % tile.of.stride < job.templ_height &&
                   raw(i / tile.of.stride, i % tile.of.stride) != first;
    }
    sum = warp_sum(sum);
    return { 1.01 * sqrt(sum + XNCC_WINDOW_TINY), !__any_sync(WARP_ALL, differs) };
}

// The sums of a window.
struct WindowSums {
    double n, X, S, Q, T, T2;
};

// The arguments of the formula with their bounds.
__device__ xncc_bounded_terms terms_of(const PixelsJob &job, const WindowSums &s, double norm)
{
    const double along = UNIT * (job.templ_width + job.templ_height + 4.0),
                 all = UNIT * (static_cast<double>(job.templ_width) * job.templ_height + 4.0),
                 size = xncc_bound_root(1.01 * s.Q + XNCC_WINDOW_TINY),
                 count = xncc_bound_root(s.n + XNCC_WINDOW_TINY);
    const xncc_bounded X = { s.X, 1.01 * all * size * norm + XNCC_WINDOW_TINY },
                       Q = { s.Q, 1.01 * along * s.Q + XNCC_WINDOW_TINY },
                       T2 = { s.T2, 1.01 * all * s.T2 + XNCC_WINDOW_TINY };
    xncc_bounded_terms terms = xncc_sum_bounds_begin(job.method, s.n, X, Q, T2);
    if (xncc_method_is_centred(job.method)) {
        const xncc_bounded S = { s.S, 1.01 * along * size * count + XNCC_WINDOW_TINY },
                           T = { s.T, 1.01 * all * count * norm + XNCC_WINDOW_TINY };
        xncc_sum_bounds_centre(&terms, S, T);
        xncc_sum_bounds_centre_square(&terms.templ, T);
    }
    return terms;
}

// The score of window (x, y), which its sums leave in doubt, if its samples are equal or one is not
// finite; else XNCC_DOUBT.
template <xncc_pixel PIXEL, bool CENTRED>
__device__ __noinline__ float look_again(const PixelsJob &job, int x, int y)
{
    bool any = false, flat = CENTRED;
    double first = 0.0;
    for (int j = 0; j < job.templ_height; j++)
        for (int i = 0; i < job.templ_width; i++) {
            const Counted pixel = pixel_at<PIXEL>(job, x + i, y + j);
            if (!pixel.counts)
                continue;
            if (!isfinite(pixel.v))
                return xncc_float_of_bits(UINT32_C(0x7fc00000));
            first = any ? first : pixel.v;
            any = true;
            flat = flat && pixel.v == first;
        }
    return flat ? xncc_window_flat(job.method, job.rule.undefined) : xncc_float_of_bits(XNCC_DOUBT);
}

template <xncc_pixel PIXEL, bool CENTRED>
__global__ __launch_bounds__(SMALL_THREADS,
                             BLOCKS) void match_masked(const __grid_constant__ PixelsJob job,
                                                       int across)
{
    extern __shared__ __align__(16) double memory[];
    const MaskedTile tile(job.templ_width, job.templ_height, memory);
    const int x0 = static_cast<int>(blockIdx.x) % across * SMALL_WIDTH,
              y0 = static_cast<int>(blockIdx.x) / across * SMALL_HEIGHT,
              column = static_cast<int>(threadIdx.x) % SMALL_WIDTH,
              row = static_cast<int>(threadIdx.x) / SMALL_WIDTH * SPAN;
    const double pivot = CENTRED ? small_pivot([&](int x, int y) {
        const Counted pixel = reached_pixel<PIXEL>(job, x0 + x, y0 + y);
        return pixel.counts ? pixel.v : INFINITY;
    })
                                 : job.rule.pivot[0];
    load<PIXEL>(job, tile, x0, y0, pivot);
    __syncthreads();
    double X[SPAN] = {}, T[SPAN] = {}, T2[SPAN] = {};
    const Templ templ = look_at_templ<PIXEL>(job, tile);
    multiply(tile.of, job.templ_width, tile.of.samples + row * SmallTile::PITCH + column, X);
    multiply_counts(tile, job.templ_width, row, column, T, T2);
    SmallTile squares = tile.of;
    squares.sums = tile.sums_of_squares;
    sum_rows<false>(tile.of, job.templ_width, job.templ_height);
    sum_rows<true>(squares, job.templ_width, job.templ_height);
    __syncthreads();
    const int x = x0 + column, y = y0 + row, at = row * SmallTile::SUMS_PITCH + column;
    const uint32_t wanted = (1u << job.templ_width) - 1u;
    const auto count_of = [&](int r) {
        return __popc(static_cast<uint32_t>(tile.counts[row + r] >> column) & wanted);
    };
    int n = 0;
    for (int r = 0; r < job.templ_height; r++)
        n += count_of(r);
    unsigned doubts = 0, looks = 0; // a bit per window: in doubt; its samples may tell its score
#pragma unroll
    for (int first = 0; first < SPAN; first += EIGHT) {
        double S[EIGHT], Q[EIGHT];
        const auto sum = [&](const double *sums, double(&part)[EIGHT]) {
            sum_windows(
                job.templ_height,
                [&](int r) { return sums[at + (first + r) * SmallTile::SUMS_PITCH]; }, part);
        };
        sum(tile.of.sums, S);
        sum(tile.sums_of_squares, Q);
#pragma unroll
        for (int k = 0; k < EIGHT; k++) {
            const int i = first + k;
            const WindowSums sums = { static_cast<double>(n), X[i], S[k], Q[k], T[i], T2[i] };
            float score;
            if (!xncc_general_score_from_count(job.method, &job.rule, static_cast<uint64_t>(n),
                                               &score)) {
                const xncc_bounded_terms terms = terms_of(job, sums, templ.norm);
                score = CENTRED && templ.flat && isfinite(Q[k])
                            ? xncc_window_flat(job.method, job.rule.undefined)
                            : xncc_bounded_score(job.method, sums.n, &terms);
                const bool may_be_flat = CENTRED && !(terms.image.error < terms.image.value);
                looks |= may_be_flat || !isfinite(Q[k]) ? 1u << i : 0u;
            }
            if (x < job.width && y + i < job.rows) {
                job.map[(y + i) * job.map_pitch + x] = score;
                doubts |= __float_as_uint(score) == XNCC_DOUBT ? 1u << i : 0u;
            }
            n += (i + job.templ_height < tile.of.rows - row ? count_of(i + job.templ_height) : 0) -
                 count_of(i);
        }
    }
    uint32_t left = static_cast<uint32_t>(__popc(doubts & ~looks));
    for (doubts &= looks; doubts; doubts &= doubts - 1) {
        const int i = __ffs(static_cast<int>(doubts)) - 1;
        const float score = look_again<PIXEL, CENTRED>(job, x, y + i);
        job.map[(y + i) * job.map_pitch + x] = score;
        left += __float_as_uint(score) == XNCC_DOUBT;
    }
    count_doubts(job.in_doubt, left);
}

struct Kernels {
    template <xncc_pixel PIXEL, bool CENTRED> static auto of()
    {
        return match_masked<PIXEL, CENTRED>;
    }
};

} // namespace

cudaError_t small_masked_set_max_shared_memory(int bytes)
{
    return raise_small_kernels<Kernels>(bytes);
}

cudaError_t launch_small_masked(const PixelsJob &job, cudaStream_t stream)
{
    return launch_small<Kernels>(job, { job.image.pixel, xncc_method_is_centred(job.method) != 0,
                                        job.width, job.rows, job.shared_bytes, stream });
}

} // namespace xncc
