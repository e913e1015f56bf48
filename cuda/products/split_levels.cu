// SPDX-License-Identifier: BSD-2-Clause
// X of the windows that wait for it, level by level (FloatLevels), by the blocks and passes of
// kernel float-split (split_passes.cuh).
//
// choose_levels is one block. transform_levels does all levels in one launch, since launches that
// find nothing to do are not free. Its work is a list of shares (shares.cuh). The steps of a level:
//
// - add up the squares of the blocks' samples, without those beyond the level's limit; the unit of
//   the template, in the first share, and factors of the transforms, if they are not there,
// - choose units and bounds, in the first share; nothing more if one level has all samples, unless
//   all levels are made,
// - rows and columns of the template, if they are not there,
// - rows, columns, and rows back, of a batch of blocks at a time, level by level.
//
// Thread mapping: blocks of 512 threads, one per multiprocessor, with 8192 points in shared memory
// (at most 160 KB). The passes are functions that are called, not inlined: one kernel has those of
// all sides. Compute capability 7.0 and later, as far as it has that shared memory.
#include "cuda/products/shares.cuh"
#include "cuda/products/split_passes.cuh"
#include "cuda/runtime/shared_memory.h"
#include "cuda/runtime/warp.cuh"

namespace xncc {

namespace {

constexpr int THREADS = SPLIT_COLUMN_THREADS;
constexpr int CHOOSING_THREADS = 1024;
static_assert(SIZES_OF_WINDOWS == CHOOSING_THREADS, "a thread has a size");
constexpr int NARROWEST = 4; // sizes of a level, at least

// Puts `count` sizes that are seen, in order, into levels of at most `width` sizes. Returns false
// if the levels are too many.
__device__ bool choose(const int *seen, int count, int width, FloatLevels *to)
{
    int levels = 0;
    for (int i = 0; i < count; i++) {
        if (levels == 0 || seen[i] - to->least[levels - 1] >= width) {
            if (levels == XNCC_SPLIT_LEVELS)
                return false;
            to->least[levels++] = seen[i];
        }
        to->most[levels - 1] = seen[i];
    }
    to->count = levels;
    return true;
}

// The narrowest levels that are not too many, and no sum of squares so far.
__global__
__launch_bounds__(CHOOSING_THREADS) void choose_levels(const __grid_constant__ LevelsJob job)
{
    __shared__ int seen[SIZES_OF_WINDOWS], count_of[CHOOSING_THREADS / 32];
    const int own = static_cast<int>(threadIdx.x);
    if (!job.split.constants->again)
        return;
    if (own == 0)
        job.levels->beyond = 0;
    for (int i = own; i < XNCC_SPLIT_LEVELS * job.split.set.of.count; i += CHOOSING_THREADS)
        job.squares[i] = 0.0;
    const unsigned mine = __ballot_sync(WARP_ALL, job.levels->seen[own] != 0);
    if (own % 32 == 0)
        count_of[own / 32] = __popc(mine);
    __syncthreads();
    int before = __popc(mine & ((1u << own % 32) - 1u)), count = 0;
    for (int i = 0; i < CHOOSING_THREADS / 32; i++) {
        before += i < own / 32 ? count_of[i] : 0;
        count += count_of[i];
    }
    if (mine >> own % 32 & 1u)
        seen[before] = own;
    __syncthreads();
    for (int width = NARROWEST; own == 0 && !choose(seen, count, width, job.levels); width++)
        ;
}

// Adds up the squares of the blocks' samples, for all levels, and looks for samples that the first
// one is without.
template <xncc_pixel PIXEL> __device__ void add_squares(const LevelsJob &job, int index)
{
    const FloatBlocks &b = job.split.set.of;
    const double pivot = job.split.constants->image_pivot;
    const int pieces = b.height / SQUARE_ROWS, count = job.levels->count;
    int32_t limit[XNCC_SPLIT_LEVELS];
#pragma unroll
    for (int level = 0; level < XNCC_SPLIT_LEVELS; level++)
        limit[level] = level < count ? limit_of_size(job.levels->most[level]) : -1;
    for (int piece = index; piece < pieces * b.count; piece += static_cast<int>(gridDim.x)) {
        const int block = piece / pieces;
        const int2 start = block_start(b, block);
        double square[XNCC_SPLIT_LEVELS] = {};
        bool beyond = false;
        for (int x = static_cast<int>(threadIdx.x); x < b.width; x += THREADS)
            each_below<PIXEL>(job.split.products.image, start.x + x,
                              start.y + piece % pieces * SQUARE_ROWS, pivot, [&](double v) {
                                  beyond |= within(v, limit[0]) != v;
#pragma unroll
                                  for (int level = 0; level < XNCC_SPLIT_LEVELS; level++) {
                                      const double one = within(v, limit[level]);
                                      square[level] += one * one;
                                  }
                              });
#pragma unroll
        for (int level = 0; level < XNCC_SPLIT_LEVELS; level++)
            add_to(job.squares + level * b.count + block, square[level]);
        if (beyond)
            job.levels->beyond = 1;
    }
}

// Whether sums by levels are made. If one level has all samples, its errors are as large as those
// of float-split, and seldom much smaller than those of other kernels.
__device__ bool are_worth_while(const LevelsJob &job)
{
    return job.makes_all || (job.levels->count <= job.most &&
                             (job.levels->count > 1 || __ldcg(&job.levels->beyond) != 0));
}

// Chooses the units of all levels and blocks, and says that the windows that stay in doubt are
// listed anew.
__device__ void begin_levels(const LevelsJob &job)
{
    if (!are_worth_while(job))
        return;
    if (threadIdx.x == 0) {
        job.levels->made = 1;
        job.split.constants->doubts = 0;
    }
    const int blocks = job.split.set.of.count;
    for (int i = static_cast<int>(threadIdx.x); i < job.levels->count * blocks; i += THREADS)
        choose_unit(job.split, *job.split.set.templ, i % blocks, job.squares[i], 0.0, job.units + i,
                    job.error + i);
}

// Makes pass 0, 1 or 2 of a batch of blocks; TEMPL: 0 or 1 of the template.
template <xncc_pixel PIXEL, bool TEMPL>
__device__ __forceinline__ void make_pass(const SplitJob &job, int pass, const SplitShare &share)
{
    if (pass == 0) {
        of_side<16>(job.set.of.width, [&](auto r) {
            split_rows_of<PIXEL, TEMPL, decltype(r)::value, THREADS>(job, share);
        });
    } else if (pass == 1) {
        of_side<16>(job.set.of.height, [&](auto r) {
            multiply_columns_of<TEMPL, false, decltype(r)::value>(job, share);
        });
    } else if constexpr (!TEMPL) {
        of_side<16>(job.set.of.width,
                    [&](auto r) { join_rows_of<decltype(r)::value, THREADS, true>(job, share); });
    }
}

// A share of a step.
__device__ SplitShare share_of(int index)
{
    SplitShare share = {};
    share.index = index;
    share.of = static_cast<int>(gridDim.x);
    return share;
}

// Makes a share of the template's unit, if it is not there, and of factors of the transforms.
__device__ void begin_template(const LevelsJob &job, int index)
{
    const int own = static_cast<int>(threadIdx.x);
    lay_out_turns(job.split.turns, XNCC_SPLIT_MOST, index * THREADS + own,
                  static_cast<int>(gridDim.x) * THREADS);
    if (index == 0 && own == 0)
        choose_template_unit(job.split);
}

// Makes pass 0 or 1 of the template. Not inlined: it does not depend on the pixels.
__device__ __noinline__ void make_template_pass(const SplitJob &job, int pass, int index)
{
    if constexpr (LINES_BUILT)
        make_pass<XNCC_F64, true>(job, pass, share_of(index));
}

template <xncc_pixel PIXEL>
__global__ __launch_bounds__(THREADS,
                             1) void transform_levels(const __grid_constant__ LevelsJob job)
{
    const FloatLevels &levels = *job.levels;
    if (!job.split.constants->again)
        return;
    const int blocks = job.split.set.of.count, batch = job.split.batch,
              steps = 3 * ceil_div(blocks, batch), // of a level
        before = job.makes_template ? 4 : 2;       // the first level
    for (bool first = true;; first = false) {
        const uint32_t number = next_share(&job.levels->shares, first);
        const int index = static_cast<int>(number % gridDim.x),
                  step = static_cast<int>(number / gridDim.x);
        if (step == 0) {
            if (job.makes_template)
                begin_template(job, index);
            add_squares<PIXEL>(job, index);
        } else if (step == 1) {
            if (index == 0)
                begin_levels(job);
        } else if (!are_worth_while(job)) {
            return;
        } else if (step < before) {
            make_template_pass(job.split, step - 2, index);
        } else {
            const int level = (step - before) / steps, of_level = (step - before) % steps;
            if (level >= levels.count)
                return;
            SplitShare share = share_of(index);
            share.first = of_level / 3 * batch;
            share.least_size = levels.least[level];
            share.most_size = levels.most[level];
            share.limit = limit_of_size(share.most_size);
            share.units = job.units + level * blocks;
            share.sizes = job.sizes;
            if constexpr (LINES_BUILT)
                make_pass<PIXEL, false>(job.split, of_level % 3, share);
        }
    }
}

} // namespace

cudaError_t split_levels_set_max_shared_memory()
{
    cudaError_t code = cudaSuccess;
    each_float_pixel([&](auto type) {
        if (code == cudaSuccess)
            code = set_max_shared_memory(XNCC_SPLIT_SHARED, transform_levels<type>);
    });
    return code;
}

cudaError_t launch_levels(const LevelsJob &job, int processors, cudaStream_t stream)
{
    size_t shared = 0;
    for (int32_t side : { job.split.set.of.width, job.split.set.of.height })
        with_side(side, [&](auto r) {
            const size_t one = split_shared<decltype(r)::value>(THREADS);
            shared = shared > one ? shared : one;
        });
    const unsigned sharers = static_cast<unsigned>(min(processors, MOST_SHARERS));
    choose_levels<<<1, CHOOSING_THREADS, 0, stream>>>(job);
    cudaError_t code = cudaGetLastError();
    if (code != cudaSuccess)
        return code;
    with_float_pixel(job.split.products.image.image.pixel, [&](auto type) {
        transform_levels<type><<<sharers, THREADS, shared, stream>>>(job);
    });
    return cudaGetLastError();
}

} // namespace xncc
