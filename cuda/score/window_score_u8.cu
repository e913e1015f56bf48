// SPDX-License-Identifier: BSD-2-Clause
// Window sums and score in one pass over the image (window_score_u8.h), for windows up to 128
// pixels wide whose sums fit 32 bits.
//
// Data mapping: a block of five warps walks down a strip of 512 map columns, two map rows per
// batch. Each thread keeps the sums of 4 adjacent image columns over the window's height. A prefix
// sum along the row (in registers, then over the warp) goes to shared memory, relative to the
// columns of its warp, and the difference of two prefixes is a window's sum; if the window crosses
// into the next warp's columns, that warp's total is added. The fifth warp's columns only belong to
// windows that begin in the others' columns. In the second half of a batch each of the first 128
// threads scores one window in each of the four warps' columns. All sums wrap modulo 2^32, which is
// exact because they fit.
//
// Resources: static shared memory 10,576 bytes; 5 blocks of 160 threads per multiprocessor
// (__launch_bounds__), so at most 80 registers per thread. Any compute capability from 6.1 on
// (__dp4a).
//
// Measured (H200, November 2026, n = 32): 0.36 ms, where separate passes for row sums and column
// sums with score (row_sums.cu, column_score.cu) took 0.78 ms.
#include "cuda/score/window_score_u8.h"
#include "cuda/runtime/dispatch.h"

#include "cuda/runtime/score_arithmetic.h"
#include "cuda/runtime/warp.cuh"
#include "math/method.h"

namespace xncc {

namespace {

// Image columns per thread and per warp.
constexpr int SPAN = 4;
constexpr int WARP_COLUMNS = WARP_LANES * SPAN;
// No window begins in the last warp's columns.
constexpr int WARPS = 5;
constexpr int OUTPUT_WARPS = WARPS - 1;
constexpr int THREADS = WARPS * WARP_LANES;
// Map elements per row of a block.
constexpr int OUTPUTS = OUTPUT_WARPS * WARP_COLUMNS;
// Map rows between barriers.
constexpr int BATCH = 2;
// 4 more than a multiple of 16, so that adjacent columns are in different banks.
constexpr int COLUMN_STRIDE = THREADS + 4;
static_assert(XNCC_WINDOW_WIDTH <= WARP_COLUMNS, "a window crosses at most one warp's edge");
static_assert(COLUMN_STRIDE % 16 == 4, "bank conflicts");

// S and Q over the columns before a column of its warp: column c is at [c % 4][c / 4]. total: those
// of a warp's columns.
struct Prefixes {
    uint2 before[SPAN][COLUMN_STRIDE];
    uint2 total[WARPS];
};

// Reads a thread's 4 columns of an image row; the image's edge is repeated.
struct ColumnReader {
    const unsigned char *data;
    int64_t pitch;
    int last_row;
    // Offset of each column in the row, clamped to the image.
    int offset[SPAN];
    // True if the 4 columns are an aligned word inside the image.
    bool whole;

    __device__ ColumnReader(const StageView &stage, int column)
        : data(stage.data), pitch(stage.pitch), last_row(stage.height - 1)
    {
#pragma unroll
        for (int i = 0; i < SPAN; i++)
            offset[i] = min(max(column + i, 0), stage.width - 1);
        whole = column >= 0 && column + SPAN <= stage.width;
    }
    __device__ uint32_t word(int row) const
    {
        const unsigned char *line = data + min(max(row, 0), last_row) * pitch;
        if (whole)
            return __ldg(reinterpret_cast<const uint32_t *>(line + offset[0]));
        uint32_t v = 0;
#pragma unroll
        for (int i = 0; i < SPAN; i++)
            v |= static_cast<uint32_t>(__ldg(line + offset[i])) << (8 * i);
        return v;
    }
};

// S and Q of a thread's first 1, 2, 3 and 4 columns.
struct Columns {
    uint32_t s[SPAN], q[SPAN];

