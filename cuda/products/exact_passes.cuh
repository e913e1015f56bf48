// SPDX-License-Identifier: BSD-2-Clause
// The passes of exact_sums.cu: planes of image and template as rows, products of columns, and rows
// of sums, modulo primes. Sums of adjacent pixels are made by rows, and then by columns.
//
// Behind the first pass a row has its frequencies in the order in which the threads have them
// (line_fft.cuh), in the image as in the template. The template is transformed in reversed order,
// so that products are those of a correlation. The numbers behind the transform back are in
// reversed order (root_field.cuh).
#ifndef XNCC_CUDA_PRODUCTS_EXACT_PASSES_CUH
#define XNCC_CUDA_PRODUCTS_EXACT_PASSES_CUH

#include "cuda/products/exact_samples.cuh"
#include "cuda/products/line_sums.cuh"

namespace xncc {

// Where a thread is among the lines of a side, of which a block has LINES at a time.
template <int R, bool COLUMNS> struct LinePlace {
    using Of = Line<R, RootField>;
    static constexpr int LINES = THREADS / Of::THREADS;
    static_assert(32 % (R * LINES) == 0, "threads of a column that share a step are in one warp");
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
};

// A share's items of a pass: their numbers. All are fewer than 2^31, for the pairs of a batch
// (exact_range.cuh).
template <bool COLUMNS> struct PassItems {
    uint32_t number, end;

    __device__ __forceinline__ PassItems(int index, int all_pieces, int all_buffers, int all_primes,
                                         int pairs)
        : pieces(all_pieces), buffers(all_buffers), primes(all_primes)
    {
        const uint32_t all = static_cast<uint32_t>(pieces * buffers) *
                             static_cast<uint32_t>(primes * pairs);
        const auto begin = [all](int share) {
            return static_cast<uint32_t>(uint64_t{ all } * static_cast<uint32_t>(share) /
                                         gridDim.x);
        };
        number = COLUMNS ? static_cast<uint32_t>(index) : begin(index);
        end = COLUMNS ? all : begin(index + 1);
    }
    // Rows: adjacent items, which share a prime, the buffers by turns, since these take different
    // times. Columns: those of adjacent shares are adjacent in memory.
    __device__ __forceinline__ void next()
    {
        number += COLUMNS ? gridDim.x : 1;
    }
    __device__ __forceinline__ PassItem item() const
    {
        uint32_t rest = number;
        const auto split = [&rest](int count) {
            const uint32_t of = static_cast<uint32_t>(count), place = rest % of;
            rest /= of;
            return static_cast<int>(place);
        };
        PassItem to;
        (COLUMNS ? to.piece : to.buffer) = split(COLUMNS ? pieces : buffers);
        (COLUMNS ? to.buffer : to.piece) = split(COLUMNS ? buffers : pieces);
        to.prime = split(primes);
        to.pair = static_cast<int>(rest);
        return to;
    }

  private:
    int pieces, buffers, primes;
};

// What element i of a line is behind a transform back.
static __device__ __forceinline__ int reversed(int i, int side)
{
    return (side - i) & (side - 1);
}

// What a prime leaves of a pixel of a plane of the template.
static __device__ __noinline__ uint32_t templ_pixel(const ExactJob &job,
                                                    const SampleResidues &residues, int plane,
                                                    int x, int y)
{
    const ExactPlanes planes(job);
    if (planes.masked && plane == planes.templ_count())
        return templ_sample(job, 0, x, y).counts;
    if (plane < job.channels)
        return residues.of(value_of(templ_sample(job, plane, x, y)));
    uint64_t sum = 0; // below 2^64: 64 squares of numbers below 2^29
    for (int c = 0; c < job.channels; c++) {
        const uint64_t v = residues.of(value_of(templ_sample(job, c, x, y)));
        sum += v * v;
    }
    return residues.divisor().residue_of(sum);
}

// Calls use(j, sample) for the samples t + STEP j of a row of a pair of blocks.
template <int STEP, class Use>
__device__ __forceinline__ void each_sample(const double2 *row, int t, const Use &use)
{
    constexpr int AT_A_TIME = 8; // loads in flight
#pragma unroll
    for (int first = 0; first < LINE_POINTS; first += AT_A_TIME) {
        double2 sample[AT_A_TIME];
#pragma unroll
        for (int k = 0; k < AT_A_TIME; k++)
            sample[k] = row[t + (first + k) * STEP];
#pragma unroll
        for (int k = 0; k < AT_A_TIME; k++)
            use(first + k, sample[k]);
    }
}

// Loads points t, t + STEP, ... of row y of a plane of a pair of blocks.
template <int STEP>
__device__ __forceinline__ void load_row(const ExactJob &job, const SampleResidues &residues,
                                         int pair, int plane, int t, int y,
                                         uint2 (&to)[LINE_POINTS])
{
    const ExactPlanes planes(job);
    const auto row = [&](int channel) {
        return samples_of(job, pair, channel) + int64_t{ y } * job.blocks.width;
    };
    if (plane < planes.channels) {
        each_sample<STEP>(row(plane), t, [&](int j, double2 v) { to[j] = residues.of(v); });
    } else if (planes.is_count(plane)) {
        each_sample<STEP>(row(0), t,
                          [&](int j, double2 v) { to[j] = make_uint2(!isnan(v.x), !isnan(v.y)); });
    } else {
        for (int c = 0; c < planes.channels; c++)
            each_sample<STEP>(row(c), t, [&](int j, double2 sample) {
                const uint2 v = residues.square(residues.of(sample));
                to[j] = residues.field.below(residues.field.plus(to[j], v));
            });
    }
}

// Makes the sums of a row's adjacent pixels for a box, of which `wanted` are written. value(j): of
// point t + STEP j, below the prime.
template <bool PAIRED, class Place, class Value>
__device__ __forceinline__ void sum_row(const ExactJob &job, const Place &at,
                                        const RootField &field, const PassItem &item, int box,
                                        int wanted, const Value &value)
{
    using Row = typename Place::Of;
    const ExactPlanes planes(job);
    uint2 v[LINE_POINTS], sums[LINE_POINTS];
    __syncthreads(); // the room is not in use
#pragma unroll
    for (int j = 0; j < LINE_POINTS; j++)
        v[j] = value(j);
    sum_adjacent<Row>(v, at.room(), at.t, job.templ.width, field, sums);
    if (at.t * LINE_POINTS >= wanted)
        return;
    uint2 *to = buffer_of(job, planes.buffers(), item.pair, item.prime, planes.buffer_of_sum(box)) +
                element_of<PAIRED>(job, at.t * LINE_POINTS, item.piece * at.LINES + at.line);
#pragma unroll
    for (int i = 0; i < LINE_POINTS; i += PAIRED ? 1 : 2) {
        if (PAIRED)
            to[2 * i] = sums[i];
        else
            reinterpret_cast<uint4 *>(to)[i / 2] = make_uint4(sums[i].x, sums[i].y, sums[i + 1].x,
                                                              sums[i + 1].y);
    }
}

// Rows of planes: of the image, of a batch that begins at pair `first`, or of the template.
template <int R, bool PAIRED>
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
    SampleResidues residues(job);
#pragma unroll 1
    for (PassItems<false> items(index, pieces, count, primes, pairs); items.number < items.end;
         items.next()) {
        const PassItem item = items.item();
        const int y = item.piece * at.LINES + at.line, plane = item.buffer, prime = item.prime;
        if (!templ && planes.is_count(plane) && !has_missing(job, first + item.pair))
            continue;
        const int wanted = templ || y >= rows ? 0 : columns_of(job, first + item.pair);
        residues.take(job, prime);
        uint2 points[LINE_POINTS] = {};
        if (templ && y < rows) {
#pragma unroll
            for (int j = 0; j < LINE_POINTS; j++) {
                const int x = reversed(at.t + j * Row::THREADS, side);
                if (x < job.templ.width)
                    points[j].x = templ_pixel(job, residues, plane, x, y);
            }
        } else if (y < rows) {
            load_row<Row::THREADS>(job, residues, item.pair, plane, at.t, y, points);
        }
#pragma unroll 1
        for (int squares = 0; squares < 2 && !templ; squares++) {
            const int box = squares ? planes.box_of_squares(plane) : planes.box_of(plane);
            if (box != planes.X)
                sum_row<PAIRED>(job, at, residues.field, item, box, wanted, [&](int j) {
                    return squares ? residues.square(points[j]) : residues.field.below(points[j]);
                });
        }
        if (!templ && !planes.is_multiplied(plane))
            continue;
        __syncthreads(); // the room is not in use
        Row::forward(points, at.room(), at.t, turns_of(job, false, prime), residues.field);
        if (y >= rows)
            continue;
        uint2 *to = buffer_of(job, templ ? count : planes.buffers(), item.pair, prime, plane) +
                    element_of<PAIRED>(job, at.t, templ ? reversed(y, job.blocks.height) : y);
        constexpr int STEP = (PAIRED ? 2 : 1) * Row::THREADS;
#pragma unroll
        for (int i = 0; i < LINE_POINTS; i++)
            to[i * STEP] = residues.field.settled(points[i]);
    }
}

