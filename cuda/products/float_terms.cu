// SPDX-License-Identifier: BSD-2-Clause
// The constants of float_terms.h: template_terms is one block of 1024 threads, image_pivot another.
// Shared memory: at most 16 KB. Any compute capability.
#include "cuda/products/float_terms.h"

#include "cuda/planes/float_image.cuh"

namespace xncc {

namespace {

constexpr int TERM_THREADS = 1024;
constexpr int PIVOT_THREADS = 1024;
constexpr int PIVOT_SIDE = 64; // samples that the image's pivot is made from, squared

// The sum of a value over a block of TERM_THREADS threads; every thread gets it.
__device__ xncc_twofold block_sum(xncc_twofold value, xncc_twofold *room)
{
    const int own = static_cast<int>(threadIdx.x);
    __syncthreads();
    room[own] = value;
    __syncthreads();
    for (int half = TERM_THREADS / 2; half > 0; half /= 2) {
        if (own < half)
            room[own] = xncc_twofold_add(room[own], room[own + half]);
        __syncthreads();
    }
    return room[0];
}

// The grid of the samples of a block of TERM_THREADS threads; every thread gets it.
__device__ xncc_grid block_grid(xncc_grid own)
{
    __shared__ int unit, top;
    const xncc_grid none = xncc_grid_empty();
    __syncthreads();
    if (threadIdx.x == 0) {
        unit = none.unit;
        top = none.top;
    }
    __syncthreads();
    atomicMin(&unit, own.unit);
    atomicMax(&top, own.top);
    __syncthreads();
    xncc_grid all;
    all.unit = unit;
    all.top = top;
    return all;
}

// Samples, and their squares, in pairs of doubles.
struct TermSums {
    xncc_twofold T, T2;
};

template <xncc_pixel PIXEL>
__device__ TermSums sum_template(const TemplateView &t, double pivot, xncc_twofold *room)
{
    TermSums own = {};
    const int64_t count = static_cast<int64_t>(t.width) * t.height;
    for (int64_t i = threadIdx.x; i < count; i += TERM_THREADS) {
        const double v = xncc_sum(
            templ_sample<PIXEL>(t, static_cast<int>(i % t.width), static_cast<int>(i / t.width)),
            -pivot);
        xncc_twofold_put(&own.T, v);
        xncc_twofold_put_product(&own.T2, v, v);
    }
    TermSums all;
    all.T = block_sum(own.T, room);
    all.T2 = block_sum(own.T2, room);
    return all;
}

// 1 over the root of the template's term of a normed method, within 2^-48 of it, or NaN.
__device__ double over_root_of(xncc_method method, double n, const TermSums &raw)
{
    const xncc_twofold count = xncc_twofold_of(n, 0.0),
                       term = xncc_method_is_centred(method)
                                  ? xncc_twofold_difference(count, raw.T2, raw.T, raw.T)
                                  : raw.T2;
    const double error = 8.0 * (n + 10.0) * (n + 10.0) * 0x1p-106 * n * raw.T2.high;
    if (term.high > 0x1p-900 && term.high < 0x1p900 && error < 0x1p-54 * term.high)
        return 1.0 / sqrt(term.high);
    return NAN;
}

// Makes the template's constants. The pivot is the template's mean or 0.
template <xncc_pixel PIXEL>
__global__ __launch_bounds__(TERM_THREADS) void template_terms(TemplateView t, xncc_method method,
                                                               double *samples, FloatConstants *to)
{
    __shared__ xncc_twofold room[TERM_THREADS];
    const double n = static_cast<double>(t.width) * t.height, first = templ_sample<PIXEL>(t, 0, 0);
    const TermSums raw = sum_template<PIXEL>(t, 0.0, room);
    const double mean = raw.T.high / n;
    const bool has_pivot = xncc_method_is_centred(method) || method == XNCC_SQDIFF;
    const double pivot = has_pivot && isfinite(mean) ? mean : 0.0;
    const TermSums less = sum_template<PIXEL>(t, pivot, room);
    int bad = 0, differs = 0;
    xncc_grid grid = xncc_grid_empty();
    const int64_t count = static_cast<int64_t>(t.width) * t.height;
    for (int64_t i = threadIdx.x; i < count; i += TERM_THREADS) {
        const double v = templ_sample<PIXEL>(t, static_cast<int>(i % t.width),
                                             static_cast<int>(i / t.width));
        samples[i] = xncc_sum(v, -pivot);
        bad |= !isfinite(v);
        differs |= v != first;
        xncc_grid_add(&grid, v);
    }
    grid = block_grid(grid);
    bad = __syncthreads_or(bad);
    differs = __syncthreads_or(differs);
    if (threadIdx.x)
        return;
    xncc_window_templ w = {};
    w.n = n;
    w.T = less.T.high;
    w.T2 = less.T2.high;
    // every sample less the pivot is rounded once
    const double sizes = sqrt(n * (w.T2 + XNCC_WINDOW_TINY)), slack = (n + 10.0) * (n + 10.0);
    w.error_T = 0x1p-51 * sizes + 2.0 * slack * 0x1p-106 * sizes;
    w.error_T2 = 0x1p-50 * w.T2 + 2.0 * slack * 0x1p-106 * w.T2 + XNCC_WINDOW_TINY;
    w.norm = 1.01 * sqrt(w.T2 + w.error_T2);
    w.over_root = over_root_of(method, n, raw);
    w.relative = 0x1p-48;
    w.flat = !differs;
    w.bad = bad;
    to->templ = w;
    to->samples = samples;
    to->pivot = to->image_pivot = pivot;
    to->T = raw.T;
    to->T2 = raw.T2;
    to->grid = grid;
}

// The mean of some samples of the band, spread over it: any number serves, and one near the mean
// makes the bounds small.
template <xncc_pixel PIXEL>
__global__ __launch_bounds__(PIVOT_THREADS) void image_pivot(FloatImage of, FloatConstants *to)
{
    __shared__ double room[PIVOT_THREADS], counts[PIVOT_THREADS];
    const int own = static_cast<int>(threadIdx.x);
    double sum = 0.0, count = 0.0;
    for (int i = own; i < PIVOT_SIDE * PIVOT_SIDE; i += PIVOT_THREADS) {
        const int64_t x = static_cast<int64_t>(i % PIVOT_SIDE) * of.columns / PIVOT_SIDE,
                      y = static_cast<int64_t>(i / PIVOT_SIDE) * of.rows / PIVOT_SIDE;
        const double v = float_sample<PIXEL>(of, x, y);
        if (isfinite(v)) {
            sum += v;
            count += 1.0;
        }
    }
    room[own] = sum;
    counts[own] = count;
    __syncthreads();
    for (int half = PIVOT_THREADS / 2; half > 0; half /= 2) {
        if (own < half) {
            room[own] += room[own + half];
            counts[own] += counts[own + half];
        }
        __syncthreads();
    }
    const double mean = room[0] / counts[0];
    if (own == 0)
        to->image_pivot = isfinite(mean) ? mean : 0.0;
}

} // namespace

cudaError_t launch_template_terms(xncc_pixel pixel, const TemplateView &t, xncc_method method,
                                  double *samples, FloatConstants *to, cudaStream_t stream)
{
    with_float_pixel(pixel, [&](auto type) {
        template_terms<type><<<1, TERM_THREADS, 0, stream>>>(t, method, samples, to);
    });
    return cudaGetLastError();
}

cudaError_t launch_image_pivot(const FloatImage &image, FloatConstants *to, cudaStream_t stream)
{
    with_float_pixel(image.image.pixel, [&](auto type) {
        image_pivot<type><<<1, PIVOT_THREADS, 0, stream>>>(image, to);
    });
    return cudaGetLastError();
}

} // namespace xncc
