// SPDX-License-Identifier: BSD-2-Clause
// The passes of exact_sums.cu: planes of image and template as rows, products of columns, and rows
// of sums, modulo primes.
//
// Behind the first pass a row has its frequencies in the order in which the threads have them
// (line_fft.cuh), in the image as in the template. The template is transformed in reversed order,
// so that products are those of a correlation. The numbers behind the transform back are in
// reversed order (root_field.cuh).
#ifndef XNCC_CUDA_PRODUCTS_EXACT_PASSES_CUH
#define XNCC_CUDA_PRODUCTS_EXACT_PASSES_CUH

#include "cuda/products/exact_samples.cuh"

namespace xncc {

// Where a thread is among the lines of a side, of which a block has LINES at a time.
template <int R, bool COLUMNS> struct LinePlace {
    using Of = Line<R, RootField>;
    static constexpr int LINES = THREADS / Of::THREADS;
    static_assert(R * LINES == 32, "threads of a column that share a step are in one warp");
    // Columns begin in different banks.
    static constexpr int ROOM = Of::ROOM + (COLUMNS ? R : 0);
    static_assert(LINES * ROOM * sizeof(uint2) <= XNCC_EXACT_SHARED, "the decision has less room");
    int line, t; // of the block; as a thread of the line

    __device__ __forceinline__ LinePlace()
        : line(static_cast<int>(threadIdx.x) / (COLUMNS ? 1 : Of::THREADS) % LINES),
          t(COLUMNS ? static_cast<int>(threadIdx.x) / LINES
                    : static_cast<int>(threadIdx.x) % Of::THREADS)
    {
    }
    __device__ __forceinline__ uint2 *room() const
    {
        extern __shared__ __align__(16) unsigned char memory[];
        return reinterpret_cast<uint2 *>(memory) + line * ROOM;
    }
};

// One of the pieces of a pass: of each buffer, by each prime, of each pair of blocks of the batch.
struct PassItem {
    int piece, buffer, prime, pair;

