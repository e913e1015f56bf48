// X by Hopper's asynchronous matrix products, for compute capability 9.0 (this file alone is
// compiled for sm_90a).
//
// A map element x = 8a + b of row y is the sum over template rows j and columns k of I[y + j][8a +
// k] * T[j][k - b]: for one image row a product of A[a][k] = I[8a + k] (overlapping reads of the
// row, nothing is copied) and B[k][b] = T[k - b] (a Toeplitz matrix of the template row, zero
// outside). An m64n128k32 product takes 64 values of a, and 16 map rows times 8 values of b; image
// row i meets template rows i, i - 1, ... i - 15 there, so that B is a window that slides over one
// array in shared memory, by one step for an image row. A comes from registers. K is a chain of
// chunks of 16 bytes, two a product; a remainder of up to 8 bytes of a row shares a chunk with the
// next row's, which slides just the same.
//
// A block's warpgroups work on tiles of 512 x 16 map elements each, on their own, so that one's
// stores are hidden by the others' products; a warp for each fetches image rows. In the first 8
// image rows of a tile only its upper 8 map rows have products, in the last 8 only the lower: these
// take m64n64k32.
//
// Unsigned 32-bit sums are exact: a template's pixels times 255^2 fit (cost_tensor.c).
//
// Of a bank of templates the best score of each tile is wanted too. Where the windows' terms are
// known it is taken here, from the registers, while other warpgroups multiply; and the next
// templates' blocks take the place of those that have ended.
#include "cuda/products/tile_bound.cuh"
#include "cuda/products/wgmma_ptx.cuh"
#include "cuda/runtime/pdl.cuh"
#include "cuda/runtime/shared_memory.h"

namespace xncc {

namespace {

constexpr int GROUPS = XNCC_TENSOR_WARPGROUPS;
constexpr int GROUP_THREADS = 128;
constexpr int THREADS = (GROUPS + 1) * GROUP_THREADS; // the last warpgroup fetches
constexpr int LOADER_REGISTERS = 40, PRODUCT_REGISTERS = 152;
constexpr int OUT_ROWS = 8;                          // map rows that leave a warp at a time
constexpr int OUT_COLUMNS = XNCC_TENSOR_COLUMNS / 4; // and columns
constexpr int OUT_BYTES = OUT_ROWS * OUT_COLUMNS * 4;
constexpr int BARRIER = 16; // bytes: a stage's pair is `full`, then 8 bytes on `empty`
constexpr int DESCRIPTOR_CORE = XNCC_TENSOR_CORE / 16; // descriptors count in 16 bytes

struct Chunk {
    int row, array;
};

// What a template width means: CHUNKS whole chunks a row and, with HALF, one half. A period of 8
// image rows takes STEPS products, committed in an even number of BATCHES, since two sets of A
// registers take turns.
template <int CHUNKS, int HALF> struct Width {
    static constexpr int ARRAYS = CHUNKS + HALF;
    static constexpr int WHOLE_STEPS = XNCC_TENSOR_PERIOD * CHUNKS / 2;
    static constexpr int STEPS = WHOLE_STEPS + 2 * HALF;
    static constexpr int BATCHES = 2 * ((STEPS + 7) / 8);
    static constexpr int ROW = (XNCC_TENSOR_COLUMNS + 16 * ARRAYS + 63) / 128 * 128 +
                               64; // xncc_tensor_row_bytes
    static constexpr int STAGE = XNCC_TENSOR_PERIOD * ROW;

    __device__ static constexpr int first(int batch)
    {
        return batch * STEPS / BATCHES;
    }
    // Chunk 0 or 1 of a product. A descriptor's distance to the second chunk must not be negative,
    // so that is the one that lies higher: of a later array, or of an earlier row.
    __device__ static constexpr Chunk chunk(int step, int which)
    {
        if (step >= WHOLE_STEPS)
            return Chunk{ 4 * (step - WHOLE_STEPS) + (which ? 0 : 2), CHUNKS };
        constexpr int EACH = CHUNKS ? CHUNKS : 1, PAIRS = CHUNKS / 2;
        int two_rows = 2 * (step / EACH), at = step % EACH;
        if (at < PAIRS)
            return Chunk{ two_rows, 2 * at + which };
        if (at < 2 * PAIRS)
            return Chunk{ two_rows + 1, 2 * (at - PAIRS) + which };
        return Chunk{ two_rows + (which ? 0 : 1), CHUNKS - 1 };
    }
    __device__ static constexpr int image_offset(int step, int which)
    {
        return chunk(step, which).row * ROW + 16 * chunk(step, which).array;
    }
    __device__ static constexpr int toeplitz_offset(int step, int which) // as descriptors count
    {
        return (chunk(step, which).array - ARRAYS * chunk(step, which).row) * DESCRIPTOR_CORE;
    }
};

// Which map rows of a tile a period reaches.
enum Reach { UPPER, ALL, LOWER };

// A tile's place in the ring of stages, and what is constant for a thread.
struct Walk {
    uint32_t ring, barriers; // of the warpgroup; ring with the thread's own offset into a row
    uint32_t half_shift;     // a half chunk's second part comes from the next row
    uint32_t stages, stage, parity;
    bool leader; // of the warp

