// SPDX-License-Identifier: BSD-2-Clause
// The first steps of exact_sums.cu: how many bits the samples have, which blocks have windows in
// doubt, widths, memory, and the sums of the template.
#ifndef XNCC_CUDA_PRODUCTS_EXACT_RANGE_CUH
#define XNCC_CUDA_PRODUCTS_EXACT_RANGE_CUH

#include "cuda/products/exact_direct.cuh"

namespace xncc {

// Over a warp, for all of its lanes.
static __device__ __forceinline__ int most_of_warp(int v)
{
    for (int step = WARP / 2; step > 0; step /= 2)
        v = max(v, __shfl_xor_sync(SPLIT_ALL, v, step));
    return v;
}

static __device__ __forceinline__ uint32_t or_of_warp(uint32_t v)
{
    for (int step = WARP / 2; step > 0; step /= 2)
        v |= __shfl_xor_sync(SPLIT_ALL, v, step);
    return v;
}

// The finest and the largest bit of the band's samples.
static __device__ void find_range(const ExactJob &job, int index)
{
    xncc_grid grid = xncc_grid_empty();
    for (int y = index; y < job.image.rows; y += static_cast<int>(gridDim.x))
        for (int x = static_cast<int>(threadIdx.x); x < job.image.columns; x += THREADS) {
            double v[1];
            load_samples(job, x, y, v);
            if (isfinite(v[0]))
                xncc_grid_add(&grid, v[0]);
        }
    const int finest = grid.top ? FINEST - grid.unit : 0;
    const int most = most_of_warp(finest), top = most_of_warp(grid.top);
    if (threadIdx.x % WARP == 0) {
        atomicMax(&job.constants->finest, most);
        atomicMax(&job.constants->top, top);
    }
}

static __device__ int slices_for(int range, int bits)
{
    return max(1, ceil_div(range, bits));
}

static __device__ int words_for(int bits)
{
    return ceil_div(bits, 32);
}

// The limbs of Q if they are short, or 0. Arguments of the formula have twice as many words then.
static __device__ int short_limbs(const ExactState &s)
{
    for (int limbs = 2; limbs <= 3; limbs++)
        if (s.of_term <= 2 * limbs && 2 * s.range <= limbs * SHORT_BITS)
            return limbs;
    return 0;
}

// Whether all windows together take less time than those in doubt one by one. Nanoseconds, measured
// on one H200, November 2026: of a point in a step, or of X of a window without transforms, and of
// a window's S, Q and score.
static __device__ bool pays(const ExactJob &job, const ExactState &s)
{
    const int limbs = short_limbs(s), pairs = ceil_div(s.slices, 2);
    const double points = static_cast<double>(job.blocks.width) * job.blocks.height * job.count,
                 pixels = static_cast<double>(job.templ.width) * job.templ.height,
                 sums = ceil_div(min(s.slices, 2 * s.kept) + s.templ_slices, 2),
                 steps = 2.0 * (pairs + ceil_div(pairs, s.kept) * sums),
                 of_X = s.limbs_of_X ? 0.05 + 0.0001 * pixels * s.limbs_of_X * s.limbs_of_X
                                     : 0.03 * steps,
                 of_window = limbs == 2   ? 0.15
                             : limbs == 3 ? 0.25
                                          : 0.6,
                 together = points * (of_X + of_window),
                 alone = job.constants->doubts *
                         (XNCC_EXACT_WINDOW_NS + XNCC_EXACT_SAMPLE_NS * pixels);
    return alone > together;
}

// How many blocks there is memory for at a time, with the spectra of so many pairs of slices.
static __device__ int batch_for(const ExactJob &job, const ExactState &s, int kept)
{
    const uint64_t fixed = job.at.arena + ceil_div(s.templ_slices, 2) * job.at.spectrum,
                   each = job.at.transform + kept * job.at.spectrum +
                          s.of_X * 4 * static_cast<uint64_t>(windows_of(job)),
                   batch = fixed < job.blocks.bytes ? (job.blocks.bytes - fixed) / each : 0;
    return static_cast<int>(min(batch, static_cast<uint64_t>(job.count)));
}

// Chooses unit, slices, words and batch, and forgets the doubts if the band will be settled. Keeps
// as many pairs of slices as leave memory for two blocks.
static __device__ void choose(const ExactJob &job)
{
    ExactState &s = *state_of(job);
    FloatConstants &c = *job.constants;
    int unit = c.grid.top ? c.grid.unit : FINEST;
    unit = min(unit, c.finest ? FINEST - c.finest : FINEST);
    const int range = max(c.top - unit, 1), of_templ = max(c.grid.top - unit, 1),
              larger = max(range, of_templ);
    s.unit = unit;
    s.slices = slices_for(range, job.blocks.bits);
    s.templ_slices = slices_for(of_templ, job.blocks.bits);
    s.of_X = words_for(range + of_templ + xncc_long_log2(pixels_of(job)) + 2);
    s.range = range;
    s.limbs_of_X = max(job.templ.width, job.templ.height) <= DIRECT_SIDE ? limbs_for(larger) : 0;
    s.of_term = xncc_long_term_words(larger, pixels_of(job));
    s.kept = s.batch = 0;
    const int pairs = s.limbs_of_X ? 1 : min(MOST_KEPT, ceil_div(s.slices, 2));
    for (int kept = pairs; kept > 0 && s.batch < 2; kept--) {
        const int batch = batch_for(job, s, kept);
        if (batch > s.batch) {
            s.kept = kept;
            s.batch = batch;
        }
    }
    s.on = s.batch > 0 && s.of_term <= XNCC_EXACT_WORDS && s.slices <= XNCC_EXACT_SLICES &&
           s.templ_slices <= XNCC_EXACT_SLICES && pays(job, s);
    s.seen = 0;
    s.limbs = 0;
    if (s.on)
        c.doubts = c.hard = 0;
}

// Adds a sample of the template to its sums, whose words are THREADS apart.
static __device__ void add_to_templ(uint32_t *T, uint32_t *T2, int words, const Integer &v)
{
    xncc_long_put(T, THREADS, words, xncc_u128_of(v.mantissa), v.place, v.negative);
    xncc_long_put(T2, THREADS, words, xncc_u128_of_product(v.mantissa, v.mantissa), 2 * v.place, 0);
}

// The template's own sums and its term. One share. Shared memory: 80 KB.
static __device__ void describe_template(const ExactJob &job)
{
    extern __shared__ __align__(16) unsigned char memory[];
    ExactState &s = *state_of(job);
    const int own = static_cast<int>(threadIdx.x), words = s.of_term;
    uint32_t *T = reinterpret_cast<uint32_t *>(memory) + own, *T2 = T + words * THREADS;
    for (int i = 0; i < words; i++)
        T[i * THREADS] = T2[i * THREADS] = 0;
    for (int i = own; i < job.templ.width * job.templ.height; i += THREADS)
        add_to_templ(
            T, T2, words,
            integer_of(sample_of_template(job, i % job.templ.width, i / job.templ.width), s.unit));
    for (int half = THREADS / 2; half > 0; half /= 2) {
        __syncthreads();
        for (int i = 0; i < words && own < half; i++) {
            xncc_long_add(T, THREADS, words, T[i * THREADS + half], 32 * i);
            xncc_long_add(T2, THREADS, words, T2[i * THREADS + half], 32 * i);
        }
    }
    if (own > 0)
        return;
    for (int i = 0; i < XNCC_EXACT_WORDS; i++) {
        s.minus_T[i] = i < words ? T[i * THREADS] : xncc_long_sign(s.minus_T, words);
        s.T2[i] = i < words ? T2[i * THREADS] : 0;
    }
    uint32_t term[XNCC_EXACT_WORDS] = {}, minus[XNCC_EXACT_WORDS];
    s.templ = xncc_long_term(job.method, pixels_of(job), s.minus_T, s.T2, term, minus, words,
                             2 * (s.unit + XNCC_WIDE_VALUES));
    xncc_long_negate(s.minus_T, XNCC_EXACT_WORDS);
}

// Whether blocks have windows in doubt, and which slices of them are not 0.
static __device__ void flag_blocks(const ExactJob &job, int index)
{
    constexpr int ROWS = 16; // of a piece
    const ExactState &s = *state_of(job);
    const int pieces = job.blocks.height / ROWS;
    for (int64_t piece = index; piece < int64_t{ pieces } * job.count; piece += gridDim.x) {
        const int block = static_cast<int>(piece / pieces),
                  top = static_cast<int>(piece % pieces) * ROWS;
        const int2 start = start_of(job, block);
        uint32_t flags = 0;
        for (int x = static_cast<int>(threadIdx.x); x < job.blocks.width; x += THREADS)
#pragma unroll 4
            for (int y = top; y < top + ROWS; y++) {
                double v[1];
                load_samples(job, start.x + x, start.y + y, v);
                flags |= slices_in(integer_of(v[0], s.unit), s.slices, job.blocks.bits);
                if (x < job.blocks.step_x && y < job.blocks.step_y && start.x + x < job.width &&
                    start.y + y < job.height &&
                    __float_as_uint(job.map[(start.y + y) * job.map_pitch + start.x + x]) ==
                        XNCC_DOUBT)
                    flags |= DOUBTS;
            }
        flags = or_of_warp(flags);
        if (threadIdx.x % WARP == 0)
            atomicOr(flags_of(job) + block, flags);
    }
}

// The slices, and the limbs, that are not 0 in a block with windows in doubt. One share.
static __device__ void join_flags(const ExactJob &job)
{
    ExactState &s = *state_of(job);
    for (int i = static_cast<int>(threadIdx.x); i < job.count; i += THREADS) {
        const uint32_t flags = flags_of(job)[i];
        if (flags & DOUBTS)
            atomicOr(&s.seen, flags & ~DOUBTS);
    }
    __syncthreads();
    if (threadIdx.x)
        return;
    const int bits = job.blocks.bits;
    for (int k = 0; k < XNCC_EXACT_SLICES; k++)
        for (int bit = k * bits; s.seen >> k & 1 && bit < (k + 1) * bits; bit++) {
            // the slices of a sample are marked from its lowest to its highest bit, or one further
            if (xncc_method_is_centred(job.method))
                s.limbs |= uint64_t{ 1 } << bit / 32;
            if (has_squares(job.method))
                s.limbs |= uint64_t{ 1 } << (LIMBS_S + 2 * bit / 32);
        }
}

} // namespace xncc

#endif
