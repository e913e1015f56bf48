// ccoeff_normed of 8-bit pixels in one kernel, for templates so small that writing and reading X
// costs more than computing it.
//
// A block walks down a strip of 512 columns, four rows at a time, as the score pass does
// (strip_windows.cuh). The image rows under a window are in a ring in shared memory
// (image_ring.cuh): each is read from the image once, and serves the window sums and the products.
#include "cuda/fused/fused_u8.h"
#include "cuda/fused/image_ring.cuh"
#include "cuda/score/tile_best.cuh"

namespace xncc {

namespace {

constexpr int BLOCKS = XNCC_TENSOR_FUSED_BLOCKS;
static_assert(sizeof(Windows<WORDS>) == XNCC_TENSOR_FUSED_WINDOWS, "shared memory before the ring");

// What build_taps lays out of a template.
struct Layout {
    const uint4 *taps;
    int32_t bytes;
    int32_t rows; // of the template and the zeros above it
};

struct FusedJob {
    Job job;
    Layout layout;
};

struct FusedTilesJob {
    TilesJob of;
    Layout layout; // of the first slot; the others lie behind it
};

// Map rows that a block takes at a time.
constexpr int BATCH = XNCC_TENSOR_FUSED_BATCH, SCORED = BATCH / ROWS;

template <class Arith, int CHUNKS, int HALF, int SHIFT, class Output>
__device__ void walk(const Job &job, const Layout &layout, unsigned char *memory, Output output,
                     int y1)
{
    Windows<WORDS> &windows = *reinterpret_cast<Windows<WORDS> *>(memory);
    unsigned char *ring = memory + sizeof windows;
    const int y0 = first_row(job), x0 = first_column();
    const int rows = layout.rows, above = rows - job.all.window_height,
              end = (rows + XNCC_TENSOR_FUSED_SPARE) * PITCH;
    const int lane = threadIdx.x % LANES, warp = threadIdx.x / LANES;
    const Feed feed(job.all.image, ring, x0, job.all.window_width);
    int row = y0 - above + warp; // that comes in
    for (int i = warp; i < rows - 1 + BATCH; i += WARPS, row += WARPS)
        feed.put(i * PITCH, row);
    int at = 0, lead_at = (rows - 1 + warp) * PITCH,
        lag_at = (above + warp > 0 ? above + warp - 1 : rows + XNCC_TENSOR_FUSED_SPARE - 1) * PITCH;
    start<WORDS>(job, windows, x0, y0);
    uint4 *taps = reinterpret_cast<uint4 *>(ring + end);
    wait_for_front();
    for (int i = threadIdx.x; i < layout.bytes / 16; i += THREADS)
        taps[i] = layout.taps[i];
    const int own = Apart::first(), x = x0 + own, distance = job.all.window_width - SHIFT;
    typename Arith::Sum s[4], q[4];
    lift_started<Arith, Apart>(job, windows, s, q);
    // the last lanes' columns lie behind those that windows reach, whatever they hold
    const unsigned char *columns = ring + min(4 * WORDS * lane, PITCH - 4 * WORDS);
    const unsigned char *pixels = own_bytes(ring, warp, lane);
    uint32_t gone = warp == 0 ? 0u : ~0u; // nothing has left the first window
    row = y0 + job.all.window_height - 1 + BATCH + warp;
    int feed_at = further(further(lead_at, end), end);
    for (int left = y1 - y0; left > 0; left -= BATCH) {
        Feed::wait();
        __syncthreads(); // the batch before has been worked on, and this one's rows are there
        Held products[SCORED] = {};
        multiply<BATCH, CHUNKS, HALF>(products, pixels, at, end,
                                      reinterpret_cast<const uint2 *>(taps) + lane, rows);
        at = further(further(at, end), end);
#pragma unroll
        for (int i = 0; i < SCORED; i++) {
            uint32_t lead[WORDS], lag[WORDS];
            const int more = left - i * ROWS;
            if (more <= 0)
                break;
#pragma unroll
            for (int k = 0; k < WORDS; k++) {
                lead[k] = *reinterpret_cast<const uint32_t *>(columns + lead_at + 4 * k);
                lag[k] = *reinterpret_cast<const uint32_t *>(columns + lag_at + 4 * k) & gone;
            }
            gone = ~0u;
            lead_at = further(lead_at, end);
            lag_at = further(lag_at, end);
            sum_row<WORDS>(lead, lag, &windows.s[warp][4 * WORDS * lane],
                           &windows.q[warp][4 * WORDS * lane]);
            __syncthreads();
            if (i == SCORED - 1) // the rows that go are not read again
#pragma unroll
                for (int j = 0; j < SCORED; j++, row += ROWS, feed_at = further(feed_at, end))
                    feed.put(feed_at, row);
#pragma unroll
            for (int r = 0; r < ROWS; r++) {
                slide<Arith, Apart, SHIFT>(s, &windows.s[r][own], distance);
                slide<Arith, Apart, SHIFT>(q, &windows.q[r][own], distance);
                output.row(job, s, q, products[i].x[r], x, more > r);
            }
            output.batch(job, windows, s, q, products[i], x, y1 - more, more);
        }
    }
    Feed::wait();
}

template <class Arith, int CHUNKS, int HALF, int SHIFT, bool VECTOR>
__global__ __launch_bounds__(THREADS,
                             BLOCKS) void match_small(const __grid_constant__ FusedJob fused)
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
                ToMap<Arith, Apart, VECTOR>(job, first_column() + Apart::first(), y0), y1);
#endif
}

