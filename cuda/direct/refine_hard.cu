// SPDX-License-Identifier: BSD-2-Clause
// The sums of single windows in pairs of doubles (refine.h). Where the samples of window and
// template are on a grid that is coarse enough, as those of 8-bit pictures divided by 255 are, the
// sums are exact and nothing stays in doubt (math/grid.h). The rest is left to settle.cu.
//
// Thread mapping: 1 to 8 warps of a block per window of the list of hard ones, one after the
// other; their threads take the window's samples in turn. If there are few large windows, several
// blocks share one (WindowShares), and the last block adds up what they found. Shared memory: 1 KB.
// Any compute capability.
#include "cuda/direct/refine.cuh"
#include "cuda/peaks/peak_key.cuh"
#include "cuda/runtime/last_block.cuh"
#include "cuda/runtime/warp.cuh"

namespace xncc {

namespace {

constexpr int BLOCKS = 4; // per multiprocessor
constexpr int BATCH = 4;  // samples of a thread that are loaded at a time

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

// Adds a product of samples. That of two floats of 24 bits is a double.
template <xncc_pixel PIXEL> __device__ void put_product(xncc_twofold *sum, double a, double b)
{
    if constexpr (PIXEL == XNCC_F32)
        xncc_twofold_put(sum, xncc_product(a, b));
    else
        xncc_twofold_put_product(sum, a, b);
}

// The sums over a thread's samples, of which EACH are loaded at a time.
template <int EACH, xncc_pixel PIXEL, class Sample>
__device__ HardSums thread_sums(const RefineJob &job, const Sample &sample, int own, int threads)
{
    const int count = job.templ_width * job.templ_height;
    const double first = sample(0, 0);
    HardSums s = no_sums();
    Walk walk(own, threads, job.templ_width);
    for (int at = own; at < count; at += EACH * threads) {
        double v[EACH], t[EACH];
#pragma unroll
        for (int k = 0; k < EACH; k++, walk.next()) { // zeros change no sum
            const bool there = at + k * threads < count;
            v[k] = there ? sample(walk.i, walk.j) : 0.0;
            t[k] = there ? templ_sample<PIXEL>(job.templ, walk.i, walk.j) : 0.0;
            s.differs |= there && v[k] != first;
        }
#pragma unroll
        for (int k = 0; k < EACH; k++) {
            s.infinite |= !isfinite(v[k]);
            xncc_grid_add(&s.grid, v[k]);
            xncc_twofold_put(&s.S, v[k]);
            put_product<PIXEL>(&s.Q, v[k], v[k]);
            put_product<PIXEL>(&s.X, v[k], t[k]);
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
        return thread_sums<BATCH, PIXEL>(
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
    // a thread adds a 32nd of the samples or less, then warps and blocks their sums
    const double n = templ.templ.n, k = n / WARP_LANES + 16.0;
    const int exact = xncc_grid_is_exact(xncc_grid_join(s.grid, templ.grid), n);
    xncc_near_sums sums;
    sums.n = n;
    sums.S = s.S;
    sums.Q = s.Q;
    sums.X = s.X;
    sums.T = templ.T;
    sums.T2 = templ.T2;
    xncc_near_terms terms = {};
    xncc_near_add_channel(&terms, job.method, &sums, n, k, exact);
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

// The scores of the windows that have several parts, by a thread per window of the last block.
__device__ void join_parts(const RefineJob &job, int parts)
{
    const HardSums *part = static_cast<const HardSums *>(job.doubts.parts);
    for (uint32_t i = threadIdx.x; i < job.constants->hard; i += blockDim.x) {
        const HardSums *from = part + i * parts;
        HardSums s = read_of_others(from);
        for (int k = 1; k < parts; k++)
            s = joined(s, read_of_others(from + k));
        store(job, job.doubts.hard[i], s);
    }
}

template <xncc_pixel PIXEL>
__global__ __launch_bounds__(WARP_LANES *SHARE_WARPS,
                             BLOCKS) void refine_hard(const __grid_constant__ RefineJob job)
{
    __shared__ HardSums of_warp[SHARE_WARPS];
    const uint32_t count = job.constants->hard;
    const WindowShares shares(job, count, BATCH, XNCC_DOUBT_PARTS);
    const int lane = static_cast<int>(threadIdx.x) % WARP_LANES,
              warp = static_cast<int>(threadIdx.x) / WARP_LANES;
    const uint64_t each = SHARE_WARPS / shares.warps; // parts of the block at a time
    for (uint64_t first = blockIdx.x * each; first < uint64_t{ count } * shares.parts;
         first += gridDim.x * each) {
        const WindowShare share(shares, count, first);
        FloatDoubt at = {};
        HardSums s = no_sums();
        if (share.real) {
            at = job.doubts.hard[share.index / shares.parts];
            s = warp_sums(thread_sums(job, Reader<PIXEL>(job, at), share.own, share.threads));
        }
        if (shares.warps > 1) {
            if (lane == 0)
                of_warp[warp] = s;
            __syncthreads();
            if (share.leads)
                s = warp_sums(lane < shares.warps ? of_warp[warp + lane] : no_sums());
            __syncthreads(); // of_warp has been read
        }
        if (!share.real || !share.leads || lane > 0)
            continue;
        if (shares.parts > 1)
            static_cast<HardSums *>(job.doubts.parts)[share.index] = s;
        else
            store(job, at, s);
    }
    if (shares.parts == 1 || !is_last_block(&job.constants->done))
        return;
    join_parts(job, shares.parts);
    if (threadIdx.x == 0)
        job.constants->done = 0;
}

} // namespace

cudaError_t launch_refine_hard(const RefineJob &job, int processors, cudaStream_t stream)
{
    const unsigned blocks = static_cast<unsigned>(processors) * BLOCKS;
    with_float_pixel(job.image.image.pixel, [&](auto type) {
        refine_hard<type><<<blocks, WARP_LANES * SHARE_WARPS, 0, stream>>>(job);
    });
    return cudaGetLastError();
}

} // namespace xncc
