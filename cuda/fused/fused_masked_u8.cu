// SPDX-License-Identifier: BSD-2-Clause
// Scores of masked 8-bit windows in one kernel (fused_masked_u8.h), as fused_u8.cu does for plain
// ones; ccoeff_normed:
//
//     score = (N X - S T) / sqrt((N Q - S^2) (N T2 - T^2))
//
// The other methods make the products that they need. All sums over a window are products of byte
// planes, so no pass writes and reads them. Sums of squares are 2^8 times the product with the high
// bytes plus that with the low bytes: the accumulator is shifted between the two.
//
// Data mapping: that of fused_u8.cu, without window sums. Each image plane has a ring of its own.
// The sums of a batch of map rows stay in registers: three sums of eight rows, or, where pixels of
// the image may not count either (VARIES), six sums of four rows.
//
// Resources: dynamic shared memory blocks.shared_bytes: a ring per image plane, at most 3 or 4
// (VARIES), of (padded template rows + 8) * 560 bytes and the template's fragments. Up to 3 blocks
// of 128 threads per multiprocessor (__launch_bounds__), so at most 168 registers per thread.
//
// Preconditions: xncc_fit_tensor_planes has checked that the template is at most 41 wide and its
// sums fit 32 bits. Compute capability 8.0; below it the kernels are empty.
//
// Measured (H200, November 2026, 8192 x 8192, masked template, 0.075 ms of it to lay out the
// planes): n = 8 0.326 ms, 16 0.510 ms, 24 0.639 ms, 32 1.097 ms; passes by correlate_wgmma.cu and
// masked_score_u8.cu take 0.756 ms at n = 16 and 0.987 ms at n = 32 and are faster from n = 25 on.
// With six sums: n = 8 0.517 ms, 16 0.923 ms, 24 1.28 ms.
#include "cuda/fused/fused_masked_u8.h"
#include "cuda/fused/image_ring.cuh"
#include "cuda/runtime/warp.cuh"
#include "cuda/score/masked_score_u8.cuh"

#include <type_traits>