template <class Arith, int CHUNKS, int HALF, int SHIFT>
__global__ __launch_bounds__(THREADS,
                             BLOCKS) void bound_small(const __grid_constant__ FusedTilesJob fused)
{
#if __CUDA_ARCH__ >= 800
    extern __shared__ __align__(16) unsigned char memory[];
    const Job &job = fused.of.job;
    const int y0 = first_row(job), y1 = min(y0 + job.segment, job.all.height);
    Layout layout = fused.layout;
    layout.taps += blockIdx.z * (layout.bytes / 16);
    if constexpr (Arith::IS_BUILT)
        if (y0 < y1)
            walk<Arith, CHUNKS, HALF, SHIFT>(job, layout, memory,
                                             ToTiles<Arith, Apart>(fused.of.tiles), y1);
#endif
}

// One thread a pair of registers of B: the whole chunks of each row, then the halves of each two
// rows.
__global__ void build_taps(ToeplitzJob job)
{
    let_next_begin();
    const int chunks = job.blocks.chunks, rows = xncc_tensor_fused_rows(job.height),
              above = rows - job.height;
    const int whole = rows * chunks * LANES,
              all = static_cast<int>(job.blocks.toeplitz / sizeof(uint2));
    const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = i % LANES, b = lane / 4,
              t = lane % 4;
    if (i >= all)
        return;
    uint32_t words[2] = { 0, 0 };
    for (int k = 0; k < 8; k++) {
        int row = i / LANES / (chunks ? chunks : 1),
            column = 32 * (i / LANES % (chunks ? chunks : 1)) + 16 * (k / 4) + 4 * t + k % 4;
        if (i >= whole) {
            row = (i - whole) / LANES * 2 + k / 4;
            column = 32 * chunks + 4 * t + k % 4;
        }
        row -= above;
        column -= b;
        if (row >= 0 && column >= 0 && column < job.width)
            words[k / 4] |= static_cast<uint32_t>(job.pixels[row * job.pitch + column])
                            << (8 * (k % 4));
    }
    reinterpret_cast<uint2 *>(job.toeplitz)[i] = make_uint2(words[0], words[1]);
}

// The kernels of a width: of a map, and of tiles.
struct Kernels {
    void (*match)(FusedJob);
    void (*bound)(FusedTilesJob);
};

