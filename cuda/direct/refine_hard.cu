// SPDX-License-Identifier: BSD-2-Clause
// The sums of single windows in pairs of doubles (refine.h). Where the samples of window and
// template are on a grid that is coarse enough, as those of 8-bit pictures divided by 255 are, the
// sums are exact and nothing stays in doubt (math/grid.h). The rest is left to settle.cu.
//
// Thread mapping: a block of 1 or 16 warps per window of the list of hard ones, one after the
// other; its threads take the window's samples in turn. If there are few large windows, several
// blocks share one, and join_parts adds up what they found. Shared memory: at most 1 KB. Any
// compute capability.
#include "cuda/direct/refine.cuh"
#include "cuda/peaks/peak_key.cuh"
#include "cuda/runtime/warp.cuh"

namespace xncc {

namespace {

constexpr int WARPS = 16;   // of a block that has a large window
constexpr int LARGE = 1024; // pixels of the smallest large window
constexpr int BLOCKS = 2;   // of WARPS warps, per multiprocessor
constexpr int MOST_PARTS = 16;

// The sums of a window.
struct HardSums {
    xncc_twofold S, Q, X;
    xncc_grid grid;
    unsigned differs, infinite; // whether a sample differs from the first one; one is not finite
};

__device__ HardSums no_sums()
{
    HardSums r = {};
    r.grid = xncc_grid_empty();
    return r;
}

__device__ HardSums joined(const HardSums &a, const HardSums &b)
{
    HardSums r;
    r.S = xncc_twofold_add(a.S, b.S);
    r.Q = xncc_twofold_add(a.Q, b.Q);
    r.X = xncc_twofold_add(a.X, b.X);
    r.grid = xncc_grid_join(a.grid, b.grid);
    r.differs = a.differs | b.differs;
    r.infinite = a.infinite | b.infinite;
    return r;
}

// The sums over a warp; all of its lanes get them.
__device__ HardSums warp_sums(HardSums s)
{
    s.S = group_pair(s.S, WARP_LANES);
    s.Q = group_pair(s.Q, WARP_LANES);
    s.X = group_pair(s.X, WARP_LANES);
    s.grid = warp_grid(s.grid);
    s.differs = group_or(s.differs, WARP_LANES);
    s.infinite = group_or(s.infinite, WARP_LANES);
    return s;
}

// The sums over a thread's samples, of which BATCH are loaded at a time.
template <int BATCH, xncc_pixel PIXEL, class Sample>
__device__ HardSums thread_sums(const RefineJob &job, const Sample &sample, int own, int threads)
{
    const int count = job.templ_width * job.templ_height;
    const double first = sample(0, 0);
    HardSums s = no_sums();
    Walk walk(own, threads, job.templ_width);
    for (int at = own; at < count; at += BATCH * threads) {
        double v[BATCH], t[BATCH];
#pragma unroll
        for (int k = 0; k < BATCH; k++, walk.next()) { // zeros change no sum
            const bool there = at + k * threads < count;
            v[k] = there ? sample(walk.i, walk.j) : 0.0;
            t[k] = there ? templ_sample<PIXEL>(job.templ, walk.i, walk.j) : 0.0;
            s.differs |= there && v[k] != first;
        }
#pragma unroll
        for (int k = 0; k < BATCH; k++) {
            s.infinite |= !isfinite(v[k]);
            xncc_grid_add(&s.grid, v[k]);
            xncc_twofold_put(&s.S, v[k]);
            xncc_twofold_put_product(&s.Q, v[k], v[k]);
            xncc_twofold_put_product(&s.X, v[k], t[k]);
        }
    }
    return s;
}

template <xncc_pixel PIXEL>
__device__ HardSums thread_sums(const RefineJob &job, const Reader<PIXEL> &image, int own,
                                int threads)
{
    const int64_t pitch = job.image.image.pitch;
    if (image.first)
        return thread_sums<8, PIXEL>(
            job, [&](int i, int j) { return image.inside(j * pitch + i * Reader<PIXEL>::SIZE); },
            own, threads);
    return thread_sums<1, PIXEL>(
        job, [&](int i, int j) { return image.anywhere(i, j); }, own, threads);
}

static_assert(sizeof(HardSums) <= XNCC_DOUBT_PART_BYTES, "the decision has less room");

// The score of a window, or XNCC_DOUBT. The template is finite.
__device__ float score_of(const RefineJob &job, const HardSums &s)
{
    if (s.infinite)
        return xncc_float_of_bits(0x7fc00000u);
    if (!s.differs && xncc_method_is_centred(job.method))
        return flat_score(job);
    const FloatConstants &templ = *job.constants;
    const double n = templ.templ.n;
    const int exact = xncc_grid_is_exact(xncc_grid_join(s.grid, templ.grid), n);
    xncc_near_sums sums;
    sums.n = n;
    sums.S = s.S;
    sums.Q = s.Q;
    sums.X = s.X;
    sums.T = templ.T;
    sums.T2 = templ.T2;
    xncc_near_terms terms = {};
    xncc_near_add_channel(&terms, job.method, &sums, n, exact);
    float score;
    return xncc_near_score(job.method, n, &terms, &score) ? score : xncc_float_of_bits(XNCC_DOUBT);
}

__device__ void store(const RefineJob &job, FloatDoubt at, const HardSums &s)
{
    const float score = score_of(job, s);
    job.map[at.y * job.map_pitch + at.x] = score;
    if (__float_as_uint(score) == XNCC_DOUBT)
        put_on(job.doubts.list, &job.constants->last, at);
    else
        raise_tile(job.tiles, at.x, at.y, score);
}

// Blocks that share a large window, if the windows are few.
__device__ int parts_of(uint32_t count)
{
    int parts = 1;
    while (uint64_t{ count } * parts * 2 <= XNCC_DOUBT_PARTS && parts < MOST_PARTS)
        parts *= 2;
    return parts;
}

// A thread per window: the scores of the windows that blocks have shared.
__global__ __launch_bounds__(WARP_LANES) void join_parts(const __grid_constant__ RefineJob job)
{
    const uint32_t count = job.constants->hard, i = blockIdx.x * WARP_LANES + threadIdx.x;
    const int parts = parts_of(count);
    if (parts == 1 || i >= count)
        return;
    const HardSums *from = static_cast<const HardSums *>(job.doubts.parts) + i * parts;
    HardSums s = from[0];
    for (int k = 1; k < parts; k++)
        s = joined(s, from[k]);
    store(job, job.doubts.hard[i], s);
}

template <xncc_pixel PIXEL, int OF_BLOCK>
__global__
__launch_bounds__(WARP_LANES *OF_BLOCK) void refine_hard(const __grid_constant__ RefineJob job)
{
    __shared__ HardSums of_warp[OF_BLOCK];
    const uint32_t count = job.constants->hard;
    const int lane = static_cast<int>(threadIdx.x) % WARP_LANES,
              warp = static_cast<int>(threadIdx.x) / WARP_LANES;
    const int parts = OF_BLOCK > 1 ? parts_of(count) : 1;
    for (uint64_t i = blockIdx.x; i < uint64_t{ count } * parts; i += gridDim.x) {
        const FloatDoubt at = job.doubts.hard[i / parts];
        const int own = static_cast<int>(i % parts) * (WARP_LANES * OF_BLOCK) +
                        static_cast<int>(threadIdx.x);
        const Reader<PIXEL> image(job, at);
        HardSums s = warp_sums(thread_sums(job, image, own, WARP_LANES * OF_BLOCK * parts));
        if (OF_BLOCK > 1) {
            if (lane == 0)
                of_warp[warp] = s;
            __syncthreads();
            if (warp == 0)
                s = warp_sums(lane < OF_BLOCK ? of_warp[lane] : no_sums());
        }
        if (threadIdx.x == 0) {
            if (parts > 1)
                static_cast<HardSums *>(job.doubts.parts)[i] = s;
            else
                store(job, at, s);
        }
        if (OF_BLOCK > 1)
            __syncthreads(); // of_warp has been read
    }
}

} // namespace

cudaError_t launch_refine_hard(const RefineJob &job, int processors, cudaStream_t stream)
{
    const unsigned blocks = static_cast<unsigned>(processors) * BLOCKS;
    const bool large = static_cast<int64_t>(job.templ_width) * job.templ_height >= LARGE;
    with_float_pixel(job.image.image.pixel, [&](auto type) {
        if (large)
            refine_hard<type, WARPS><<<blocks, WARP_LANES * WARPS, 0, stream>>>(job);
        else
            refine_hard<type, 1><<<blocks * WARPS, WARP_LANES, 0, stream>>>(job);
    });
    if (large)
        join_parts<<<XNCC_DOUBT_PARTS / WARP_LANES, WARP_LANES, 0, stream>>>(job);
    return cudaGetLastError();
}

} // namespace xncc
