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
#include "cuda/runtime/warp.cuh"

namespace xncc {

namespace {

constexpr int THREADS = XNCC_COLUMN_BLOCK, BLOCKS = 6; // the latter per multiprocessor
constexpr int STRIP = XNCC_COLUMN_STRIP;
constexpr int GROUP = XNCC_COLUMN_GROUP;
constexpr int BATCH = 8; // rows whose loads are in flight at a time,
constexpr int AHEAD = 4; // or while so many before them are summed
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
    int32_t limit;
    const unsigned char *first;

    // rows: what will be read.
    __device__ Column(const ColumnSumsJob &job, int column, int row, int rows)
        : of(job.image), x(column), y0(row), pivot(job.constants->image_pivot),
          limit(job.constants->limit), first(float_column<PIXEL>(job.image, column, row, rows))
    {
    }
    // The sample of row y, as it is.
    __device__ __forceinline__ double one(int y) const
    {
        return first ? xncc_sample_value(PIXEL, first + (y - y0) * of.image.pitch, 0)
                     : float_sample<PIXEL>(of, x, y);
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
};

// Sums of groups of rows: row blockIdx.x / across of the scratch. NaN if a sample is an outlier or
// not finite.
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
    int32_t largest = 0;
    double next[BATCH];
    column.fetch(group * GROUP, next);
    for (int y = group * GROUP; y < (group + 1) * GROUP; y += BATCH) {
        double v[BATCH];
#pragma unroll
        for (int k = 0; k < BATCH; k++) {
            v[k] = xncc_sum(next[k], -column.pivot);
            largest = max(largest, upper_half(v[k]));
        }
        if (y + BATCH < (group + 1) * GROUP)
            column.fetch(y + BATCH, next);
#pragma unroll
        for (int k = 0; k < BATCH; k++)
            sum.enter(v[k]);
    }
    if (largest > column.limit)
        sum.S.high = NAN;
    reinterpret_cast<ColumnSum *>(job.groups)[group * job.to.pitch + x] = sum;
}

// What a thread knows of its column: the sum of a window, all that entered it, whether some of that
// was an outlier or not finite, and the last row that has a sample which is not finite.
struct ColumnState {
    ColumnSum sum;
    double reach;
    bool odd;
    int bad;
};

// Rows y .. end - 1 enter.
template <xncc_pixel PIXEL>
__device__ void enter_rows(const Column<PIXEL> &column, int y, int end, ColumnState *state)
{
    for (; y < end; y += BATCH) {
        double sample[BATCH];
        column.fetch(y, sample);
#pragma unroll
        for (int k = 0; k < BATCH; k++)
            if (y + k < end) {
                const double one = xncc_sum(sample[k], -column.pivot),
                             v = within(one, column.limit);
                state->sum.enter(v);
                state->reach += v * v;
                state->odd |= upper_half(one) > column.limit;
                if (!isfinite(one))
                    state->bad = y + k;
            }
    }
}

// The first windows of a strip, without their last row.
template <xncc_pixel PIXEL>
__device__ ColumnState begin_strip(const ColumnSumsJob &job, const Column<PIXEL> &column)
{
    const int x = column.x, y0 = column.y0;
    const ColumnSum *groups = reinterpret_cast<const ColumnSum *>(job.groups);
    const int end = y0 + job.templ_height - 1;
    ColumnState state = {};
    state.bad = -1;
    for (int y = y0; y < end;) {
        const bool whole = groups && y + GROUP <= end;
        const ColumnSum more = whole ? groups[y / GROUP * job.to.pitch + x] : ColumnSum{};
        const int next = whole ? y + GROUP : end;
        if (whole && !isnan(more.S.high)) {
            state.sum.S = xncc_twofold_add(state.sum.S, more.S);
            state.sum.Q = xncc_twofold_add(state.sum.Q, more.Q);
            state.reach += more.Q.high;
        } else {
            enter_rows(column, y, next, &state);
        }
        y = next;
    }
    return state;
}

// Marks column x in those of rows y .. y + AHEAD - 1, below `end`, whose windows have a sample that
// is not finite. entered: a bit per row that entered with one; bad: as in ColumnState, whose new
// value is returned.
__device__ __noinline__ int mark_rows(const ColumnSumsJob &job, int x, int y, int end,
                                      unsigned entered, int bad)
{
    for (int k = 0; k < AHEAD; k++) {
        if (entered >> k & 1u)
            bad = y + k + job.templ_height - 1;
        if (bad >= y + k && y + k < end)
            job.to.sums[(y + k) * job.to.pitch + x] = mark_of_column();
    }
    return bad;
}

// Stores the sum of the columns' reach.
__device__ void store_reach(double reach, double *to)
{
    __shared__ double part[THREADS / WARP_LANES];
    reach = warp_sum(reach);
    if (threadIdx.x % WARP_LANES == 0)
        part[threadIdx.x / WARP_LANES] = reach;
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
        ColumnState state = begin_strip(job, column);
        double2 *to = job.to.sums + y0 * job.to.pitch + x;
        double in[AHEAD], out[AHEAD], next_in[AHEAD], next_out[AHEAD];
        column.fetch(y0 + job.templ_height - 1, next_in);
        column.fetch(y0, next_out);
        for (int y = y0; y < y1; y += AHEAD, to += AHEAD * job.to.pitch) {
            int32_t largest = 0;
#pragma unroll
            for (int k = 0; k < AHEAD; k++) {
                in[k] = xncc_sum(next_in[k], -column.pivot);
                out[k] = xncc_sum(next_out[k], -column.pivot);
                largest = max(largest, upper_half(in[k]));
            }
            unsigned bad = 0; // a bit per row that enters
            state.odd |= largest > column.limit;
            if (state.odd) {
#pragma unroll
                for (int k = 0; k < AHEAD; k++) { // rows past the last window are 0
                    bad |= isfinite(in[k]) ? 0u : 1u << k;
                    in[k] = within(in[k], column.limit);
                    out[k] = within(out[k], column.limit);
                }
            }
            if (y + AHEAD < y1) {
                column.fetch(y + AHEAD + job.templ_height - 1, next_in);
                column.fetch(y + AHEAD, next_out);
            }
#pragma unroll
            for (int k = 0; k < AHEAD; k++) {
                state.sum.enter(in[k]);
                state.reach += in[k] * in[k];
                if (y + k < y1)
                    to[k * job.to.pitch] = state.sum.rounded();
                state.sum.leave(out[k]);
            }
            if (bad || state.bad >= y)
                state.bad = mark_rows(job, x, y, y1, bad, state.bad);
        }
        reach = state.reach;
    }
    store_reach(reach, job.to.reach + blockIdx.x);
}

