// SPDX-License-Identifier: BSD-2-Clause
// Collects candidates without a score map (collect.h).
//
// The blocks share the list of tiles. For one tile and the rim of one element around it, a block of
// 288 threads computes, in shared memory:
// 1. X, if the caller has none: words of 4 pixels and dp4a. Each thread has a column and 9 rows.
// 2. S and Q: each thread slides down one image column, then each warp turns rows of column sums
//    into prefix sums. A window's sum is the difference of two prefix sums.
// 3. The scores. NaN, which is no candidate, stands for elements outside the map.
//
// Then the threads look for candidates; the last block to finish chooses the matches. Shared
// memory: struct Sums, which the keys of the choice reuse.
//
// The best match alone has two kernels of its own, best_of_windows and write_best: its blocks find
// the tiles themselves, by the same three steps, and need no candidates.
//
// Profiled on one H200, 2026-11, for 1920 x 1080, with cold caches: 20.5 us, including the choice
// (docs/notes/2026-11-find.md).
#include "cuda/peaks/collect.h"

#include "cuda/peaks/choose.cuh"
#include "cuda/runtime/warp.cuh"
#include "math/method.h"

#include <math_constants.h>

namespace xncc {

namespace {

constexpr int COLUMNS = TileScores::COLUMNS, ROWS = TileScores::ROWS;
constexpr int MAX_PIXELS = COLUMNS + XNCC_WINDOW_WIDTH - 1; // the most pixels under a row of them
constexpr int THREADS = 288;
constexpr int WARPS = THREADS / WARP_LANES;
constexpr int LANE_PIXELS = (MAX_PIXELS + WARP_LANES - 1) / WARP_LANES;
constexpr int BATCH = 16;                 // image rows whose loads are in flight together
constexpr int SLIDES = ROWS / 2 + 1;      // the same of windows; they need two image rows each
constexpr int STRIPS = THREADS / COLUMNS; // threads that share a column when X is computed
constexpr int STRIP = ROWS / STRIPS;      // the rows of each of them
static_assert(STRIPS * STRIP == ROWS, "the strips of a column must cover the tile");
static_assert(MAX_PIXELS <= THREADS, "each image column needs a thread of its own");

// S and Q of each image column over the height of a window, then their prefix sums: element i is
// the sum over the columns before i. They fit 32 bits: MAX_PIXELS is 257, and 128 * 257 * 255^2 <
// 2^32.
struct Columns {
    uint32_t s[ROWS][MAX_PIXELS + 1], q[ROWS][MAX_PIXELS + 1];
};
static_assert(sizeof(Columns) == XNCC_COLLECT_WORDS * sizeof(uint32_t) && STRIP == 9 && STRIPS == 2,
              "what xncc_collect_words assumes");

// The shared memory of a tile. The union first holds the template and the image pixels, in words of
// 4 pixels, if X is computed; then it holds sums. `score` first holds X, if X is computed; then
// scores.
struct Sums {
    union {
        Columns columns;
        uint32_t words[sizeof(Columns) / sizeof(uint32_t)];
    };
    TileScores score;
};

// A thread's image column. Row 0 is the first row of the tile's first window, rim included; rows
// outside the image repeat its edge.
struct Column {
    const unsigned char *data;
    int64_t pitch;
    uint32_t flip;
    int32_t top, last;

    __device__ uint32_t operator[](int32_t row) const
    {
        return __ldg(data + min(max(top + row, 0), last) * pitch) ^ flip;
    }
};

// Slides a window of `size` rows down an image column and stores its S and Q at column `at`.
__device__ void sum_column(const Column &column, int32_t size, int32_t rows, int32_t at, Sums *sums)
{
    uint32_t s = 0, q = 0;
    for (int32_t j = 0; j < size - 1; j += BATCH) {
        uint32_t v[BATCH];
#pragma unroll
        for (int k = 0; k < BATCH; k++)
            v[k] = column[j + k];
#pragma unroll
        for (int k = 0; k < BATCH; k++)
            if (j + k < size - 1) {
                s += v[k];
                q += v[k] * v[k];
            }
    }
    for (int32_t first = 0; first < rows; first += SLIDES) {
        uint32_t in[SLIDES], out[SLIDES];
#pragma unroll
        for (int k = 0; k < SLIDES; k++) {
            in[k] = column[first + k + size - 1];
            out[k] = column[first + k];
        }
#pragma unroll
        for (int k = 0; k < SLIDES; k++) {
            s += in[k];
            q += in[k] * in[k];
            if (first + k < rows) {
                sums->columns.s[first + k][at] = s;
                sums->columns.q[first + k][at] = q;
            }
            s -= out[k];
            q -= out[k] * out[k];
        }
    }
}

// Replaces `count` elements of a row by their exclusive prefix sums, and element `count` by the sum
// of all. Called by one warp, in which each lane has LANE_PIXELS adjacent elements.
__device__ void prefix(uint32_t *row, int32_t count)
{
    int lane = threadIdx.x % WARP_LANES;
    uint32_t v[LANE_PIXELS], sum = 0;
#pragma unroll
    for (int i = 0; i < LANE_PIXELS; i++) {
        int at = lane * LANE_PIXELS + i;
        v[i] = at < count ? row[at] : 0;
        sum += v[i];
    }
    uint32_t run = warp_sum_until(sum, lane) - sum;
    __syncwarp();
#pragma unroll
    for (int i = 0; i < LANE_PIXELS; i++) {
        int at = lane * LANE_PIXELS + i;
        if (at <= count)
            row[at] = run;
        run += v[i];
    }
}

// Computes X of a tile and its rim from the pixels, in words of 4 pixels. A thread has STRIP map
// rows of a column; for map row r, image row j meets template row j - r.
struct TileProducts {
    int32_t groups; // words per template row
    int32_t lines;  // template rows, padded with at least STRIP - 1 rows of zeros to whole strips
    int32_t across; // words per image row
    int32_t down;   // image rows

