// SPDX-License-Identifier: BSD-2-Clause
// The score of float_sum_score.h.
//
// - If the template has a mask, S and Q come from maps, and N, unless it is that of a rectangle: a
//   window per thread, in blocks of 256 adjacent windows of a row.
// - Else S, Q and N come from sums of columns: a warp slides along a segment of a row
//   (window_slide.cuh), for one plane after the other; the sums of a turn are in shared memory,
//   from which each lane scores every 32nd window. A block is 4 warps, each on a row of its own;
//   blockIdx.x: group of 4 rows, blockIdx.y: segment. Shared memory: 6 KB and 5 KB per plane.
//
// Any compute capability.
#include "cuda/score/float_sum_window.cuh"
#include "cuda/runtime/dispatch.h"

#include "cuda/planes/float_image.cuh"
#include "cuda/runtime/warp.cuh"

namespace xncc {

namespace {

constexpr int THREADS = 256, MARKERS = 512;
constexpr int WARPS = 4;  // rows per block
constexpr int BLOCKS = 6; // per multiprocessor

template <xncc_method METHOD, bool SLIDES>
__device__ __forceinline__ void store_score(const FloatSumScoreJob &job, const Turn &turn,
                                            int place, int x, int y)
{
    const float score = score_of<SLIDES>(METHOD, job, turn, place, x, y, nullptr);
    job.map[y * job.map_pitch + x] = score;
    if (__float_as_uint(score) == XNCC_DOUBT)
        list_window(job.doubts, x, y);
}

template <xncc_method METHOD>
__global__ __launch_bounds__(THREADS) void score_sums(const __grid_constant__ FloatSumScoreJob job)
{
    const int x = static_cast<int>(blockIdx.x) * THREADS + static_cast<int>(threadIdx.x);
    const xncc_bounded templ = term_of_templ(job);
    const Turn turn = { &templ, nullptr, nullptr };
    for (int y = static_cast<int>(blockIdx.y); y < job.height && x < job.width;
         y += static_cast<int>(gridDim.y))
        store_score<METHOD, false>(job, turn, 0, x, y);
}

// Doubles of shared memory that a warp has, for the sums of a turn.
__host__ __device__ int room_of_warp(const xncc_float_sums &at)
{
    return (1 + at.columns) * SLIDE_ROOM;
}

template <xncc_method METHOD>
__global__ __launch_bounds__(WARP_LANES *WARPS, BLOCKS) void slide_and_score(
    const __grid_constant__ FloatSumScoreJob job, int segment, SlideLoss loss)
{
    static_assert(sizeof(double) * WARPS * TURN_SUMS * SLIDE_ROOM + 2048 <= 48 << 10,
                  "no limit is raised");
    extern __shared__ double memory[];
    __shared__ xncc_twofold carried[WARPS][TURN_SUMS]; // of the first window of a turn
    __shared__ double losses[WARPS][TURN_SUMS];
    __shared__ xncc_bounded templ[WARPS];
    const int lane = static_cast<int>(threadIdx.x), warp = static_cast<int>(threadIdx.y),
              y = static_cast<int>(blockIdx.x) * WARPS + warp,
              begin = static_cast<int>(blockIdx.y) * segment, end = min(begin + segment, job.width),
              last = job.width + job.templ_width - 2;
    if (y >= job.height)
        return;
    double *sums = memory + warp * room_of_warp(job.at);
    const Turn turn = { templ + warp, sums, losses[warp] };
    begin_sums(job, loss, begin, y, segment, lane, losses[warp],
               [&](int sum, const xncc_twofold &first) { carried[warp][sum] = first; });
    if (lane == 0)
        templ[warp] = term_of_templ(job);
    __syncwarp();
    for (int x = begin; x < end; x += SLIDE_TURN) {
        const auto slide = [&](const SlideGains &gains, int sum) {
            xncc_twofold at = carried[warp][sum];
            double *to = sums + sum * SLIDE_ROOM + lane;
            slide_turn(gains, lane, &at, [&](int i, double own) { to[i * SLIDE_PITCH] = own; });
            __syncwarp();
            if (lane == 0)
                carried[warp][sum] = at;
        };
        SlideGains squares = {};
        for (int plane = 0; plane <= job.at.columns; plane++) {
            const bool of_squares = plane == job.at.columns;
            SlideGains gains = squares;
            if (!of_squares) {
                const FloatColumns columns = job.columns.of(plane);
                gains = slide_gains(columns.sums + y * columns.pitch, last, job.templ_width, x,
                                    lane, plane < job.at.channels, &squares);
            }
            slide(gains, of_squares ? 0 : 1 + plane);
        }
        __syncwarp();
#pragma unroll 1
        for (int i = 0; i < SLIDE_SPAN; i++) {
            const int window = i * WARP_LANES + lane;
            if (x + window < end)
                store_score<METHOD, true>(job, turn, slide_place(window), x + window, y);
        }
        __syncwarp();
    }
}

// The windows of a sample that was left out score NaN, or are in doubt.
template <bool DOUBT> __device__ void mark_windows(const FloatSumScoreJob &job, SampleAt at)
{
    for (int i = static_cast<int>(threadIdx.x); i < job.templ_width * job.templ_height;
         i += THREADS) {
        const int x = at.x - i % job.templ_width, y = at.y - i / job.templ_width;
        if (x < 0 || y < 0 || x >= job.width || y >= job.height || (job.mask && !job.mask[i]))
            continue;
        job.map[y * job.map_pitch + x] = xncc_float_of_bits(DOUBT ? XNCC_DOUBT : 0x7fc00000u);
        if (DOUBT)
            list_window(job.hard, x, y);
    }
}

// FAR: windows with far samples, else those with bad ones. A block has a sample at a time.
template <bool FAR>
__global__
__launch_bounds__(THREADS) void mark_left_out(const __grid_constant__ FloatSumScoreJob job)
{
    const FloatTerms &t = *job.terms;
    const uint32_t own = blockIdx.x, all = gridDim.x;
    if constexpr (FAR) {
        for (uint32_t i = own; i < MOST_FAR * static_cast<uint32_t>(job.at.channels); i += all) {
            const uint32_t channel = i / MOST_FAR, count = t.far_samples[channel];
            if (i % MOST_FAR < count && count <= MOST_FAR)
                mark_windows<true>(job, t.far_at[channel][i % MOST_FAR]);
        }
    } else if (t.bad_samples <= XNCC_FLOAT_BAD) {
        for (uint32_t i = own; i < t.bad_samples; i += all)
            mark_windows<false>(job, t.bad_at[i]);
    }
}

template <xncc_method METHOD> void launch(const FloatSumScoreJob &job, cudaStream_t stream)
{
    if (job.at.windows) {
        const int32_t segment = slide_segment(job.templ_width, job.width);
        const dim3 block(WARP_LANES, WARPS),
            grid = make_grid(ceil_div(job.height, WARPS), ceil_div(job.width, segment));
        const size_t bytes = sizeof(double) * WARPS * static_cast<size_t>(room_of_warp(job.at));
        slide_and_score<METHOD><<<grid, block, bytes, stream>>>(
            job, segment,
            slide_loss(job.columns.first, job.at.channels, job.templ_width, job.templ_height,
                       segment));
    } else {
        const int32_t rows = job.height < UINT16_MAX ? job.height : UINT16_MAX;
        const dim3 grid = rows_grid(job.width, rows, THREADS);
        score_sums<METHOD><<<grid, THREADS, 0, stream>>>(job);
    }
}

} // namespace

cudaError_t launch_float_sum_score(const FloatSumScoreJob &job, cudaStream_t stream)
{
    return with_score_method(job.method, [&](auto method) { launch<method>(job, stream); });
}

cudaError_t launch_mark_left_out(const FloatSumScoreJob &job, cudaStream_t stream)
{
    mark_left_out<true><<<MOST_FAR, THREADS, 0, stream>>>(job);
    mark_left_out<false><<<MARKERS, THREADS, 0, stream>>>(job);
    return cudaGetLastError();
}

} // namespace xncc
