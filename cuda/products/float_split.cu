// SPDX-License-Identifier: BSD-2-Clause
// The products of kernel float-split (float_split.h): three passes over a block.
//
// 1. split_rows transforms rows of z = v' + i w, w the rest of the samples times 2^bits. v' and w
//    are real, so the two halves of a row's transform Z have the transforms of both:
//    2 V[f] = Z[f] + conj Z[-f] and 2 i W[f] = Z[f] - conj Z[-f]. V and W are stored side by side,
//    for half of the frequencies.
// 2. multiply_columns transforms the columns of V and of W, multiplies by the template's, and
//    transforms back: P = V conj(T'), and R = W conj(T) + V conj(L), with L the transform of the
//    rest of the template, times the same 2^bits, and T = T' + L / 2^bits.
// 3. join_rows transforms rows of P + i R back, whose real part is that of the products of leading
//    parts, and whose imaginary part is the rest.
//
// Frequencies are in the order in which the threads have them (line_fft.cuh), in the image as in
// the template, so that nothing is put in order.
//
// Layout of the data in between: GROUP frequencies of a row are adjacent, V and W of each; then
// comes the next row. So rows are written and read in pieces of 128 bytes, and columns in pieces of
// 32 bytes whose neighbours other blocks read at the same time.
//
// Thread mapping: split_rows and join_rows have blocks of 256 threads with 4096 points of one row
// or several, multiply_columns blocks of 512 with 8192 points: half of a warp has 16 points of each
// of 16 threads of a column of V, the other half the same of W. Blocks take one piece after the
// other, so that few of them are launched where there is nothing to do. Shared memory: at most 160
// KB per block. Any compute capability that has it. Only the next row of the image is asked for in
// advance: the same for columns took half as long again, since the second-level cache had no room.
//
// Outliers and samples that are not finite count as 0 (FloatConstants).
#include "cuda/products/float_split.h"

#include "cuda/planes/float_image.cuh"
#include "cuda/products/line_fft.cuh"
#include "cuda/products/split_units.cuh"

