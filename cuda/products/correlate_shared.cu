// SPDX-License-Identifier: BSD-2-Clause
// X by direct correlation from a tile in shared memory, template in constant memory: the kernel
// `shared` (corrShared of the handbook).
//
//     X(x, y) = sum over rows j and columns i of I(x + i, y + j) * T(i, j)
//
// Data mapping: a block is 8 warps, one above the other, and covers 128 map columns. A thread
// computes 4 adjacent windows (XNCC_THREAD_COLUMNS) in 8 (u8), 4 (u16) or 2 (f32) map rows, so a
// block covers 128 x 64, 128 x 32 or 128 x 16 map elements. The block first loads all image pixels
// under its windows, in texels of 16 bytes; rows are over-fetched to the tile's pitch, a multiple
// of 64 bytes.
//
// Template layout in constant memory: integer pixels are in groups of 4 adjacent pixels, group
// column by group column (group g of row j at index g * stride + j, stride = rows rounded up to a
// multiple of 4), padded with zeros to whole groups. f32 pixels are row by row.
//
// Resources: dynamic shared memory tile_pitch * tile_rows bytes, where the tile has the block's map
// rows plus rows - 1; 256 threads. Integer kernels run at 2 blocks per multiprocessor
// (__launch_bounds__), hence at most 128 registers per thread.
//
// Preconditions: xncc_fit_cuda has checked that tile and template rows fit; where the tile would
// exceed shared memory the decision takes fewer template rows per launch or another kernel. Any
// compute capability from 6.1 on (__dp4a).
//
// Measured (H200, November 2026, 8192 x 8192, u8, whole match, against the handbook's kernel with
// its float formula): n = 8 0.737 ms (ratio 0.46), n = 16 0.803 ms (0.16), n = 32 1.63 ms (0.091),
// n = 64 4.89 ms (0.072), n = 128 17.6 ms (0.066).
#include "cuda/runtime/constant_read.cuh"
#include "cuda/runtime/shared_memory.h"
#include "cuda/planes/texel.cuh"
#include "cuda/planes/walk.cuh"
#include "cuda/products/correlate_family.h"
#include "cuda/runtime/warp.cuh"

#include "math/score.h"

