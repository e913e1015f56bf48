// SPDX-License-Identifier: BSD-2-Clause
// What the kernels that make the sums of single windows again share: how they read samples, walk
// over a window and add up.
#ifndef XNCC_CUDA_DIRECT_REFINE_CUH
#define XNCC_CUDA_DIRECT_REFINE_CUH

#include "cuda/direct/refine.h"

#include "cuda/peaks/peak_key.cuh"
#include "cuda/planes/float_image.cuh"
#include "cuda/planes/group_sums.cuh"
#include "cuda/planes/walk.cuh"
#include "cuda/runtime/last_block.cuh"
#include "cuda/runtime/warp.cuh"

namespace xncc {

// Reads samples of the window whose first one is sample (x, y) of the band: where they are, or by
// the border.
template <xncc_pixel PIXEL> struct Reader {
    static constexpr int64_t SIZE = xncc_pixel_digits(PIXEL); // of a sample in bytes
    const FloatImage &of;
    int x, y;
    const unsigned char *first; // the first sample, or nullptr if the window leaves the image

    __device__ Reader(const RefineJob &job, FloatDoubt at) : of(job.image), x(at.x), y(at.y)
    {
        const int64_t left = of.x + x, top = of.y + y;
        const bool inside = left >= 0 && top >= 0 && left + job.templ_width <= of.image.width &&
                            top + job.templ_height <= of.image.height;
        first = inside ? static_cast<const unsigned char *>(of.image.data) + top * of.image.pitch +
                             left * SIZE
                       : nullptr;
    }
    // Column i of row j, by the border.
    __device__ double anywhere(int i, int j) const
    {
        return float_sample<PIXEL>(of, x + i, y + j);
    }
    // The same if the window is inside of the image. offset: of the sample, in bytes.
    __device__ double inside(int64_t offset) const
    {
        return xncc_sample_value(PIXEL, first + offset, 0);
    }
    __device__ double sample(int i, int j) const
    {
        return first ? inside(j * of.image.pitch + i * SIZE) : anywhere(i, j);
    }
    // Calls use(sample, whether the window is inside, as a constant), where sample(i, j) is the
    // function above without its branch.
    template <class Use> __device__ __forceinline__ auto with_sample(const Use &use) const
    {
        const int64_t pitch = of.image.pitch;
        if (first)
            return use([&](int i, int j) { return inside(j * pitch + i * SIZE); },
                       std::true_type());
        return use([&](int i, int j) { return anywhere(i, j); }, std::false_type());
    }
};

// The grid of the samples of a warp; all lanes get it.
__device__ __forceinline__ xncc_grid warp_grid(xncc_grid grid)
{
    for (int step = WARP_LANES / 2; step > 0; step /= 2) {
        const xncc_grid other = { __shfl_xor_sync(WARP_ALL, grid.unit, step),
                                  __shfl_xor_sync(WARP_ALL, grid.top, step) };
        grid = xncc_grid_join(grid, other);
    }
    return grid;
}

// How the windows of a list are divided among blocks of WARPS warps: a window has `parts` parts,
// and a part `warps` warps of one block; both are powers of two. Adding up the sums of threads
// costs as much as several samples of each. So of a long list, a window has only as many warps as
// find enough to do; of a short one, several blocks may have a window each.
constexpr int SHARE_PARTS = WARP_LANES; // at most

template <int WARPS> struct WindowShares {
    static constexpr int ENOUGH = 8;
    int parts, warps;

    // least: samples that a thread has at least, if several warps have the window; enough are
    // ENOUGH times as many. most: parts of all windows, if windows have several.
    __device__ WindowShares(const RefineJob &job, uint32_t count, int least, uint32_t most)
        : parts(1), warps(1)
    {
        const int64_t pixels = static_cast<int64_t>(job.templ_width) * job.templ_height;
        const auto fits = [&](int all) { return int64_t{ all } * (WARP_LANES * least) <= pixels; };
        while (count && parts < SHARE_PARTS && fits(2 * parts * WARPS) &&
               uint64_t{ count } * parts * 2 <= most)
            parts *= 2;
        while (warps < WARPS && fits(2 * warps) &&
               (parts > 1 || fits(2 * warps * ENOUGH) ||
                uint64_t{ count } * warps * 2 <= gridDim.x * WARPS))
            warps *= 2;
    }
};

// A share: thread `own` of `threads` that have the window. index: of the part among those of all
// windows; real: there is such a part, else it is another warp's.
struct WindowShare {
    uint64_t index;
    int own, threads;
    bool real, leads; // leads: the thread is in the first warp that has the part

