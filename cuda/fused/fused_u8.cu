// SPDX-License-Identifier: BSD-2-Clause
// Scores of 8-bit pixels in one kernel (fused_u8.h), for templates so small that writing and
// reading X costs more than computing it; ccoeff_normed:
//
//     score = (n X - S sumT) / (sqrt(n Q - S^2) * root_var)
//
// The other methods are made from those of the sums that they need.
//
// Data mapping: a block of four warps walks down a segment of a strip of 512 map columns, as the
// score pass does (strip_windows.cuh), eight map rows per batch. The image rows under the windows
// are in a ring in shared memory (image_ring.cuh): each is loaded once and serves the products and
// the window sums (the sums of a segment's first windows alone read the image again). A warp
// computes X of 128 columns with m16n8k32 products; a thread holds X of two pairs of columns 64
// apart (Apart) and scores those. blockIdx.x: strip; blockIdx.y:
// segment; blockIdx.z: template (tiles only).
//
// Resources: dynamic shared memory blocks.shared_bytes: 20,608 bytes of prefix sums, a ring of
// (padded template rows + 8) * 560 bytes (592 from width 42 on), and the template's fragments. Up
// to 4 blocks of 128 threads per multiprocessor (__launch_bounds__), so at most 128 registers per
// thread. 4 blocks fit for templates of up to 32 rows, 3 up to 48.
//
// Template parameters: Arith, the method and the arithmetic of the score (score_arith.cuh); CHUNKS
// and HALF, the bytes of a template row in products of 32 (image_ring.cuh); SHIFT, the window's
// width modulo 2.
//
// Preconditions: xncc_fit_tensor has checked that the template is at most 57 wide and that its sums
// fit 32 bits. Compute capability 8.0; below it the kernels are empty.
//
// Measured (H200, November 2026, 8192 x 8192, against the two passes of correlate_wgmma.cu and
// score_u8.cu): n = 8 0.192 ms (0.275), 16 0.232 ms (0.282), 24 0.268 ms (0.303). From n = 25 on
// two passes are faster: n = 32 0.369 ms (0.347). Products and score do not overlap here.
#include "cuda/fused/fused_u8.h"
#include "cuda/fused/image_ring.cuh"
#include "cuda/runtime/warp.cuh"
#include "cuda/score/tile_best.cuh"

