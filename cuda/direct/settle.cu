// SPDX-License-Identifier: BSD-2-Clause
// The windows of floats that are in doubt, one by one: sums in pairs of doubles, and where their
// interval does not round to one float, the exact sums (math/exact_score.h).
//
// Thread mapping: a block looks at a chunk of adjacent elements of the map, or takes windows of a
// list. Its threads, 128 or for large windows of a list 512, take the pixels of one window in doubt
// after the other. Pairs of doubles are added up in a tree, and with one channel they are exact
// themselves if the samples are on a coarse grid (math/grid.h). Exact sums are made as long
// integers by 64 threads and scored by a warp (long_sums.cuh), or, if the samples are too far
// apart, as digits in shared memory by atomic additions, which need no order, and scored by a
// thread. Under a small template the exact sums are made by a warp for each window of a chunk,
// where its samples are integers of few bits (integer_sums.cuh): in a clear sky, with two grey
// levels, many numerators are exactly 0. Under the smallest ones and with several channels these
// cost less than pairs of doubles, which are then left out.
// Shared memory: struct Sums, 20 KB.
//
// A window of which too few pixels count scores NaN: a list may have it because of a far sample.
// Runs on every compute capability.
#include "cuda/direct/settle.h"

#include "cuda/direct/integer_sums.cuh"
#include "cuda/direct/long_sums.cuh"
#include "cuda/direct/refine.cuh"
#include "cuda/peaks/peak_key.cuh"
#include "cuda/planes/counted_sample.cuh"
#include "cuda/runtime/warp.cuh"

#include "math/grid.h"
#include "math/near.h"

