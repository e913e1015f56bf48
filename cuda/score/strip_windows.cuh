// SPDX-License-Identifier: BSD-2-Clause
// Window sums of a strip of 512 map columns, four map rows at a time, and the scores made of them
// and X: the common part of the score pass for 8-bit pixels (score_u8.cu) and of the fused kernel
// (fused_u8.cu).
//
// A block of four warps walks down a segment of a strip. Per batch of four map rows:
//
// 1. Each warp takes one map row. It sums what that row's window gains at its lower edge (lead) and
//    loses at its upper edge (lag) along the row, as it is and squared. prefix_row writes the
//    prefix sums to shared memory.
// 2. Each thread slides the windows of its four columns down the four rows: the difference of two
//    prefixes is the change of a window's S or Q.
//
// All of it wraps modulo 2^32, which is exact because S and Q fit 32 bits.
//
// An output class (MapOutput, TilesOutput, TermsOutput) says what becomes of the sums. It has
//
// - FROM_PRODUCTS: whether it needs X,
// - sums(): where X is,
// - score_row(): called for each map row, and
// - end_batch(): called after each batch.
//
// A column class (Adjacent, Apart) says which four columns of a strip belong to a thread. It has
//
// - STEP: columns per access to shared memory; windows' right edges are read in aligned pieces of
//   this many columns,
// - first(): the thread's first column,
// - column(i): the distance of its i-th column from the first, and
// - store(): writes the four scores of a map row.
#ifndef XNCC_CUDA_SCORE_STRIP_WINDOWS_CUH
#define XNCC_CUDA_SCORE_STRIP_WINDOWS_CUH

#include "cuda/runtime/dispatch.h"
#include "cuda/runtime/warp.cuh"
#include "cuda/score/score_arith.cuh"
#include "cuda/score/tile_max.cuh"

namespace xncc {

// For each map row of a batch: the changes of S and Q, summed over the columns before each column.
template <int WORDS> struct StripPrefixes {
    static constexpr int COLUMNS = Span<WORDS>::COLUMNS, PITCH = Span<WORDS>::PITCH;
    alignas(16) uint32_t s[ROWS][PITCH], q[ROWS][PITCH];
};

// Column class: four adjacent columns.
struct Adjacent {
    static constexpr int STEP = 4;

    __device__ __forceinline__ static int first()
    {
        return 4 * threadIdx.x;
    }
    __device__ __forceinline__ static constexpr int column(int i)
    {
        return i;
    }
    __device__ __forceinline__ static void store(float *to, const float *f, int x, int width,
                                                 int vector_columns)
    {
        xncc::store(to, f, x, width, vector_columns);
    }
};

// Column class: two pairs 64 columns apart, as an m16n8 product with 8 columns per matrix row
// leaves them.
struct Apart {
    static constexpr int STEP = 2, DISTANCE = 64;

    __device__ __forceinline__ static int first()
    {
        return threadIdx.x / WARP_LANES * 4 * WARP_LANES + threadIdx.x % WARP_LANES * 2;
    }
    __device__ __forceinline__ static constexpr int column(int i)
    {
        return i % 2 + i / 2 * DISTANCE;
    }
    __device__ __forceinline__ static void store(float *to, const float *f, int x, int width,
                                                 int vector_columns)
    {
        if (x + DISTANCE + 1 < vector_columns) {
            __stcs(reinterpret_cast<float2 *>(to), make_float2(f[0], f[1]));
            __stcs(reinterpret_cast<float2 *>(to + DISTANCE), make_float2(f[2], f[3]));
            return;
        }
#pragma unroll
        for (int i = 0; i < 4; i++)
            if (x + column(i) < width)
                to[column(i)] = f[i];
    }
};

// X of a batch at a thread's adjacent columns, in memory, where another kernel left it.
struct StoredProducts {
    // x, y: the thread's first column and the batch's first row. row: in the batch. column:
    // which of the thread's four
    __device__ __forceinline__ static uint32_t at(const Job &job, int x, int y, int row, int column)
    {
        return job.all.sums[(y + row) * job.all.sums_pitch + x + Adjacent::column(column)];
    }
};

// X of a batch at a thread's columns, in registers.
struct RegisterProducts {
    uint32_t x[ROWS][4];

