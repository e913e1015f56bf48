// SPDX-License-Identifier: BSD-2-Clause
// Transforms of 64 x 64 points in shared memory (float_tiles.h).
//
// A pair of blocks of the image is the real and the imaginary part of one transform. With
// x = k + 8 j and f = q + 8 p, j, k, p, q = 0 .. 7, a transform of 64 points is
//
//     X[q + 8 p] = sum over k of w8^(k p) * (w64^(k q) * sum over j of w8^(j q) x[k + 8 j])
//
// two steps of radix 8 with a multiplication in between. Each step works in place, so X[q + 8 p] is
// found where x[8 q + p] was; the inverse takes the steps backwards, and the template's spectrum is
// in the same order, so nothing is put in order. Rows come first, then columns; the last step down
// the columns, the multiplication by the spectrum and the first step back are done in registers.
//
// Thread mapping: a block of 256 threads has one pair of blocks. In each step a thread transforms 8
// points, twice. In steps along the rows, 8 adjacent threads share a row; in steps down the
// columns, 32 adjacent threads have adjacent columns. Shared memory: 74 KB; a point of padding
// after every 8 keeps both free of bank conflicts. 3 blocks per multiprocessor, from compute
// capability 8.0 on.
//
// Errors. A step of radix 8 has three levels of additions, each off by 1 u of its results in the
// 2-norm, and one multiplication by (+-1 +-i)/sqrt(2), off by 3 u; the multiplication in between is
// off by 2.95 u with its factor, which is rounded once. In all 15 u for 64 points and 30 u for a
// transform. plan/cost_fft_cuda.c has the sum.
#include "cuda/products/float_tiles.h"

#include "cuda/planes/float_image.cuh"
#include "cuda/products/radix.cuh"
#include "cuda/runtime/shared_memory.h"
#include "cuda/runtime/warp.cuh"

