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

namespace xncc {

namespace {

constexpr int WARPS = 8;  // of a block
constexpr int BLOCKS = 4; // per multiprocessor
constexpr int BATCH = 4;  // samples of a thread that are loaded at a time

// The sums of a window.
struct HardSums {
    static constexpr bool BY_WARP = false; // scores are made by a thread each
    xncc_twofold S, Q, X;
    xncc_grid grid;
    unsigned differs, infinite; // whether a sample differs from the first one; one is not finite

    static __device__ HardSums none()
    {
        HardSums r = {};
        r.grid = xncc_grid_empty();
        return r;
    }
    __device__ void join_lanes()
    {
        S = group_pair(S, WARP_LANES);
        Q = group_pair(Q, WARP_LANES);
        X = group_pair(X, WARP_LANES);
        grid = warp_grid(grid);
        differs = group_or(differs, WARP_LANES);
        infinite = group_or(infinite, WARP_LANES);
    }
};

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
    HardSums s = HardSums::none();
    xncc_quick_grid grid = xncc_quick_grid_empty();
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
            xncc_quick_grid_add(&grid, v[k]);
            xncc_twofold_put(&s.S, v[k]);
            put_product<PIXEL>(&s.Q, v[k], v[k]);
            put_product<PIXEL>(&s.X, v[k], t[k]);
        }
    }
    s.grid = xncc_quick_grid_of(grid);
    s.infinite = xncc_quick_grid_is_infinite(grid);
    return s;
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

template <xncc_pixel PIXEL>
__global__ __launch_bounds__(WARP_LANES *WARPS,
                             BLOCKS) void refine_hard(const __grid_constant__ RefineJob job)
{
    const uint32_t count = job.constants->hard;
    const auto make = [&](const WindowShare &share, FloatDoubt at, HardSums *sums) {
        if (share.real)
            *sums = Reader<PIXEL>(job, at).with_sample([&](const auto &sample, auto inside) {
                return thread_sums < decltype(inside)::value ? BATCH : 1,
                       PIXEL > (job, sample, share.own, share.threads);
            });
        sums->join_lanes();
    };
    const WindowShares<WARPS> shares(job, count, BATCH, XNCC_DOUBT_PARTS);
    sum_shares<HardSums>(
        job, shares, job.doubts.hard, count, make, [&](FloatDoubt at, const HardSums &sums) {
            store(job, at, score_of(job, sums), job.doubts.list, &job.constants->last);
        });
}

} // namespace

cudaError_t launch_refine_hard(const RefineJob &job, int processors, cudaStream_t stream)
{
    const unsigned blocks = static_cast<unsigned>(processors) * BLOCKS;
    with_float_pixel(job.image.image.pixel, [&](auto type) {
        refine_hard<type><<<blocks, WARP_LANES * WARPS, 0, stream>>>(job);
    });
    return cudaGetLastError();
}

} // namespace xncc
