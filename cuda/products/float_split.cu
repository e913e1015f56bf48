// SPDX-License-Identifier: BSD-2-Clause
// The products of kernel float-split (float_split.h): a kernel for each pass over a block
// (split_passes.cuh).
//
// Thread mapping: split_rows and join_rows have blocks of 256 threads with 4096 points of one row
// or several, multiply_columns blocks of 512 with 8192 points. Few blocks are launched, which take
// one piece after the other. Shared memory: at most 160 KB per block. Any compute capability that
// has it.
//
// Outliers and samples that are not finite count as 0 (FloatConstants).
#include "cuda/products/float_split.h"

#include "cuda/products/split_passes.cuh"
#include "cuda/runtime/shared_memory.h"

namespace xncc {

namespace {

constexpr int THREADS = 256, BLOCKS = 2; // the latter per multiprocessor
constexpr xncc_pixel TEMPLATE = XNCC_F64;
static_assert(THREADS * SPLIT_EACH == XNCC_SPLIT_POINTS, "the decision has other blocks");

// The share of this thread block in a launch.
__device__ __forceinline__ SplitShare share_of(const SplitJob &job)
{
    SplitShare share = {};
    share.first = job.first;
    share.index = static_cast<int>(blockIdx.x);
    share.of = static_cast<int>(gridDim.x);
    share.limit = job.constants->limit;
    share.units = job.set.units;
    return share;
}

template <xncc_pixel PIXEL, bool TEMPL, int R>
__global__ __launch_bounds__(THREADS, BLOCKS) void split_rows(const __grid_constant__ SplitJob job)
{
    if constexpr (LINES_BUILT)
        split_rows_of<PIXEL, TEMPL, R, THREADS>(job, share_of(job));
}

template <bool TEMPL, bool SUMS, int R>
__global__ __launch_bounds__(SPLIT_COLUMN_THREADS,
                             1) void multiply_columns(const __grid_constant__ SplitJob job)
{
    if constexpr (LINES_BUILT)
        multiply_columns_of<TEMPL, SUMS, R>(job, share_of(job));
}

template <int R>
__global__ __launch_bounds__(THREADS, BLOCKS) void join_rows(const __grid_constant__ SplitJob job)
{
    if constexpr (LINES_BUILT)
        join_rows_of<R, THREADS, false>(job, share_of(job));
}

__global__ __launch_bounds__(THREADS) void make_turns(double2 *turns)
{
    lay_out_turns(turns, XNCC_SPLIT_MOST, static_cast<int>(blockIdx.x * THREADS + threadIdx.x),
                  static_cast<int>(gridDim.x) * THREADS);
}

__global__ __launch_bounds__(THREADS) void keep_bounds(const double *from, double *to, int count,
                                                       bool adds)
{
    const int i = static_cast<int>(blockIdx.x * THREADS + threadIdx.x);
    if (i < count)
        to[i] = adds ? 1.01 * (to[i] + from[i]) : from[i];
}

// Raises the dynamic shared-memory limit of the kernels for lines of 256 R points.
template <int R> cudaError_t raise_limits()
{
    cudaError_t code = set_max_shared_memory(split_shared<R>(THREADS), join_rows<R>,
                                             split_rows<TEMPLATE, true, R>);
    if (code == cudaSuccess)
        code = set_max_shared_memory(
            split_shared<R>(SPLIT_COLUMN_THREADS), multiply_columns<true, false, R>,
            multiply_columns<false, false, R>, multiply_columns<false, true, R>);
    each_float_pixel([&](auto type) {
        if (code == cudaSuccess)
            code = set_max_shared_memory(split_shared<R>(THREADS), split_rows<type, false, R>);
    });
    return code;
}

template <class Kernel>
cudaError_t launch(Kernel *kernel, const SplitJob &job, int64_t pieces, int blocks, int threads,
                   size_t shared, cudaStream_t stream)
{
    kernel<<<static_cast<unsigned>(pieces < blocks ? pieces : blocks), threads, shared, stream>>>(
        job);
    return cudaGetLastError();
}

template <xncc_pixel PIXEL, bool TEMPL>
cudaError_t launch_rows(const SplitJob &job, int processors, cudaStream_t stream)
{
    cudaError_t code = cudaSuccess;
    with_side(job.set.of.width, [&](auto r) {
        constexpr int R = decltype(r)::value;
        code = launch(split_rows<PIXEL, TEMPL, R>, job,
                      int64_t{ job.set.of.height } * Line<R>::THREADS / THREADS *
                          (TEMPL ? 1 : job.batch),
                      processors * BLOCKS, THREADS, split_shared<R>(THREADS), stream);
    });
    return code;
}

template <bool TEMPL, bool SUMS>
cudaError_t launch_columns(const SplitJob &job, int processors, cudaStream_t stream)
{
    cudaError_t code = cudaSuccess;
    with_side(job.set.of.height, [&](auto r) {
        constexpr int R = decltype(r)::value;
        code = launch(multiply_columns<TEMPL, SUMS, R>, job,
                      ceil_div<int64_t>(job.set.of.width / 2 + 1,
                                        SPLIT_COLUMN_THREADS / 2 / Line<R>::THREADS) *
                          (TEMPL ? 1 : job.batch),
                      processors, SPLIT_COLUMN_THREADS, split_shared<R>(SPLIT_COLUMN_THREADS),
                      stream);
    });
    return code;
}

cudaError_t launch_join(const SplitJob &job, int processors, cudaStream_t stream)
{
    cudaError_t code = cudaSuccess;
    with_side(job.set.of.width, [&](auto r) {
        constexpr int R = decltype(r)::value;
        code = launch(join_rows<R>, job,
                      ceil_div<int64_t>(job.set.of.step_y, THREADS / Line<R>::THREADS) * job.batch,
                      processors * BLOCKS, THREADS, split_shared<R>(THREADS), stream);
    });
    return code;
}

SplitBlocks lay_out(const xncc_fft_blocks &of)
{
    SplitBlocks set = {};
    set.of.width = of.width;
    set.of.height = of.height;
    set.of.each = 1;
    set.of.step_x = of.width - of.columns + 1;
    set.of.step_y = of.height - of.rows + 1;
    set.templ_width = of.columns;
    set.templ_height = of.rows;
    set.split = xncc_split_make(&of);
    return set;
}

} // namespace

cudaError_t FloatSplit::make(const xncc_fft_blocks &b, int of, unsigned char *memory)
{
    static_assert(sizeof(FloatConstants) <= XNCC_FFT_CONSTANTS, "the decision has less room");
    static_assert(sizeof(FloatLevels) <= XNCC_SPLIT_LEVELS_BYTES, "the decision has less room");
    const xncc_split_buffers w = xncc_split_workspace(&b);
    processors = of;
    batch = b.batch;
    set = lay_out(b);
    data = other = reinterpret_cast<double2 *>(memory);
    memory += w.data;
    if (b.together > 1) {
        other = reinterpret_cast<double2 *>(memory);
        memory += w.other;
    }
    set.spectrum = reinterpret_cast<double2 *>(memory);
    spectrum_step = static_cast<int64_t>(w.spectrum / sizeof(double2));
    memory += w.spectrum * static_cast<uint64_t>(b.together);
    turns = reinterpret_cast<double2 *>(memory);
    unsigned char *rest = memory + w.turns;
    state = reinterpret_cast<FloatConstants *>(rest);
    levels = reinterpret_cast<FloatLevels *>(rest + XNCC_FFT_CONSTANTS);
    set.templ = reinterpret_cast<double2 *>(rest + XNCC_FFT_CONSTANTS + XNCC_SPLIT_LEVELS_BYTES);
    set.units = set.templ + b.together;
    set.step = b.count;
    level_units = set.units + static_cast<int64_t>(b.together) * b.count;
    set.of.squares = reinterpret_cast<double *>(level_units + XNCC_SPLIT_LEVELS * b.count);
    set.of.error = set.of.squares + b.count;
    set.outside = set.of.error + static_cast<int64_t>(b.together) * b.count;
    level_squares = set.outside + b.count;
    level_error = level_squares + XNCC_SPLIT_LEVELS * b.count;
    static_assert(sizeof(BlockSizes) == sizeof(double), "the decision has other room");
    block_sizes = reinterpret_cast<BlockSizes *>(level_error + XNCC_SPLIT_LEVELS * b.count);
    sum_error = level_error + (XNCC_SPLIT_LEVELS + 1) * b.count;
    templ_samples = sum_error + static_cast<int64_t>(b.sums) * b.count;
    cudaError_t code = split_levels_set_max_shared_memory();
    for (int32_t side = XNCC_SPLIT_LEAST; side <= XNCC_SPLIT_MOST; side *= 2)
        with_side(side, [&](auto r) {
            if (code == cudaSuccess)
                code = raise_limits<decltype(r)::value>();
        });
    return code;
}

void FloatSplit::cover(int32_t width, int32_t height)
{
    set.of.across = ceil_div(width, set.of.step_x);
    set.of.count = set.of.across * ceil_div(height, set.of.step_y);
}

cudaError_t FloatSplit::begin(cudaStream_t stream) const
{
    const int factors = static_cast<int>(turns_of(turns, 2 * XNCC_SPLIT_MOST) - turns);
    make_turns<<<static_cast<unsigned>(ceil_div(factors, THREADS)), THREADS, 0, stream>>>(turns);
    return cudaGetLastError();
}

cudaError_t FloatSplit::transform_template(int product, cudaStream_t stream) const
{
    const SplitJob job = make_job(product);
    cudaError_t code = launch_template_unit(job, stream);
    if (code == cudaSuccess)
        code = launch_rows<TEMPLATE, true>(job, processors, stream);
    return code == cudaSuccess ? launch_columns<true, false>(job, processors, stream) : code;
}

SplitJob FloatSplit::make_job(int product) const
{
    SplitJob job = {};
    job.constants = state;
    job.set = set;
    job.set.together = job.set.channels = 1;
    job.begins = job.ends = true;
    job.set.templ += product;
    job.set.units += static_cast<int64_t>(product) * set.step;
    job.set.of.error += static_cast<int64_t>(product) * set.step;
    job.set.spectrum += product * spectrum_step;
    job.turns = turns;
    job.row_turns = turns_of(turns, set.of.width);
    job.column_turns = turns_of(turns, set.of.height);
    job.data = job.to = data;
    job.batch = batch;
    return job;
}

cudaError_t FloatSplit::transform_blocks(const FloatProductsJob *of, int count,
                                         cudaStream_t stream) const
{
    SplitJob rows = make_job(0);
    rows.products = *of;
    rows.set.together = count;
    cudaError_t code = launch_units(rows, of, 1, processors, stream);
    for (; rows.first < set.of.count && code == cudaSuccess; rows.first += batch) {
        with_float_pixel(of->image.image.pixel, [&](auto type) {
            code = launch_rows<type, false>(rows, processors, stream);
        });
        for (int product = 0; product < count && code == cudaSuccess; product++) {
            SplitJob job = make_job(product);
            job.products = of[product];
            job.first = rows.first;
            job.to = product + 1 < count ? other : data; // the last one needs the rows no longer
            code = launch_columns<false, false>(job, processors, stream);
            if (code == cudaSuccess)
                code = launch_join(job, processors, stream);
        }
    }
    return code;
}

cudaError_t FloatSplit::transform_channels(const FloatProductsJob *of, int count,
                                           cudaStream_t stream) const
{
    SplitJob all = make_job(0);
    all.products = *of;
    all.set.channels = count;
    cudaError_t code = launch_units(all, of, count, processors, stream);
    for (int first = 0; first < set.of.count; first += batch)
        for (int channel = 0; channel < count && code == cudaSuccess; channel++) {
            SplitJob job = make_job(0); // which has the units of all
            job.products = of[channel];
            job.first = first;
            job.set.spectrum += channel * spectrum_step;
            job.channels = other;
            job.begins = channel == 0;
            job.ends = channel + 1 == count;
            with_float_pixel(job.products.image.image.pixel, [&](auto type) {
                code = launch_rows<type, false>(job, processors, stream);
            });
            if (code == cudaSuccess)
                code = launch_columns<false, true>(job, processors, stream);
            if (code == cudaSuccess && job.ends)
                code = launch_join(job, processors, stream);
        }
    return code;
}

cudaError_t FloatSplit::keep_errors(int product, int sum, bool adds, cudaStream_t stream) const
{
    const int count = set.of.count;
    keep_bounds<<<static_cast<unsigned>(ceil_div(count, THREADS)), THREADS, 0, stream>>>(
        set.of.error + static_cast<int64_t>(product) * set.step,
        sum_error + static_cast<int64_t>(sum) * count, count, adds);
    return cudaGetLastError();
}

cudaError_t FloatSplit::transform_levels(const FloatProductsJob &of, bool exact_follow, int most,
                                         cudaStream_t stream) const
{
    LevelsJob job = {};
    job.split = make_job(0);
    job.split.products = of;
    job.makes_template = serves;
    job.makes_all = serves && !exact_follow;
    job.most = exact_follow ? most : XNCC_SPLIT_LEVELS;
    job.levels = levels;
    job.sizes = block_sizes;
    job.units = level_units;
    job.squares = level_squares;
    job.error = level_error;
    return launch_levels(job, processors, stream);
}

} // namespace xncc
