// SPDX-License-Identifier: BSD-2-Clause
// The units of samples in two parts, the outliers, and the bounds of the errors of X
// (split_units.cuh). Blocks of 256 threads; no shared memory; any compute capability.
#include "cuda/products/split_units.cuh"

namespace xncc {

namespace {

constexpr int THREADS = 256, BLOCKS = 8; // the latter per multiprocessor
// Blocks that a multiprocessor has room for: before compute capability 8.0, 1024 threads.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
constexpr int RESIDENT = 4;
#else
constexpr int RESIDENT = 5;
#endif

// Puts an outlier on the list, if it has room.
__device__ void list_outlier(FloatConstants *constants, int x, int y, double v)
{
    if (__ldcg(&constants->outliers) > MOST_OUTLIERS)
        return;
    const uint32_t at = atomicAdd(&constants->outliers, 1u);
    if (at < MOST_OUTLIERS)
        constants->outlier[at] = FloatOutlier{ x, y, v };
}

// Sums of squares: of samples, and of outliers.
struct Squares {
    double samples, outliers;
};

// The squares of column x of a block, in rows y .. y + SQUARE_ROWS - 1, where not all samples are
// usual ones. Blocks overlap: an outlier is listed by the block whose windows begin there, or by
// the last one.
template <xncc_pixel PIXEL>
__device__ __noinline__ Squares look_for_outliers(const SplitJob &job, int block, int x, int y)
{
    const FloatBlocks &b = job.set.of;
    const int2 start = block_start(b, block);
    const bool last_x = (block + 1) % b.across == 0, last_y = block + b.across >= b.count;
    Squares sums = {};
    for (int k = 0; k < SQUARE_ROWS; k++) {
        const double v = float_value<PIXEL>(job.products.image, start.x + x, start.y + y + k,
                                            job.constants->image_pivot);
        if (upper_half(v) <= job.constants->limit) {
            sums.samples += v * v;
        } else if (isfinite(v)) {
            sums.outliers += v * v;
            if ((x < b.step_x || last_x) && (y + k < b.step_y || last_y))
                list_outlier(job.constants, start.x + x, start.y + y + k, v);
        }
    }
    return sums;
}

// The sums of the squares of the blocks' samples.
template <xncc_pixel PIXEL>
__global__ __launch_bounds__(THREADS,
                             RESIDENT) void add_squares(const __grid_constant__ SplitJob job)
{
    const FloatBlocks &b = job.set.of;
    const FloatImage &of = job.products.image;
    const double pivot = job.constants->image_pivot;
    const int32_t limit = job.constants->limit;
    const int pieces = b.height / SQUARE_ROWS;
    for (int piece = static_cast<int>(blockIdx.x); piece < pieces * b.count;
         piece += static_cast<int>(gridDim.x)) {
        const int block = piece / pieces, y0 = piece % pieces * SQUARE_ROWS;
        const int2 start = block_start(b, block);
        double square = 0.0, outside = 0.0;
        for (int x = static_cast<int>(threadIdx.x); x < b.width; x += THREADS) {
            double more = 0.0;
            int32_t largest = 0;
            each_below<PIXEL>(of, start.x + x, start.y + y0, pivot, [&](double v) {
                more += v * v;
                largest = max(largest, upper_half(v));
            });
            if (largest > limit) {
                const Squares sums = look_for_outliers<PIXEL>(job, block, x, y0);
                more = sums.samples;
                outside += sums.outliers;
            }
            square += more;
        }
        add_to(b.squares + block, square);
        add_to(job.set.outside + block, outside);
    }
}

__global__ void template_unit(const __grid_constant__ SplitJob job)
{
    choose_template_unit(job);
}

// Whether the band has more outliers than the list has room for: then none is one, and the list is
// empty. One block of threads.
__device__ bool forgets_outliers(FloatConstants *constants)
{
    const bool forgets = constants->outliers > MOST_OUTLIERS;
    __syncthreads();
    if (forgets && threadIdx.x == 0) {
        constants->outliers = 0;
        constants->limit = ALL_FINITE;
    }
    return forgets;
}

// The units of a block and the bounds of the errors, of all products that are made together: the
// image has one unit for all of them.
__device__ void choose_units_of(const SplitJob &job, int block, double square)
{
    const SplitBlocks &set = job.set;
    double unit = 0.0;
    for (int turn = set.together > 1 ? 0 : 1; turn < 2; turn++) {
        const double least = unit;
        for (int i = 0; i < set.together; i++) {
            double2 *units = set.units + int64_t{ i } * set.step + block;
            double *bound = set.of.error + int64_t{ i } * set.step + block;
            choose_unit(job, set.templ[i], block, square, least, units, bound);
            unit = fmax(unit, units->x);
            if (turn == 1 && set.together > 1 && units->x != least)
                *bound = INFINITY;
        }
    }
}

// The units of the blocks, and the bounds of X's errors in them. One block of threads.
__global__ void choose_units(const __grid_constant__ SplitJob job)
{
    const FloatBlocks &b = job.set.of;
    const bool forgets = forgets_outliers(job.constants);
    for (int block = static_cast<int>(threadIdx.x); block < b.count; block += THREADS)
        choose_units_of(job, block, b.squares[block] + (forgets ? job.set.outside[block] : 0.0));
}

} // namespace

cudaError_t launch_template_unit(const SplitJob &job, cudaStream_t stream)
{
    template_unit<<<1, 1, 0, stream>>>(job);
    return cudaGetLastError();
}

cudaError_t launch_units(const SplitJob &job, const FloatProductsJob *images, int count,
                         int processors, cudaStream_t stream)
{
    const FloatBlocks &b = job.set.of;
    const int64_t pieces = int64_t{ b.height } / SQUARE_ROWS * b.count,
                  most = int64_t{ processors } * BLOCKS;
    cudaError_t code = cudaSuccess;
    for (double *sums : { b.squares, job.set.outside })
        if (code == cudaSuccess)
            code = cudaMemsetAsync(sums, 0, static_cast<size_t>(b.count) * sizeof(double), stream);
    for (int i = 0; i < count && code == cudaSuccess; i++) {
        SplitJob one = job;
        one.products = images[i];
        with_float_pixel(one.products.image.image.pixel, [&](auto type) {
            add_squares<type>
                <<<static_cast<unsigned>(pieces < most ? pieces : most), THREADS, 0, stream>>>(one);
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