    __device__ uint32_t full() const
    {
        return barriers + BARRIER * stage;
    }
    __device__ uint32_t rows(uint32_t stage_bytes) const
    {
        return ring + stage * stage_bytes;
    }
    __device__ void release()
    {
        __syncwarp();
        if (leader)
            barrier_arrive(full() + 8);
        if (++stage == stages) {
            stage = 0;
            parity ^= 1;
        }
    }
};

template <class W, int BATCH>
__device__ __forceinline__ void load_a(uint32_t (*a)[4], uint32_t rows, uint32_t half_shift)
{
#pragma unroll
    for (int step = W::first(BATCH); step < W::first(BATCH + 1); step++) {
        uint32_t base = rows + (step >= W::WHOLE_STEPS ? half_shift : 0),
                 *to = a[step - W::first(BATCH)];
#pragma unroll
        for (int k = 0; k < 2; k++) {
            asm volatile("ld.shared.u32 %0, [%1];"
                         : "=r"(to[2 * k])
                         : "r"(base + W::image_offset(step, k)));
            asm volatile("ld.shared.u32 %0, [%1];"
                         : "=r"(to[2 * k + 1])
                         : "r"(base + W::image_offset(step, k) + 64));
        }
    }
}

template <class W, int BATCH, Reach REACH>
__device__ __forceinline__ void multiply(uint32_t *d, uint32_t (*a)[4], uint32_t toeplitz)
{
    product_fence();
#pragma unroll
    for (int step = W::first(BATCH); step < W::first(BATCH + 1); step++) {
        uint64_t strides =
            static_cast<uint64_t>(W::ARRAYS * DESCRIPTOR_CORE) << 32 |
            static_cast<uint64_t>(W::toeplitz_offset(step, 1) - W::toeplitz_offset(step, 0)) << 16;
        uint64_t b = strides + (toeplitz + W::toeplitz_offset(step, 0) +
                                (REACH == LOWER ? W::ARRAYS * 8 * DESCRIPTOR_CORE : 0));
        if (REACH == ALL)
            product_128(d, a[step - W::first(BATCH)], b);
        else
            product_64(d, a[step - W::first(BATCH)], b);
    }
    product_commit();
}

// The batches of a period from BATCH on, each batch's A loaded while the one before is multiplied;
// at the end the next period's first.
template <class W, int BATCH, Reach REACH>
__device__ __forceinline__ void run_period(uint32_t *d, uint32_t (*even)[4], uint32_t (*odd)[4],
                                           uint32_t toeplitz, Walk &walk)
{
    multiply<W, BATCH, REACH>(d, BATCH % 2 ? odd : even, toeplitz);
    if constexpr (BATCH + 1 < W::BATCHES) {
        product_wait<1>();
        load_a<W, BATCH + 1>(BATCH % 2 ? even : odd, walk.rows(W::STAGE), walk.half_shift);
        run_period<W, BATCH + 1, REACH>(d, even, odd, toeplitz, walk);
    } else {
        walk.release();
        product_wait<1>();
        if (REACH != LOWER) {
            barrier_wait(walk.full(), walk.parity);
            load_a<W, 0>(even, walk.rows(W::STAGE), walk.half_shift);
        }
    }
}

// Eight rows of a warp's sums. d[4 r ...] of a thread: columns c, c + 1, c + 64, c + 65 of row r.
struct Out {
    uint32_t *sums; // the warp's first column
    int64_t pitch;
    uint32_t buffer; // shared, of the warp
    int lane, column;
    bool staged, add;

