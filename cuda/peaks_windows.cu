#include "peaks_windows.cuh"

#include "peaks_choose.cuh"

#include <math_constants.h>

namespace cm {

namespace {

constexpr int COLUMNS = PEAK_COLUMNS + 2; // of a tile with its rim
constexpr int ROWS = PEAK_ROWS + 2;
constexpr int MOST_PIXELS = COLUMNS + CM_WINDOW_WIDTH - 1; // a row of a tile's windows
constexpr int THREADS = 288;
constexpr int WARPS = THREADS / LANES;
constexpr int LANE_PIXELS = (MOST_PIXELS + LANES - 1) / LANES;
constexpr int BATCH = 8; // rows whose loads are in flight together
static_assert(MOST_PIXELS <= THREADS, "a thread a column");

// Sums over the window's height of each column, then of all columns before; 128 * 257 * 255^2 fits 32 bits.
struct Sums {
    uint32_t s[ROWS][MOST_PIXELS + 1], q[ROWS][MOST_PIXELS + 1];
    float score[ROWS][COLUMNS];
};

// A thread's column of the image, rows counted from the tile's first window (with the rim).
struct Column {
    const unsigned char *data;
    int64_t pitch;
    int32_t top, last;

    __device__ uint32_t operator[](int32_t row) const
    {
        return __ldg(data + min(max(top + row, 0), last) * pitch);
    }
};

// Slides down a column.
__device__ void sum_column(const Column &column, int32_t size, int32_t rows, int32_t at, Sums *sums)
{
    uint32_t s = 0, q = 0;
    for (int32_t j = 0; j < size - 1; j += BATCH) {
        uint32_t v[BATCH];
#pragma unroll
        for (int k = 0; k < BATCH; k++)
            v[k] = j + k < size - 1 ? column[j + k] : 0;
#pragma unroll
        for (int k = 0; k < BATCH; k++) {
            s += v[k];
            q += v[k] * v[k];
        }
    }
#pragma unroll 6
    for (int32_t r = 0; r < rows; r++) {
        uint32_t in = column[r + size - 1], out = column[r];
        s += in;
        q += in * in;
        sums->s[r][at] = s;
        sums->q[r][at] = q;
        s -= out;
        q -= out * out;
    }
}

// A warp turns a row into sums over the columns before.
__device__ void prefix(uint32_t *row, int32_t count)
{
    int lane = threadIdx.x % LANES;
    uint32_t v[LANE_PIXELS], sum = 0;
#pragma unroll
    for (int i = 0; i < LANE_PIXELS; i++) {
        int at = lane * LANE_PIXELS + i;
        v[i] = at < count ? row[at] : 0;
        sum += v[i];
    }
    uint32_t end = sum;
#pragma unroll
    for (int step = 1; step < LANES; step *= 2) {
        uint32_t before = __shfl_up_sync(WHOLE_WARP, end, step);
        end += lane >= step ? before : 0;
    }
    uint32_t run = end - sum;
    __syncwarp();
#pragma unroll
    for (int i = 0; i < LANE_PIXELS; i++) {
        int at = lane * LANE_PIXELS + i;
        if (at <= count)
            row[at] = run;
        run += v[i];
    }
}

union Shared {
    Sums sums;
    uint64_t key[PEAK_ROOM];
};

// Scores of a tile and its rim; NaN, which comes after everything, outside the map.
__device__ void score_tile(const PeakJob &job, const WindowScores &scores, const cm_score_rule &rule, const Tile &t, const uint32_t *products,
                           Sums *sums)
{
    int32_t pixels = COLUMNS + scores.window_width - 1, rows = t.rows + 2;
    if (static_cast<int>(threadIdx.x) < pixels) {
        int32_t c = min(max(t.x - 1 + static_cast<int32_t>(threadIdx.x), 0), scores.last_column);
        sum_column(Column{ scores.data + c, scores.pitch, t.y - 1, scores.last_row }, scores.window_height, rows,
                   static_cast<int32_t>(threadIdx.x), sums);
    }
    __syncthreads();
    for (int r = threadIdx.x / LANES; r < 2 * rows; r += WARPS)
        prefix(r < rows ? sums->s[r] : sums->q[r - rows], pixels);
    __syncthreads();
    for (int i = threadIdx.x; i < rows * COLUMNS; i += THREADS) {
        int r = i / COLUMNS, c = i % COLUMNS, end = c + scores.window_width;
        int32_t x = t.x - 1 + c, y = t.y - 1 + r;
        float score = CUDART_NAN_F;
        if (x >= 0 && y >= 0 && x < job.width && y < job.height)
            score = cm_score_integer(scores.method, &rule, sums->s[r][end] - sums->s[r][c], sums->q[r][end] - sums->q[r][c],
                                     __ldg(products + y * job.pitch + x));
        sums->score[r][c] = score;
    }
    __syncthreads();
}

__global__ __launch_bounds__(THREADS) void collect_windows(PeakJob job, const __grid_constant__ WindowScores scores)
{
    __shared__ Shared shared;
    Sums &sums = shared.sums;
    int slot = blockIdx.z;
    cm_score_rule rule = scores.rule[slot];
    rule.wide = 0; // n * 255 < 2^25
    uint32_t level = job.state[slot].level, count = job.state[slot].tiles;
    const uint32_t *list = job.list + static_cast<size_t>(slot) * job.tiles;
    const uint32_t *products = scores.products + slot * job.plane;
    for (uint32_t i = blockIdx.x; i < count; i += gridDim.x) {
        Tile t(job, static_cast<int32_t>(list[i]));
        score_tile(job, scores, rule, t, products, &sums);
        for (int k = threadIdx.x; k < t.rows * PEAK_COLUMNS; k += THREADS) {
            int r = k / PEAK_COLUMNS, c = k % PEAK_COLUMNS;
            const float *here = &sums.score[r + 1][c + 1];
            uint32_t order = peak_order(*here, job.smallest);
            if (c < t.columns && order != 0 && order >= level &&
                (job.min_distance == 1 || peak_leads(here, COLUMNS, order, PeakSides{ true, true, true, true }, job.smallest)))
                peak_append(job, slot, order, t.x + c, t.y + r);
        }
        __syncthreads();
    }
    if (is_last_block(&job.state[slot].collected))
        choose(job, slot, shared.key);
}

} // namespace

cudaError_t launch_window_collect(const PeakJob &job, const WindowScores &scores, int slots, cudaStream_t stream)
{
    constexpr int64_t MOST_BLOCKS = 264;
    // a few tiles a match in all but odd cases
    int64_t likely = 2 * static_cast<int64_t>(job.wanted), most = likely < MOST_BLOCKS ? likely : MOST_BLOCKS;
    dim3 grid = peak_grid(job.tiles < most ? job.tiles : most, slots);
    collect_windows<<<grid, THREADS, 0, stream>>>(job, scores);
    return cudaGetLastError();
}

} // namespace cm
