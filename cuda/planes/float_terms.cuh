// SPDX-License-Identifier: BSD-2-Clause
// What the kernels share that make terms of templates and images of floats: blocks of TERM_THREADS
// threads.
#ifndef XNCC_CUDA_PLANES_FLOAT_TERMS_CUH
#define XNCC_CUDA_PLANES_FLOAT_TERMS_CUH

#include "cuda/planes/float_image.h"
#include "cuda/planes/group_sums.cuh"
#include "cuda/runtime/warp.cuh"

namespace xncc {

constexpr int TERM_THREADS = 1024, TERM_WARPS = TERM_THREADS / WARP_LANES;
static_assert(TERM_WARPS == WARP_LANES, "block_sum has a lane per warp");
constexpr int TERM_SIDE = 64; // what an image usually has is seen in as many rows and columns,
constexpr int TERM_EACH = TERM_SIDE * TERM_SIDE / TERM_THREADS; // so many samples of a thread
// Outliers are so many times as large as samples usually are. One of them has the energy of 2^24
// samples, as many as a block of transforms has at most.
constexpr double FAR = 4096.0;
// No pivot is larger, so that no sample less a pivot overflows.
constexpr double LARGEST_PIVOT = 0x1p900;

// The sum of a value over the block; every thread gets it. room: TERM_WARPS of shared memory.
__device__ inline xncc_twofold block_sum(xncc_twofold value, xncc_twofold *room)
{
    const int lane = static_cast<int>(threadIdx.x) % WARP_LANES,
              warp = static_cast<int>(threadIdx.x) / WARP_LANES;
    value = group_pair(value, WARP_LANES);
    __syncthreads(); // the sum before has been read
    if (lane == 0)
        room[warp] = value;
    __syncthreads();
    return group_pair(room[lane], WARP_LANES);
}

// The mean over a warp of what counts; infinite if nothing does, or if it is not finite. Every lane
// gets it.
__device__ inline double warp_mean(double sum, double count)
{
    const double mean = warp_sum(sum) / warp_sum(count);
    return isfinite(mean) ? mean : INFINITY;
}

// The middle one of those that the warps have and that are finite, or infinite if none is. Every
// thread gets it. So some samples that are far from the others have no say.
__device__ inline double middle_of(double value)
{
    __shared__ double room[TERM_WARPS];
    const int lane = static_cast<int>(threadIdx.x) % WARP_LANES,
              warp = static_cast<int>(threadIdx.x) / WARP_LANES;
    __syncthreads();
    if (lane == 0)
        room[warp] = value;
    __syncthreads();
    const double own = room[lane];
    int before = 0;
    for (int i = 0; i < TERM_WARPS; i++)
        before += room[i] < own || (room[i] == own && i < lane);
    const int finite = __popc(__ballot_sync(WARP_ALL, own < INFINITY));
    return room[__ffs(static_cast<int>(__ballot_sync(WARP_ALL, before == finite / 2))) - 1];
}

// Column and row of sample k of this thread, in a band of so many; those of a warp are spread over
// it.
__device__ inline longlong2 spread_sample(int k, int columns, int rows)
{
    const int lane = static_cast<int>(threadIdx.x) % WARP_LANES,
              warp = static_cast<int>(threadIdx.x) / WARP_LANES, j = (lane + WARP_LANES * k) / 2,
              i = (warp + lane % 2 * TERM_WARPS + 7 * j) % TERM_SIDE;
    return make_longlong2(static_cast<int64_t>(i) * columns / TERM_SIDE,
                          static_cast<int64_t>(j) * rows / TERM_SIDE);
}

// Bounds of the errors of T and T2, sums in pairs of doubles of n samples less a pivot, which are
// rounded once. lost_of_T: the same of T, besides its last rounding, if what the samples lost is
// added to it.
struct TermErrors {
    double T, T2, lost_of_T;
};

__device__ inline TermErrors term_errors(double n, double T2)
{
    const double sizes = sqrt(n * (T2 + XNCC_WINDOW_TINY)), slack = (n + 10.0) * (n + 10.0);
    return { 0x1p-51 * sizes + 2.0 * slack * 0x1p-106 * sizes,
             0x1p-50 * T2 + 2.0 * slack * 0x1p-106 * T2 + XNCC_WINDOW_TINY,
             8.0 * slack * 0x1p-106 * sizes };
}

} // namespace xncc

#endif