    __device__ void put(const uint32_t *d, int row) const
    {
        uint32_t *to = sums + row * pitch;
        if (!staged) {
#pragma unroll
            for (int r = 0; r < OUT_ROWS; r++, to += pitch) {
                uint2 *a = reinterpret_cast<uint2 *>(to + column), *b = a + 32;
                uint2 in = add ? *a : make_uint2(0, 0), more = add ? *b : make_uint2(0, 0);
                *a = make_uint2(in.x + d[4 * r], in.y + d[4 * r + 1]);
                *b = make_uint2(more.x + d[4 * r + 2], more.y + d[4 * r + 3]);
            }
            return;
        }
        if (lane < OUT_ROWS)
            bulk_store_wait();
        __syncwarp();
#pragma unroll
        for (int r = 0; r < OUT_ROWS; r++) {
            uint32_t at = buffer + 4 * (OUT_COLUMNS * r + column);
            asm volatile("st.shared.v2.u32 [%0], {%1, %2};" ::"r"(at), "r"(d[4 * r]),
                         "r"(d[4 * r + 1]));
            asm volatile("st.shared.v2.u32 [%0], {%1, %2};" ::"r"(at + 256), "r"(d[4 * r + 2]),
                         "r"(d[4 * r + 3]));
        }
        proxy_fence();
        __syncwarp();
        if (lane < OUT_ROWS)
            bulk_store(to + lane * pitch, buffer + 4 * OUT_COLUMNS * lane, 4 * OUT_COLUMNS, add);
    }
};

template <class W, bool BOUNDS>
__device__ void run_tile(const TensorJob &job, uint32_t toeplitz, Walk &walk, const Out &out,
                         Bounds<BOUNDS> bound)
{
    uint32_t d[64], even[4][4], odd[4][4];
#pragma unroll
    for (int i = 0; i < 64; i++)
        d[i] = 0;
    constexpr uint32_t DOWN = W::ARRAYS * XNCC_TENSOR_PERIOD *
                              DESCRIPTOR_CORE; // later image rows meet earlier rows of B
    barrier_wait(walk.full(), walk.parity);
    load_a<W, 0>(even, walk.rows(W::STAGE), walk.half_shift);
    run_period<W, 0, UPPER>(d, even, odd, toeplitz, walk);
    product_wait<0>();
    for (int period = 1; period < job.blocks.periods - 1; period++)
        run_period<W, 0, ALL>(d, even, odd, toeplitz -= DOWN, walk);
    product_wait<0>();
    out.put(d, 0);
    bound.template put<OUT_ROWS>(d, 0);
    // products of another width want registers of their own: the addition of 0 keeps the compiler
    // from making them the same
#pragma unroll
    for (int i = 0; i < 32; i++)
        d[i] = d[32 + i] + job.zero;
    run_period<W, 0, LOWER>(d, even, odd, toeplitz - DOWN, walk);
    product_wait<0>();
    out.put(d, OUT_ROWS);
    bound.template put<OUT_ROWS>(d, OUT_ROWS);
}

// One thread: the image rows of a warpgroup's tiles.
template <class W>
__device__ void fetch_tiles(const TensorJob &job, uint32_t ring, uint32_t barriers, int group)
{
    int stage = 0;
    uint32_t parity = 1;
    for (int tile = group * gridDim.x + blockIdx.x; tile < job.tiles; tile += GROUPS * gridDim.x) {
        int x = tile % job.tiles_across * (XNCC_TENSOR_COLUMNS / 4) + job.x,
            y = tile / job.tiles_across * XNCC_TENSOR_ROWS + job.y;
        for (int period = 0; period < job.blocks.periods; period++, y += XNCC_TENSOR_PERIOD) {
            uint32_t full = barriers + BARRIER * stage;
            barrier_wait(full + 8, parity);
            barrier_expect(full, W::STAGE);
            box_load(ring + stage * W::STAGE, &job.image, x, y, full);
            if (++stage == job.blocks.stages) {
                stage = 0;
                parity ^= 1;
            }
        }
    }
}

__device__ void fetch_toeplitz(const TensorJob &job, uint32_t to, uint32_t barrier)
{
    constexpr uint32_t PIECE = 16384;
    uint32_t bytes = static_cast<uint32_t>(job.blocks.toeplitz);
    const unsigned char *from = reinterpret_cast<const unsigned char *>(job.toeplitz) +
                                blockIdx.y * job.slot_toeplitz;
    barrier_expect(barrier, bytes);
    for (uint32_t at = 0; at < bytes; at += PIECE)
        bulk_load(to + at, from + at, min(PIECE, bytes - at), barrier);
}

template <class W, bool BOUNDS>
__device__ void run_group(const TensorJob &job, uint32_t base, uint32_t ring, uint32_t buffers,
                          uint32_t barriers)
{
    int group = threadIdx.x / GROUP_THREADS, warp = threadIdx.x / 32 % 4, lane = threadIdx.x % 32,
        g = lane / 4, t = lane % 4;
    Walk walk = { ring + (warp * 16 + g) * 8 + 4 * t,
                  barriers,
                  t >= 2 ? W::ROW - 8u : 0u,
                  static_cast<uint32_t>(job.blocks.stages),
                  0,
                  0,
                  lane == 0 };
    uint32_t last = W::ARRAYS * (XNCC_TENSOR_PERIOD * job.blocks.periods - 1) *
                    DESCRIPTOR_CORE; // B of image row 0
    for (int tile = group * gridDim.x + blockIdx.x; tile < job.tiles; tile += GROUPS * gridDim.x) {
        uint32_t *sums = job.sums + blockIdx.y * job.slot_sums +
                         static_cast<int64_t>(tile / job.tiles_across * XNCC_TENSOR_ROWS) *
                             job.pitch +
                         tile % job.tiles_across * XNCC_TENSOR_COLUMNS + warp * OUT_COLUMNS;
        Out out = { sums,        job.pitch,     buffers + (group * 4 + warp) * OUT_BYTES,
                    lane,        8 * g + 2 * t, job.blocks.staged != 0,
                    job.add != 0 };
        run_tile<W>(job, base / 16 + last, walk, out,
                    Bounds<BOUNDS>{ job, tile, warp, lane, 8 * g + 2 * t, 0 });
    }
    if (job.blocks.staged && lane < OUT_ROWS)
        bulk_store_wait();
}

template <class W, bool BOUNDS>
__global__ __launch_bounds__(THREADS, 1) void correlate_wgmma(const __grid_constant__ TensorJob job)
{
    extern __shared__ __align__(1024) unsigned char memory[];
    const int stages = job.blocks.stages;
    uint32_t base = shared_address(memory),
             ring = base + static_cast<uint32_t>(job.blocks.toeplitz);
    uint32_t buffers = ring + GROUPS * stages * W::STAGE;
    uint32_t barriers = buffers + (job.blocks.staged ? GROUPS * 4 * OUT_BYTES : 0),
             whole = barriers + GROUPS * stages * BARRIER;
    if (threadIdx.x == 0) {
        for (int i = 0; i < GROUPS * stages; i++) {
            barrier_init(barriers + BARRIER * i, 1);
            barrier_init(barriers + BARRIER * i + 8, 4);
        }
        barrier_init(whole, 1);
        asm volatile("fence.mbarrier_init.release.cluster;");
        proxy_fence();
    }
    __syncthreads();
    int group = threadIdx.x / GROUP_THREADS;
    if (group == GROUPS) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(LOADER_REGISTERS));
        int loader = threadIdx.x / 32 - GROUPS * 4;
        if (threadIdx.x % 32 != 0)
            return;
        if (loader == 0) {
            // Without the template there are no products, and nothing is written. Behind another
            // kernel of products it is there: this one has begun because every block of that one
            // had waited for it, or was let begin by one that had.
            if (!BOUNDS || !job.pdl_after_products)
                wait_for_front();
            let_next_begin();
            fetch_toeplitz(job, base, whole);
        }
        if (loader < GROUPS)
            fetch_tiles<W>(job, ring + loader * stages * W::STAGE,
                           barriers + loader * stages * BARRIER, loader);
        if (BOUNDS && loader == 0 && job.pdl_after_products)
            wait_for_front(); // so that none ends before the one in front
    } else {
        asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(PRODUCT_REGISTERS));
        barrier_wait(whole, 0);
        run_group<W, BOUNDS>(job, base, ring + group * stages * W::STAGE, buffers,
                             barriers + group * stages * BARRIER);
    }
}

