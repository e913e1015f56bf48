// SPDX-License-Identifier: BSD-2-Clause
// The first steps of exact_sums.cu: how many bits the samples have, which blocks have windows in
// doubt, widths, memory, and the sums of the template.
#ifndef XNCC_CUDA_PRODUCTS_EXACT_RANGE_CUH
#define XNCC_CUDA_PRODUCTS_EXACT_RANGE_CUH

#include "cuda/products/exact_terms.cuh"
#include "cuda/runtime/warp.cuh"

namespace xncc {

static __device__ bool is_doubt(const ExactJob &job, int x, int y)
{
    return __float_as_uint(job.map[y * job.map_pitch + x]) == XNCC_DOUBT;
}

// The finest and the largest bit of the samples of band and template, whether one is not finite
// that must be, and how many windows are in doubt.
static __device__ void find_range(const ExactJob &job, int index)
{
    const int own = static_cast<int>(threadIdx.x), all = static_cast<int>(gridDim.x);
    ExactWork &work = *job.work;
    xncc_grid grid = xncc_grid_empty(), of_templ = grid;
    uint32_t doubts = 0, bad = 0;
    for (int y = index; y < job.image.rows; y += all)
        for (int x = own; x < job.image.columns; x += THREADS) {
            for (int c = 0; c < job.channels; c++) {
                double v[1];
                load_samples(job, c, x, y, v);
                bad |= job.all_finite && !isfinite(v[0]);
                if (isfinite(v[0]))
                    xncc_grid_add(&grid, v[0]);
            }
            doubts += x < job.width && y < job.height && is_doubt(job, x, y);
        }
    for (int y = index; y < job.templ.height; y += all)
        for (int x = own; x < job.templ.width; x += THREADS)
            for (int c = 0; c < job.channels; c++) {
                const double v = value_of(templ_sample(job, c, x, y));
                bad |= !isfinite(v);
                if (isfinite(v))
                    xncc_grid_add(&of_templ, v);
            }
    const int unit = min(grid.top ? grid.unit : FINEST, of_templ.top ? of_templ.unit : FINEST),
              finest = warp_max(FINEST - unit), top = warp_max(grid.top),
              templ_top = warp_max(of_templ.top);
    bad = warp_or(bad);
    doubts = warp_sum(doubts);
    if (own % WARP_LANES)
        return;
    atomicMax(&work.finest, finest);
    atomicMax(&work.top, top);
    atomicMax(&work.templ_top, templ_top);
    atomicOr(&work.bad, bad);
    atomicAdd(&work.doubts, doubts);
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

// The sums that a column has.
static __device__ int numbers_of_columns(const ExactState &s)
{
    const int limbs = short_limbs(s);
    return limbs ? 2 * limbs - 1 : __popcll(s.limbs);
}

// The rows of windows of a share of the scores, if S and Q slide.
static __device__ int strip_rows(const ExactJob &job, int blocks)
{
    const int each = ceil_div(blocks * job.blocks.step_y, static_cast<int>(gridDim.x));
    return min(max(each, 16), 128);
}

// Rows of a group: the fewest of 16, 32 and 64 whose sums there is memory for. 0 if there is not
// enough, or if the template has fewer than twice the rows of a share of the scores.
static __device__ int group_rows_for(const ExactJob &job)
{
    constexpr int least = 16, most = 64;
    const ExactState &s = *state_of(job);
    if (is_masked(job) || job.templ.height < 2 * strip_rows(job, min(s.batch, job.count)))
        return 0;
    const uint64_t room = static_cast<uint64_t>(s.kept) * job.at.spectrum,
                   row = sizeof(int64_t) * static_cast<uint64_t>(job.blocks.width) *
                         static_cast<uint64_t>(job.channels * numbers_of_columns(s));
    for (int rows = least; rows <= min(most, job.templ.height); rows *= 2)
        if (static_cast<uint64_t>(job.blocks.height / rows) * row <= room)
            return rows;
    return 0;
}

// Whether all windows together take less time than those in doubt one by one. Nanoseconds, measured
// on one H200, November 2026: of a point in a step, and of a window's S, Q and score.
static __device__ bool pays(const ExactJob &job, const ExactState &s)
{
    const int limbs = short_limbs(s);
    // White noise leaves one of 3700 windows in doubt, because sums are rounded.
    constexpr double ROUNDING = 2048.0;
    const double points = static_cast<double>(job.blocks.width) * job.blocks.height * job.count,
                 of_X = 0.03 * (count_steps(job) - count_templ_steps(job)),
                 of_window = limbs == 2   ? 0.15
                             : limbs == 3 ? 0.25
                                          : 0.6,
                 together = points * (of_X + of_window * job.channels), doubts = job.work->doubts,
                 windows = static_cast<double>(job.width) * job.height;
    return doubts * (doubts * ROUNDING < windows ? job.alone_ns : job.hard_ns) > together;
}

// How many blocks there is memory for at a time, with the spectra of so many pairs of slices.
static __device__ int batch_for(const ExactJob &job, int kept)
{
    const uint64_t fixed = job.at.arena + templ_pairs(job) * job.at.spectrum,
                   each = job.at.transform + kept * job.at.spectrum +
                          ExactWords(job).count * 4 * static_cast<uint64_t>(windows_of(job)),
                   batch = fixed < job.blocks.bytes ? (job.blocks.bytes - fixed) / each : 0;
    return static_cast<int>(min(batch, static_cast<uint64_t>(job.count)));
}

// As if no slice were 0.
static __device__ void see_all(ExactState *s)
{
    for (int kind = 0; kind < KINDS; kind++) {
        s->seen[kind] = (uint64_t{ 2 } << (s->slices[kind] - 1)) - 1u;
        s->templ_seen[kind] = (uint64_t{ 2 } << (s->templ_slices[kind] - 1)) - 1u;
    }
}

// Chooses unit, slices, words and batch, and forgets the doubts if the band will be settled. Keeps
// as many pairs of slices as leave memory for two blocks, and for BUSY points.
static __device__ void choose(const ExactJob &job)
{
    constexpr int64_t BUSY = 2 << 20; // keep a device busy
    ExactState &s = *state_of(job);
    const ExactWork &work = *job.work;
    const int bits = job.blocks.bits, unit = work.finest ? FINEST - work.finest : FINEST,
              range = max(work.top - unit, 1), of_templ = max(work.templ_top - unit, 1),
              larger = max(range, of_templ);
    const uint32_t samples = pixels_of(job) * static_cast<uint32_t>(job.channels);
    s.unit = unit;
    const auto slices = [bits](int of, int32_t *to) {
        to[kind_of(FloatPlane::VALUE)] = slices_for(of, bits);
        to[kind_of(FloatPlane::SQUARE)] = slices_for(2 * of, bits);
        to[kind_of(FloatPlane::COUNT)] = 1;
    };
    slices(range, s.slices);
    slices(of_templ, s.templ_slices);
    s.range = range;
    s.of_X = words_for((is_masked(job) || job.varies ? 2 * larger : range + of_templ) +
                       xncc_long_log2(samples) + 2);
    s.of_S = words_for(larger + xncc_long_log2(pixels_of(job)) + 2);
    s.of_term = xncc_long_term_words(larger, samples);
    const int value = kind_of(FloatPlane::VALUE), square = kind_of(FloatPlane::SQUARE);
    s.on = s.of_term <= XNCC_EXACT_WORDS && s.slices[value] <= XNCC_EXACT_SLICES &&
           s.templ_slices[value] <= XNCC_EXACT_SLICES && !work.bad &&
           (!job.bad || *job.bad <= XNCC_FLOAT_BAD);
    s.kept = s.batch = 0;
    if (!s.on)
        return;
    const int most = max(job.channels * s.slices[value], is_masked(job) ? s.slices[square] : 0),
              pairs = min(job.blocks.kept, ceil_div(most, 2)),
              busy = min(job.count,
                         static_cast<int>(
                             BUSY / (static_cast<int64_t>(job.blocks.width) * job.blocks.height)));
    for (int kept = pairs; kept > 0 && s.batch < max(busy, 2); kept--) {
        const int batch = batch_for(job, kept);
        if (batch > s.batch) {
            s.kept = kept;
            s.batch = batch;
        }
    }
    see_all(&s);
    s.on = s.batch > 0 && count_steps(job) <= XNCC_EXACT_STEPS && pays(job, s);
    for (int kind = 0; kind < KINDS; kind++)
        s.seen[kind] = s.templ_seen[kind] = kind == kind_of(FloatPlane::COUNT);
    s.limbs = 0;
    if (!s.on)
        return;
    *job.doubts = 0;
    if (job.hard)
        *job.hard = 0;
}

// Adds bits to a set.
static __device__ void join_bits(uint64_t *to, uint64_t more)
{
    atomicOr(reinterpret_cast<unsigned long long *>(to), more);
}

// Adds a share of the template to its sums, and marks its slices that are not 0. Shared memory: 11
// KB at most.
static __device__ void sum_template(const ExactJob &job, int index)
{
    extern __shared__ __align__(16) unsigned char memory[];
    ExactState &s = *state_of(job);
    int64_t *digits = reinterpret_cast<int64_t *>(memory);
    const int own = static_cast<int>(threadIdx.x), all = (job.channels + 1) * XNCC_EXACT_WORDS;
    if (index >= job.templ.height)
        return;
    constexpr int BEHIND = 4; // which products of large samples reach with zeros
    for (int i = own; i < all + BEHIND; i += THREADS)
        digits[i] = 0;
    __syncthreads();
    const int bits = job.blocks.bits;
    uint64_t values = 0, squares = 0;
    for (int y = index; y < job.templ.height; y += static_cast<int>(gridDim.x))
        for (int x = own; x < job.templ.width; x += THREADS)
            for (int c = 0; c < job.channels; c++) {
                const Integer v = integer_of(value_of(templ_sample(job, c, x, y)), s.unit);
                if (!v.mantissa)
                    continue;
                values |= slices_in(v.mantissa, v.place, s.templ_slices[kind_of(FloatPlane::VALUE)],
                                    bits);
                squares |= slices_in(square_of(v), 2 * v.place,
                                     s.templ_slices[kind_of(FloatPlane::SQUARE)], bits);
                xncc_wide_put(digits + c * XNCC_EXACT_WORDS, xncc_u128_of(v.mantissa), v.place,
                              v.negative);
                xncc_wide_put(digits + job.channels * XNCC_EXACT_WORDS, square_of(v), 2 * v.place,
                              0);
            }
    if (values) {
        join_bits(&s.templ_seen[kind_of(FloatPlane::VALUE)], values);
        join_bits(&s.templ_seen[kind_of(FloatPlane::SQUARE)], squares);
    }
    __syncthreads();
    for (int i = own; i < all; i += THREADS) {
        const int sum = i / XNCC_EXACT_WORDS;
        if (digits[i])
            xncc_wide_add_digit(
                &s.digits[sum < job.channels ? sum : XNCC_MAX_CHANNELS][i % XNCC_EXACT_WORDS],
                digits[i]);
    }
    __syncthreads(); // the shared memory has been read
}

// The words of a number of digits.
static __device__ void carry_digits(const int64_t *digits, uint32_t *to)
{
    int64_t carry = 0;
    for (int i = 0; i < XNCC_EXACT_WORDS; i++) {
        carry += digits[i];
        to[i] = static_cast<uint32_t>(carry);
        carry >>= 32;
    }
}

// The template's own sums as they are used, and its term. One thread.
static __device__ void describe_template(const ExactJob &job)
{
    ExactState &s = *state_of(job);
    const bool centred = xncc_method_is_centred(job.method);
    uint32_t term[XNCC_EXACT_WORDS] = {}, sum[XNCC_EXACT_WORDS], minus[XNCC_EXACT_WORDS];
    for (int c = 0; c < job.channels; c++) {
        carry_digits(s.digits[c], sum);
        if (centred)
            xncc_long_subtract_product(term, s.of_term, sum, sum, minus);
        xncc_long_negate(sum, XNCC_EXACT_WORDS);
        for (int i = 0; i < XNCC_EXACT_WORDS; i++)
            s.minus_T[c][i] = sum[i];
    }
    carry_digits(s.digits[XNCC_MAX_CHANNELS], sum);
    for (int i = 0; i < XNCC_EXACT_WORDS; i++)
        s.T2[i] = sum[i];
    xncc_long_add_multiple(term, s.of_term, centred ? counted(job) : 1, sum);
    s.templ = xncc_long_round(term, s.of_term, 2 * (s.unit + XNCC_WIDE_VALUES));
}

// Whether blocks have windows in doubt, and which slices of them are not 0.
static __device__ void flag_blocks(const ExactJob &job, int index)
{
    constexpr int ROWS = 16; // of a piece
    const ExactState &s = *state_of(job);
    const int pieces = job.blocks.height / ROWS, bits = job.blocks.bits;
    for (int64_t piece = index; piece < int64_t{ pieces } * job.count; piece += gridDim.x) {
        const int block = static_cast<int>(piece / pieces),
                  top = static_cast<int>(piece % pieces) * ROWS;
        const int2 start = start_of(job, block);
        uint32_t flags = 0, missing = 0;
        uint64_t squares = 0;
        for (int x = static_cast<int>(threadIdx.x); x < job.blocks.width; x += THREADS) {
            const int column = start.x + x;
            for (int c = 0; c < job.channels; c++)
#pragma unroll 4
                for (int y = top; y < top + ROWS; y++) {
                    double v[1];
                    if (job.varies) {
                        const Counted sample = image_sample(job, c, column, start.y + y);
                        missing |= !sample.counts && column < job.image.columns &&
                                   start.y + y < job.image.rows;
                        v[0] = value_of(sample);
                    } else {
                        load_samples(job, c, column, start.y + y, v);
                    }
                    const Integer of = integer_of(v[0], s.unit);
                    if (!of.mantissa)
                        continue;
                    flags |= static_cast<uint32_t>(slices_in(
                        of.mantissa, of.place, s.slices[kind_of(FloatPlane::VALUE)], bits));
                    if (is_masked(job))
                        squares |= slices_in(square_of(of), 2 * of.place,
                                             s.slices[kind_of(FloatPlane::SQUARE)], bits);
                }
#pragma unroll 4
            for (int y = top; y < min(top + ROWS, job.blocks.step_y); y++)
                if (x < job.blocks.step_x && column < job.width && start.y + y < job.height &&
                    is_doubt(job, column, start.y + y))
                    flags |= DOUBTS;
        }
        const uint32_t word[FLAG_WORDS] = { flags, static_cast<uint32_t>(squares),
                                            static_cast<uint32_t>(squares >> 32), missing };
        for (int i = 0; i < FLAG_WORDS; i++) {
            const uint32_t all = warp_or(word[i]);
            if (threadIdx.x % WARP_LANES == 0 && all)
                atomicOr(flags_of(job, block) + i, all);
        }
    }
}

// The slices, and the limbs, that are not 0 in a block with windows in doubt. One share.
static __device__ void join_flags(const ExactJob &job)
{
    ExactState &s = *state_of(job);
    uint64_t &values = s.seen[kind_of(FloatPlane::VALUE)],
             &squares = s.seen[kind_of(FloatPlane::SQUARE)];
    for (int i = static_cast<int>(threadIdx.x); i < job.count; i += THREADS) {
        if (!has_doubts(job, i))
            continue;
        const uint32_t *flags = flags_of(job, i);
        join_bits(&values, flags[0] & ~DOUBTS);
        join_bits(&squares, uint64_t{ flags[FLAG_SQUARES + 1] } << 32 | flags[FLAG_SQUARES]);
    }
    __syncthreads();
    if (threadIdx.x)
        return;
    s.steps = count_steps(job);
    if (s.steps > XNCC_EXACT_STEPS) { // groups of pairs of several channels may have more weights
        see_all(&s);
        s.steps = count_steps(job);
    }
    s.templ_steps = count_templ_steps(job);
    const int bits = job.blocks.bits;
    const auto mark = [&s](int first, int last, int base) {
        for (int limb = first / 32; limb <= last / 32; limb++)
            s.limbs |= uint64_t{ 1 } << (base + limb);
    };
    // the slices of a sample are marked from its lowest to its highest bit, or one further
    for (int k = 0; k < XNCC_EXACT_SLICES; k++) {
        const int low = k * bits, high = low + bits - 1;
        if (values >> k & 1 && xncc_method_is_centred(job.method))
            mark(low, high, 0);
        if (values >> k & 1 && has_squares(job.method))
            mark(2 * low, 2 * high, LIMBS_S);
    }
    s.group_rows = group_rows_for(job);
    describe_template(job);
}

} // namespace xncc

#endif