// Loads a number of a column. A block reads 32 bytes of a row, and blocks that run at the same time
// read what lies beside: the second-level cache takes 128 bytes at once.
static __device__ __forceinline__ uint2 load_with_neighbours(const uint2 *from)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 750
    uint2 v;
    asm volatile("ld.global.L2::128B.v2.u32 {%0, %1}, [%2];"
                 : "=r"(v.x), "=r"(v.y)
                 : "l"(from)
                 : "memory");
    return v;
#else
    return *from;
#endif
}

// Loads rows t, t + STEP, ... of a column of a buffer. wanted: says whether a row has been written.
template <int STEP, bool PAIRED, class Wanted>
__device__ __forceinline__ void load_column(const ExactJob &job, const uint2 *from, int column,
                                            int t, const Wanted &wanted, uint2 (&to)[LINE_POINTS])
{
#pragma unroll
    for (int j = 0; j < LINE_POINTS; j++) {
        const int y = t + j * STEP;
        to[j] = wanted(y) ? load_with_neighbours(from + element_of<PAIRED>(job, column, y))
                          : make_uint2(0, 0);
    }
}

// Columns of the template's planes.
template <int R> __device__ __noinline__ void transform_template(const ExactJob &job, int index)
{
    const LinePlace<R, true> at;
    using Column = typename decltype(at)::Of;
    constexpr bool PAIRED = are_rows_paired(Column::POINTS);
    const int side = job.blocks.height, width = job.blocks.width, pieces = width / at.LINES,
              count = ExactPlanes(job).templ_planes(), primes = state_of(job)->primes;
#pragma unroll 1
    for (PassItems<true> items(index, pieces, count, primes, 1); items.number < items.end;
         items.next()) {
        const PassItem item = items.item();
        const int piece = item.piece, plane = item.buffer, prime = item.prime;
        const RootField field(prime);
        const RootPrime divisor = RootPrimes::at(prime);
        uint2 v[LINE_POINTS];
        load_column<Column::THREADS, PAIRED>(
            job, buffer_of(job, count, 0, prime, plane), piece * at.LINES + at.line, at.t,
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

// Makes the sums of a column's adjacent rows of sums: of windows. v: the column's.
template <bool PAIRED, class Place>
__device__ __forceinline__ void sum_column(const ExactJob &job, const Place &at,
                                           const RootField &field, const uint2 (&v)[LINE_POINTS],
                                           int column, int wanted, uint2 *to)
{
    uint2 sums[LINE_POINTS];
    __syncthreads(); // the room is not in use
    sum_adjacent<typename Place::Of>(v, at.room(), at.t, job.templ.height, field, sums);
#pragma unroll
    for (int i = 0; i < LINE_POINTS; i++) {
        const int y = at.t * LINE_POINTS + i;
        if (y < wanted)
            to[element_of<PAIRED>(job, column, y)] = sums[i];
    }
}

// Products, and columns back; and columns of sums of adjacent pixels.
template <int R>
__device__ __noinline__ void multiply_columns(const ExactJob &job, int first, int index)
{
    const LinePlace<R, true> at;
    using Column = typename decltype(at)::Of;
    constexpr bool PAIRED = are_rows_paired(Column::POINTS);
    const ExactPlanes planes(job);
    const int side = job.blocks.height, width = job.blocks.width, pieces = width / at.LINES,
              count = planes.sums(job.varies), primes = state_of(job)->primes,
              buffers = planes.buffers();
#pragma unroll 1
    for (PassItems<true> items(index, pieces, count, primes, pairs_in_batch(job, first));
         items.number < items.end; items.next()) {
        const PassItem item = items.item();
        const int piece = item.piece, of = item.buffer, prime = item.prime;
        if (of >= planes.sums(has_missing(job, first + item.pair)))
            continue;
        const ExactSum sum = planes.sum(of);
        const RootField field(prime);
        const RootTurn *turns = turns_of(job, true, prime);
        if (planes.is_box(of) && piece * at.LINES >= columns_of(job, first + item.pair))
            continue;
        const int rows = min(side, job.image.rows), column = piece * at.LINES + at.line,
                  wanted = min(job.blocks.step_y, job.height);
        uint2 *to = buffer_of(job, buffers, item.pair, prime, planes.buffer_of_sum(of));
        if (planes.is_box(of)) {
            uint2 v[LINE_POINTS];
            load_column<Column::THREADS, PAIRED>(
                job, to, column, at.t, [&](int y) { return y < rows; }, v);
            sum_column<PAIRED>(job, at, field, v, column, wanted, to);
            continue;
        }
        // The product of a channel.
        const auto multiply = [&](int k, uint2(&v)[LINE_POINTS]) {
            load_column<Column::THREADS, PAIRED>(
                job, buffer_of(job, buffers, item.pair, prime, sum.plane + k), column, at.t,
                [&](int y) { return y < rows; }, v);
            __syncthreads(); // the room is not in use
            Column::forward(v, at.room(), at.t, turns, field);
            const uint32_t *templ = templ_spectrum(job, prime, sum.templ + k) +
                                    int64_t{ piece } * LINE_POINTS * THREADS + threadIdx.x;
#pragma unroll
            for (int i = 0; i < LINE_POINTS; i++) {
                const uint64_t t = templ[i * THREADS];
                v[i] = make_uint2(field.reduced(v[i].x * t), field.reduced(v[i].y * t));
            }
        };
        uint2 total[LINE_POINTS];
        multiply(0, total);
#pragma unroll 1
        for (int k = 1; k < sum.count; k++) {
            uint2 v[LINE_POINTS];
            multiply(k, v);
#pragma unroll
            for (int i = 0; i < LINE_POINTS; i++)
                total[i] = field.settled(field.plus(total[i], v[i]));
        }
        Column::back(total, at.room(), at.t, turns, field);
#pragma unroll
        for (int j = 0; j < LINE_POINTS; j++) {
            const int y = reversed(at.t + Column::THREADS * j, side);
            if (y < wanted)
                to[element_of<PAIRED>(job, column, y)] = field.settled(total[j]);
        }
    }
}

// Rows of sums back: element x of row y is that of window (x, y) of the block, below the prime.
template <int R, bool PAIRED>
__device__ __noinline__ void finish_rows(const ExactJob &job, int first, int index)
{
    const LinePlace<R, false> at;
    using Row = typename decltype(at)::Of;
    const ExactPlanes planes(job);
    const int side = job.blocks.width, rows = min(job.blocks.step_y, job.height),
              pieces = ceil_div(rows, at.LINES), count = planes.products(job.varies),
              primes = state_of(job)->primes;
#pragma unroll 1
    for (PassItems<false> items(index, pieces, count, primes, pairs_in_batch(job, first));
         items.number < items.end; items.next()) {
        const PassItem item = items.item();
        const int y = item.piece * at.LINES + at.line, prime = item.prime;
        if (item.buffer >= planes.products(has_missing(job, first + item.pair)))
            continue;
        const RootField field(prime);
        uint2 *row = buffer_of(job, planes.buffers(), item.pair, prime,
                               planes.buffer_of_sum(planes.product(item.buffer))) +
                     element_of<PAIRED>(job, 0, y);
        constexpr int STEP = PAIRED ? 2 : 1;
        uint2 v[LINE_POINTS];
#pragma unroll
        for (int i = 0; i < LINE_POINTS; i++)
            v[i] = y < rows ? row[STEP * (at.t + i * Row::THREADS)] : make_uint2(0, 0);
        __syncthreads(); // the room is not in use
        Row::back(v, at.room(), at.t, turns_of(job, false, prime), field);
#pragma unroll
        for (int j = 0; j < LINE_POINTS; j++) {
            const int x = reversed(at.t + j * Row::THREADS, side);
            if (y < rows && x < job.blocks.step_x)
                row[STEP * x] = field.whole(v[j]);
        }
    }
}

} // namespace xncc

#endif
