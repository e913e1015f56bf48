// Window sums and score in one pass, for 8-bit windows up to 128 pixels wide whose sums fit 32
// bits.
//
// A block walks down a strip. Each thread keeps the sums of 4 adjacent image columns over the
// window's height; a prefix sum along the row (in registers, then over the warp) goes to shared
// memory, and the difference of two prefixes is a window's sum. All of it wraps modulo 2^32, which
// is exact because the sums fit.
#include "cuda/score/column_score.h"

namespace xncc {

namespace {

constexpr unsigned ALL = 0xffffffffu;
constexpr int LANES = 32;
constexpr int SPAN = 4;                    // image columns a thread
constexpr int WARP_COLUMNS = LANES * SPAN; // and a warp
constexpr int WARPS = 5; // the last one's columns belong to the windows of the others
constexpr int OUTPUT_WARPS = WARPS - 1;
constexpr int THREADS = WARPS * LANES;
constexpr int OUTPUTS = OUTPUT_WARPS * WARP_COLUMNS; // map elements of a block's row
constexpr int BATCH = 2;                             // rows between barriers
constexpr int COLUMN_STRIDE =
    THREADS + 4; // 4 more than a multiple of 16: adjacent columns lie in different banks
static_assert(XNCC_WINDOW_WIDTH <= WARP_COLUMNS, "a window crosses one warp's edge at most");
static_assert(COLUMN_STRIDE % 16 == 4, "bank conflicts");

// S and Q before a column: column c at [c % 4][c / 4], relative to the columns of its warp.
struct Prefixes {
    uint2 before[SPAN][COLUMN_STRIDE];
    uint2 total[WARPS];
};

// Where a thread reads its 4 columns of an image row.
struct Source {
    const unsigned char *data;
    int64_t pitch;
    int last_row;
    int offset[SPAN]; // bytes into the row, clamped to the image
    bool whole;       // the 4 columns are an aligned word inside the image

    __device__ Source(const StageView &stage, int column)
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

// Sums over a thread's first 1, 2, 3 and 4 columns.
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

// 64-bit integers to double by two additions; exact up to the one rounding, like the conversion,
// which is a slow instruction.
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

// The default method from the exact integers. Its quotient is first had from a reciprocal square
// root, good to a few units of the last place of a double; rounding to float gives the same bits as
// the formula unless a midpoint of two floats lies between. Where one is within 16 units the score
// is in doubt, and the formula itself decides. Scores are 0 or at least 2^-64, so floats are
// normal.
struct Normed {
    double num, var;

