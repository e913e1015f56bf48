// SPDX-License-Identifier: BSD-2-Clause
// Which products exact_sums.cu makes: of planes of image and template (plan/float_sums.h), slice by
// slice, and where the sums are.
#ifndef XNCC_CUDA_PRODUCTS_EXACT_PLANES_CUH
#define XNCC_CUDA_PRODUCTS_EXACT_PLANES_CUH

#include "cuda/products/exact_samples.cuh"

namespace xncc {

// Where the words of a window's sums are; each word of all windows of a batch is adjacent. X, Q and
// T2 are sums over all channels. S and Q are there if they are products. If they slide, and there
// are several channels, their place is that of what the channels so far have of the formula's
// arguments: the numerator, and the image's term.
struct ExactWords {
    int X, Q, S, numerator, image, T2, N, T; // S and T of the first channel; those of others follow
    int count;

    __device__ explicit ExactWords(const ExactJob &job)
    {
        const ExactState &s = *state_of(job);
        X = 0;
        Q = numerator = s.of_X;
        S = 2 * s.of_X;
        image = numerator + s.of_term;
        T2 = is_masked(job)     ? S + job.channels * s.of_S
             : job.channels > 1 ? image + s.of_term
                                : s.of_X;
        N = T2 + s.of_X;
        T = N + 1;
        count = job.varies ? T + job.channels * s.of_S : T2;
    }
};

// Planes of the image of one kind, whose products are made together: of a channel, or of all, whose
// products are added up.
struct PlaneSet {
    FloatPlane kind;
    int channel, channels;
};

static __device__ int sets_in(const ExactJob &job)
{
    return (is_masked(job) ? 2 * job.channels : 1) + job.varies;
}

static __device__ PlaneSet set_of(const ExactJob &job, int number)
{
    if (job.varies && number == sets_in(job) - 1)
        return { FloatPlane::COUNT, 0, 1 };
    if (!is_masked(job))
        return { FloatPlane::VALUE, 0, job.channels };
    return { number % 2 ? FloatPlane::SQUARE : FloatPlane::VALUE, number / 2, 1 };
}

// What the planes of a set are multiplied by, and the first word of the sums.
struct PlaneProduct {
    FloatPlane templ;
    int channel; // of the template; -1: that of the image
    int words;
    int of_sum; // words of a sum
};

// The products of a set.
static __device__ int products_of(const ExactJob &job, const PlaneSet &set)
{
    const int centred = xncc_method_is_centred(job.method) != 0, squares = has_squares(job.method);
    return set.kind == FloatPlane::SQUARE  ? squares
           : set.kind == FloatPlane::COUNT ? 1 + job.channels * (centred + squares)
                                           : 1 + (is_masked(job) && centred);
}

static __device__ PlaneProduct product_of(const ExactJob &job, const PlaneSet &set, int number)
{
    const ExactState &s = *state_of(job);
    const ExactWords at(job);
    const int with_T = xncc_method_is_centred(job.method) ? job.channels : 0;
    if (set.kind == FloatPlane::SQUARE)
        return { FloatPlane::COUNT, 0, at.Q, s.of_X };
    if (set.kind == FloatPlane::VALUE)
        return number == 0
                   ? PlaneProduct{ FloatPlane::VALUE, -1, at.X, s.of_X }
                   : PlaneProduct{ FloatPlane::COUNT, 0, at.S + set.channel * s.of_S, s.of_S };
    if (number == 0)
        return { FloatPlane::COUNT, 0, at.N, 1 };
    const int channel = number - 1;
    return channel < with_T
               ? PlaneProduct{ FloatPlane::VALUE, channel, at.T + channel * s.of_S, s.of_S }
               : PlaneProduct{ FloatPlane::SQUARE, channel - with_T, at.T2, s.of_X };
}

static __device__ int kind_of(FloatPlane plane)
{
    return static_cast<int>(plane);
}

// Two slices of a plane that are transformed together: `low` and the next one. slot: of its
// spectrum, among those of its block, or of the template.
struct Pair {
    bool templ;
    FloatPlane kind;
    int channel, low, slot;
};

// The pairs of slices that are not 0, and the lower slice of one of them.
static __device__ uint64_t low_slices(uint64_t slices)
{
    return (slices | slices >> 1) & 0x5555555555555555u;
}

static __device__ int pairs_in(uint64_t slices)
{
    return __popcll(low_slices(slices));
}

static __device__ int low_of_pair(uint64_t slices, int number)
{
    uint64_t pairs = low_slices(slices);
    for (; number > 0; number--)
        pairs &= pairs - 1;
    return __ffsll(static_cast<long long>(pairs)) - 1;
}

// Pairs of a set whose spectra are there together. Products of one weight are added up before they
// are transformed back.
struct Group {
    PlaneSet set;
    int first, count; // pairs
};

static __device__ int pairs_of(const ExactJob &job, const PlaneSet &set)
{
    return set.channels * pairs_in(state_of(job)->seen[kind_of(set.kind)]);
}

static __device__ Group group_of(const ExactJob &job, const PlaneSet &set, int number)
{
    const int kept = state_of(job)->kept, first = number * kept;
    return { set, first, min(kept, pairs_of(job, set) - first) };
}

static __device__ Pair pair_of(const ExactJob &job, const Group &group, int slot)
{
    const uint64_t seen = state_of(job)->seen[kind_of(group.set.kind)];
    const int each = pairs_in(seen), number = group.first + slot;
    return { false, group.set.kind, group.set.channel + number / each,
             low_of_pair(seen, number % each), slot };
}

// The pairs of the template: those of VALUE of all channels, that of COUNT, and those of SQUARE.
static __device__ int templ_pairs(const ExactJob &job, FloatPlane kind)
{
    return ceil_div(state_of(job)->templ_slices[kind_of(kind)], 2);
}

static __device__ int templ_pairs(const ExactJob &job)
{
    return job.channels * templ_pairs(job, FloatPlane::VALUE) + (is_masked(job) || job.varies) +
           (job.varies ? job.channels * templ_pairs(job, FloatPlane::SQUARE) : 0);
}

// The number of the first pair of a plane.
static __device__ int templ_pair_at(const ExactJob &job, FloatPlane kind, int channel)
{
    const int values = job.channels * templ_pairs(job, FloatPlane::VALUE);
    return kind == FloatPlane::VALUE   ? channel * templ_pairs(job, kind)
           : kind == FloatPlane::COUNT ? values
                                       : values + 1 + channel * templ_pairs(job, kind);
}

static __device__ Pair templ_pair_of(const ExactJob &job, int number)
{
    const int values = job.channels * templ_pairs(job, FloatPlane::VALUE);
    const FloatPlane kind = number < values    ? FloatPlane::VALUE
                            : number == values ? FloatPlane::COUNT
                                               : FloatPlane::SQUARE;
    const int of_kind = number - templ_pair_at(job, kind, 0), each = templ_pairs(job, kind);
    return { true, kind, of_kind / each, of_kind % each * 2, number };
}

// The parts of the arena.
struct Arena {
    double2 *templ, *data, *spectra; // spectra of the template; transforms of a batch, and spectra
    uint32_t *sums;                  // word by word, of all windows of the batch
    int64_t windows;