namespace xncc {

namespace {

constexpr int SIDE = 64, EIGHT = 8;
constexpr int THREADS = 256, BLOCKS = 3;
constexpr int TASKS = SIDE * EIGHT; // transforms of 8 points in a step
constexpr int PITCH = SIDE + EIGHT; // of a row in shared memory

// cos(2 pi m / 64)
__device__ constexpr double COSINES[SIDE / 4 + 1] = { 1.0,
                                                      0x1.fd88da3d12526p-1,
                                                      0x1.f6297cff75cb0p-1,
                                                      0x1.e9f4156c62ddap-1,
                                                      0x1.d906bcf328d46p-1,
                                                      0x1.c38b2f180bdb1p-1,
                                                      0x1.a9b66290ea1a3p-1,
                                                      0x1.8bc806b151741p-1,
                                                      0x1.6a09e667f3bcdp-1,
                                                      0x1.44cf325091dd6p-1,
                                                      0x1.1c73b39ae68c8p-1,
                                                      0x1.e2b5d3806f63bp-2,
                                                      0x1.87de2a6aea963p-2,
                                                      0x1.294062ed59f06p-2,
                                                      0x1.8f8b83c69a60bp-3,
                                                      0x1.917a6bc29b42cp-4,
                                                      0.0 };

// The shared memory of a block.
struct Tile {
    double2 point[SIDE * PITCH];
    double2 turn[SIDE]; // cos and sin of 2 pi m / 64
    double square[THREADS / WARP_LANES];
};

// Where point (x, y) is.
__device__ __forceinline__ int at(int x, int y)
{
    return y * PITCH + x + x / EIGHT;
}

// Multiplies point i by w64^(k i).
template <bool BACK>
__device__ __forceinline__ void turn_all(double2 (&v)[EIGHT], const Tile &tile, int k)
{
#pragma unroll
    for (int i = 1; i < EIGHT; i++)
        v[i] = turned<BACK>(v[i], tile.turn[k * i]);
}

__device__ void fill_turns(Tile *tile)
{
    const int m = static_cast<int>(threadIdx.x);
    if (m >= SIDE)
        return;
    const int quarters = m / (SIDE / 4), rest = m % (SIDE / 4);
    const double c = COSINES[rest], s = COSINES[SIDE / 4 - rest];
    tile->turn[m] = quarters == 0   ? make_double2(c, s)
                    : quarters == 1 ? make_double2(-s, c)
                    : quarters == 2 ? make_double2(-c, -s)
                                    : make_double2(s, -c);
}

// The forward steps but the last one, from points that value(x, y) gives.
template <class Value> __device__ __forceinline__ void go(Tile *tile, const Value &value)
{
    double2 v[EIGHT];
    const int own = static_cast<int>(threadIdx.x);
    for (int task = own; task < TASKS; task += THREADS) {
        const int k = task % EIGHT, y = task / EIGHT;
#pragma unroll
        for (int j = 0; j < EIGHT; j++)
            v[j] = value(k + EIGHT * j, y);
        eight<false>(v);
        turn_all<false>(v, *tile, k);
#pragma unroll
        for (int q = 0; q < EIGHT; q++)
            tile->point[at(k + EIGHT * q, y)] = v[q];
    }
    __syncthreads();
    for (int task = own; task < TASKS; task += THREADS) {
        double2 *from = tile->point + at(task % EIGHT * EIGHT, task / EIGHT);
#pragma unroll
        for (int k = 0; k < EIGHT; k++)
            v[k] = from[k];
        eight<false>(v);
#pragma unroll
        for (int p = 0; p < EIGHT; p++)
            from[p] = v[p];
    }
    __syncthreads();
    for (int task = own; task < TASKS; task += THREADS) {
        const int x = task % SIDE, k = task / SIDE;
#pragma unroll
        for (int j = 0; j < EIGHT; j++)
            v[j] = tile->point[at(x, k + EIGHT * j)];
        eight<false>(v);
        turn_all<false>(v, *tile, k);
#pragma unroll
        for (int q = 0; q < EIGHT; q++)
            tile->point[at(x, k + EIGHT * q)] = v[q];
    }
    __syncthreads();
}

// The last step forward: 8 points of column x, from row 8 q on.
__device__ __forceinline__ void last_step(const Tile &tile, int x, int q, double2 (&v)[EIGHT])
{
#pragma unroll
    for (int k = 0; k < EIGHT; k++)
        v[k] = tile.point[at(x, EIGHT * q + k)];
    eight<false>(v);
}

// The steps back behind the multiplication. put(x, y, v) gets the points of the first `rows` rows.
template <class Put> __device__ __forceinline__ void come_back(Tile *tile, int rows, const Put &put)
{
    double2 v[EIGHT];
    const int own = static_cast<int>(threadIdx.x);
    for (int task = own; task < TASKS; task += THREADS) {
        const int x = task % SIDE, k = task / SIDE;
#pragma unroll
        for (int q = 0; q < EIGHT; q++)
            v[q] = tile->point[at(x, k + EIGHT * q)];
        eight<true>(v);
#pragma unroll
        for (int j = 0; j < EIGHT; j++)
            tile->point[at(x, k + EIGHT * j)] = v[j];
    }
    __syncthreads();
    for (int task = own; task < rows * EIGHT; task += THREADS) {
        const int q = task % EIGHT;
        double2 *from = tile->point + at(q * EIGHT, task / EIGHT);
#pragma unroll
        for (int p = 0; p < EIGHT; p++)
            v[p] = from[p];
        eight<true>(v);
        turn_all<true>(v, *tile, q);
#pragma unroll
        for (int k = 0; k < EIGHT; k++)
            from[k] = v[k];
    }
    __syncthreads();
    for (int task = own; task < rows * EIGHT; task += THREADS) {
        const int k = task % EIGHT, y = task / EIGHT;
#pragma unroll
        for (int q = 0; q < EIGHT; q++)
            v[q] = tile->point[at(k + EIGHT * q, y)];
        eight<true>(v);
#pragma unroll
        for (int j = 0; j < EIGHT; j++)
            put(k + EIGHT * j, y, v[j]);
    }
}

// The conjugate of the template's spectrum, over the number of points.
template <xncc_pixel PIXEL>
__global__ __launch_bounds__(THREADS) void transform_template(const TemplateView t,
                                                              const FloatConstants *constants,
                                                              double2 *spectrum)
{
    extern __shared__ __align__(16) unsigned char memory[];
    Tile *tile = reinterpret_cast<Tile *>(memory);
    const double pivot = constants->pivot;
    fill_turns(tile);
    __syncthreads();
    go(tile, [&](int x, int y) {
        const bool inside = x < t.width && y < t.height;
        return make_double2(inside ? xncc_sum(templ_sample<PIXEL>(t, x, y), -pivot) : 0.0, 0.0);
    });
    for (int task = static_cast<int>(threadIdx.x); task < TASKS; task += THREADS) {
        const int x = task % SIDE, q = task / SIDE;
        double2 v[EIGHT];
        last_step(*tile, x, q, v);
#pragma unroll
        for (int p = 0; p < EIGHT; p++)
            spectrum[(EIGHT * q + p) * SIDE + x] = make_double2(v[p].x * 0x1p-12,
                                                                v[p].y * -0x1p-12);
    }
}

// The sum of the squares of the pair's samples gives the bound of its errors.
__device__ void bound_pair(const FloatBlocks &b, int pair, double square, Tile *tile,
                           const FloatConstants *constants)
{
    square = warp_sum(square);
    if (threadIdx.x % WARP_LANES == 0)
        tile->square[threadIdx.x / WARP_LANES] = square;
    __syncthreads();
    if (threadIdx.x == 0) {
        double all = 0.0;
        for (double part : tile->square)
            all += part;
        b.error[pair] = b.relative * 1.01 * sqrt(all + XNCC_WINDOW_TINY) * constants->templ.norm +
                        XNCC_WINDOW_TINY;
    }
}

template <xncc_pixel PIXEL>
__global__ __launch_bounds__(THREADS, BLOCKS) void transform_pairs(
    const __grid_constant__ FloatProductsJob job, const __grid_constant__ FloatBlocks b,
    const double2 *spectrum, const FloatConstants *constants)
{
    extern __shared__ __align__(16) unsigned char memory[];
    Tile *tile = reinterpret_cast<Tile *>(memory);
    const int pair = static_cast<int>(blockIdx.x);
    const bool has_odd = 2 * pair + 1 < b.count;
    const int2 even = block_start(b, 2 * pair), odd = block_start(b, 2 * pair + 1);
    const double pivot = constants->image_pivot;
    const int32_t limit = constants->limit;
    double square = 0.0;
    fill_turns(tile);
    __syncthreads();
    go(tile, [&](int x, int y) {
        double2 v;
        v.x = within(float_value<PIXEL>(job.image, even.x + x, even.y + y, pivot), limit);
        v.y = has_odd ? within(float_value<PIXEL>(job.image, odd.x + x, odd.y + y, pivot), limit)
                      : 0.0;
        square += v.x * v.x + v.y * v.y;
        return v;
    });
    bound_pair(b, pair, square, tile, constants);
    for (int task = static_cast<int>(threadIdx.x); task < TASKS; task += THREADS) {
        const int x = task % SIDE, q = task / SIDE;
        double2 v[EIGHT];
        last_step(*tile, x, q, v);
#pragma unroll
        for (int p = 0; p < EIGHT; p++)
            v[p] = turned<true>(v[p], __ldg(spectrum + (EIGHT * q + p) * SIDE + x));
        eight<true>(v);
        turn_all<true>(v, *tile, q);
#pragma unroll
        for (int k = 0; k < EIGHT; k++)
            tile->point[at(x, EIGHT * q + k)] = v[k];
    }
    __syncthreads();
    come_back(tile, b.step_y, [&](int x, int y, double2 v) {
        if (x >= b.step_x)
            return;
        store_product(job, even, x, y, v.x);
        if (has_odd)
            store_product(job, odd, x, y, v.y);
    });
}

} // namespace

cudaError_t float_tiles_set_max_shared_memory()
{
    static_assert(sizeof(Tile) <= XNCC_FLOAT_TILES_SHARED, "the decision has less room");
    cudaError_t code = cudaSuccess;
    each_float_pixel([&](auto type) {
        if (code == cudaSuccess)
            code = set_max_shared_memory(sizeof(Tile), transform_template<type>,
                                         transform_pairs<type>);
    });
    return code;
}

cudaError_t launch_float_tiles_template(xncc_pixel pixel, const TemplateView &t,
                                        const FloatConstants *constants, double2 *spectrum,
                                        cudaStream_t stream)
{
    with_float_pixel(pixel, [&](auto type) {
        transform_template<type><<<1, THREADS, sizeof(Tile), stream>>>(t, constants, spectrum);
    });
    return cudaGetLastError();
}

cudaError_t launch_float_tiles(const FloatProductsJob &job, const FloatBlocks &b,
                               const double2 *spectrum, const FloatConstants *constants,
                               cudaStream_t stream)
{
    const unsigned pairs = static_cast<unsigned>(ceil_div(b.count, 2));
    with_float_pixel(job.image.image.pixel, [&](auto type) {
        transform_pairs<type>
            <<<pairs, THREADS, sizeof(Tile), stream>>>(job, b, spectrum, constants);
    });
    return cudaGetLastError();
}

} // namespace xncc