    template <int WARPS>
    __device__ WindowShare(const WindowShares<WARPS> &of, uint32_t count, uint64_t first)
    {
        const int lane = static_cast<int>(threadIdx.x) % WARP_LANES,
                  warp = static_cast<int>(threadIdx.x) / WARP_LANES, number = warp % of.warps,
                  each = of.warps * WARP_LANES;
        index = first + warp / of.warps;
        real = index < uint64_t{ count } * of.parts;
        index = real ? index : first;
        own = static_cast<int>(index % of.parts) * each + number * WARP_LANES + lane;
        threads = each * of.parts;
        leads = number == 0;
    }
};

// Makes the sums of the windows of a list, which a block of WARPS warps shares with others.
// Sums::none(): those of no sample; join_lanes(): their sums over the lanes of a warp, for its
// first lane at least. make(share, at, sums): those of a warp's samples, which are none before, as
// join_lanes leaves them; score(at, sums): takes those of a window, by one thread, or by a warp as
// join_lanes leaves them if Sums::BY_WARP.
template <class Sums, int WARPS, class Make, class Score>
__device__ __forceinline__ void sum_shares(const RefineJob &job, const WindowShares<WARPS> &shares,
                                           const FloatDoubt *list, uint32_t count, const Make &make,
                                           const Score &score)
{
    __shared__ Sums of_warp[WARPS];
    Sums *parts = static_cast<Sums *>(job.doubts.parts);
    const int lane = static_cast<int>(threadIdx.x) % WARP_LANES,
              warp = static_cast<int>(threadIdx.x) / WARP_LANES;
    const uint64_t each = WARPS / shares.warps; // parts of the block at a time
    for (uint64_t first = blockIdx.x * each; first < uint64_t{ count } * shares.parts;
         first += gridDim.x * each) {
        const WindowShare share(shares, count, first);
        const FloatDoubt at = list[share.index / shares.parts];
        Sums sums = Sums::none();
        make(share, at, &sums);
        if (shares.warps > 1) {
            if (lane == 0)
                of_warp[warp] = sums;
            __syncthreads();
            if (share.leads) {
                sums = lane < shares.warps ? of_warp[warp + lane] : Sums::none();
                sums.join_lanes();
            }
            __syncthreads(); // of_warp has been read
        }
        if (!share.real || !share.leads || (lane > 0 && !Sums::BY_WARP))
            continue;
        if (shares.parts == 1)
            score(at, sums);
        else if (lane == 0)
            parts[share.index] = sums;
    }
    if (shares.parts == 1 || !is_last_block(&job.constants->done))
        return;
    // a warp adds up the parts of a window; a thread scores it, since that takes long, or the warp
    for (uint32_t i = warp; i < count; i += WARPS) {
        Sums sums = lane < shares.parts ? read_of_others(parts + i * shares.parts + lane)
                                        : Sums::none();
        sums.join_lanes();
        if (Sums::BY_WARP)
            score(list[i], sums);
        else if (lane == 0)
            parts[i * shares.parts] = sums;
    }
    __syncthreads();
    for (uint32_t i = threadIdx.x; i < count && !Sums::BY_WARP; i += blockDim.x)
        score(list[i], parts[i * shares.parts]);
    if (threadIdx.x == 0)
        job.constants->done = 0;
}

// Stores the score of a window, or puts it on a list if it is XNCC_DOUBT.
__device__ __forceinline__ void store(const RefineJob &job, FloatDoubt at, float score,
                                      FloatDoubt *list, uint32_t *count)
{
    job.map[at.y * job.map_pitch + at.x] = score;
    if (__float_as_uint(score) == XNCC_DOUBT)
        list[atomicAdd(count, 1u)] = at;
    else
        raise_tile(job.tiles, at.x, at.y, score);
}

// The score of a window of equal samples by a centred method.
__device__ __forceinline__ float flat_score(const RefineJob &job)
{
    return xncc_window_flat(job.method, job.undefined);
}

} // namespace xncc

#endif
