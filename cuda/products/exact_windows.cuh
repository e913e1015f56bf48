// SPDX-License-Identifier: BSD-2-Clause
// The last step of exact_sums.cu: S and Q of the windows, and the scores of those in doubt.
#ifndef XNCC_CUDA_PRODUCTS_EXACT_WINDOWS_CUH
#define XNCC_CUDA_PRODUCTS_EXACT_WINDOWS_CUH

#include "cuda/products/exact_terms.cuh"
#include "cuda/runtime/warp.cuh"

namespace xncc {

// S and Q of a column whose samples have few bits: limbs of S, and one more of Q.
template <int LIMBS> struct ShortColumn {
    static constexpr int OF_S = LIMBS - 1, NUMBERS = OF_S + LIMBS;
    int64_t limb[NUMBERS];

    __device__ __forceinline__ void add(double v, bool minus, int32_t unit)
    {
        const Integer of = integer_of(v, unit);
        const uint64_t size = of.mantissa << of.place;
        const xncc_u128 square = xncc_u128_of_product(size, size);
#pragma unroll
        for (int k = 0; k < NUMBERS; k++) {
            const bool of_S = k < OF_S;
            const int64_t part = limb_of(of_S ? xncc_u128_of(size) : square, of_S ? k : k - OF_S);
            limb[k] += (of_S && of.negative) != minus ? -part : part;
        }
    }
    static __device__ __forceinline__ int64_t limb_of(xncc_u128 v, int k)
    {
        const int bit = SHORT_BITS * k;
        const uint64_t from = bit == 0   ? v.low
                              : bit < 64 ? v.low >> bit | v.high << (64 - bit)
                                         : v.high >> (bit - 64);
        return static_cast<int64_t>(from & ((uint64_t{ 1 } << SHORT_BITS) - 1));
    }
};

// S and Q of a thread's columns: limb l, of those that are not 0, of column e is at (l EACH + e)
// `step`. In shared memory if there is room.
struct LongColumns {
    static constexpr int GROUP = 4; // limbs that are summed together
    int64_t *at;
    int step;
    uint64_t limbs;

