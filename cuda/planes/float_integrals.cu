// SPDX-License-Identifier: BSD-2-Clause
// The integral images of float_planes.h: first along the rows, a warp per row, 32 samples at a
// time; then down the columns, a thread per column. blockIdx.y: the number of the integral image.
// No shared memory; any compute capability.
//
// Errors. Sums are pairs of doubles, whose own errors are of the second order, and each is rounded
// once when it is stored. With A the sizes of all that is added, the sums along the rows are off by
// u of theirs, so an entry by 2 u A. A rectangle has four of them, and three subtractions, each of
// which rounds at most A: 11 u A. A sample less the pivot was rounded, too, which is u A of samples
// and 2 u A of squares: INTEGRAL_ERROR.
#include "cuda/planes/float_image.cuh"
#include "cuda/planes/plane_samples.cuh"
#include "cuda/runtime/warp.cuh"

namespace xncc {

namespace {

constexpr int WARPS = 4, THREADS = 128;
constexpr int BATCH = 8; // rows whose loads are in flight at a time

// What pixel (x, y) of the template adds to an integral image.
template <xncc_pixel PIXEL>
__device__ xncc_twofold part_of(const FloatSource &of, int number, int x, int y)
{
    xncc_twofold part = {};
    if (number == INTEGRAL_OF_SQUARES) {
        for (int channel = 0; channel < of.channels; channel++) {
            const Counted t = templ_at<PIXEL>(of, x, y, channel);
            if (t.counts)
                xncc_twofold_put_product(&part, t.v, t.v);
        }
        return part;
    }
    const Counted t = templ_at<PIXEL>(of, x, y, max(number - INTEGRAL_OF_SAMPLES, 0));
    part.high = !t.counts ? 0.0 : number == INTEGRAL_OF_COUNT ? 1.0 : t.v;
    return part;
}

template <xncc_pixel PIXEL>
__global__
__launch_bounds__(WARP_LANES *WARPS) void sum_rows(const __grid_constant__ FloatSource of,
                                                   double *to)
{
    const int lane = static_cast<int>(threadIdx.x), number = static_cast<int>(blockIdx.y),
              y = static_cast<int>(blockIdx.x) * WARPS + static_cast<int>(threadIdx.y);
    const int64_t pitch = int64_t{ of.templ.width } + 1;
    if (y >= of.templ.height)
        return;
    double *row = to + (number * (int64_t{ of.templ.height } + 1) + y + 1) * pitch;
    xncc_twofold before = {};
    if (lane == 0)
        row[0] = 0.0;
    for (int first = 0; first < of.templ.width; first += WARP_LANES) {
        const int x = first + lane;
        xncc_twofold sum = x < of.templ.width ? part_of<PIXEL>(of, number, x, y) : xncc_twofold{};
#pragma unroll
        for (int step = 1; step < WARP_LANES; step *= 2) {
            const double high = __shfl_up_sync(WARP_ALL, sum.high, step),
                         low = __shfl_up_sync(WARP_ALL, sum.low, step);
            if (lane >= step)
                sum = xncc_twofold_add(sum, xncc_twofold_of(high, low));
        }
        sum = xncc_twofold_add(sum, before);
        if (x < of.templ.width)
            row[x + 1] = xncc_sum(sum.high, sum.low);
        before = xncc_twofold_of(__shfl_sync(WARP_ALL, sum.high, WARP_LANES - 1),
                                 __shfl_sync(WARP_ALL, sum.low, WARP_LANES - 1));
    }
}

__global__ __launch_bounds__(THREADS) void sum_columns(int width, int height, double *to)
{
    const int x = static_cast<int>(blockIdx.x) * THREADS + static_cast<int>(threadIdx.x);
    const int64_t pitch = int64_t{ width } + 1;
    if (x > width)
        return;
    double *column = to + static_cast<int>(blockIdx.y) * (int64_t{ height } + 1) * pitch + x;
    xncc_twofold sum = {};
    column[0] = 0.0;
    for (int first = 1; first <= height; first += BATCH) {
        double v[BATCH];
#pragma unroll
        for (int k = 0; k < BATCH; k++)
            v[k] = first + k <= height ? column[(first + k) * pitch] : 0.0;
#pragma unroll
        for (int k = 0; k < BATCH; k++) {
            xncc_twofold_put(&sum, v[k]);
            if (first + k <= height)
                column[(first + k) * pitch] = xncc_sum(sum.high, sum.low);
        }
    }
}

} // namespace

cudaError_t launch_float_integrals(const FloatSource &of, double *to, cudaStream_t stream)
{
    const unsigned images = INTEGRAL_OF_SAMPLES + static_cast<unsigned>(of.channels);
    const dim3 block(WARP_LANES, WARPS),
        rows(static_cast<unsigned>(ceil_div(of.templ.height, WARPS)), images),
        columns(static_cast<unsigned>(ceil_div(of.templ.width + 1, THREADS)), images);
    with_float_pixel(of.image.pixel,
                     [&](auto type) { sum_rows<type><<<rows, block, 0, stream>>>(of, to); });
    sum_columns<<<columns, THREADS, 0, stream>>>(of.templ.width, of.templ.height, to);
    return cudaGetLastError();
}

} // namespace xncc