    __host__ __device__ TileProducts(int32_t width, int32_t height)
        : groups(ceil_div(width, 4)), lines(ceil_div(height + STRIP - 1, STRIP) * STRIP),
          across(ceil_div(COLUMNS + 4 + width, 4)), down((STRIPS - 1) * STRIP + lines)
    {
    }
    __host__ __device__ int32_t templ_words() const
    {
        return groups * lines;
    }
    __host__ __device__ int32_t image_words() const
    {
        return across * down;
    }
    // Copies the template to shared memory: word column by word column.
    __device__ void load_templ(const WindowScores &scores, const unsigned char *templ,
                               uint32_t *to) const
    {
        for (int32_t i = threadIdx.x; i < templ_words(); i += THREADS) {
            const int32_t row = i % lines, column = i / lines * 4;
            uint32_t word = 0;
            for (int k = 0; k < 4; k++)
                if (row < scores.window_height && column + k < scores.window_width)
                    word |= static_cast<uint32_t>(templ[row * scores.templ_pitch + column + k])
                            << (8 * k);
            to[i] = word;
        }
    }
    // Copies the image to shared memory, from word `word` and row `row` on. Rows and words outside
    // the image repeat its edge: no window of the map reads them.
    __device__ void load_image(const WindowScores &scores, int32_t word, int32_t row,
                               uint32_t *to) const
    {
        for (int32_t i = threadIdx.x; i < image_words(); i += THREADS) {
            const int32_t y = min(max(row + i / across, 0), scores.last_row),
                          x = min(word + i % across, scores.last_column / 4);
            to[i] = __ldg(reinterpret_cast<const uint32_t *>(scores.data + y * scores.pitch) + x) ^
                    scores.flip;
        }
    }
    // Adds the products of one word column of the template to the thread's STRIP values of X.
    // templ: the column. image: the thread's first word. shift: bits from that word to its first
    // pixel. For image row j, map row r needs the template word of row (j - r), so `taps` is a ring
    // of the last STRIP words.
    __device__ void add(uint32_t *products, const uint32_t *templ, const uint32_t *image,
                        int shift) const
    {
        uint32_t taps[STRIP] = {};
        for (int32_t j = 0; j < lines; j += STRIP)
#pragma unroll
            for (int k = 0; k < STRIP; k++, image += across) {
                const uint32_t pixels = __funnelshift_r(image[0], image[1], shift);
                taps[k] = templ[j + k];
#pragma unroll
                for (int r = 0; r < STRIP; r++)
                    products[r] = __dp4a(pixels, taps[(k - r + STRIP) % STRIP], products[r]);
            }
    }
};

// Computes X of a tile and its rim, and stores its bits in sums->score. Elements outside the map
// get a value without meaning.
__device__ void multiply_tile(const WindowScores &scores, const unsigned char *templ, const Tile &t,
                              Sums *sums)
{
    const TileProducts tile(scores.window_width, scores.window_height);
    const int32_t word = max(t.x - 1, 0) / 4;
    uint32_t *image = sums->words + tile.templ_words();
    tile.load_templ(scores, templ, sums->words);
    tile.load_image(scores, word, t.y - 1, image);
    __syncthreads();
    const int c = threadIdx.x % COLUMNS, first = threadIdx.x / COLUMNS * STRIP,
              x = max(t.x - 1 + c, 0);
    if (first < t.rows + 2) {
        uint32_t products[STRIP] = {};
        for (int32_t g = 0; g < tile.groups; g++)
            tile.add(products, sums->words + g * tile.lines,
                     image + first * tile.across + x / 4 - word + g, x % 4 * 8);
#pragma unroll
        for (int r = 0; r < STRIP; r++)
            sums->score.at[first + r][c] = __uint_as_float(products[r]);
    }
    __syncthreads();
}

union Shared {
    Sums sums;
    alignas(16) uint64_t key[PEAK_ROOM];
};

// The score of a window from its sums of biased samples (xncc_general_add).
__device__ float score_window(const WindowScores &scores, const xncc_score_rule &rule, uint32_t s,
                              uint32_t q, uint32_t x)
{
    if (scores.bias == 0)
        return xncc_score_integer(scores.method, &rule, s, q, x);
    const uint64_t bias = scores.bias, square = bias * bias * rule.n,
                   product = x - bias * (s + rule.sum) + square;
    // the correlation methods have the sign of X
    const bool negative = static_cast<int64_t>(product) < 0 &&
                          !xncc_method_of_difference(scores.method);
    const float score = xncc_score_integer(scores.method, &rule, s, q - 2 * bias * s + square,
                                           negative ? 0 - product : product);
    return negative ? -score : score;
}

// Computes the scores of a tile and its rim; NaN outside the map. products: X of the slot's map;
// nullptr if multiply_tile has stored X.
__device__ void score_tile(const PeakJob &job, const WindowScores &scores,
                           const xncc_score_rule &rule, const Tile &t, const uint32_t *products,
                           Sums *sums)
{
    int32_t pixels = COLUMNS + scores.window_width - 1, rows = t.rows + 2;
    if (static_cast<int>(threadIdx.x) < pixels) {
        int32_t c = min(max(t.x - 1 + static_cast<int32_t>(threadIdx.x), 0), scores.last_column);
        sum_column(
            Column{ scores.data + c, scores.pitch, scores.flip & 0xffu, t.y - 1, scores.last_row },
            scores.window_height, rows, static_cast<int32_t>(threadIdx.x), sums);
    }
    __syncthreads();
    for (int r = threadIdx.x / WARP_LANES; r < 2 * rows; r += WARPS)
        prefix(r < rows ? sums->columns.s[r] : sums->columns.q[r - rows], pixels);
    __syncthreads();
    for (int i = threadIdx.x; i < rows * COLUMNS; i += THREADS) {
        int r = i / COLUMNS, c = i % COLUMNS, end = c + scores.window_width;
        int32_t x = t.x - 1 + c, y = t.y - 1 + r;
        float score = CUDART_NAN_F;
        if (x >= 0 && y >= 0 && x < job.width && y < job.height)
            score = score_window(scores, rule, sums->columns.s[r][end] - sums->columns.s[r][c],
                                 sums->columns.q[r][end] - sums->columns.q[r][c],
                                 products ? __ldg(products + y * job.pitch + x)
                                          : __float_as_uint(sums->score.at[r][c]));
        sums->score.at[r][c] = score;
    }
    __syncthreads();
}

// Computes the scores of a tile and its rim.
__device__ void make_scores(const PeakJob &job, const WindowScores &scores, int slot, const Tile &t,
                            Sums *sums)
{
    xncc_score_rule rule = scores.rule[slot];
    rule.needs_u128 = 0; // a constant for the compiler: n * 255 < 2^25
    const uint32_t *products = scores.products ? scores.products + slot * job.plane : nullptr;
    if (!products)
        multiply_tile(scores, scores.templ[slot], t, sums);
    score_tile(job, scores, rule, t, products, sums);
}

struct CollectJob {
    PeakJob peaks;
    WindowScores scores;
};

__global__ __launch_bounds__(THREADS) void collect_windows(const __grid_constant__ CollectJob of)
{
    __shared__ Shared shared;
    Sums &sums = shared.sums;
    collect_listed(of.peaks, sums.score, shared.key, [&](int slot, const Tile &t) {
        make_scores(of.peaks, of.scores, slot, t, &sums);
    });
}

// Returns the largest of the tiles' bounds. Called by all threads of a block.
__device__ uint32_t best_bound(const uint32_t *best, int32_t tiles, uint32_t *room)
{
    uint32_t most = 0;
    for (int32_t first = threadIdx.x; first < tiles; first += BATCH * THREADS)
#pragma unroll
        for (int k = 0; k < BATCH; k++)
            most = max(most, best[min(first + k * THREADS, tiles - 1)]);
    return block_max(most, room);
}

// Returns the key of a tile's best score. Called by all threads of a block; a thread looks at a
// part of the tile.
__device__ uint64_t best_of_tile(const PeakJob &job, const Tile &t, const TileScores &scores)
{
    uint64_t best = 0;
    for (int k = threadIdx.x; k < t.rows * PEAK_COLUMNS; k += THREADS) {
        const int r = k / PEAK_COLUMNS, c = k % PEAK_COLUMNS;
        const uint32_t order = peak_order(scores.at[r + 1][c + 1], job.smallest);
        best = max(best, peak_key(job, order, t.x + c, t.y + r));
    }
    return best;
}

// The number of blocks that look for the best match of a slot. Each block leaves one key. A lane of
// write_best reads LEADERS of them.
constexpr int LEADERS = 4;
__host__ __device__ int best_blocks(const PeakJob &job, int slots)
{
    const int most = ceil_div(LEADERS * WARP_LANES, slots);
    return job.tiles < most ? job.tiles : most;
}

// Finds the best score of each slot. The blocks of a slot share its tiles. Each of them takes the
// level from the bounds of all tiles, and computes the scores of those of its own tiles that may
// reach it.
//
// Let b be the best bound of a tile. The exact best of that tile is no worse than b by
// bound_margin, so that is the level, as in select_tiles, except where windows have a worse score
// or none (cuda/score/tile_best.cuh):
// - By ccoeff_normed and ccorr_normed their bound is 0, and no bound is below 0. So if b is 0, all
//   tiles reach the level. So they do by sqdiff_normed under a template of zeros.
// - By sqdiff_normed a window of zeros is known by the bound 1, also if it has no score
//   (XNCC_FLAT_NAN). So if b is no better, there is no level but the limit.
__global__ __launch_bounds__(THREADS) void best_of_windows(const __grid_constant__ CollectJob of)
{
    const PeakJob &job = of.peaks;
    __shared__ Sums sums;
    __shared__ uint32_t bounds[WARP_LANES];
    __shared__ uint64_t winners[WARP_LANES];
    let_next_begin();
    wait_for_front();
    const int slot = blockIdx.z, lane = threadIdx.x % WARP_LANES,
              step = static_cast<int>(gridDim.x);
    const uint32_t *best = job.best + static_cast<size_t>(slot) * job.tiles;
    const uint32_t bound = best_bound(best, job.tiles, bounds),
                   limit = peak_order(job.limit, job.smallest),
                   level = of.scores.method == XNCC_SQDIFF_NORMED && bound <= peak_order(1.0f, 1)
                               ? limit
                               : max(worse(bound, job.bound_margin), limit),
                   reach = worse(level, job.bound_margin);
    uint64_t winner = 0;
    for (int first = blockIdx.x; first < job.tiles; first += WARP_LANES * step) {
        const int own = first + lane * step;
        unsigned left = __ballot_sync(WARP_ALL, own < job.tiles && best[own] >= reach);
        for (; left != 0; left &= left - 1) { // the same in every warp
            const Tile t(job, first + (__ffs(static_cast<int>(left)) - 1) * step);
            make_scores(job, of.scores, slot, t, &sums);
            winner = max(winner, best_of_tile(job, t, sums.score));
            __syncthreads();
        }
    }
    winner = block_max(winner, winners);
    if (threadIdx.x == 0)
        job.leader[static_cast<size_t>(slot) * job.tiles + blockIdx.x] = winner;
}

// Writes the match of each slot: the best of what its blocks found. One warp per slot.
__global__ __launch_bounds__(WARP_LANES) void write_best(PeakJob job)
{
    wait_for_front();
    const int slot = blockIdx.z, lane = static_cast<int>(threadIdx.x),
              blocks = best_blocks(job, static_cast<int>(gridDim.z));
    const uint64_t *leader = job.leader + static_cast<size_t>(slot) * job.tiles;
    uint64_t winner = 0;
#pragma unroll
    for (int k = 0; k < LEADERS; k++)
        winner = max(winner, leader[min(lane + k * WARP_LANES, blocks - 1)]);
    winner = warp_max(winner);
    if (lane > 0)
        return;
    const uint32_t found = winner >> 32 >= max(peak_order(job.limit, job.smallest), 1u);
    if (found)
        write_match(job, slot, 0, winner);
    job.state[slot] = PeakState{ 0, 0, 0, found, 1, 0, 0 };
    if (job.found)
        job.found[slot] = found;
}

} // namespace

cudaError_t launch_window_best(const PeakJob &job, const WindowScores &scores, int slots,
                               cudaStream_t stream)
{
    const dim3 grid = peak_grid(best_blocks(job, slots), slots);
    cudaError_t code = launch(best_of_windows, grid, THREADS, 0, stream, job.pdl,
                              CollectJob{ job, scores });
    return code == cudaSuccess
               ? launch(write_best, peak_grid(1, slots), WARP_LANES, 0, stream, job.pdl, job)
               : code;
}

cudaError_t launch_window_collect(const PeakJob &job, const WindowScores &scores, int slots,
                                  cudaStream_t stream)
{
    const dim3 grid = peak_grid(likely_blocks(job), slots);
    return launch(collect_windows, grid, THREADS, 0, stream, job.pdl, CollectJob{ job, scores });
}

} // namespace xncc