    __device__ int number(int limb) const // among the limbs that are not 0
    {
        return __popcll(limbs & ((uint64_t{ 1 } << limb) - 1));
    }
    // Adds v * 2^(bit of the limb), v of 128 bits less the shift, to a column, or subtracts it.
    template <int EACH>
    __device__ __forceinline__ void put(int e, int limb, xncc_u128 v, int shift, bool minus)
    {
        const xncc_u128 moved = xncc_u128_shift(v, shift);
        const uint64_t part[5] = { moved.low & 0xffffffffu, moved.low >> 32,
                                   moved.high & 0xffffffffu, moved.high >> 32,
                                   shift ? v.high >> (64 - shift) : 0 };
        int64_t *to = at + (number(limb) * EACH + e) * step;
#pragma unroll
        for (int k = 0; k < 5; k++, to += EACH * step)
            if (part[k])
                *to += minus ? -static_cast<int64_t>(part[k]) : static_cast<int64_t>(part[k]);
    }
    template <int EACH>
    __device__ __noinline__ void add(int e, double v, bool minus, const ExactJob &job, int32_t unit)
    {
        const Integer of = integer_of(v, unit);
        if (!of.mantissa)
            return;
        if (xncc_method_is_centred(job.method))
            put<EACH>(e, of.place >> 5, xncc_u128_of(of.mantissa), of.place & 31,
                      of.negative != minus);
        if (has_squares(job.method))
            put<EACH>(e, LIMBS_S + (2 * of.place >> 5),
                      xncc_u128_of_product(of.mantissa, of.mantissa), 2 * of.place & 31, minus);
    }
};

// Prefix sums over the columns of a block, of GROUP limbs at a time: thread t has EACH adjacent
// columns. Shared memory: GROUP times the columns and 1, and GROUP per warp.
template <int EACH, int GROUP> struct ColumnScan {
    static constexpr int PITCH = THREADS * EACH + 1, WARPS = THREADS / WARP_LANES,
                         NUMBERS = GROUP * (PITCH + WARPS);

    static __device__ int64_t *sums() // of the columns before x, at PITCH * limb + x
    {
        extern __shared__ __align__(16) unsigned char memory[];
        return reinterpret_cast<int64_t *>(memory);
    }
    static __device__ __forceinline__ void make(const int64_t (&column)[GROUP][EACH])
    {
        int64_t *of_warp = sums() + GROUP * PITCH;
        const int own = static_cast<int>(threadIdx.x), lane = own % WARP_LANES,
                  warp = own / WARP_LANES;
        int64_t mine[GROUP], until[GROUP];
#pragma unroll
        for (int g = 0; g < GROUP; g++) {
            mine[g] = 0;
#pragma unroll
            for (int e = 0; e < EACH; e++)
                mine[g] += column[g][e];
            until[g] = mine[g];
        }
#pragma unroll
        for (int step = 1; step < WARP_LANES; step *= 2)
#pragma unroll
            for (int g = 0; g < GROUP; g++) {
                const int64_t before = __shfl_up_sync(WARP_ALL, until[g], step);
                until[g] += lane >= step ? before : 0;
            }
        __syncthreads(); // the group before has been read
#pragma unroll
        for (int g = 0; g < GROUP; g++)
            if (lane == WARP_LANES - 1)
                of_warp[g * WARPS + warp] = until[g];
        __syncthreads();
#pragma unroll
        for (int g = 0; g < GROUP; g++) {
            int64_t before = lane < warp ? of_warp[g * WARPS + lane] : 0;
#pragma unroll
            for (int step = WARP_LANES / 2; step > 0; step /= 2)
                before += __shfl_xor_sync(WARP_ALL, before, step);
            before += until[g] - mine[g];
            int64_t *to = sums() + g * PITCH + own * EACH;
#pragma unroll
            for (int e = 0; e < EACH; e++) {
                to[e] = before;
                before += column[g][e];
            }
            if (own == THREADS - 1)
                to[EACH] = before;
        }
        __syncthreads();
    }
    // The sum of `width` columns from x on.
    static __device__ __forceinline__ int64_t window(int g, int x, int width)
    {
        return sums()[g * PITCH + x + width] - sums()[g * PITCH + x];
    }
};

// S and Q of a thread's windows, those of columns own, own + THREADS, ..., in words.
template <int EACH, int WORDS> struct WindowWords {
    uint32_t S[EACH][WORDS], Q[EACH][WORDS];

    __device__ static int column_of(int e, int columns)
    {
        return min(static_cast<int>(threadIdx.x) + e * THREADS, columns - 1);
    }
    template <int LIMBS>
    __device__ __forceinline__ void make(const ShortColumn<LIMBS> (&column)[EACH], int columns,
                                         int width)
    {
        using Column = ShortColumn<LIMBS>;
        using Scan = ColumnScan<EACH, Column::NUMBERS>;
        int64_t in[Column::NUMBERS][EACH];
#pragma unroll
        for (int e = 0; e < EACH; e++)
#pragma unroll
            for (int k = 0; k < Column::NUMBERS; k++)
                in[k][e] = column[e].limb[k];
        Scan::make(in);
#pragma unroll
        for (int e = 0; e < EACH; e++) {
            const int x = column_of(e, columns);
#pragma unroll
            for (int i = 0; i < WORDS; i++)
                S[e][i] = Q[e][i] = 0;
#pragma unroll
            for (int k = 0; k < Column::NUMBERS; k++) {
                const bool of_S = k < Column::OF_S;
                xncc_long_add(of_S ? S[e] : Q[e], 1, WORDS, Scan::window(k, x, width),
                              SHORT_BITS * (of_S ? k : k - Column::OF_S));
            }
        }
    }
    // words: of an argument of the formula
    __device__ __forceinline__ void make(const LongColumns &column, int columns, int width,
                                         int words)
    {
        constexpr int GROUP = LongColumns::GROUP;
        using Scan = ColumnScan<EACH, GROUP>;
        int64_t carry[EACH] = {};
        int next = 0; // word, of S first and then of Q at LIMBS_S
        const auto emit = [&](int until) {
            for (; next < until; next++)
#pragma unroll
                for (int e = 0; e < EACH; e++) {
                    (next < LIMBS_S ? S[e][next]
                                    : Q[e][next - LIMBS_S]) = static_cast<uint32_t>(carry[e]);
                    carry[e] >>= 32;
                }
        };
        int from = 0;
        for (uint64_t limbs = column.limbs; limbs; from += GROUP) {
            int64_t in[GROUP][EACH];
            const uint64_t first = limbs;
#pragma unroll
            for (int g = 0; g < GROUP; g++) {
#pragma unroll
                for (int e = 0; e < EACH; e++)
                    in[g][e] = limbs ? column.at[((from + g) * EACH + e) * column.step] : 0;
                limbs &= limbs - 1;
            }
            Scan::make(in);
            uint64_t left = first;
#pragma unroll
            for (int g = 0; g < GROUP; g++) {
                if (left) {
                    const int limb = __ffsll(static_cast<long long>(left)) - 1;
                    if (next < LIMBS_S && limb >= LIMBS_S)
                        emit_rest(carry, &next, words);
                    emit(limb);
#pragma unroll
                    for (int e = 0; e < EACH; e++)
                        carry[e] += Scan::window(g, column_of(e, columns), width);
                }
                left &= left - 1;
            }
        }
        if (next < LIMBS_S)
            emit_rest(carry, &next, words);
        emit(LIMBS_S + words);
    }
    // The words of S behind its limbs.
    __device__ __forceinline__ void emit_rest(int64_t (&carry)[EACH], int *next, int words)
    {
#pragma unroll
        for (int e = 0; e < EACH; e++) {
            for (int i = *next; i < words; i++) {
                S[e][i] = static_cast<uint32_t>(carry[e]);
                carry[e] >>= 32;
            }
            carry[e] = 0;
        }
        *next = LIMBS_S;
    }
};

// Samples of EACH adjacent columns of a thread, in a row of a block.
template <int EACH> struct RowSamples {
    double v[EACH];

    __device__ __forceinline__ void load(const ExactJob &job, int channel, int2 start, int y)
    {
        load_samples(job, channel, start.x + static_cast<int>(threadIdx.x) * EACH, start.y + y, v);
    }
};

// The columns of a thread, in registers; LIMBS 0: LongColumns. Shared memory: of ColumnScan, and
// that of the long columns.
template <int LIMBS, int EACH> struct Columns {
    ShortColumn<LIMBS> of[EACH] = {};

    __device__ explicit Columns(const ExactJob &)
    {
    }
    __device__ __forceinline__ int64_t *sum(int number, int e)
    {
        return &of[e].limb[number];
    }
    __device__ __forceinline__ void add(const RowSamples<EACH> &row, bool minus, const ExactJob &,
                                        int32_t unit)
    {
#pragma unroll
        for (int e = 0; e < EACH; e++)
            of[e].add(row.v[e], minus, unit);
    }
    template <int WORDS>
    __device__ __forceinline__ void windows(WindowWords<EACH, WORDS> *to, int columns, int width,
                                            int) const
    {
        to->make(of, columns, width);
    }
};

template <int EACH> struct Columns<0, EACH> {
    int64_t local[(LIMBS_S + LIMBS_Q) * EACH];
    LongColumns of;

    __device__ explicit Columns(const ExactJob &job)
    {
        extern __shared__ __align__(16) unsigned char memory[];
        of.limbs = state_of(job)->limbs;
        const int numbers = __popcll(of.limbs) * EACH;
        constexpr int OF_SCAN = ColumnScan<EACH, LongColumns::GROUP>::NUMBERS;
        int64_t *shared = reinterpret_cast<int64_t *>(memory) + OF_SCAN;
        const bool fits = (OF_SCAN + numbers * THREADS) * sizeof(int64_t) <= XNCC_SPLIT_SHARED;
        of.at = fits ? shared + threadIdx.x : local;
        of.step = fits ? THREADS : 1;
        for (int i = 0; i < numbers; i++)
            of.at[i * of.step] = 0;
    }
    __device__ __forceinline__ int64_t *sum(int number, int e)
    {
        return of.at + (number * EACH + e) * of.step;
    }
    __device__ __forceinline__ void add(const RowSamples<EACH> &row, bool minus,
                                        const ExactJob &job, int32_t unit)
    {
#pragma unroll
        for (int e = 0; e < EACH; e++)
            of.template add<EACH>(e, row.v[e], minus, job, unit);
    }
    template <int WORDS>
    __device__ __forceinline__ void windows(WindowWords<EACH, WORDS> *to, int columns, int width,
                                            int words) const
    {
        to->make(of, columns, width, words);
    }
};

// The sums of columns over groups of rows of a block in a channel: of a group, number by number.
// They lie where the spectra of the image were.
struct GroupSums {
    int64_t *first; // of the thread's first column
    int rows, numbers, pitch;

