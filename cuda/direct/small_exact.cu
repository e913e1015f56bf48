// SPDX-License-Identifier: BSD-2-Clause
// Small templates, floats and u32, any channels and masks: the exact scores of the windows in doubt
// of tiles where many are. Samples of a tile and of the template are integers times a power of two
// of their own. They are cut into limbs of 26 bits, whose products are added up in 64 bits: with
// templates of up to 16 x 16 pixels and six limbs, a sum of one weight has at most 6 * 256 products
// of 52 bits, so that it is below 2^63. There are kernels for two, three, four and six limbs. Two
// limbs serve doubles, which have 53 bits: the upper one has 27, and the sums of the weights at
// most 256 products of 52 bits, 512 of 53 and 256 of 54.
//
// Thread mapping: a block of 512 threads takes tiles of 32 x 16 windows in turn, a thread a window.
// Tiles with few windows in doubt, with a sample that is not finite, or with samples of more than
// six limbs are left as they are. If all pixels count, S and Q are sums along rows of what a pixel
// has of them, and then down the columns; else a thread adds them up itself, like X. Shared memory:
// the limbs of a tile and of the template, and sums along rows, 63 KB. Any compute capability.
#include "cuda/direct/small_exact.h"

#include "cuda/direct/refine.cuh"
#include "cuda/planes/counted_sample.cuh"
#include "cuda/planes/float_image.cuh"
#include "cuda/planes/sample_integer.cuh"
#include "cuda/runtime/warp.cuh"

extern "C" {
#include "plan/cost_fft_cuda.h"
}

#include "math/exact_score.h"
#include "math/long_score.h"

