// SPDX-License-Identifier: BSD-2-Clause
// S and Q of every window from the sums of window rows, and the score (column_score.h):
//
//     S(x, y) = sum over j < size of rows(x, y + j), and Q the same
//
// Integers (slide_score): a thread owns a column of a strip of 64 to 256 map rows. It adds the row
// that enters the window, scores the window, and subtracts the row that leaves it; unsigned
// arithmetic wraps, so the result is exact. Loads of 4 rows are in flight at a time.
//
// f32 (sum_score): one thread per window adds all its rows from top to bottom, so that the error is
// small. The score, or XNCC_DOUBT where the bounds of math/near.h do not decide it.
//
// 128 threads per block, adjacent columns; no shared memory; any compute capability.
#include "cuda/score/column_score.h"
#include "cuda/runtime/dispatch.h"

#include "cuda/runtime/score_arithmetic.h"

#include "math/method.h"
#include "math/near.h"

namespace xncc {

namespace {

constexpr int THREADS = 128;
constexpr int BATCH = 4; // rows whose loads are in flight at a time

// The score of a window of integers. PAIRS: in pairs of floats, unless the rounding is in doubt.
template <xncc_method METHOD, bool NARROW, bool PAIRS>
__device__ __forceinline__ float score(const xncc_score_rule &rule, xncc_float_float unit,
                                       uint64_t s, uint64_t q, uint64_t x)
{
    float f;
    if (PAIRS && xncc_ff_score(METHOD, &rule, unit, NARROW, s, q, x, &f))
        return f;
    return xncc_score_integer(METHOD, &rule, s, q, x);
}

// Integers. Row: a pair of row sums; Sum: S or Q. NARROW: X comes from the map.
template <class Row, class Sum, xncc_method METHOD, bool NARROW, bool PAIRS>
__global__ __launch_bounds__(THREADS) void slide_score(ScoreJob job, int strip)
{
    if constexpr (!builds_arithmetic(PAIRS))
        return;
    int x = blockIdx.x * THREADS + threadIdx.x, y0 = blockIdx.y * strip,
        y1 = min(y0 + strip, job.height);
    if (x >= job.width)
        return;
    xncc_score_rule rule = job.rule;
    if (NARROW)
        rule.needs_u128 = 0; // n * 255 < 2^25; known to the compiler
    const Row *rows = static_cast<const Row *>(job.rows) + x + y0 * job.rows_pitch;
    const Row *ahead = rows;
    Sum s = 0, q = 0;
#pragma unroll 8
    for (int j = 0; j < job.size - 1; j++, ahead += job.rows_pitch) {
        Row in = __ldg(ahead);
        s += in.x;
        q += in.y;
    }
    float *map = job.map + x + y0 * job.map_pitch;
    const uint64_t *sums = NARROW
                               ? nullptr
                               : static_cast<const uint64_t *>(job.sums) + x + y0 * job.sums_pitch;
    for (int y = y0; y < y1; y += BATCH) {
        Row in[BATCH], out[BATCH];
        uint64_t product[BATCH];
#pragma unroll
        for (int k = 0; k < BATCH; k++) {
            if (y + k < y1) {
                in[k] = __ldg(ahead + k * job.rows_pitch);
                out[k] = __ldg(rows + k * job.rows_pitch);
                product[k] = NARROW ? __float_as_uint(map[k * job.map_pitch])
                                    : sums[k * job.sums_pitch];
            }
        }
#pragma unroll
        for (int k = 0; k < BATCH; k++) {
            if (y + k < y1) {
                s += in[k].x;
                q += in[k].y;
                map[k * job.map_pitch] = score<METHOD, NARROW, PAIRS>(rule, job.pair_unit, s, q,
                                                                      product[k]);
                s -= out[k].x;
                q -= out[k].y;
            }
        }
        ahead += BATCH * job.rows_pitch;
        rows += BATCH * job.rows_pitch;
        map += BATCH * job.map_pitch;
        sums += NARROW ? 0 : BATCH * job.sums_pitch;
    }
}

// f32. blockIdx.y: map row.
template <xncc_method METHOD> __global__ __launch_bounds__(THREADS) void sum_score(ScoreJob job)
{
    int x = blockIdx.x * THREADS + threadIdx.x, y = blockIdx.y;
    if (x >= job.width)
        return;
    const double2 *rows = static_cast<const double2 *>(job.rows) + x + y * job.rows_pitch;
    double s = 0.0, q = 0.0;
#pragma unroll 8
    for (int j = 0; j < job.size; j++, rows += job.rows_pitch) {
        double2 row = __ldg(rows);
        s = xncc_sum(s, row.x);
        q = xncc_sum(q, row.y);
    }
    double product = static_cast<const double *>(job.sums)[x + y * job.sums_pitch];
    const xncc_double_sums sums = { s, q, product, job.rule.fsum, job.rule.fsum2 };
    xncc_bounded_terms terms = {};
    xncc_bounded_add_channel(&terms, METHOD, job.rule.fn, &sums, job.rule.relative);
    job.map[x + y * job.map_pitch] = xncc_bounded_score(METHOD, job.rule.fn, &terms);
}

template <xncc_method METHOD, bool PAIRS>
void launch_integers(xncc_pixel pixel, bool narrow, const ScoreJob &job, int strip, dim3 grid,
                     cudaStream_t stream)
{
    if (narrow)
        slide_score<uint2, uint32_t, METHOD, true, PAIRS><<<grid, THREADS, 0, stream>>>(job, strip);
    else if (pixel == XNCC_U8)
        slide_score<uint2, uint64_t, METHOD, false, PAIRS>
            <<<grid, THREADS, 0, stream>>>(job, strip);
    else
        slide_score<ulonglong2, uint64_t, METHOD, false, PAIRS>
            <<<grid, THREADS, 0, stream>>>(job, strip);
}

template <xncc_method METHOD>
void launch_method(xncc_pixel pixel, bool narrow, const ScoreJob &job, cudaStream_t stream)
{
    dim3 grid = rows_grid(job.width, job.height, THREADS);
    if (pixel == XNCC_F32) {
        sum_score<METHOD><<<grid, THREADS, 0, stream>>>(job);
        return;
    }
    // strips long enough that summing the first window costs less than sliding, and short enough to
    // fill the device
    int strip = job.size <= 48 ? 64 : job.size <= 256 ? 128 : 256;
    grid.y = static_cast<unsigned>(ceil_div(job.height, strip));
    if (job.fp64_is_slow)
        launch_integers<METHOD, true>(pixel, narrow, job, strip, grid, stream);
    else
        launch_integers<METHOD, false>(pixel, narrow, job, strip, grid, stream);
}

} // namespace

cudaError_t launch_score(xncc_pixel pixel, bool narrow, const ScoreJob &job, cudaStream_t stream)
{
    return with_score_method(
        job.method, [&](auto method) { launch_method<method>(pixel, narrow, job, stream); });
}

} // namespace xncc