namespace xncc {

namespace {

__constant__ __align__(16) unsigned char constant_cache[CONSTANT_BYTES];

constexpr int WARPS = XNCC_TILE_WARPS;
constexpr int SPAN = XNCC_THREAD_COLUMNS;
constexpr int VECTOR_BYTES = 16;
static_assert(WARP_LANES * SPAN == XNCC_TILE_WIDTH, "a warp spans the tile");
static_assert(XNCC_TILE_PITCH % VECTOR_BYTES == 0, "tile rows are whole vectors");

// 16 bytes of image row y from pixel x on. x is a multiple of the number of pixels in 16 bytes and
// may be negative; pixels outside the image repeat its edge.
template <class Pixel> __device__ uint4 fetch_vector(const StageView &stage, int x, int y)
{
    constexpr int PIXELS = VECTOR_BYTES / sizeof(Pixel);
    if (x >= 0 && x / PIXELS < stage.vectors_width)
        return fetch<uint4>(stage.vectors, x / PIXELS, y);
    union {
        uint4 vector;
        Pixel pixel[PIXELS];
    } edge;
#pragma unroll
    for (int i = 0; i < PIXELS; i++)
        edge.pixel[i] = fetch<Pixel>(stage.pixels, x + i, y);
    return edge.vector;
}

// Map column of the first block's first window: 0, or a few columns less where the band's first
// window does not begin at a multiple of 16 bytes. Tiles then begin at whole texels.
template <class Pixel> __host__ __device__ int first_column(const StageView &stage)
{
    constexpr int PIXELS = VECTOR_BYTES / sizeof(Pixel);
    return -((stage.left % PIXELS + PIXELS) % PIXELS);
}

// Loads the image pixels under the block's windows into the tile. x, y: map element of the block's
// first window. Consecutive threads load consecutive vectors.
template <class Pixel> __device__ void fill_tile(uint4 *tile, const CorrelateJob &job, int x, int y)
{
    int across = job.tile_pitch / VECTOR_BYTES, rows = job.tile_rows;
    Walk walk(threadIdx.x, blockDim.x, across);
    int left = job.stage.left + x, top = job.stage.top + y + job.first;
#pragma unroll 4
    for (int i = threadIdx.x; i < rows * across; i += blockDim.x, walk.next())
        tile[i] = fetch_vector<Pixel>(
            job.stage, left + walk.i * static_cast<int>(VECTOR_BYTES / sizeof(Pixel)),
            top + walk.j);
}

// Integer pixels: one step multiplies the pixels under 4 adjacent windows by a group of 4 template
// pixels. A Line holds one image row's pixels for that step, Taps the group of template pixels.
template <class Pixel> struct Group;

// 8 bits: Line holds four words, word i the four pixels from pixel i on, so that a step is one
// four-way dot product per window. A launch has fewer than 65024 template pixels (CONSTANT_BYTES),
// and 65024 * 255^2 < 2^32, so its share of X fits 32 bits.
template <> struct Group<unsigned char> {
    static constexpr int ROWS = XNCC_THREAD_ROWS_U8;
    using Sum = uint32_t;
    using Taps = uint32_t;
    struct Line {
        uint32_t word[SPAN];
    };
    static __device__ Line read(const unsigned char *at)
    {
        uint32_t low = *reinterpret_cast<const uint32_t *>(at),
                 high = *reinterpret_cast<const uint32_t *>(at + 4);
        Line line;
        line.word[0] = low;
#pragma unroll
        for (int i = 1; i < SPAN; i++)
            line.word[i] = __funnelshift_r(low, high, 8 * i);
        return line;
    }
    static __device__ void add(Sum (&sum)[SPAN], const Line &line, Taps taps)
    {
#pragma unroll
        for (int i = 0; i < SPAN; i++)
            sum[i] = __dp4a(line.word[i], taps, sum[i]);
    }
};

// 16 bits: Line holds the 7 pixels that 4 windows need, and one more, each in a register.
template <> struct Group<unsigned short> {
    static constexpr int ROWS = XNCC_THREAD_ROWS_U16;
    using Sum = uint64_t;
    using Taps = uint2;
    struct Line {
        uint32_t pixel[2 * SPAN];
    };
    static __device__ Line read(const unsigned char *at)
    {
        Line line;
#pragma unroll
        for (int i = 0; i < 2; i++) {
            uint2 four = *reinterpret_cast<const uint2 *>(at + 8 * i);
            line.pixel[4 * i] = four.x & 0xffff;
            line.pixel[4 * i + 1] = four.x >> 16;
            line.pixel[4 * i + 2] = four.y & 0xffff;
            line.pixel[4 * i + 3] = four.y >> 16;
        }
        return line;
    }
    static __device__ void add(Sum (&sum)[SPAN], const Line &line, Taps taps)
    {
        const uint32_t tap[SPAN] = { taps.x & 0xffff, taps.x >> 16, taps.y & 0xffff, taps.y >> 16 };
#pragma unroll
        for (int k = 0; k < SPAN; k++)
#pragma unroll
            for (int i = 0; i < SPAN; i++)
                sum[i] += static_cast<uint64_t>(line.pixel[i + k]) * tap[k];
    }
};

// Adds one column of groups, from the top of the template to its bottom. A thread's ROWS map rows
// need ROWS consecutive image lines per template row; the next template row needs the same lines
// but one. So the lines are a ring of ROWS register sets: every line is read and shifted once and
// used for ROWS template rows. The loop is unrolled by ROWS, so all ring indices are constants.
template <class Pixel>
__device__ void add_column(typename Group<Pixel>::Sum (&sum)[Group<Pixel>::ROWS][SPAN],
                           const unsigned char *at, int pitch,
                           const typename Group<Pixel>::Taps *taps, int rows)
{
    using G = Group<Pixel>;
    constexpr int ROWS = G::ROWS;
    typename G::Line line[ROWS];
#pragma unroll
    for (int k = 0; k < ROWS - 1; k++, at += pitch)
        line[k] = G::read(at);
    int j = 0;
    const auto add_row = [&](int k) {
        line[(k + ROWS - 1) % ROWS] = G::read(at);
        typename G::Taps t = taps[j + k];
#pragma unroll
        for (int r = 0; r < ROWS; r++)
            G::add(sum[r], line[(k + r) % ROWS], t);
    };
    for (; j + ROWS <= rows; j += ROWS)
#pragma unroll
        for (int k = 0; k < ROWS; k++, at += pitch)
            add_row(k);
#pragma unroll
    for (int k = 0; k < ROWS - 1; k++, at += pitch) {
        if (j + k >= rows)
            return;
        add_row(k);
    }
}

// Writes one map row of a thread's sums, or adds them to `sums`, as job.add says.
template <class Out, class Sum>
__device__ void store(const CorrelateJob &job, int x, int y, const Sum (&sum)[SPAN])
{
    Out *out = static_cast<Out *>(job.sums) + y * job.pitch;
    if (y >= job.height)
        return;
#pragma unroll
    for (int i = 0; i < SPAN; i++)
        if (x + i >= 0 && x + i < job.width)
            out[x + i] = job.add ? static_cast<Out>(out[x + i] + sum[i]) : static_cast<Out>(sum[i]);
}

// u8 and u16. Out: type of the sums in memory. column0: first_column(). rows is rounded up to the
// stride of a group column in constant memory.
template <class Pixel, class Out>
__global__ __launch_bounds__(WARP_LANES *WARPS, 2) void correlate_integers(CorrelateJob job,
                                                                           int column0)
{
    using G = Group<Pixel>;
    extern __shared__ uint4 tile[];
    int lane = threadIdx.x % WARP_LANES, warp = threadIdx.x / WARP_LANES;
    int x0 = column0 + blockIdx.x * XNCC_TILE_WIDTH, y0 = blockIdx.y * (WARPS * G::ROWS);
    fill_tile<Pixel>(tile, job, x0, y0);
    __syncthreads();
    int x = x0 + lane * SPAN, y = y0 + warp * G::ROWS;
    if (y >= job.height)
        return;
    constexpr int GROUP_BYTES = SPAN * sizeof(Pixel);
    const unsigned char *at = reinterpret_cast<const unsigned char *>(tile) +
                              warp * G::ROWS * job.tile_pitch + lane * GROUP_BYTES;
    const auto *taps = reinterpret_cast<const typename G::Taps *>(constant_cache);
    int stride = (job.rows + 3) / 4 * 4;
    typename G::Sum sum[G::ROWS][SPAN] = {};
    for (int g = 0; g < job.size; g += SPAN, at += GROUP_BYTES, taps += stride)
        add_column<Pixel>(sum, at, job.tile_pitch, taps, job.rows);
#pragma unroll
    for (int r = 0; r < G::ROWS; r++)
        store<Out>(job, x, y + r, sum[r]);
}

// f32: adds one image line to a thread's two map rows, in the order that score.h prescribes (each
// window row from left to right). An image line belongs to template row j of the first map row
// (FIRST) and to template row j - 1 of the second (LAST). taps: template row j; at: the line.
template <bool FIRST, bool LAST>
__device__ void add_line(double (&total)[XNCC_THREAD_ROWS_F32][SPAN], const float *at,
                         const float *taps, const CorrelateJob &job)
{
    double v[SPAN], row[XNCC_THREAD_ROWS_F32][SPAN] = {};
#pragma unroll
    for (int i = 0; i < SPAN - 1; i++)
        v[i] = xncc_centred(at[i], job.pivot);
#pragma unroll 4
    for (int i = 0; i < job.size; i++) {
        v[SPAN - 1] = xncc_centred(at[i + SPAN - 1], job.pivot);
        double t0 = FIRST ? xncc_centred(taps[i], job.pivot) : 0.0,
               t1 = LAST ? xncc_centred(taps[i - job.size], job.pivot) : 0.0;
#pragma unroll
        for (int k = 0; k < SPAN; k++) {
            if (FIRST)
                row[0][k] = xncc_sum(row[0][k], xncc_product(v[k], t0));
            if (LAST)
                row[1][k] = xncc_sum(row[1][k], xncc_product(v[k], t1));
            v[k] = k < SPAN - 1 ? v[k + 1] : 0.0;
        }
    }
#pragma unroll
    for (int k = 0; k < SPAN; k++) {
        if (FIRST)
            total[0][k] = xncc_sum(total[0][k], row[0][k]);
        if (LAST)
            total[1][k] = xncc_sum(total[1][k], row[1][k]);
    }
}

// f32. Earlier launches' sums start the totals, since doubles have to be added in one order only.
__global__ __launch_bounds__(WARP_LANES *WARPS) void correlate_floats(CorrelateJob job, int column0)
{
    constexpr int ROWS = XNCC_THREAD_ROWS_F32;
    static_assert(ROWS == 2, "add_line handles two map rows");
    extern __shared__ uint4 tile[];
    int lane = threadIdx.x % WARP_LANES, warp = threadIdx.x / WARP_LANES;
    int x0 = column0 + blockIdx.x * XNCC_TILE_WIDTH, y0 = blockIdx.y * (WARPS * ROWS);
    fill_tile<float>(tile, job, x0, y0);
    __syncthreads();
    int x = x0 + lane * SPAN, y = y0 + warp * ROWS,
        pitch = job.tile_pitch / static_cast<int>(sizeof(float));
    const float *at = reinterpret_cast<const float *>(tile) + warp * ROWS * pitch + lane * SPAN;
    const float *taps = reinterpret_cast<const float *>(constant_cache) + lane_zero();
    double total[ROWS][SPAN] = {};
    const double *before = static_cast<const double *>(job.sums) + y * job.pitch;
    for (int r = 0; r < ROWS && job.add; r++)
        for (int i = 0; i < SPAN; i++)
            if (y + r < job.height && x + i >= 0 && x + i < job.width)
                total[r][i] = before[r * job.pitch + x + i];
    add_line<true, false>(total, at, taps, job);
    for (int j = 1; j < job.rows; j++)
        add_line<true, true>(total, at + j * pitch, taps + j * job.size, job);
    add_line<false, true>(total, at + job.rows * pitch, taps + job.rows * job.size, job);
    for (int r = 0; r < ROWS; r++) {
        CorrelateJob whole = job;
        whole.add = 0; // the totals include the sums so far
        store<double>(whole, x, y + r, total[r]);
    }
}

// Grid for threads of `rows` map rows each.
template <class Pixel> dim3 grid_of(const CorrelateJob &job, int rows)
{
    int columns = job.width - first_column<Pixel>(job.stage);
    return rows_grid(columns, ceil_div(job.height, WARPS * rows), XNCC_TILE_WIDTH);
}

cudaError_t launch(xncc_pixel pixel, bool narrow, const CorrelateJob &job, cudaStream_t stream)
{
    size_t bytes = static_cast<size_t>(job.shared_bytes);
    if (pixel == XNCC_F32)
        correlate_floats<<<grid_of<float>(job, XNCC_THREAD_ROWS_F32), WARP_LANES * WARPS, bytes,
                           stream>>>(job, first_column<float>(job.stage));
    else
        with_integer_sum(pixel, narrow, [&](auto of, auto sum) {
            using Pixel = decltype(of);
            correlate_integers<Pixel, decltype(sum)>
                <<<grid_of<Pixel>(job, Group<Pixel>::ROWS), WARP_LANES * WARPS, bytes, stream>>>(
                    job, first_column<Pixel>(job.stage));
        });
    return cudaGetLastError();
}

// Copies template rows into constant memory, in the layout described at the top of the file.
cudaError_t load(ConstantTurn &turn, const DeviceTemplate &p, int32_t first, int32_t rows)
{
    if (p.pixel == XNCC_F32)
        return load_rows(turn, p, first, rows);
    size_t group = p.group_bytes(), stride = static_cast<size_t>((rows + 3) / 4 * 4) * group;
    return turn.load(ConstantContent{ p.serial, first, rows },
                     p.groups.as<unsigned char>() + static_cast<size_t>(first) * group,
                     static_cast<size_t>(p.group_rows) * group, stride,
                     static_cast<size_t>(p.group_count));
}

} // namespace

const void *shared_constant()
{
    return constant_cache;
}

CorrelateFamily shared_family()
{
    return CorrelateFamily{ FAMILY_SHARED, load, launch };
}

cudaError_t shared_set_max_shared_memory(int bytes)
{
    return set_max_shared_memory(
        bytes, correlate_floats, correlate_integers<unsigned short, uint64_t>,
        correlate_integers<unsigned char, uint32_t>, correlate_integers<unsigned char, uint64_t>);
}

} // namespace xncc