namespace xncc {

namespace {

constexpr int WIDTH = 32, HEIGHT = 16, THREADS = WIDTH * HEIGHT;
constexpr int SIDE = XNCC_FLOAT_FUSED_TEMPLATE, PIXELS = SIDE * SIDE; // of a template, at most
constexpr int PITCH = WIDTH + SIDE - 1, ROWS = HEIGHT + SIDE - 1;
constexpr int LIMB_BITS = 26;
constexpr int FEW_LIMBS = 2, MOST_LIMBS = 6;
constexpr int SPARSE = 4;             // of so many limbs, some are often 0
constexpr int MANY = 4;               // windows in doubt of a tile
constexpr int BLOCKS = 2;             // per multiprocessor
constexpr int MOST_CHANNELS_LOG2 = 6; // XNCC_MAX_CHANNELS is 64
constexpr int PIXELS_LOG2 = 8;

// The limbs of an integer, with its sign, and 1 if its pixel counts.
template <int LIMBS> struct Element {
    static constexpr int PARTS = (LIMBS + 4) / 4 * 4;
    int32_t part[PARTS];

    __device__ void set(const Counted &sample, int32_t unit)
    {
        const Integer v = integer_of(value_of(sample), unit);
#pragma unroll
        for (int l = 0; l < LIMBS; l++) {
            const uint64_t from = shifted(v.mantissa, v.place - LIMB_BITS * l),
                           own = l == LIMBS - 1 ? from : from & ((1u << LIMB_BITS) - 1);
            part[l] = v.negative ? -static_cast<int32_t>(own) : static_cast<int32_t>(own);
        }
        part[LIMBS] = sample.counts;
    }
    __device__ static Element load(const Element *from)
    {
        Element e;
#pragma unroll
        for (int i = 0; i < PARTS; i += 4)
            *reinterpret_cast<int4 *>(e.part + i) = *reinterpret_cast<const int4 *>(from->part + i);
        return e;
    }
};

// The shared memory of a block. T and T2: weight by weight, if all windows have the same. used: a
// bit for each limb of the image that is not 0.
template <int LIMBS> struct Tile {
    Element<LIMBS> image[ROWS * PITCH], templ[PIXELS];
    int64_t along[ROWS * WIDTH];
    unsigned long long T[LIMBS], T2[2 * LIMBS - 1];
    uint32_t used;

    static __device__ Tile &of_block()
    {
        extern __shared__ int4 memory[];
        return *reinterpret_cast<Tile *>(memory);
    }
};

// Sample (x, y) of the rectangle of windows in a channel; one that none of them reaches does not
// count.
template <xncc_pixel PIXEL>
__device__ __noinline__ Counted image_at(const PixelsJob &job, int x, int y, int channel)
{
    return x < job.width + job.templ_width - 1 && y < job.rows + job.templ_height - 1
               ? counted_sample<PIXEL>(job.image, job.border, job.channels, job.x + x, job.y + y,
                                       channel)
               : Counted{ false, 0.0 };
}

template <xncc_pixel PIXEL>
__device__ Counted templ_at(const PixelsJob &job, int x, int y, int channel)
{
    return { !job.mask || job.mask[y * job.templ_width + x] != 0,
             xncc_sample_value(PIXEL, job.pixels + y * job.pitch,
                               int64_t{ x } * job.channels + channel) };
}

// Calls function(number, sample) for the thread's samples of the tile's image at (x, y), and of the
// template.
template <xncc_pixel PIXEL, class Function>
__device__ __forceinline__ void each_of_image(const PixelsJob &job, int x, int y, int channel,
                                              const Function &function)
{
    constexpr int AT_A_TIME = 3; // whose loads are in flight
    const int columns = WIDTH + job.templ_width - 1, rows = HEIGHT + job.templ_height - 1;
    const int64_t left = job.x + x, top = job.y + y;
    const bool inside = x + WIDTH <= job.width && y + HEIGHT <= job.rows && left >= 0 && top >= 0 &&
                        left + columns <= job.image.width && top + rows <= job.image.height;
    for (int first = static_cast<int>(threadIdx.x); first < columns * rows;
         first += THREADS * AT_A_TIME) {
        Counted sample[AT_A_TIME];
#pragma unroll
        for (int k = 0; k < AT_A_TIME; k++) {
            const int i = first + k * THREADS, column = i % columns, row = i / columns;
            if (i < columns * rows)
                sample[k] = inside ? inner_sample<PIXEL>(job.image, job.channels, left + column,
                                                         top + row, channel)
                                   : image_at<PIXEL>(job, x + column, y + row, channel);
        }
#pragma unroll
        for (int k = 0; k < AT_A_TIME; k++) {
            const int i = first + k * THREADS;
            if (i < columns * rows)
                function(i / columns * PITCH + i % columns, sample[k]);
        }
    }
}

template <xncc_pixel PIXEL, class Function>
__device__ void each_of_templ(const PixelsJob &job, int channel, const Function &function)
{
    const int i = static_cast<int>(threadIdx.x);
    static_assert(PIXELS <= THREADS, "a thread has a pixel");
    if (i < job.templ_width * job.templ_height)
        function(i, templ_at<PIXEL>(job, i % job.templ_width, i / job.templ_width, channel));
}

// The grid of all samples of the tile and of the template; empty if one is not finite. Every thread
// gets it.
template <xncc_pixel PIXEL> __device__ xncc_grid grid_of(const PixelsJob &job, int x, int y)
{
    __shared__ xncc_grid all;
    xncc_grid grid = xncc_grid_empty();
    bool bad = false;
    const auto add = [&](int, const Counted &sample) {
        if (!sample.counts)
            return;
        bad = bad || !isfinite(sample.v);
        if (isfinite(sample.v))
            xncc_grid_add(&grid, sample.v);
    };
    for (int c = 0; c < job.channels; c++) {
        each_of_image<PIXEL>(job, x, y, c, add);
        each_of_templ<PIXEL>(job, c, add);
    }
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

// Calls add(weight, product) for the products of the square of an integer.
template <int LIMBS, class Number, class Add>
__device__ __forceinline__ void each_square(const Number (&v)[LIMBS], const Add &add)
{
#pragma unroll
    for (int l = 0; l < LIMBS; l++)
#pragma unroll
        for (int m = l; m < LIMBS; m++)
            add(l + m, static_cast<int64_t>(v[l]) * (m > l ? 2 * v[m] : v[m]));
}

// Adds what limb l of a pixel, and its products with those above, have of S and Q.
template <int LIMBS>
__device__ __forceinline__ void add_limb(int l, const int32_t (&part)[Element<LIMBS>::PARTS],
                                         int64_t (&S)[LIMBS], int64_t (&Q)[2 * LIMBS - 1])
{
    S[l] += part[l];
#pragma unroll
    for (int m = l; m < LIMBS; m++)
        Q[l + m] += static_cast<int64_t>(part[l]) * (m > l ? 2 * part[m] : part[m]);
}

// Which pixels of windows count.
enum class Counts {
    WHOLE, // all of them
    SAME,  // the same of every window, by the template's mask: windows have T, T2 and n in common
    OWN    // those that the image decides
};

// The sums of a channel of a window, weight by weight.
template <int LIMBS, Counts COUNTS> struct Sums {
    static constexpr int WEIGHTS = 2 * LIMBS - 1;
    int64_t X[WEIGHTS], Q[WEIGHTS], T2[WEIGHTS], S[LIMBS], T[LIMBS];
    uint32_t n;

    __device__ __forceinline__ void add(const Element<LIMBS> &v, const Element<LIMBS> &t,
                                        uint32_t used)
    {
#pragma unroll
        for (int l = 0; l < LIMBS; l++) {
            if (LIMBS >= SPARSE && !(used >> l & 1u))
                continue;
#pragma unroll
            for (int m = 0; m < LIMBS; m++)
                X[l + m] += static_cast<int64_t>(v.part[l]) * t.part[m];
            if (COUNTS != Counts::WHOLE)
                add_limb<LIMBS>(l, v.part, S, Q);
        }
        if (COUNTS != Counts::OWN)
            return;
        n += v.part[LIMBS];
        int32_t templ[LIMBS];
#pragma unroll
        for (int l = 0; l < LIMBS; l++) {
            templ[l] = v.part[LIMBS] ? t.part[l] : 0;
            T[l] += templ[l];
        }
        each_square(templ, [&](int weight, int64_t product) { T2[weight] += product; });
    }
    // S and Q of the thread's window, if all pixels count. All threads of the block take part.
    __device__ __forceinline__ void add_boxes(const PixelsJob &job, Tile<LIMBS> &tile)
    {
        constexpr int EACH = (ROWS * WIDTH + THREADS - 1) / THREADS; // sums along rows of a thread
        const int own = static_cast<int>(threadIdx.x),
                  count = WIDTH * (HEIGHT + job.templ_height - 1);
        const uint32_t used = tile.used;
        int64_t of_S[EACH][LIMBS] = {}, of_Q[EACH][WEIGHTS] = {};
#pragma unroll
        for (int e = 0; e < EACH; e++) {
            const int i = min(own + e * THREADS, count - 1);
            const Element<LIMBS> *from = tile.image + i / WIDTH * PITCH + i % WIDTH;
            for (int k = 0; k < job.templ_width; k++) {
                const Element<LIMBS> v = Element<LIMBS>::load(from + k);
#pragma unroll
                for (int l = 0; l < LIMBS; l++)
                    if (LIMBS < SPARSE || used >> l & 1u)
                        add_limb<LIMBS>(l, v.part, of_S[e], of_Q[e]);
            }
        }
        const auto down = [&](auto along) {
            __syncthreads(); // the sums before have been read
#pragma unroll
            for (int e = 0; e < EACH; e++)
                if (own + e * THREADS < count)
                    tile.along[own + e * THREADS] = along(e);
            __syncthreads();
            int64_t sum = 0;
            for (int k = 0; k < job.templ_height; k++)
                sum += tile.along[own + k * WIDTH];
            return sum;
        };
#pragma unroll
        for (int l = 0; l < LIMBS; l++)
            S[l] = down([&](int e) { return of_S[e][l]; });
#pragma unroll
        for (int weight = 0; weight < WEIGHTS; weight++)
            Q[weight] = down([&](int e) { return of_Q[e][weight]; });
    }
    // Those that all windows have in common.
    __device__ __forceinline__ void take(const Tile<LIMBS> &tile, uint64_t whole)
    {
        if (COUNTS == Counts::OWN)
            return;
        n = static_cast<uint32_t>(whole);
#pragma unroll
        for (int l = 0; l < LIMBS; l++)
            T[l] = static_cast<int64_t>(tile.T[l]);
#pragma unroll
        for (int weight = 0; weight < WEIGHTS; weight++)
            T2[weight] = static_cast<int64_t>(tile.T2[weight]);
    }
};

template <int WORDS, int WEIGHTS>
__device__ __forceinline__ void to_words(const int64_t (&sum)[WEIGHTS], uint32_t (&to)[WORDS])
{
#pragma unroll
    for (int i = 0; i < WORDS; i++)
        to[i] = 0;
#pragma unroll
    for (int weight = 0; weight < WEIGHTS; weight++)
        xncc_long_add(to, 1, WORDS, sum[weight], LIMB_BITS * weight);
}

// The arguments of the formula of a window, so far.
template <int LIMBS> struct Terms {
    static constexpr int BITS = LIMBS * LIMB_BITS + 1,
                         WORDS = (2 * BITS + 2 * (PIXELS_LOG2 + MOST_CHANNELS_LOG2) + 4 + 31) / 32;
    uint32_t numerator[WORDS], image[WORDS], templ[WORDS];

    template <Counts COUNTS>
    __device__ __forceinline__ void add(xncc_method method, const Sums<LIMBS, COUNTS> &sums)
    {
        const bool centred = xncc_method_is_centred(method);
        const uint32_t factor = centred ? sums.n : 1;
        uint32_t a[WORDS], b[WORDS], scratch[WORDS];
        to_words(sums.X, a);
        xncc_long_add_X(method, sums.n, a, numerator, WORDS);
        to_words(sums.Q, a);
        to_words(sums.T2, b);
        if (xncc_method_of_difference(method)) {
            xncc_long_add_multiple(numerator, WORDS, 1, a);
            xncc_long_add_multiple(numerator, WORDS, 1, b);
        }
        xncc_long_add_multiple(image, WORDS, factor, a);
        xncc_long_add_multiple(templ, WORDS, factor, b);
        if (!centred)
            return;
        to_words(sums.S, a);
        to_words(sums.T, b);
        xncc_long_subtract_product(numerator, WORDS, a, b, scratch);
        xncc_long_subtract_product(image, WORDS, a, a, scratch);
        xncc_long_subtract_product(templ, WORDS, b, b, scratch);
    }
    __device__ __forceinline__ float score(const PixelsJob &job, uint32_t n, int32_t unit)
    {
        float score;
        if (xncc_general_score_from_count(job.method, &job.rule, n, &score))
            return score;
        const xncc_real of_numerator = xncc_long_round(numerator, WORDS, unit),
                        of_image = xncc_long_round(image, WORDS, unit),
                        of_templ = xncc_long_round(templ, WORDS, unit);
        return xncc_score_of_terms(job.method, &job.rule, n, of_numerator, of_image, of_templ);
    }
};

// Loads a channel of the tile at (x, y), and the template.
template <xncc_pixel PIXEL, int LIMBS, Counts COUNTS>
__device__ __forceinline__ void load_tile(const PixelsJob &job, int x, int y, int channel,
                                          int32_t unit, Tile<LIMBS> *tile)
{
    __syncthreads(); // what was there has been read
    if (threadIdx.x < 2 * LIMBS - 1)
        tile->T2[threadIdx.x] = 0;
    if (threadIdx.x < LIMBS)
        tile->T[threadIdx.x] = 0;
    if (threadIdx.x == 0)
        tile->used = 0;
    __syncthreads();
    uint32_t used = 0;
    each_of_image<PIXEL>(job, x, y, channel, [&](int to, const Counted &sample) {
        tile->image[to].set(sample, unit);
#pragma unroll
        for (int l = 0; l < LIMBS && LIMBS >= SPARSE; l++)
            used |= tile->image[to].part[l] ? 1u << l : 0u;
    });
    int32_t part[LIMBS] = {}; // of this thread's pixel of the template
    each_of_templ<PIXEL>(job, channel, [&](int to, const Counted &sample) {
        tile->templ[to].set(sample, unit);
#pragma unroll
        for (int l = 0; l < LIMBS; l++)
            part[l] = tile->templ[to].part[l];
    });
    if constexpr (LIMBS >= SPARSE) {
        used = warp_or(used);
        if (threadIdx.x % WARP_LANES == 0)
            atomicOr(&tile->used, used);
    }
    __syncthreads();
    if (COUNTS == Counts::OWN || threadIdx.x >= PIXELS)
        return;
    const auto add = [](unsigned long long *to, int64_t own) {
        own = warp_sum(own);
        if (threadIdx.x % WARP_LANES == 0)
            atomicAdd(to, static_cast<unsigned long long>(own));
    };
    int64_t squares[2 * LIMBS - 1] = {};
    each_square(part, [&](int weight, int64_t product) { squares[weight] += product; });
#pragma unroll
    for (int l = 0; l < LIMBS; l++)
        add(tile->T + l, part[l]);
#pragma unroll
    for (int weight = 0; weight < 2 * LIMBS - 1; weight++)
        add(tile->T2 + weight, squares[weight]);
}

// Settles the windows in doubt of the tile at (x, y).
template <xncc_pixel PIXEL, int LIMBS, Counts COUNTS>
__device__ __noinline__ void settle_tile(const PixelsJob &job, int x, int y, bool doubt,
                                         int32_t unit)
{
    Tile<LIMBS> &tile = Tile<LIMBS>::of_block();
    const int own = static_cast<int>(threadIdx.x), column = own % WIDTH, row = own / WIDTH;
    Terms<LIMBS> terms = {};
    uint32_t n = 0;
    for (int c = 0; c < job.channels; c++) {
        load_tile<PIXEL, LIMBS, COUNTS>(job, x, y, c, unit, &tile);
        __syncthreads();
        Sums<LIMBS, COUNTS> sums = {};
        if (COUNTS == Counts::WHOLE)
            sums.add_boxes(job, tile);
        if (!doubt)
            continue;
        sums.take(tile, job.rule.whole);
        const uint32_t used = tile.used;
        const Element<LIMBS> *templ = tile.templ, *image = tile.image + row * PITCH + column;
        for (int j = 0; j < job.templ_height; j++, image += PITCH)
            for (int i = 0; i < job.templ_width; i++, templ++)
                if (templ->part[LIMBS])
                    sums.add(Element<LIMBS>::load(image + i), Element<LIMBS>::load(templ), used);
        terms.add(job.method, sums);
        n = sums.n;
    }
    if (doubt)
        job.map[(y + row) * job.map_pitch + x + column] = terms.score(
            job, n, 2 * (unit + XNCC_WIDE_VALUES));
    __syncthreads(); // the tile has been read
}

// The windows of a tile in doubt.
struct TileDoubts {
    int x, y; // its first window
    bool own; // of the thread

    __device__ TileDoubts(const PixelsJob &job, int number)
    {
        const int across = ceil_div(job.width, WIDTH), thread = static_cast<int>(threadIdx.x);
        x = number % across * WIDTH;
        y = number / across * HEIGHT;
        const int column = x + thread % WIDTH, row = y + thread / WIDTH;
        own = column < job.width && row < job.rows &&
              __float_as_uint(job.map[row * job.map_pitch + column]) == XNCC_DOUBT;
    }
};

template <xncc_pixel PIXEL, Counts COUNTS>
__global__ __launch_bounds__(THREADS) void settle_tiles(const __grid_constant__ PixelsJob job,
                                                        const uint32_t *doubts, uint32_t few)
{
    if (*doubts <= few)
        return;
    const int tiles = ceil_div(job.width, WIDTH) * ceil_div(job.rows, HEIGHT),
              step = static_cast<int>(gridDim.x);
    int number = static_cast<int>(blockIdx.x);
    TileDoubts next(job, number); // one tile ahead
    for (; number < tiles; number += step) {
        const TileDoubts tile = next;
        next = TileDoubts(job, number + step);
        if (__syncthreads_count(tile.own) < MANY)
            continue;
        const xncc_grid grid = grid_of<PIXEL>(job, tile.x, tile.y);
        const int bits = grid.top - grid.unit;
        const auto settle = [&](auto limbs) {
            settle_tile<PIXEL, decltype(limbs)::value, COUNTS>(job, tile.x, tile.y, tile.own,
                                                               grid.unit);
        };
        if (!grid.top || bits > MOST_LIMBS * LIMB_BITS)
            continue;
        if (bits <= FEW_LIMBS * LIMB_BITS + 1)
            settle(std::integral_constant<int, FEW_LIMBS>());
        else if (bits <= 3 * LIMB_BITS)
            settle(std::integral_constant<int, 3>());
        else if (bits <= 4 * LIMB_BITS)
            settle(std::integral_constant<int, 4>());
        else
            settle(std::integral_constant<int, MOST_LIMBS>());
    }
}

// Calls a function with a kernel.
template <class Function>
void with_kernel(xncc_pixel pixel, Counts counts, const Function &function)
{
    with_float_pixel(pixel, [&](auto type) {
        function(counts == Counts::WHOLE  ? settle_tiles<type, Counts::WHOLE>
                 : counts == Counts::SAME ? settle_tiles<type, Counts::SAME>
                                          : settle_tiles<type, Counts::OWN>);
    });
}

} // namespace

cudaError_t small_exact_set_max_shared_memory()
{
    cudaError_t code = cudaSuccess;
    for (const xncc_pixel pixel : { XNCC_F32, XNCC_F64, XNCC_U32 })
        for (const Counts counts : { Counts::WHOLE, Counts::SAME, Counts::OWN })
            with_kernel(pixel, counts, [&](auto *kernel) {
                if (code == cudaSuccess)
                    code = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                                static_cast<int>(sizeof(Tile<MOST_LIMBS>)));
            });
    return code;
}

cudaError_t launch_small_exact(const PixelsJob &job, const uint32_t *doubts, uint32_t few,
                               int processors, cudaStream_t stream)
{
    static_assert(sizeof(Tile<MOST_LIMBS>) <= 64 << 10 &&
                      sizeof(Tile<4>) <= sizeof(Tile<MOST_LIMBS>),
                  "compute capability 7.5 has no more");
    const Counts counts = job.varies ? Counts::OWN : job.mask ? Counts::SAME : Counts::WHOLE;
    with_kernel(job.image.pixel, counts, [&](auto *kernel) {
        kernel<<<static_cast<unsigned>(processors * BLOCKS), THREADS, sizeof(Tile<MOST_LIMBS>),
                 stream>>>(job, doubts, few);
    });
    return cudaGetLastError();
}

} // namespace xncc