namespace xncc {

namespace {

constexpr int BLOCKS = XNCC_TENSOR_FUSED_BLOCKS;
static_assert(sizeof(StripPrefixes<WORDS>) == XNCC_TENSOR_FUSED_WINDOWS,
              "shared memory before the ring");

// A template as build_taps laid it out.
struct Layout {
    // Its B fragments, and their size in bytes.
    const uint4 *taps;
    int32_t bytes;
    // Template rows, including the zero rows above.
    int32_t rows;
};

struct FusedJob {
    Job job;
    Layout layout;
};

struct FusedTilesJob {
    TilesJob of;
    Layout layout; // of the first slot; those of the others follow it
};

// Map rows that a block computes at a time, and batches of ROWS scored rows in them.
constexpr int BATCH = XNCC_TENSOR_FUSED_BATCH, SCORED = BATCH / ROWS;

// Walks down the block's segment, map rows first_row(job) .. y1 - 1. memory: dynamic shared memory.
template <class Arith, int CHUNKS, int HALF, int SHIFT, class Output>
__device__ void walk(const Job &job, const Layout &layout, unsigned char *memory, Output output,
                     int y1)
{
    constexpr int PITCH = RING_PITCH<CHUNKS>;
    constexpr bool SUMS = Arith::OF_S || Arith::OF_Q;
    using Loader = RingLoader<PITCH>;
    StripPrefixes<WORDS> &windows = *reinterpret_cast<StripPrefixes<WORDS> *>(memory);
    unsigned char *ring = memory + sizeof windows;
    const int y0 = first_row(job), x0 = first_column();
    const int rows = layout.rows, above = rows - job.all.window_height,
              end = (rows + XNCC_TENSOR_FUSED_SPARE) * PITCH;
    const int lane = threadIdx.x % WARP_LANES, warp = threadIdx.x / WARP_LANES;
    const Loader loader(job.all.image, ring, x0, job.all.window_width);
    int row = y0 - above + warp; // next image row to load
    for (int i = warp; i < rows - 1 + BATCH; i += WARPS, row += WARPS)
        loader.load_row(i * PITCH, row);
    int at = 0, lead_at = (rows - 1 + warp) * PITCH,
        lag_at = (above + warp > 0 ? above + warp - 1 : rows + XNCC_TENSOR_FUSED_SPARE - 1) * PITCH;
    if constexpr (SUMS)
        sum_first_windows<WORDS>(job, windows, x0, y0);
    uint4 *taps = reinterpret_cast<uint4 *>(ring + end);
    wait_for_front();
    for (int i = threadIdx.x; i < layout.bytes / 16; i += THREADS)
        taps[i] = layout.taps[i];
    const int own = Apart::first(), x = x0 + own, distance = job.all.window_width - SHIFT;
    typename Arith::Sum s[4] = {}, q[4] = {};
    if constexpr (SUMS)
        load_first_windows<Arith, Apart>(job, windows, s, q);
    // no window reaches the last lanes' columns, so their values do not matter; stay in the row
    const unsigned char *columns = ring + min(4 * WORDS * lane, PITCH - 4 * WORDS);
    const unsigned char *pixels = fragment_bytes(ring, warp, lane);
    uint32_t gone = warp == 0 ? 0u : ~0u; // nothing has left the first window
    if (job.all.image.flip) {
        Loader::wait();
        for (int i = warp; i < rows - 1 + BATCH; i += WARPS)
            loader.flip_row(i * PITCH, job.all.image.flip);
    }
    row = y0 + job.all.window_height - 1 + BATCH + warp;
    int load_at = further<PITCH>(further<PITCH>(lead_at, end), end);
    for (int left = y1 - y0; left > 0; left -= BATCH) {
        Loader::wait();
        if (job.all.image.flip && left < y1 - y0)
#pragma unroll
            for (int i = SCORED; i > 0; i--)
                loader.flip_row(before<PITCH>(load_at, i * ROWS, end), job.all.image.flip);
        __syncthreads(); // the previous batch is done and this one's rows are loaded
        RegisterProducts products[SCORED] = {};
        multiply<BATCH, CHUNKS, HALF>(
            products, pixels, at, end,
            reinterpret_cast<const uint32_t *>(taps) + TapLayout<CHUNKS, HALF>::first(lane), rows);
        at = further<PITCH>(further<PITCH>(at, end), end);
#pragma unroll
        for (int i = 0; i < SCORED; i++) {
            const int more = left - i * ROWS;
            if (more <= 0)
                break;
            if constexpr (SUMS) {
                uint32_t lead[WORDS], lag[WORDS];
#pragma unroll
                for (int k = 0; k < WORDS; k++) {
                    lead[k] = *reinterpret_cast<const uint32_t *>(columns + lead_at + 4 * k);
                    lag[k] = *reinterpret_cast<const uint32_t *>(columns + lag_at + 4 * k) & gone;
                }
                gone = ~0u;
                lead_at = further<PITCH>(lead_at, end);
                lag_at = further<PITCH>(lag_at, end);
                prefix_row<Arith, WORDS>(lead, lag, &windows.s[warp][4 * WORDS * lane],
                                         &windows.q[warp][4 * WORDS * lane]);
            }
            if (SUMS || i == SCORED - 1)
                __syncthreads();
            if (i == SCORED - 1) // the rows that leave the window are not read again
#pragma unroll
                for (int j = 0; j < SCORED;
                     j++, row += ROWS, load_at = further<PITCH>(load_at, end))
                    loader.load_row(load_at, row);
#pragma unroll
            for (int r = 0; r < ROWS; r++) {
                slide_windows<Arith, Apart, SHIFT>(s, q, windows, r, own, distance);
                output.score_row(job, s, q, products[i].x[r], x, more > r);
            }
            output.end_batch(job, windows, s, q, products[i], x, y1 - more, more);
        }
    }
    Loader::wait();
}

// The scores of a band.
template <class Arith, int CHUNKS, int HALF, int SHIFT>
__global__ __launch_bounds__(THREADS,
                             BLOCKS) void match_fused(const __grid_constant__ FusedJob fused)
{
#if __CUDA_ARCH__ >= 800
    extern __shared__ __align__(16) unsigned char memory[];
    const Job &job = fused.job;
    const int y0 = first_row(job), y1 = min(y0 + job.segment, job.all.height);
    if (job.all.skip)
        wait_for_front();
    if constexpr (Arith::IS_BUILT)
        if (y0 < y1 && !(job.all.skip && *job.all.skip))
            walk<Arith, CHUNKS, HALF, SHIFT>(
                job, fused.layout, memory,
                MapOutput<Arith, Apart>(job, first_column() + Apart::first(), y0), y1);
#endif
}

// The best score of each tile.
template <class Arith, int CHUNKS, int HALF, int SHIFT>
__global__ __launch_bounds__(THREADS,
                             BLOCKS) void tiles_fused(const __grid_constant__ FusedTilesJob fused)
{
#if __CUDA_ARCH__ >= 800
    extern __shared__ __align__(16) unsigned char memory[];
    const Job &job = fused.of.job;
    const int y0 = first_row(job), y1 = min(y0 + job.segment, job.all.height);
    Layout layout = fused.layout;
    layout.taps += blockIdx.z * (layout.bytes / 16);
    if constexpr (Arith::IS_BUILT)
        if (y0 < y1)
            walk<Arith, CHUNKS, HALF, SHIFT>(
                job, layout, memory,
                TilesOutput<Arith, Apart>(job, fused.of.tiles, first_column() + Apart::first(), y0),
                y1);
#endif
}

// Lays a template out for the products (TapLayout), with zero rows above. One thread per word;
// blockIdx.y: plane.
__global__ void build_taps(ToeplitzJob job)
{
    let_next_begin();
    const int copy = 8 * job.blocks.chunks + 4 * job.blocks.half + 1,
              above = xncc_tensor_fused_rows(job.height) - job.height;
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= static_cast<int>(job.blocks.toeplitz / sizeof(uint32_t)))
        return;
    const int row = i / (4 * copy) - above, first = 4 * (i % copy - 1) - i / copy % 4;
    uint32_t word = 0;
    for (int k = 0; k < 4; k++) {
        const int column = first + k;
        if (row >= 0 && column >= 0 && column < job.width)
            word |=
                static_cast<uint32_t>(job.pixels[blockIdx.y][row * job.pitch + column * job.step])
                << (8 * k);
    }
    reinterpret_cast<uint32_t *>(job.toeplitz + blockIdx.y * job.slot_toeplitz)[i] = word;
}

// The kernels for a template width: for a map and for tiles.
struct Kernels {
    void (*match)(FusedJob);
    void (*bound)(FusedTilesJob);
};

// nullptr if the width has no kernels.
template <class Arith> Kernels kernels_of(const TensorScoreJob &all, const xncc_tensor_blocks &b)
{
    return with_one_of<1, 2, 3, 4>(2 * b.chunks + b.half, [&](auto halves) {
        constexpr int CHUNKS = halves / 2, HALF = halves % 2;
        return with_one_of<0, 1>(all.window_width % Apart::STEP, [](auto odd) -> Kernels {
            if constexpr (CHUNKS < 2 || Arith::WIDE)
                return { match_fused<Arith, CHUNKS, HALF, odd>,
                         tiles_fused<Arith, CHUNKS, HALF, odd> };
            else
                return {};
        });
    });
}

Kernels kernels_of(const TensorScoreJob &all, const xncc_tensor_blocks &b)
{
    return with_arithmetic(all, [&](auto arith) { return kernels_of<decltype(arith)>(all, b); });
}

Layout make_layout(const TensorScoreJob &all, const xncc_tensor_blocks &blocks,
                   const unsigned char *taps)
{
    return Layout{ reinterpret_cast<const uint4 *>(taps), static_cast<int32_t>(blocks.toeplitz),
                   xncc_tensor_fused_rows(all.window_height) };
}

} // namespace

