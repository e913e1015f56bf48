// SPDX-License-Identifier: BSD-2-Clause
// Window sums and score in one pass over the image (column_score.h), for windows up to 128
// pixels wide whose sums fit 32 bits.
//
// Data mapping: slide_down.cuh.
//
// Resources: static shared memory 10,624 bytes; 5 blocks of 160 threads per multiprocessor
// (__launch_bounds__), so at most 80 registers per thread.
//
// Measured (H200, November 2026, n = 32): 0.36 ms, where separate passes for row sums and column
// sums with score (row_sums.cu, column_score.cu) took 0.78 ms.
#include "cuda/score/column_score.h"
#include "cuda/runtime/dispatch.h"

#include "cuda/runtime/score_arithmetic.h"
#include "cuda/score/quotient.cuh"
#include "cuda/score/slide_down.cuh"
#include "math/method.h"

namespace xncc {

namespace {

// Reads a thread's 4 columns of an image row; the image's edge is repeated.
struct ColumnReader {
    const unsigned char *data;
    int64_t pitch;
    // Image row of the band's first row, and the last one.
    int top, last_row;
    // Offset of each column in the row, clamped to the image.
    int offset[SPAN];
    // True if the 4 columns are an aligned word inside the image.
    bool whole;

    __device__ ColumnReader(const StageView &stage, int column)
        : data(stage.data), pitch(stage.pitch), top(stage.top), last_row(stage.height - 1)
    {
#pragma unroll
        for (int i = 0; i < SPAN; i++)
            offset[i] = min(max(column + i, 0), stage.width - 1);
        whole = column >= 0 && column + SPAN <= stage.width;
    }
    __device__ uint2 at(int row) const
    {
        const unsigned char *line = data + min(max(top + row, 0), last_row) * pitch;
        if (whole)
            return make_uint2(__ldg(reinterpret_cast<const uint32_t *>(line + offset[0])), 0);
        uint32_t v = 0;
#pragma unroll
        for (int i = 0; i < SPAN; i++)
            v |= static_cast<uint32_t>(__ldg(line + offset[i])) << (8 * i);
        return make_uint2(v, 0);
    }
};

// Constants of the template for the fast scores: 1 / root_var as a double, and xncc_ff_unit().
struct Units {
    double inverse_root;
    xncc_float_float pair;
};

// The score of a window; false if the plain formula must decide. PAIRS: in pairs of floats.
template <xncc_method METHOD, bool PAIRS>
__device__ __forceinline__ bool fast_score(const xncc_score_rule &rule, const Units &units,
                                           const Sums &w, uint32_t product, float *score)
{
    if (PAIRS)
        return xncc_ff_score(METHOD, &rule, units.pair, 1, w.s, w.q, product, score) != 0;
    if (METHOD == XNCC_CCOEFF_NORMED) {
        const uint32_t n = static_cast<uint32_t>(rule.n), sum = static_cast<uint32_t>(rule.sum);
        return fast_quotient(
            s64_to_double(static_cast<int64_t>(static_cast<uint64_t>(n) * product -
                                               static_cast<uint64_t>(sum) * w.s)),
            u64_to_double(static_cast<uint64_t>(n) * w.q - static_cast<uint64_t>(w.s) * w.s),
            units.inverse_root, score);
    }
    *score = xncc_score_integer(METHOD, &rule, w.s, w.q, product);
    return true;
}

// The score by the plain formula. Out of line and rarely called.
template <xncc_method METHOD>
__device__ __noinline__ float plain_score(const ScoreJob &job, const Sums w, uint32_t product)
{
    return xncc_score_integer(METHOD, &job.rule, w.s, w.q, product);
}

// Without pairs these methods take the plain formula, with its root and its division in double
// precision. Pairs are faster on every device.
template <xncc_method METHOD>
constexpr bool ALWAYS_PAIRS = METHOD == XNCC_CCORR_NORMED || METHOD == XNCC_SQDIFF_NORMED;

// Output (slide_down.cuh): the scores of the windows that begin at a thread's column in each of the
// first four warps' columns.
template <xncc_method METHOD, bool PAIRS> struct WindowOutput {
    const ScoreJob &job;
    const Units &units;
    xncc_score_rule rule;
    // The first window's element of the map's first row, and whether each window is in the map.
    float *map;
    bool inside[OUTPUT_WARPS];
    uint32_t product[BATCH][OUTPUT_WARPS];

    // x: map column of the first window; less than 0 in a first strip that begins left of the map.
    __device__ WindowOutput(const ScoreJob &of, const Units &constants, int x)
        : job(of), units(constants), rule(of.rule), map(of.map + x)
    {
        rule.needs_u128 = 0; // n * 255 < 2^25; known to the compiler
#pragma unroll
        for (int i = 0; i < OUTPUT_WARPS; i++) {
            const int at = x + i * WARP_COLUMNS;
            inside[i] = threadIdx.x < WARP_COLUMNS && at >= 0 && at < job.width;
        }
    }
    __device__ __forceinline__ void prefetch(int r, int y, bool has_windows)
    {
        const float *row = map + y * job.map_pitch;
#pragma unroll
        for (int i = 0; i < OUTPUT_WARPS; i++)
            product[r][i] = has_windows && inside[i] ? __float_as_uint(row[i * WARP_COLUMNS]) : 0;
    }
    // There is no branch between the windows, so that their arithmetic overlaps.
    __device__ __forceinline__ void finish_row(int r, int y, const Prefixes<false> &prefixes)
    {
        Sums sums[OUTPUT_WARPS];
        float score[OUTPUT_WARPS], *row = map + y * job.map_pitch;
        unsigned doubts = 0;
#pragma unroll
        for (int i = 0; i < OUTPUT_WARPS; i++) {
            sums[i] = prefixes.window(job.window_width, i);
            if (!fast_score<METHOD, PAIRS>(rule, units, sums[i], product[r][i], &score[i]))
                doubts |= 1u << i;
        }
#pragma unroll
        for (int i = 0; i < OUTPUT_WARPS; i++)
            if (doubts >> i & 1)
                score[i] = plain_score<METHOD>(job, sums[i], product[r][i]);
#pragma unroll
        for (int i = 0; i < OUTPUT_WARPS; i++)
            if (inside[i])
                row[i * WARP_COLUMNS] = score[i];
    }
};

// blockIdx.x: strip of columns; blockIdx.y: strip of `strip` map rows. column0: map column of the
// first strip, 0 or a little less, so that threads read aligned words.
template <xncc_method METHOD, bool PAIRS>
__global__ __launch_bounds__(THREADS, 5) void window_score(const __grid_constant__ ScoreJob job,
                                                           int column0, int strip, Units units)
{
    if constexpr (!builds_arithmetic(PAIRS) && !ALWAYS_PAIRS<METHOD>)
        return;
    const int x0 = column0 + blockIdx.x * OUTPUTS, y0 = blockIdx.y * strip;
    const ColumnReader rows(job.stage, job.stage.left + x0 + static_cast<int>(threadIdx.x) * SPAN);
    slide_down<false>(rows, job.size, y0, min(y0 + strip, job.height),
                      WindowOutput<METHOD, PAIRS>(job, units, x0 + static_cast<int>(threadIdx.x)));
}

template <xncc_method METHOD> void launch(const ScoreJob &job, cudaStream_t stream)
{
    int column0 = -((job.stage.left % SPAN + SPAN) % SPAN); // threads read aligned words
    int strip;
    const dim3 grid = strip_grid(job.width - column0, job.height, job.size, &strip);
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