namespace xncc {

namespace {

constexpr int THREADS = 128, LISTED_THREADS = 512; // the latter for large windows of a list
constexpr int LARGE = 8192;                        // pixels of a template
constexpr int WARPS = LISTED_THREADS / WARP_LANES;
constexpr int LONG_THREADS = 64;
constexpr int CHUNK = 1024;    // map elements of a block at a time, at most,
constexpr int LEAST_CHUNK = 4; // and at least
constexpr int BATCH = 4;       // pixels of a thread whose loads are in flight at a time
constexpr int SMALL = 1024;    // pixels of a template, under which a warp has a window,
constexpr int SMALLEST = 128;  // and under which it has all windows in doubt
constexpr int BLOCKS = 5;      // of `settle` per multiprocessor that are there at once
constexpr int MORE = 12;       // blocks per multiprocessor, of which not all are there at once
constexpr int32_t SETTLED = -1;

// The shared memory of a block.
struct Sums {
    union {
        xncc_near_sums part[WARPS];
        struct {
            xncc_exact_sums channel;
            xncc_exact_terms terms;
        } exact;
        LongDigits<LONG_THREADS> digits;
    };
    int32_t doubt[CHUNK]; // the columns in doubt; SETTLED: it was one
    int32_t doubts, counted;
    int32_t first_thread; // the first one with a pixel that counts,
    double first;         // and its first sample
    xncc_grid grid, all;  // of the samples that count in a channel, and in all
    xncc_near_terms terms;
    int32_t settled;
};

// Threads of a block.
__device__ int threads()
{
    return static_cast<int>(blockDim.x);
}

// A window and the pixels that it meets.
struct Window {
    int64_t x, y; // its first pixel in the image
    bool inside;  // all of it is in the image
    int32_t n;    // pixels that count, of this thread and then of all
    bool flat;    // all pixels of every channel equal the first that counts
    bool bad;     // one that counts is not finite
};

// A pair of samples.
struct Pair {
    bool counts;
    double v, t;
};

// Pixel (x, y) of the image, by the border.
template <xncc_pixel PIXEL>
__device__ __noinline__ Counted border_sample(const PixelsJob &job, int64_t x, int64_t y,
                                              int channel)
{
    return counted_sample<PIXEL>(job.image, job.border, job.channels, x, y, channel);
}

// A pixel of the window and of the template, in a channel.
template <xncc_pixel PIXEL>
__device__ __forceinline__ Pair pair_at(const PixelsJob &job, const Window &w, const Walk &at,
                                        int channel)
{
    const int64_t j = at.j, k = at.i;
    const double t = xncc_sample_value(PIXEL, job.pixels + j * job.pitch,
                                       k * job.channels + channel);
    const Counted sample = w.inside ? inner_sample<PIXEL>(job.image, job.channels, w.x + k, w.y + j,
                                                          channel)
                                    : border_sample<PIXEL>(job, w.x + k, w.y + j, channel);
    Pair pair = { sample.counts, sample.v, t };
    if (job.mask)
        pair.counts = pair.counts && job.mask[j * job.templ_width + k] != 0;
    return pair;
}

__host__ __device__ int64_t pixels_of(const PixelsJob &job)
{
    return static_cast<int64_t>(job.templ_width) * job.templ_height;
}

// Is the template so small that a warp makes the integer sums of a window?
__host__ __device__ bool is_small(const PixelsJob &job)
{
    return pixels_of(job) <= SMALL;
}
// Are pairs of doubles tried before these sums?
__host__ __device__ bool is_near_first(const PixelsJob &job)
{
    return is_small(job) && job.channels == 1 && pixels_of(job) > SMALLEST;
}

// Calls function(v, t) for those pairs of a channel whose pixels count that are `own` of `all`
// threads.
template <xncc_pixel PIXEL, class Function>
__device__ __forceinline__ void each_pair(const PixelsJob &job, const Window &w, int channel,
                                          int own, int all, const Function &function)
{
    Walk at(own, all, job.templ_width);
    while (at.j < job.templ_height) {
        Pair pair[BATCH];
#pragma unroll
        for (int k = 0; k < BATCH; k++) {
            pair[k] = at.j < job.templ_height ? pair_at<PIXEL>(job, w, at, channel) : Pair{};
            at.next();
        }
#pragma unroll
        for (int k = 0; k < BATCH; k++)
            if (pair[k].counts)
                function(pair[k].v, pair[k].t);
    }
}

// Adds up the sums of a warp's lanes; every lane gets the sum.
__device__ void add_lanes(xncc_near_sums *s)
{
    s->S = group_pair(s->S, WARP_LANES);
    s->Q = group_pair(s->Q, WARP_LANES);
    s->X = group_pair(s->X, WARP_LANES);
    s->T = group_pair(s->T, WARP_LANES);
    s->T2 = group_pair(s->T2, WARP_LANES);
}

// Sums a channel in pairs of doubles, to sums->part[0].
template <xncc_pixel PIXEL>
__device__ void sum_pairs(const PixelsJob &job, Window *w, int channel, Sums *sums)
{
    const int own = static_cast<int>(threadIdx.x);
    xncc_near_sums s = {};
    int32_t n = 0;
    double first = 0.0; // of this thread's samples, which the others are compared with
    bool bad = false, flat = true;
    xncc_grid grid = xncc_grid_empty();
    each_pair<PIXEL>(job, *w, channel, own, threads(), [&](double v, double t) {
        first = n ? first : v;
        n++;
        bad = bad || !isfinite(v) || !isfinite(t);
        flat = flat && v == first;
        xncc_grid_add(&grid, v);
        xncc_grid_add(&grid, t);
        xncc_near_put(&s, v, t);
    });
    add_lanes(&s);
    __syncthreads(); // the sums of the channel before have been read
    if (own % WARP_LANES == 0)
        sums->part[own / WARP_LANES] = s;
    if (own == 0) {
        sums->counted = 0;
        sums->first_thread = LISTED_THREADS;
        sums->grid = xncc_grid_empty();
    }
    __syncthreads();
    atomicAdd(&sums->counted, n);
    atomicMin(&sums->grid.unit, grid.unit);
    atomicMax(&sums->grid.top, grid.top);
    if (n)
        atomicMin(&sums->first_thread, own);
    __syncthreads();
    if (own == sums->first_thread)
        sums->first = first;
    __syncthreads();
    w->n = sums->counted;
    w->bad = __syncthreads_or(bad) || w->bad;
    w->flat = __syncthreads_and(flat && (!n || first == sums->first)) && w->flat;
    if (own < WARP_LANES) {
        s = own < threads() / WARP_LANES ? sums->part[own] : xncc_near_sums{};
        add_lanes(&s);
        __syncwarp();
        if (own == 0)
            sums->part[0] = s;
    }
    __syncthreads();
}

// Sums a channel in long integers and adds it to the terms of the first warp.
template <xncc_pixel PIXEL>
__device__ void sum_long(const PixelsJob &job, const Window &w, int channel, Sums *sums,
                         LongTerms *terms)
{
    const int own = static_cast<int>(threadIdx.x), words = terms->words, unit = sums->all.unit;
    LongDigits<LONG_THREADS> &digits = sums->digits;
    LongSums s;
    for (const bool of_templ : { false, true }) {
        __syncthreads(); // what was there has been read
        if (own < LONG_THREADS) {
            digits.clear(own);
            each_pair<PIXEL>(job, w, channel, own, LONG_THREADS, [&](double v, double t) {
                const Integer of = integer_of(of_templ ? t : v, unit);
                digits.template add<PIXEL>(own, of);
                if (!of_templ)
                    digits.template add<PIXEL>(own, of, integer_of(t, unit));
            });
        }
        __syncthreads();
        if (own >= WARP_LANES)
            continue;
        join_digits(digits.S, 0, LONG_THREADS, LONG_VALUE_WORDS, words, of_templ ? s.T : s.S);
        join_digits(digits.Q, 0, LONG_THREADS, words, words, of_templ ? s.T2 : s.Q);
        if (!of_templ)
            join_digits(digits.X, 0, LONG_THREADS, words, words, s.X);
    }
    if (own < WARP_LANES)
        terms->add(job.method, static_cast<uint32_t>(w.n), s);
}

// The score by sums in long integers of so many words.
template <xncc_pixel PIXEL>
__device__ void settle_long(const PixelsJob &job, const Window &w, int words, Sums *sums, float *at)
{
    LongTerms terms(words);
    for (int c = 0; c < job.channels; c++)
        sum_long<PIXEL>(job, w, c, sums, &terms);
    if (threadIdx.x >= WARP_LANES)
        return;
    const float score = terms.score(job.method, job.rule, static_cast<uint32_t>(w.n),
                                    sums->all.unit);
    if (threadIdx.x == 0)
        *at = score;
}

// Sums a channel exactly and adds it to the terms.
template <xncc_pixel PIXEL>
__device__ void sum_exactly(const PixelsJob &job, const Window &w, int channel, Sums *sums)
{
    const int own = static_cast<int>(threadIdx.x);
    int64_t *digits = reinterpret_cast<int64_t *>(&sums->exact.channel);
    const int count = static_cast<int>(sizeof(xncc_exact_sums) / sizeof(int64_t));
    const int64_t pixels = pixels_of(job);
    for (int i = own; i < count; i += threads())
        digits[i] = 0;
    __syncthreads();
    constexpr int64_t BETWEEN = INT64_C(1) << 28; // pixels between two normalizations
    Walk at(own, threads(), job.templ_width);
    for (int64_t begin = 0; begin < pixels; begin += BETWEEN) {
        const int64_t end = begin + BETWEEN < pixels ? begin + BETWEEN : pixels;
        for (int64_t i = begin + own; i < end; i += threads(), at.next()) {
            const Pair pair = pair_at<PIXEL>(job, w, at, channel);
            if (pair.counts)
                xncc_exact_add_pair(&sums->exact.channel, job.method, pair.v, pair.t);
        }
        __syncthreads();
        if (own == 0)
            xncc_exact_normalize(&sums->exact.channel);
        __syncthreads();
    }
    if (own == 0)
        xncc_exact_add_channel(&sums->exact.terms, job.method, w.n, &sums->exact.channel);
    __syncthreads();
}

// The score by pairs of doubles. Returns false if they do not decide it. The whole block gets the
// same answer.
template <xncc_pixel PIXEL>
__device__ bool settle_near(const PixelsJob &job, Window *w, Sums *sums, float *at)
{
    const bool leader = threadIdx.x == 0;
    if (leader) {
        sums->terms = {};
        sums->all = xncc_grid_empty();
    }
    for (int c = 0; c < job.channels; c++) {
        sum_pairs<PIXEL>(job, w, c, sums);
        if (leader) {
            sums->all = xncc_grid_join(sums->all, sums->grid);
            sums->part[0].n = w->n;
            const double pixels = static_cast<double>(pixels_of(job));
            const int exact = job.channels == 1 && xncc_grid_is_exact(sums->grid, pixels);
            xncc_near_add_channel(&sums->terms, job.method, &sums->part[0], pixels, pixels, exact);
        }
    }
    if (leader) {
        float score;
        bool settled = true;
        if (xncc_general_score_from_count(job.method, &job.rule, static_cast<uint64_t>(w->n),
                                          &score) ||
            w->bad)
            score = NAN;
        else if (w->flat && xncc_method_is_centred(job.method))
            score = xncc_window_flat(job.method, job.rule.undefined);
        else
            settled = xncc_near_score(job.method, w->n, &sums->terms, &score) != 0;
        if (settled)
            *at = score;
        sums->settled = settled;
    }
    __syncthreads();
    return sums->settled != 0;
}

template <xncc_pixel PIXEL>
__device__ void settle_exactly(const PixelsJob &job, const Window &w, Sums *sums, float *at)
{
    int64_t *digits = reinterpret_cast<int64_t *>(&sums->exact.terms);
    const int count = static_cast<int>(sizeof(xncc_exact_terms) / sizeof(int64_t));
    for (int i = static_cast<int>(threadIdx.x); i < count; i += threads())
        digits[i] = 0;
    for (int c = 0; c < job.channels; c++)
        sum_exactly<PIXEL>(job, w, c, sums);
    if (threadIdx.x == 0)
        *at = xncc_exact_score(job.method, &job.rule, w.n, &sums->exact.terms);
}

// The window of element (x, y) of the map.
__device__ Window window_at(const PixelsJob &job, int x, int y)
{
    const int64_t left = job.x + x, top = job.y + y;
    const bool inside = left >= 0 && left + job.templ_width <= job.image.width && top >= 0 &&
                        top + job.templ_height <= job.image.height;
    return { left, top, inside, 0, true, false };
}

// Settles element (x, y) of the map by all threads of the block, unless that takes exact sums,
// which are not to be made. Returns whether it did; all threads get the same answer.
template <xncc_pixel PIXEL>
__device__ bool settle_window(const PixelsJob &job, int x, int y, bool exactly, Sums *sums)
{
    float *at = job.map + y * job.map_pitch + x;
    Window w = window_at(job, x, y);
    const bool near = settle_near<PIXEL>(job, &w, sums, at);
    if (!near && !exactly)
        return false;
    const uint32_t samples = static_cast<uint32_t>(w.n) * static_cast<uint32_t>(job.channels);
    const int words = near ? 0 : long_words(sums->all, samples);
    if (words > LONG_WORDS)
        settle_exactly<PIXEL>(job, w, sums, at);
    else if (words)
        settle_long<PIXEL>(job, w, words, sums, at);
    __syncthreads();      // the sums have been read
    if (threadIdx.x == 0) // which has written the score
        raise_tile(job.tiles, x, y, *at);
    return true;
}

// The grid of the samples that count, by a warp; that of one which is not finite serves nothing.
template <xncc_pixel PIXEL>
__device__ __noinline__ xncc_grid grid_of_window(const PixelsJob &job, const Window &w)
{
    xncc_grid grid = xncc_grid_empty();
    for (int c = 0; c < job.channels; c++)
        each_pair<PIXEL>(job, w, c, static_cast<int>(threadIdx.x) % WARP_LANES, WARP_LANES,
                         [&](double v, double t) {
                             if (!isfinite(v) || !isfinite(t))
                                 grid = { 0, INT32_MAX };
                             xncc_grid_add(&grid, isfinite(v) ? v : 0.0);
                             xncc_grid_add(&grid, isfinite(t) ? t : 0.0);
                         });
    return warp_grid(grid);
}

// The windows whose sums a warp holds, one per lane, and the unit of the samples of the last one,
// which those of the next mostly have, too.
struct Held {
    int count;
    bool has_unit;
    int32_t unit;
    HeldWindow own;
};

// Makes the sums of the window of element (x, y) in the unit, for the next lane. Returns false if
// its samples are no integers of few bits.
template <xncc_pixel PIXEL>
__device__ bool hold_sums(const PixelsJob &job, int x, int y, Held *held)
{
    const int lane = static_cast<int>(threadIdx.x) % WARP_LANES;
    const Window w = window_at(job, x, y);
    uint32_t n;
    bool fits = true;
    for (int c = 0; c < job.channels && fits; c++) {
        const IntegerSums sums = integer_sums(
            held->unit,
            [&](const auto &add) { each_pair<PIXEL>(job, w, c, lane, WARP_LANES, add); }, &n,
            &fits);
        fits = __all_sync(WARP_ALL, fits) != 0;
        if (lane == held->count)
            held->own.of[c] = sums;
    }
    n = warp_sum(n);
    if (lane == held->count) {
        held->own.x = x;
        held->own.y = y;
        held->own.n = n;
        held->own.unit = held->unit;
    }
    return fits;
}

// Makes the sums of a window by a warp. Returns false if it is left to the block: if its samples
// are too far apart, or one is not finite.
template <xncc_pixel PIXEL>
__device__ bool settle_small(const PixelsJob &job, int x, int y, Held *held)
{
    if (job.channels > INTEGER_CHANNELS)
        return false;
    if (!held->has_unit || !hold_sums<PIXEL>(job, x, y, held)) {
        held->has_unit = choose_unit(grid_of_window<PIXEL>(job, window_at(job, x, y)), &held->unit);
        if (!held->has_unit || !hold_sums<PIXEL>(job, x, y, held))
            return false;
    }
    held->count++;
    return true;
}

// Scores the windows that a warp holds.
__device__ __noinline__ void score_held(const PixelsJob &job, const Held &held)
{
    const HeldWindow &own = held.own;
    float score;
    if (static_cast<int>(threadIdx.x) % WARP_LANES >= held.count)
        return;
    if (xncc_general_score_from_count(job.method, &job.rule, own.n, &score))
        score = NAN;
    else
        score = score_integers(job.method, job.rule, job.channels, own);
    job.map[own.y * job.map_pitch + own.x] = score;
    raise_tile(job.tiles, own.x, own.y, score);
}

// Settles the windows of the list, a block for each, one after the other.
template <xncc_pixel PIXEL>
__device__ __noinline__ void settle_listed(const PixelsJob &job, const SettleList &list, Sums *sums)
{
    for (uint32_t i = blockIdx.x; i < min(*list.count, list.room); i += gridDim.x) {
        const FloatDoubt at = list.window[i];
        const float score = job.map[at.y * job.map_pitch + at.x];
        // A window may be listed twice, and another block may settle it meanwhile. So threads may
        // read different scores, and all go on if one saw the mark.
        if (__syncthreads_or(__float_as_uint(score) == XNCC_DOUBT))
            settle_window<PIXEL>(job, at.x, at.y, true, sums);
        __syncthreads();
    }
}

// Settles the windows of the list or, if there may be others, all of the map. SIZE: threads of a
// block.
template <xncc_pixel PIXEL, int SIZE>
__global__ __launch_bounds__(SIZE, SIZE == THREADS ? BLOCKS : 1) void settle(
    const __grid_constant__ PixelsJob job, int of_chunk, const SettleList list)
{
    __shared__ Sums sums;
    if (list.doubts && *list.doubts <= list.room) {
        if (list.window)
            settle_listed<PIXEL>(job, list, &sums);
        return;
    }
    const bool small = is_small(job), near_first = is_near_first(job);
    const int warp = static_cast<int>(threadIdx.x) / WARP_LANES;
    const int across = ceil_div(job.width, of_chunk);
    Held held;
    held.count = 0;
    held.has_unit = false;
    for (int64_t chunk = blockIdx.x; chunk < int64_t{ across } * job.rows; chunk += gridDim.x) {
        const int y = static_cast<int>(chunk / across),
                  first = static_cast<int>(chunk % across) * of_chunk;
        float *row = job.map + y * job.map_pitch;
        if (threadIdx.x == 0)
            sums.doubts = 0;
        __syncthreads();
        for (int x = first + static_cast<int>(threadIdx.x); x < min(first + of_chunk, job.width);
             x += SIZE)
            if (__float_as_uint(row[x]) == XNCC_DOUBT)
                sums.doubt[atomicAdd(&sums.doubts, 1)] = x;
        __syncthreads();
        const int doubts = sums.doubts;
        for (int i = 0; i < doubts && near_first; i++)
            if (settle_window<PIXEL>(job, sums.doubt[i], y, false, &sums) && threadIdx.x == 0)
                sums.doubt[i] = SETTLED;
        __syncthreads();
        for (int i = warp; i < doubts && small; i += SIZE / WARP_LANES) {
            const int x = sums.doubt[i];
            if (x != SETTLED && settle_small<PIXEL>(job, x, y, &held)) {
                __syncwarp(); // all lanes have read it
                sums.doubt[i] = SETTLED;
            }
            if (held.count == WARP_LANES) {
                score_held(job, held);
                held.count = 0;
            }
        }
        __syncthreads();
        for (int i = 0; i < doubts; i++)
            if (sums.doubt[i] != SETTLED)
                settle_window<PIXEL>(job, sums.doubt[i], y, true, &sums);
        __syncthreads(); // the list has been read
    }
    score_held(job, held);
}

// Map elements of a block at a time: fewer if the map is so small that there would be few blocks.
int chunk_of(const PixelsJob &job, int processors)
{
    const int64_t most = int64_t{ job.width } * job.rows / (int64_t{ processors } * MORE);
    int chunk = CHUNK;
    while (chunk > LEAST_CHUNK && chunk > most)
        chunk /= 2;
    return chunk;
}

// The number of blocks for so many chunks. A warp scores the windows that it holds when it has 32
// of them, and the rest at its end. If warps take all windows and each block has many chunks, there
// are only as many blocks as run at once, so that few warps end.
unsigned blocks_of(const PixelsJob &job, int64_t chunks, int processors)
{
    constexpr int MANY = 8; // chunks
    const int64_t most = int64_t{ processors } * MORE, fewer = int64_t{ processors } * BLOCKS;
    const bool held = is_small(job) && !is_near_first(job) && job.channels <= INTEGER_CHANNELS &&
                      chunks >= MANY * fewer;
    return static_cast<unsigned>(held ? fewer : chunks < most ? chunks : most);
}

template <xncc_pixel PIXEL>
void launch(const PixelsJob &job, const SettleList &list, int processors, cudaStream_t stream)
{
    const int of_chunk = chunk_of(job, processors);
    const int64_t chunks = int64_t{ ceil_div(job.width, of_chunk) } * job.rows;
    const unsigned of_map = blocks_of(job, chunks, processors),
                   of_list = static_cast<unsigned>(processors * MORE),
                   blocks = list.window && of_list > of_map ? of_list : of_map;
    if (list.window && pixels_of(job) >= LARGE)
        settle<PIXEL, LISTED_THREADS><<<blocks, LISTED_THREADS, 0, stream>>>(job, of_chunk, list);
    else
        settle<PIXEL, THREADS><<<blocks, THREADS, 0, stream>>>(job, of_chunk, list);
}

} // namespace

cudaError_t launch_settle(const PixelsJob &job, const SettleList &list, int processors,
                          cudaStream_t stream)
{
    with_float_pixel(job.image.pixel,
                     [&](auto type) { launch<type>(job, list, processors, stream); });
    return cudaGetLastError();
}

} // namespace xncc
