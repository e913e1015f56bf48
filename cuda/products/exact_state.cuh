// SPDX-License-Identifier: BSD-2-Clause
// What the parts of exact_sums.cu share: what is known of a call, and where its memory is.
#ifndef XNCC_CUDA_PRODUCTS_EXACT_STATE_CUH
#define XNCC_CUDA_PRODUCTS_EXACT_STATE_CUH

#include "cuda/products/exact_sums.h"

#include "cuda/products/split_passes.cuh"

#include "math/exact_score.h"
#include "math/long_score.h"

namespace xncc {

constexpr int KINDS = 3; // of planes

// What is known of a call, in device memory.
struct ExactState {
    int32_t on;   // 0: nothing is done
    int32_t unit; // samples are integers times 2^unit, counted from the least double
    // Slices of planes of image and template, by FloatPlane.
    int32_t slices[KINDS], templ_slices[KINDS];
    int32_t of_X, of_S, of_term; // words: of X, Q and T2, of S and T, of an argument of the formula
    int32_t range;               // bits of a sample of the image
    uint64_t limbs;              // a bit for each limb of S and Q that is not 0
    int32_t batch;               // blocks at a time
    int32_t kept;                // pairs of slices of a block whose spectra are there at a time
    int32_t steps;               // of the transforms; those of the template come first
    int32_t templ_steps;
    int32_t group_rows;         // rows of a group, with whose sums windows begin; 0: there are none
    uint64_t seen[KINDS];       // slices that are not 0 in a block with windows in doubt,
    uint64_t templ_seen[KINDS]; // and in the template
    // The template's sums: T of each channel, and T2 of all, in digits of 32 bits that carry
    // nothing; minus T and T2; and its term, if all windows have the same.
    int64_t digits[XNCC_MAX_CHANNELS + 1][XNCC_EXACT_WORDS];
    uint32_t minus_T[XNCC_MAX_CHANNELS][XNCC_EXACT_WORDS];
    uint32_t T2[XNCC_EXACT_WORDS];
    xncc_real templ;
};
static_assert(sizeof(ExactState) <= XNCC_EXACT_STATE, "the decision has less room");

constexpr int THREADS = SPLIT_COLUMN_THREADS;
// S and Q of a window, or of a column, are sums of limbs of the samples and of their squares, with
// their signs, which carry nothing: limbs of 32 bits, whose sums of 2^31 samples are below 2^63.
// Samples of few bits have limbs of SHORT_BITS bits instead, which registers hold: one or two of S
// and one more of Q.
constexpr int LIMBS_S = XNCC_EXACT_WORDS / 2 + 3, LIMBS_Q = XNCC_EXACT_WORDS + 5;
constexpr int SHORT_BITS = 40;
constexpr uint32_t DOUBTS = 1u << 31;             // behind all slices
constexpr int FLAG_SQUARES = 1, FLAG_MISSING = 3; // words of a block's flags
constexpr int FLAG_WORDS = XNCC_EXACT_FLAGS / 4;
constexpr int FINEST = 4096; // minus the unit: a number that grows as samples get finer
constexpr int MOST_KEPT = XNCC_EXACT_KEPT_OF_SUMS; // pairs, of which a sum has two products each

static __device__ ExactState *state_of(const ExactJob &job)
{
    return reinterpret_cast<ExactState *>(job.memory);
}

// Per block: bits of the slices of values that are not 0, and DOUBTS if it has windows in doubt;
// two words of those of the slices of squares; and 1 if a pixel of it does not count.
static __device__ uint32_t *flags_of(const ExactJob &job, int block)
{
    return reinterpret_cast<uint32_t *>(job.memory + job.at.of_block) + FLAG_WORDS * block;
}

static __device__ double2 *turns_in(const ExactJob &job)
{
    return reinterpret_cast<double2 *>(job.memory + job.at.turns);
}

static __device__ int2 start_of(const ExactJob &job, int block)
{
    return make_int2(block % job.across * job.blocks.step_x,
                     block / job.across * job.blocks.step_y);
}

static __device__ int64_t windows_of(const ExactJob &job)
{
    return int64_t{ job.blocks.step_x } * job.blocks.step_y;
}

static __device__ uint32_t pixels_of(const ExactJob &job)
{
    return static_cast<uint32_t>(job.templ.width) * static_cast<uint32_t>(job.templ.height);
}

// Pixels of the template that count.
static __device__ uint32_t counted(const ExactJob &job)
{
    return static_cast<uint32_t>(job.rule.whole);
}

// Whether S and Q are products of planes. Else all pixels of the template count, and S and Q slide.
static __device__ bool is_masked(const ExactJob &job)
{
    return job.mask != nullptr;
}

static __device__ bool has_squares(xncc_method method)
{
    return xncc_method_is_normed(method) || xncc_method_of_difference(method);
}

// Whether all pixels of a block count: the sums of counts are those of the template.
static __device__ bool is_whole(const ExactJob &job, int block)
{
    return !flags_of(job, block)[FLAG_MISSING];
}

static __device__ bool has_doubts(const ExactJob &job, int block)
{
    return (*flags_of(job, block) & DOUBTS) != 0;
}

static __device__ int blocks_at(const ExactJob &job, int first)
{
    return min(state_of(job)->batch, job.count - first);
}

} // namespace xncc

#endif
