// SPDX-License-Identifier: BSD-2-Clause
// Small templates, floats and u32, any channels and masks: the exact scores of the windows in doubt
// of tiles where many are. Samples of a tile and of the template are integers times a power of two
// of their own. Their sums are made modulo primes (planes/residues.cuh), as many as their bits
// take, one after the other; then the formula's arguments are found from what the primes leave.
//
// Thread mapping: a block of 256 threads takes tiles in turn, a thread 4 windows, one below the
// other; 2 if the image decides which pixels count. Tiles with few windows in doubt, with a sample
// that is not finite (but for PixelsJob::finite), or with samples of more than MOST_BITS bits are
// left as they are. If all pixels count, S and Q are summed along rows, and then down the columns;
// else a thread adds them up with X. Shared memory: the samples of a tile, their residues and those
// of the template, and sums along rows, 49 KB at most. What the primes leave of a thread's windows
// is in local memory. Any compute capability.
#include "cuda/direct/small_exact.h"

#include "cuda/direct/exact_tile.cuh"
#include "cuda/direct/refine.cuh"
#include "cuda/peaks/peak_key.cuh"
#include "cuda/planes/counted_sample.cuh"
#include "cuda/planes/doubt_list.cuh"
#include "cuda/planes/float_image.cuh"
#include "cuda/runtime/last_block.cuh"
#include "cuda/runtime/shared_memory.h"
#include "cuda/runtime/warp.cuh"

#include "math/exact_score.h"
#include "math/long_score.h"