// Rows y .. end - 1, in this order or from the last one on, enter the sum. After each row,
// `then(row)` is called.
template <bool DOWN, xncc_pixel PIXEL, class Then>
__device__ __forceinline__ void enter_only(const Column<PIXEL> &column, int y, int end,
                                           ColumnSum *sum, const Then &then)
{
    for (int done = 0; done < end - y; done += BATCH) {
        const int from = DOWN ? y + done : end - done - BATCH;
        double v[BATCH];
#pragma unroll
        for (int k = 0; k < BATCH; k++)
            v[k] = from + k >= y && from + k < end ? column.one(from + k) : 0.0;
#pragma unroll
        for (int i = 0; i < BATCH; i++) {
            const int k = DOWN ? i : BATCH - 1 - i, row = from + k;
            if (row < y || row >= end)
                continue;
            sum->enter(within(xncc_sum(v[k], -column.pivot), column.limit));
            then(row);
        }
    }
}

// The same sums without subtractions, of strips of `strip` rows, at most as many as the template
// has: those of the rows that all windows of a strip have, and of the rows before and behind them.
template <xncc_pixel PIXEL>
__global__
__launch_bounds__(THREADS) void sum_own_columns(const __grid_constant__ ColumnSumsJob job,
                                                int across, int strip)
{
    if (!job.constants->again)
        return;
    const int x = static_cast<int>(blockIdx.x) % across * THREADS + static_cast<int>(threadIdx.x),
              y0 = static_cast<int>(blockIdx.x) / across * strip, y1 = min(y0 + strip, job.rows),
              height = job.templ_height;
    if (x >= job.image.columns)
        return;
    const Column<PIXEL> column(job, x, y0, y1 - y0 + height - 1);
    double2 *to = job.to.sums + x;
    const int64_t pitch = job.to.pitch;
    ColumnSum before = {}, sum = {};
    to[(y1 - 1) * pitch] = make_double2(0.0, 0.0);
    enter_only<false>(column, y0, y1 - 1, &before,
                      [&](int row) { to[row * pitch] = before.rounded(); });
    enter_only<true>(column, y1 - 1, y0 + height - 1, &sum, [](int) {});
    enter_only<true>(column, y0 + height - 1, y1 + height - 1, &sum, [&](int row) {
        double2 *at = to + (row - height + 1) * pitch;
        ColumnSum all = sum;
        xncc_twofold_put(&all.S, at->x);
        xncc_twofold_put(&all.Q, at->y);
        *at = all.rounded();
    });
}

} // namespace

FloatColumns columns_in(const xncc_problem &p, const xncc_workspace &w, unsigned char *rows)
{
    const double additions = p.templ_height + 2.0 * XNCC_COLUMN_STRIP + 8.0;
    FloatColumns of = {};
    of.sums = reinterpret_cast<double2 *>(rows + w.columns);
    of.pitch = static_cast<int64_t>(w.rows_pitch);
    of.reach = reinterpret_cast<double *>(rows + w.reach);
    of.loss = additions * additions * 0x1p-105;
    of.samples = (p.templ_width + 2.0 * XNCC_COLUMN_BLOCK) *
                 (static_cast<double>(p.templ_height) + XNCC_COLUMN_STRIP);
    return of;
}

cudaError_t launch_column_sums(const ColumnSumsJob &given, cudaStream_t stream)
{
    ColumnSumsJob job = given;
    const int across = ceil_div(job.image.columns, THREADS);
    // low windows are summed sample by sample
    if (job.templ_height <= 2 * GROUP)
        job.groups = nullptr;
    const dim3 strips = make_grid(int64_t{ across } * ceil_div(job.rows, STRIP)),
               groups = make_grid(int64_t{ across } * ceil_div(job.image.rows, GROUP));
    with_float_pixel(job.image.image.pixel, [&](auto type) {
        if (job.groups)
            sum_groups<type><<<groups, THREADS, 0, stream>>>(job, across);
        sum_columns<type><<<strips, THREADS, 0, stream>>>(job, across);
    });
    return cudaGetLastError();
}

cudaError_t launch_own_columns(const ColumnSumsJob &job, cudaStream_t stream)
{
    const int across = ceil_div(job.image.columns, THREADS), height = job.templ_height,
              strip = min(max(STRIP, height / 4), height); // the rest is read by every strip
    const dim3 strips = make_grid(int64_t{ across } * ceil_div(job.rows, strip));
    with_float_pixel(job.image.image.pixel, [&](auto type) {
        sum_own_columns<type><<<strips, THREADS, 0, stream>>>(job, across, strip);
    });
    return cudaGetLastError();
}

} // namespace xncc
