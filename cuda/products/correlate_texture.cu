// SPDX-License-Identifier: BSD-2-Clause
// X by direct correlation, the image read through a texture: the kernels `tex-tex` (template
// through a texture, too) and `tex-constant` (template in constant memory).
//
//     X(x, y) = sum over rows j and columns i of I(x + i, y + j) * T(i, j)
//
// Data mapping: a block is 32 x 4 threads and covers 128 x 4 map elements. A thread computes
// XNCC_THREAD_COLUMNS = 4 adjacent windows of one map row. The four image pixels under its current
// template column are kept in registers and shift by one per column, so each image pixel and each
// template pixel is fetched once for all four windows. Texture addressing clamps, which implements
// windows that reach past the image.
//
// Arithmetic: a window row is summed in `Row`, a window in `Sum`. Integers are exact; f32 follows
// the order that score.h prescribes (rows from left to right, then row sums from top to bottom).
//
// Resources: no shared memory; 128 threads per block; up to CONSTANT_BYTES of constant memory per
// launch. Any template size (larger templates take several launches) and any compute capability.
//
// Measured (H200, November 2026, 2048 x 2048, n = 32, u8 / u16 / f32, whole match): `tex-constant`
// 1.18 / 1.27 / 3.1 ms, `tex-tex` 2.20 / 2.30 / 4.07 ms, against 0.125 / 0.49 / 1.14 ms by
// correlate_shared.cu.
#include "cuda/runtime/constant_read.cuh"
#include "cuda/planes/texel.cuh"
#include "cuda/products/correlate_family.h"

#include "math/score.h"

namespace xncc {

namespace {

__constant__ __align__(16) unsigned char constant_cache[CONSTANT_BYTES];

constexpr int SPAN = XNCC_THREAD_COLUMNS;
constexpr int THREADS_X = 32, THREADS_Y = 4;

// Types for a pixel type: Value is a pixel ready for multiplication, Row the sum over a window row.
template <class Pixel> struct Arithmetic;
template <> struct Arithmetic<unsigned char> {
    using Value = uint32_t;
    using Row = uint32_t; // at most 65536 pixels per row, and 65536 * 255^2 < 2^32
};
template <> struct Arithmetic<unsigned short> {
    using Value = uint32_t;
    using Row = uint64_t;
};
template <> struct Arithmetic<float> {
    using Value = double;
    using Row = double;
};

template <class Pixel> __device__ uint32_t value_of(Pixel pixel, double)
{
    return pixel;
}
__device__ double value_of(float pixel, double pivot)
{
    return xncc_centred(pixel, pivot);
}

template <class Sum> __device__ void add_product(Sum &sum, uint32_t a, uint32_t b)
{
    sum += static_cast<Sum>(a) * b;
}
__device__ void add_product(double &sum, double a, double b)
{
    sum = xncc_sum(sum, xncc_product(a, b));
}

// Pixel x of the launch's template row `row`. lane_zero() makes the compiler use indexed constant
// loads (constant_read.cuh).
template <class Pixel, bool CONSTANT>
__device__ Pixel template_pixel(const CorrelateJob &job, int x, int row)
{
    if (CONSTANT)
        return reinterpret_cast<const Pixel *>(constant_cache)[row * job.size + x + lane_zero()];
    return fetch<Pixel>(job.texture, x, job.first + row);
}

// The grid covers the band; see the top of the file for the mapping.
template <class Pixel, class Sum, bool CONSTANT>
__global__ __launch_bounds__(THREADS_X *THREADS_Y) void correlate(CorrelateJob job)
{
    using Value = typename Arithmetic<Pixel>::Value;
    using Row = typename Arithmetic<Pixel>::Row;
    int x = (blockIdx.x * THREADS_X + threadIdx.x) * SPAN, y = blockIdx.y * THREADS_Y + threadIdx.y;
    if (x >= job.width || y >= job.height)
        return;
    int left = job.stage.left + x, top = job.stage.top + y + job.first;
    Sum *sums = static_cast<Sum *>(job.sums) + y * job.pitch + x;
    Sum total[SPAN];
#pragma unroll
    for (int k = 0; k < SPAN; k++)
        total[k] = job.add && x + k < job.width ? sums[k] : Sum(0);
    for (int j = 0; j < job.rows; j++) {
        Value v[SPAN];
        Row row[SPAN];
#pragma unroll
        for (int k = 0; k < SPAN; k++) {
            v[k] = k < SPAN - 1
                       ? value_of(fetch<Pixel>(job.stage.pixels, left + k, top + j), job.pivot)
                       : Value(0);
            row[k] = 0;
        }
#pragma unroll 4
        for (int i = 0; i < job.size; i++) {
            v[SPAN - 1] = value_of(fetch<Pixel>(job.stage.pixels, left + i + SPAN - 1, top + j),
                                   job.pivot);
            Value t = value_of(template_pixel<Pixel, CONSTANT>(job, i, j), job.pivot);
#pragma unroll
            for (int k = 0; k < SPAN; k++) {
                add_product(row[k], v[k], t);
                v[k] = k < SPAN - 1 ? v[k + 1] : Value(0);
            }
        }
#pragma unroll
        for (int k = 0; k < SPAN; k++)
            total[k] += row[k];
    }
#pragma unroll
    for (int k = 0; k < SPAN; k++)
        if (x + k < job.width)
            sums[k] = total[k];
}

template <bool CONSTANT>
cudaError_t launch(xncc_pixel pixel, bool narrow, const CorrelateJob &job, cudaStream_t stream)
{
    const dim3 block(THREADS_X, THREADS_Y),
        grid = rows_grid(job.width, ceil_div(job.height, THREADS_Y), THREADS_X * SPAN);
    if (pixel == XNCC_F32)
        correlate<float, double, CONSTANT><<<grid, block, 0, stream>>>(job);
    else
        with_integer_sum(pixel, narrow, [&](auto of, auto sum) {
            correlate<decltype(of), decltype(sum), CONSTANT><<<grid, block, 0, stream>>>(job);
        });
    return cudaGetLastError();
}

} // namespace

const void *texture_constant()
{
    return constant_cache;
}

CorrelateFamily texture_family()
{
    return CorrelateFamily{ FAMILY_NONE, nullptr, launch<false> };
}

CorrelateFamily constant_family()
{
    return CorrelateFamily{ FAMILY_TEXTURE, load_rows, launch<true> };
}

} // namespace xncc
