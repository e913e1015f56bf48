// SPDX-License-Identifier: BSD-2-Clause
// Window sums that slide down byte planes, with the masked score in the same pass (slide_scores) or
// alone (slide_sums); see sliding_score_u8.h. Data mapping: slide_down.cuh.
//
// Resources: static shared memory 15,872 bytes for scores and 10,624 for sums; 4 blocks of 160
// threads per multiprocessor (__launch_bounds__), so at most 96 registers per thread.
#include "cuda/score/masked_score_u8.cuh"
#include "cuda/score/slide_down.cuh"
#include "cuda/score/sliding_score_u8.h"

namespace xncc {

namespace {

// Reads a thread's 4 columns of an image row: values (x) and counts (y). Right of the planes and
// below them the last ones are read again; those are in no window of the map.
struct ColumnReader {
    const unsigned char *values, *counts;
    int64_t pitch;
    int last;

    template <class Job>
    __device__ ColumnReader(const Job &job, const unsigned char *of_values,
                            const unsigned char *of_counts, int column)
        : pitch(job.plane_pitch), last(job.height + job.templ_height - 2)
    {
        const int64_t at = column + SPAN <= pitch ? column : pitch - SPAN;
        values = of_values + at;
        counts = of_counts + at;
    }
    __device__ uint2 at(int row) const
    {
        const int64_t line = min(row, last) * pitch;
        return make_uint2(__ldg(reinterpret_cast<const uint32_t *>(values + line)),
                          __ldg(reinterpret_cast<const uint32_t *>(counts + line)));
    }
};

// The sums of a window that come as products; T0 and T1 are T2's low and high bytes.
struct Products {
    uint32_t X = 0, T = 0, T0 = 0, T1 = 0;

    __device__ Products()
    {
    }
    __device__ Products(const MaskedScoreJob &job, int64_t at)
        : X(load(job.X, at)), T(load(job.T, at)), T0(load(job.T2[0], at)), T1(load(job.T2[1], at))
    {
    }
    // from: nullptr for a sum that is not needed
    __device__ __forceinline__ static uint32_t load(const uint32_t *from, int64_t at)
    {
        return from ? __ldcs(from + at) : 0;
    }
};

// All sums of the window that begins at column threadIdx.x of warp i's columns.
__device__ __forceinline__ MaskedSums sums_of(const MaskedScoreJob &job, const Prefixes<true> &row,
                                              const Products &product, int i)
{
    const Sums sums = row.window(job.templ_width, i);
    return { sums.n, sums.s, product.T, product.X, sums.q, product.T0 + (product.T1 << 8) };
}

// Output: the scores.
template <bool CENTRED_ROOT> struct ScoreOutput {
    const MaskedScoreJob &job;
    int x; // of the first window
    Products product[BATCH][OUTPUT_WARPS];

    __device__ ScoreOutput(const MaskedScoreJob &of, int column) : job(of), x(column)
    {
    }
    __device__ __forceinline__ void prefetch(int r, int y, bool inside)
    {
#pragma unroll
        for (int i = 0; i < OUTPUT_WARPS; i++)
            product[r][i] = inside && x + i * WARP_COLUMNS < job.width
                                ? Products(job, y * job.pitch + x + i * WARP_COLUMNS)
                                : Products();
    }
    // There is no branch between the windows, so that their arithmetic overlaps.
    __device__ __forceinline__ void finish_row(int r, int y, const Prefixes<true> &row)
    {
        float score[OUTPUT_WARPS], *map = job.map + y * job.map_pitch + x;
        unsigned doubts = 0;
#pragma unroll
        for (int i = 0; i < OUTPUT_WARPS; i++)
            doubts |= masked_score_fast<CENTRED_ROOT>(job, sums_of(job, row, product[r][i], i),
                                                      &score[i])
                          ? 0
                          : 1u << i;
#pragma unroll
        for (int i = 0; i < OUTPUT_WARPS; i++)
            if (x + i * WARP_COLUMNS < job.width)
                __stcs(map + i * WARP_COLUMNS, doubts >> i & 1
                                                   ? masked_score_exact<CENTRED_ROOT>(
                                                         job, sums_of(job, row, product[r][i], i))
                                                   : score[i]);
    }
};

// Output: the sums.
struct SumOutput {
    const SlideJob &job;
    int x; // of the first window

    __device__ __forceinline__ void prefetch(int, int, bool)
    {
    }
    __device__ __forceinline__ void finish_row(int, int y, const Prefixes<false> &row)
    {
#pragma unroll
        for (int i = 0; i < OUTPUT_WARPS; i++) {
            if (x + i * WARP_COLUMNS >= job.width)
                continue;
            const Sums window = row.window(job.templ_width, i);
            const int64_t to = y * job.pitch + x + i * WARP_COLUMNS;
            if (job.sums)
                job.sums[to] = window.s + (job.add_sums ? job.sums[to] : 0);
            if (job.squares)
                job.squares[to] = window.q + (job.add_squares ? job.squares[to] : 0);
        }
    }
};

template <bool CENTRED_ROOT>
__global__ __launch_bounds__(THREADS,
                             4) void slide_scores(const __grid_constant__ MaskedScoreJob job,
                                                  int strip)
{
    const int x0 = blockIdx.x * OUTPUTS, y0 = blockIdx.y * strip;
    const ColumnReader rows(job, job.values, job.counts, x0 + static_cast<int>(threadIdx.x) * SPAN);
    slide_down<true>(rows, job.templ_height, y0, min(y0 + strip, job.height),
                     ScoreOutput<CENTRED_ROOT>(job, x0 + static_cast<int>(threadIdx.x)));
}

__global__ __launch_bounds__(THREADS, 4) void slide_sums(const __grid_constant__ SlideJob job,
                                                         int strip)
{
    const int x0 = blockIdx.x * OUTPUTS, y0 = blockIdx.y * strip;
    const ColumnReader rows(job, job.bytes, job.bytes, x0 + static_cast<int>(threadIdx.x) * SPAN);
    slide_down<false>(rows, job.templ_height, y0, min(y0 + strip, job.height),
                      SumOutput{ job, x0 + static_cast<int>(threadIdx.x) });
}

} // namespace

cudaError_t launch_masked_windows(const MaskedScoreJob &job, cudaStream_t stream)
{
    int strip;
    const dim3 grid = strip_grid(job.width, job.height, job.templ_height, &strip);
    const auto kernel = job.method == XNCC_CCOEFF_NORMED ? slide_scores<true> : slide_scores<false>;
    kernel<<<grid, THREADS, 0, stream>>>(job, strip);
    return cudaGetLastError();
}

cudaError_t launch_slide(const SlideJob &job, cudaStream_t stream)
{
    int strip;
    const dim3 grid = strip_grid(job.width, job.height, job.templ_height, &strip);
    slide_sums<<<grid, THREADS, 0, stream>>>(job, strip);
    return cudaGetLastError();
}

} // namespace xncc
