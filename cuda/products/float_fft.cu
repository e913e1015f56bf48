// SPDX-License-Identifier: BSD-2-Clause
// The products of kernel float-fft (float_fft.h).
//
// Packing: two blocks of the image, one in the real and one in the imaginary part of a transform,
// as for 8 bits in correlate_fft.cu. Samples are read from the image itself; those that no window
// of the band reaches are 0.
//
// Data mapping: load_blocks and load_template have 128 threads for 128 points of a row, and each
// block goes down ROWS rows; multiply has a thread per point, for a whole batch; store_blocks a
// thread per map element. No shared memory; any compute capability.
//
// A sample that is not finite makes all X of its block NaN, whose windows are then in doubt.
#include "cuda/products/float_fft.h"

#include "cuda/planes/float_image.cuh"
#include "cuda/runtime/warp.cuh"

namespace xncc {

namespace {

constexpr int THREADS = 128;
constexpr int ROWS = 8; // of a block that loads points

// Fills `data` with the samples of a batch of pairs of blocks, and adds up their squares.
template <xncc_pixel PIXEL>
__global__ __launch_bounds__(THREADS) void load_blocks(const __grid_constant__ FloatImage of,
                                                       const __grid_constant__ FloatBlocks b,
                                                       int first, const FloatConstants *constants,
                                                       double2 *data)
{
    const int x = static_cast<int>(blockIdx.x * THREADS + threadIdx.x),
              y0 = static_cast<int>(blockIdx.y) * ROWS, transform = static_cast<int>(blockIdx.z),
              pair = first + transform;
    const double pivot = constants->image_pivot;
    const int32_t limit = constants->limit;
    const int2 even = block_start(b, 2 * pair), odd = block_start(b, 2 * pair + 1);
    const bool has_even = 2 * pair < b.count, has_odd = 2 * pair + 1 < b.count;
    double square = 0.0;
    if (x < b.width) {
        double2 *to = data + (static_cast<int64_t>(transform) * b.height + y0) * b.width + x;
        const int64_t pitch = of.image.pitch;
        const unsigned char *from_even = float_column<PIXEL>(of, even.x + x, even.y + y0, ROWS),
                            *from_odd = float_column<PIXEL>(of, odd.x + x, odd.y + y0, ROWS);
        if (has_odd && from_even && from_odd && y0 + ROWS <= b.height) {
#pragma unroll
            for (int k = 0; k < ROWS; k++, to += b.width) {
                const double2 v = {
                    within(xncc_sum(xncc_sample_value(PIXEL, from_even + k * pitch, 0), -pivot),
                           limit),
                    within(xncc_sum(xncc_sample_value(PIXEL, from_odd + k * pitch, 0), -pivot),
                           limit)
                };
                square += v.x * v.x + v.y * v.y; // not finite: no window of the pair is decided
                *to = v;
            }
        } else {
#pragma unroll 1
            for (int k = 0; k < ROWS && y0 + k < b.height; k++, to += b.width) {
                double2 v = make_double2(0.0, 0.0);
                if (has_even)
                    v.x = within(float_value<PIXEL>(of, even.x + x, even.y + y0 + k, pivot), limit);
                if (has_odd)
                    v.y = within(float_value<PIXEL>(of, odd.x + x, odd.y + y0 + k, pivot), limit);
                square += v.x * v.x + v.y * v.y;
                *to = v;
            }
        }
    }
    square = warp_sum(square);
    if (threadIdx.x % WARP_LANES == 0 && has_even)
        atomicAdd(b.squares + pair, square);
}

// Fills `data` with the template's samples less its pivot, zeros outside.
template <xncc_pixel PIXEL>
__global__ __launch_bounds__(THREADS) void load_template(TemplateView t,
                                                         const FloatConstants *constants, int width,
                                                         double2 *data)
{
    const int x = static_cast<int>(blockIdx.x * THREADS + threadIdx.x),
              y = static_cast<int>(blockIdx.y);
    if (x >= width)
        return;
    double v = 0.0;
    if (x < t.width && y < t.height)
        v = xncc_sum(templ_sample<PIXEL>(t, x, y), -constants->pivot);
    data[static_cast<int64_t>(y) * width + x] = make_double2(v, 0.0);
}

// data *= conj(spectrum) for each transform of the batch, which makes it a correlation; and the
// bounds of its pairs.
__global__ __launch_bounds__(THREADS) void multiply(const double2 *spectrum, double2 *data,
                                                    int64_t points, int batch,
                                                    const __grid_constant__ FloatBlocks b,
                                                    int first, const FloatConstants *constants)
{
    int64_t i = static_cast<int64_t>(blockIdx.x) * THREADS + threadIdx.x;
    for (int64_t k = first + i; k < first + batch && 2 * k < b.count; k += points) {
        b.error[k] = b.relative * 1.01 * sqrt(b.squares[k] + XNCC_WINDOW_TINY) *
                         constants->templ.norm +
                     XNCC_WINDOW_TINY;
    }
    if (i >= points)
        return;
    const double2 t = spectrum[i];
    for (int k = 0; k < batch; k++, i += points) {
        const double2 v = data[i];
        data[i] = make_double2(v.x * t.x + v.y * t.y, v.y * t.x - v.x * t.y);
    }
}

// Stores the step_x x step_y valid points of each transform. scale: 1 / points, since cuFFT does
// not scale its inverse.
__global__
__launch_bounds__(THREADS) void store_blocks(const __grid_constant__ FloatProductsJob job,
                                             const __grid_constant__ FloatBlocks b, int first,
                                             double scale, const double2 *data)
{
    const int x = static_cast<int>(blockIdx.x * THREADS + threadIdx.x),
              y = static_cast<int>(blockIdx.y), transform = static_cast<int>(blockIdx.z),
              even = 2 * (first + transform);
    if (x >= b.step_x)
        return;
    const double2 v = data[(static_cast<int64_t>(transform) * b.height + y) * b.width + x];
    if (even < b.count)
        store_product(job, block_start(b, even), x, y, v.x * scale);
    if (even + 1 < b.count)
        store_product(job, block_start(b, even + 1), x, y, v.y * scale);
}

} // namespace

xncc_status FloatFft::make(const xncc_fft_blocks &decided, double2 *at, void *area, uint64_t most,
                           xncc_error *error)
{
    xncc_fft_blocks of = decided;
    data = at;
    const xncc_status status = plans.make("float-fft", &of, area, most, error);
    batch = of.batch;
    return status;
}

cudaError_t FloatFft::transform_template(const TemplateView &t, const FloatBlocks &b,
                                         xncc_pixel pixel, const FloatConstants *constants,
                                         double2 *spectrum, cudaStream_t stream) const
{
    with_float_pixel(pixel, [&](auto type) {
        load_template<type><<<rows_grid(b.width, b.height, THREADS), THREADS, 0, stream>>>(
            t, constants, b.width, spectrum);
    });
    const cudaError_t code = cudaGetLastError();
    return code == cudaSuccess ? plans.single().execute(spectrum, FFT_FORWARD, stream) : code;
}

// One batch, from the transform `first` on.
cudaError_t FloatFft::transform_batch(const FloatProductsJob &job, const FloatBlocks &b,
                                      const double2 *spectrum, const FloatConstants *constants,
                                      int32_t first, cudaStream_t stream) const
{
    const int64_t points = static_cast<int64_t>(b.width) * b.height;
    with_float_pixel(job.image.image.pixel, [&](auto type) {
        load_blocks<type>
            <<<rows_grid(b.width, ceil_div(b.height, ROWS), THREADS, batch), THREADS, 0, stream>>>(
                job.image, b, first, constants, data);
    });
    cudaError_t code = cudaGetLastError();
    if (code == cudaSuccess)
        code = plans.batch().execute(data, FFT_FORWARD, stream);
    if (code == cudaSuccess) {
        multiply<<<static_cast<unsigned>(ceil_div<int64_t>(points, THREADS)), THREADS, 0, stream>>>(
            spectrum, data, points, batch, b, first, constants);
        code = cudaGetLastError();
    }
    if (code == cudaSuccess)
        code = plans.batch().execute(data, FFT_INVERSE, stream);
    if (code == cudaSuccess) {
        store_blocks<<<rows_grid(b.step_x, b.step_y, THREADS, batch), THREADS, 0, stream>>>(
            job, b, first, 1.0 / static_cast<double>(points), data);
        code = cudaGetLastError();
    }
    return code;
}

cudaError_t FloatFft::transform_blocks(const FloatProductsJob &job, const FloatBlocks &b,
                                       const double2 *spectrum, const FloatConstants *constants,
                                       cudaStream_t stream) const
{
    cudaError_t code = cudaSuccess;
    for (int32_t first = 0; 2 * first < b.count && code == cudaSuccess; first += batch)
        code = transform_batch(job, b, spectrum, constants, first, stream);
    return code;
}

} // namespace xncc