    __device__ void add(uint32_t word)
    {
#pragma unroll
        for (int i = 0; i < SPAN; i++) {
            uint32_t mask = 0xffffffffu >> (8 * (SPAN - 1 - i));
            s[i] = __dp4a(word, mask & 0x01010101u, s[i]);
            q[i] = __dp4a(word, word & mask, q[i]);
        }
    }
};

// 64-bit integers to double by two additions and with one rounding, as the (slow) conversion
// instruction does.
__device__ double from_unsigned(uint64_t v)
{
    return (__hiloint2double(0x45300000, static_cast<int>(v >> 32)) -
            19342813118337666422669312.0) +
           __hiloint2double(0x43300000, static_cast<int>(v));
}

__device__ double from_signed(int64_t v)
{
    return (__hiloint2double(0x45300000,
                             static_cast<int>(v >> 32) ^ static_cast<int>(0x80000000u)) -
            19342822341709703277445120.0) +
           __hiloint2double(0x43300000, static_cast<int>(v));
}

// ccoeff_normed from the exact integers. The quotient comes from a reciprocal square root first and
// is then within a few units of the last place of a double; rounded to float, it has the bits of
// the formula unless a midpoint of two floats is between the two. If one is within 16 units, the
// score is in doubt and the formula itself decides. Scores are 0 or at least 2^-64, so floats are
// normal.
struct CoeffNormed {
    double num, var;

    __device__ CoeffNormed(const xncc_score_rule &rule, uint2 sums, uint32_t x)
    {
        uint32_t pixels = static_cast<uint32_t>(rule.n), sum = static_cast<uint32_t>(rule.sum);
        num = from_signed(static_cast<int64_t>(static_cast<uint64_t>(pixels) * x) -
                          static_cast<int64_t>(static_cast<uint64_t>(sum) * sums.x));
        var = from_unsigned(static_cast<uint64_t>(pixels) * sums.y -
                            static_cast<uint64_t>(sums.x) * sums.x);
    }
    // The score by reciprocal root; *doubt: it may differ from the formula's.
    __device__ float fast(const xncc_score_rule &rule, double inverse_root, bool *doubt) const
    {
        double y;
        asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(var));
        double e = __fma_rn(__dmul_rn(-var, y), y, 1.0);
        y = __fma_rn(__dmul_rn(y, e), __fma_rn(0.375, e, 0.5), y);
        double score = __dmul_rn(num, __dmul_rn(y, inverse_root));
        uint32_t dropped = static_cast<uint32_t>(__double2loint(score)) &
                           0x1fffffffu; // the bits that a float does not have
        bool flat = var == 0.0 || rule.root_var == 0.0;
        *doubt = !flat && dropped - (0x10000000u - 16u) <= 32u;
        return flat ? rule.undefined : static_cast<float>(score);
    }
    __device__ float exact(const xncc_score_rule &rule) const
    {
        return static_cast<float>(num / (sqrt(var) * rule.root_var));
    }
};

// Constants of the template for the fast scores: 1 / root_var as a double, and xncc_ff_unit().
struct Units {
    double inverse_root;
    xncc_float_float pair;
};

// The scores of a thread's COUNT windows of a map row. There is no branch between the windows, so
// that their arithmetic overlaps. PAIRS: in pairs of floats.
template <xncc_method METHOD, bool PAIRS, int COUNT>
__device__ void score_row(const xncc_score_rule &rule, const Units &units,
                          const uint2 (&sums)[COUNT], const uint32_t (&product)[COUNT],
                          float (&score)[COUNT])
{
    constexpr bool FAST = PAIRS || METHOD == XNCC_CCOEFF_NORMED;
    unsigned doubts = 0;
#pragma unroll
    for (int i = 0; i < COUNT; i++) {
        bool doubt = false;
        if (PAIRS)
            doubt = !xncc_ff_score(METHOD, &rule, units.pair, 1, sums[i].x, sums[i].y, product[i],
                                   &score[i]);
        else if (METHOD == XNCC_CCOEFF_NORMED)
            score[i] =
                CoeffNormed(rule, sums[i], product[i]).fast(rule, units.inverse_root, &doubt);
        else
            score[i] = xncc_score_integer(METHOD, &rule, sums[i].x, sums[i].y, product[i]);
        doubts |= doubt ? 1u << i : 0;
    }
    if (FAST && doubts)
#pragma unroll
        for (int i = 0; i < COUNT; i++)
            if (doubts >> i & 1)
                score[i] = PAIRS
                               ? xncc_score_integer(METHOD, &rule, sums[i].x, sums[i].y, product[i])
                               : CoeffNormed(rule, sums[i], product[i]).exact(rule);
}

// Writes a map row's prefix sums to shared memory. in: sums over all image rows down to the
// window's last; out: over those above the window.
__device__ void write_prefixes(const Columns &in, const Columns &out, Prefixes *row)
{
    int lane = threadIdx.x % WARP_LANES, warp = threadIdx.x / WARP_LANES;
    uint32_t own_s = in.s[SPAN - 1] - out.s[SPAN - 1], own_q = in.q[SPAN - 1] - out.q[SPAN - 1],
             s = own_s, q = own_q;
#pragma unroll
    for (int step = 1; step < WARP_LANES; step *= 2) {
        uint32_t before_s = __shfl_up_sync(WARP_ALL, s, step),
                 before_q = __shfl_up_sync(WARP_ALL, q, step);
        s += lane >= step ? before_s : 0;
        q += lane >= step ? before_q : 0;
    }
    if (lane == WARP_LANES - 1)
        row->total[warp] = make_uint2(s, q);
    s -= own_s;
    q -= own_q;
    row->before[0][threadIdx.x] = make_uint2(s, q);
#pragma unroll
    for (int i = 1; i < SPAN; i++)
        row->before[i][threadIdx.x] = make_uint2(s + in.s[i - 1] - out.s[i - 1],
                                                 q + in.q[i - 1] - out.q[i - 1]);
}

// The windows that a thread scores: those that begin at its column in each of the first four warps'
// columns. Whether a window crosses into the next warp's columns is the same for all four.
struct Windows {
    // The first window's left and right prefix, in the batch's first row.
    const uint2 *begin, *end;
    // Whether windows cross into the next warp's columns.
    bool crosses;
    // Whether each window is in the map.
    bool inside[OUTPUT_WARPS];