    __device__ GroupSums(const ExactJob &job, int block_of_batch, int channel)
        : rows(state_of(job)->group_rows), numbers(numbers_of_columns(*state_of(job))),
          pitch(job.blocks.width)
    {
        const int each = job.blocks.width / THREADS, groups = rows ? job.blocks.height / rows : 0;
        const int64_t before = int64_t{ block_of_batch } * job.channels + channel;
        first = reinterpret_cast<int64_t *>(Arena(job).spectra) +
                before * groups * numbers * pitch + threadIdx.x * each;
    }
    __device__ int64_t *of(int group) const
    {
        return first + int64_t{ group } * numbers * pitch;
    }
    // Calls function(sum of the columns, sum of the group) for all sums of a thread.
    template <int LIMBS, int EACH, class Function>
    __device__ __forceinline__ void each(Columns<LIMBS, EACH> *columns, int group,
                                         const Function &function) const
    {
        int64_t *at = of(group);
        if constexpr (LIMBS) {
#pragma unroll
            for (int k = 0; k < ShortColumn<LIMBS>::NUMBERS; k++)
#pragma unroll
                for (int e = 0; e < EACH; e++)
                    function(columns->sum(k, e), at + int64_t{ k } * pitch + e);
        } else {
            for (int k = 0; k < numbers; k++)
#pragma unroll
                for (int e = 0; e < EACH; e++)
                    function(columns->sum(k, e), at + int64_t{ k } * pitch + e);
        }
    }
};

// Adds `count` rows from row `y` on.
template <int LIMBS, int EACH>
__device__ __forceinline__ void add_rows_to(Columns<LIMBS, EACH> *to, const ExactJob &job,
                                            int channel, int2 start, int y, int count)
{
    constexpr int AHEAD = 4; // rows whose loads are in flight
    const int32_t unit = state_of(job)->unit;
    RowSamples<EACH> ahead[AHEAD];
    for (int from = 0; from < count; from += AHEAD) {
#pragma unroll
        for (int k = 0; k < AHEAD; k++)
            if (from + k < count)
                ahead[k].load(job, channel, start, y + from + k);
#pragma unroll
        for (int k = 0; k < AHEAD; k++)
            if (from + k < count)
                to->add(ahead[k], false, job, unit);
    }
}

// Makes the sums of groups of rows of a batch. A piece is a group of a channel of a block.
template <int LIMBS, int EACH>
__device__ __noinline__ void sum_groups_of(const ExactJob &job, int first, int index)
{
    const int rows = state_of(job)->group_rows, groups = job.blocks.height / rows;
    for (int piece = index; piece < groups * job.channels * blocks_at(job, first);
         piece += static_cast<int>(gridDim.x)) {
        const int group = piece % groups, channel = piece / groups % job.channels,
                  transform = piece / groups / job.channels;
        if (!has_doubts(job, first + transform))
            continue;
        Columns<LIMBS, EACH> of(job);
        add_rows_to(&of, job, channel, start_of(job, first + transform), group * rows, rows);
        GroupSums(job, transform, channel).each(&of, group, [](const int64_t *own, int64_t *to) {
            *to = *own;
        });
    }
}

// S and Q of a channel of rows of windows of a block, whose columns slide down, from row `top` on;
// what the windows in doubt have of the formula, and the scores. sums: of the block's windows.
// EACH: columns of a thread. LIMBS: as in Columns. WORDS: of a sum.
template <int LIMBS, int EACH, int WORDS>
__device__ __forceinline__ void slide_rows(const ExactJob &job, const GroupSums &groups,
                                           int channel, bool varies, int2 start, int top, int rows,
                                           uint32_t *sums, int64_t step)
{
    const int32_t unit = state_of(job)->unit;
    const int own = static_cast<int>(threadIdx.x), height = job.templ.height,
              columns = min(job.blocks.step_x, job.width - start.x);
    Columns<LIMBS, EACH> of(job);
    for (int y = top, until = top + height; y < until;) {
        const int next = groups.rows ? min(y / groups.rows * groups.rows + groups.rows, until)
                                     : until;
        if (next - y == groups.rows)
            groups.each(&of, y / groups.rows,
                        [](int64_t *to, const int64_t *from) { *to += __ldcg(from); });
        else
            add_rows_to(&of, job, channel, start, y, next - y);
        y = next;
    }
    RowSamples<EACH> enters, leaves;
    for (int y = top; y < top + rows; y++) {
        enters.load(job, channel, start, y + height);
        leaves.load(job, channel, start, y);
        float *map = job.map + (start.y + y) * job.map_pitch + start.x;
        bool doubt[EACH], any = false;
#pragma unroll
        for (int e = 0; e < EACH; e++) {
            const int x = own + e * THREADS;
            doubt[e] = x < columns && __float_as_uint(map[x]) == XNCC_DOUBT;
            any = any || doubt[e];
        }
        if (__syncthreads_or(any)) {
            WindowWords<EACH, WORDS> window;
            of.windows(&window, columns, job.templ.width, words_of_term<WORDS>(job));
            uint32_t *row = sums + int64_t{ y } * job.blocks.step_x;
#pragma unroll
            for (int e = 0; e < EACH; e++) {
                const int x = own + e * THREADS;
                if (doubt[e])
                    score_channel<WORDS>(job, channel, varies, row + x, step, window.S[e],
                                         window.Q[e], map + x);
            }
        }
        if (y + 1 < top + rows) { // else the next row may be of another block, with other limbs
            of.add(enters, false, job, unit);
            of.add(leaves, true, job, unit);
        }
    }
    __syncthreads(); // the shared memory has been read
}

// The scores of the windows of a batch. A piece is some rows of windows of a block.
template <int LIMBS, int EACH, int WORDS>
__device__ __noinline__ void score_rows(const ExactJob &job, int first, int index)
{
    const Arena arena(job);
    const int down = job.blocks.step_y, blocks = blocks_at(job, first),
              strip = strip_rows(job, blocks), strips = ceil_div(down, strip);
    for (int piece = index; piece < strips * blocks; piece += static_cast<int>(gridDim.x)) {
        const int block = first + piece / strips, top = piece % strips * strip;
        const int2 start = start_of(job, block);
        const int rows = min(min(strip, down - top), job.height - start.y - top);
        if (rows <= 0 || !has_doubts(job, block))
            continue;
        const bool varies = job.varies && !is_whole(job, block);
        for (int c = 0; c < job.channels; c++)
            slide_rows<LIMBS, EACH, WORDS>(
                job, GroupSums(job, block - first, c), c, varies, start, top, rows,
                arena.sums + (block - first) * windows_of(job), arena.windows);
    }
}

// Calls a function with the number of limbs of short columns, or 0, and with the columns of a
// thread.
template <class Function>
__device__ __forceinline__ void with_columns(const ExactJob &job, const Function &function)
{
    const auto with_limbs = [&](auto each) {
        switch (short_limbs(*state_of(job))) {
        case 2: function(std::integral_constant<int, 2>(), each); break;
        case 3: function(std::integral_constant<int, 3>(), each); break;
        default: function(std::integral_constant<int, 0>(), each); break;
        }
    };
    switch (job.blocks.width / THREADS) {
    case 1: with_limbs(std::integral_constant<int, 1>()); break;
    case 2: with_limbs(std::integral_constant<int, 2>()); break;
    case 4: with_limbs(std::integral_constant<int, 4>()); break;
    }
}

static __device__ void sum_groups(const ExactJob &job, int first, int index)
{
    with_columns(job, [&](auto limbs, auto each) {
        sum_groups_of<decltype(limbs)::value, decltype(each)::value>(job, first, index);
    });
}

// The same if S and Q are products.
template <int WORDS>
__device__ __noinline__ void score_products(const ExactJob &job, int first, int index)
{
    const Arena arena(job);
    const int down = job.blocks.step_y;
    for (int piece = index; piece < down * blocks_at(job, first);
         piece += static_cast<int>(gridDim.x)) {
        const int transform = piece / down, y = piece % down;
        const int2 start = start_of(job, first + transform);
        if (start.y + y >= job.height || !has_doubts(job, first + transform))
            continue;
        const bool varies = job.varies && !is_whole(job, first + transform);
        float *map = job.map + (start.y + y) * job.map_pitch + start.x;
        const uint32_t *sums = arena.sums + transform * windows_of(job) +
                               int64_t{ y } * job.blocks.step_x;
        for (int x = static_cast<int>(threadIdx.x); x < min(job.blocks.step_x, job.width - start.x);
             x += THREADS)
            if (__float_as_uint(map[x]) == XNCC_DOUBT)
                map[x] = score_of_products<WORDS>(job, varies, sums + x, arena.windows);
    }
}

// Calls a function with how many words an argument of the formula has, or with a larger number of
// those that loops are written out for. 12 hold samples of f32 that are up to 2^128 apart.
template <class Function>
__device__ __forceinline__ void with_words(int words, const Function &function)
{
    if (words <= 6)
        function(std::integral_constant<int, 6>());
    else if (words <= 8)
        function(std::integral_constant<int, 8>());
    else if (words <= 12)
        function(std::integral_constant<int, 12>());
    else
        function(std::integral_constant<int, XNCC_EXACT_WORDS>());
}

static __device__ void score_windows(const ExactJob &job, int first, int index)
{
    const int words = state_of(job)->of_term;
    if (is_masked(job)) {
        with_words(words, [&](auto of) { score_products<decltype(of)::value>(job, first, index); });
        return;
    }
    with_columns(job, [&](auto limbs, auto each) {
        constexpr int LIMBS = decltype(limbs)::value, EACH = decltype(each)::value;
        if constexpr (LIMBS)
            score_rows<LIMBS, EACH, 2 * LIMBS>(job, first, index);
        else
            with_words(words, [&](auto of) {
                score_rows<LIMBS, EACH, decltype(of)::value>(job, first, index);
            });
    });
}

} // namespace xncc

#endif
