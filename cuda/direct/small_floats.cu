// SPDX-License-Identifier: BSD-2-Clause
// Kernel `general` for floats of which all pixels count, under small templates: the sums of each
// window over the channels, and the score of math/window_bounds.h, or XNCC_DOUBT where its bounds
// leave two floats.
//
// Thread and data mapping: cuda/planes/small_windows.cuh. A block takes one channel after the
// other: it loads the template and the samples under its windows, less a pivot of its own (the mean
// of some of them) if the method is centred. The template of a centred method then becomes n t - T,
// so that the numerator is one sum over all channels. Three blocks per multiprocessor, since a
// thread keeps three sums per window. Any compute capability with the shared memory.
//
// Errors. A product takes part in at most w h additions per channel; a sample of S, and a square of
// Q, in at most w along the row and h down the column, a square in one per channel besides, and a
// sample of the template in at most 13. Samples, squares and n t - T are rounded before.
#include "cuda/direct/general.h"

#include "cuda/planes/counted_sample.cuh"
#include "cuda/planes/doubt_list.cuh"
#include "cuda/planes/float_image.cuh"
#include "cuda/planes/small_windows.cuh"
#include "cuda/runtime/warp.cuh"

#include "image/samples.h"
#include "math/method.h"
#include "math/window_bounds.h"