    __device__ explicit Arena(const ExactJob &job)
    {
        const ExactState &s = *state_of(job);
        unsigned char *at = job.memory + job.at.arena;
        templ = reinterpret_cast<double2 *>(at);
        at += templ_pairs(job) * job.at.spectrum;
        data = reinterpret_cast<double2 *>(at);
        at += s.batch * job.at.transform;
        spectra = reinterpret_cast<double2 *>(at);
        at += s.batch * s.kept * job.at.spectrum;
        sums = reinterpret_cast<uint32_t *>(at);
        windows = s.batch * windows_of(job);
    }
};

// The spectrum of a pair of a transform of a batch.
static __device__ double2 *spectrum_of(const ExactJob &job, const Arena &arena, int transform,
                                       int slot)
{
    return arena.spectra + (transform * state_of(job)->kept + slot) *
                               static_cast<int64_t>(job.at.spectrum / sizeof(double2));
}

// Whether the spectrum of a pair of a block is not needed: it is 0, or the block has no windows in
// doubt, or of what counts all does.
static __device__ bool is_idle(const ExactJob &job, const Pair &pair, int block)
{
    const uint32_t *flags = flags_of(job, block);
    const uint64_t squares = uint64_t{ flags[FLAG_SQUARES + 1] } << 32 | flags[FLAG_SQUARES],
                   slices = pair.kind == FloatPlane::VALUE    ? flags[0] & ~DOUBTS
                            : pair.kind == FloatPlane::SQUARE ? squares
                                                              : !is_whole(job, block);
    return !(flags[0] & DOUBTS) || (slices >> pair.low & 3u) == 0;
}

// A bit for each two weights, 2 k and 2 k + 1, that products of a pair with a plane of the template
// have.
static __device__ uint32_t weights_of(const ExactJob &job, const Pair &pair,
                                      const PlaneProduct &product)
{
    const ExactState &s = *state_of(job);
    const uint64_t seen = s.seen[kind_of(pair.kind)] >> pair.low,
                   templ = s.templ_seen[kind_of(product.templ)] << pair.low,
                   weights = (seen & 1u ? templ : 0u) | (seen & 2u ? templ << 1 : 0u);
    uint32_t of = 0;
    for (int k = 0; k < 32; k++)
        of |= weights >> 2 * k & 3u ? 1u << k : 0u;
    return of;
}

// A step of the transforms: rows or columns of a pair forward; or products, of weight `weight` and
// the next one, of all pairs that have some, or their way back.
struct PairStep {
    enum { ROWS, COLUMNS, MULTIPLY, ADD, NONE } what;
    int count;
    Pair pair[MOST_KEPT];
    PlaneProduct product;
    int weight;
};
static_assert(sizeof(PairStep) <= XNCC_EXACT_STEP, "the decision has less room");

static __device__ PairStep *steps_in(const ExactJob &job)
{
    return reinterpret_cast<PairStep *>(job.memory + job.at.steps);
}

// The step for lower weight number `number` of a product of a group, or NONE if there are fewer,
// which *number is reduced by.
static __device__ PairStep step_of_product(const ExactJob &job, const Group &group,
                                           const PlaneProduct &product, int *number)
{
    uint32_t all = 0, of[MOST_KEPT] = {};
    for (int slot = 0; slot < group.count; slot++)
        all |= of[slot] = weights_of(job, pair_of(job, group, slot), product);
    PairStep step = { PairStep::NONE };
    const int steps = 2 * __popc(all);
    if (*number >= steps) {
        *number -= steps;
        return step;
    }
    step.what = *number % 2 ? PairStep::ADD : PairStep::MULTIPLY;
    step.product = product;
    for (int k = 0; k < *number / 2; k++)
        all &= all - 1;
    const int half = __ffs(static_cast<int>(all)) - 1;
    step.weight = 2 * half;
    for (int slot = 0; slot < group.count; slot++)
        if (of[slot] >> half & 1u)
            step.pair[step.count++] = pair_of(job, group, slot);
    return step;
}

static __device__ int count_templ_steps(const ExactJob &job)
{
    return 2 * templ_pairs(job);
}

// Step `*number`, or NONE if there are fewer, which *number is reduced by: rows and columns of the
// pairs of the template; and of each group of pairs of the image rows and columns, and then two
// steps for two weights of each product.
static __device__ PairStep find_step(const ExactJob &job, int *number)
{
    const int of_templ = count_templ_steps(job);
    if (*number < of_templ)
        return { *number % 2 ? PairStep::COLUMNS : PairStep::ROWS,
                 1,
                 { templ_pair_of(job, *number / 2) } };
    *number -= of_templ;
    for (int i = 0; i < sets_in(job); i++) {
        const PlaneSet set = set_of(job, i);
        const int products = products_of(job, set),
                  groups = products ? ceil_div(pairs_of(job, set), state_of(job)->kept) : 0;
        for (int g = 0; g < groups; g++) {
            const Group group = group_of(job, set, g);
            if (*number < 2 * group.count)
                return { *number % 2 ? PairStep::COLUMNS : PairStep::ROWS,
                         1,
                         { pair_of(job, group, *number / 2) } };
            *number -= 2 * group.count;
            for (int p = 0; p < products; p++) {
                const PairStep step = step_of_product(job, group, product_of(job, set, p), number);
                if (step.what != PairStep::NONE)
                    return step;
            }
        }
    }
    return { PairStep::NONE };
}

// How many steps there are.
static __device__ int count_steps(const ExactJob &job)
{
    int rest = INT32_MAX;
    (void)find_step(job, &rest);
    return INT32_MAX - rest;
}

// Lists the steps. One share.
static __device__ void list_steps(const ExactJob &job)
{
    for (int i = static_cast<int>(threadIdx.x); i < state_of(job)->steps; i += THREADS) {
        int number = i;
        steps_in(job)[i] = find_step(job, &number);
    }
}

} // namespace xncc

#endif
