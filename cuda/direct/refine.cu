// SPDX-License-Identifier: BSD-2-Clause
// The products of single windows, with an error that is relative to the window's own samples
// (refine.h). S and Q are sums of the columns that the window has, which are good to some units of
// 2^-53. What stays in doubt is left to refine_hard.cu.
//
// Thread mapping. Small windows: a group of 1 to 32 adjacent lanes per window of the list, one
// window after the other: small groups if the list is long, and no more lanes than the template has
// columns. Lane i of a group of g takes the columns i, i + g, and so on. Large windows: a block
// takes MANY windows of the list at a time, and a thread the same samples of each, so that a sample
// of the template is read once for all.
//
// PARTS products of a thread are added in double, and these partial sums in pairs of doubles, so
// the error does not grow with the window. Any compute capability. Shared memory: at most 2 KB.
#include "cuda/direct/refine.cuh"

#include "math/method.h"

namespace xncc {

namespace {

constexpr int THREADS = 128;      // per block for small windows
constexpr int BLOCKS = 12;        // of these per multiprocessor
constexpr int MANY_THREADS = 256; // per block for large windows
constexpr int MANY_BLOCKS = 2;    // of these per multiprocessor
constexpr int MANY_WARPS = MANY_THREADS / WARP_LANES;
constexpr int MANY = 8;     // windows of such a block
constexpr int LARGE = 2048; // pixels of the smallest large window
constexpr int PARTS = 8;    // products of a thread that are added in double
static_assert(MANY <= MANY_WARPS, "a warp scores a window");

// Lanes per window: a power of two.
__device__ int lanes_of(const RefineJob &job, uint32_t count)
{
    const uint64_t threads = static_cast<uint64_t>(gridDim.x) * THREADS;
    int lanes = 1;
    while (lanes < WARP_LANES && 2 * lanes <= job.templ_width &&
           2 * static_cast<uint64_t>(lanes) * count <= threads)
        lanes *= 2;
    return lanes;
}

// Products: their sum in pairs of doubles, and that of their sizes.
struct Products {
    xncc_twofold sum;
    double sizes;
};

// X of a lane's samples of a small window, in GROUPS of EACH that are loaded at a time. *differs: 1
// if one is not the window's first.
template <bool SIZES, int GROUPS, int EACH, class Sample>
__device__ Products multiply(const RefineJob &job, const Sample &sample, int lane, int lanes,
                             unsigned *differs)
{
    const int count = job.templ_width * job.templ_height;
    const double pivot = job.constants->image_pivot, first = sample(0, 0);
    const double *samples = job.constants->samples;
    Walk walk(lane, lanes, job.templ_width);
    Products all = {};
    for (int at = lane; at < count; at += GROUPS * EACH * lanes) {
        double v[GROUPS * EACH];
#pragma unroll
        for (int k = 0; k < GROUPS * EACH; k++, walk.next())
            v[k] = at + k * lanes < count ? sample(walk.i, walk.j) : first;
#pragma unroll
        for (int g = 0; g < GROUPS; g++) {
            double sum = 0.0;
#pragma unroll
            for (int k = g * EACH; k < (g + 1) * EACH; k++) {
                const int i = at + k * lanes;
                const double one = xncc_sum(v[k], -pivot), t = i < count ? __ldg(samples + i) : 0.0;
                sum = fma(one, t, sum);
                if constexpr (SIZES)
                    all.sizes = fma(fabs(one), fabs(t), all.sizes);
                *differs |= v[k] != first;
            }
            xncc_twofold_put(&all.sum, sum);
        }
    }
    return all;
}

// Adds the products of PARTS samples of a thread, from sample `at` of the template on, to the sums
// of MANY windows, which are inside of the image. WHOLE: the template has all these samples.
template <bool SIZES, bool WHOLE, xncc_pixel PIXEL>
__device__ __forceinline__ void multiply_parts(const RefineJob &job,
                                               const Reader<PIXEL> (&image)[MANY], double pivot,
                                               int at, int count, Walk *walk, Products (&of)[MANY])
{
    const double *samples = job.constants->samples;
    double part[MANY] = {};
#pragma unroll
    for (int k = 0; k < PARTS; k++, at += MANY_THREADS) {
        if (WHOLE || at < count) {
            const double t = __ldg(samples + at);
            const int64_t offset = walk->j * job.image.image.pitch + walk->i * Reader<PIXEL>::SIZE;
#pragma unroll
            for (int m = 0; m < MANY; m++) {
                const double v = xncc_sum(image[m].inside(offset), -pivot);
                part[m] = fma(v, t, part[m]);
                if constexpr (SIZES)
                    of[m].sizes = fma(fabs(v), fabs(t), of[m].sizes);
            }
        }
        walk->next();
    }
#pragma unroll
    for (int m = 0; m < MANY; m++)
        xncc_twofold_put(&of[m].sum, part[m]);
}

// X of a thread's samples of MANY windows.
template <bool SIZES, xncc_pixel PIXEL>
__device__ __forceinline__ void
multiply_many(const RefineJob &job, const Reader<PIXEL> (&image)[MANY], Products (&of)[MANY])
{
    const int own = static_cast<int>(threadIdx.x), count = job.templ_width * job.templ_height;
    const double pivot = job.constants->image_pivot;
    Walk walk(own, MANY_THREADS, job.templ_width);
    int at = own;
    for (; at < count - (PARTS - 1) * MANY_THREADS; at += PARTS * MANY_THREADS)
        multiply_parts<SIZES, true>(job, image, pivot, at, count, &walk, of);
    if (at < count)
        multiply_parts<SIZES, false>(job, image, pivot, at, count, &walk, of);
}

// X of a thread's samples of a large window that leaves the image.
template <xncc_pixel PIXEL>
__device__ __noinline__ Products multiply_outside(const RefineJob &job, const Reader<PIXEL> &image)
{
    const int own = static_cast<int>(threadIdx.x), count = job.templ_width * job.templ_height;
    const double pivot = job.constants->image_pivot;
    Walk walk(own, MANY_THREADS, job.templ_width);
    Products of = {};
#pragma unroll 1
    for (int at = own; at < count; at += MANY_THREADS, walk.next()) {
        const double one = xncc_product(xncc_sum(image.sample(walk.i, walk.j), -pivot),
                                        __ldg(job.constants->samples + at));
        xncc_twofold_put(&of.sum, one);
        of.sizes += fabs(one);
    }
    return of;
}

// Whether a thread of several sees a sample that is not the window's first.
template <xncc_pixel PIXEL>
__device__ bool sees_other(const RefineJob &job, const Reader<PIXEL> &image, int own, int threads)
{
    const int count = job.templ_width * job.templ_height;
    const double first = image.sample(0, 0);
    Walk walk(own, threads, job.templ_width);
    bool differs = false;
    for (int at = own; at < count && !differs; at += threads, walk.next())
        differs = image.sample(walk.i, walk.j) != first;
    return differs;
}

// S and Q of a window, summed by a group of lanes, and the bounds of their errors. No column is
// marked: such windows are not in doubt.
__device__ void sum_window(const RefineJob &job, FloatDoubt at, int lane, int lanes,
                           const xncc_window_templ &t, xncc_window_sums *s)
{
    const FloatColumns &columns = job.columns;
    const double2 *from = columns.sums + at.y * columns.pitch + at.x;
    double S = 0.0, Q = 0.0;
    for (int i = lane; i < job.templ_width; i += lanes) {
        const double2 column = __ldg(from + i);
        S += column.x;
        Q += column.y;
    }
    s->S = group_sum(S, lanes);
    s->Q = group_sum(Q, lanes);
    // additions of columns, their own roundings and those of samples and squares
    const double unit = (ceil_div(job.templ_width, lanes) + 13.0) * 0x1p-53,
                 reach = job.constants->again
                             ? 0.0 // nothing is lost
                             : reach_of(columns, at.x, at.x + job.templ_width - 1, at.y);
    s->error_Q = unit * 1.01 * s->Q + columns.loss * reach + XNCC_WINDOW_TINY;
    s->error_S = unit * sqrt(1.01 * t.n * (s->Q + s->error_Q)) +
                 columns.loss * sqrt(columns.samples * reach) + XNCC_WINDOW_TINY;
    add_outliers(*job.constants, job.templ_width, job.templ_height, at.x, at.y, s);
}

// X of a window, over the lanes of a group, and the bound of its error: by the sizes of the
// products, or by the window's Q.
template <bool SIZES>
__device__ void sum_products(const Products &of, int lanes, const xncc_window_templ &t,
                             xncc_window_sums *s)
{
    const xncc_twofold X = group_pair(of.sum, lanes);
    const double sizes = SIZES ? group_sum(of.sizes, lanes) : sqrt(s->Q + s->error_Q) * t.norm;
    s->X = xncc_sum(X.high, X.low);
    s->error_X = (PARTS + 4.0) * 0x1.04p-53 * sizes + XNCC_WINDOW_TINY;
}

// Of window `index` of the list, or the last one.
template <xncc_pixel PIXEL>
__device__ Reader<PIXEL> reader_of(const RefineJob &job, uint64_t index, uint64_t last)
{
    return Reader<PIXEL>(job, job.doubts.list[min(index, last)]);
}

// The score of a window, or XNCC_DOUBT. *looks: whether its samples may all be equal.
__device__ float score_of(xncc_method method, const xncc_window_templ &t, const xncc_window_sums &s,
                          bool *looks)
{
    const float score = xncc_window_score(method, &t, &s);
    const bool doubt = __float_as_uint(score) == XNCC_DOUBT;
    const xncc_bounded of = xncc_window_image(method, &t, &s);
    *looks = doubt && xncc_method_is_centred(method) && !(of.error < of.value);
    return score;
}

// The score of a window that may be flat, or XNCC_DOUBT.
__device__ float score_if_flat(const RefineJob &job, bool differs)
{
    return differs ? xncc_float_of_bits(XNCC_DOUBT) : flat_score(job);
}

// Stores the score of a window, or puts it on the list of hard ones.
__device__ void store(const RefineJob &job, FloatDoubt at, float score)
{
    store(job, at, score, job.doubts.hard, &job.constants->hard);
}

// The windows whose X is made again.
__device__ uint32_t count_of(const RefineJob &job)
{
    return job.known.sums && !job.constants->again ? 0
                                                   : min(job.constants->doubts, job.doubts.room);
}

template <xncc_pixel PIXEL, bool SIZES>
__global__ __launch_bounds__(THREADS) void refine_windows(const __grid_constant__ RefineJob job)
{
    const uint32_t count = count_of(job);
    const int lanes = lanes_of(job, count), lane = static_cast<int>(threadIdx.x) % WARP_LANES,
              each = WARP_LANES / lanes, own = lane % lanes; // windows of a warp; lane of the group
    const xncc_window_templ t = job.constants->templ;
    const uint32_t warp = (blockIdx.x * THREADS + threadIdx.x) / WARP_LANES,
                   warps = gridDim.x * (THREADS / WARP_LANES);
    for (uint64_t first = static_cast<uint64_t>(warp) * each; first < count;
         first += static_cast<uint64_t>(warps) * each) {
        const uint64_t index = first + static_cast<uint64_t>(lane / lanes);
        const bool real = index < count; // the others follow the last window
        const FloatDoubt at = job.doubts.list[real ? index : count - 1];
        const Reader<PIXEL> image(job, at);
        xncc_window_sums s;
        unsigned differs = 0;
        const Products of = image.with_sample([&](const auto &sample, auto inside) {
            constexpr bool INSIDE = decltype(inside)::value;
            constexpr int GROUPS = INSIDE ? 2 : 1, EACH = INSIDE ? PARTS : 1;
            return multiply<SIZES, GROUPS, EACH>(job, sample, own, lanes, &differs);
        });
        sum_window(job, at, own, lanes, t, &s);
        sum_products<SIZES>(of, lanes, t, &s);
        bool looks;
        float score = score_of(job.method, t, s, &looks);
        differs = group_or(differs, lanes);
        if (looks)
            score = score_if_flat(job, differs);
        if (real && own == 0)
            store(job, at, score);
    }
}

template <xncc_pixel PIXEL, bool SIZES>
__global__ __launch_bounds__(MANY_THREADS,
                             MANY_BLOCKS) void refine_many(const __grid_constant__ RefineJob job)
{
    __shared__ Products part[MANY][MANY_WARPS];
    __shared__ bool looks_at[MANY];
    const uint32_t count = count_of(job);
    const int own = static_cast<int>(threadIdx.x), lane = own % WARP_LANES, warp = own / WARP_LANES;
    for (uint64_t first = uint64_t{ blockIdx.x } * MANY; first < count;
         first += uint64_t{ gridDim.x } * MANY) {
        const uint64_t last = count - 1; // which those follow that are not on the list
        const Reader<PIXEL> image[MANY] = {
            reader_of<PIXEL>(job, first, last),     reader_of<PIXEL>(job, first + 1, last),
            reader_of<PIXEL>(job, first + 2, last), reader_of<PIXEL>(job, first + 3, last),
            reader_of<PIXEL>(job, first + 4, last), reader_of<PIXEL>(job, first + 5, last),
            reader_of<PIXEL>(job, first + 6, last), reader_of<PIXEL>(job, first + 7, last)
        };
        static_assert(MANY == 8, "as many as above");
        Products of[MANY] = {};
        bool inside = true;
#pragma unroll
        for (int m = 0; m < MANY; m++)
            inside = inside && image[m].first;
        if (inside)
            multiply_many<SIZES>(job, image, of);
#pragma unroll
        for (int m = 0; m < MANY; m++) {
            const Products own_part =
                inside ? of[m]
                       : multiply_outside(
                             job, reader_of<PIXEL>(job, first + static_cast<uint64_t>(m), last));
            const Products of_warp = { group_pair(own_part.sum, WARP_LANES),
                                       group_sum(own_part.sizes, WARP_LANES) };
            if (lane == 0)
                part[m][warp] = of_warp;
        }
        __syncthreads();
        if (warp < MANY) {
            const bool real = warp < static_cast<int>(min(count - first, uint64_t{ MANY }));
            const FloatDoubt at =
                job.doubts.list[real ? first + static_cast<uint64_t>(warp) : last];
            const xncc_window_templ t = job.constants->templ;
            xncc_window_sums s;
            sum_window(job, at, lane, WARP_LANES, t, &s);
            sum_products<SIZES>(lane < MANY_WARPS ? part[warp][lane] : Products{}, WARP_LANES, t,
                                &s);
            bool looks;
            const float score = score_of(job.method, t, s, &looks);
            if (lane == 0) {
                looks_at[warp] = real && looks;
                if (real && !looks)
                    store(job, at, score);
            }
        }
        __syncthreads();
#pragma unroll 1
        for (int m = 0; m < MANY; m++) {
            if (!looks_at[m])
                continue;
            const Reader<PIXEL> image_at = reader_of<PIXEL>(job, first + static_cast<uint64_t>(m),
                                                            last);
            const bool differs = __syncthreads_or(sees_other(job, image_at, own, MANY_THREADS));
            if (own == 0)
                store(job, FloatDoubt{ image_at.x, image_at.y }, score_if_flat(job, differs));
        }
        __syncthreads();
    }
}

// X is known; a warp has a window of the list at a time.
template <xncc_pixel PIXEL>
__global__ __launch_bounds__(THREADS) void refine_sums(const __grid_constant__ RefineJob job)
{
    const uint32_t count = min(job.constants->doubts, job.doubts.room);
    const KnownProducts &known = job.known;
    if (job.constants->again)
        return;
    const xncc_window_templ t = job.constants->templ;
    const int lane = static_cast<int>(threadIdx.x) % WARP_LANES;
    const uint32_t warps = gridDim.x * (THREADS / WARP_LANES);
    for (uint32_t i = (blockIdx.x * THREADS + threadIdx.x) / WARP_LANES; i < count; i += warps) {
        const FloatDoubt at = job.doubts.list[i];
        xncc_window_sums s;
        sum_window(job, at, lane, WARP_LANES, t, &s);
        s.X = known.sums[at.y * known.pitch + at.x];
        s.error_X = known.bounds.error[known.bounds.block_of(at.x, at.y)] +
                    known.bounds.own * sqrt(s.Q + s.error_Q) * t.norm;
        add_outliers_to_X(*job.constants, job.templ_width, job.templ_height, at.x, at.y, &s);
        bool looks;
        float score = score_of(job.method, t, s, &looks);
        if (looks) // all lanes have the same sums
            score = score_if_flat(job, __any_sync(WARP_ALL, sees_other(job, Reader<PIXEL>(job, at),
                                                                       lane, WARP_LANES)));
        if (lane == 0)
            store(job, at, score);
    }
}

// SIZES: the bounds of X's errors are by the sizes of the products. That costs a multiply-add more
// per product, and saves those windows whose products are small where few samples outweigh others.
template <xncc_pixel PIXEL, bool SIZES>
void launch_products(const RefineJob &job, unsigned processors, cudaStream_t stream)
{
    if (static_cast<int64_t>(job.templ_width) * job.templ_height >= LARGE)
        refine_many<PIXEL, SIZES><<<processors * MANY_BLOCKS, MANY_THREADS, 0, stream>>>(job);
    else
        refine_windows<PIXEL, SIZES><<<processors * BLOCKS, THREADS, 0, stream>>>(job);
}

} // namespace

cudaError_t launch_refine(const RefineJob &job, int processors, cudaStream_t stream)
{
    const unsigned count = static_cast<unsigned>(processors);
    with_float_pixel(job.image.image.pixel, [&](auto type) {
        if (job.known.sums) {
            refine_sums<type><<<count * BLOCKS, THREADS, 0, stream>>>(job);
            launch_products<type, true>(job, count, stream);
        } else {
            launch_products<type, false>(job, count, stream);
        }
    });
    return cudaGetLastError();
}

} // namespace xncc
