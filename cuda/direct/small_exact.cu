// SPDX-License-Identifier: BSD-2-Clause
// Small templates, floats and u32, any channels and masks: the exact scores of the windows in doubt
// of tiles where many are. Samples of a tile and of the template are integers times a power of two
// of their own. They are cut into limbs (exact_tile.cuh), whose products are added up in 64 bits
// (exact_window.cuh).
//
// Thread mapping: a block of 256 threads takes tiles of 32 x 32 windows in turn, a thread up to
// four windows, one below the other. If they have many limbs, or masks, a thread has fewer at a
// time, and the tile is made in parts. Tiles with few windows in doubt, with a sample that is not
// finite, or with samples of more than six cells are left as they are. If all pixels count, S and Q
// are summed along rows, and then down the columns; else a thread adds them up with X. Shared
// memory: limbs of a part of a tile and of the template, and sums along rows, 56 KB at most. Any
// compute capability.
#include "cuda/direct/small_exact.h"

#include "cuda/direct/exact_window.cuh"
#include "cuda/direct/refine.cuh"
#include "cuda/planes/counted_sample.cuh"
#include "cuda/planes/float_image.cuh"
#include "cuda/runtime/warp.cuh"

namespace xncc {

namespace {

constexpr int MANY = 8;          // threads of a tile with a window in doubt
constexpr int BLOCKS = 2;        // per multiprocessor
constexpr int AT_A_TIME = 4;     // samples of a thread whose loads are in flight
constexpr int SHARED = 56 << 10; // bytes of dynamic shared memory; compute capability 7.5 has 64 KB

// Sample (x, y) of the rectangle of windows in a channel. One that none of them reaches does not
// count.
template <xncc_pixel PIXEL>
__device__ __forceinline__ Counted image_at(const PixelsJob &job, int x, int y, int channel)
{
    const bool reached = x < job.width + job.templ_width - 1 && y < job.rows + job.templ_height - 1;
    return reached ? counted_sample<PIXEL>(job.image, job.border, job.channels, job.x + x,
                                           job.y + y, channel)
                   : Counted{ false, 0.0 };
}

// Loads up to AT_A_TIME samples of a channel of a rectangle of so many columns and rows at (x, y):
// number first, and each TILE_THREADS further.
template <xncc_pixel PIXEL>
__device__ __forceinline__ void load_some(const PixelsJob &job, int x, int y, int columns, int rows,
                                          int channel, int first, Counted (&to)[AT_A_TIME])
{
    const int64_t left = job.x + x, top = job.y + y;
    const bool inside = x + columns <= job.width + job.templ_width - 1 &&
                        y + rows <= job.rows + job.templ_height - 1 && left >= 0 && top >= 0 &&
                        left + columns <= job.image.width && top + rows <= job.image.height;
#pragma unroll
    for (int k = 0; k < AT_A_TIME; k++) {
        const int i = first + k * TILE_THREADS, column = i % columns, row = i / columns;
        to[k] = i >= columns * rows ? Counted{ false, 0.0 }
                : inside ? inner_sample<PIXEL>(job.image, job.channels, left + column, top + row,
                                               channel)
                         : image_at<PIXEL>(job, x + column, y + row, channel);
    }
}

// The pixel types differ here alone.
__device__ __noinline__ void load_samples(const PixelsJob &job, int x, int y, int columns, int rows,
                                          int channel, int first, Counted (&to)[AT_A_TIME])
{
    switch (job.image.pixel) {
    case XNCC_F32: load_some<XNCC_F32>(job, x, y, columns, rows, channel, first, to); break;
    case XNCC_F64: load_some<XNCC_F64>(job, x, y, columns, rows, channel, first, to); break;
    default: load_some<XNCC_U32>(job, x, y, columns, rows, channel, first, to); break;
    }
}

// Calls function(column, row, sample) for the thread's samples under `height` rows of windows of
// the tile at (x, y), of a channel.
template <class Function>
__device__ __forceinline__ void each_of_image(const PixelsJob &job, int x, int y, int height,
                                              int channel, const Function &function)
{
    const int columns = TILE_WIDTH + job.templ_width - 1, rows = height + job.templ_height - 1;
    for (int first = static_cast<int>(threadIdx.x); first < columns * rows;
         first += TILE_THREADS * AT_A_TIME) {
        Counted sample[AT_A_TIME];
        load_samples(job, x, y, columns, rows, channel, first, sample);
#pragma unroll
        for (int k = 0; k < AT_A_TIME; k++) {
            const int i = first + k * TILE_THREADS;
            if (i < columns * rows)
                function(i % columns, i / columns, sample[k]);
        }
    }
}

// The thread's sample of the template, those of a column adjacent; behind its edges, none that
// counts.
__device__ Counted templ_of_thread(const PixelsJob &job, int channel)
{
    static_assert(TILE_TEMPL_PIXELS == TILE_THREADS, "a thread has a pixel");
    const int x = static_cast<int>(threadIdx.x) / TILE_TEMPL,
              y = static_cast<int>(threadIdx.x) % TILE_TEMPL;
    if (x >= job.templ_width || y >= job.templ_height)
        return { false, 0.0 };
    return { !job.mask || job.mask[y * job.templ_width + x] != 0,
             sample_in(job.image.pixel, job.pixels + y * job.pitch,
                       int64_t{ x } * job.channels + channel) };
}

// Calls function(value) for the thread's samples that count, of the tile at (x, y) and of the
// template, in all channels.
template <class Function>
__device__ __forceinline__ void each_counted(const PixelsJob &job, int x, int y,
                                             const Function &function)
{
    for (int c = 0; c < job.channels; c++) {
        each_of_image(job, x, y, TILE_HEIGHT, c, [&](int, int, const Counted &sample) {
            if (sample.counts)
                function(sample.v);
        });
        const Counted templ = templ_of_thread(job, c);
        if (templ.counts)
            function(templ.v);
    }
}

// The grid of all samples of the tile and of the template; empty if one is not finite. Every thread
// gets it.
__device__ xncc_grid grid_of(const PixelsJob &job, int x, int y)
{
    __shared__ xncc_grid all;
    xncc_grid grid = xncc_grid_empty();
    bool bad = false;
    each_counted(job, x, y, [&](double v) {
        bad = bad || !isfinite(v);
        if (isfinite(v))
            xncc_grid_add(&grid, v);
    });
    if (threadIdx.x == 0)
        all = xncc_grid_empty();
    grid = warp_grid(grid);
    __syncthreads();
    if (threadIdx.x % WARP_LANES == 0) {
        atomicMin(&all.unit, grid.unit);
        atomicMax(&all.top, grid.top);
    }
    return __syncthreads_or(bad) ? xncc_grid_empty() : all;
}

// A bit for each cell of MOST_CELLS in which a sample of the tile or of the template is not 0.
__device__ uint32_t cells_of(const PixelsJob &job, int x, int y, int32_t unit)
{
    constexpr int BITS = LIMB_BITS<MOST_CELLS>;
    uint32_t cells = 0;
    each_counted(job, x, y, [&](double v) {
        const Integer of = integer_of(v, unit);
        const int top = of.place + 63 - __clzll(static_cast<long long>(of.mantissa));
        if (of.mantissa)
            cells |= ((2u << top / BITS) - 1u) & (~0u << of.place / BITS);
    });
    uint32_t all = 0;
#pragma unroll
    for (int k = 0; k < MOST_CELLS; k++)
        all |= __syncthreads_or(static_cast<int>(cells >> k & 1u)) ? 1u << k : 0u;
    return all;
}

// Adds up a number over the block.
__device__ __forceinline__ void add_of_block(unsigned long long *to, int64_t own)
{
    own = warp_sum(own);
    if (threadIdx.x % WARP_LANES == 0)
        atomicAdd(to, static_cast<unsigned long long>(own));
}

// Loads a channel of the part of a tile at (x, y), and the template.
template <class Form>
__device__ __forceinline__ void load_tile(const PixelsJob &job, int x, int y, int channel,
                                          const ExactCut &cut, ExactTile<Form> *tile)
{
    const int own = static_cast<int>(threadIdx.x);
    __syncthreads(); // what was there has been read
    if (own < Form::LIMBS)
        tile->T[own] = 0;
    if (own < Form::PAIRS)
        tile->T2[own] = 0;
    each_of_image(job, x, y, Form::HEIGHT, channel,
                  [&](int column, int row, const Counted &sample) {
                      const int at = row * TILE_PITCH + column;
                      int32_t limb[Form::LIMBS];
                      cut.limbs_of<Form>(value_of(sample), limb);
#pragma unroll
                      for (int l = 0; l < Form::LIMBS; l++)
                          tile->image[l][at] = limb[l];
                      if (Form::COUNTS == Counts::OWN)
                          tile->image[ExactTile<Form>::PLANES - 1][at] = sample.counts;
                  });
    const Counted templ = templ_of_thread(job, channel);
    int32_t limb[Form::LIMBS];
    cut.limbs_of<Form>(value_of(templ), limb);
    Form::each_pair([&](int l, int m, int pair) {
        tile->templ[own][pair] = l == m ? limb[l] : limb[l] + limb[m];
    });
    tile->templ[own][ExactTile<Form>::COUNT] = templ.counts;
    __syncthreads();
    if constexpr (Form::COUNTS != Counts::OWN) {
#pragma unroll
        for (int l = 0; l < Form::LIMBS; l++)
            add_of_block(tile->T + l, limb[l]);
        Form::each_pair([&](int l, int m, int pair) {
            add_of_block(tile->T2 + pair,
                         static_cast<int64_t>(limb[l]) * (l < m ? 2 : 1) * limb[m]);
        });
        __syncthreads();
    }
}

// Settles the windows in doubt of the part of a tile at (x, y).
template <class Form>
__device__ __noinline__ void settle_part(const PixelsJob &job, int x, int y, const ExactCut &cut)
{
    constexpr int EACH = Form::EACH;
    constexpr bool OWN = Form::COUNTS == Counts::OWN;
    static_assert(sizeof(ExactTile<Form>) <= SHARED, "there is less room");
    ExactTile<Form> &tile = ExactTile<Form>::of_block();
    const int column = static_cast<int>(threadIdx.x) % TILE_WIDTH,
              row = static_cast<int>(threadIdx.x) / TILE_WIDTH * EACH;
    float *map = job.map + (y + row) * job.map_pitch + x + column;
    unsigned doubts = 0;
#pragma unroll
    for (int e = 0; e < EACH; e++)
        if (x + column < job.width && y + row + e < job.rows &&
            __float_as_uint(map[e * job.map_pitch]) == XNCC_DOUBT)
            doubts |= 1u << e;
    if (!__syncthreads_or(static_cast<int>(doubts)))
        return;
    Long<Form> numerator[EACH] = {}, image[EACH] = {}, templ[OWN ? EACH : 1] = {};
    uint32_t n[EACH] = {};
    for (int c = 0; c < job.channels; c++) {
        load_tile<Form>(job, x, y, c, cut, &tile);
        ExactSums<Form> sums[EACH];
        if (Form::COUNTS == Counts::WHOLE)
            sum_boxes<Form>(job, &tile, sums);
        if (!doubts)
            continue;
        sum_windows<Form>(job, tile, row * TILE_PITCH + column, sums);
        TemplSums<Form> of_templ;
        if (!OWN) {
            of_templ.make(cut, tile.T, tile.T2, static_cast<uint32_t>(job.rule.whole));
            add_term(job.method, of_templ.n, of_templ.minus_T, of_templ.T2, &templ[0]);
        }
        for (int e = 0; e < EACH; e++) {
            if (!(doubts >> e & 1u))
                continue;
            if (OWN) {
                of_templ.make(cut, sums[e].T, sums[e].T2, sums[e].n);
                add_term(job.method, of_templ.n, of_templ.minus_T, of_templ.T2, &templ[e]);
            }
            n[e] = of_templ.n;
            add_channel(job.method, cut, sums[e], of_templ, &numerator[e], &image[e]);
        }
    }
    for (int e = 0; e < EACH; e++)
        if (doubts >> e & 1u)
            map[e * job.map_pitch] = score_of(job, n[e], 2 * (cut.unit + XNCC_WIDE_VALUES),
                                              numerator[e], image[e], templ[OWN ? e : 0]);
    __syncthreads(); // the tile has been read
}

template <Counts COUNTS, int LIMBS, int CELLS>
__device__ __forceinline__ void settle_parts(const PixelsJob &job, int x, int y,
                                             const ExactCut &cut)
{
    using Form = ExactForm<LIMBS, CELLS, COUNTS>;
    for (int part = 0; part < TILE_HEIGHT; part += Form::HEIGHT)
        settle_part<Form>(job, x, y + part, cut);
}

// Settles the tile at (x, y). Returns false if it is left as it is.
template <Counts COUNTS> __device__ bool settle_tile(const PixelsJob &job, int x, int y)
{
    __shared__ ExactCut cut;
    const xncc_grid grid = grid_of(job, x, y);
    const int bits = grid.top - grid.unit;
    if (!grid.top || bits > MOST_CELLS * LIMB_BITS<MOST_CELLS>)
        return false;
    const bool far = bits > 3 * LIMB_BITS<3>;
    const uint32_t cells = far ? cells_of(job, x, y, grid.unit) : 0;
    const int limbs = __popc(cells);
    __syncthreads(); // what was there has been read
    if (threadIdx.x == 0) {
        cut.unit = grid.unit;
        int l = 0;
        for (const uint32_t some : { cells, ~cells }) // those that are 0 come last
            for (int k = 0; k < MOST_CELLS; k++)
                if (some >> k & 1u)
                    cut.cell[l++] = k;
    }
    __syncthreads();
    if (!far && bits <= LIMB_BITS<1>)
        settle_parts<COUNTS, 1, 1>(job, x, y, cut);
    else if (!far && bits <= 2 * LIMB_BITS<2>)
        settle_parts<COUNTS, 2, 2>(job, x, y, cut);
    else if (!far)
        settle_parts<COUNTS, 3, 3>(job, x, y, cut);
    else if (limbs <= 3)
        settle_parts<COUNTS, 3, MOST_CELLS>(job, x, y, cut);
    else if (limbs == 4)
        settle_parts<COUNTS, 4, MOST_CELLS>(job, x, y, cut);
    else if (limbs == 5)
        settle_parts<COUNTS, 5, MOST_CELLS>(job, x, y, cut);
    else
        settle_parts<COUNTS, MOST_CELLS, MOST_CELLS>(job, x, y, cut);
    return true;
}

// Which of the thread's windows of a tile, one in TILE_DOWN rows, are in doubt: a bit for each.
__device__ unsigned doubts_of(const PixelsJob &job, int x, int y)
{
    const int column = x + static_cast<int>(threadIdx.x) % TILE_WIDTH,
              row = y + static_cast<int>(threadIdx.x) / TILE_WIDTH;
    unsigned doubts = 0;
#pragma unroll
    for (int k = 0; k < TILE_HEIGHT / TILE_DOWN; k++)
        if (column < job.width && row + k * TILE_DOWN < job.rows &&
            __float_as_uint(job.map[(row + k * TILE_DOWN) * job.map_pitch + column]) == XNCC_DOUBT)
            doubts |= 1u << k;
    return doubts;
}

// Puts windows of a tile on the list of those that are left. All lanes of a warp take part.
__device__ void list_left(const DoubtsLeft &list, int x, int y, unsigned doubts)
{
    const int lane = static_cast<int>(threadIdx.x) % WARP_LANES;
    for (int k = 0; k < TILE_HEIGHT / TILE_DOWN; k++) {
        const unsigned row = __ballot_sync(WARP_ALL, doubts >> k & 1u);
        if (!row)
            continue;
        uint32_t at = 0;
        if (lane == 0)
            at = atomicAdd(list.left, static_cast<uint32_t>(__popc(row)));
        at = __shfl_sync(WARP_ALL, at, 0) +
             static_cast<uint32_t>(__popc(row & ((1u << lane) - 1u)));
        if (doubts >> k & 1u && at < list.room)
            list.window[at] = FloatDoubt{ x + lane, y + static_cast<int>(threadIdx.x) / TILE_WIDTH +
                                                        k * TILE_DOWN };
    }
}

// The last block that is done says how many windows are left.
__device__ void count_left(const DoubtsLeft &list)
{
    __syncthreads();
    if (threadIdx.x)
        return;
    __threadfence();
    if (atomicAdd(list.done, 1u) + 1 < gridDim.x)
        return;
    __threadfence();
    const uint32_t left = atomicExch(list.left, 0u);
    *list.done = 0;
    *list.doubts = left;
    *list.listed = min(left, list.room);
}

template <Counts COUNTS>
__global__ __launch_bounds__(TILE_THREADS,
                             BLOCKS) void settle_tiles(const __grid_constant__ PixelsJob job,
                                                       const uint32_t *doubts, uint32_t few,
                                                       const __grid_constant__ DoubtsLeft left)
{
    if (*doubts <= few)
        return;
    const int across = ceil_div(job.width, TILE_WIDTH),
              tiles = across * ceil_div(job.rows, TILE_HEIGHT), step = static_cast<int>(gridDim.x);
    int number = static_cast<int>(blockIdx.x);
    const auto doubts_at = [&](int tile) {
        return doubts_of(job, tile % across * TILE_WIDTH, tile / across * TILE_HEIGHT);
    };
    unsigned next = doubts_at(number); // one tile ahead
    for (; number < tiles; number += step) {
        const unsigned own = next;
        next = doubts_at(number + step);
        const int x = number % across * TILE_WIDTH, y = number / across * TILE_HEIGHT;
        const int count = __syncthreads_count(static_cast<int>(own));
        if ((count < MANY || !settle_tile<COUNTS>(job, x, y)) && left.window)
            list_left(left, x, y, own);
    }
    if (left.window)
        count_left(left);
}

// Calls a function with the kernel.
template <class Function> void with_kernel(Counts counts, const Function &function)
{
    function(counts == Counts::WHOLE  ? settle_tiles<Counts::WHOLE>
             : counts == Counts::SAME ? settle_tiles<Counts::SAME>
                                      : settle_tiles<Counts::OWN>);
}

} // namespace

cudaError_t small_exact_set_max_shared_memory()
{
    cudaError_t code = cudaSuccess;
    for (const Counts counts : { Counts::WHOLE, Counts::SAME, Counts::OWN })
        with_kernel(counts, [&](auto *kernel) {
            if (code == cudaSuccess)
                code = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                            SHARED);
        });
    return code;
}

cudaError_t launch_small_exact(const PixelsJob &job, const uint32_t *doubts, uint32_t few,
                               const DoubtsLeft &left, int processors, cudaStream_t stream)
{
    const Counts counts = job.varies ? Counts::OWN : job.mask ? Counts::SAME : Counts::WHOLE;
    with_kernel(counts, [&](auto *kernel) {
        kernel<<<static_cast<unsigned>(processors * BLOCKS), TILE_THREADS, SHARED, stream>>>(
            job, doubts, few, left);
    });
    return cudaGetLastError();
}

} // namespace xncc
