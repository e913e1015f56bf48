// SPDX-License-Identifier: BSD-2-Clause
// Whether the windows in doubt are many (refine.h): one block of 256 threads. No shared memory; any
// compute capability.
#include "cuda/direct/refine.h"

namespace xncc {

namespace {

constexpr int THREADS = 256;

// The sums that are made again have a pivot only if it is far from 0, by what samples usually are:
// elsewhere it would outweigh samples that are small, and no pivot costs little.
constexpr double STEADY = 32.0;

__global__ __launch_bounds__(THREADS) void judge_doubts(const __grid_constant__ JudgeDoubtsJob job)
{
    FloatConstants *c = job.constants;
    const bool again = c->doubts > job.most;
    __syncthreads();
    for (int i = static_cast<int>(threadIdx.x); i < SIZES_OF_WINDOWS && again; i += THREADS)
        job.levels->seen[i] = 0;
    for (int i = static_cast<int>(threadIdx.x); i < job.blocks && again; i += THREADS)
        job.sizes[i] = BlockSizes{ SIZES_OF_WINDOWS, -1 };
    if (!again || threadIdx.x)
        return;
    c->again = 1;
    c->outliers = 0;
    c->limit = ALL_FINITE;
    job.levels->made = 0;
    job.levels->shares = {};
    if (job.centred && !(fabs(c->image_pivot) > STEADY * c->usual))
        c->image_pivot = 0.0;
}

} // namespace

cudaError_t launch_judge_doubts(const JudgeDoubtsJob &job, cudaStream_t stream)
{
    judge_doubts<<<1, THREADS, 0, stream>>>(job);
    return cudaGetLastError();
}

} // namespace xncc
