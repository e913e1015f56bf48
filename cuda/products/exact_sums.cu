// SPDX-License-Identifier: BSD-2-Clause
// The exact sums of all windows of a band (exact_sums.h), in one launch, since launches that find
// nothing to do are not free.
//
// The work is a list of shares (shares.cuh). The steps:
//
// - how many bits the samples have, and how many windows are in doubt,
// - which blocks have windows in doubt, and whether all their pixels count,
// - in the first share: a list of these blocks, unit, primes and memory; nothing more if it is not
//   worth while,
// - factors of the transforms; sums of the template,
// - rows of the template's planes, and then columns, and its term; samples of the first batch,
// - for a batch of blocks: rows of the image's planes; columns, products, and columns back; rows
//   back; and the scores, and samples of the next batch.
//
// Two blocks are transformed together, with the same factors.
//
// Thread mapping: blocks of 256 threads, two per multiprocessor, with 4096 pairs of numbers in
// shared memory (44 KB). A thread has 16 pairs of a line. The passes are functions that are called.
// Compute capability 7.5 and later.
#include "cuda/products/exact_sums.h"

#include "cuda/products/exact_passes.cuh"
#include "cuda/products/exact_range.cuh"
#include "cuda/products/exact_scores.cuh"
#include "cuda/products/shares.cuh"

namespace xncc {

namespace {

// Makes a share of pass 0, 2 or 4, of rows.
template <bool PAIRED>
__device__ void make_row_pass(const ExactJob &job, int pass, int first, int index)
{
    of_side<XNCC_EXACT_MOST / 256>(job.blocks.width, [&](auto r) {
        constexpr int R = decltype(r)::value;
        if (pass < 4)
            transform_rows<R, PAIRED>(job, pass == 0, first, index);
        else
            finish_rows<R, PAIRED>(job, first, index);
    });
}

// Makes a share of a pass: of the template, or of the batch that begins at pair `first`.
__device__ void make_pass(const ExactJob &job, int pass, int first, int index)
{
    if (pass % 2 == 0)
        return are_rows_paired(job.blocks.height) ? make_row_pass<true>(job, pass, first, index)
                                                  : make_row_pass<false>(job, pass, first, index);
    of_side<XNCC_EXACT_MOST / 256>(job.blocks.height, [&](auto r) {
        constexpr int R = decltype(r)::value;
        if (pass == 1)
            transform_template<R>(job, index);
        else
            multiply_columns<R>(job, first, index);
    });
}

// Makes a share of a step. Returns false behind the last one.
__device__ bool make_step(const ExactJob &job, int step, int index)
{
    constexpr int OF_TEMPLATE = 2, OF_BATCH = 4; // passes, and of a batch its scores
    const ExactState &s = *state_of(job);
    const int own = static_cast<int>(threadIdx.x);
    if (step == 0) {
        find_range(job, index);
        if (index == 0) {
            for (int i = own; i < job.count; i += THREADS)
                flags_of(job)[i] = BlockFlags{ 0, 0 };
            for (int i = own; i < ROOT_PRIMES * (XNCC_MAX_CHANNELS + 1); i += THREADS)
                state_of(job)->sums[i / (XNCC_MAX_CHANNELS + 1)][i % (XNCC_MAX_CHANNELS + 1)] = 0;
        }
        return true;
    }
    if (step == 1) {
        flag_blocks(job, index);
        return true;
    }
    if (step == 2) {
        if (index == 0) {
            list_active(job);
            __syncthreads();
            if (own == 0)
                choose(job);
        }
        return true;
    }
    if (!s.on)
        return false;
    if (step == 3) {
        make_factors(job, index);
        return true;
    }
    if (step == 4) {
        sum_template(job, index);
        return true;
    }
    step -= 5;
    if (step == 0 && index == 0)
        describe_template(job);
    if (step < OF_TEMPLATE) {
        make_pass(job, step, 0, index);
        if (step == 0)
            make_samples(job, 0, index);
        return true;
    }
    step -= OF_TEMPLATE;
    const int first = step / OF_BATCH * s.pairs, pass = step % OF_BATCH;
    if (pairs_in_batch(job, first) <= 0)
        return false;
    if (pass < OF_BATCH - 1) {
        make_pass(job, OF_TEMPLATE + pass, first, index);
    } else {
        score_windows(job, first, index);
        make_samples(job, first + s.pairs, index);
    }
    return true;
}

// No call takes this kernel to an older device (xncc_exact_serves).
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 750
constexpr bool BUILT = false;
#else
constexpr bool BUILT = true;
#endif

static_assert(XNCC_EXACT_SHARED + XNCC_EXACT_POWERS * sizeof(uint32_t) + 64 <= 48 << 10,
              "more would have to be allowed");
__global__ __launch_bounds__(THREADS, BLOCKS) void exact_sums(const __grid_constant__ ExactJob job)
{
    if constexpr (BUILT) {
        // the whole block leaves, or none of it: meanwhile they may become 0
        if (!__syncthreads_or(*job.doubts > job.few))
            return;
        for (bool first = true;; first = false) {
            const uint32_t number = next_share(&job.work->shares, first);
            if (!make_step(job, static_cast<int>(number / gridDim.x),
                           static_cast<int>(number % gridDim.x)))
                return;
        }
    }
}

} // namespace

cudaError_t launch_exact_sums(const ExactJob &given, const xncc_exact_blocks &blocks, void *memory,
                              int processors, cudaStream_t stream)
{
    ExactJob job = given;
    job.blocks = blocks;
    job.at = xncc_exact_workspace(&blocks);
    job.down = ceil_div(job.height, blocks.step_y);
    job.count = job.down * ceil_div(job.width, blocks.step_x);
    job.memory = static_cast<unsigned char *>(memory);
    exact_sums<<<static_cast<unsigned>(processors * BLOCKS), THREADS, XNCC_EXACT_SHARED, stream>>>(
        job);
    return cudaGetLastError();
}

} // namespace xncc
