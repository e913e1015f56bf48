// SPDX-License-Identifier: BSD-2-Clause
// The constants of float_terms.h: template_terms is one block of 1024 threads, image_terms another.
// Shared memory: at most 16 KB. Any compute capability.
#include "cuda/products/float_terms.h"

#include "cuda/planes/float_image.cuh"
#include "cuda/planes/float_terms.cuh"

namespace xncc {

namespace {

constexpr int BATCH = 4; // samples of the template whose loads are in flight at a time

// A mean as a pivot.
__device__ double pivot_of(double mean)
{
    return fabs(mean) <= LARGEST_PIVOT ? mean : 0.0;
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

// Calls function(i, sample) for this thread's samples of the template, which has fewer than 2^32.
// BATCH loads are in flight at a time.
template <xncc_pixel PIXEL, class Function>
__device__ __forceinline__ void each_sample(const TemplateView &t, const Function &function)
{
    const uint32_t width = static_cast<uint32_t>(t.width);
    const int64_t count = static_cast<int64_t>(t.width) * t.height;
    for (int64_t first = threadIdx.x; first < count; first += BATCH * TERM_THREADS) {
        double v[BATCH];
#pragma unroll
        for (int k = 0; k < BATCH; k++) {
            const int64_t i = first + k * TERM_THREADS;
            const uint32_t at = static_cast<uint32_t>(i < count ? i : first);
            v[k] = templ_sample<PIXEL>(t, static_cast<int>(at % width),
                                       static_cast<int>(at / width));
        }
#pragma unroll
        for (int k = 0; k < BATCH; k++) {
            const int64_t i = first + k * TERM_THREADS;
            if (i < count)
                function(i, v[k]);
        }
    }
}

// Samples, and their squares, in pairs of doubles.
struct TermSums {
    xncc_twofold T, T2;
};

template <xncc_pixel PIXEL>
__device__ TermSums sum_template(const TemplateView &t, double pivot, xncc_twofold *room)
{
    TermSums own = {};
    each_sample<PIXEL>(t, [&](int64_t, double sample) {
        const double v = xncc_sum(sample, -pivot);
        xncc_twofold_put(&own.T, v);
        xncc_twofold_put_product(&own.T2, v, v);
    });
    TermSums all;
    all.T = block_sum(own.T, room);
    all.T2 = block_sum(own.T2, room);
    return all;
}

// 1 over the root of the template's term of a normed method, within 2^-48 of it, or NaN. sums: of
// the samples, or for centred methods of those less the pivot, which are rounded: the term is then
// off by 4 u of the sizes of its parts.
__device__ double over_root_of(xncc_method method, double n, const TermSums &sums)
{
    const bool centred = xncc_method_is_centred(method) != 0;
    const xncc_twofold count = xncc_twofold_of(n, 0.0),
                       term = centred ? xncc_twofold_difference(count, sums.T2, sums.T, sums.T)
                                      : sums.T2;
    const double loss = 8.0 * (n + 10.0) * (n + 10.0) * 0x1p-106,
                 error = centred ? (0x1.04p-51 + loss) * n * sums.T2.high : loss * sums.T2.high;
    if (term.high > 0x1p-900 && term.high < 0x1p900 && error < 0x1p-49 * term.high)
        return 1.0 / sqrt(term.high);
    return NAN;
}

// Makes the template's constants. The pivot is the template's mean or 0.
template <xncc_pixel PIXEL>
__global__ __launch_bounds__(TERM_THREADS) void template_terms(TemplateView t, xncc_method method,
                                                               double *samples, FloatConstants *to)
{
    __shared__ xncc_twofold room[TERM_WARPS];
    const double n = static_cast<double>(t.width) * t.height, first = templ_sample<PIXEL>(t, 0, 0);
    const TermSums raw = sum_template<PIXEL>(t, 0.0, room);
    const double mean = raw.T.high / n;
    const bool has_pivot = xncc_method_is_centred(method) || method == XNCC_SQDIFF;
    const double pivot = has_pivot ? pivot_of(mean) : 0.0;
    const TermSums less = sum_template<PIXEL>(t, pivot, room);
    int bad = 0, differs = 0;
    xncc_grid grid = xncc_grid_empty();
    each_sample<PIXEL>(t, [&](int64_t i, double v) {
        samples[i] = xncc_sum(v, -pivot);
        bad |= !isfinite(v);
        differs |= v != first;
        xncc_grid_add(&grid, v);
    });
    grid = block_grid(grid);
    bad = __syncthreads_or(bad);
    differs = __syncthreads_or(differs);
    if (threadIdx.x)
        return;
    xncc_window_templ w = {};
    w.n = n;
    w.T = less.T.high;
    w.T2 = less.T2.high;
    const TermErrors errors = term_errors(n, w.T2);
    w.error_T = errors.T;
    w.error_T2 = errors.T2;
    w.norm = 1.01 * sqrt(w.T2 + w.error_T2);
    w.over_root = over_root_of(method, n, xncc_method_is_centred(method) ? less : raw);
    w.relative = 0x1p-48;
    w.flat = !differs;
    w.bad = bad;
    to->templ = w;
    to->samples = samples;
    to->pivot = to->image_pivot = pivot;
    to->T = raw.T;
    to->T2 = raw.T2;
    to->grid = grid;
    to->limit = ALL_FINITE;
}

// Looks at samples that are spread over the band; those of a warp are, too. Any pivot serves, and
// one near the mean makes the bounds small.
template <xncc_pixel PIXEL>
__global__ __launch_bounds__(TERM_THREADS) void image_terms(FloatImage of, ImageTerms wanted,
                                                            FloatConstants *to)
{
    double v[TERM_EACH], sum = 0.0, count = 0.0;
    for (int k = 0; k < TERM_EACH; k++) {
        const longlong2 at = spread_sample(k, of.columns, of.rows);
        v[k] = float_sample<PIXEL>(of, at.x, at.y);
        if (isfinite(v[k])) {
            sum += v[k];
            count += 1.0;
        }
    }
    const double pivot = wanted.pivot ? pivot_of(middle_of(warp_mean(sum, count)))
                                      : to->image_pivot;
    double square = 0.0;
    for (double one : v)
        if (isfinite(one))
            square += (one - pivot) * (one - pivot);
    const double usual = sqrt(middle_of(warp_mean(square, count)));
    if (threadIdx.x)
        return;
    to->image_pivot = pivot;
    to->usual = usual;
    if (wanted.limit)
        to->limit = min(upper_half(FAR * usual), ALL_FINITE);
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

cudaError_t launch_image_terms(const FloatImage &image, ImageTerms wanted, FloatConstants *to,
                               cudaStream_t stream)
{
    with_float_pixel(image.image.pixel, [&](auto type) {
        image_terms<type><<<1, TERM_THREADS, 0, stream>>>(image, wanted, to);
    });
    return cudaGetLastError();
}

} // namespace xncc
