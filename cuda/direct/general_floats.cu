// SPDX-License-Identifier: BSD-2-Clause
// Kernel `general` for floats, and windows in doubt of floats and u32: the sums of each window over
// the pixels that count, and the score of math/near.h, or XNCC_DOUBT where its bounds leave two
// floats.
//
// Thread mapping: a block of 128 threads has 128 adjacent windows of WINDOWS adjacent map rows; a
// thread has those of a column, so that a sample of the image is read from shared memory once for
// all of them. Blocks are numbered row by row along blockIdx.x, `across` blocks per row. For each
// channel the template is taken in pieces of ROWS x STRETCH pixels. Of a piece and of the image
// pixels that meet it, the block loads what counts, less a pivot, to shared memory: struct
// FloatTile, at most 36 KB. A thread goes down a column of the image, with the last WINDOWS pixels
// of the template's column in registers. If all pixels of the template count, S, Q and N are sums
// of the column's own pixels: of the first ROWS ones from the last one up, and of those below.
// Any compute capability.
//
// Samples of the image are less a pivot of the block's own, unless the method depends on it: the
// mean of some of them. So sums of squares are not much larger than the windows' variance.
//
// Errors. A column of a piece is summed first, so a term takes part in at most ROWS + 1 additions,
// and in one for each column of each piece.
#include "cuda/direct/general.h"

#include "cuda/planes/counted_sample.cuh"
#include "cuda/planes/doubt_list.cuh"
#include "cuda/planes/float_image.cuh"

#include "image/samples.h"
#include "math/method.h"
#include "math/near.h"

#include <type_traits>

