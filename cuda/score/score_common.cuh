// SPDX-License-Identifier: BSD-2-Clause
// Common parts of the tensor kernels' score passes: row loading, sums along image rows, windows
// that slide down, and quotients.
#ifndef XNCC_CUDA_SCORE_SCORE_COMMON_CUH
#define XNCC_CUDA_SCORE_SCORE_COMMON_CUH

#include "cuda/peaks/peak_key.cuh"
#include "cuda/runtime/pdl.cuh"
#include "cuda/runtime/shared_memory.h"
#include "cuda/runtime/warp.cuh"
#include "cuda/score/quotient.cuh"
#include "cuda/score/score_u8.h"
#include "cuda/score/window_terms.cuh"

#include "math/float_float.h"
#include "math/method.h"

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
#pragma nv_diag_suppress 177 // the kernels are empty there, so these functions have no callers
#endif

namespace xncc {

constexpr int WARPS = 4, THREADS = WARPS * WARP_LANES;
// Map rows per batch: one per warp.
constexpr int ROWS = WARPS;
static_assert(THREADS * 4 == XNCC_TENSOR_COLUMNS, "a thread has four columns of a strip");

// The image columns under a strip's windows: WORDS 32-bit words per lane. PITCH: elements per row
// of prefix sums.
template <int WORDS> struct Span {
    static constexpr int COLUMNS = 4 * WORDS * WARP_LANES, PITCH = COLUMNS + 4;
    static constexpr int PIECES = COLUMNS / 16; // 16-byte pieces per image row
    static_assert(WORDS % 2 == 1 && PIECES <= 2 * WARP_LANES,
                  "no bank conflicts, two pieces per lane");
};
// For windows up to 128 and up to 384 pixels wide.
constexpr int WORDS = 5, WIDE_WORDS = 7;
static_assert(Span<WORDS>::COLUMNS >= XNCC_TENSOR_COLUMNS + XNCC_TENSOR_WIDTH,
              "columns of a strip's windows");
static_assert(Span<WIDE_WORDS>::COLUMNS >= XNCC_TENSOR_COLUMNS + XNCC_TENSOR_SCORE_WIDTH,
              "columns of a strip's windows");

// An integer linear function of the sums of a window.
template <class Number> struct Linear {
    Number product, sum, square, rest; // factors of X, S (of all channels) and Q, and a constant
};

// What becomes of the fractions.
enum Finish {
    FINISH_ROOT,   // num unit / sqrt(var)
    FINISH_DIVIDE, // num / n
    FINISH_EXACT   // num
};

// Parameters of a score pass, with constants derived on the host.
struct Job {
    TensorScoreJob all;
    // Map rows of a strip per block.
    int32_t segment;
    // Map columns that are stored by aligned vectors (vector_columns): all or none.
    int32_t vector_columns;
    // n, -n 2^52, sumT and 1 / root_var of the template, as doubles.
    double n, lowered, sum, unit;
    // 1 / root_var as a pair of floats.
    xncc_float_float pair_unit;
    // The other methods: 1 / n, and numerator and denominator (linear_score).
    double reciprocal;
    Linear<double> num, var;
};

// The integer v of a lifted value 2^52 + v.
__device__ __forceinline__ uint32_t low_word(double lifted)
{
    return static_cast<uint32_t>(__double2loint(lifted));
}

// sum + the dot product of four unsigned pixels with four signed weights; here the weights are 0
// and -1, so pixels are subtracted.
__device__ __forceinline__ uint32_t dp4a_signed(uint32_t pixels, uint32_t weights, uint32_t sum)
{
    asm("dp4a.u32.s32 %0, %1, %2, %0;" : "+r"(sum) : "r"(pixels), "r"(weights));
    return sum;
}

// The float of the double num / n, without a division. num: an integer as a double, rounded or not;
// n: an integer below 2^17; reciprocal: the double 1 / n.
//
// With Q = num / n, q differs from Q by less than 2^-52 Q. The rest num - q n is a multiple of q's
// unit of the last place, because num is, and less than 2^19 of them; so it is exact. The last step
// adds Q - q with a relative error of 2^-53, and rounds once: the sum is off by 2^-105 Q before.
//
// So a Q that is a double is found exactly, among them every midpoint of two floats. Any other Q
// differs from a midpoint M 2^j, M < 2^25, by more than rounding to double can change. Let num be
// A 2^k with A < 2^53: the difference is at least 2^k / n > 2^-53 Q if j >= k, and otherwise at
// least 2^j / n > 2^-42 Q. So the result and the quotient of the plain formula are on the same side
// of each midpoint.
__device__ __forceinline__ float exact_quotient(double num, double n, double reciprocal)
{
    const double q = __dmul_rn(num, reciprocal);
    return __double2float_rn(fma(fma(-q, n, num), reciprocal, q));
}

// Loads image rows into shared memory by asynchronous copies, one batch ahead. Each warp loads two
// rows per batch for its map row: the image row that enters its window at the bottom (lead) and the
// row that leaves it at the top (lag), a window height above.
template <int WORDS> struct RowLoader {
    static constexpr int COLUMNS = Span<WORDS>::COLUMNS, PIECES = Span<WORDS>::PIECES;
    // The lane's bytes of the next lead row.
    const unsigned char *lead;
    // Shared-memory addresses of the lane's pieces, for the next batch and the one after.
    uint32_t now, next;
    // Bytes inside the image (0 or 16) of the lane's first and second piece.
    uint32_t near, far;
    // Image rows from the next lead row on; 0 or less past the image.
    int room;
    // True for the first lag row of a strip segment's first window: nothing has left it yet.
    bool first;

    // buffer: the warp's shared memory, lead and lag row of this batch and of the next.
    __device__ RowLoader(const TensorPlane &image, int32_t window_width, int32_t window_height,
                         const unsigned char *buffer, int x0, int y0)
    {
        int lane = threadIdx.x % WARP_LANES, warp = threadIdx.x / WARP_LANES, x = x0 + 16 * lane;
        near = x < image.width ? 16 : 0;
        // columns right of the last window are filled with zeros
        far = 16 * lane < min(image.width - x0 - 16 * WARP_LANES, window_width) ? 16 : 0;
        room = image.height - (y0 + warp + window_height - 1);
        lead = image.data + (near ? x : 0) +
               static_cast<int64_t>(y0 + warp + window_height - 1) * image.pitch;
        now = static_cast<uint32_t>(__cvta_generic_to_shared(buffer + 16 * lane));
        next = now + 2 * COLUMNS;
        first = warp == 0; // nothing has left the first window
    }
    // Copies 16 bytes to shared memory; of these, only the first `bytes` are read, the rest become
    // 0.
    __device__ static void copy(uint32_t to, const unsigned char *from, uint32_t bytes)
    {
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from),
                     "r"(bytes));
    }
    // The same with an eviction policy for the second-level cache.
    __device__ static void copy(uint32_t to, const unsigned char *from, uint32_t bytes,
                                uint64_t policy)
    {
        asm volatile("cp.async.cg.shared.global.L2::cache_hint [%0], [%1], 16, %2, %3;" ::"r"(to),
                     "l"(from), "r"(bytes), "l"(policy));
    }
    // Starts the copies of a lead and a lag row to shared-memory address `to`. plane: bytes from
    // the loader's plane to the one that is read. Rows outside the image become zeros; after the
    // last batch that can hold for the lag row of a low window, too. Lead rows are kept in the
    // second-level cache until they leave the window as lag rows.
    __device__ void copy_rows(int64_t pitch, int32_t window_height, int64_t plane,
                              uint32_t to) const
    {
        const unsigned char *enters = lead + plane, *leaves = enters - window_height * pitch;
        uint32_t in = room > 0 ? ~0u : 0u, out = first || room <= -window_height ? 0u : ~0u;
        uint64_t keep, drop;
        asm volatile("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(keep));
        asm volatile("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(drop));
        copy(to, enters, near & in, keep);
        copy(to + COLUMNS, leaves, near & out, drop);
        if (threadIdx.x % WARP_LANES < PIECES - WARP_LANES) {
            copy(to + 16 * WARP_LANES, enters + (far ? 16 * WARP_LANES : 0), far & in, keep);
            copy(to + COLUMNS + 16 * WARP_LANES, leaves + (far ? 16 * WARP_LANES : 0), far & out,
                 drop);
        }
    }
    // Ends the copies of a batch, and goes on to the rows of the next one.
    __device__ void end_batch(int64_t pitch)
    {
        asm volatile("cp.async.commit_group;");
        first = false;
        lead += ROWS * pitch;
        room -= ROWS;
    }
    // Starts the copies of a batch.
    __device__ void fetch(const Job &job)
    {
        const int64_t pitch = job.all.image.pitch; // of every plane
        const uint32_t t = now;
        copy_rows(pitch, job.all.window_height, 0, now);
        end_batch(pitch);
        now = next;
        next = t;
    }
};

// Inclusive prefix sums of a and b over the lanes of a warp.
__device__ __forceinline__ void scan(uint32_t &a, uint32_t &b)
{
#define XNCC_SCAN_STEP(o)                                                                          \
    asm("{ .reg .pred p; .reg .u32 t;\n"                                                           \
        "shfl.sync.up.b32 t|p, %0, " #o ", 0, -1; @p add.u32 %0, %0, t;\n"                         \
        "shfl.sync.up.b32 t|p, %1, " #o ", 0, -1; @p add.u32 %1, %1, t; }"                         \
        : "+r"(a), "+r"(b))
    XNCC_SCAN_STEP(1);
    XNCC_SCAN_STEP(2);
    XNCC_SCAN_STEP(4);
    XNCC_SCAN_STEP(8);
    XNCC_SCAN_STEP(16);
#undef XNCC_SCAN_STEP
}

// Stores a thread's four scores of a map row, columns x .. x + 3 of `width`.
__device__ __forceinline__ void store(float *to, const float *f, int x, int width,
                                      int vector_columns)
{
    if (x + 3 < vector_columns) {
        __stcs(reinterpret_cast<float4 *>(to), make_float4(f[0], f[1], f[2], f[3]));
        return;
    }
#pragma unroll
    for (int i = 0; i < 4; i++)
        if (x + i < width)
            to[i] = f[i];
}

// The sum of v over the lanes below this one.
template <class Sum> __device__ __forceinline__ Sum sum_before(Sum v)
{
    return warp_sum_until(v, static_cast<int>(threadIdx.x) % WARP_LANES) - v;
}

// Cuts strips of 512 columns into segments, one per block: as many segments as make one wave of
// `blocks` blocks, but none so short (an eighth of a window's height) that summing its first
// windows costs more than sliding. *segment: map rows per block, a multiple of `batch` or, if the
// best of tiles is asked for, of their rows. Returns the grid.
template <class Map>
dim3 cut_strips(const Map &map, int32_t window_height, int blocks, int batch, int32_t *segment)
{
    if (map.tiles.best)
        batch = map.tiles.rows;
    int strips = ceil_div<int32_t>(map.width, XNCC_TENSOR_COLUMNS), segments = blocks / strips;
    int rows = ceil_div<int32_t>(map.height, segments > 1 ? segments : 1),
        least = window_height / 8;
    *segment = ceil_div(rows > least ? rows : least, batch) * batch;
    return make_grid(strips, ceil_div(map.height, *segment));
}

// The same for a score pass with `blocks` blocks per multiprocessor.
inline dim3 cut_strips(Job *job, int processors, int blocks)
{
    return cut_strips(job->all, job->all.window_height, processors * blocks, ROWS, &job->segment);
}

// The columns of a map that may be stored by vectors of `floats` floats: all, or none where a row
// does not begin at a multiple of a vector. One comparison in the kernel then serves the alignment
// and the map's right edge, and a kernel need not be built for each alignment.
template <class Map> int32_t vector_columns(const Map &of, int floats)
{
    const size_t bytes = sizeof(float) * static_cast<size_t>(floats);
    const bool aligned = of.map_pitch % floats == 0 &&
                         reinterpret_cast<uintptr_t>(of.map) % bytes == 0;
    return aligned ? of.width : 0;
}

// Numerator and denominator of the methods that are not centred: X, Q and Q - 2 X + sumT2 without
// the bias. Square: Q, and what the numerator adds of it.
struct LinearScore {
    Linear<int64_t> num, var;
};

// templ, T2: sumT and sumT2 over all channels.
inline LinearScore linear_score(xncc_method method, const xncc_general_rule &rule, int channels,
                                uint64_t templ, uint64_t T2)
{
    const int64_t bias = static_cast<int64_t>(rule.bias),
                  square = channels * static_cast<int64_t>(rule.whole) * bias * bias;
    const Linear<int64_t> var = { 0, -2 * bias, 1, square };
    if (xncc_method_of_difference(method))
        return { { -2, 0, 1, static_cast<int64_t>(T2) }, var };
    return { { 1, -bias, 0, square - bias * static_cast<int64_t>(templ) }, var };
}

inline Linear<double> as_doubles(const Linear<int64_t> &of)
{
    return { static_cast<double>(of.product), static_cast<double>(of.sum),
             static_cast<double>(of.square), static_cast<double>(of.rest) };
}

// The reciprocal root of the template's part of the denominator, given the sums of all channels, or
// NaN if that is 0.
inline double unit_of_general(xncc_method method, const xncc_general &templ)
{
    const xncc_u128 spread = method == XNCC_CCOEFF_NORMED ? templ.templ_var : templ.T2;
    return xncc_u128_is_zero(spread) ? NAN : 1.0 / sqrt(xncc_u128_to_double(spread));
}

// The job with its derived constants; the segment is set by cut_strips. floats: per vector of the
// map.
inline Job make_job(const TensorScoreJob &all, int floats)
{
    Job job = {};
    job.all = all;
    job.vector_columns = vector_columns(all, floats);
    if (all.method == XNCC_CCOEFF_NORMED) {
        job.n = static_cast<double>(all.rule.n);
        job.sum = static_cast<double>(all.rule.sum);
        job.unit = 1.0 / all.rule.root_var;
        job.pair_unit = xncc_ff_unit(XNCC_CCOEFF_NORMED, &all.rule);
    } else {
        const LinearScore of = linear_score(all.method, all.general, 1, all.T, all.T2);
        const xncc_general_sums sums = { 0, all.T, xncc_u128_of(0), xncc_u128_of(0),
                                         xncc_u128_of(all.T2) };
        xncc_general templ = xncc_general_begin(all.general.whole);
        xncc_general_add(&templ, &sums, all.general.bias);
        job.n = static_cast<double>(all.general.whole);
        job.sum = static_cast<double>(all.T);
        job.unit = unit_of_general(all.method, templ);
        job.reciprocal = 1.0 / job.n;
        job.num = as_doubles(of.num);
        job.var = as_doubles(of.var);
    }
    job.lowered = -job.n * LIFT;
    return job;
}

} // namespace xncc

#endif