cudaError_t fused_set_max_shared_memory(const TensorScoreJob &all, const xncc_tensor_blocks &blocks,
                                        int most)
{
    TensorScoreJob job = all;
    cudaError_t code = cudaSuccess;
    for (int pairs = 0; pairs < 2 && code == cudaSuccess; pairs++) {
        job.fp64_is_slow = pairs != 0;
        const Kernels kernels = kernels_of(job, blocks);
        code = set_max_shared_memory(most, kernels.match, kernels.bound);
    }
    return code;
}

cudaError_t fused_build(const ToeplitzJob &job, cudaStream_t stream)
{
    unsigned count = static_cast<unsigned>(job.blocks.toeplitz / sizeof(uint32_t));
    const dim3 grid((count + 255) / 256, static_cast<unsigned>(job.slots));
    build_taps<<<grid, 256, 0, stream>>>(job);
    return cudaGetLastError();
}

cudaError_t fused_launch(const TensorScoreJob &all, const xncc_tensor_blocks &blocks,
                         const unsigned char *taps, int processors, cudaStream_t stream)
{
    FusedJob fused = { make_job(all, Apart::STEP), make_layout(all, blocks, taps) };
    const dim3 grid = cut_strips(&fused.job, processors, blocks.stages);
    return launch(kernels_of(all, blocks).match, grid, THREADS, blocks.shared_bytes, stream,
                  all.pdl, fused);
}

cudaError_t fused_tiles_launch(const TensorScoreJob &all, const TensorTiles &tiles,
                               const xncc_tensor_blocks &blocks, const unsigned char *taps,
                               int processors, cudaStream_t stream)
{
    FusedTilesJob fused = { TilesJob{ make_job(all, Apart::STEP), tiles },
                            make_layout(all, blocks, taps) };
    const dim3 grid = cut_tiles(&fused.of, processors, blocks.stages);
    return launch(kernels_of(all, blocks).bound, grid, THREADS, blocks.shared_bytes, stream,
                  all.pdl, fused);
}

} // namespace xncc
