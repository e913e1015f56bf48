// SPDX-License-Identifier: BSD-2-Clause
// The transforms of exact_sums.cu: slices of the image, products with those of the template, and
// the way back, on which they are added to the sums.
#ifndef XNCC_CUDA_PRODUCTS_EXACT_PASSES_CUH
#define XNCC_CUDA_PRODUCTS_EXACT_PASSES_CUH

#include "cuda/products/exact_planes.cuh"
#include "cuda/runtime/warp.cuh"

namespace xncc {

// Whether any pair of a step has products in a block.
static __device__ bool adds_up(const ExactJob &job, const PairStep &step, int block)
{
    bool any = false;
    for (int i = 0; i < step.count; i++)
        any = any || !is_idle(job, step.pair[i], block);
    return any;
}

// Slices `low` and the next one of an element of a plane of the image or of the template.
static __device__ __noinline__ double2 slices_at(const ExactJob &job, const Pair &pair, int2 start,
                                                 int x, int y)
{
    const ExactState &s = *state_of(job);
    const Counted sample = pair.templ ? templ_sample(job, pair.channel, x, y)
                                      : image_sample(job, pair.channel, start.x + x, start.y + y);
    const int bits = job.blocks.bits,
              slices = (pair.templ ? s.templ_slices : s.slices)[kind_of(pair.kind)];
    if (pair.kind == FloatPlane::COUNT)
        return make_double2(0.0, sample.counts ? 1.0 : 0.0);
    const Integer v = integer_of(value_of(sample), s.unit);
    return pair.kind == FloatPlane::VALUE
               ? slices_of(v, pair.low, slices, bits)
               : slices_from(shifted(square_of(v), 2 * v.place - pair.low * bits + 1), false,
                             pair.low, slices, bits);
}

// Two slices of elements t, t + STEP, ... of row y of a block or of the template, to room[x];
// `real`: if not, zeros.
template <int STEP>
__device__ __forceinline__ void load_slices(const ExactJob &job, const Pair &pair, int2 start,
                                            int t, int y, bool real, double2 *room)
{
    const ExactState &s = *state_of(job);
    const FloatImage &of = job.image;
    const int columns = !real        ? 0
                        : pair.templ ? job.templ.width
                                     : min(job.blocks.width, of.columns - start.x);
    const int64_t left = of.x + start.x, top = of.y + start.y + y, digits = pixel_bytes(job);
    const unsigned char *row = pair.kind != FloatPlane::VALUE ||
                                       (pair.templ ? is_masked(job) : job.varies)
                                   ? nullptr
                               : pair.templ ? job.templ.pixels + y * job.templ.pitch
                               : left >= 0 && top >= 0 && top < of.image.height &&
                                       left + columns <= of.image.width
                                   ? static_cast<const unsigned char *>(of.image.data) +
                                         top * of.image.pitch + left * digits
                                   : nullptr;
    if (!row) {
        for (int j = 0; j < SPLIT_EACH; j++)
            room[t + j * STEP] = t + j * STEP < columns
                                     ? slices_at(job, pair, start, t + j * STEP, y)
                                     : make_double2(0.0, 0.0);
        return;
    }
    const int slices = (pair.templ ? s.templ_slices : s.slices)[kind_of(FloatPlane::VALUE)];
    double v[SPLIT_EACH];
#pragma unroll
    for (int j = 0; j < SPLIT_EACH; j++)
        v[j] = t + j * STEP < columns
                   ? sample_in(of.image.pixel, row, (t + j * STEP) * job.channels + pair.channel)
                   : 0.0;
#pragma unroll
    for (int j = 0; j < SPLIT_EACH; j++)
        room[t + j * STEP] = slices_of(integer_of(v[j], s.unit), pair.low, slices, job.blocks.bits);
}

// Rows of two slices, forward. As split_rows_of.
template <int R>
__device__ __noinline__ void transform_rows(const ExactJob &job, const Pair &pair, int first,
                                            int index)
{
    using Row = Line<R>;
    const Arena arena(job);
    const RowPlace<R, THREADS> at;
    constexpr int LINES = at.LINES;
    const int t = at.t, pieces = job.blocks.height / LINES,
              blocks = pair.templ ? 1 : blocks_at(job, first);
    double2 *room = at.room;
    const double2 *turns = turns_of(turns_in(job), job.blocks.width);
    // of the transform back, and of the halves of a row's spectrum and a product's
    const double scale = pair.templ
                             ? 0.25 / (static_cast<double>(job.blocks.width) * job.blocks.height)
                             : 1.0;
#pragma unroll 1
    for (int piece = index; piece < pieces * blocks; piece += static_cast<int>(gridDim.x)) {
        const int transform = piece / pieces, block = first + transform,
                  y = piece % pieces * LINES + at.line;
        if (!pair.templ && is_idle(job, pair, block))
            continue;
        const int2 start = pair.templ ? make_int2(0, 0) : start_of(job, block);
        const int rows = pair.templ ? job.templ.height
                                    : min(job.blocks.height, job.image.rows - start.y);
        if (piece % pieces * LINES >= rows)
            continue;
        double2 v[SPLIT_EACH];
        load_slices<Row::THREADS>(job, pair, start, t, y, y < rows, room);
        __syncwarp();
#pragma unroll
        for (int j = 0; j < SPLIT_EACH; j++)
            v[j] = scale * room[t + j * Row::THREADS]; // its own
        __syncthreads();
        Row::forward(v, room, t, turns);
        __syncthreads();
        store_halves<R>(v, room, t, y, y < rows, job.blocks.height,
                        arena.data + transform * place_of(Row::POINTS / 2 + XNCC_SPLIT_GROUP, 0,
                                                          job.blocks.height));
        __syncthreads();
    }
}

// Columns, forward.
template <int R>
__device__ __noinline__ void transform_columns(const ExactJob &job, const Pair &pair, int first,
                                               int index)
{
    using Column = Line<R>;
    const Arena arena(job);
    const ColumnPlace<R> at(job.blocks.width);
    const int blocks = pair.templ ? 1 : blocks_at(job, first);
    const int64_t spectrum = static_cast<int64_t>(job.at.spectrum / sizeof(double2)),
                  transform_size = static_cast<int64_t>(job.at.transform / sizeof(double2));
    const double2 *turns = turns_of(turns_in(job), job.blocks.height);
#pragma unroll 1
    for (int piece = index; piece < at.pieces * blocks; piece += static_cast<int>(gridDim.x)) {
        const int transform = piece / at.pieces, frequency = at.frequency(piece);
        if (!pair.templ && is_idle(job, pair, first + transform))
            continue;
        const int rows = frequency >= at.columns ? 0
                         : pair.templ            ? job.templ.height
                                                 : min(job.blocks.height,
                                                       job.image.rows - start_of(job, first + transform).y);
        const double2 *data = arena.data + transform * transform_size +
                              place_of(frequency, 0, Column::POINTS) + at.rest;
        double2 *to = (pair.templ ? arena.templ + pair.slot * spectrum
                                  : spectrum_of(job, arena, transform, pair.slot)) +
                      at.spectrum(piece);
        double2 v[SPLIT_EACH];
#pragma unroll
        for (int j = 0; j < SPLIT_EACH; j++) {
            const int y = at.t + Column::THREADS * j;
            v[j] = y < rows ? data[static_cast<int64_t>(y) * (2 * XNCC_SPLIT_GROUP)]
                            : make_double2(0.0, 0.0);
        }
        Column::forward(v, at.room(), at.t, turns);
#pragma unroll
        for (int i = 0; i < SPLIT_EACH; i++)
            __stcg(to + i * THREADS, v[i]);
        __syncthreads();
    }
}

// The sums of a weight and of the next one: products, and columns back.
template <int R>
__device__ __noinline__ void multiply_slices(const ExactJob &job, const PairStep &step, int first,
                                             int index)
{
    const PlaneProduct &product = step.product;

    using Column = Line<R>;
    const Arena arena(job);
    const ColumnPlace<R> at(job.blocks.width);
    const int64_t spectrum = static_cast<int64_t>(job.at.spectrum / sizeof(double2)),
                  transform_size = static_cast<int64_t>(job.at.transform / sizeof(double2));
    const double2 *turns = turns_of(turns_in(job), job.blocks.height);
    const int lane = static_cast<int>(threadIdx.x) % WARP_LANES;
    const uint64_t slices = state_of(job)->templ_seen[kind_of(product.templ)];
    // of slice l in the order of the threads: those with V have odd slices; nullptr: it is 0
    const auto templ_at = [&](int channel, int l, int piece) -> const double2 * {
        const int number = templ_pair_at(job, product.templ, channel) + l / 2;
        return l >= 0 && slices >> l & 1 ? arena.templ + number * spectrum + at.spectrum(piece) -
                                               lane + lane % SPLIT_HALF + (l % 2 ? 0 : SPLIT_HALF)
                                         : nullptr;
    };
    // the blocks of a batch one after the other, which read the same of the template
    const int blocks = blocks_at(job, first);
#pragma unroll 1
    for (int number = index; number < at.pieces * blocks; number += static_cast<int>(gridDim.x)) {
        const int transform = number % blocks, piece = number / blocks,
                  frequency = at.frequency(piece), block = first + transform;
        if (!adds_up(job, step, block))
            continue;
        double2 v[SPLIT_EACH];
#pragma unroll
        for (int i = 0; i < SPLIT_EACH; i++)
            v[i] = make_double2(0.0, 0.0);
        for (int k = 0; k < step.count; k++) {
            const Pair &pair = step.pair[k];
            if (is_idle(job, pair, block))
                continue;
            const int m = step.weight + at.rest - pair.low, // the slice for W
                channel = product.channel < 0 ? pair.channel : product.channel;
            const double2 *from = spectrum_of(job, arena, transform, pair.slot) +
                                  at.spectrum(piece),
                          *of_V = templ_at(channel, m - 1, piece),
                          *of_W = templ_at(channel, m, piece);
#pragma unroll
            for (int i = 0; i < SPLIT_EACH; i++) {
                const double2 mine = from[i * THREADS], V = from_lane(mine, lane % SPLIT_HALF),
                              W = from_lane(mine, lane % SPLIT_HALF + SPLIT_HALF);
                if (of_V)
                    v[i] = v[i] + times_conjugate(V, of_V[i * THREADS]);
                if (of_W)
                    v[i] = v[i] + times_conjugate(W, of_W[i * THREADS]);
            }
        }
        Column::back(v, at.room(), at.t, turns);
        const int wanted = min(job.blocks.step_y, job.height - start_of(job, block).y);
        double2 *data = arena.data + transform * transform_size +
                        place_of(frequency, 0, Column::POINTS) + at.rest;
#pragma unroll
        for (int j = 0; j < SPLIT_EACH; j++) {
            const int y = at.t + Column::THREADS * j;
            if (y < wanted && frequency < at.columns)
                __stcg(data + static_cast<int64_t>(y) * (2 * XNCC_SPLIT_GROUP), v[j]);
        }
        __syncthreads();
    }
}

constexpr int TOGETHER = 8; // sums whose words are loaded together

// Adds sums to those of windows 0, STEP, ... at `to`, of which `windows` are real. As
// xncc_long_add.
template <int STEP>
__device__ __forceinline__ void add_sums(uint32_t *to, int64_t step, int words, int bit,
                                         int windows, const int64_t (&sum)[TOGETHER])
{
    const int shift = bit & 31, first = bit >> 5;
    uint32_t carry[TOGETHER] = {};
    bool goes_on = true;
    for (int k = 0; first + k < words && goes_on; k++) {
        uint32_t *word = to + (first + k) * step;
        uint32_t had[TOGETHER];
#pragma unroll
        for (int j = 0; j < TOGETHER; j++)
            had[j] = j * STEP < windows ? __ldcg(word + j * STEP) : 0;
        goes_on = k < 2;
#pragma unroll
        for (int j = 0; j < TOGETHER; j++) {
            const uint64_t low = static_cast<uint64_t>(sum[j]) << shift;
            const uint32_t sign = sum[j] < 0 ? 0xffffffffu : 0u,
                           part = k == 0            ? static_cast<uint32_t>(low)
                                  : k == 1          ? static_cast<uint32_t>(low >> 32)
                                  : k == 2 && shift ? static_cast<uint32_t>(sum[j] >> (64 - shift))
                                                    : sign;
            const uint64_t all = uint64_t{ had[j] } + part + carry[j];
            carry[j] = static_cast<uint32_t>(all >> 32);
            if (j * STEP < windows && static_cast<uint32_t>(all) != had[j])
                __stcg(word + j * STEP, static_cast<uint32_t>(all));
            goes_on = goes_on || static_cast<uint32_t>(sign + carry[j]) != 0;
        }
    }
}

// Rows of two sums back, which are rounded and added up.
template <int R>
__device__ __noinline__ void add_rows(const ExactJob &job, const PairStep &step, int first,
                                      int index)
{
    const PlaneProduct &product = step.product;

    using Row = Line<R>;
    const Arena arena(job);
    const RowPlace<R, THREADS> at;
    constexpr int LINES = at.LINES;
    const int t = at.t, pieces = ceil_div(job.blocks.step_y, LINES);
    double2 *room = at.room;
    const double2 *turns = turns_of(turns_in(job), job.blocks.width);
#pragma unroll 1
    for (int piece = index; piece < pieces * blocks_at(job, first);
         piece += static_cast<int>(gridDim.x)) {
        const int transform = piece / pieces, block = first + transform,
                  y = piece % pieces * LINES + at.line;
        if (!adds_up(job, step, block))
            continue;
        const int2 start = start_of(job, block);
        const int wanted = min(job.blocks.step_y, job.height - start.y);
        if (piece % pieces * LINES >= wanted)
            continue;
        double2 v[SPLIT_EACH];
        load_halves<R>(v, room, t, y, y < wanted, job.blocks.height,
                       arena.data + transform * place_of(Row::POINTS / 2 + XNCC_SPLIT_GROUP, 0,
                                                         job.blocks.height));
        Row::back(v, room, t, turns);
        const int columns = y < wanted ? min(job.blocks.step_x, job.width - start.x) : 0;
        uint32_t *to = arena.sums + product.words * arena.windows + transform * windows_of(job) +
                       int64_t{ y } * job.blocks.step_x;
#pragma unroll
        for (int from = 0; from < SPLIT_EACH; from += TOGETHER) {
            int64_t sum[TOGETHER];
#pragma unroll
            for (int j = 0; j < TOGETHER; j++)
                sum[j] = llrint(v[from + j].x) +
                         llrint(v[from + j].y) * (int64_t{ 1 } << job.blocks.bits);
            add_sums<Row::THREADS>(to + t + Row::THREADS * from, arena.windows, product.of_sum,
                                   job.blocks.bits * step.weight, columns - t - Row::THREADS * from,
                                   sum);
        }
        __syncthreads();
    }
}

// All sums of a batch become 0.
static __device__ void clear_sums(const ExactJob &job, int index)
{
    const Arena arena(job);
    const int64_t count = ExactWords(job).count * arena.windows;
    for (int64_t i = int64_t{ index } * THREADS + threadIdx.x; i < count;
         i += int64_t{ gridDim.x } * THREADS)
        arena.sums[i] = 0;
}

} // namespace xncc

#endif
