// SPDX-License-Identifier: BSD-2-Clause
// What the parts of exact_sums.cu share: what is known of a call, where its memory is, and how
// samples are integers and slices.
#ifndef XNCC_CUDA_PRODUCTS_EXACT_STATE_CUH
#define XNCC_CUDA_PRODUCTS_EXACT_STATE_CUH

#include "cuda/products/exact_sums.h"

#include "cuda/planes/sample_integer.cuh"
#include "cuda/products/split_passes.cuh"

#include "math/exact_score.h"
#include "math/long_score.h"

namespace xncc {

// What is known of a call, in device memory.
struct ExactState {
    int32_t on;   // 0: nothing is done
    int32_t unit; // samples are integers times 2^unit, counted from the least double
    int32_t slices, templ_slices;
    int32_t of_X, of_term; // words
    int32_t range;         // bits of a sample of the image
    int32_t limbs_of_X;    // of samples, if X is made without transforms; else 0
    uint64_t limbs;        // a bit for each limb of S and Q that is not 0
    int32_t batch;         // blocks at a time
    int32_t kept;          // pairs of slices of a block whose spectra are there at a time
    uint32_t seen;         // slices that are not 0 in a block with windows in doubt
    xncc_real templ;       // the template's term
    uint32_t minus_T[XNCC_EXACT_WORDS], T2[XNCC_EXACT_WORDS];
};
static_assert(sizeof(ExactState) <= XNCC_EXACT_STATE, "the decision has less room");

constexpr int THREADS = SPLIT_COLUMN_THREADS, WARP = 32;
// S and Q of a window, or of a column, are sums of limbs of the samples and of their squares, with
// their signs, which carry nothing: limbs of 32 bits, whose sums of 2^31 samples are below 2^63.
// Samples of few bits have limbs of SHORT_BITS bits instead, which registers hold: one or two of S
// and one more of Q.
constexpr int LIMBS_S = XNCC_EXACT_WORDS / 2 + 3, LIMBS_Q = XNCC_EXACT_WORDS + 5;
constexpr int SHORT_BITS = 40;
constexpr uint32_t DOUBTS = 1u << 31; // behind all slices
constexpr int FINEST = 4096;          // minus the unit: a number that grows as samples get finer
constexpr int MOST_KEPT = 3;          // pairs: a sum of one weight has 6 products at most

static __device__ ExactState *state_of(const ExactJob &job)
{
    return reinterpret_cast<ExactState *>(job.memory);
}

// Per block: a bit for each slice that is not 0, and DOUBTS if it has windows in doubt.
static __device__ uint32_t *flags_of(const ExactJob &job)
{
    return reinterpret_cast<uint32_t *>(job.memory + job.at.of_block);
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

static __device__ bool has_squares(xncc_method method)
{
    return xncc_method_is_normed(method) || xncc_method_of_difference(method);
}

// The parts of the arena.
struct Arena {
    double2 *templ, *data, *spectra; // spectra of the template; transforms of a batch, and spectra
    uint32_t *sums;                  // X: word by word, of all windows of the batch
    int64_t windows;

    __device__ explicit Arena(const ExactJob &job)
    {
        const ExactState &s = *state_of(job);
        unsigned char *at = job.memory + job.at.arena;
        templ = reinterpret_cast<double2 *>(at);
        at += ceil_div(s.templ_slices, 2) * job.at.spectrum;
        data = reinterpret_cast<double2 *>(at);
        at += s.batch * job.at.transform;
        spectra = reinterpret_cast<double2 *>(at);
        at += s.batch * s.kept * job.at.spectrum;
        sums = reinterpret_cast<uint32_t *>(at);
        windows = s.batch * windows_of(job);
    }
};

// The low 64 bits of v * 2^shift; what is shifted out below is left out.
static __device__ uint64_t shifted(uint64_t v, int32_t shift)
{
    return shift >= 64 || shift <= -64 ? 0 : shift >= 0 ? v << shift : v >> -shift;
}

// A sample times 2^-bit, rounded to an integer, without its sign: its low bits.
static __device__ uint32_t rounded(const Integer &v, int bit)
{
    return static_cast<uint32_t>((shifted(v.mantissa, v.place - bit + 1) + 1) >> 1);
}

// Slices low (y) and low + 1 (x) of a sample that has `slices` of them. A slice is the sample
// rounded to its units, less what it is rounded to units of the next one, if there is one; 0 behind
// the last one. It is at most 2^(bits - 1) in size, the last one 2^bits.
static __device__ double2 slices_of(const Integer &v, int low, int slices, int bits)
{
    const uint64_t from = shifted(v.mantissa, v.place - low * bits + 1);
    const auto rounded_to = [&](int next) {
        return static_cast<uint32_t>(((from >> next * bits) + 1) >> 1);
    };
    const uint32_t r[] = { rounded_to(0), rounded_to(1), rounded_to(2) };
    const auto slice = [&](int next) {
        const uint32_t above = low + next + 1 < slices ? r[next + 1] << bits : 0u;
        const double size = static_cast<int32_t>(low + next < slices ? r[next] - above : 0u);
        return v.negative ? -size : size;
    };
    return make_double2(slice(1), slice(0));
}

// A bit for each slice that is not 0.
static __device__ uint32_t slices_in(const Integer &v, int slices, int bits)
{
    if (!v.mantissa)
        return 0;
    const int first = v.place / bits,
              top = (v.place + 63 - __clzll(static_cast<long long>(v.mantissa))) / bits,
              last = top + 1 < slices && rounded(v, (top + 1) * bits) ? top + 1 : top;
    return ((2u << last) - 1u) & (0xffffffffu << first);
}

// A sample of the band; 0 where no window reaches.
static __device__ __noinline__ double sample_of(const ExactJob &job, int x, int y)
{
    const FloatImage &of = job.image;
    if (x >= of.columns || y >= of.rows)
        return 0.0;
    double v = 0.0;
    switch (of.image.pixel) {
    case XNCC_F32: v = float_sample<XNCC_F32>(of, x, y); break;
    case XNCC_F64: v = float_sample<XNCC_F64>(of, x, y); break;
    default: v = float_sample<XNCC_U32>(of, x, y); break;
    }
    return v;
}

// Sample i of a row.
static __device__ __forceinline__ double sample_in(xncc_pixel pixel, const unsigned char *row,
                                                   int64_t i)
{
    return pixel == XNCC_F32   ? xncc_sample_value(XNCC_F32, row, i)
           : pixel == XNCC_F64 ? xncc_sample_value(XNCC_F64, row, i)
                               : xncc_sample_value(XNCC_U32, row, i);
}

// Loads COUNT adjacent samples of the band from (x, y) on.
template <int COUNT>
__device__ __forceinline__ void load_samples(const ExactJob &job, int x, int y, double (&to)[COUNT])
{
    const FloatImage &of = job.image;
    const int64_t left = of.x + x, top = of.y + y;
    if (x + COUNT <= of.columns && y < of.rows && left >= 0 && top >= 0 &&
        left + COUNT <= of.image.width && top < of.image.height) {
        const unsigned char *row = static_cast<const unsigned char *>(of.image.data) +
                                   top * of.image.pitch;
#pragma unroll
        for (int i = 0; i < COUNT; i++)
            to[i] = sample_in(of.image.pixel, row, left + i);
    } else {
#pragma unroll
        for (int i = 0; i < COUNT; i++)
            to[i] = sample_of(job, x + i, y);
    }
}

static __device__ double sample_of_template(const ExactJob &job, int x, int y)
{
    return sample_in(job.image.image.pixel, job.templ.pixels + y * job.templ.pitch, x);
}

// Two slices that are transformed together: `low` and the next one. slot: of its spectrum, among
// those of its block.
struct Pair {
    bool templ;
    int low, slot;
};

// The pairs of slices that are not 0, and the lower slice of one of them.
static __device__ int pairs_in(uint32_t slices)
{
    return __popc((slices | slices >> 1) & 0x55555555u);
}

static __device__ int low_of_pair(uint32_t slices, int number)
{
    uint32_t pairs = (slices | slices >> 1) & 0x55555555u;
    for (; number > 0; number--)
        pairs &= pairs - 1;
    return __ffs(static_cast<int>(pairs)) - 1;
}

// Pairs of the image whose spectra are there together. Products of one weight are added up before
// they are transformed back.
struct Group {
    int first, count; // pairs
};

static __device__ Pair pair_of(const ExactJob &job, const Group &group, int slot)
{
    return { false, low_of_pair(state_of(job)->seen, group.first + slot), slot };
}

static __device__ Group group_of(const ExactJob &job, int number)
{
    const ExactState &s = *state_of(job);
    const int first = number * s.kept;
    return { first, min(s.kept, pairs_in(s.seen) - first) };
}

// The spectrum of a pair of a transform of a batch.
static __device__ double2 *spectrum_of(const ExactJob &job, const Arena &arena, int transform,
                                       int slot)
{
    return arena.spectra + (transform * state_of(job)->kept + slot) *
                               static_cast<int64_t>(job.at.spectrum / sizeof(double2));
}

static __device__ bool has_doubts(const ExactJob &job, int block)
{
    return (flags_of(job)[block] & DOUBTS) != 0;
}

static __device__ bool is_zero(const ExactJob &job, const Pair &pair, int block)
{
    const uint32_t flags = flags_of(job)[block];
    return !(flags & DOUBTS) || ((flags & ~DOUBTS) >> pair.low & 3u) == 0;
}

static __device__ int blocks_at(const ExactJob &job, int first)
{
    return min(state_of(job)->batch, job.count - first);
}

} // namespace xncc

#endif
