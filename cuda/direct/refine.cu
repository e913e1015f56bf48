// SPDX-License-Identifier: BSD-2-Clause
// The products of single windows, with an error that is relative to the window's own samples
// (refine.h). S and Q are sums of the columns that the window has, which are good to some units of
// 2^-53. What stays in doubt is left to settle.cu.
//
// Thread mapping: a group of 1 to 32 adjacent lanes per window of the list, one window after the
// other: small groups if the list is long, and no more lanes than the template has columns. Lane i
// of a group of g takes the columns i, i + g, and so on. PARTS products of a lane are added in
// double, and these partial sums in pairs of doubles, so the error does not grow with the window.
// 128 threads per block; no shared memory; any compute capability.
#include "cuda/direct/refine.h"

#include "cuda/planes/float_image.cuh"
#include "math/method.h"

namespace xncc {

namespace {

constexpr int LANES = 32;
constexpr int THREADS = 128;
constexpr int BLOCKS = 12; // per multiprocessor
constexpr int PARTS = 16;  // products of a lane that are added in double
constexpr unsigned ALL = 0xffffffffu;

// A window, as a lane of its group sees it.
struct Window {
    int x, y;  // in the band
    int lane;  // 0 .. lanes - 1
    int lanes; // of the group
};

// Lanes per window: a power of two.
__device__ int lanes_of(const RefineJob &job, uint32_t count)
{
    const uint64_t threads = static_cast<uint64_t>(gridDim.x) * THREADS;
    int lanes = 1;
    while (lanes < LANES && 2 * lanes <= job.templ_width &&
           2 * static_cast<uint64_t>(lanes) * count <= threads)
        lanes *= 2;
    return lanes;
}

// Reads samples of a window: where they are, or by the border.
template <xncc_pixel PIXEL> struct Reader {
    static constexpr int64_t SIZE = xncc_pixel_digits(PIXEL); // of a sample in bytes
    const FloatImage &of;
    int x, y;
    const unsigned char *first; // the first sample, or nullptr if the window leaves the image

    __device__ Reader(const RefineJob &job, const Window &w) : of(job.image), x(w.x), y(w.y)
    {
        const int64_t left = of.x + x, top = of.y + y;
        const bool inside = left >= 0 && top >= 0 && left + job.templ_width <= of.image.width &&
                            top + job.templ_height <= of.image.height;
        first = inside ? static_cast<const unsigned char *>(of.image.data) + top * of.image.pitch +
                             left * SIZE
                       : nullptr;
    }
    __device__ const unsigned char *row(int j) const
    {
        return first ? first + j * of.image.pitch : nullptr;
    }
    // Column i of row j, whose address is `from`.
    __device__ double sample(const unsigned char *from, int i, int j) const
    {
        return from ? xncc_sample_value(PIXEL, from, i) : float_sample<PIXEL>(of, x + i, y + j);
    }
};

// X of a lane's columns.
template <xncc_pixel PIXEL>
__device__ xncc_twofold multiply(const RefineJob &job, const Reader<PIXEL> &image, const Window &w)
{
    const double pivot = job.constants->image_pivot;
    const double *samples = job.constants->samples;
    xncc_twofold all = { 0.0, 0.0 };
    for (int j = 0; j < job.templ_height; j++) {
        const unsigned char *row = image.row(j);
        const double *t = samples + static_cast<int64_t>(j) * job.templ_width;
        for (int left = w.lane; left < job.templ_width; left += PARTS * w.lanes) {
            double sum = 0.0;
#pragma unroll
            for (int k = 0; k < PARTS; k++) {
                const int i = left + k * w.lanes;
                if (i < job.templ_width)
                    sum = fma(xncc_sum(image.sample(row, i, j), -pivot), __ldg(t + i), sum);
            }
            xncc_twofold_put(&all, sum);
        }
    }
    return all;
}

// The sums over the lanes of a group; all of them get it.
__device__ double group_sum(double v, int lanes)
{
    for (int step = LANES / 2; step > 0; step /= 2) {
        const double other = __shfl_xor_sync(ALL, v, step);
        v += step < lanes ? other : 0.0;
    }
    return v;
}

__device__ double group_sum(xncc_twofold v, int lanes)
{
    for (int step = LANES / 2; step > 0; step /= 2) {
        const xncc_twofold other = { __shfl_xor_sync(ALL, v.high, step),
                                     __shfl_xor_sync(ALL, v.low, step) };
        if (step < lanes)
            v = xncc_twofold_add(v, other);
    }
    return xncc_sum(v.high, v.low);
}

// What a lane sees of a window: whether a sample differs from the first one, and whether one is not
// finite.
enum : unsigned { DIFFERS = 1, INFINITE = 2 };

template <xncc_pixel PIXEL>
__device__ unsigned look_at(const RefineJob &job, const Reader<PIXEL> &image, const Window &w)
{
    const double first = image.sample(image.row(0), 0, 0);
    unsigned seen = 0;
    for (int j = 0; j < job.templ_height; j++)
        for (int i = w.lane; i < job.templ_width; i += w.lanes) {
            const double v = image.sample(image.row(j), i, j);
            seen |= (v != first ? DIFFERS : 0u) | (isfinite(v) ? 0u : INFINITE);
        }
    return seen;
}

__device__ unsigned group_or(unsigned v, int lanes)
{
    for (int step = LANES / 2; step > 0; step /= 2) {
        const unsigned other = __shfl_xor_sync(ALL, v, step);
        v |= step < lanes ? other : 0u;
    }
    return v;
}

// The sums of a window, and their bounds.
template <xncc_pixel PIXEL>
__device__ xncc_window_sums sum_window(const RefineJob &job, const Reader<PIXEL> &image,
                                       const Window &w, const xncc_window_templ &t)
{
    const FloatColumns &columns = job.columns;
    const double2 *from = columns.sums + w.y * columns.pitch + w.x;
    const xncc_twofold products = multiply(job, image, w);
    double S = 0.0, Q = 0.0;
    for (int i = w.lane; i < job.templ_width; i += w.lanes) {
        const double2 column = __ldg(from + i);
        S += column.x;
        Q += column.y;
    }
    xncc_window_sums s;
    s.X = group_sum(products, w.lanes);
    s.S = group_sum(S, w.lanes);
    s.Q = group_sum(Q, w.lanes);
    // additions of columns, their own roundings and those of samples and squares
    const double unit = (ceil_div(job.templ_width, w.lanes) + 13.0) * 0x1p-53,
                 reach = reach_of(columns, w.x, w.x + job.templ_width - 1, w.y);
    s.error_Q = unit * 1.01 * s.Q + columns.loss * reach + XNCC_WINDOW_TINY;
    s.error_S = unit * sqrt(1.01 * t.n * (s.Q + s.error_Q)) +
                columns.loss * sqrt(columns.samples * reach) + XNCC_WINDOW_TINY;
    s.error_X = (PARTS + 12.0) * 0x1.04p-53 * sqrt(s.Q + s.error_Q) * t.norm + XNCC_WINDOW_TINY;
    return s;
}

// The score of a window, or XNCC_DOUBT. All lanes of a warp call it together.
template <xncc_pixel PIXEL, xncc_method METHOD>
__device__ float refined(const RefineJob &job, const Window &w, const xncc_window_templ &t)
{
    const Reader<PIXEL> image(job, w);
    const xncc_window_sums s = sum_window<PIXEL>(job, image, w, t);
    float score = xncc_window_score(METHOD, &t, &s);
    const bool doubt = __float_as_uint(score) == XNCC_DOUBT,
               centred = xncc_method_is_centred(METHOD);
    const xncc_bounded of = xncc_window_image(METHOD, &t, &s);
    const bool looks = doubt && (!isfinite(s.X) || (centred && !(of.error < of.value)));
    if (!__any_sync(ALL, looks))
        return score;
    const unsigned seen = group_or(looks ? look_at<PIXEL>(job, image, w) : 0u, w.lanes);
    if (looks && (seen & INFINITE))
        score = xncc_float_of_bits(0x7fc00000u);
    else if (looks && centred && !(seen & DIFFERS))
        score = METHOD == XNCC_CCOEFF ? 0.0f : job.undefined;
    return score;
}

template <xncc_pixel PIXEL, xncc_method METHOD>
__global__ __launch_bounds__(THREADS) void refine_windows(const __grid_constant__ RefineJob job)
{
    const uint32_t count = min(job.constants->doubts, job.doubts.room);
    const int lanes = lanes_of(job, count), lane = static_cast<int>(threadIdx.x) % LANES,
              each = LANES / lanes; // windows of a warp
    const xncc_window_templ t = job.constants->templ;
    const uint32_t warp = (blockIdx.x * THREADS + threadIdx.x) / LANES,
                   warps = gridDim.x * (THREADS / LANES);
    for (uint64_t first = static_cast<uint64_t>(warp) * each; first < count;
         first += static_cast<uint64_t>(warps) * each) {
        const uint64_t own = first + static_cast<uint64_t>(lane / lanes);
        const bool real = own < count; // the others follow the last window
        const FloatDoubt at = job.doubts.list[real ? own : count - 1];
        const Window w = { at.x, at.y, lane % lanes, lanes };
        const float score = refined<PIXEL, METHOD>(job, w, t);
        if (!real || w.lane)
            continue;
        job.map[at.y * job.map_pitch + at.x] = score;
        if (__float_as_uint(score) == XNCC_DOUBT)
            job.doubts.hard[atomicAdd(&job.constants->hard, 1u)] = at;
    }
}

template <xncc_method METHOD>
void launch(const RefineJob &job, unsigned blocks, cudaStream_t stream)
{
    with_float_pixel(job.image.image.pixel, [&](auto type) {
        refine_windows<type, METHOD><<<blocks, THREADS, 0, stream>>>(job);
    });
}

} // namespace

cudaError_t launch_refine(const RefineJob &job, int processors, cudaStream_t stream)
{
    const unsigned blocks = static_cast<unsigned>(processors) * BLOCKS;
    switch (job.method) {
#define LAUNCH(method, name)                                                                       \
    case method: launch<method>(job, blocks, stream); break;
        XNCC_EACH_SCORE_METHOD(LAUNCH)
#undef LAUNCH
    case XNCC_COVERAGE: return cudaErrorInvalidValue;
    }
    return cudaGetLastError();
}

} // namespace xncc