namespace xncc {

namespace {

constexpr int SPAN = SMALL_SPAN, BLOCKS = 3;

// Sample (x, y) of the band in a channel, as the border says.
template <xncc_pixel PIXEL>
__device__ __noinline__ double band_sample(const PixelsJob &job, int64_t x, int64_t y, int channel)
{
    return counted_sample<PIXEL>(job.image, job.border, job.channels, job.x + x, job.y + y, channel)
        .v;
}

// Whether a window reaches sample (x, y) of the band.
__device__ bool is_reached(const PixelsJob &job, int x, int y)
{
    return x < job.width + job.templ_width - 1 && y < job.rows + job.templ_height - 1;
}

// Sample (x, y) of the template in a channel.
template <xncc_pixel PIXEL>
__device__ double templ_sample(const PixelsJob &job, int x, int y, int channel)
{
    return xncc_sample_value(PIXEL, job.pixels + y * job.pitch,
                             static_cast<int64_t>(x) * job.channels + channel);
}

// Loads a channel of the template, less its pivot, and of the samples under the tile's windows.
template <xncc_pixel PIXEL>
__device__ void load(const PixelsJob &job, const SmallTile &tile, int x0, int y0, int channel,
                     double pivot)
{
    load_templ(tile, job.templ_width, [&](int x, int y) {
        return y < job.templ_height
                   ? xncc_sum(templ_sample<PIXEL>(job, x, y, channel), -job.rule.pivot[channel])
                   : 0.0;
    });
    const int64_t left = job.x + x0, top = job.y + y0;
    const bool inside = left >= 0 && top >= 0 && left + tile.columns <= job.image.width &&
                        top + tile.rows <= job.image.height;
    const unsigned char *first = static_cast<const unsigned char *>(job.image.data) +
                                 (inside ? top : 0) * job.image.pitch;
    load_samples(
        tile, inside, pivot,
        [&](int x, int y) {
            return reinterpret_cast<const FloatSample<PIXEL> *>(
                first + y * job.image.pitch)[(left + x) * job.channels + channel];
        },
        [&](int x, int y) {
            return is_reached(job, x0 + x, y0 + y)
                       ? xncc_sum(band_sample<PIXEL>(job, x0 + x, y0 + y, channel), -pivot)
                       : 0.0;
        });
}

// The sums of the template and of its squares. All threads get the same.
__device__ double2 sum_templ(const SmallTile &tile, int templ_width)
{
    double2 sums = {};
    for (int i = static_cast<int>(threadIdx.x) % WARP_LANES; i < tile.stride * templ_width;
         i += WARP_LANES) {
        const double t = tile.templ[i];
        sums.x += t;
        sums.y = fma(t, t, sums.y);
    }
    return make_double2(warp_sum(sums.x), warp_sum(sums.y));
}

// Sums of a thread's windows.
struct Sums {
    double numerator[SPAN], SS[SPAN], Q[SPAN];
};

// Adds a channel, whose samples and template are in the tile, to the sums and to the template's.
// at: the thread's first sample; sums: its first sum along the rows.
template <bool CENTRED>
__device__ __forceinline__ void add_channel(const PixelsJob &job, const SmallTile &tile,
                                            const double *at, const double *sums,
                                            xncc_window_templ *t, Sums *to)
{
    const double2 templ = sum_templ(tile, job.templ_width);
    double part[EIGHT];
    xncc_channel_add_templ(t, job.method, templ.x, templ.y);
    if constexpr (CENTRED) {
        sum_rows<false>(tile, job.templ_width, job.templ_height);
        __syncthreads();
        for (int i = static_cast<int>(threadIdx.x); i < tile.stride * job.templ_width;
             i += SMALL_THREADS)
            if (i % tile.stride < job.templ_height)
                tile.templ[i] = fma(t->n, tile.templ[i], -templ.x);
#pragma unroll
        for (int first = 0; first < SPAN; first += EIGHT) {
            sum_windows(
                job.templ_height, [&](int r) { return sums[(first + r) * tile.SUMS_PITCH]; }, part);
#pragma unroll
            for (int k = 0; k < EIGHT; k++)
                to->SS[first + k] += part[k] * part[k];
        }
        __syncthreads();
    }
    multiply(tile, job.templ_width, at, to->numerator);
    sum_rows<true>(tile, job.templ_width, job.templ_height);
    __syncthreads();
#pragma unroll
    for (int first = 0; first < SPAN; first += EIGHT) {
        sum_windows(
            job.templ_height, [&](int r) { return sums[(first + r) * tile.SUMS_PITCH]; }, part);
#pragma unroll
        for (int k = 0; k < EIGHT; k++)
            to->Q[first + k] += part[k];
    }
}

// Looks whether the template decides the scores, if its sums are unusual. All threads call it.
template <xncc_pixel PIXEL>
__device__ void look_at_templ(const PixelsJob &job, xncc_window_templ *t)
{
    int bad = 0, differs = 0;
    if (isfinite(t->T2) && isfinite(t->over_root))
        return;
    for (int i = static_cast<int>(threadIdx.x); i < job.templ_width * job.templ_height;
         i += SMALL_THREADS)
        for (int channel = 0; channel < job.channels; channel++) {
            const double v = templ_sample<PIXEL>(job, i % job.templ_width, i / job.templ_width,
                                                 channel);
            bad |= !isfinite(v);
            differs |= v != templ_sample<PIXEL>(job, 0, 0, channel);
        }
    t->bad = __syncthreads_or(bad);
    t->flat = !__syncthreads_or(differs);
}

// Whether a sample of window (x, y), whose Q is not finite, is not. Squares of finite doubles may
// overflow, those of f32 may not.
template <xncc_pixel PIXEL>
__device__ __noinline__ bool is_infinite(const PixelsJob &job, int x, int y)
{
    bool infinite = PIXEL != XNCC_F64;
    for (int channel = 0; channel < job.channels && !infinite; channel++)
        infinite = has_infinite(job.templ_width, job.templ_height, [&](int i, int j) {
            return band_sample<PIXEL>(job, x + i, y + j, channel);
        });
    return infinite;
}

// Whether all samples of window (x, y) are equal, in each channel. ZERO: and 0.
template <xncc_pixel PIXEL, bool ZERO>
__device__ __noinline__ bool is_flat(const PixelsJob &job, int x, int y)
{
    bool equal = true;
    for (int channel = 0; channel < job.channels && equal; channel++) {
        const auto sample = [&](int i, int j) {
            return band_sample<PIXEL>(job, x + i, y + j, channel);
        };
        equal = (!ZERO || sample(0, 0) == 0.0) &&
                has_equal(job.templ_width, job.templ_height, sample);
    }
    return equal;
}

// Whether the numerator of a centred method is 0 in window (x, y), since in each channel the
// samples of the window or those of the template are all equal.
template <xncc_pixel PIXEL> __device__ bool is_orthogonal(const PixelsJob &job, int x, int y)
{
    for (int channel = 0; channel < job.channels; channel++)
        if (!has_equal(
                job.templ_width, job.templ_height,
                [&](int i, int j) { return band_sample<PIXEL>(job, x + i, y + j, channel); }) &&
            !has_equal(job.templ_width, job.templ_height,
                       [&](int i, int j) { return templ_sample<PIXEL>(job, i, j, channel); }))
            return false;
    return true;
}

// The score of window (x, y), which its sums leave in doubt, or XNCC_DOUBT. finite: its Q is;
// small: its image term, or Q, may be 0; flat: the template is; T2: of the template. Samples below
// a window, which rows of zeros meet that the template is padded with, may have spoilt its
// numerator, if they are not finite.
template <xncc_pixel PIXEL, bool CENTRED>
__device__ __noinline__ float look_again(const PixelsJob &job, int x, int y, bool finite,
                                         bool small, bool flat, double T2)
{
    if (!finite)
        return xncc_float_of_bits(is_infinite<PIXEL>(job, x, y) ? UINT32_C(0x7fc00000)
                                                                : XNCC_DOUBT);
    if (CENTRED && flat)
        return xncc_window_flat(job.method, job.rule.undefined);
    if (small && is_flat<PIXEL, !CENTRED>(job, x, y))
        return CENTRED ? xncc_window_flat(job.method, job.rule.undefined)
                       : xncc_window_of_zeros(job.method, T2, &job.rule);
    return CENTRED && is_orthogonal<PIXEL>(job, x, y) ? 0.0f : xncc_float_of_bits(XNCC_DOUBT);
}

template <xncc_pixel PIXEL, bool CENTRED>
__global__ __launch_bounds__(SMALL_THREADS,
                             BLOCKS) void match_small(const __grid_constant__ PixelsJob job,
                                                      int across)
{
    extern __shared__ __align__(16) double memory[];
    const SmallTile tile(job.templ_width, job.templ_height, memory);
    const int x0 = static_cast<int>(blockIdx.x) % across * SMALL_WIDTH,
              y0 = static_cast<int>(blockIdx.x) / across * SMALL_HEIGHT,
              column = static_cast<int>(threadIdx.x) % SMALL_WIDTH,
              row = static_cast<int>(threadIdx.x) / SMALL_WIDTH * SPAN;
    const double *at = tile.samples + row * tile.PITCH + column,
                 *sums = tile.sums + row * tile.SUMS_PITCH + column;
    Sums all = {};
    xncc_window_templ t = {};
    t.n = static_cast<double>(job.rule.whole);
    for (int channel = 0; channel < job.channels; channel++) {
        __syncthreads(); // the samples and sums of the channel before have been read
        const double pivot = CENTRED ? small_pivot([&](int x, int y) {
            return is_reached(job, x0 + x, y0 + y)
                       ? band_sample<PIXEL>(job, x0 + x, y0 + y, channel)
                       : INFINITY;
        })
                                     : job.rule.pivot[channel];
        load<PIXEL>(job, tile, x0, y0, channel, pivot);
        __syncthreads();
        add_channel<CENTRED>(job, tile, at, sums, &t, &all);
    }
    const double w = job.templ_width, h = job.templ_height, rounds = 16.0 + job.channels;
    const xncc_channel_errors errors = { 0x1.04p-53 * (w + h + rounds),
                                         0x1.04p-53 * (w * h * job.channels + rounds) };
    xncc_channel_finish_templ(&t, job.method, errors);
    look_at_templ<PIXEL>(job, &t);
    float from_count;
    const bool counts = xncc_general_score_from_count(job.method, &job.rule, job.rule.whole,
                                                      &from_count);
    const int x = x0 + column, y = y0 + row;
    unsigned doubts = 0, finite = 0, small = 0; // a bit per window
#pragma unroll
    for (int k = 0; k < SPAN; k++) {
        if (x >= job.width || y + k >= job.rows)
            continue;
        const xncc_channel_sums s = { all.numerator[k], all.SS[k], all.Q[k] };
        const float score = xncc_channel_decide(job.method, &t, &s, errors, job.rule.undefined);
        job.map[(y + k) * job.map_pitch + x] = counts ? from_count : score;
        if (__float_as_uint(score) != XNCC_DOUBT || counts)
            continue;
        const xncc_bounded image = xncc_channel_image(job.method, &t, &s, errors);
        doubts |= 1u << k;
        finite |= isfinite(s.Q) ? 1u << k : 0u;
        small |= (CENTRED ? !(image.error < image.value) : s.Q == 0.0) ? 1u << k : 0u;
    }
    uint32_t left = 0;
    for (; doubts; doubts &= doubts - 1) {
        const int k = __ffs(static_cast<int>(doubts)) - 1;
        const float score = look_again<PIXEL, CENTRED>(job, x, y + k, finite >> k & 1u,
                                                       small >> k & 1u, t.flat != 0, t.T2);
        job.map[(y + k) * job.map_pitch + x] = score;
        left += __float_as_uint(score) == XNCC_DOUBT;
    }
    count_doubts(job.in_doubt, left);
}

struct Kernels {
    template <xncc_pixel PIXEL, bool CENTRED> static auto of()
    {
        return match_small<PIXEL, CENTRED>;
    }
};

} // namespace

cudaError_t small_floats_set_max_shared_memory(int bytes)
{
    return raise_small_kernels<Kernels>(bytes);
}

cudaError_t launch_small_floats(const PixelsJob &job, cudaStream_t stream)
{
    return launch_small<Kernels>(job, { job.image.pixel, xncc_method_is_centred(job.method) != 0,
                                        job.width, job.rows, job.shared_bytes, stream });
}

} // namespace xncc
