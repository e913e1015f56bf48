// SPDX-License-Identifier: BSD-2-Clause
// The planes of float_planes.h. The terms of a channel of the template are one block of 1024
// threads, the pivot of a channel of the image another one; planes have a thread per column, for
// some rows of it. Any compute capability.
#include "cuda/planes/float_planes.h"

#include "cuda/planes/float_image.cuh"
#include "cuda/planes/float_terms.cuh"
#include "cuda/planes/plane_samples.cuh"
#include "cuda/runtime/warp.cuh"
#include "math/method.h"
#include "math/sum_bounds.h"

namespace xncc {

namespace {

constexpr int THREADS = 256, ROWS = 8; // of a plane: threads per block, and rows of a thread
constexpr int BATCH = 4; // samples of the template whose loads are in flight at a time

// Sample i of the template, which has fewer than 2^32, in a channel, less the pivot.
template <xncc_pixel PIXEL>
__device__ __forceinline__ TemplSample templ_at(const FloatSource &of, int64_t i, int channel)
{
    const uint32_t at = static_cast<uint32_t>(i), width = static_cast<uint32_t>(of.templ.width);
    return templ_at<PIXEL>(of, at % width, at / width, channel);
}

__device__ __forceinline__ double in_plane(const Counted &of, FloatPlane plane)
{
    return !of.counts                    ? 0.0
           : plane == FloatPlane::COUNT  ? 1.0
           : plane == FloatPlane::SQUARE ? xncc_product(of.v, of.v)
                                         : of.v;
}

__device__ int64_t pixels_of(const FloatSource &of)
{
    return static_cast<int64_t>(of.templ.width) * of.templ.height;
}

// The first pixel of the template that counts.
__device__ int64_t first_pixel(const FloatSource &of)
{
    __shared__ int first;
    if (threadIdx.x == 0)
        first = INT32_MAX;
    __syncthreads();
    for (int64_t i = threadIdx.x; i < pixels_of(of) && of.mask; i += TERM_THREADS)
        if (of.mask[i]) {
            atomicMin(&first, static_cast<int>(i));
            break;
        }
    __syncthreads();
    return of.mask && first < INT32_MAX ? first : 0;
}

// The terms of the template: a block has a channel.
template <xncc_pixel PIXEL>
__global__ __launch_bounds__(TERM_THREADS) void templ_terms(const __grid_constant__ FloatSource of,
                                                            FloatTerms *to)
{
    __shared__ xncc_twofold room[TERM_WARPS];
    const int channel = static_cast<int>(blockIdx.x);
    const int64_t count = pixels_of(of), first = first_pixel(of);
    const double one = templ_at<PIXEL>(of, first, channel).v;
    xncc_twofold T = {}, T2 = {}, T4 = {};
    bool differs = false;
    for (int64_t i = threadIdx.x; i < count; i += BATCH * TERM_THREADS) {
        TemplSample t[BATCH];
#pragma unroll
        for (int k = 0; k < BATCH; k++) {
            const int64_t at = i + k * TERM_THREADS;
            t[k] = at < count ? templ_at<PIXEL>(of, at, channel) : TemplSample{};
        }
#pragma unroll
        for (int k = 0; k < BATCH; k++) {
            if (!t[k].counts)
                continue;
            const double v = t[k].v;
            xncc_twofold_put(&T, v);
            T.low += t[k].lost;
            xncc_twofold_put_product(&T2, v, v);
            T4.high += v * v * (v * v);
            differs |= v != one;
        }
    }
    T = block_sum(T, room);
    T2 = block_sum(T2, room);
    T4 = block_sum(T4, room);
    const bool any_differs = __syncthreads_or(differs) != 0;
    if (threadIdx.x)
        return;
    const TermErrors errors = term_errors(static_cast<double>(of.whole), T2.high);
    FloatTerms::Channel *own = to->templ + channel;
    own->T = { T.high, 0x1.04p-53 * fabs(T.high) + errors.lost_of_T + XNCC_WINDOW_TINY };
    own->T2 = { T2.high, errors.T2 };
    own->norm = 1.01 * sqrt(T2.high + errors.T2);
    own->norm_of_square = 1.01 * sqrt(T4.high) + XNCC_WINDOW_TINY;
    own->differs = any_differs;
}

// What all channels of the template have together.
__device__ void add_channels(int channels, FloatTerms *to)
{
    xncc_bounded T2 = {};
    double squares = 0.0;
    bool differs = false;
    for (int c = 0; c < channels; c++) {
        const FloatTerms::Channel &own = to->templ[c];
        xncc_sum_bounds_put(&T2, own.T2.value, own.T2.error);
        squares += own.norm_of_square;
        differs |= own.differs;
    }
    to->T2 = T2;
    to->norm_of_all = 1.01 * sqrt(T2.value + T2.error);
    to->norm_of_squares = squares;
    to->differs = differs;
}

// The pivots of the image, and how large samples less the pivot usually are, from samples that are
// spread over the band. Unless the method is centred, pivots are the template's. A block has a
// channel; the first one also makes the terms of all channels of the template.
template <xncc_pixel PIXEL>
__global__ __launch_bounds__(TERM_THREADS) void image_pivots(const __grid_constant__ FloatSource of,
                                                             FloatTerms *to)
{
    const int channel = static_cast<int>(blockIdx.x);
    if (channel == 0 && threadIdx.x == 0)
        add_channels(of.channels, to);
    double v[TERM_EACH], sum = 0.0, count = 0.0;
    for (int k = 0; k < TERM_EACH; k++) {
        const longlong2 at = spread_sample(k, of.columns, of.rows);
        const Counted s = counted_sample<PIXEL>(of.image, of.border, of.channels, at.x + of.x,
                                                at.y + of.y, channel);
        v[k] = s.counts ? s.v : NAN;
        if (isfinite(v[k])) {
            sum += v[k];
            count += 1.0;
        }
    }
    double pivot = of.pivot[channel];
    if (xncc_method_is_centred(of.method)) {
        const double middle = middle_of(warp_mean(sum, count));
        pivot = fabs(middle) <= LARGEST_PIVOT ? middle : pivot;
    }
    double square = 0.0;
    for (double one : v)
        if (isfinite(one))
            square += (one - pivot) * (one - pivot);
    const double usual = sqrt(middle_of(warp_mean(square, count)));
    if (threadIdx.x)
        return;
    to->image_pivot[channel] = pivot;
    to->limit[channel] = usual > 0.0 ? FAR * usual : INFINITY;
}

template <xncc_pixel PIXEL>
__global__ __launch_bounds__(THREADS) void templ_plane(const __grid_constant__ FloatSource of,
                                                       FloatPlane plane, int channel, bool together,
                                                       const FloatTerms *terms, double *samples,
                                                       FloatConstants *to)
{
    const int64_t i = int64_t{ blockIdx.x } * THREADS + threadIdx.x;
    if (i < pixels_of(of))
        samples[i] = in_plane(templ_at<PIXEL>(of, i, channel), plane);
    if (i)
        return;
    *to = {};
    to->samples = samples;
    to->limit = ALL_FINITE;
    to->templ.n = static_cast<double>(pixels_of(of)) * (together ? of.channels : 1);
    to->templ.norm = together                      ? terms->norm_of_all
                     : plane == FloatPlane::COUNT  ? 1.01 * sqrt(static_cast<double>(of.whole))
                     : plane == FloatPlane::SQUARE ? terms->templ[channel].norm_of_square
                                                   : terms->templ[channel].norm;
}

// Puts a sample on a list, if it has room.
__device__ void list_sample(SampleAt *list, uint32_t room, uint32_t *count, int x, int64_t y)
{
    const uint32_t at = atomicAdd(count, 1u);
    if (at < room)
        list[at] = SampleAt{ x, static_cast<int32_t>(y) };
}

template <xncc_pixel PIXEL>
__global__ __launch_bounds__(THREADS) void image_plane(const __grid_constant__ FloatSource of,
                                                       FloatPlane plane, int first, int count,
                                                       FloatTerms *terms, double *to, int64_t step,
                                                       int64_t pitch)
{
    // thread blocks that read the same samples are adjacent
    const int number = static_cast<int>(blockIdx.x) % count, channel = first + number,
              x = static_cast<int>(blockIdx.x) / count * THREADS + static_cast<int>(threadIdx.x);
    to += number * step;
    const bool lists = plane == FloatPlane::VALUE;
    // of plane SQUARE, the far samples are known
    const double pivot = terms->image_pivot[channel],
                 limit = lists || terms->far_samples[channel] <= MOST_FAR ? terms->limit[channel]
                                                                          : INFINITY;
    double largest = 0.0;
    const auto put = [&](int64_t y, Counted s) {
        s.v = xncc_sum(s.v, -pivot);
        const bool bad = !isfinite(s.v), far = fabs(s.v) > limit;
        if (s.counts && (bad || far) && lists) {
            if (bad)
                list_sample(terms->bad_at, XNCC_FLOAT_BAD, &terms->bad_samples, x, y);
            else
                list_sample(terms->far_at[channel], MOST_FAR, terms->far_samples + channel, x, y);
        }
        if (bad || (far && !lists))
            s.v = 0.0;
        const double v = in_plane(s, plane);
        to[y * pitch + x] = v;
        largest = fmax(largest, fabs(v));
    };
    for (int64_t y0 = int64_t{ blockIdx.y } * ROWS; x < of.columns && y0 < of.rows;
         y0 += int64_t{ gridDim.y } * ROWS) {
        const int64_t left = x + of.x, top = y0 + of.y;
        const bool inside = left >= 0 && left < of.image.width && top >= 0 &&
                            top + ROWS <= of.image.height && y0 + ROWS <= of.rows;
        if (inside) {
#pragma unroll
            for (int k = 0; k < ROWS; k++)
                put(y0 + k, inner_sample<PIXEL>(of.image, of.channels, left, top + k, channel));
        } else {
            for (int64_t y = y0; y < min(y0 + ROWS, int64_t{ of.rows }); y++)
                put(y, counted_sample<PIXEL>(of.image, of.border, of.channels, left, y + of.y,
                                             channel));
        }
    }
    uint32_t most = __float_as_uint(__double2float_ru(largest));
    most = warp_max(most);
    if (lists && threadIdx.x % WARP_LANES == 0 && most > __ldcg(&terms->largest))
        atomicMax(&terms->largest, most);
}

// Takes the far samples of channels out of their planes VALUE. A block for each.
__global__ void leave_far(const FloatTerms *terms, int first, double *to, int64_t step,
                          int64_t pitch)
{
    const int number = static_cast<int>(blockIdx.x), channel = first + number;
    to += number * step;
    const uint32_t count = terms->far_samples[channel];
    for (uint32_t i = threadIdx.x; i < count && count <= MOST_FAR; i += blockDim.x)
        to[terms->far_at[channel][i].y * pitch + terms->far_at[channel][i].x] = 0.0;
}

} // namespace

cudaError_t launch_float_source_terms(const FloatSource &of, FloatTerms *to, cudaStream_t stream)
{
    with_float_pixel(of.image.pixel, [&](auto type) {
        templ_terms<type><<<static_cast<unsigned>(of.channels), TERM_THREADS, 0, stream>>>(of, to);
        image_pivots<type><<<static_cast<unsigned>(of.channels), TERM_THREADS, 0, stream>>>(of, to);
    });
    return cudaGetLastError();
}

cudaError_t launch_float_template_plane(const FloatSource &of, FloatPlane plane, int channel,
                                        bool together, const FloatTerms *terms, double *samples,
                                        FloatConstants *to, cudaStream_t stream)
{
    const int64_t pixels = static_cast<int64_t>(of.templ.width) * of.templ.height;
    with_float_pixel(of.image.pixel, [&](auto type) {
        templ_plane<type><<<make_grid(ceil_div<int64_t>(pixels, THREADS)), THREADS, 0, stream>>>(
            of, plane, channel, together, terms, samples, to);
    });
    return cudaGetLastError();
}

cudaError_t launch_float_image_planes(const FloatSource &of, FloatPlane plane, int first, int count,
                                      FloatTerms *terms, double *to, int64_t step, int64_t pitch,
                                      cudaStream_t stream)
{
    const int strips = ceil_div(of.rows, ROWS);
    const dim3 grid = make_grid(int64_t{ count } * ceil_div(of.columns, THREADS),
                                strips < UINT16_MAX ? strips : UINT16_MAX);
    with_float_pixel(of.image.pixel, [&](auto type) {
        image_plane<type>
            <<<grid, THREADS, 0, stream>>>(of, plane, first, count, terms, to, step, pitch);
    });
    if (plane == FloatPlane::VALUE)
        leave_far<<<static_cast<unsigned>(count), MOST_FAR, 0, stream>>>(terms, first, to, step,
                                                                         pitch);
    return cudaGetLastError();
}

} // namespace xncc
