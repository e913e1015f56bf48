// SPDX-License-Identifier: BSD-2-Clause
// The three passes over a block that make the products of kernel float-split (float_split.h), for
// the kernels of float_split.cu and split_levels.cu.
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
// Thread mapping: a thread has 16 points of a row, or of a column. Half of a warp has 16 points of
// each of 16 threads of a column of V, the other half the same of W. Blocks take one piece after
// the other. Only the next row of the image is asked for in advance: the same for columns took half
// as long again, since the second-level cache had no room.
//
// Products of several channels are added up in between, at the end of pass 2's multiplication, and
// only their sum is transformed back.
//
// Samples beyond the share's limit and those that are not finite count as 0.
#ifndef XNCC_CUDA_PRODUCTS_SPLIT_PASSES_CUH
#define XNCC_CUDA_PRODUCTS_SPLIT_PASSES_CUH

#include "cuda/planes/float_image.cuh"
#include "cuda/products/line_fft.cuh"
#include "cuda/products/split_units.cuh"
#include "cuda/runtime/warp.cuh"

namespace xncc {

constexpr int SPLIT_COLUMN_THREADS = 512;

// What a thread block does of a pass: of the blocks from `first` on, every piece whose number is
// `index` and a multiple of `of`.
struct SplitShare {
    int first, index, of;
    int32_t limit;        // of samples, as in FloatConstants
    const double2 *units; // per block: as in SplitBlocks
    // of the windows that get X, if they are chosen; and per block, those of the windows that wait
    int32_t least_size, most_size;
    const BlockSizes *sizes;
};

// Whether windows of a block are chosen.
__device__ __forceinline__ bool has_chosen(const SplitShare &share, int block)
{
    return !share.sizes || (share.sizes[block].least <= share.most_size &&
                            share.sizes[block].most >= share.least_size);
}

// Whether element (x, y) of a block waits for X and has one of the share's sizes.
__device__ __forceinline__ bool is_chosen(const FloatProductsJob &job, const SplitShare &share,
                                          int2 start, int x, int y)
{
    x += start.x;
    y += start.y;
    if (x >= job.width || y >= job.height)
        return false;
    const double before = job.sums[y * job.pitch + x];
    const int size = __double2loint(before);
    return is_waiting(before) && size >= share.least_size && size <= share.most_size;
}

constexpr int SPLIT_HALF = 16;           // lanes of a warp that have V, and that have W
constexpr int SPLIT_EACH = 16;           // points of a thread
constexpr double SPLIT_WHOLE = 0x1.8p52; // added and subtracted, it rounds to multiples of its unit

// Where V of a frequency and a row is; that of W follows.
__device__ __forceinline__ int64_t place_of(int frequency, int y, int height)
{
    return (static_cast<int64_t>(frequency / XNCC_SPLIT_GROUP) * height + y) *
               (2 * XNCC_SPLIT_GROUP) +
           2 * (frequency % XNCC_SPLIT_GROUP);
}

// Rows of a block that are not 0.
template <bool TEMPL> __device__ __forceinline__ int rows_of(const SplitJob &job, int2 start)
{
    return TEMPL ? job.set.templ_height : min(job.set.of.height, job.products.image.rows - start.y);
}

// A sample of a row that leaves the image or the band. Not inlined, since it is called 16 times.
template <xncc_pixel PIXEL>
__device__ __noinline__ double sample_outside(const FloatImage &of, int x, int y, double pivot)
{
    return float_value<PIXEL>(of, x, y, pivot);
}

// The template's samples less its pivot, or those of the image, as the transforms take them. TEMPL:
// PIXEL does not matter.
template <xncc_pixel PIXEL, bool TEMPL, int STEP>
__device__ __forceinline__ void load_row(const SplitJob &job, int32_t limit, int2 start, int x,
                                         int y, double (&v)[SPLIT_EACH])
{
    if constexpr (TEMPL) {
        const double *row = job.constants->samples + int64_t{ y } * job.set.templ_width;
#pragma unroll
        for (int j = 0; j < SPLIT_EACH; j++)
            v[j] = x + j * STEP < job.set.templ_width && y < job.set.templ_height
                       ? row[x + j * STEP]
                       : 0.0;
    } else {
        const FloatImage &of = job.products.image;
        const double pivot = job.constants->image_pivot;
        const int columns = min(job.set.of.width, of.columns - start.x);
        const unsigned char *row = float_column<PIXEL>(of, start.x, start.y + y, 1);
        if (row && of.x + start.x + columns <= of.image.width) {
#pragma unroll
            for (int j = 0; j < SPLIT_EACH; j++)
                v[j] = x + j * STEP < columns
                           ? xncc_sum(xncc_sample_value(PIXEL, row, x + j * STEP), -pivot)
                           : 0.0;
        } else {
#pragma unroll
            for (int j = 0; j < SPLIT_EACH; j++)
                v[j] = x + j * STEP < columns
                           ? sample_outside<PIXEL>(of, start.x + x + j * STEP, start.y + y, pivot)
                           : 0.0;
        }
        int32_t largest = 0;
#pragma unroll
        for (int j = 0; j < SPLIT_EACH; j++)
            largest = max(largest, upper_half(v[j]));
        if (largest > limit) {
#pragma unroll
            for (int j = 0; j < SPLIT_EACH; j++)
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

// Stores the halves of a row's spectrum, V and W, if `real` is true. All threads of the block take
// part.
template <int R>
__device__ __forceinline__ void store_halves(const double2 (&v)[SPLIT_EACH], double2 *room, int t,
                                             int y, bool real, int height, double2 *to)
{
    using Row = Line<R>;
    constexpr int HALVES = Row::POINTS / 2;
#pragma unroll
    for (int i = 0; i < SPLIT_EACH; i++)
        room[Row::at(Row::frequency(t, i))] = v[i];
    __syncthreads();
    const bool rest = t % 2;
    for (int f = t / 2; f <= HALVES && real; f += Row::THREADS / 2) {
        const double2 a = room[Row::at(f)], b = room[Row::at((Row::POINTS - f) % Row::POINTS)];
        to[place_of(f, y, height) + rest] = rest ? make_double2(a.y + b.y, b.x - a.x)
                                                 : make_double2(a.x + b.x, a.y - b.y);
    }
}

// Loads the halves of a row's spectrum, P and R, as P + i R, if `real` is true, else zeros. All
// threads of the block take part.
template <int R>
__device__ __forceinline__ void load_halves(double2 (&v)[SPLIT_EACH], double2 *room, int t, int y,
                                            bool real, int height, const double2 *from)
{
    using Row = Line<R>;
    constexpr int HALVES = Row::POINTS / 2;
    const bool rest = t % 2;
#pragma unroll
    for (int i = 0; i < SPLIT_EACH; i++)
        v[i] = real ? from[place_of(t / 2 + Row::THREADS / 2 * i, y, height) + rest]
                    : make_double2(0.0, 0.0);
#pragma unroll
    for (int i = 0; i < SPLIT_EACH; i++) {
        // P + i R at f, and conj P + i conj R at -f
        const int f = t / 2 + Row::THREADS / 2 * i;
        const double2 other = make_double2(__shfl_xor_sync(WARP_ALL, v[i].x, 1),
                                           __shfl_xor_sync(WARP_ALL, v[i].y, 1));
        if (!rest)
            room[Row::at(f)] = make_double2(v[i].x - other.y, v[i].y + other.x);
        else if (f)
            room[Row::at(Row::POINTS - f)] = make_double2(other.x + v[i].y, v[i].x - other.y);
    }
    if (t == 0 && real) {
        const double2 *middle = from + place_of(HALVES, y, height);
        room[Row::at(HALVES)] = make_double2(middle[0].x - middle[1].y, middle[0].y + middle[1].x);
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < SPLIT_EACH; i++)
        v[i] = room[Row::at(Row::frequency(t, i))];
    __syncthreads();
}

// Where a thread is among the columns of a transform: half of a warp has points of a column of V,
// the other half the same of W.
template <int R> struct ColumnPlace {
    using Column = Line<R>;
    static constexpr int WARPS = Column::THREADS / SPLIT_HALF, // per column
        COLUMNS = SPLIT_COLUMN_THREADS / 2 / Column::THREADS;  // of a block at a time
    int columns, pieces;                                       // of a transform
    int column, t, rest; // of the block; as a thread of the line; 1: W

    __device__ explicit ColumnPlace(int width)
        : columns(width / 2 + 1), pieces(ceil_div(columns, COLUMNS))
    {
        const int own = static_cast<int>(threadIdx.x), lane = own % (2 * SPLIT_HALF),
                  warp = own / (2 * SPLIT_HALF);
        column = warp / WARPS;
        t = warp % WARPS * SPLIT_HALF + lane % SPLIT_HALF;
        rest = lane / SPLIT_HALF;
    }
    __device__ double2 *room() const
    {
        extern __shared__ __align__(16) unsigned char memory[];
        return reinterpret_cast<double2 *>(memory) + (2 * column + rest) * Column::ROOM;
    }
    __device__ int frequency(int piece) const
    {
        return piece % pieces * COLUMNS + column;
    }
    // Where the thread's points of a spectrum begin, SPLIT_COLUMN_THREADS apart.
    __device__ int64_t spectrum(int piece) const
    {
        return static_cast<int64_t>(piece % pieces) * SPLIT_EACH * SPLIT_COLUMN_THREADS +
               threadIdx.x;
    }
};

// The points of a spectrum, as all thread blocks have them.
template <int R> __device__ __forceinline__ int64_t spectrum_points(int width)
{
    const ColumnPlace<R> any(width);
    return static_cast<int64_t>(any.pieces) * SPLIT_EACH * SPLIT_COLUMN_THREADS;
}

// Where a thread is among the rows of a transform, of which a block has LINES at a time.
template <int R, int THREADS> struct RowPlace {
    using Row = Line<R>;
    static constexpr int LINES = THREADS / Row::THREADS;
    int line, t; // of the block; as a thread of the line
    double2 *room;

    __device__ __forceinline__ RowPlace()
        : line(static_cast<int>(threadIdx.x) / Row::THREADS),
          t(static_cast<int>(threadIdx.x) % Row::THREADS)
    {
        extern __shared__ __align__(16) unsigned char memory[];
        room = reinterpret_cast<double2 *>(memory) + line * Row::ROOM;
    }
};

// Pass 1, by THREADS threads.
template <xncc_pixel PIXEL, bool TEMPL, int R, int THREADS>
__device__ __forceinline__ void split_rows_of(const SplitJob &job, SplitShare share)
{
    using Row = Line<R>;
    const RowPlace<R, THREADS> at;
    constexpr int LINES = at.LINES, HALVES = Row::POINTS / 2;
    const int line = at.line, t = at.t, pieces = job.set.of.height / LINES;
    double2 *room = at.room;
    const double scale = scalbn(1.0, job.set.split.bits);
    for (int piece = share.index; piece < pieces * (TEMPL ? 1 : job.batch); piece += share.of) {
        const int transform = piece / pieces, block = share.first + transform,
                  y = piece % pieces * LINES + line;
        if (!TEMPL && block >= job.set.of.count)
            break;
        if (!TEMPL && !has_chosen(share, block))
            continue;
        const int2 start = block_start(job.set.of, block);
        const int rows = rows_of<TEMPL>(job, start);
        if (piece % pieces * LINES >= rows)
            continue;
        const double lift = SPLIT_WHOLE * (TEMPL ? job.set.templ->x : share.units[block].x);
        double real[SPLIT_EACH] = {};
        if (y < rows)
            load_row<PIXEL, TEMPL, Row::THREADS>(job, share.limit, start, t, y, real);
        double2 v[SPLIT_EACH];
#pragma unroll
        for (int j = 0; j < SPLIT_EACH; j++) {
            const double leading = (real[j] + lift) - lift;
            v[j] = make_double2(leading, (real[j] - leading) * scale);
        }
        Row::forward(v, room, t, job.row_turns);
        __syncthreads();
        const int later = piece + share.of;
        if (!TEMPL && later / pieces == transform)
            prefetch_row<PIXEL>(job, start, later % pieces * LINES + line, t, Row::THREADS);
        store_halves<R>(v, room, t, y, y < rows, job.set.of.height,
                        job.data +
                            transform * place_of(HALVES + XNCC_SPLIT_GROUP, 0, job.set.of.height));
        __syncthreads();
    }
}

__device__ __forceinline__ double2 from_lane(double2 v, int lane)
{
    return make_double2(__shfl_sync(WARP_ALL, v.x, lane), __shfl_sync(WARP_ALL, v.y, lane));
}

// v conj(t)
__device__ __forceinline__ double2 times_conjugate(double2 v, double2 t)
{
    return make_double2(fma(v.x, t.x, v.y * t.y), fma(v.y, t.x, -(v.x * t.y)));
}

// Pass 2, by SPLIT_COLUMN_THREADS threads. TEMPL: stores the template's spectrum, over the points
// and over the 2 of V and T each. SUMS: adds up the products of several channels.
template <bool TEMPL, bool SUMS, int R>
__device__ __forceinline__ void multiply_columns_of(const SplitJob &job, SplitShare share)
{
    using Column = Line<R>;
    const ColumnPlace<R> at(job.set.of.width);
    const int lane = static_cast<int>(threadIdx.x) % (2 * SPLIT_HALF), t = at.t, rest = at.rest,
              columns = at.columns, pieces = at.pieces;
    double2 *room = at.room();
    const double finest = scalbn(1.0, -job.set.split.bits);
    for (int piece = share.index; piece < pieces * (TEMPL ? 1 : job.batch); piece += share.of) {
        const int transform = piece / pieces, block = share.first + transform,
                  frequency = at.frequency(piece);
        if (!TEMPL && block >= job.set.of.count)
            break;
        if (!TEMPL && !has_chosen(share, block))
            continue;
        const int2 start = block_start(job.set.of, block);
        const int rows = frequency < columns ? rows_of<TEMPL>(job, start) : 0;
        const int64_t place = transform * place_of(job.set.of.width / 2 + XNCC_SPLIT_GROUP, 0,
                                                   Column::POINTS) +
                              place_of(frequency, 0, Column::POINTS) + rest;
        const double2 *data = job.data + place;
        double2 *to = job.to + place;
        double2 *spectrum = job.set.spectrum + at.spectrum(piece);
        double2 v[SPLIT_EACH];
#pragma unroll
        for (int j = 0; j < SPLIT_EACH; j++) {
            const int y = t + Column::THREADS * j;
            v[j] = y < rows ? data[static_cast<int64_t>(y) * (2 * XNCC_SPLIT_GROUP)]
                            : make_double2(0.0, 0.0);
        }
        Column::forward(v, room, t, job.column_turns);
        if constexpr (TEMPL) {
            const double scale = 0.25 / (static_cast<double>(job.set.of.width) * Column::POINTS);
#pragma unroll
            for (int i = 0; i < SPLIT_EACH; i++)
                spectrum[i * SPLIT_COLUMN_THREADS] = make_double2(v[i].x * scale, v[i].y * scale);
        } else {
#pragma unroll
            for (int i = 0; i < SPLIT_EACH; i++) {
                const double2 s = spectrum[i * SPLIT_COLUMN_THREADS],
                              leading = from_lane(s, lane % SPLIT_HALF),
                              image = from_lane(v[i], lane % SPLIT_HALF),
                              low = rest ? s : make_double2(0.0, 0.0);
                const double2 whole = make_double2(fma(low.x, finest, leading.x),
                                                   fma(low.y, finest, leading.y));
                v[i] = times_conjugate(v[i], whole) + times_conjugate(image, low);
            }
            if constexpr (SUMS) {
                // where the thread's points of the sum are, as in a spectrum
                double2 *sum = job.channels + transform * spectrum_points<R>(job.set.of.width) +
                               at.spectrum(piece);
#pragma unroll
                for (int i = 0; i < SPLIT_EACH; i++) {
                    if (!job.begins)
                        v[i] = v[i] + sum[i * SPLIT_COLUMN_THREADS];
                    if (!job.ends)
                        sum[i * SPLIT_COLUMN_THREADS] = v[i];
                }
                if (!job.ends) {
                    __syncthreads();
                    continue;
                }
            }
            Column::back(v, room, t, job.column_turns);
            const int wanted = min(job.set.of.step_y, job.products.height - start.y);
#pragma unroll
            for (int j = 0; j < SPLIT_EACH; j++) {
                const int y = t + Column::THREADS * j;
                if (y < wanted && frequency < columns)
                    to[static_cast<int64_t>(y) * (2 * XNCC_SPLIT_GROUP)] = v[j];
            }
        }
        __syncthreads();
    }
}

// Pass 3, by THREADS threads. CHOSEN: only for windows that wait for X and have one of the share's
// sizes.
template <int R, int THREADS, bool CHOSEN>
__device__ __forceinline__ void join_rows_of(const SplitJob &job, SplitShare share)
{
    using Row = Line<R>;
    const RowPlace<R, THREADS> at;
    constexpr int LINES = at.LINES, HALVES = Row::POINTS / 2;
    const int line = at.line, t = at.t, pieces = ceil_div(job.set.of.step_y, LINES);
    double2 *room = at.room;
    const double finest = scalbn(1.0, -job.set.split.bits);
    for (int piece = share.index; piece < pieces * job.batch; piece += share.of) {
        const int transform = piece / pieces, block = share.first + transform,
                  y = piece % pieces * LINES + line;
        if (block >= job.set.of.count)
            break;
        if (!has_chosen(share, block))
            continue;
        const int2 start = block_start(job.set.of, block);
        const int wanted = min(job.set.of.step_y, job.products.height - start.y);
        if (piece % pieces * LINES >= wanted)
            continue;
        double2 v[SPLIT_EACH];
        load_halves<R>(v, room, t, y, y < wanted, job.set.of.height,
                       job.to +
                           transform * place_of(HALVES + XNCC_SPLIT_GROUP, 0, job.set.of.height));
        Row::back(v, room, t, job.row_turns);
        const double lift = SPLIT_WHOLE * share.units[block].y;
#pragma unroll
        for (int j = 0; j < SPLIT_EACH; j++) {
            const int x = t + Row::THREADS * j;
            if (x < job.set.of.step_x && y < wanted &&
                (!CHOSEN || is_chosen(job.products, share, start, x, y)))
                store_product(job.products, start, x, y,
                              fma(v[j].y, finest, (v[j].x + lift) - lift));
        }
        __syncthreads();
    }
}

// Lays out the factors of all sides up to `most`: those from `first` on, `step` apart.
__device__ __forceinline__ void lay_out_turns(double2 *turns, int32_t most, int first, int step)
{
    for (int32_t side = XNCC_SPLIT_LEAST; side <= most; side *= 2) {
        const int count = side + side / 16;
        for (int i = first; i < count; i += step)
            sincospi(2.0 * turn_exponent(side, i) / side, &turns[i].y, &turns[i].x);
        turns += count;
    }
}

// The factors of a side behind those of smaller ones.
__host__ __device__ inline const double2 *turns_of(const double2 *turns, int32_t side)
{
    for (int32_t smaller = XNCC_SPLIT_LEAST; smaller < side; smaller *= 2)
        turns += smaller + smaller / 16;
    return turns;
}

// of_side on the host, with every R.
template <class Function> void with_side(int32_t side, const Function &function)
{
    with_one_of<2, 4, 8, 16>(side / 256, function);
}

// Shared memory of a block of `threads` threads.
template <int R> constexpr size_t split_shared(int threads)
{
    static_assert(SPLIT_COLUMN_THREADS / Line<R>::THREADS * Line<R>::ROOM * sizeof(double2) <=
                      XNCC_SPLIT_SHARED,
                  "the decision has less room");
    return static_cast<size_t>(threads / Line<R>::THREADS * Line<R>::ROOM) * sizeof(double2);
}

} // namespace xncc

#endif