    __device__ Windows(const Prefixes *rows, int x, const ScoreJob &job)
    {
        int column = threadIdx.x, past = column + job.window_width;
        begin = &rows->before[column % SPAN][column / SPAN];
        end = &rows->before[past % SPAN][past / SPAN];
        crosses = past >= WARP_COLUMNS;
#pragma unroll
        for (int i = 0; i < OUTPUT_WARPS; i++) {
            int at = x + i * WARP_COLUMNS;
            inside[i] = column < WARP_COLUMNS && at >= 0 && at < job.width;
        }
    }
    // S and Q of window i in row `row` of the batch.
    __device__ uint2 sums(const Prefixes *rows, int row, int i) const
    {
        constexpr int ROW = sizeof(Prefixes) / sizeof(uint2);
        uint2 a = begin[row * ROW + i * WARP_LANES], b = end[row * ROW + i * WARP_LANES],
              all = rows[row].total[i];
        return make_uint2(b.x - a.x + (crosses ? all.x : 0), b.y - a.y + (crosses ? all.y : 0));
    }
};
static_assert(sizeof(Prefixes) % sizeof(uint2) == 0, "rows of prefixes are contiguous");

// Without pairs these methods take the plain formula, with its root and its division in double
// precision. Pairs are faster on every device.
template <xncc_method METHOD>
constexpr bool ALWAYS_PAIRS = METHOD == XNCC_CCORR_NORMED || METHOD == XNCC_SQDIFF_NORMED;

// blockIdx.x: strip of columns; blockIdx.y: strip of `strip` map rows. column0: map column of the
// first strip, 0 or a little less, so that threads read aligned words.
template <xncc_method METHOD, bool PAIRS>
__global__ __launch_bounds__(THREADS, 5) void window_score(ScoreJob job, int column0, int strip,
                                                           Units units)
{
    if constexpr (!builds_arithmetic(PAIRS) && !ALWAYS_PAIRS<METHOD>)
        return;
    __shared__ Prefixes prefixes[BATCH];
    xncc_score_rule rule = job.rule;
    rule.needs_u128 = 0; // n * 255 < 2^25; known to the compiler
    int x0 = column0 + blockIdx.x * OUTPUTS, x = x0 + threadIdx.x;
    int y0 = blockIdx.y * strip, y1 = min(y0 + strip, job.height);
    ColumnReader source(job.stage, job.stage.left + x0 + static_cast<int>(threadIdx.x) * SPAN);
    Windows windows(prefixes, x, job);
    float *map = job.map + x + y0 * job.map_pitch;
    int top = job.stage.top;
    Columns in = {}, out = {};
#pragma unroll 8
    for (int j = 0; j < job.size - 1; j++)
        in.add(source.word(top + y0 + j));
    for (int y = y0; y < y1; y += BATCH, map += BATCH * job.map_pitch) {
        uint32_t entering[BATCH], leaving[BATCH], product[BATCH][OUTPUT_WARPS];
#pragma unroll
        for (int r = 0; r < BATCH; r++) {
            entering[r] = source.word(top + y + r + job.size - 1);
            leaving[r] = source.word(top + y + r);
#pragma unroll
            for (int i = 0; i < OUTPUT_WARPS; i++)
                product[r][i] = windows.inside[i] && y + r < y1
                                    ? __float_as_uint(map[r * job.map_pitch + i * WARP_COLUMNS])
                                    : 0;
        }
        if (y > y0)
            __syncthreads();
#pragma unroll
        for (int r = 0; r < BATCH; r++) {
            in.add(entering[r]);
            write_prefixes(in, out, &prefixes[r]);
            out.add(leaving[r]);
        }
        __syncthreads();
#pragma unroll
        for (int r = 0; r < BATCH; r++) {
            if (threadIdx.x >= WARP_COLUMNS || y + r >= y1)
                continue;
            uint2 sums[OUTPUT_WARPS];
            float score[OUTPUT_WARPS];
#pragma unroll
            for (int i = 0; i < OUTPUT_WARPS; i++)
                sums[i] = windows.sums(prefixes, r, i);
            score_row<METHOD, PAIRS>(rule, units, sums, product[r], score);
#pragma unroll
            for (int i = 0; i < OUTPUT_WARPS; i++)
                if (windows.inside[i])
                    map[r * job.map_pitch + i * WARP_COLUMNS] = score[i];
        }
    }
}

template <xncc_method METHOD> void launch(const ScoreJob &job, cudaStream_t stream)
{
    int column0 = -((job.stage.left % SPAN + SPAN) % SPAN); // threads read aligned words
    int across = ceil_div(job.width - column0, OUTPUTS), strip = job.size <= 128 ? 64 : 256;
    while (strip > 16 && across * ceil_div(job.height, strip) <
                             512) // short strips where a small map would leave the device idle
        strip /= 2;
    const dim3 grid = make_grid(across, ceil_div(job.height, strip));
    Units units = { 1.0 / job.rule.root_var, job.pair_unit };
    if (ALWAYS_PAIRS<METHOD> || job.fp64_is_slow)
        window_score<METHOD, true><<<grid, THREADS, 0, stream>>>(job, column0, strip, units);
    else
        window_score<METHOD, ALWAYS_PAIRS<METHOD>>
            <<<grid, THREADS, 0, stream>>>(job, column0, strip, units);
}

} // namespace

cudaError_t launch_window_score(const ScoreJob &job, cudaStream_t stream)
{
    return with_score_method(job.method, [&](auto method) { launch<method>(job, stream); });
}

} // namespace xncc
