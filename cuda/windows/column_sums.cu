// SPDX-License-Identifier: BSD-2-Clause
// Sums down the columns of the image (column_sums.h).
//
// A thread slides down a column of a strip: a row enters, and one leaves. The sums are pairs of
// doubles, so what has left leaves no trace but of the second order, and what is stored is rounded
// once more. For high windows the first sum of a strip is made from sums of groups of rows. A block
// has XNCC_COLUMN_BLOCK adjacent columns of one strip of XNCC_COLUMN_STRIP rows (blockIdx.x:
// strips, one after the other); loads are in flight while rows before them are summed. Shared
// memory: 32 bytes. Any compute capability.
//
// What the pairs lose. A strip makes at most templ_height + 2 * XNCC_COLUMN_STRIP additions, and
// each loses a unit of 2^-53 of the low part, which is at most their number times a unit of all
// that entered (`reach`). FloatColumns::loss is twice that.
#include "cuda/windows/column_sums.h"

#include "cuda/planes/float_image.cuh"

namespace xncc {

namespace {

constexpr int THREADS = XNCC_COLUMN_BLOCK, BLOCKS = 6; // the latter per multiprocessor
constexpr int STRIP = XNCC_COLUMN_STRIP;
constexpr int GROUP = XNCC_COLUMN_GROUP;
constexpr int BATCH = 8; // rows whose loads are in flight at a time,
constexpr int AHEAD = 4; // or while so many before them are summed
constexpr unsigned ALL = 0xffffffffu;
static_assert(STRIP % GROUP == 0 && STRIP % BATCH == 0 && GROUP % BATCH == 0 && STRIP % AHEAD == 0,
              "whole groups");

// S and Q of a column.
struct ColumnSum {
    xncc_twofold S, Q;

