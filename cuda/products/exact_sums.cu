// SPDX-License-Identifier: BSD-2-Clause
// The exact sums of all windows of a band (exact_sums.h), in one launch, since launches that find
// nothing to do are not free.
//
// The work is a list of shares (shares.cuh). The steps:
//
// - how many bits the samples have; factors for the transforms,
// - units, slices and memory, in the first share; nothing more if it is not worth while,
// - the template's own sums, in the first share; which blocks have windows in doubt, and which
//   slices are not 0,
// - rows and columns of the template's slices, two at a time,
// - for a batch of blocks: X to 0; for up to six slices of the image at a time: rows and columns,
//   two at a time, and for two sums at a time: products with columns back, and rows back, which
//   adds them to X; at the end S, Q and the scores.
//
// Small templates whose samples have few bits need no transforms: X of a batch is one step
// (exact_direct.cuh).
//
// Two slices are transformed as one complex array, and so are two sums on the way back; the layout
// in between is that of split_passes.cuh. With V and W the spectra of slices k + 1 and k, and T_l
// that of slice l of the template, the products of weight k + m are V conj(T_(m-1)) + W conj(T_m).
// Those of up to three k are added up.
//
// Thread mapping: blocks of 512 threads, one per multiprocessor, with 8192 points in shared memory
// (at most 160 KB). The passes are functions that are called. Compute capability 8.0 and later, as
// far as it has that shared memory.
#include "cuda/products/exact_sums.h"

#include "cuda/products/exact_direct.cuh"
#include "cuda/products/exact_passes.cuh"
#include "cuda/products/exact_range.cuh"
#include "cuda/products/exact_windows.cuh"
#include "cuda/products/shares.cuh"

namespace xncc {

namespace {

// A bit for each two weights, 2 k and 2 k + 1, that products of a group have.
__device__ uint32_t weights_of(const ExactJob &job, const Group &group)
{
    const ExactState &s = *state_of(job);
    uint32_t weights = 0;
    for (int slot = 0; slot < group.count; slot++) {
        const int low = pair_of(job, group, slot).low,
                  slices = s.templ_slices + (s.seen >> (low + 1) & 1 ? 1 : 0);
        weights |= ((2u << (low + slices - 1) / 2) - 1u) & (0xffffffffu << low / 2);
    }
    return weights;
}

// The lower weight of the next two, which are forgotten.
__device__ int next_weight(uint32_t *weights)
{
    const int weight = 2 * (__ffs(static_cast<int>(*weights)) - 1);
    *weights &= *weights - 1;
    return weight;
}

__device__ void rows_of_pair(const ExactJob &job, const Pair &pair, int first, int index)
{
    of_side<8>(job.blocks.width,
               [&](auto r) { transform_rows<decltype(r)::value>(job, pair, first, index); });
}

__device__ void columns_of_pair(const ExactJob &job, const Pair &pair, int first, int index)
{
    of_side<8>(job.blocks.height,
               [&](auto r) { transform_columns<decltype(r)::value>(job, pair, first, index); });
}

// Step `step` of the pairs of the image, for the batch that begins at block `first`: of each group,
// rows and columns of its pairs, and then two steps for two weights.
__device__ void make_step_of_pairs(const ExactJob &job, int step, int first, int index)
{
    const int groups = ceil_div(pairs_in(state_of(job)->seen), state_of(job)->kept);
    for (int number = 0; number < groups; number++) {
        const Group group = group_of(job, number);
        uint32_t weights = weights_of(job, group);
        const int forward = 2 * group.count, all = forward + 2 * __popc(weights);
        if (step >= all) {
            step -= all;
            continue;
        }
        if (step < forward) {
            const Pair pair = pair_of(job, group, step / 2);
            step % 2 ? columns_of_pair(job, pair, first, index)
                     : rows_of_pair(job, pair, first, index);
            return;
        }
        int weight = next_weight(&weights);
        for (int i = forward + 2; i <= step; i += 2)
            weight = next_weight(&weights);
        if (step % 2 == 0)
            of_side<8>(job.blocks.height, [&](auto r) {
                multiply_slices<decltype(r)::value>(job, group, weight, first, index);
            });
        else
            of_side<8>(job.blocks.width, [&](auto r) {
                add_rows<decltype(r)::value>(job, group, weight, first, index);
            });
        return;
    }
}

// The steps of all groups.
__device__ int steps_of_pairs(const ExactJob &job)
{
    const int groups = ceil_div(pairs_in(state_of(job)->seen), state_of(job)->kept);
    int steps = 0;
    for (int number = 0; number < groups; number++) {
        const Group group = group_of(job, number);
        steps += 2 * (group.count + __popc(weights_of(job, group)));
    }
    return steps;
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
        if (index == 0)
            for (int i = own; i < job.count; i += THREADS)
                flags_of(job)[i] = 0;
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
        if (index == 0)
            describe_template(job);
        flag_blocks(job, index);
        return true;
    }
    if (step == 3) {
        if (index == 0)
            join_flags(job);
        return true;
    }
    step -= 4;
    const int of_templ = s.limbs_of_X ? 0 : 2 * ceil_div(s.templ_slices, 2);
    if (step < of_templ) {
        const Pair pair = { true, step / 2 * 2, 0 };
        step % 2 ? columns_of_pair(job, pair, 0, index) : rows_of_pair(job, pair, 0, index);
        return true;
    }
    step -= of_templ;
    const int of_pairs = s.limbs_of_X ? 0 : steps_of_pairs(job), all = of_pairs + 2;
    const int first = step / all * s.batch;
    step %= all;
    if (first >= job.count)
        return false;
    if (step == 0 && s.limbs_of_X)
        multiply_directly(job, first, index);
    else if (step == 0)
        clear_sums(job, index);
    else if (step <= of_pairs)
        make_step_of_pairs(job, step - 1, first, index);
    else
        score_windows(job, first, index);
    return true;
}

__global__ __launch_bounds__(THREADS, 1) void exact_sums(const __grid_constant__ ExactJob job)
{
    if constexpr (SPLIT_BUILT) {
        if (job.constants->doubts <= job.blocks.most_alone)
            return;
        for (bool first = true;; first = false) {
            const uint32_t number = next_share(&job.constants->shares, first);
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