using Kernel = void (*)(TensorJob);

template <bool BOUNDS> Kernel kernel_of(const xncc_tensor_blocks &b)
{
#define XNCC_WIDTH(chunks, half)                                                                   \
    case 2 * (chunks) + (half): return correlate_wgmma<Width<chunks, half>, BOUNDS>
    switch (2 * b.chunks + b.half) {
        XNCC_WIDTH(0, 1);
        XNCC_WIDTH(1, 0);
        XNCC_WIDTH(1, 1);
        XNCC_WIDTH(2, 0);
        XNCC_WIDTH(2, 1);
        XNCC_WIDTH(3, 0);
        XNCC_WIDTH(3, 1);
        XNCC_WIDTH(4, 0);
        XNCC_WIDTH(4, 1);
        XNCC_WIDTH(5, 0);
        XNCC_WIDTH(5, 1);
        XNCC_WIDTH(6, 0);
        XNCC_WIDTH(6, 1);
        XNCC_WIDTH(7, 0);
        XNCC_WIDTH(7, 1);
        XNCC_WIDTH(8, 0);
        XNCC_WIDTH(8, 1);
    }
#undef XNCC_WIDTH
    return nullptr;
}

} // namespace

cudaError_t wgmma_set_max_shared_memory(const xncc_tensor_blocks &blocks, int most)
{
    cudaError_t code = set_max_shared_memory(kernel_of<false>(blocks), most);
    return code == cudaSuccess ? set_max_shared_memory(kernel_of<true>(blocks), most) : code;
}

cudaError_t wgmma_launch(const TensorJob &job, int processors, cudaStream_t stream)
{
    int most = processors / job.slots, blocks = job.tiles < most ? job.tiles : most > 1 ? most : 1;
    dim3 grid(static_cast<unsigned>(blocks), static_cast<unsigned>(job.slots));
    Kernel kernel = job.bound.terms ? kernel_of<true>(job.blocks) : kernel_of<false>(job.blocks);
    return launch(kernel, grid, THREADS, job.blocks.shared_bytes, stream, job.pdl, job);
}

} // namespace xncc