    __device__ __forceinline__ uint32_t at(const Job &, int, int, int row, int column) const
    {
        return x[row][column];
    }
};

// Computes the scores of a batch again by the plain formula, for a thread's four columns. windows:
// S of the four columns, then Q, at the batch's last row; the function goes up from there, taking
// the changes back. rows: map rows left, at least 1. Out of line and rarely called.
template <class Arith, int WORDS, class Columns, class Products>
__device__ __noinline__ void rescore_batch(const Job &job, const StripPrefixes<WORDS> &shared,
                                           const uint32_t *windows, const Products products, int x,
                                           int y, int rows)
{
#pragma unroll 1
    for (int i = 0; i < 4 && x + Columns::column(i) < job.all.width; i++) {
        const int left = Columns::first() + Columns::column(i), right = left + job.all.window_width;
        uint32_t s = windows[i], q = windows[4 + i];
#pragma unroll 1
        for (int r = ROWS - 1; r >= 0; r--) {
            if (r < rows)
                job.all.map[(y + r) * job.all.map_pitch + x + Columns::column(i)] = Arith::exact(
                    job, s, q, products.at(job, x, y, r, i));
            if (Arith::OF_S)
                s -= shared.s[r][right] - shared.s[r][left];
            if (Arith::OF_Q)
                q -= shared.q[r][right] - shared.q[r][left];
        }
    }
}

// Writes the prefix sums of one map row, those that Arith needs, to shared memory. lead, lag: the
// lane's words of the image rows; to_s, to_q: where the lane's columns are. The barrier inside
// waits until the previous batch's prefixes have been read; the caller synchronizes again before it
// reads these.
template <class Arith, int WORDS>
__device__ __forceinline__ void prefix_row(const uint32_t *lead, const uint32_t *lag,
                                           uint32_t *to_s, uint32_t *to_q)
{
    uint32_t s[WORDS], q[WORDS], s_all = 0, q_in = 0, q_out = 0;
#pragma unroll
    for (int i = 0; i < WORDS; i++) {
        s[i] = s_all;
        q[i] = q_in - q_out;
        s_all = dp4a_signed(lag[i], 0xffffffffu, __dp4a(lead[i], 0x01010101u, s_all));
        q_in = __dp4a(lead[i], lead[i], q_in);
        q_out = __dp4a(lag[i], lag[i], q_out);
    }
    uint32_t s_before = s_all, q_before = q_in - q_out;
    if (Arith::OF_S && Arith::OF_Q) {
        scan(s_before, q_before);
        s_before -= s_all;
        q_before -= q_in - q_out;
    } else if (Arith::OF_S) {
        s_before = sum_before(s_before);
    } else {
        q_before = sum_before(q_before);
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < WORDS; i++) {
        uint32_t a = lead[i], b = lag[i], s0 = s[i] + s_before, q0 = q[i] + q_before;
        uint32_t s1 = dp4a_signed(b, 0xffu, __dp4a(a, 0x1u, s0)),
                 s2 = dp4a_signed(b, 0xffffu, __dp4a(a, 0x101u, s0)),
                 s3 = dp4a_signed(b, 0xffffffu, __dp4a(a, 0x10101u, s0));
        uint32_t q1 = __dp4a(a & 0xffu, a, q0) - __dp4a(b & 0xffu, b, 0u),
                 q2 = __dp4a(a & 0xffffu, a, q0) - __dp4a(b & 0xffffu, b, 0u),
                 q3 = __dp4a(a & 0xffffffu, a, q0) - __dp4a(b & 0xffffffu, b, 0u);
        if (Arith::OF_S)
            *reinterpret_cast<uint4 *>(to_s + 4 * i) = make_uint4(s0, s1, s2, s3);
        if (Arith::OF_Q)
            *reinterpret_cast<uint4 *>(to_q + 4 * i) = make_uint4(q0, q1, q2, q3);
    }
}

// The block's first map row and column.
__device__ __forceinline__ int first_row(const Job &job)
{
    return blockIdx.y * job.segment;
}
__device__ __forceinline__ int first_column()
{
    return blockIdx.x * XNCC_TENSOR_COLUMNS;
}

// Sums `rows` rows of a word's four columns: sets s, and adds the squares to q. flip:
// TensorPlane::flip.
__device__ __forceinline__ void sum_columns(const unsigned char *from, int64_t pitch, int rows,
                                            uint32_t flip, uint32_t *s, uint32_t *q)
{
    // even, odd: two 16-bit sums each, added to s before they can overflow
    uint32_t even = 0, odd = 0;
    s[0] = s[1] = s[2] = s[3] = 0;
    for (int j = 0; j < rows;) {
        const int end = min(j + 256, rows); // 256 * 255 < 2^16
#pragma unroll 8
        for (; j < end; j++, from += pitch) {
            const uint32_t v = __ldg(reinterpret_cast<const uint32_t *>(from)) ^ flip;
            even += v & 0x00ff00ffu;
            odd += v >> 8 & 0x00ff00ffu;
            q[0] = __dp4a(v & 0xffu, v, q[0]);
            q[1] = __dp4a(v & 0xff00u, v, q[1]);
            q[2] = __dp4a(v & 0xff0000u, v, q[2]);
            q[3] = __dp4a(v & 0xff000000u, v, q[3]);
        }
        s[0] += even & 0xffffu;
        s[1] += odd & 0xffffu;
        s[2] += even >> 16;
        s[3] += odd >> 16;
        even = odd = 0;
    }
}

// Elements of 32 bits from map row to map row of an array of prefix sums of windows up to 128 wide,
// and from array to array.
constexpr int PREFIX_ROW = Span<WORDS>::PITCH, PREFIX_ARRAY = ROWS * PREFIX_ROW;

// Prefix sums of 32 bits are in one array, and those of 64 bits in two: low and high words.
__device__ __forceinline__ void load_prefix(const uint32_t *from, uint32_t *v)
{
    *v = *from;
}
__device__ __forceinline__ void load_prefix(const uint32_t *from, uint64_t *v)
{
    *v = from[0] | static_cast<uint64_t>(from[PREFIX_ARRAY]) << 32;
}
__device__ __forceinline__ void store_prefix(uint32_t *to, uint32_t v)
{
    *to = v;
}
__device__ __forceinline__ void store_prefix(uint32_t *to, uint64_t v)
{
    to[0] = static_cast<uint32_t>(v);
    to[PREFIX_ARRAY] = static_cast<uint32_t>(v >> 32);
}
// The same for four adjacent columns.
__device__ __forceinline__ void store_prefixes(uint32_t *to, const uint32_t *v)
{
    *reinterpret_cast<uint4 *>(to) = make_uint4(v[0], v[1], v[2], v[3]);
}
__device__ __forceinline__ void store_prefixes(uint32_t *to, const uint64_t *v)
{
    uint32_t low[4], high[4];
#pragma unroll
    for (int i = 0; i < 4; i++) {
        low[i] = static_cast<uint32_t>(v[i]);
        high[i] = static_cast<uint32_t>(v[i] >> 32);
    }
    store_prefixes(to, low);
    store_prefixes(to + PREFIX_ARRAY, high);
}

// Replaces a row of sums of columns by the sums over the columns before. Called by a whole warp.
template <class Sum, int WORDS> __device__ void accumulate_row(uint32_t *row)
{
    uint32_t *own = row + 4 * WORDS * (threadIdx.x % WARP_LANES);
    Sum total = 0, one;
    for (int i = 0; i < 4 * WORDS; i++) {
        load_prefix(own + i, &one);
        total += one;
    }
    Sum before = sum_before(total);
    for (int i = 0; i < 4 * WORDS; i++) {
        load_prefix(own + i, &one);
        store_prefix(own + i, before);
        before += one;
    }
}

// Prefix sums over all but the last row of the segment's first windows, into row 0 of `shared`:
// down the columns first, then along the row, one warp per sum. x0, y0: first map element of the
// segment. Ends with a barrier.
template <int WORDS>
__device__ void sum_first_windows(const Job &job, StripPrefixes<WORDS> &shared, int x0, int y0)
{
    const TensorPlane &image = job.all.image;
    for (int word = threadIdx.x; word < Span<WORDS>::COLUMNS / 4; word += THREADS) {
        const unsigned char *from = image.data + min(x0 + 4 * word, image.width - 4) +
                                    y0 * image.pitch;
        uint32_t sums[4], squares[4] = {};
        sum_columns(from, image.pitch, job.all.window_height - 1, image.flip, sums, squares);
        store_prefixes(&shared.s[0][4 * word], sums);
        store_prefixes(&shared.q[0][4 * word], squares);
    }
    __syncthreads();
    if (threadIdx.x < 2 * WARP_LANES)
        accumulate_row<uint32_t, WORDS>(threadIdx.x < WARP_LANES ? shared.s[0] : shared.q[0]);
    __syncthreads();
}

// S and Q of a thread's windows as sum_first_windows left them (without the windows' last row).
template <class Arith, class Columns, int WORDS>
__device__ __forceinline__ void load_first_windows(const Job &job,
                                                   const StripPrefixes<WORDS> &shared,
                                                   typename Arith::Sum *s, typename Arith::Sum *q)
{
#pragma unroll
    for (int i = 0; i < 4; i++) {
        const int left = Columns::first() + Columns::column(i), right = left + job.all.window_width;
        s[i] = Arith::from_integer(shared.s[0][right] - shared.s[0][left]);
        q[i] = Arith::from_integer(shared.q[0][right] - shared.q[0][left]);
    }
}

// Reads prefix sums at a thread's four columns, plus SHIFT columns, from an aligned address.
template <class Columns> struct ColumnReader;
template <> struct ColumnReader<Adjacent> {
    template <int SHIFT>
    __device__ __forceinline__ static void read(const uint32_t *from, uint32_t *to)
    {
        uint4 a = *reinterpret_cast<const uint4 *>(from), b = a;
        if (SHIFT)
            b = *reinterpret_cast<const uint4 *>(from + 4);
        const uint32_t v[8] = { a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w };
#pragma unroll
        for (int i = 0; i < 4; i++)
            to[i] = v[SHIFT + i];
    }
};
template <> struct ColumnReader<Apart> {
    template <int SHIFT>
    __device__ __forceinline__ static void read(const uint32_t *from, uint32_t *to)
    {
#pragma unroll
        for (int p = 0; p < 2; p++) {
            uint2 a = *reinterpret_cast<const uint2 *>(from + p * Apart::DISTANCE), b = a;
            if (SHIFT)
                b = *reinterpret_cast<const uint2 *>(from + p * Apart::DISTANCE + 2);
            to[2 * p] = SHIFT ? a.y : a.x;
            to[2 * p + 1] = SHIFT ? b.x : a.y;
        }
    }
};

// Slides one sum of a thread's four windows down by a row. left: the prefixes at the thread's first
// column; distance: window width - SHIFT. SHIFT: the width modulo Columns::STEP, so that reads stay
// aligned.
template <class Arith, class Columns, int SHIFT>
__device__ __forceinline__ void slide(typename Arith::Sum *windows, const uint32_t *left,
                                      int distance)
{
    uint32_t leaving[4], entering[4];
    ColumnReader<Columns>::template read<0>(left, leaving);
    ColumnReader<Columns>::template read<SHIFT>(left + distance, entering);
#pragma unroll
    for (int i = 0; i < 4; i++)
        windows[i] = Arith::slide_by(windows[i], entering[i], leaving[i]);
}

// Slides the sums that Arith needs. own: the thread's first column; row: in the batch.
template <class Arith, class Columns, int SHIFT, int WORDS>
__device__ __forceinline__ void slide_windows(typename Arith::Sum *s, typename Arith::Sum *q,
                                              const StripPrefixes<WORDS> &shared, int row, int own,
                                              int distance)
{
    if (Arith::OF_S)
        slide<Arith, Columns, SHIFT>(s, &shared.s[row][own], distance);
    if (Arith::OF_Q)
        slide<Arith, Columns, SHIFT>(q, &shared.q[row][own], distance);
}

// Output class: writes the scores to the map, and the best score of each tile if that is asked for.
template <class Arith, class Columns> struct MapOutput {
    using Sum = typename Arith::Sum;
    static constexpr bool FROM_PRODUCTS = true;
    // The thread's first column in the next map row.
    float *to;
    // False if a score of the current batch must be computed again.
    bool sure;

    __device__ MapOutput(const Job &job, int x, int y)
        : to(job.all.map + y * job.all.map_pitch + x), sure(true)
    {
    }
    __device__ __forceinline__ const uint32_t *sums(const Job &job) const
    {
        return job.all.sums;
    }
    // s, q, product: of the thread's four windows. inside: the row belongs to the segment.
    __device__ __forceinline__ void score_row(const Job &job, const Sum *s, const Sum *q,
                                              const uint32_t *product, int x, bool inside)
    {
        float f[4];
#pragma unroll
        for (int i = 0; i < 4; i++)
            sure &= Arith::score(job, s[i], q[i], product[i], &f[i]);
        if (inside)
            Columns::store(to, f, x, job.all.width, job.vector_columns);
        to += job.all.map_pitch;
    }
    // x, y: the thread's first column and the batch's first row; left: map rows left.
    template <int WORDS, class Products>
    __device__ __forceinline__ void end_batch(const Job &job, const StripPrefixes<WORDS> &shared,
                                              const Sum *s, const Sum *q, const Products &products,
                                              int x, int y, int left)
    {
        if (__builtin_expect(!sure, 0)) {
            const uint32_t windows[8] = { Arith::to_integer(s[0]), Arith::to_integer(s[1]),
                                          Arith::to_integer(s[2]), Arith::to_integer(s[3]),
                                          Arith::to_integer(q[0]), Arith::to_integer(q[1]),
                                          Arith::to_integer(q[2]), Arith::to_integer(q[3]) };
            rescore_batch<Arith, WORDS, Columns>(job, shared, windows, products, x, y, left);
        }
        sure = true;
    }
};

} // namespace xncc

#endif
