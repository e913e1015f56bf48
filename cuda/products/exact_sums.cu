// SPDX-License-Identifier: BSD-2-Clause
// The exact sums of all windows of a band (exact_sums.h), in one launch, since launches that find
// nothing to do are not free.
//
// The work is a list of shares (shares.cuh). The steps:
//
// - how many bits the samples have, and how many windows are in doubt; factors for transforms,
// - units, slices and memory, in the first share; nothing more if it is not worth while,
// - the template's own sums; which blocks have windows in doubt, which slices are not 0, and
//   whether all pixels of a block count,
// - what follows from that, and a list of the passes, each in the first share,
// - rows and columns of the template's slices, two at a time,
// - for a batch of blocks: all sums to 0; for some slices of a plane of the image at a time: rows
//   and columns, two at a time, and for two sums at a time: products with columns back, and rows
//   back, which adds them to what is there; at the end, if S and Q slide, sums of columns over
//   groups of rows, from which large windows begin, and then S, Q and the scores.
//
// Two slices are transformed as one complex array, and so are two sums on the way back; the layout
// in between is that of split_passes.cuh. With V and W the spectra of slices k + 1 and k, and T_l
// that of slice l of the template, the products of weight k + m are V conj(T_(m-1)) + W conj(T_m).
// Those of up to three k, or with masks or channels six, are added up.
//
// Thread mapping: blocks of 512 threads, one per multiprocessor, with 8192 points in shared memory
// (at most 160 KB). The passes are functions that are called. Compute capability 8.0 and later, as
// far as it has that shared memory.
#include "cuda/products/exact_sums.h"

#include "cuda/products/exact_passes.cuh"
#include "cuda/products/exact_range.cuh"
#include "cuda/products/exact_windows.cuh"
#include "cuda/products/shares.cuh"

namespace xncc {

namespace {

// A share of a step of the transforms, for the batch that begins at block `first`. Called at one
// place: otherwise the passes spare the registers of their callers, which takes as long as they do.
__device__ void make_pass(const ExactJob &job, const PairStep &step, int first, int index)
{
    switch (step.what) {
    case PairStep::ROWS:
        of_side<8>(job.blocks.width, [&](auto r) {
            transform_rows<decltype(r)::value>(job, step.pair[0], first, index);
        });
        break;
    case PairStep::COLUMNS:
        of_side<8>(job.blocks.height, [&](auto r) {
            transform_columns<decltype(r)::value>(job, step.pair[0], first, index);
        });
        break;
    case PairStep::MULTIPLY:
        of_side<8>(job.blocks.height,
                   [&](auto r) { multiply_slices<decltype(r)::value>(job, step, first, index); });
        break;
    case PairStep::ADD:
        of_side<8>(job.blocks.width,
                   [&](auto r) { add_rows<decltype(r)::value>(job, step, first, index); });
        break;
    case PairStep::NONE: break;
    }
}

// Makes a share of a step. Returns false behind the last one.
__device__ bool make_step(const ExactJob &job, int step, int index)
{
    const ExactState &s = *state_of(job);
    const int own = static_cast<int>(threadIdx.x);
    if (step == 0) {
        lay_out_turns(turns_in(job), XNCC_EXACT_MOST, index * THREADS + own,
                      static_cast<int>(gridDim.x) * THREADS);
        find_range(job, index);
        if (index == 0) {
            for (int i = own; i < job.count * FLAG_WORDS; i += THREADS)
                flags_of(job, 0)[i] = 0;
            for (int i = own; i < (XNCC_MAX_CHANNELS + 1) * XNCC_EXACT_WORDS; i += THREADS)
                state_of(job)->digits[i / XNCC_EXACT_WORDS][i % XNCC_EXACT_WORDS] = 0;
        }
        return true;
    }
    if (step == 1) {
        if (index == 0 && own == 0)
            choose(job);
        return true;
    }
    if (!s.on)
        return false;
    if (step == 2) {
        sum_template(job, index);
        flag_blocks(job, index);
        return true;
    }
    if (step == 3) {
        if (index == 0)
            join_flags(job);
        return true;
    }
    if (step == 4) {
        if (index == 0)
            list_steps(job);
        return true;
    }
    step -= 5;
    int first = 0;
    if (step >= s.templ_steps) {
        const int of_batch = s.steps - s.templ_steps, all = of_batch + (s.group_rows ? 3 : 2),
                  more = step - s.templ_steps;
        first = more / all * s.batch;
        if (first >= job.count)
            return false;
        if (more % all == 0) {
            clear_sums(job, index);
            return true;
        }
        if (more % all == all - 1) {
            score_windows(job, first, index);
            return true;
        }
        if (s.group_rows && more % all == all - 2) {
            sum_groups(job, first, index);
            return true;
        }
        step = s.templ_steps + more % all - 1;
    }
    make_pass(job, steps_in(job)[step], first, index);
    return true;
}

__global__ __launch_bounds__(THREADS, 1) void exact_sums(const __grid_constant__ ExactJob job)
{
    if constexpr (SPLIT_BUILT) {
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

cudaError_t exact_sums_set_max_shared_memory()
{
    return raise_limit(exact_sums, XNCC_SPLIT_SHARED);
}

cudaError_t launch_exact_sums(const ExactJob &given, const xncc_exact_blocks &blocks, void *memory,
                              int processors, cudaStream_t stream)
{
    ExactJob job = given;
    job.blocks = blocks;
    job.at = xncc_exact_workspace(&blocks);
    job.across = ceil_div(job.width, blocks.step_x);
    job.count = job.across * ceil_div(job.height, blocks.step_y);
    job.memory = static_cast<unsigned char *>(memory);
    exact_sums<<<static_cast<unsigned>(min(processors, MOST_SHARERS)), THREADS, XNCC_SPLIT_SHARED,
                 stream>>>(job);
    return cudaGetLastError();
}

} // namespace xncc