namespace xncc {

namespace {

constexpr int THREADS = 128;
constexpr int ROWS = 8, STRETCH = 32;     // of a piece of the template
constexpr double LARGEST_PIVOT = 0x1p900; // so that no sample less a pivot overflows

// VARIES: which pixels of a window count depends on the image. MASKED: not all pixels of the
// template count.
template <bool VARIES, bool MASKED> struct FloatTile {
    static constexpr int WINDOWS = VARIES ? 4 : 8; // of a thread
    static constexpr int DOWN = ROWS + WINDOWS - 1;
    // Of the image: samples, and 1 where a pixel counts; both are 0 where it does not.
    double v[DOWN][THREADS + STRETCH], counts[VARIES ? DOWN : 1][THREADS + STRETCH];
    // The same of the template, and squares.
    double t[STRETCH][ROWS], templ_counts[MASKED ? STRETCH : 1][ROWS],
        square[VARIES ? STRETCH : 1][ROWS];
    double2 sum[THREADS]; // of parts
};

// The sums of a window in a channel.
struct FloatSumsOf {
    double S = 0.0, Q = 0.0, X = 0.0, N = 0.0, T = 0.0, T2 = 0.0;
};

// Sample i of a row less the pivot.
template <xncc_pixel PIXEL> __device__ double sample_of(const void *row, int64_t i, double pivot)
{
    return xncc_sum(xncc_sample_value(PIXEL, row, i), -pivot);
}

// Pixel (x, y) of the template in a channel, and 1; or 0, where it does not count.
template <xncc_pixel PIXEL>
__device__ double2 templ_at(const PixelsJob &job, int x, int y, int channel)
{
    if (job.mask && !job.mask[static_cast<int64_t>(y) * job.templ_width + x])
        return make_double2(0.0, 0.0);
    return make_double2(sample_of<PIXEL>(job.pixels + y * job.pitch,
                                         static_cast<int64_t>(x) * job.channels + channel,
                                         job.rule.pivot[channel]),
                        1.0);
}

// Adds up what the threads have put into the tile. Every thread may then read the first sum.
template <class Tile> __device__ void add_up(Tile *tile)
{
    const int own = static_cast<int>(threadIdx.x);
    for (int half = THREADS / 2; half > 0; half /= 2) {
        __syncthreads();
        if (own < half) {
            const double2 other = tile->sum[own + half];
            tile->sum[own].x += other.x;
            tile->sum[own].y += other.y;
        }
    }
    __syncthreads();
}

// The progress of a block.
struct FloatAt {
    int x, y;    // its first window
    int row, i;  // the first pixel of the piece
    int columns; // of the piece
    int channel;
};

// Loads a piece of the template, and returns the sums of what this thread has loaded and of the
// squares. Of the ROWS rows, those behind the last one are 0.
template <xncc_pixel PIXEL, bool VARIES, bool MASKED>
__device__ double2 fill_templ(const PixelsJob &job, const FloatAt &at,
                              FloatTile<VARIES, MASKED> *tile)
{
    double2 sums = {};
    for (int k = static_cast<int>(threadIdx.x); k < ROWS * STRETCH; k += THREADS) {
        const int x = k % STRETCH, y = k / STRETCH;
        if (x >= at.columns)
            continue;
        const double2 pixel = at.row + y < job.templ_height
                                  ? templ_at<PIXEL>(job, at.i + x, at.row + y, at.channel)
                                  : make_double2(0.0, 0.0);
        const double square = pixel.x * pixel.x;
        tile->t[x][y] = pixel.x;
        if (MASKED)
            tile->templ_counts[x][y] = pixel.y;
        if (VARIES)
            tile->square[x][y] = square;
        sums.x += pixel.x;
        sums.y += square;
    }
    return sums;
}

// Pixel (x, y) of the band in a channel, less the pivot, and 1; or 0, where it does not count.
template <xncc_pixel PIXEL>
__device__ __noinline__ double2 image_at(const PixelsJob &job, int64_t x, int64_t y, int channel,
                                         double pivot)
{
    const Counted sample = counted_sample<PIXEL>(job.image, job.border, job.channels, job.x + x,
                                                 job.y + y, channel);
    return sample.counts ? make_double2(xncc_sum(sample.v, -pivot), 1.0) : make_double2(0.0, 0.0);
}

// Loads the image pixels that a piece meets, less a pivot. A thread has one column, or two.
template <xncc_pixel PIXEL, bool VARIES, bool MASKED>
__device__ void fill_image(const PixelsJob &job, const FloatAt &at, double pivot,
                           FloatTile<VARIES, MASKED> *tile)
{
    constexpr int DOWN = FloatTile<VARIES, MASKED>::DOWN;
    // rows behind the template meet no pixel of it
    const int rows = min(DOWN, job.templ_height - at.row + DOWN - ROWS),
              columns = THREADS - 1 + at.columns;
    const int64_t x0 = job.x + at.x + at.i, y0 = job.y + at.y + at.row;
    xncc_image image = job.image;
    image.pixel = PIXEL; // a constant for the compiler
    const bool inside = x0 >= 0 && y0 >= 0 && x0 + columns <= image.width &&
                        y0 + rows <= image.height;
    const unsigned char *first = static_cast<const unsigned char *>(image.data) + y0 * image.pitch;
    const uint8_t *mask = image.mask && VARIES ? image.mask + y0 * image.mask_pitch : nullptr;
    for (int k = static_cast<int>(threadIdx.x); k < columns; k += THREADS) {
#pragma unroll 5
        for (int r = 0; r < DOWN; r++) {
            double2 pixel = make_double2(0.0, 0.0);
            if (r < rows && !inside) {
                pixel = image_at<PIXEL>(job, at.x + at.i + k, at.y + at.row + r, at.channel, pivot);
            } else if (r < rows) {
                const unsigned char *row = first + r * image.pitch;
                if (!VARIES ||
                    xncc_pixel_counts(&image, job.channels, row,
                                      mask ? mask + r * image.mask_pitch : nullptr, x0 + k))
                    pixel = make_double2(
                        sample_of<PIXEL>(row, (x0 + k) * job.channels + at.channel, pivot), 1.0);
            }
            tile->v[r][k] = pixel.x;
            if (VARIES)
                tile->counts[r][k] = pixel.y;
        }
    }
}

// Adds what a column of a piece and the image below it have to the sums of a thread's windows.
template <bool VARIES, bool MASKED, int WINDOWS>
__device__ __forceinline__ void add_products(const FloatTile<VARIES, MASKED> &tile, int k,
                                             FloatSumsOf (&all)[WINDOWS])
{
    const int own = static_cast<int>(threadIdx.x);
    FloatSumsOf column[WINDOWS];
    double t[WINDOWS], m[WINDOWS], square[WINDOWS]; // of rows r, r - 1, ... of the template
#pragma unroll
    for (int r = 0; r < ROWS + WINDOWS - 1; r++) {
        if (r < ROWS) {
            t[r % WINDOWS] = tile.t[k][r];
            m[r % WINDOWS] = MASKED ? tile.templ_counts[MASKED ? k : 0][r] : 0.0;
            square[r % WINDOWS] = VARIES ? tile.square[VARIES ? k : 0][r] : 0.0;
        }
        const double v = tile.v[r][own + k], v2 = v * v,
                     counts = VARIES ? tile.counts[VARIES ? r : 0][own + k] : 0.0;
#pragma unroll
        for (int i = 0; i < WINDOWS; i++) {
            const int at = (r - i + WINDOWS) % WINDOWS;
            FloatSumsOf &s = column[i];
            if (r < i || r - i >= ROWS)
                continue;
            s.X = fma(v, t[at], s.X);
            if constexpr (MASKED) {
                s.S = fma(v, m[at], s.S);
                s.Q = fma(v2, m[at], s.Q);
            }
            if constexpr (MASKED && VARIES)
                s.N = fma(counts, m[at], s.N);
            if constexpr (VARIES) {
                s.T = fma(counts, t[at], s.T);
                s.T2 = fma(counts, square[at], s.T2);
            }
        }
    }
#pragma unroll
    for (int i = 0; i < WINDOWS; i++) {
        all[i].X += column[i].X;
        if constexpr (MASKED) {
            all[i].S += column[i].S;
            all[i].Q += column[i].Q;
        }
        if constexpr (MASKED && VARIES)
            all[i].N += column[i].N;
        if constexpr (VARIES) {
            all[i].T += column[i].T;
            all[i].T2 += column[i].T2;
        }
    }
}

// S, Q and N of a pixel of the image.
template <bool VARIES, class Tile>
__device__ __forceinline__ void add_pixel(const Tile &tile, int x, int y, FloatSumsOf *to)
{
    const double v = tile.v[y][x];
    to->S += v;
    to->Q = fma(v, v, to->Q);
    if constexpr (VARIES)
        to->N += tile.counts[y][x];
}

__device__ __forceinline__ void add_own(const FloatSumsOf &more, FloatSumsOf *to)
{
    to->S += more.S;
    to->Q += more.Q;
    to->N += more.N;
}

// S, Q and N of a column of the image, where all `rows` pixels of the template's column count.
template <bool VARIES, int WINDOWS, class Tile>
__device__ __forceinline__ void add_own_column(const Tile &tile, int k, int rows,
                                               FloatSumsOf (&all)[WINDOWS])
{
    const int x = static_cast<int>(threadIdx.x) + k;
    if (rows < ROWS) {
#pragma unroll
        for (int i = 0; i < WINDOWS; i++) {
            FloatSumsOf sums;
            for (int r = 0; r < rows; r++)
                add_pixel<VARIES>(tile, x, i + r, &sums);
            add_own(sums, all + i);
        }
        return;
    }
    FloatSumsOf up[WINDOWS], sums;
#pragma unroll
    for (int r = ROWS - 1; r >= 0; r--) {
        add_pixel<VARIES>(tile, x, r, &sums);
        if (r < WINDOWS)
            up[r] = sums;
    }
    add_own(up[0], all);
    sums = {};
#pragma unroll
    for (int i = 1; i < WINDOWS; i++) {
        add_pixel<VARIES>(tile, x, ROWS - 1 + i, &sums);
        add_own(sums, up + i);
        add_own(up[i], all + i);
    }
}

// The mean of some samples of a block that count, or the template's pivot if none does, or if it is
// not finite. Every thread gets it.
template <xncc_pixel PIXEL, bool VARIES, bool MASKED>
__device__ double block_pivot(const PixelsJob &job, const FloatAt &at,
                              FloatTile<VARIES, MASKED> *tile)
{
    constexpr int HIGH = 8;
    const int own = static_cast<int>(threadIdx.x);
    const double pivot = job.rule.pivot[at.channel];
    if (!xncc_method_is_centred(job.method))
        return pivot;
    const int64_t across = THREADS - 1 + job.templ_width,
                  down = FloatTile<VARIES, MASKED>::WINDOWS - 1 + job.templ_height,
                  x = at.x + own / HIGH * across / (THREADS / HIGH),
                  y = at.y + own % HIGH * down / HIGH;
    const double2 sample = image_at<PIXEL>(job, x, y, at.channel, 0.0);
    const bool some = sample.y != 0.0 && isfinite(sample.x);
    __syncthreads();
    tile->sum[own] = some ? sample : make_double2(0.0, 0.0);
    add_up(tile);
    const double mean = tile->sum[0].x / tile->sum[0].y;
    return isfinite(mean) && fabs(mean) < LARGEST_PIVOT ? mean : pivot;
}

__device__ __forceinline__ bool is_doubt(const PixelsJob &job, int x, int y)
{
    return __float_as_uint(job.map[y * job.map_pitch + x]) == XNCC_DOUBT;
}

// Whether one of a thread's windows is in doubt.
template <int WINDOWS> __device__ bool has_doubt(const PixelsJob &job, int x, int y)
{
    bool has = false;
    for (int i = 0; i < WINDOWS; i++)
        has = has || (x < job.width && y + i < job.rows && is_doubt(job, x, y + i));
    return has;
}

template <xncc_pixel PIXEL, bool VARIES, bool MASKED>
__global__ __launch_bounds__(THREADS, 3) void match_floats(const __grid_constant__ PixelsJob job,
                                                           int across)
{
    using Tile = FloatTile<VARIES, MASKED>;
    constexpr int WINDOWS = Tile::WINDOWS;
    __shared__ Tile tile;
    FloatAt at = {};
    at.y = static_cast<int>(blockIdx.x / static_cast<unsigned>(across)) * WINDOWS;
    at.x = static_cast<int>(blockIdx.x % static_cast<unsigned>(across)) * THREADS;
    const int own = static_cast<int>(threadIdx.x), x = at.x + own;
    if (job.doubts && *job.listed <= job.room)
        return;
    if (job.doubts && __syncthreads_count(has_doubt<WINDOWS>(job, x, at.y)) < job.doubts)
        return;
    xncc_bounded_terms terms[WINDOWS] = {};
    double n[WINDOWS];
    for (at.channel = 0; at.channel < job.channels; at.channel++) {
        FloatSumsOf all[WINDOWS];
        double2 templ = {};
        const double pivot = block_pivot<PIXEL>(job, at, &tile);
        for (at.row = 0; at.row < job.templ_height; at.row += ROWS)
            for (at.i = 0; at.i < job.templ_width; at.i += STRETCH) {
                at.columns = min(job.templ_width - at.i, STRETCH);
                __syncthreads();
                const double2 more = fill_templ<PIXEL>(job, at, &tile);
                templ = make_double2(templ.x + more.x, templ.y + more.y);
                fill_image<PIXEL>(job, at, pivot, &tile);
                __syncthreads();
#pragma unroll 1
                for (int k = 0; k < at.columns; k++) {
                    add_products(tile, k, all);
                    if constexpr (!MASKED)
                        add_own_column<VARIES>(tile, k, min(job.templ_height - at.row, ROWS), all);
                }
            }
        if constexpr (!VARIES) {
            tile.sum[own] = templ;
            add_up(&tile);
            templ = tile.sum[0];
        }
#pragma unroll
        for (int i = 0; i < WINDOWS; i++) {
            n[i] = VARIES ? all[i].N : static_cast<double>(job.rule.whole);
            const xncc_double_sums sums = { all[i].S, all[i].Q, all[i].X,
                                            VARIES ? all[i].T : templ.x,
                                            VARIES ? all[i].T2 : templ.y };
            xncc_bounded_add_channel(terms + i, job.method, n[i], &sums, job.rule.relative);
        }
        __syncthreads(); // the sums of parts have been read
    }
    uint32_t left = 0;
#pragma unroll
    for (int i = 0; i < WINDOWS; i++) {
        float score;
        if (x >= job.width || at.y + i >= job.rows || (job.doubts && !is_doubt(job, x, at.y + i)))
            continue;
        if (!xncc_general_score_from_count(job.method, &job.rule, static_cast<uint64_t>(n[i]),
                                           &score))
            score = xncc_bounded_score(job.method, n[i], terms + i);
        job.map[(at.y + i) * job.map_pitch + x] = score;
        left += __float_as_uint(score) == XNCC_DOUBT;
    }
    count_doubts(job.in_doubt, left);
}

// The error of the sums, relative to the sizes of what is added. Samples less a pivot, and their
// squares, are rounded before. A thread adds up two pixels of each piece of the template.
double relative_error(const PixelsJob &job)
{
    const int64_t down = ceil_div(job.templ_height, ROWS),
                  additions = (job.templ_width + 2 * ceil_div(job.templ_width, STRETCH)) * down;
    return 1.01 * 0x1p-53 * (static_cast<double>(additions) + ROWS + 24.0);
}

template <xncc_pixel PIXEL, bool VARIES, bool MASKED>
void launch(const PixelsJob &job, cudaStream_t stream)
{
    constexpr int WINDOWS = FloatTile<VARIES, MASKED>::WINDOWS;
    const int across = ceil_div(job.width, THREADS);
    each_part(job, across, WINDOWS, [&](PixelsJob some, dim3 grid) {
        some.rule.relative = relative_error(job);
        match_floats<PIXEL, VARIES, MASKED><<<grid, THREADS, 0, stream>>>(some, across);
    });
}

} // namespace

cudaError_t launch_float_pixels(const PixelsJob &job, cudaStream_t stream)
{
    const auto with = [&](auto pixel) {
        if (job.varies)
            job.mask ? launch<pixel, true, true>(job, stream)
                     : launch<pixel, true, false>(job, stream);
        else
            job.mask ? launch<pixel, false, true>(job, stream)
                     : launch<pixel, false, false>(job, stream);
    };
    with_float_pixel(job.image.pixel, with);
    return cudaGetLastError();
}

} // namespace xncc
