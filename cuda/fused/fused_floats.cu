// SPDX-License-Identifier: BSD-2-Clause
// Scores of floats under small templates (fused_floats.h).
//
// Thread and data mapping: cuda/planes/small_windows.cuh. A block loads the samples under its
// windows into shared memory, less a pivot of its own (the mean of some of them, if the method is
// centred). Shared memory: xncc_float_fused_shared() in plan/cost_fft_cuda.h. Four blocks per
// multiprocessor. Any compute capability.
//
// Errors, in units of u = 2^-53. Samples of image and template are rounded once. A product of X
// takes part in at most w h additions, each fused with a product; so X is off by at most (w h + 3)
// u times the sum of the sizes of its products, which is at most the root of Q times the template's
// norm. A sample of S takes part in at most w + 2 additions along the row and h + 2 down the
// column, a square of Q likewise, which is rounded before.
#include "cuda/fused/fused_floats.h"

#include "cuda/peaks/peak_key.cuh"
#include "cuda/planes/float_image.cuh"
#include "cuda/planes/small_windows.cuh"
#include "math/method.h"

namespace xncc {

namespace {

constexpr int WIDTH = SMALL_WIDTH, HEIGHT = SMALL_HEIGHT, SPAN = SMALL_SPAN, BLOCKS = 4;
constexpr int THREADS = SMALL_THREADS, PITCH = SmallTile::PITCH, SUMS_PITCH = SmallTile::SUMS_PITCH;

// Loads the template and the samples under the tile's windows.
template <xncc_pixel PIXEL>
__device__ void load(const FusedFloatsJob &job, const SmallTile &tile, int x0, int y0, double pivot)
{
    load_templ(tile, job.templ_width, [&](int x, int y) {
        return y < job.templ_height ? job.constants->samples[y * job.templ_width + x] : 0.0;
    });
    const unsigned char *last = float_column<PIXEL>(job.image, x0 + tile.columns - 1, y0,
                                                    tile.rows);
    load_samples(
        tile, last && job.image.x + x0 >= 0, pivot,
        [&](int x, int y) {
            return reinterpret_cast<const FloatSample<PIXEL> *>(
                last + y * job.image.image.pitch)[x - (tile.columns - 1)];
        },
        [&](int x, int y) { return float_value<PIXEL>(job.image, x0 + x, y0 + y, pivot); });
}

// Which of a thread's windows have samples that are equal in shared memory: bit k for window k.
__device__ __noinline__ unsigned find_equal(const FusedFloatsJob &job, const SmallTile &tile,
                                            const double *at)
{
    unsigned found = 0;
    int run = 0; // rows up to this one of one value
    for (int r = 0; r < SPAN + job.templ_height - 1; r++, at += PITCH) {
        int i = 1;
        while (i < job.templ_width && at[i] == at[0])
            i++;
        if (i < job.templ_width)
            run = 0;
        else
            run = run > 0 && at[0] == at[-PITCH] ? run + 1 : 1;
        if (run >= job.templ_height)
            found |= 1u << (r - job.templ_height + 1);
    }
    return found;
}

// Are all samples of window (x, y) equal?
template <xncc_pixel PIXEL>
__device__ __noinline__ bool is_equal(const FusedFloatsJob &job, int x, int y)
{
    return has_equal(job.templ_width, job.templ_height,
                     [&](int i, int j) { return float_sample<PIXEL>(job.image, x + i, y + j); });
}

// The same of a window whose samples are equal in shared memory, where they are `v`. Each is within
// 2^-53 |v| of v + pivot, and two f32 as large as this are further apart; integers are, too.
template <xncc_pixel PIXEL>
__device__ bool is_flat(const FusedFloatsJob &job, int x, int y, double v, double pivot)
{
    const bool tells = PIXEL == XNCC_F32 ? fabs(v + pivot) >= 0x1p-26 * fabs(v) : PIXEL == XNCC_U32;
    return tells ? isfinite(v) : is_equal<PIXEL>(job, x, y);
}

// Whether a window whose Q is not finite has a sample that is not. Squares of finite doubles may
// overflow, those of the others may not.
template <xncc_pixel PIXEL>
__device__ __noinline__ bool is_infinite(const FusedFloatsJob &job, int x, int y)
{
    return PIXEL != XNCC_F64 || has_infinite(job.templ_width, job.templ_height, [&](int i, int j) {
               return float_sample<PIXEL>(job.image, x + i, y + j);
           });
}

// Lists a thread's windows in doubt, a bit of `doubts` for each from (x, y) down. All lanes of the
// warp take part.
__device__ __forceinline__ void list_doubts(const FusedFloatsJob &job, int x, int y,
                                            unsigned doubts)
{
    uint32_t listed = 0;
    for (uint32_t at = places_in_list(&job.constants->doubts, doubts); doubts && at < job.room;
         doubts &= doubts - 1, at++, listed++)
        job.doubts[at] = FloatDoubt{ x, y + __ffs(static_cast<int>(doubts)) - 1 };
    listed = warp_sum(listed);
    if (threadIdx.x % WARP_LANES == 0 && listed)
        atomicAdd(&job.constants->hard, listed);
}

// Bounds of the errors of a window's sums: S and X relative to the root of Q, and Q to itself.
struct Bounds {
    double S, Q, X;
};

__device__ Bounds bounds_of(const FusedFloatsJob &job, const xncc_window_templ &t)
{
    const double w = job.templ_width, h = job.templ_height;
    Bounds b;
    b.X = 0x1.04p-53 * (w * h + 3.0) * t.norm;
    b.S = 0x1.04p-53 * (w + h + 6.0) * sqrt(t.n);
    b.Q = 0x1.04p-53 * (w + h + 8.0);
    return b;
}

// TILES: whether the best scores of tiles are asked for.
template <xncc_pixel PIXEL, bool NCC, bool TILES>
__global__ __launch_bounds__(THREADS,
                             BLOCKS) void fused_floats(const __grid_constant__ FusedFloatsJob job,
                                                       int across)
{
    extern __shared__ __align__(16) double memory[];
    const xncc_method method = NCC ? XNCC_CCOEFF_NORMED : job.method;
    const SmallTile tile(job.templ_width, job.templ_height, memory);
    const int x0 = static_cast<int>(blockIdx.x) % across * WIDTH,
              y0 = static_cast<int>(blockIdx.x) / across * HEIGHT,
              column = static_cast<int>(threadIdx.x) % WIDTH,
              row = static_cast<int>(threadIdx.x) / WIDTH * SPAN;
    const bool centred = xncc_method_is_centred(method);
    const double pivot = centred ? small_pivot([&](int x, int y) {
        x += x0;
        y += y0;
        return x < job.image.columns && y < job.image.rows ? float_sample<PIXEL>(job.image, x, y)
                                                           : INFINITY;
    })
                                 : job.constants->image_pivot;
    load<PIXEL>(job, tile, x0, y0, pivot);
    __syncthreads();
    const double *at = tile.samples + row * PITCH + column,
                 *sums = tile.sums + row * SUMS_PITCH + column;
    double X[SPAN] = {}, S[SPAN], part[EIGHT];
    multiply(tile, job.templ_width, at, X);
    sum_rows<false>(tile, job.templ_width, job.templ_height);
    __syncthreads();
#pragma unroll
    for (int first = 0; first < SPAN; first += EIGHT) {
        sum_windows(
            job.templ_height, [&](int r) { return sums[(first + r) * SUMS_PITCH]; }, part);
#pragma unroll
        for (int k = 0; k < EIGHT; k++)
            S[first + k] = part[k];
    }
    __syncthreads();
    sum_rows<true>(tile, job.templ_width, job.templ_height);
    __syncthreads();
    const xncc_window_templ t = job.constants->templ;
    const Bounds bounds = bounds_of(job, t);
    const int x = x0 + column, y = y0 + row;
    float *map = job.map + y * job.map_pitch + x;
    unsigned doubts = 0, flat = 0; // a bit per window; flat: its variance may be 0
    xncc_window_sums s;
#pragma unroll
    for (int first = 0; first < SPAN; first += EIGHT) {
        sum_windows(
            job.templ_height, [&](int r) { return sums[(first + r) * SUMS_PITCH]; }, part);
        double most = part[0];
#pragma unroll
        for (int k = 1; k < EIGHT; k++)
            most = fmax(most, part[k]);
        const double root = 1.01 * sqrt(most + XNCC_WINDOW_TINY);
        s.error_X = bounds.X * root + XNCC_WINDOW_TINY;
        s.error_S = bounds.S * root + XNCC_WINDOW_TINY;
        float best = NAN; // as is XNCC_DOUBT: fmaxf takes the number
#pragma unroll
        for (int k = 0; k < EIGHT; k++) {
            if (x >= job.width || y + first + k >= job.height)
                continue;
            s.X = X[first + k];
            s.S = S[first + k];
            s.Q = part[k];
            s.error_Q = bounds.Q * s.Q + XNCC_WINDOW_TINY;
            float score = xncc_window_decide(method, &t, &s, job.undefined);
            if constexpr (TILES)
                best = fmaxf(best, score * job.tiles.factor);
            if (__float_as_uint(score) == XNCC_DOUBT && !isfinite(s.Q) &&
                is_infinite<PIXEL>(job, x, y + first + k)) {
                score = xncc_float_of_bits(0x7fc00000u);
            } else if (__float_as_uint(score) == XNCC_DOUBT) {
                const xncc_bounded image = xncc_window_image(method, &t, &s);
                doubts |= 1u << (first + k);
                if (centred && !(image.error < image.value))
                    flat |= 1u << (first + k);
            }
            map[(first + k) * job.map_pitch] = score;
        }
        if constexpr (TILES)
            raise_tile_of_warp<EIGHT>(job.tiles, x0, y + first, best);
    }
    if (flat)
        flat &= find_equal(job, tile, at);
    for (; flat; flat &= flat - 1) {
        const int k = __ffs(static_cast<int>(flat)) - 1;
        if (!is_flat<PIXEL>(job, x, y + k, at[k * PITCH], pivot))
            continue;
        map[k * job.map_pitch] = xncc_window_flat(method, job.undefined);
        if constexpr (TILES)
            raise_tile(job.tiles, x, y + k, map[k * job.map_pitch]);
        doubts &= ~(1u << k);
    }
    if (__any_sync(WARP_ALL, doubts != 0))
        list_doubts(job, x, y, doubts);
}

template <bool TILES> struct Kernels {
    template <xncc_pixel PIXEL, bool NCC> static auto of()
    {
        return fused_floats<PIXEL, NCC, TILES>;
    }
};

} // namespace

cudaError_t fused_floats_set_max_shared_memory(int bytes)
{
    const cudaError_t code = raise_small_kernels<Kernels<false>>(bytes);
    return code == cudaSuccess ? raise_small_kernels<Kernels<true>>(bytes) : code;
}

cudaError_t launch_fused_floats(const FusedFloatsJob &job, cudaStream_t stream)
{
    const int32_t bytes = xncc_float_fused_shared(job.templ_width, job.templ_height);
    const SmallLaunch how = { job.image.image.pixel,
                              job.method == XNCC_CCOEFF_NORMED,
                              job.width,
                              job.height,
                              bytes,
                              stream };
    return job.tiles.best ? launch_small<Kernels<true>>(job, how)
                          : launch_small<Kernels<false>>(job, how);
}

} // namespace xncc