namespace xncc {

namespace {

constexpr int THREADS = 256, BLOCKS = 2; // the latter per multiprocessor
constexpr int COLUMN_THREADS = 512;
constexpr int HALF = 16; // lanes of a warp that have V, and that have W
constexpr int EACH = 16; // points of a thread
constexpr int GROUP = XNCC_SPLIT_GROUP;
constexpr unsigned ALL = 0xffffffffu;
constexpr double WHOLE = 0x1.8p52; // added and subtracted, it rounds to multiples of its unit

// Where V of a frequency and a row is; that of W follows.
__device__ __forceinline__ int64_t place_of(int frequency, int y, int height)
{
    return (static_cast<int64_t>(frequency / GROUP) * height + y) * (2 * GROUP) +
           2 * (frequency % GROUP);
}

// Rows of a block that are not 0.
template <bool TEMPL> __device__ __forceinline__ int rows_of(const SplitJob &job, int2 start)
{
    return TEMPL ? job.templ.height : min(job.set.of.height, job.products.image.rows - start.y);
}

// A sample of a row that leaves the image or the band. Not inlined, since it is called 16 times.
template <xncc_pixel PIXEL>
__device__ __noinline__ double sample_outside(const FloatImage &of, int x, int y, double pivot)
{
    return float_value<PIXEL>(of, x, y, pivot);
}

// The template's samples, or those of the image, as the transforms take them.
template <xncc_pixel PIXEL, bool TEMPL, int STEP>
__device__ __forceinline__ void load_row(const SplitJob &job, int2 start, int x, int y,
                                         double (&v)[EACH])
{
    const FloatImage &of = job.products.image;
    const double pivot = TEMPL ? job.constants->pivot : job.constants->image_pivot;
    if constexpr (TEMPL) {
#pragma unroll
        for (int j = 0; j < EACH; j++)
            v[j] = x + j * STEP < job.templ.width && y < job.templ.height
                       ? xncc_sum(templ_sample<PIXEL>(job.templ, x + j * STEP, y), -pivot)
                       : 0.0;
    } else {
        const int columns = min(job.set.of.width, of.columns - start.x);
        const unsigned char *row = float_column<PIXEL>(of, start.x, start.y + y, 1);
        if (row && of.x + start.x + columns <= of.image.width) {
#pragma unroll
            for (int j = 0; j < EACH; j++)
                v[j] = x + j * STEP < columns
                           ? xncc_sum(xncc_sample_value(PIXEL, row, x + j * STEP), -pivot)
                           : 0.0;
        } else {
#pragma unroll
            for (int j = 0; j < EACH; j++)
                v[j] = x + j * STEP < columns
                           ? sample_outside<PIXEL>(of, start.x + x + j * STEP, start.y + y, pivot)
                           : 0.0;
        }
        const int32_t limit = job.constants->limit;
        int32_t largest = 0;
#pragma unroll
        for (int j = 0; j < EACH; j++)
            largest = max(largest, upper_half(v[j]));
        if (largest > limit) {
#pragma unroll
            for (int j = 0; j < EACH; j++)
                v[j] = within(v[j], limit);
        }
    }
}

// Asks for a row of the image; `lanes` threads share the work.
template <xncc_pixel PIXEL>
__device__ __forceinline__ void prefetch_row(const SplitJob &job, int2 start, int y, int lane,
                                             int lanes)
{
    const FloatImage &of = job.products.image;
    const unsigned char *row = float_column<PIXEL>(of, start.x, start.y + y, 1);
    const int64_t bytes = int64_t{ min(job.set.of.width, of.columns - start.x) } *
                          xncc_pixel_digits(PIXEL);
    for (int64_t at = int64_t{ lane } * 128; row && at < bytes; at += int64_t{ lanes } * 128)
        asm volatile("prefetch.global.L2 [%0];" ::"l"(row + at));
}

template <xncc_pixel PIXEL, bool TEMPL, int R>
__global__ __launch_bounds__(THREADS, BLOCKS) void split_rows(const __grid_constant__ SplitJob job)
{
    using Row = Line<R>;
    constexpr int LINES = THREADS / Row::THREADS, HALVES = Row::POINTS / 2;
    extern __shared__ __align__(16) unsigned char memory[];
    const int own = static_cast<int>(threadIdx.x), line = own / Row::THREADS,
              t = own % Row::THREADS, pieces = job.set.of.height / LINES;
    double2 *room = reinterpret_cast<double2 *>(memory) + line * Row::ROOM;
    if (is_idle(job))
        return;
    const double scale = scalbn(1.0, job.set.split.bits);
    for (int piece = static_cast<int>(blockIdx.x); piece < pieces * job.batch;
         piece += static_cast<int>(gridDim.x)) {
        const int transform = piece / pieces, block = job.first + transform,
                  y = piece % pieces * LINES + line;
        if (block >= job.set.of.count)
            break;
        const int2 start = block_start(job.set.of, block);
        const int rows = rows_of<TEMPL>(job, start);
        if (piece % pieces * LINES >= rows)
            continue;
        const double lift = WHOLE * (TEMPL ? job.set.templ->x : job.set.units[block].x);
        double real[EACH] = {};
        if (y < rows)
            load_row<PIXEL, TEMPL, Row::THREADS>(job, start, t, y, real);
        double2 v[EACH];
#pragma unroll
        for (int j = 0; j < EACH; j++) {
            const double leading = (real[j] + lift) - lift;
            v[j] = make_double2(leading, (real[j] - leading) * scale);
        }
        Row::forward(v, room, t, job.row_turns);
        __syncthreads();
        const int later = piece + static_cast<int>(gridDim.x);
        if (!TEMPL && later / pieces == transform)
            prefetch_row<PIXEL>(job, start, later % pieces * LINES + line, t, Row::THREADS);
#pragma unroll
        for (int i = 0; i < EACH; i++)
            room[Row::at(Row::frequency(t, i))] = v[i];
        __syncthreads();
        double2 *to = job.data + transform * place_of(HALVES + GROUP, 0, job.set.of.height);
        const bool rest = t % 2;
        for (int f = t / 2; f <= HALVES && y < rows; f += Row::THREADS / 2) {
            const double2 a = room[Row::at(f)], b = room[Row::at((Row::POINTS - f) % Row::POINTS)];
            to[place_of(f, y, job.set.of.height) + rest] = rest
                                                               ? make_double2(a.y + b.y, b.x - a.x)
                                                               : make_double2(a.x + b.x, a.y - b.y);
        }
        __syncthreads();
    }
}

__device__ __forceinline__ double2 from_lane(double2 v, int lane)
{
    return make_double2(__shfl_sync(ALL, v.x, lane), __shfl_sync(ALL, v.y, lane));
}

// v conj(t)
__device__ __forceinline__ double2 times_conjugate(double2 v, double2 t)
{
    return make_double2(fma(v.x, t.x, v.y * t.y), fma(v.y, t.x, -(v.x * t.y)));
}

// TEMPL: stores the template's spectrum, over the points and over the 2 of V and T each.
template <bool TEMPL, int R>
__global__ __launch_bounds__(COLUMN_THREADS,
                             1) void multiply_columns(const __grid_constant__ SplitJob job)
{
    using Column = Line<R>;
    constexpr int WARPS = Column::THREADS / HALF; // per column
    constexpr int COLUMNS = COLUMN_THREADS / 2 / Column::THREADS;
    extern __shared__ __align__(16) unsigned char memory[];
    const int own = static_cast<int>(threadIdx.x), lane = own % (2 * HALF), warp = own / (2 * HALF),
              column = warp / WARPS, t = warp % WARPS * HALF + lane % HALF, rest = lane / HALF;
    const int columns = job.set.of.width / 2 + 1, pieces = ceil_div(columns, COLUMNS);
    double2 *room = reinterpret_cast<double2 *>(memory) + (2 * column + rest) * Column::ROOM;
    if (is_idle(job))
        return;
    const double finest = scalbn(1.0, -job.set.split.bits);
    for (int piece = static_cast<int>(blockIdx.x); piece < pieces * job.batch;
         piece += static_cast<int>(gridDim.x)) {
        const int transform = piece / pieces, block = job.first + transform,
                  frequency = piece % pieces * COLUMNS + column;
        if (block >= job.set.of.count)
            break;
        const int2 start = block_start(job.set.of, block);
        const int rows = frequency < columns ? rows_of<TEMPL>(job, start) : 0;
        double2 *data = job.data +
                        transform * place_of(job.set.of.width / 2 + GROUP, 0, Column::POINTS) +
                        place_of(frequency, 0, Column::POINTS) + rest;
        double2 *spectrum = job.set.spectrum +
                            static_cast<int64_t>(piece % pieces) * EACH * COLUMN_THREADS + own;
        double2 v[EACH];
#pragma unroll
        for (int j = 0; j < EACH; j++) {
            const int y = t + Column::THREADS * j;
            v[j] = y < rows ? data[static_cast<int64_t>(y) * (2 * GROUP)] : make_double2(0.0, 0.0);
        }
        Column::forward(v, room, t, job.column_turns);
        if constexpr (TEMPL) {
            const double scale = 0.25 / (static_cast<double>(job.set.of.width) * Column::POINTS);
#pragma unroll
            for (int i = 0; i < EACH; i++)
                spectrum[i * COLUMN_THREADS] = make_double2(v[i].x * scale, v[i].y * scale);
        } else {
#pragma unroll
            for (int i = 0; i < EACH; i++) {
                const double2 s = spectrum[i * COLUMN_THREADS], leading = from_lane(s, lane % HALF),
                              image = from_lane(v[i], lane % HALF),
                              low = rest ? s : make_double2(0.0, 0.0);
                const double2 whole = make_double2(fma(low.x, finest, leading.x),
                                                   fma(low.y, finest, leading.y));
                v[i] = times_conjugate(v[i], whole) + times_conjugate(image, low);
            }
            Column::back(v, room, t, job.column_turns);
            const int wanted = min(job.set.of.step_y, job.products.height - start.y);
#pragma unroll
            for (int j = 0; j < EACH; j++) {
                const int y = t + Column::THREADS * j;
                if (y < wanted && frequency < columns)
                    data[static_cast<int64_t>(y) * (2 * GROUP)] = v[j];
            }
        }
        __syncthreads();
    }
}

template <int R>
__global__ __launch_bounds__(THREADS, BLOCKS) void join_rows(const __grid_constant__ SplitJob job)
{
    using Row = Line<R>;
    constexpr int LINES = THREADS / Row::THREADS, HALVES = Row::POINTS / 2;
    extern __shared__ __align__(16) unsigned char memory[];
    const int own = static_cast<int>(threadIdx.x), line = own / Row::THREADS,
              t = own % Row::THREADS, pieces = ceil_div(job.set.of.step_y, LINES);
    double2 *room = reinterpret_cast<double2 *>(memory) + line * Row::ROOM;
    if (is_idle(job))
        return;
    const double finest = scalbn(1.0, -job.set.split.bits);
    for (int piece = static_cast<int>(blockIdx.x); piece < pieces * job.batch;
         piece += static_cast<int>(gridDim.x)) {
        const int transform = piece / pieces, block = job.first + transform,
                  y = piece % pieces * LINES + line;
        if (block >= job.set.of.count)
            break;
        const int2 start = block_start(job.set.of, block);
        const int wanted = min(job.set.of.step_y, job.products.height - start.y);
        if (piece % pieces * LINES >= wanted)
            continue;
        const double2 *from = job.data + transform * place_of(HALVES + GROUP, 0, job.set.of.height);
        const bool rest = t % 2;
        double2 v[EACH];
#pragma unroll
        for (int i = 0; i < EACH; i++)
            v[i] = y < wanted
                       ? from[place_of(t / 2 + Row::THREADS / 2 * i, y, job.set.of.height) + rest]
                       : make_double2(0.0, 0.0);
#pragma unroll
        for (int i = 0; i < EACH; i++) {
            // P + i R at f, and conj P + i conj R at -f
            const int f = t / 2 + Row::THREADS / 2 * i;
            const double2 other = make_double2(__shfl_xor_sync(ALL, v[i].x, 1),
                                               __shfl_xor_sync(ALL, v[i].y, 1));
            if (!rest)
                room[Row::at(f)] = make_double2(v[i].x - other.y, v[i].y + other.x);
            else if (f)
                room[Row::at(Row::POINTS - f)] = make_double2(other.x + v[i].y, v[i].x - other.y);
        }
        if (t == 0 && y < wanted) {
            const double2 *middle = from + place_of(HALVES, y, job.set.of.height);
            room[Row::at(HALVES)] = make_double2(middle[0].x - middle[1].y,
                                                 middle[0].y + middle[1].x);
        }
        __syncthreads();
#pragma unroll
        for (int i = 0; i < EACH; i++)
            v[i] = room[Row::at(Row::frequency(t, i))];
        __syncthreads();
        Row::back(v, room, t, job.row_turns);
        const double lift = WHOLE * job.set.units[block].y;
#pragma unroll
        for (int j = 0; j < EACH; j++) {
            const int x = t + Row::THREADS * j;
            if (x < job.set.of.step_x && y < wanted)
                store_product(job.products, start, x, y,
                              fma(v[j].y, finest, (v[j].x + lift) - lift));
        }
        __syncthreads();
    }
}

// Cosines and sines for the lines of one side after the other (Line::TURNS of each).
__global__ __launch_bounds__(THREADS) void make_turns(double2 *turns)
{
    int i = static_cast<int>(blockIdx.x * THREADS + threadIdx.x), side = XNCC_SPLIT_LEAST;
    for (; side < XNCC_SPLIT_MOST && i >= side + side / 16; side *= 2) {
        i -= side + side / 16;
        turns += side + side / 16;
    }
    const int threads = side / 16, radix = side / 256, more = i - side;
    if (more >= threads)
        return;
    const int exponent = more < 0 ? i / threads * (i % threads) : more / radix * (more % radix);
    double sine, cosine;
    sincospi(2.0 * exponent / (more < 0 ? side : threads), &sine, &cosine);
    turns[i] = make_double2(cosine, sine);
}

// Calls a function with R of a side of 256 R points as a constant.
template <class Function> void with_side(int32_t side, const Function &function)
{
    switch (side / 256) {
    case 2: function(std::integral_constant<int, 2>()); break;
    case 4: function(std::integral_constant<int, 4>()); break;
    case 8: function(std::integral_constant<int, 8>()); break;
    case 16: function(std::integral_constant<int, 16>()); break;
    }
}

// Shared memory of a block of `threads` threads.
template <int R> constexpr size_t shared_of(int threads)
{
    static_assert(COLUMN_THREADS / Line<R>::THREADS * Line<R>::ROOM * sizeof(double2) <=
                      XNCC_SPLIT_SHARED,
                  "the decision has less room");
    static_assert(THREADS * EACH == XNCC_SPLIT_POINTS, "the decision has other blocks");
    return static_cast<size_t>(threads / Line<R>::THREADS * Line<R>::ROOM) * sizeof(double2);
}

// The factors of a side behind those of smaller ones.
const double2 *turns_of(const double2 *turns, int32_t side)
{
    for (int32_t smaller = XNCC_SPLIT_LEAST; smaller < side; smaller *= 2)
        turns += smaller + smaller / 16;
    return turns;
}

template <class Kernel> cudaError_t raise_limit(Kernel *kernel, size_t shared)
{
    return cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                static_cast<int>(shared));
}

// Raises the dynamic shared-memory limit of the kernels for lines of 256 R points.
template <int R> cudaError_t raise_limits()
{
    cudaError_t code = raise_limit(join_rows<R>, shared_of<R>(THREADS));
    if (code == cudaSuccess)
        code = raise_limit(multiply_columns<true, R>, shared_of<R>(COLUMN_THREADS));
    if (code == cudaSuccess)
        code = raise_limit(multiply_columns<false, R>, shared_of<R>(COLUMN_THREADS));
    const auto raise_both = [&](auto type) {
        if (code == cudaSuccess)
            code = raise_limit(split_rows<type, true, R>, shared_of<R>(THREADS));
        if (code == cudaSuccess)
            code = raise_limit(split_rows<type, false, R>, shared_of<R>(THREADS));
    };
#define RAISE(pixel, name, type) with_float_pixel(pixel, raise_both);
    XNCC_EACH_PIXEL(RAISE)
#undef RAISE
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

template <bool TEMPL>
cudaError_t launch_rows(const SplitJob &job, xncc_pixel pixel, int processors, cudaStream_t stream)
{
    cudaError_t code = cudaSuccess;
    with_float_pixel(pixel, [&](auto type) {
        with_side(job.set.of.width, [&](auto r) {
            constexpr int R = decltype(r)::value;
            code = launch(split_rows<type, TEMPL, R>, job,
                          int64_t{ job.set.of.height } * Line<R>::THREADS / THREADS * job.batch,
                          processors * BLOCKS, THREADS, shared_of<R>(THREADS), stream);
        });
    });
    return code;
}

template <bool TEMPL>
cudaError_t launch_columns(const SplitJob &job, int processors, cudaStream_t stream)
{
    cudaError_t code = cudaSuccess;
    with_side(job.set.of.height, [&](auto r) {
        constexpr int R = decltype(r)::value;
        code = launch(
            multiply_columns<TEMPL, R>, job,
            ceil_div<int64_t>(job.set.of.width / 2 + 1, COLUMN_THREADS / 2 / Line<R>::THREADS) *
                job.batch,
            processors, COLUMN_THREADS, shared_of<R>(COLUMN_THREADS), stream);
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
                      processors * BLOCKS, THREADS, shared_of<R>(THREADS), stream);
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
    set.split = xncc_split_make(&of);
    return set;
}

} // namespace

cudaError_t FloatSplit::make(const xncc_decision &decision, int of, unsigned char *memory)
{
    static_assert(sizeof(FloatConstants) <= XNCC_FFT_CONSTANTS, "the decision has less room");
    const xncc_fft_blocks &large = decision.fft, small = xncc_split_again(&large);
    const xncc_split_buffers w = xncc_split_workspace(&decision);
    processors = of;
    batch = large.batch;
    again_batch = large.again;
    first = lay_out(large);
    second = lay_out(small);
    data = reinterpret_cast<double2 *>(memory);
    first.spectrum = reinterpret_cast<double2 *>(memory + w.data);
    second.spectrum = reinterpret_cast<double2 *>(memory + w.data + w.spectrum[0]);
    turns = reinterpret_cast<double2 *>(memory + w.data + w.spectrum[0] + w.spectrum[1]);
    unsigned char *rest = memory + w.data + w.spectrum[0] + w.spectrum[1] + w.turns;
    state = reinterpret_cast<FloatConstants *>(rest);
    first.templ = reinterpret_cast<double2 *>(rest + XNCC_FFT_CONSTANTS);
    second.templ = first.templ + 1;
    first.units = first.templ + 2;
    second.units = first.units + large.count;
    first.of.squares = reinterpret_cast<double *>(second.units + w.again_count);
    second.of.squares = first.of.squares + large.count;
    first.of.error = second.of.squares + w.again_count;
    second.of.error = first.of.error + large.count;
    first.outside = second.of.error + w.again_count;
    templ_samples = first.outside + large.count;
    cudaError_t code = cudaSuccess;
    for (int32_t side = XNCC_SPLIT_LEAST; side <= XNCC_SPLIT_MOST; side *= 2)
        with_side(side, [&](auto r) {
            if (code == cudaSuccess)
                code = raise_limits<decltype(r)::value>();
        });
    return code;
}

cudaError_t FloatSplit::transform_template(const TemplateView &templ, xncc_pixel pixel,
                                           cudaStream_t stream) const
{
    const int factors = static_cast<int>(turns_of(turns, 2 * XNCC_SPLIT_MOST) - turns);
    make_turns<<<static_cast<unsigned>(ceil_div(factors, THREADS)), THREADS, 0, stream>>>(turns);
    cudaError_t code = cudaGetLastError();
    for (const SplitBlocks *set : { &first, &second }) {
        SplitJob job = {};
        job.templ = templ;
        job.constants = state;
        job.set = *set;
        job.set.of.count = job.set.of.across = job.batch = 1;
        job.row_turns = turns_of(turns, set->of.width);
        job.column_turns = turns_of(turns, set->of.height);
        job.data = data;
        if (code == cudaSuccess && (set == &first || again_batch > 0)) {
            code = launch_template_unit(job, stream);
            if (code == cudaSuccess)
                code = launch_rows<true>(job, pixel, processors, stream);
            if (code == cudaSuccess)
                code = launch_columns<true>(job, processors, stream);
        }
    }
    return code;
}

// Blocks of one size, in batches. run: as in SplitJob.
cudaError_t FloatSplit::transform(SplitBlocks *set, int32_t at_a_time, const FloatProductsJob &of,
                                  const uint32_t *run, cudaStream_t stream) const
{
    set->of.across = ceil_div(of.width, set->of.step_x);
    set->of.count = set->of.across * ceil_div(of.height, set->of.step_y);
    SplitJob job = {};
    job.products = of;
    job.constants = state;
    job.set = *set;
    job.row_turns = turns_of(turns, set->of.width);
    job.column_turns = turns_of(turns, set->of.height);
    job.data = data;
    job.batch = at_a_time;
    job.run = run;
    const xncc_pixel pixel = of.image.image.pixel;
    cudaError_t code = launch_units(job, processors, stream);
    for (; job.first < set->of.count && code == cudaSuccess; job.first += at_a_time) {
        code = launch_rows<false>(job, pixel, processors, stream);
        if (code == cudaSuccess)
            code = launch_columns<false>(job, processors, stream);
        if (code == cudaSuccess)
            code = launch_join(job, processors, stream);
    }
    return code;
}

cudaError_t FloatSplit::transform_blocks(const FloatProductsJob &job, cudaStream_t stream)
{
    return transform(&first, batch, job, nullptr, stream);
}

cudaError_t FloatSplit::transform_again(const FloatProductsJob &job, cudaStream_t stream)
{
    if (again_batch == 0)
        return cudaSuccess;
    return transform(&second, again_batch, job, &state->again, stream);
}

} // namespace xncc