namespace xncc {

namespace {

constexpr int BLOCKS = XNCC_TENSOR_PLANES_BLOCKS;

// The sum that a product adds to. N, T and T2 are only computed where pixels of the image may not
// count; otherwise they are the template's own.
enum { OF_X, OF_S, OF_Q, OF_N, OF_T, OF_T2, MOST_SUMS };
constexpr int FEW_SUMS = OF_N, FEW_PRODUCTS = 4;
__device__ __forceinline__ constexpr int sum_of(int product)
{
    return product < 2              ? product
           : product < FEW_PRODUCTS ? OF_Q
           : product < 6            ? OF_N + product - FEW_PRODUCTS
                                    : OF_T2;
}
// True for the second product of a sum of squares, that of the low bytes.
__device__ __forceinline__ constexpr bool is_low(int product)
{
    return product > 0 && sum_of(product) == sum_of(product - 1);
}

// Map rows that a block computes at a time.
__host__ __device__ constexpr int batch_of(bool varies)
{
    return varies ? 4 : 8;
}

struct FusedMaskedJob {
    MaskedScoreJob job;
    MaskedPlanes of;
    // Template rows, including the zero rows above.
    int32_t rows;
    // Map rows of a strip per block.
    int32_t segment;
    // Map columns that are stored by aligned pairs (score_common.cuh): all or none.
    int32_t vector_columns;
};

// The scores of a thread's four columns of a map row; `sums` holds it at row r of part i.
template <bool VARIES, bool CENTRED_ROOT, int PARTS>
__device__ __forceinline__ void
score_row(const FusedMaskedJob &p,
          const RegisterProducts (&sums)[VARIES ? MOST_SUMS : FEW_SUMS][PARTS], int i, int r,
          float *f)
{
    const MaskedScoreJob &job = p.job;
    unsigned doubts = 0;
    MaskedSums q[4];
#pragma unroll
    for (int c = 0; c < 4; c++) {
        q[c] = {
            job.n,   sums[OF_S][i].x[r][c], job.sum, sums[OF_X][i].x[r][c], sums[OF_Q][i].x[r][c],
            job.sum2
        };
        if constexpr (VARIES) {
            q[c].n = sums[OF_N][i].x[r][c];
            q[c].T = sums[OF_T][i].x[r][c];
            q[c].T2 = sums[OF_T2][i].x[r][c];
        }
        doubts |= masked_score_fast<CENTRED_ROOT>(job, q[c], &f[c]) ? 0 : 1u << c;
    }
    if (doubts)
#pragma unroll
        for (int c = 0; c < 4; c++)
            if (doubts >> c & 1)
                f[c] = masked_score_exact<CENTRED_ROOT>(job, q[c]);
}

// blockIdx.x: strip; blockIdx.y: segment. TILES: the best score of each tile is asked for.
template <bool VARIES, bool CENTRED_ROOT, int CHUNKS, int HALF, bool TILES>
__global__ __launch_bounds__(THREADS,
                             BLOCKS) void match_planes(const __grid_constant__ FusedMaskedJob p)
{
#if __CUDA_ARCH__ >= 800
    constexpr int PITCH = RING_PITCH<CHUNKS>;
    using Loader = RingLoader<PITCH>;
    constexpr int BATCH = batch_of(VARIES), PARTS = BATCH / ROWS,
                  SUMS = VARIES ? MOST_SUMS : FEW_SUMS;
    constexpr int PRODUCTS = VARIES ? MASKED_PRODUCTS : FEW_PRODUCTS;
    static_assert(BATCH <= XNCC_TENSOR_FUSED_SPARE,
                  "a batch's rows do not overwrite those of the previous batch");
    extern __shared__ __align__(16) unsigned char memory[];
    const MaskedScoreJob &job = p.job;
    const int rings = CENTRED_ROOT ? (VARIES ? MASKED_PLANES : MASKED_PLANES - 1) : p.of.images;
    const int y0 = static_cast<int>(blockIdx.y) * p.segment, y1 = min(y0 + p.segment, job.height),
              x0 = first_column();
    const int end = (p.rows + XNCC_TENSOR_FUSED_SPARE) * PITCH, warp = threadIdx.x / WARP_LANES,
              lane = threadIdx.x % WARP_LANES;
    const Loader loader(p.of.image, memory, x0, job.templ_width);
    int row = y0 - (p.rows - job.templ_height) + warp; // next image row to load
    for (int i = warp; i < p.rows - 1 + BATCH; i += WARPS, row += WARPS)
        for (int k = 0; k < rings; k++)
            loader.load_row(k * end + i * PITCH, row, k * p.of.plane);
    uint4 *taps = reinterpret_cast<uint4 *>(memory + rings * end);
    for (int i = threadIdx.x; i < p.of.templ_bytes * p.of.templs / 16; i += THREADS)
        taps[i] = p.of.taps[i];
    row = y0 + job.templ_height - 1 + BATCH + warp;
    int at = 0, load_at = (p.rows - 1 + BATCH + warp) * PITCH;
    load_at -= load_at >= end ? end : 0;
    const int x = x0 + Apart::first();
    float *to = job.map + y0 * job.map_pitch + x;
    std::conditional_t<TILES, ColumnMax<Apart, CENTRED_ROOT>, TileMax<Apart, false>> tiles(
        job.tiles, x, y0, job.width);
    for (int left = y1 - y0; left > 0; left -= BATCH) {
        Loader::wait();
        __syncthreads(); // this batch's rows are loaded
        RegisterProducts sums[SUMS][PARTS] = {};
#pragma unroll
        for (int k = 0; k < PRODUCTS; k++) {
            const MaskedProduct &of = p.of.product[k];
            if (!CENTRED_ROOT && of.plane < 0)
                continue;
            RegisterProducts *sum = sums[sum_of(k)];
            if (is_low(k))
#pragma unroll
                for (int i = 0; i < BATCH * 4; i++)
                    sum[i / (4 * ROWS)].x[i / 4 % ROWS][i % 4] <<= 8;
            multiply<BATCH, CHUNKS, HALF>(
                sum, fragment_bytes(memory + of.plane * end, warp, lane), at, end,
                reinterpret_cast<const uint32_t *>(taps) + of.templ * (p.of.templ_bytes / 4) +
                    TapLayout<CHUNKS, HALF>::first(lane),
                p.rows);
        }
        __syncthreads(); // the rows that leave the windows are not read again
#pragma unroll
        for (int i = 0; i < PARTS;
             i++, row += ROWS, load_at = further<PITCH>(load_at, end), at = further<PITCH>(at, end))
            for (int k = 0; k < rings; k++)
                loader.load_row(k * end + load_at, row, k * p.of.plane);
#pragma unroll
        for (int r = 0; r < BATCH; r++, to += job.map_pitch) {
            if (left > r) {
                float f[4];
                score_row<VARIES, CENTRED_ROOT>(p, sums, r / ROWS, r % ROWS, f);
                Apart::store(to, f, x, job.width, p.vector_columns);
                tiles.add(f, true);
            }
            const int part = r / ROWS * ROWS;
            if (r == part + ROWS - 1 && left > part)
                tiles.end_batch(job.tiles, x, job.width, left - part);
        }
    }
    Loader::wait();
#endif
}

using Kernel = void (*)(FusedMaskedJob);

// nullptr if the width has no kernel.
template <bool TILES> Kernel kernel_of(const xncc_tensor_blocks &b, xncc_method method, bool varies)
{
    return with_one_of<1, 2, 3>(2 * b.chunks + b.half, [&](auto halves) -> Kernel {
        constexpr int CHUNKS = halves / 2, HALF = halves % 2;
        if (method == XNCC_CCOEFF_NORMED)
            return varies ? match_planes<true, true, CHUNKS, HALF, TILES>
                          : match_planes<false, true, CHUNKS, HALF, TILES>;
        return varies ? match_planes<true, false, CHUNKS, HALF, TILES>
                      : match_planes<false, false, CHUNKS, HALF, TILES>;
    });
}

} // namespace

cudaError_t masked_planes_set_max_shared_memory(const xncc_tensor_blocks &blocks,
                                                xncc_method method, bool varies, int most)
{
    return set_max_shared_memory(most, kernel_of<false>(blocks, method, varies),
                                 kernel_of<true>(blocks, method, varies));
}

cudaError_t launch_masked_planes(const MaskedScoreJob &job, const MaskedPlanes &of,
                                 const xncc_tensor_blocks &blocks, bool varies, int processors,
                                 cudaStream_t stream)
{
    FusedMaskedJob p = { job, of, xncc_tensor_fused_rows(job.templ_height), 0,
                         vector_columns(job, Apart::STEP) };
    const dim3 grid = cut_strips(job, job.templ_height, processors * blocks.stages,
                                 batch_of(varies), &p.segment);
    const Kernel kernel = job.tiles.best ? kernel_of<true>(blocks, job.method, varies)
                                         : kernel_of<false>(blocks, job.method, varies);
    kernel<<<grid, THREADS, static_cast<size_t>(blocks.shared_bytes), stream>>>(p);
    return cudaGetLastError();
}

} // namespace xncc