    __device__ void enter(double v)
    {
        xncc_twofold_put(&S, v);
        xncc_twofold_put(&Q, xncc_product(v, v));
    }
    __device__ void leave(double v)
    {
        xncc_twofold_put(&S, -v);
        xncc_twofold_put(&Q, -xncc_product(v, v));
    }
    __device__ double2 rounded() const
    {
        return make_double2(xncc_sum(S.high, S.low), xncc_sum(Q.high, Q.low));
    }
};

// A column of samples, read from `first` on if that is its sample in row y0, or one by one.
template <xncc_pixel PIXEL> struct Column {
    const FloatImage &of;
    int x, y0;
    double pivot;
    const unsigned char *first;

    // rows: what will be read.
    __device__ Column(const ColumnSumsJob &job, int column, int row, int rows)
        : of(job.image), x(column), y0(row), pivot(job.constants->image_pivot),
          first(float_column<PIXEL>(job.image, column, row, rows))
    {
    }
    // COUNT samples from row y on, as they are; NaN where no window of the band reaches.
    template <int COUNT> __device__ __forceinline__ void fetch(int y, double (&v)[COUNT]) const
    {
        const unsigned char *from = first + (y - y0) * of.image.pitch;
        if (first) {
#pragma unroll
            for (int k = 0; k < COUNT; k++)
                v[k] = xncc_sample_value(PIXEL, from + k * of.image.pitch, 0);
        } else {
#pragma unroll
            for (int k = 0; k < COUNT; k++)
                v[k] = x < of.columns && y + k < of.rows ? float_sample<PIXEL>(of, x, y + k) : NAN;
        }
    }
    // A sample that was fetched, as the sums take it.
    __device__ __forceinline__ double value(double sample) const
    {
        const double one = xncc_sum(sample, -pivot);
        return isfinite(one) ? one : 0.0;
    }
    // BATCH samples from row y on, as the sums take them.
    __device__ __forceinline__ void load(int y, double (&v)[BATCH]) const
    {
        fetch(y, v);
#pragma unroll
        for (int k = 0; k < BATCH; k++)
            v[k] = value(v[k]);
    }
};

// Sums of groups of rows: row blockIdx.x / across of the scratch.
template <xncc_pixel PIXEL>
__global__ __launch_bounds__(THREADS) void sum_groups(const __grid_constant__ ColumnSumsJob job,
                                                      int across)
{
    const int x = static_cast<int>(blockIdx.x) % across * THREADS + static_cast<int>(threadIdx.x),
              group = static_cast<int>(blockIdx.x) / across;
    if (x >= job.image.columns)
        return;
    const Column<PIXEL> column(job, x, group * GROUP, GROUP);
    ColumnSum sum = {};
    double next[BATCH];
    column.fetch(group * GROUP, next);
    for (int y = group * GROUP; y < (group + 1) * GROUP; y += BATCH) {
        double v[BATCH];
#pragma unroll
        for (int k = 0; k < BATCH; k++)
            v[k] = column.value(next[k]);
        if (y + BATCH < (group + 1) * GROUP)
            column.fetch(y + BATCH, next);
#pragma unroll
        for (int k = 0; k < BATCH; k++)
            sum.enter(v[k]);
    }
    reinterpret_cast<ColumnSum *>(job.groups)[group * job.to.pitch + x] = sum;
}

// The sum of the first windows of a strip, without their last row. *reach: all that entered.
template <xncc_pixel PIXEL>
__device__ ColumnSum begin_strip(const ColumnSumsJob &job, const Column<PIXEL> &column,
                                 double *reach)
{
    const int x = column.x, y0 = column.y0;
    const ColumnSum *groups = reinterpret_cast<const ColumnSum *>(job.groups);
    const int end = y0 + job.templ_height - 1;
    ColumnSum sum = {};
    int y = y0;
    for (; groups && y + GROUP <= end; y += GROUP) {
        const ColumnSum more = groups[y / GROUP * job.to.pitch + x];
        sum.S = xncc_twofold_add(sum.S, more.S);
        sum.Q = xncc_twofold_add(sum.Q, more.Q);
    }
    *reach = sum.Q.high;
    for (; y < end; y += BATCH) {
        double v[BATCH];
        column.load(y, v);
#pragma unroll
        for (int k = 0; k < BATCH; k++)
            if (y + k < end) {
                sum.enter(v[k]);
                *reach += v[k] * v[k];
            }
    }
    return sum;
}

// Stores the sum of the columns' reach.
__device__ void store_reach(double reach, double *to)
{
    __shared__ double part[THREADS / 32];
    for (int step = 16; step > 0; step /= 2)
        reach += __shfl_xor_sync(ALL, reach, step);
    if (threadIdx.x % 32 == 0)
        part[threadIdx.x / 32] = reach;
    __syncthreads();
    if (threadIdx.x == 0) {
        double all = 0.0;
        for (double one : part)
            all += one;
        *to = all;
    }
}

template <xncc_pixel PIXEL>
__global__ __launch_bounds__(THREADS,
                             BLOCKS) void sum_columns(const __grid_constant__ ColumnSumsJob job,
                                                      int across)
{
    const int x = static_cast<int>(blockIdx.x) % across * THREADS + static_cast<int>(threadIdx.x),
              y0 = static_cast<int>(blockIdx.x) / across * STRIP, y1 = min(y0 + STRIP, job.rows);
    const bool inside = x < job.image.columns;
    double reach = 0.0;
    if (inside) {
        const Column<PIXEL> column(job, x, y0, STRIP + job.templ_height - 1);
        ColumnSum sum = begin_strip(job, column, &reach);
        double2 *to = job.to.sums + y0 * job.to.pitch + x;
        double in[AHEAD], out[AHEAD], next_in[AHEAD], next_out[AHEAD];
        column.fetch(y0 + job.templ_height - 1, next_in);
        column.fetch(y0, next_out);
        for (int y = y0; y < y1; y += AHEAD, to += AHEAD * job.to.pitch) {
#pragma unroll
            for (int k = 0; k < AHEAD; k++) { // rows past the last window are 0
                in[k] = column.value(next_in[k]);
                out[k] = column.value(next_out[k]);
            }
            if (y + AHEAD < y1) {
                column.fetch(y + AHEAD + job.templ_height - 1, next_in);
                column.fetch(y + AHEAD, next_out);
            }
#pragma unroll
            for (int k = 0; k < AHEAD; k++) {
                sum.enter(in[k]);
                reach += in[k] * in[k];
                if (y + k < y1)
                    to[k * job.to.pitch] = sum.rounded();
                sum.leave(out[k]);
            }
        }
    }
    store_reach(reach, job.to.reach + blockIdx.x);
}

} // namespace

cudaError_t launch_column_sums(const ColumnSumsJob &given, cudaStream_t stream)
{
    ColumnSumsJob job = given;
    const int across = ceil_div(job.image.columns, THREADS);
    // low windows are summed sample by sample
    if (job.templ_height <= 2 * GROUP)
        job.groups = nullptr;
    const unsigned strips = static_cast<unsigned>(across) *
                            static_cast<unsigned>(ceil_div(job.rows, STRIP)),
                   groups = static_cast<unsigned>(across) *
                            static_cast<unsigned>(ceil_div(job.image.rows, GROUP));
    with_float_pixel(job.image.image.pixel, [&](auto type) {
        if (job.groups)
            sum_groups<type><<<groups, THREADS, 0, stream>>>(job, across);
        sum_columns<type><<<strips, THREADS, 0, stream>>>(job, across);
    });
    return cudaGetLastError();
}

} // namespace xncc