    __device__ Normed(const xncc_score_rule &rule, uint2 sums, uint32_t x)
    {
        uint32_t pixels = static_cast<uint32_t>(rule.n), sum = static_cast<uint32_t>(rule.sum);
        num = from_signed(static_cast<int64_t>(static_cast<uint64_t>(pixels) * x) -
                          static_cast<int64_t>(static_cast<uint64_t>(sum) * sums.x));
        var = from_unsigned(static_cast<uint64_t>(pixels) * sums.y -
                            static_cast<uint64_t>(sums.x) * sums.x);
    }
    __device__ float quick(const xncc_score_rule &rule, double inverse_root, bool *doubt) const
    {
        double y;
        asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(var));
        double e = __fma_rn(__dmul_rn(-var, y), y, 1.0);
        y = __fma_rn(__dmul_rn(y, e), __fma_rn(0.375, e, 0.5), y);
        double score = __dmul_rn(num, __dmul_rn(y, inverse_root));
        uint32_t dropped = static_cast<uint32_t>(__double2loint(score)) &
                           0x1fffffffu; // the bits that a float has no room for
        bool flat = var == 0.0 || rule.root_var == 0.0;
        *doubt = !flat && dropped - (0x10000000u - 16u) <= 32u;
        return flat ? rule.undefined : static_cast<float>(score);
    }
    __device__ float exact(const xncc_score_rule &rule) const
    {
        return static_cast<float>(num / (sqrt(var) * rule.root_var));
    }
};

// What the quick scores need of the rule.
struct Units {
    double inverse_root;
    xncc_float_float pair;
};

// The scores of a thread's windows in a row. Without a branch between them, so that their
// arithmetic overlaps. PAIRS: of floats, where doubles are slow.
template <xncc_method METHOD, bool PAIRS, int COUNT>
__device__ void score_row(const xncc_score_rule &rule, const Units &units,
                          const uint2 (&sums)[COUNT], const uint32_t (&product)[COUNT],
                          float (&score)[COUNT])
{
    constexpr bool QUICK = PAIRS || METHOD == XNCC_CCOEFF_NORMED;
    unsigned doubts = 0;
#pragma unroll
    for (int i = 0; i < COUNT; i++) {
        bool doubt = false;
        if (PAIRS)
            doubt = !xncc_ff_score(METHOD, &rule, units.pair, 1, sums[i].x, sums[i].y, product[i],
                                   &score[i]);
        else if (METHOD == XNCC_CCOEFF_NORMED)
            score[i] = Normed(rule, sums[i], product[i]).quick(rule, units.inverse_root, &doubt);
        else
            score[i] = xncc_score_integer(METHOD, &rule, sums[i].x, sums[i].y, product[i]);
        doubts |= doubt ? 1u << i : 0;
    }
    if (QUICK && doubts)
#pragma unroll
        for (int i = 0; i < COUNT; i++)
            if (doubts >> i & 1)
                score[i] = PAIRS
                               ? xncc_score_integer(METHOD, &rule, sums[i].x, sums[i].y, product[i])
                               : Normed(rule, sums[i], product[i]).exact(rule);
}

// Turns a row's column sums into prefixes in shared memory.
__device__ void spread(const Columns &in, const Columns &out, Prefixes *row)
{
    int lane = threadIdx.x % LANES, warp = threadIdx.x / LANES;
    uint32_t own_s = in.s[SPAN - 1] - out.s[SPAN - 1], own_q = in.q[SPAN - 1] - out.q[SPAN - 1],
             s = own_s, q = own_q;
#pragma unroll
    for (int step = 1; step < LANES; step *= 2) {
        uint32_t before_s = __shfl_up_sync(ALL, s, step), before_q = __shfl_up_sync(ALL, q, step);
        s += lane >= step ? before_s : 0;
        q += lane >= step ? before_q : 0;
    }
    if (lane == LANES - 1)
        row->total[warp] = make_uint2(s, q);
    s -= own_s;
    q -= own_q;
    row->before[0][threadIdx.x] = make_uint2(s, q);
#pragma unroll
    for (int i = 1; i < SPAN; i++)
        row->before[i][threadIdx.x] = make_uint2(s + in.s[i - 1] - out.s[i - 1],
                                                 q + in.q[i - 1] - out.q[i - 1]);
}

// A thread's share of the scoring: the windows that begin at its column of each of the first warps'
// columns. Whether a window reaches into the next warp's columns is the same for all of them.
struct Windows {
    const uint2 *begin, *end; // the prefixes of the first, in the first row
    bool crosses;
    bool inside[OUTPUT_WARPS]; // the map

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
    __device__ uint2 sums(const Prefixes *rows, int row, int i) const
    {
        constexpr int ROW = sizeof(Prefixes) / sizeof(uint2);
        uint2 a = begin[row * ROW + i * LANES], b = end[row * ROW + i * LANES],
              all = rows[row].total[i];
        return make_uint2(b.x - a.x + (crosses ? all.x : 0), b.y - a.y + (crosses ? all.y : 0));
    }
};
static_assert(sizeof(Prefixes) % sizeof(uint2) == 0, "rows of prefixes follow each other");

template <xncc_method METHOD, bool PAIRS>
__global__ __launch_bounds__(THREADS, 5) void one_pass(ScoreJob job, int column0, int strip,
                                                       Units units)
{
    __shared__ Prefixes prefixes[BATCH];
    xncc_score_rule rule = job.rule;
    rule.needs_u128 = 0; // n * 255 < 2^25
    int x0 = column0 + blockIdx.x * OUTPUTS, x = x0 + threadIdx.x;
    int y0 = blockIdx.y * strip, y1 = min(y0 + strip, job.height);
    Source source(job.stage, job.stage.left + x0 + static_cast<int>(threadIdx.x) * SPAN);
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
            spread(in, out, &prefixes[r]);
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
    int column0 = -((job.stage.left % SPAN + SPAN) % SPAN); // so that threads read aligned words
    int across = ceil_div(job.width - column0, OUTPUTS), strip = job.size <= 128 ? 64 : 256;
    while (strip > 16 && across * ceil_div(job.height, strip) <
                             512) // short strips where a small map would leave the device idle
        strip /= 2;
    dim3 grid(static_cast<unsigned>(across), static_cast<unsigned>(ceil_div(job.height, strip)));
    Units units = { 1.0 / job.rule.root_var, job.pair_unit };
    // where the other way is the plain formula, with its root and its quotient in double, pairs are
    // faster on every device
    constexpr bool ALWAYS = METHOD == XNCC_CCORR_NORMED || METHOD == XNCC_SQDIFF_NORMED;
    if (ALWAYS || job.fp64_is_slow)
        one_pass<METHOD, true><<<grid, THREADS, 0, stream>>>(job, column0, strip, units);
    else
        one_pass<METHOD, ALWAYS><<<grid, THREADS, 0, stream>>>(job, column0, strip, units);
}

} // namespace

cudaError_t launch_one_pass(const ScoreJob &job, cudaStream_t stream)
{
    switch (job.method) {
    case XNCC_CCOEFF_NORMED: launch<XNCC_CCOEFF_NORMED>(job, stream); break;
    case XNCC_CCOEFF: launch<XNCC_CCOEFF>(job, stream); break;
    case XNCC_CCORR: launch<XNCC_CCORR>(job, stream); break;
    case XNCC_CCORR_NORMED: launch<XNCC_CCORR_NORMED>(job, stream); break;
    case XNCC_SQDIFF: launch<XNCC_SQDIFF>(job, stream); break;
    case XNCC_SQDIFF_NORMED: launch<XNCC_SQDIFF_NORMED>(job, stream); break;
    case XNCC_COVERAGE: return cudaErrorInvalidValue; // of the joint route
    }
    return cudaGetLastError();
}

} // namespace xncc
