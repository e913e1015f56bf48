// SPDX-License-Identifier: BSD-2-Clause
// Kernels and cuFFT calls of the kernel `fft` (correlate_fft.h).
//
// Packing: a complex transform of the real template lets two real image signals travel in one
// complex transform, because multiplication by the spectrum of a real signal keeps the real and the
// imaginary part apart.
//
// - 8 bits: two image blocks per transform, one in the real and one in the imaginary part.
// - 16 bits: one block per transform, its low bytes in the real and its high bytes in the imaginary
//   part; the template's low and high bytes have a spectrum each.
//
// Data mapping: all kernels use 128 threads per block, one thread per point of a row
// (blockIdx.y: row, blockIdx.z: transform); `multiply` uses one thread per point for a whole batch,
// so that the spectrum is read once. No shared memory; any compute capability.
//
// Measured (H200, November 2026, 8192 x 8192, whole match): u8 n = 256 3.89 ms, 1024 6.19 ms,
// 2048 4.61 ms; u16 n = 256 15.3 ms. The largest error seen was 6e-6 where the bound is 0.012.
#include "cuda/products/correlate_fft.h"

#include "cuda/planes/texel.cuh"

namespace xncc {

namespace {

constexpr int THREADS = 128;

// Geometry of a batch of blocks, as the kernels need it.
struct Blocks {
    StageView stage;
    // Size of a transform in points.
    int32_t width, height;
    // Distance between adjacent blocks in map elements; a block yields step_x x step_y of them.
    int32_t step_x, step_y;
    // Blocks per row of blocks, and in the whole band.
    int32_t across, count;
    // First block of this batch.
    int32_t first;
    // Template pixel where the current piece begins.
    int32_t left, top;
};

// Map element where a block begins.
__device__ int2 block_start(const Blocks &b, int block)
{
    return make_int2(block % b.across * b.step_x, block / b.across * b.step_y);
}

// Pixel (x, y) of a block: the image pixel under the block's first window and the current piece,
// moved by (x, y). Texture addressing clamps outside the staged image; those pixels only reach sums
// that are not stored.
template <class Pixel> __device__ Pixel block_pixel(const Blocks &b, int block, int x, int y)
{
    int2 start = block_start(b, block);
    return fetch<Pixel>(b.stage.pixels, b.stage.left + start.x + b.left + x,
                        b.stage.top + start.y + b.top + y);
}

// 8 bits: the even block is the real part and the odd block the imaginary part.
__device__ double2 load_point(const Blocks &b, int transform, int x, int y, unsigned char)
{
    int block = b.first + 2 * transform;
    double2 v = make_double2(0.0, 0.0);
    if (block < b.count)
        v.x = block_pixel<unsigned char>(b, block, x, y);
    if (block + 1 < b.count)
        v.y = block_pixel<unsigned char>(b, block + 1, x, y);
    return v;
}

// 16 bits: the low byte is the real part and the high byte the imaginary part.
__device__ double2 load_point(const Blocks &b, int transform, int x, int y, unsigned short)
{
    int block = b.first + transform;
    unsigned pixel = block < b.count ? block_pixel<unsigned short>(b, block, x, y) : 0u;
    return make_double2(pixel & 255u, pixel >> 8);
}

// Fills `data` with the pixels of a batch of transforms.
template <class Pixel>
__global__ __launch_bounds__(THREADS) void load_blocks(Blocks b, double2 *data)
{
    int x = blockIdx.x * THREADS + threadIdx.x, y = blockIdx.y, transform = blockIdx.z;
    if (x < b.width)
        data[(static_cast<int64_t>(transform) * b.height + y) * b.width + x] = load_point(
            b, transform, x, y, Pixel());
}

// A piece of the template.
struct TemplatePiece {
    // Its first pixel, and bytes per template row.
    const unsigned char *pixels;
    size_t pitch;
    // Its size in pixels.
    int32_t width, height;
    // Which byte of a pixel: 0 (low) or 8 (high).
    int32_t shift;
};

// Fills `data` with one byte of every pixel of the piece, zeros outside.
template <class Pixel>
__global__ __launch_bounds__(THREADS) void load_template(TemplatePiece t, int width, double2 *data)
{
    int x = blockIdx.x * THREADS + threadIdx.x, y = blockIdx.y;
    if (x >= width)
        return;
    unsigned pixel = 0;
    if (x < t.width && y < t.height)
        pixel = reinterpret_cast<const Pixel *>(t.pixels + y * t.pitch)[x];
    data[static_cast<int64_t>(y) * width + x] = make_double2(pixel >> t.shift & 255u, 0.0);
}

// out = in * conj(spectrum) for each transform of the batch. The conjugate makes it a correlation,
// not a convolution. in and out may be the same memory.
__global__ __launch_bounds__(THREADS) void multiply(const double2 *in, const double2 *spectrum,
                                                    double2 *out, int64_t points, int batch)
{
    int64_t i = static_cast<int64_t>(blockIdx.x) * THREADS + threadIdx.x;
    if (i >= points)
        return;
    double2 t = spectrum[i];
    for (int k = 0; k < batch; k++, i += points) {
        double2 v = in[i];
        out[i] = make_double2(v.x * t.x + v.y * t.y, v.y * t.x - v.x * t.y);
    }
}

// Output of store_blocks.
struct Sums {
    // X of the band: uint32_t or uint64_t; `pitch` elements per row.
    void *sums;
    int64_t pitch;
    // Size of the band in map elements.
    int32_t width, height;
    // 0: overwrite; 1: add.
    int32_t add;
    // 16 bits: weight of the template's byte, 2^shift.
    int32_t shift;
    // 1 / number of points: cuFFT does not scale its inverse.
    double scale;
};

// Stores or adds one element of X; elements outside the band are dropped.
template <class Sum> __device__ void store_sum(const Sums &s, int2 at, Sum value)
{
    if (at.x >= s.width || at.y >= s.height)
        return;
    Sum *sum = static_cast<Sum *>(s.sums) + at.y * s.pitch + at.x;
    *sum = s.add ? *sum + value : value;
}

// The nearest integer. Signed rounding, because an exact 0 may arrive as a small negative number.
__device__ uint64_t nearest(double value)
{
    return static_cast<uint64_t>(__double2ll_rn(value));
}

// Stores point `at` of a transform: 8 bits, two blocks.
template <class Sum>
__device__ void store_point(const Blocks &b, const Sums &s, int transform, int2 at, double2 v,
                            unsigned char)
{
    int block = b.first + 2 * transform;
    int2 even = block_start(b, block), odd = block_start(b, block + 1);
    if (block < b.count)
        store_sum(s, make_int2(even.x + at.x, even.y + at.y),
                  static_cast<Sum>(nearest(v.x * s.scale)));
    if (block + 1 < b.count)
        store_sum(s, make_int2(odd.x + at.x, odd.y + at.y),
                  static_cast<Sum>(nearest(v.y * s.scale)));
}

// The same, 16 bits: real + 2^8 imaginary, times the weight of the template's byte.
template <class Sum>
__device__ void store_point(const Blocks &b, const Sums &s, int transform, int2 at, double2 v,
                            unsigned short)
{
    int block = b.first + transform;
    int2 start = block_start(b, block);
    uint64_t value = nearest(v.x * s.scale) + (nearest(v.y * s.scale) << 8);
    if (block < b.count)
        store_sum(s, make_int2(start.x + at.x, start.y + at.y), static_cast<Sum>(value << s.shift));
}

// Rounds the step_x x step_y valid points of each transform and stores them.
template <class Pixel, class Sum>
__global__ __launch_bounds__(THREADS) void store_blocks(Blocks b, Sums s, const double2 *data)
{
    int x = blockIdx.x * THREADS + threadIdx.x, y = blockIdx.y, transform = blockIdx.z;
    if (x < b.step_x)
        store_point<Sum>(b, s, transform, make_int2(x, y),
                         data[(static_cast<int64_t>(transform) * b.height + y) * b.width + x],
                         Pixel());
}

} // namespace

// The parameters of one correlate() call, and the batch being worked on.
struct Fft::Pass {
    const CorrelateJob *job;
    bool narrow;
    cudaStream_t stream;
    Blocks batch;
};

xncc_status Fft::make(const xncc_problem &problem, const xncc_fft_blocks &decided,
                      unsigned char *memory, xncc_error *error)
{
    pixel = problem.pixel;
    blocks = decided;
    across = ceil_div(problem.templ_width, blocks.columns);
    down = ceil_div(problem.templ_height, blocks.rows);
    xncc_fft_buffers buffers = xncc_fft_workspace(&problem, &blocks);
    data = reinterpret_cast<double2 *>(memory);
    product = reinterpret_cast<double2 *>(memory + buffers.data);
    spectrum = reinterpret_cast<double2 *>(memory + buffers.data + buffers.product);
    return plans.make("fft", &blocks, memory + buffers.data + buffers.product + buffers.spectrum,
                      buffers.area, error);
}

// Computes the spectrum of the current piece, one plane per byte.
cudaError_t Fft::transform_template(const Pass &pass, const DeviceTemplate &templ)
{
    size_t size = xncc_pixel_size(pixel);
    TemplatePiece t = {};
    t.pixels = templ.pixels.as<unsigned char>() +
               static_cast<size_t>(pass.batch.top) * templ.pitch +
               static_cast<size_t>(pass.batch.left) * size;
    t.pitch = templ.pitch;
    t.width = templ.width - pass.batch.left < blocks.columns ? templ.width - pass.batch.left
                                                             : blocks.columns;
    t.height = templ.height - pass.batch.top < blocks.rows ? templ.height - pass.batch.top
                                                           : blocks.rows;
    dim3 grid = rows_grid(blocks.width, blocks.height, THREADS);
    int64_t points = static_cast<int64_t>(blocks.width) * blocks.height;
    cudaError_t code = cudaSuccess;
    for (int plane = 0; plane < xncc_fft_planes(pixel) && code == cudaSuccess; plane++) {
        double2 *target = spectrum + plane * points;
        t.shift = 8 * plane;
        with_integer(pixel, [&](auto of) {
            load_template<decltype(of)><<<grid, THREADS, 0, pass.stream>>>(t, blocks.width, target);
        });
        code = cudaGetLastError();
        if (code == cudaSuccess)
            code = plans.single().execute(target, FFT_FORWARD, pass.stream);
    }
    return code;
}

// One batch: forward transforms, multiplication by the template's spectrum, inverse transforms, and
// the rounded sums. Sums are added for every piece but the first and every template byte but the
// first.
cudaError_t Fft::transform_blocks(const Pass &pass)
{
    const Blocks &b = pass.batch;
    cudaStream_t stream = pass.stream;
    double2 *there = data, *back = pixel == XNCC_U8 ? there : product;
    int64_t points = static_cast<int64_t>(blocks.width) * blocks.height;
    dim3 all = rows_grid(b.width, b.height, THREADS, blocks.batch),
         useful = rows_grid(b.step_x, b.step_y, THREADS, blocks.batch);
    with_integer(
        pixel, [&](auto of) { load_blocks<decltype(of)><<<all, THREADS, 0, stream>>>(b, there); });
    cudaError_t code = cudaGetLastError();
    if (code == cudaSuccess)
        code = plans.batch().execute(there, FFT_FORWARD, stream);
    Sums sums = { pass.job->sums,
                  pass.job->pitch,
                  pass.job->width,
                  pass.job->height,
                  b.left || b.top,
                  0,
                  1.0 / static_cast<double>(points) };
    for (int plane = 0; plane < xncc_fft_planes(pixel) && code == cudaSuccess; plane++) {
        multiply<<<static_cast<unsigned>(ceil_div<int64_t>(points, THREADS)), THREADS, 0, stream>>>(
            there, spectrum + plane * points, back, points, blocks.batch);
        code = cudaGetLastError();
        if (code == cudaSuccess)
            code = plans.batch().execute(back, FFT_INVERSE, stream);
        if (code != cudaSuccess)
            break;
        sums.add = sums.add || plane > 0;
        sums.shift = 8 * plane;
        with_integer_sum(pixel, pass.narrow, [&](auto of, auto sum) {
            store_blocks<decltype(of), decltype(sum)>
                <<<useful, THREADS, 0, stream>>>(b, sums, back);
        });
        code = cudaGetLastError();
    }
    return code;
}

xncc_status Fft::correlate(const CorrelateJob &job, bool narrow, const DeviceTemplate &templ,
                           cudaStream_t stream, xncc_error *error)
{
    Pass pass = { &job, narrow, stream, {} };
    Blocks &b = pass.batch;
    b.stage = job.stage;
    b.width = blocks.width;
    b.height = blocks.height;
    b.step_x = blocks.width - blocks.columns + 1;
    b.step_y = blocks.height - blocks.rows + 1;
    b.across = ceil_div(job.width, b.step_x);
    b.count = b.across * ceil_div(job.height, b.step_y);
    int32_t step = blocks.batch * xncc_fft_blocks_per_transform(pixel);
    cudaError_t code = cudaSuccess;
    for (int32_t piece = 0; piece < across * down && code == cudaSuccess; piece++) {
        b.left = piece % across * blocks.columns;
        b.top = piece / across * blocks.rows;
        bool ready = false;
        code = held.look_for(templ, piece, stream, &ready);
        if (code == cudaSuccess && !ready)
            code = transform_template(pass, templ);
        for (b.first = 0; b.first < b.count && code == cudaSuccess; b.first += step)
            code = transform_blocks(pass);
    }
    if (code != cudaSuccess)
        held.forget();
    return check(code, "correlating by Fourier transforms", error);
}

} // namespace xncc