namespace xncc {

namespace {

constexpr int BLOCKS = 4;    // per multiprocessor
constexpr int AT_A_TIME = 4; // samples of a thread whose loads are in flight

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
// number first, and each TILE_THREADS further. They are counted by rows of TILE_PITCH.
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
        const int i = first + k * TILE_THREADS, column = i % TILE_PITCH, row = i / TILE_PITCH;
        to[k] = column >= columns || row >= rows ? Counted{ false, 0.0 }
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

// Calls function(index in the tile, sample) for the thread's samples under `height` rows of windows
// of the tile at (x, y), of a channel.
template <class Function>
__device__ __forceinline__ void each_of_image(const PixelsJob &job, int x, int y, int height,
                                              int channel, const Function &function)
{
    const int columns = TILE_WIDTH + job.templ_width - 1, rows = height + job.templ_height - 1;
    for (int first = static_cast<int>(threadIdx.x); first < TILE_PITCH * rows;
         first += TILE_THREADS * AT_A_TIME) {
        Counted sample[AT_A_TIME];
        load_samples(job, x, y, columns, rows, channel, first, sample);
#pragma unroll
        for (int k = 0; k < AT_A_TIME; k++) {
            const int i = first + k * TILE_THREADS;
            if (i < TILE_PITCH * rows)
                function(i, sample[k]);
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
template <int HEIGHT, class Function>
__device__ __forceinline__ void each_counted(const PixelsJob &job, int x, int y,
                                             const Function &function)
{
    for (int c = 0; c < job.channels; c++) {
        each_of_image(job, x, y, HEIGHT, c, [&](int, const Counted &sample) {
            if (sample.counts)
                function(sample.v);
        });
        const Counted templ = templ_of_thread(job, c);
        if (templ.counts)
            function(templ.v);
    }
}

// The grid of all samples of the tile and of the template; empty if one is not finite that may be
// in a window in doubt. Every thread gets it.
template <int HEIGHT> __device__ xncc_grid grid_of(const PixelsJob &job, int x, int y)
{
    __shared__ xncc_grid all;
    xncc_grid grid = xncc_grid_empty();
    bool bad = false;
    each_counted<HEIGHT>(job, x, y, [&](double v) {
        bad = bad || (!job.finite && !isfinite(v));
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

// Loads a channel of the tile at (x, y). Returns the thread's sample of the template, packed.
template <Counts COUNTS>
__device__ __forceinline__ uint64_t load_tile(const PixelsJob &job, int x, int y, int channel,
                                              int32_t unit, ExactTile<COUNTS> *tile)
{
    const auto pack = [unit](const Counted &sample) {
        return packed(integer_of(value_of(sample), unit));
    };
    __syncthreads(); // what was there has been read
    each_of_image(job, x, y, ExactTile<COUNTS>::HEIGHT, channel,
                  [&](int at, const Counted &sample) {
                      tile->sample[at] = pack(sample);
                      if (COUNTS == Counts::OWN)
                          tile->counts[at] = sample.counts ? ALL_BITS : 0;
                  });
    const Counted templ = templ_of_thread(job, channel);
    tile->mask[threadIdx.x] = templ.counts ? ALL_BITS : 0;
    return pack(templ);
}

// What powers of 2 leave.
struct PowerTable {
    uint32_t power[MOST_PRIMES][POWERS];
    constexpr PowerTable() : power{}
    {
        constexpr NearTable primes;
        for (int j = 0; j < MOST_PRIMES; j++)
            for (int i = 0; i < POWERS; i++)
                power[j][i] = i == 0 ? 1 : power[j][i - 1] * 2 % primes.prime(j);
    }
};
__device__ const PowerTable power_table = PowerTable();

// Copies the powers for a prime.
template <Counts COUNTS> __device__ void load_powers(int prime, ExactTile<COUNTS> *tile)
{
    const int place = static_cast<int>(threadIdx.x);
    if (place < POWERS && prime < MOST_PRIMES)
        tile->power[prime % 2][place] = power_table.power[prime][place];
}

// Makes the residues of so many rows of samples, and of the template; powers of the next prime.
template <Counts COUNTS>
__device__ __forceinline__ void make_residues(int rows, uint64_t templ, int prime,
                                              ExactTile<COUNTS> *tile)
{
    const int own = static_cast<int>(threadIdx.x);
    const NearPrime by = NearPrimes::at(prime);
    const uint32_t *power = tile->power[prime % 2];
    const auto residue_at = [&](uint64_t v) {
        const Integer of = unpacked(v);
        return residue_of(of, power, by);
    };
    __syncthreads(); // what was there has been read, and the powers are there
    for (int i = own; i < rows * TILE_PITCH; i += TILE_THREADS)
        tile->image[i] = residue_at(tile->sample[i]);
    tile->templ[own] = residue_at(templ);
    load_powers(prime + 1, tile);
    __syncthreads();
}

// Sums of a channel of the template, if all windows have the same, and what they add to the
// template's argument. A warp makes them.
template <Counts COUNTS>
__device__ void sum_templ(const PixelsJob &job, int channel, int prime, ExactTile<COUNTS> *tile)
{
    const NearPrime by = NearPrimes::at(prime);
    const int lane = static_cast<int>(threadIdx.x) % WARP_LANES;
    uint64_t T = 0, T2 = 0;
    for (int i = lane; i < TILE_TEMPL_PIXELS; i += WARP_LANES) {
        const uint32_t t = tile->templ[i];
        T += t;
        T2 += uint64_t{ t } * t;
    }
    T = warp_sum(T);
    T2 = warp_sum(T2);
    if (lane)
        return;
    const ResidueTempl of = { static_cast<uint32_t>(job.rule.whole), by.residue_of(T),
                              by.residue_of(T2) };
    uint32_t term = channel ? tile->templ_term[prime] : 0;
    add_templ(job.method, by, of, &term);
    tile->templ_term[prime] = term;
    tile->same = of;
}

// What primes leave of a thread's windows: of the arguments of the formula, EACH by each prime.
template <Counts COUNTS> struct TileTerms {
    static constexpr int EACH = ExactTile<COUNTS>::EACH;
    uint32_t numerator[MOST_PRIMES * EACH], image[MOST_PRIMES * EACH],
        templ[COUNTS == Counts::OWN ? MOST_PRIMES * EACH : EACH]; // Counts::OWN
    uint32_t n[EACH];                                             // pixels that count
};

// The same for a channel and a prime. All threads of the block take part.
template <Counts COUNTS>
__device__ __forceinline__ void sum_tile(const PixelsJob &job, int channel, uint64_t templ,
                                         int prime, unsigned doubts, TileTerms<COUNTS> *to)
{
    using Tile = ExactTile<COUNTS>;
    constexpr int EACH = Tile::EACH;
    constexpr bool OWN = COUNTS == Counts::OWN;
    const int own = static_cast<int>(threadIdx.x),
              first = own / TILE_WIDTH * EACH * TILE_PITCH + own % TILE_WIDTH;
    const NearPrime by = NearPrimes::at(prime);
    Tile &tile = Tile::of_block();
    make_residues(Tile::HEIGHT + job.templ_height - 1, templ, prime, &tile);
    if (!OWN && own >= TILE_THREADS - WARP_LANES) // whose warp has no row to sum
        sum_templ(job, channel, prime, &tile);
    ResidueSums sums[EACH];
    if (Tile::WHOLE)
        sum_boxes<COUNTS>(job, by, &tile, sums);
    else if (!OWN)
        __syncthreads(); // the template's sums are there
    if (!doubts)
        return;
    ResidueTempl of{};
    if (!OWN)
        of = tile.same;
    sum_windows<COUNTS>(job, by, tile, first, sums);
#pragma unroll
    for (int e = 0; e < EACH; e++) {
        const int at = prime * EACH + e;
        const auto so_far = [&](const uint32_t *terms) { return channel ? terms[at] : 0u; };
        if (OWN) {
            of = { sums[e].n, sums[e].T, sums[e].T2 };
            uint32_t term = so_far(to->templ);
            add_templ(job.method, by, of, &term);
            to->templ[at] = term;
        }
        uint32_t numerator = so_far(to->numerator), image = so_far(to->image);
        add_numerator(job.method, by, of, sums[e], &numerator);
        add_image(job.method, by, of, sums[e], &image);
        to->numerator[at] = numerator;
        to->image[at] = image;
        if (prime == 0)
            to->n[e] = of.n;
    }
}

// Settles the windows in doubt of the tile at (x, y): a bit for each of the thread's. Returns false
// if it is left as it is.
template <Counts COUNTS>
__device__ bool settle_tile(const PixelsJob &job, int x, int y, unsigned doubts)
{
    using Tile = ExactTile<COUNTS>;
    constexpr int EACH = Tile::EACH;
    constexpr bool OWN = COUNTS == Counts::OWN;
    __shared__ xncc_real templ_term;
    const xncc_grid grid = grid_of<Tile::HEIGHT>(job, x, y);
    const int bits = grid.top - grid.unit;
    if (!grid.top || bits > MOST_BITS)
        return false;
    const int count = primes_for(
        bits_of_terms(bits, xncc_long_log2(static_cast<uint32_t>(job.rule.whole)),
                      xncc_long_log2(static_cast<uint32_t>(job.channels))));
    const int32_t unit = 2 * (grid.unit + XNCC_WIDE_VALUES);
    TileTerms<COUNTS> terms;
    for (int c = 0; c < job.channels; c++) {
        const uint64_t templ = load_tile(job, x, y, c, grid.unit, &Tile::of_block());
        load_powers(0, &Tile::of_block());
        for (int prime = 0; prime < count; prime++)
            sum_tile<COUNTS>(job, c, templ, prime, doubts, &terms);
    }
    __syncthreads(); // the template's terms are there
    if (!OWN && threadIdx.x == 0)
        templ_term = real_of<NearPrimes, MOST_PRIMES>(Tile::of_block().templ_term, 1, count, unit,
                                                      false);
    __syncthreads();
    const int column = x + static_cast<int>(threadIdx.x) % TILE_WIDTH,
              row = y + static_cast<int>(threadIdx.x) / TILE_WIDTH * EACH;
    float best = NAN;
#pragma unroll 1
    for (int e = 0; e < EACH; e++) {
        if (!(doubts >> e & 1u))
            continue;
        const uint32_t n = terms.n[e];
        float score;
        if (!xncc_general_score_from_count(job.method, &job.rule, n, &score)) {
            const auto real = [&](const uint32_t *residues, bool only_zero) {
                return real_of<NearPrimes, MOST_PRIMES>(residues + e, EACH, count, unit, only_zero);
            };
            const xncc_real numerator = real(terms.numerator, false),
                            image = real(terms.image, numerator.m == 0.0),
                            templ = OWN ? real(terms.templ, numerator.m == 0.0) : templ_term;
            score = xncc_score_of_terms(job.method, &job.rule, n, numerator, image, templ);
        }
        job.map[(row + e) * job.map_pitch + column] = score;
        best = fmaxf(best, score * job.tiles.factor);
    }
    if (job.tiles.best)
        raise_tile_of_warp<EACH>(job.tiles, x, row, best);
    return true;
}

// Which of the thread's windows of a tile are in doubt: a bit for each.
template <int EACH> __device__ unsigned doubts_of(const PixelsJob &job, int x, int y)
{
    const int column = x + static_cast<int>(threadIdx.x) % TILE_WIDTH,
              row = y + static_cast<int>(threadIdx.x) / TILE_WIDTH * EACH;
    unsigned doubts = 0;
#pragma unroll
    for (int e = 0; e < EACH; e++)
        if (column < job.width && row + e < job.rows &&
            __float_as_uint(job.map[(row + e) * job.map_pitch + column]) == XNCC_DOUBT)
            doubts |= 1u << e;
    return doubts;
}

// Puts windows of a tile on the list of those that are left. All lanes of a warp take part.
template <int EACH> __device__ void list_left(const DoubtsLeft &list, int x, int y, unsigned doubts)
{
    if (!__any_sync(WARP_ALL, doubts != 0))
        return;
    const int column = x + static_cast<int>(threadIdx.x) % TILE_WIDTH,
              row = y + static_cast<int>(threadIdx.x) / TILE_WIDTH * EACH;
    for (uint32_t at = places_in_list(list.left, doubts); doubts; doubts &= doubts - 1u, at++)
        if (at < list.room)
            list.window[at] = FloatDoubt{ column, row + __ffs(static_cast<int>(doubts)) - 1 };
}

// The last block that is done says how many windows are left.
__device__ void count_left(const DoubtsLeft &list)
{
    if (!is_last_block(list.done) || threadIdx.x)
        return;
    const uint32_t left = atomicExch(list.left, 0u);
    *list.done = 0;
    *list.doubts = left;
    *list.listed = min(left, list.room);
}

template <Counts COUNTS>
__global__ __launch_bounds__(TILE_THREADS,
                             BLOCKS) void settle_tiles(const __grid_constant__ PixelsJob job,
                                                       const uint32_t *doubts, uint32_t few,
                                                       int many,
                                                       const __grid_constant__ DoubtsLeft left)
{
    constexpr int EACH = ExactTile<COUNTS>::EACH, HEIGHT = ExactTile<COUNTS>::HEIGHT;
    if (*doubts <= few)
        return;
    const int across = ceil_div(job.width, TILE_WIDTH), tiles = across * ceil_div(job.rows, HEIGHT),
              step = static_cast<int>(gridDim.x);
    int number = static_cast<int>(blockIdx.x);
    const auto doubts_at = [&](int tile) {
        return doubts_of<EACH>(job, tile % across * TILE_WIDTH, tile / across * HEIGHT);
    };
    unsigned next = doubts_at(number); // one tile ahead
    for (; number < tiles; number += step) {
        const unsigned own = next;
        next = doubts_at(number + step);
        const int x = number % across * TILE_WIDTH, y = number / across * HEIGHT;
        const int count = __syncthreads_count(static_cast<int>(own));
        if ((count < many || !settle_tile<COUNTS>(job, x, y, own)) && left.window)
            list_left<EACH>(left, x, y, own);
    }
    if (left.window)
        count_left(left);
}

// Calls function(kernel, bytes of dynamic shared memory).
template <class Function> void with_kernel(Counts counts, const Function &function)
{
    switch (counts) {
    case Counts::WHOLE:
        function(settle_tiles<Counts::WHOLE>, static_cast<int>(sizeof(ExactTile<Counts::WHOLE>)));
        break;
    case Counts::SAME:
        function(settle_tiles<Counts::SAME>, static_cast<int>(sizeof(ExactTile<Counts::SAME>)));
        break;
    case Counts::OWN:
        function(settle_tiles<Counts::OWN>, static_cast<int>(sizeof(ExactTile<Counts::OWN>)));
        break;
    }
}

} // namespace

cudaError_t small_exact_set_max_shared_memory()
{
    cudaError_t code = cudaSuccess;
    for (const Counts counts : { Counts::WHOLE, Counts::SAME, Counts::OWN })
        with_kernel(counts, [&](auto *kernel, int bytes) {
            if (code == cudaSuccess)
                code = set_max_shared_memory(bytes, kernel);
        });
    return code;
}

cudaError_t launch_small_exact(const PixelsJob &job, const uint32_t *doubts, uint32_t few, int many,
                               const DoubtsLeft &left, int processors, cudaStream_t stream)
{
    const Counts counts = job.varies ? Counts::OWN : job.mask ? Counts::SAME : Counts::WHOLE;
    with_kernel(counts, [&](auto *kernel, int bytes) {
        kernel<<<static_cast<unsigned>(processors * BLOCKS), TILE_THREADS, bytes, stream>>>(
            job, doubts, few, many, left);
    });
    return cudaGetLastError();
}

} // namespace xncc
