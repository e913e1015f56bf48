// SPDX-License-Identifier: BSD-2-Clause
// The units of samples in two parts, and the bounds of the errors of X (split_units.cuh). Blocks of
// 256 threads; no shared memory; any compute capability.
#include "cuda/products/split_units.cuh"

#include "cuda/planes/float_image.cuh"

namespace xncc {

namespace {

constexpr int THREADS = 256, BLOCKS = 8; // the latter per multiprocessor
constexpr int ROWS = 8;                  // of a block that adds up squares
constexpr int TRIES = 4;                 // units that are tried
constexpr unsigned ALL = 0xffffffffu;

// The sums of the squares of the blocks' samples.
template <xncc_pixel PIXEL>
__global__ __launch_bounds__(THREADS) void add_squares(const __grid_constant__ SplitJob job)
{
    if (is_idle(job))
        return;
    const FloatBlocks &b = job.set.of;
    const FloatImage &of = job.products.image;
    const double pivot = job.constants->image_pivot;
    const int pieces = b.height / ROWS;
    for (int piece = static_cast<int>(blockIdx.x); piece < pieces * b.count;
         piece += static_cast<int>(gridDim.x)) {
        const int2 start = block_start(b, piece / pieces);
        const int y = start.y + piece % pieces * ROWS;
        double square = 0.0;
        for (int x = static_cast<int>(threadIdx.x); x < b.width; x += THREADS) {
            const unsigned char *from = float_column<PIXEL>(of, start.x + x, y, ROWS);
            if (from) {
#pragma unroll
                for (int k = 0; k < ROWS; k++) {
                    const double v = xncc_sum(
                        xncc_sample_value(PIXEL, from + k * of.image.pitch, 0), -pivot);
                    square += v * v;
                }
            } else {
#pragma unroll 1
                for (int k = 0; k < ROWS; k++) {
                    const double v = float_value<PIXEL>(of, start.x + x, y + k, pivot);
                    square += v * v;
                }
            }
        }
        for (int step = 16; step > 0; step /= 2)
            square += __shfl_xor_sync(ALL, square, step);
        if (threadIdx.x % 32 == 0 && square != 0.0)
            atomicAdd(b.squares + piece / pieces, square);
    }
}

// The least power of two that is above a number, at most twice as large.
__device__ double power_above(double v)
{
    return scalbn(1.0, ilogb(v) + 1);
}

// The norm of the leading parts of `count` samples, whose norm is at most `norm`, and of what is
// left, as they are transformed.
__device__ double norm_of_both(double norm, double unit, double count, int bits)
{
    const double off = 0.5 * unit * sqrt(count), leading = norm + off, rest = scalbn(off, bits);
    return 1.01 * sqrt(leading * leading + rest * rest);
}

// The unit of the template's leading parts.
__global__ void choose_template_unit(const __grid_constant__ SplitJob job)
{
    const double n = job.constants->templ.n, norm = job.constants->templ.norm,
                 unit = power_above(job.set.split.unit * norm / sqrt(n));
    *job.set.templ = make_double2(unit, norm_of_both(norm, unit, n, job.set.split.bits));
}

// The units of the blocks, and the bounds of X's errors in them.
__global__ void choose_units(const __grid_constant__ SplitJob job)
{
    if (is_idle(job))
        return;
    const FloatBlocks &b = job.set.of;
    const FloatImage &of = job.products.image;
    const double templ = job.set.templ->y, relative = job.set.split.relative;
    for (int block = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); block < b.count;
         block += static_cast<int>(gridDim.x * blockDim.x)) {
        const int2 start = block_start(b, block);
        const double count = static_cast<double>(min(b.width, of.columns - start.x)) *
                             min(b.height, of.rows - start.y),
                     norm = 1.01 * sqrt(b.squares[block] + XNCC_WINDOW_TINY),
                     of_templ = job.set.templ->x;
        double unit = 0.5 * power_above(relative / 0.45 * norm * templ / of_templ),
               error = INFINITY;
        for (int i = 0; i < TRIES && !(error <= 0.45 * unit * of_templ); i++) {
            unit *= 2.0;
            error = relative * templ * norm_of_both(norm, unit, count, job.set.split.bits);
        }
        const bool in_range = norm * templ > 0x1p-900 && norm < 0x1p900 && templ < 0x1p900 &&
                              norm * templ < 0x1p900;
        b.error[block] = in_range && error <= 0.45 * unit * of_templ
                             ? scalbn(error, -job.set.split.bits) + XNCC_WINDOW_TINY
                             : INFINITY;
        job.set.units[block] = norm < 0x1p900 ? make_double2(unit, unit * of_templ)
                                              : make_double2(NAN, NAN);
    }
}

} // namespace

cudaError_t launch_template_unit(const SplitJob &job, cudaStream_t stream)
{
    choose_template_unit<<<1, 1, 0, stream>>>(job);
    return cudaGetLastError();
}

cudaError_t launch_units(const SplitJob &job, int processors, cudaStream_t stream)
{
    const FloatBlocks &b = job.set.of;
    const int64_t pieces = int64_t{ b.height } / ROWS * b.count,
                  most = int64_t{ processors } * BLOCKS;
    cudaError_t code = cudaMemsetAsync(b.squares, 0, static_cast<size_t>(b.count) * sizeof(double),
                                       stream);
    if (code == cudaSuccess) {
        with_float_pixel(job.products.image.image.pixel, [&](auto type) {
            add_squares<type>
                <<<static_cast<unsigned>(pieces < most ? pieces : most), THREADS, 0, stream>>>(job);
        });
        code = cudaGetLastError();
    }
    if (code == cudaSuccess) {
        choose_units<<<1, THREADS, 0, stream>>>(job);
        code = cudaGetLastError();
    }
    return code;
}

} // namespace xncc
