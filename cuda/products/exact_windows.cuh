// SPDX-License-Identifier: BSD-2-Clause
// The last step of exact_sums.cu: S and Q of the windows, and the scores of those in doubt.
#ifndef XNCC_CUDA_PRODUCTS_EXACT_WINDOWS_CUH
#define XNCC_CUDA_PRODUCTS_EXACT_WINDOWS_CUH

#include "cuda/products/exact_columns.cuh"
#include "cuda/products/exact_terms.cuh"

namespace xncc {

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