template <class Arith, int CHUNKS, int HALF> Kernels kernels_of(bool odd, bool vector)
{
    if (odd)
        return { vector ? match_small<Arith, CHUNKS, HALF, 1, true>
                        : match_small<Arith, CHUNKS, HALF, 1, false>,
                 bound_small<Arith, CHUNKS, HALF, 1> };
    return { vector ? match_small<Arith, CHUNKS, HALF, 0, true>
                    : match_small<Arith, CHUNKS, HALF, 0, false>,
             bound_small<Arith, CHUNKS, HALF, 0> };
}

// nullptr: there are none.
template <class Arith> Kernels kernels_of(const xncc_tensor_blocks &b, bool odd, bool vector)
{
    switch (2 * b.chunks + b.half) {
    case 1: return kernels_of<Arith, 0, 1>(odd, vector);
    case 2: return kernels_of<Arith, 1, 0>(odd, vector);
    case 3: return kernels_of<Arith, 1, 1>(odd, vector);
    case 4: return kernels_of<Arith, 2, 0>(odd, vector);
    default: return { nullptr, nullptr };
    }
}

Kernels kernels_of(const xncc_tensor_blocks &b, bool pairs, bool odd, bool vector)
{
    return pairs ? kernels_of<FloatFloat>(b, odd, vector) : kernels_of<Fp64>(b, odd, vector);
}

Layout make_layout(const TensorScoreJob &all, const xncc_tensor_blocks &blocks,
                   const unsigned char *taps)
{
    return Layout{ reinterpret_cast<const uint4 *>(taps), static_cast<int32_t>(blocks.toeplitz),
                   xncc_tensor_fused_rows(all.window_height) };
}

} // namespace

cudaError_t fused_set_max_shared_memory(const xncc_tensor_blocks &blocks, int most)
{
    cudaError_t code = cudaSuccess;
    for (int i = 0; i < 8 && code == cudaSuccess; i++) {
        Kernels kernels = kernels_of(blocks, i & 4, i & 1, i & 2);
        code = set_max_shared_memory(kernels.match, most);
        if (code == cudaSuccess && !(i & 2)) // the other knows no vectors
            code = set_max_shared_memory(kernels.bound, most);
    }
    return code;
}

cudaError_t fused_build(const ToeplitzJob &job, cudaStream_t stream)
{
    unsigned count = static_cast<unsigned>(job.blocks.toeplitz / sizeof(uint2));
    build_taps<<<(count + 255) / 256, 256, 0, stream>>>(job);
    return cudaGetLastError();
}

cudaError_t fused_launch(const TensorScoreJob &all, const xncc_tensor_blocks &blocks,
                         const unsigned char *taps, int processors, cudaStream_t stream)
{
    FusedJob fused = { make_job(all), make_layout(all, blocks, taps) };
    const dim3 grid = cut_strips(&fused.job, processors, blocks.stages);
    Kernels kernels = kernels_of(blocks, all.fp64_is_slow, all.window_width % Apart::STEP != 0,
                                 rows_aligned(all.map, all.map_pitch, Apart::STEP));
    return launch(kernels.match, grid, THREADS, blocks.shared_bytes, stream, all.pdl, fused);
}

cudaError_t fused_tiles_launch(const TensorScoreJob &all, const TensorTiles &tiles,
                               const xncc_tensor_blocks &blocks, const unsigned char *taps,
                               int processors, cudaStream_t stream)
{
    FusedTilesJob fused = { TilesJob{ make_job(all), tiles }, make_layout(all, blocks, taps) };
    const dim3 grid = cut_tiles(&fused.of, processors, blocks.stages);
    Kernels kernels = kernels_of(blocks, tiles.fp64_is_slow, all.window_width % Apart::STEP != 0,
                                 false);
    return launch(kernels.bound, grid, THREADS, blocks.shared_bytes, stream, all.pdl, fused);
}

} // namespace xncc