    __device__ __forceinline__ PassItem(int64_t number, int pieces, int buffers, int primes)
    {
        piece = static_cast<int>(number % pieces);
        number /= pieces;
        buffer = static_cast<int>(number % buffers);
        number /= buffers;
        prime = static_cast<int>(number % primes);
        pair = static_cast<int>(number / primes);
    }
};

// What element i of a line is behind a transform back.
static __device__ __forceinline__ int reversed(int i, int side)
{
    return (side - i) & (side - 1);
}

// What a prime leaves of a pixel of a plane.
static __device__ __noinline__ uint32_t pixel_of_plane(const ExactJob &job,
                                                       const SampleResidues &residues, bool templ,
                                                       int plane, int x, int y)
{
    const ExactPlanes planes(job);
    const auto sample = [&](int channel) {
        return templ ? templ_sample(job, channel, x, y) : image_sample(job, channel, x, y);
    };
    if (plane < job.channels)
        return residues.of(value_of(sample(plane)));
    if (plane == (templ ? planes.templ_count() : planes.count()))
        return sample(0).counts;
    uint64_t sum = 0; // below 2^64: 64 squares of numbers below 2^29
    for (int c = 0; c < job.channels; c++) {
        const uint64_t v = residues.of(value_of(sample(c)));
        sum += v * v;
    }
    return RootPrimes::at(residues.field.number).residue_of(sum);
}

// Loads elements t, t + STEP, ... of row y of a plane of a block.
template <int STEP>
__device__ __forceinline__ void load_plane(const ExactJob &job, const SampleResidues &residues,
                                           int plane, int2 start, int t, int y,
                                           uint32_t (&to)[LINE_POINTS])
{
    const FloatImage &of = job.image;
    const int columns = min(job.blocks.width, of.columns - start.x);
    const int64_t left = of.x + start.x, top = of.y + start.y + y;
    if (job.varies || left < 0 || top < 0 || top >= of.image.height ||
        left + columns > of.image.width) {
#pragma unroll 1
        for (int j = 0; j < LINE_POINTS; j++) {
            const int x = t + j * STEP;
            const uint32_t v = x >= columns ? 0
                                            : pixel_of_plane(job, residues, false, plane,
                                                             start.x + x, start.y + y);
#pragma unroll
            for (int k = 0; k < LINE_POINTS; k++)
                to[k] = k == j ? v : to[k];
        }
        return;
    }
    const unsigned char *row = static_cast<const unsigned char *>(of.image.data) +
                               top * of.image.pitch + left * pixel_bytes(job);
    const bool squares = plane == ExactPlanes(job).square();
    const RootPrime by = RootPrimes::at(residues.field.number);
    const int first = squares ? 0 : plane, count = squares ? job.channels : 1;
#pragma unroll
    for (int j = 0; j < LINE_POINTS; j++) {
        const int x = t + j * STEP;
        to[j] = 0;
        for (int c = first; c < first + count && x < columns; c++) {
            const uint64_t v = residues.of(
                sample_in(of.image.pixel, row, int64_t{ x } * job.channels + c));
            to[j] = squares ? by.residue_of(v * v + to[j]) : static_cast<uint32_t>(v);
        }
    }
}

// Rows of planes: of the image, of a batch that begins at pair `first`, or of the template.
template <int R>
__device__ __noinline__ void transform_rows(const ExactJob &job, bool templ, int first, int index)
{
    const LinePlace<R, false> at;
    using Row = typename decltype(at)::Of;
    const ExactPlanes planes(job);
    const int side = job.blocks.width,
              rows = templ ? job.templ.height : min(job.blocks.height, job.image.rows),
              pieces = ceil_div(rows, at.LINES), primes = state_of(job)->primes,
              count = templ ? planes.templ_planes() : planes.planes(),
              pairs = templ ? 1 : pairs_in_batch(job, first);
    const int64_t all = int64_t{ pieces } * count * primes * pairs;
#pragma unroll 1
    for (int64_t number = index; number < all; number += gridDim.x) {
        const PassItem item(number, pieces, count, primes);
        const int y = item.piece * at.LINES + at.line, plane = item.buffer, prime = item.prime;
        const SampleResidues residues(job, prime);
        uint32_t v[2][LINE_POINTS] = {};
        if (templ && y < rows) {
#pragma unroll
            for (int j = 0; j < LINE_POINTS; j++) {
                const int x = reversed(at.t + j * Row::THREADS, side);
                if (x < job.templ.width)
                    v[0][j] = pixel_of_plane(job, residues, true, plane, x, y);
            }
        } else if (!templ) {
            const BlockPair pair(job, first + item.pair);
            if (plane == planes.count() && !pair.missing)
                continue;
#pragma unroll
            for (int e = 0; e < 2; e++)
                if (e < pair.count && y < min(job.blocks.height, job.image.rows - pair.start[e].y))
                    load_plane<Row::THREADS>(job, residues, plane, pair.start[e], at.t, y, v[e]);
        }
        uint2 points[LINE_POINTS];
#pragma unroll
        for (int j = 0; j < LINE_POINTS; j++)
            points[j] = make_uint2(v[0][j], v[1][j]);
        __syncthreads(); // the room is not in use
        Row::forward(points, at.room(), at.t, turns_of(job, false, prime), residues.field);
        if (y >= rows)
            continue;
        uint2 *to = buffer_of(job, templ ? count : planes.buffers(), item.pair, prime, plane) +
                    int64_t{ templ ? reversed(y, job.blocks.height) : y } * side + at.t;
#pragma unroll
        for (int i = 0; i < LINE_POINTS; i++)
            to[i * Row::THREADS] = residues.field.settled(points[i]);
    }
}

// Loads rows t, t + STEP, ... of a column. wanted: says whether a row has been written.
template <int STEP, class Wanted>
__device__ __forceinline__ void load_column(const uint2 *from, int pitch, int t,
                                            const Wanted &wanted, uint2 (&to)[LINE_POINTS])
{
#pragma unroll
    for (int j = 0; j < LINE_POINTS; j++) {
        const int y = t + j * STEP;
        to[j] = wanted(y) ? from[int64_t{ y } * pitch] : make_uint2(0, 0);
    }
}

// Columns of the template's planes.
template <int R> __device__ __noinline__ void transform_template(const ExactJob &job, int index)
{
    const LinePlace<R, true> at;
    using Column = typename decltype(at)::Of;
    const int side = job.blocks.height, width = job.blocks.width, pieces = width / at.LINES,
              count = ExactPlanes(job).templ_planes(), primes = state_of(job)->primes;
    const int64_t all = int64_t{ pieces } * count * primes;
#pragma unroll 1
    for (int64_t number = index; number < all; number += gridDim.x) {
        const PassItem item(number, pieces, count, primes);
        const int piece = item.piece, plane = item.buffer, prime = item.prime;
        const RootField field(prime);
        const RootPrime divisor = RootPrimes::at(prime);
        uint2 v[LINE_POINTS];
        load_column<Column::THREADS>(
            buffer_of(job, count, 0, prime, plane) + piece * at.LINES + at.line, width, at.t,
            [&](int y) { return reversed(y, side) < job.templ.height; }, v);
        __syncthreads(); // the room is not in use
        Column::forward(v, at.room(), at.t, turns_of(job, true, prime), field);
        // 2^32, divided by the points
        const uint64_t scale = (uint64_t{ 1 } << 32) / static_cast<uint32_t>(side * width);
        uint32_t *to = templ_spectrum(job, prime, plane) +
                       int64_t{ piece } * LINE_POINTS * THREADS + threadIdx.x;
#pragma unroll
        for (int i = 0; i < LINE_POINTS; i++)
            to[i * THREADS] = divisor.residue_of(v[i].x * scale);
    }
}

// Products, and columns back.
template <int R>
__device__ __noinline__ void multiply_columns(const ExactJob &job, int first, int index)
{
    const LinePlace<R, true> at;
    using Column = typename decltype(at)::Of;
    const ExactPlanes planes(job);
    const int side = job.blocks.height, width = job.blocks.width, pieces = width / at.LINES,
              count = planes.sums(job.varies), primes = state_of(job)->primes,
              buffers = planes.buffers();
    const int64_t all = int64_t{ pieces } * count * primes * pairs_in_batch(job, first);
#pragma unroll 1
    for (int64_t number = index; number < all; number += gridDim.x) {
        const PassItem item(number, pieces, count, primes);
        const int piece = item.piece, of = item.buffer, prime = item.prime;
        const BlockPair pair(job, first + item.pair);
        if (of >= planes.sums(pair.missing))
            continue;
        const ExactSum sum = planes.sum(of);
        const RootField field(prime);
        const RootTurn *turns = turns_of(job, true, prime);
        const int rows = min(side, job.image.rows), column = piece * at.LINES + at.line;
        uint2 total[LINE_POINTS];
#pragma unroll
        for (int i = 0; i < LINE_POINTS; i++)
            total[i] = make_uint2(0, 0);
#pragma unroll 1
        for (int k = 0; k < sum.count; k++) {
            uint2 v[LINE_POINTS];
            load_column<Column::THREADS>(
                buffer_of(job, buffers, item.pair, prime, sum.plane + k) + column, width, at.t,
                [&](int y) { return y < rows; }, v);
            __syncthreads(); // the room is not in use
            Column::forward(v, at.room(), at.t, turns, field);
            const uint32_t *templ = templ_spectrum(job, prime, sum.templ + k) +
                                    int64_t{ piece } * LINE_POINTS * THREADS + threadIdx.x;
#pragma unroll
            for (int i = 0; i < LINE_POINTS; i++) {
                const uint64_t t = templ[i * THREADS];
                const uint2 product = make_uint2(field.reduced(v[i].x * t),
                                                 field.reduced(v[i].y * t));
                total[i] = field.settled(field.plus(total[i], product));
            }
        }
        Column::back(total, at.room(), at.t, turns, field);
        const int wanted = min(job.blocks.step_y, job.height);
        uint2 *to = buffer_of(job, buffers, item.pair, prime, planes.planes() + of) + column;
#pragma unroll
        for (int j = 0; j < LINE_POINTS; j++) {
            const int y = reversed(at.t + Column::THREADS * j, side);
            if (y < wanted)
                to[int64_t{ y } * width] = field.settled(total[j]);
        }
    }
}

// Rows of sums back: element x of row y is that of window (x, y) of the block, below the prime.
template <int R> __device__ __noinline__ void finish_rows(const ExactJob &job, int first, int index)
{
    const LinePlace<R, false> at;
    using Row = typename decltype(at)::Of;
    const ExactPlanes planes(job);
    const int side = job.blocks.width, rows = min(job.blocks.step_y, job.height),
              pieces = ceil_div(rows, at.LINES), count = planes.sums(job.varies),
              primes = state_of(job)->primes;
    const int64_t all = int64_t{ pieces } * count * primes * pairs_in_batch(job, first);
#pragma unroll 1
    for (int64_t number = index; number < all; number += gridDim.x) {
        const PassItem item(number, pieces, count, primes);
        const int y = item.piece * at.LINES + at.line, of = item.buffer, prime = item.prime;
        if (of >= planes.sums(BlockPair(job, first + item.pair).missing))
            continue;
        const RootField field(prime);
        uint2 *row = buffer_of(job, planes.buffers(), item.pair, prime, planes.planes() + of) +
                     int64_t{ y } * side;
        uint2 v[LINE_POINTS];
#pragma unroll
        for (int i = 0; i < LINE_POINTS; i++)
            v[i] = y < rows ? row[at.t + i * Row::THREADS] : make_uint2(0, 0);
        __syncthreads(); // the room is not in use
        Row::back(v, at.room(), at.t, turns_of(job, false, prime), field);
#pragma unroll
        for (int j = 0; j < LINE_POINTS; j++) {
            const int x = reversed(at.t + j * Row::THREADS, side);
            if (y < rows && x < job.blocks.step_x)
                row[x] = make_uint2(field.whole(v[j].x), field.whole(v[j].y));
        }
    }
}

} // namespace xncc

#endif
