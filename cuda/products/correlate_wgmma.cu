// SPDX-License-Identifier: BSD-2-Clause
// X by Hopper's asynchronous matrix products, wgmma: the kernel `tensor-wgmma`, for compute
// capability 9.0 (this file alone is compiled for sm_90a). Parameters: correlate_wgmma.h.
//
// Method. A map element x = 8 a + b of row y is the sum over template rows j and columns k of
// I[y + j][8 a + k] * T[j][k - b]. For one image row that is a matrix product of
//
// - A[a][k] = I[8 a + k]: overlapping reads of the row, nothing is copied, and
// - B[k][b] = T[k - b]: a Toeplitz matrix of the template row, zero outside.
//
// An m64n128k32 product takes 64 values of a, and 16 map rows times 8 values of b. Image row i
// meets template rows i, i - 1, ... i - 15 there, so B is a window into one array in shared memory
// that slides by one step per image row. A comes from registers. K is a chain of chunks of 16
// bytes, two per product; if at most 8 bytes of a row are left over, they share a chunk with the
// next row's (a "half chunk"), which slides just the same.
//
// In the first 8 image rows of a tile only its upper 8 map rows have products, in the last 8 only
// the lower ones: these take m64n64k32.
//
// Several planes of image and template, the channels say, are one longer sum: a tile takes the
// first periods of all planes, then those in between, then the last ones.
//
// Data mapping. A block has three warpgroups for products and one for loads, 512 threads. It is
// persistent: each of the three works on tiles of 512 x 16 map elements of its own, so that one's
// stores are hidden by the others' products, and one warp per product warpgroup loads the image
// rows of its tiles, 8 rows (a "period") per copy of the tensor copy engine. Warp v of a warpgroup
// computes map columns 128 v .. 128 v + 127 of its tile. blockIdx.y is the product (slot), of a
// template and a plane of the image.
//
// Shared memory, blocks.shared_bytes in all (fit_shared_memory in cost_tensor.c):
//
// - the template's block as toeplitz_build left it, once per plane (blocks.planes),
// - a ring of blocks.stages periods of image rows per warpgroup,
// - if blocks.staged, 4 KB per warp through which sums go to global memory, and
// - a pair of barriers (full, empty) per stage, and one for the template.
//
// Registers: 152 per thread of the product warpgroups, 40 of the loading one (setmaxnreg); one
// block per multiprocessor. The accumulators take 64.
//
// Unsigned 32-bit sums are exact: xncc_fit_tensor checks that the template's pixels times 255^2
// fit.
//
// Many templates on one image: where the windows' terms are known (window_terms.h), the best score
// of each tile is taken here, from the registers, while other warpgroups multiply
// (tile_bound.cuh); blocks of the next templates start as those of these end.
//
// Measured (H200, November 2026, 8192 x 8192, u8, this kernel alone): n = 8 0.097 ms, 32 0.154 ms,
// 64 0.404 ms, 96 0.793 ms, 128 1.33 ms (800 T useful multiply-adds per second). Whole match at
// n = 64: 0.603 ms, against 1.10 ms by correlate_mma.cu. Tried and slower: one tile per block with
// the template loaded by each (0.573 ms at n = 64), offsets from a table in shared memory (0.533),
// and one bulk copy per image row (0.434).
#include "cuda/products/tile_bound.cuh"
#include "cuda/products/wgmma_ptx.cuh"
#include "cuda/runtime/pdl.cuh"
#include "cuda/runtime/shared_memory.h"
#include "cuda/runtime/dispatch.h"

namespace xncc {

namespace {

constexpr int GROUPS = XNCC_TENSOR_WARPGROUPS;
constexpr int GROUP_THREADS = 128;
constexpr int THREADS = (GROUPS + 1) * GROUP_THREADS; // the last warpgroup loads
constexpr int LOADER_REGISTERS = 40, PRODUCT_REGISTERS = 152;
// Map rows and columns that a warp writes at a time.
constexpr int OUT_ROWS = 8;
constexpr int OUT_COLUMNS = XNCC_TENSOR_COLUMNS / 4;
constexpr int OUT_BYTES = OUT_ROWS * OUT_COLUMNS * 4;
// Bytes of a stage's pair of barriers: `full`, and 8 bytes further `empty`.
constexpr int BARRIER = 16;
// A core matrix in the unit of matrix descriptors, 16 bytes.
constexpr int DESCRIPTOR_CORE = XNCC_TENSOR_CORE / 16;

// A chunk of K: an image row of the period, and an array of chunks (toeplitz.cu).
struct Chunk {
    int row, array;
};

// Constants of a template width: CHUNKS whole chunks per row and, with HALF, a half chunk. A period
// of 8 image rows takes STEPS products. They are committed in BATCHES groups, an even number,
// because two sets of A registers alternate.
template <int CHUNKS, int HALF> struct Width {
    static constexpr int ARRAYS = CHUNKS + HALF;
    static constexpr int WHOLE_STEPS = XNCC_TENSOR_PERIOD * CHUNKS / 2;
    static constexpr int STEPS = WHOLE_STEPS + 2 * HALF;
    static constexpr int BATCHES = 2 * ((STEPS + 7) / 8);
    // Bytes per image row and per stage in shared memory; xncc_tensor_row_bytes().
    static constexpr int ROW = (XNCC_TENSOR_COLUMNS + 16 * ARRAYS + 63) / 128 * 128 + 64;
    static constexpr int STAGE = XNCC_TENSOR_PERIOD * ROW;

    // First step of a batch.
    __device__ static constexpr int first(int batch)
    {
        return batch * STEPS / BATCHES;
    }
    // Chunk 0 or 1 (`which`) of product `step`. The descriptor's distance from the first chunk to
    // the second must not be negative, so the second is the one at the higher address: of a later
    // array or, because B runs from the bottom row up, of an earlier row.
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
    // Where a chunk is in a stage, in bytes.
    __device__ static constexpr int image_offset(int step, int which)
    {
        return chunk(step, which).row * ROW + 16 * chunk(step, which).array;
    }
    // Where a chunk's B is, relative to that of the period's first row, in units of 16 bytes.
    __device__ static constexpr int toeplitz_offset(int step, int which)
    {
        return (chunk(step, which).array - ARRAYS * chunk(step, which).row) * DESCRIPTOR_CORE;
    }
};

// What a kernel is for. To ask in the loops for planes and signs cost one plane of unsigned bytes
// up to 6 percent.
enum Purpose {
    PLAIN,   // a map of the products of one plane, of bytes as they are
    GENERAL, // the same of several planes, or of signed bytes
    BOUNDS   // the best score of each tile besides, of one plane of bytes as they are
};

// Planes of the image: several only of narrow templates, since wide ones leave no room for them.
template <class W, Purpose FOR> __device__ int planes_of(const TensorJob &job)
{
    return FOR == GENERAL && W::ARRAYS <= XNCC_TENSOR_ADDED_ARRAYS ? job.planes : 1;
}

// The map rows of a tile that a period contributes to.
enum Reach { UPPER, ALL, LOWER };

// A product warp's position in its warpgroup's ring of stages.
struct RingCursor {
    // Shared-memory addresses of the warpgroup's ring, plus the thread's offset into a row, and of
    // its barriers.
    uint32_t ring, barriers;
    // Extra offset for half chunks: threads with t >= 2 read the second 8 bytes from the next row.
    uint32_t half_shift;
    // Number of stages, current stage, and parity of its `full` barrier.
    uint32_t stages, stage, parity;
    // True in lane 0, which arrives at `empty` for the warp.
    bool leader;
    // TensorJob::flip.
    uint32_t flip;

    __device__ uint32_t full() const
    {
        return barriers + BARRIER * stage;
    }
    __device__ uint32_t rows(uint32_t stage_bytes) const
    {
        return ring + stage * stage_bytes;
    }
    // Gives the current stage back to the loader and moves on.
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

// Loads the A registers of a batch from the image rows of a stage.
template <class W, Purpose FOR, int BATCH>
__device__ __forceinline__ void load_a(uint32_t (*a)[4], uint32_t rows, const RingCursor &cursor)
{
#pragma unroll
    for (int step = W::first(BATCH); step < W::first(BATCH + 1); step++) {
        uint32_t base = rows + (step >= W::WHOLE_STEPS ? cursor.half_shift : 0),
                 *to = a[step - W::first(BATCH)];
#pragma unroll
        for (int k = 0; k < 2; k++) {
            asm volatile("ld.shared.u32 %0, [%1];"
                         : "=r"(to[2 * k])
                         : "r"(base + W::image_offset(step, k)));
            asm volatile("ld.shared.u32 %0, [%1];"
                         : "=r"(to[2 * k + 1])
                         : "r"(base + W::image_offset(step, k) + 64));
            if (FOR == GENERAL) {
                to[2 * k] ^= cursor.flip;
                to[2 * k + 1] ^= cursor.flip;
            }
        }
    }
}

// Issues the products of a batch. toeplitz: descriptor address of B for the period's first row. The
// descriptor has the distance between the product's two chunks in bits 16..29 and that between
// steps (eight columns of B, one map row) in bits 32..45.
template <class W, int BATCH, Reach REACH>
__device__ __forceinline__ void multiply(uint32_t *d, uint32_t (*a)[4], uint32_t toeplitz)
{
    constexpr int FIRST = W::first(BATCH), COUNT = W::first(BATCH + 1) - FIRST;
    uint64_t b[COUNT];
#pragma unroll
    for (int i = 0; i < COUNT; i++) {
        const int step = FIRST + i;
        uint64_t strides =
            static_cast<uint64_t>(W::ARRAYS * DESCRIPTOR_CORE) << 32 |
            static_cast<uint64_t>(W::toeplitz_offset(step, 1) - W::toeplitz_offset(step, 0)) << 16;
        b[i] = strides + (toeplitz + W::toeplitz_offset(step, 0) +
                          (REACH == LOWER ? W::ARRAYS * 8 * DESCRIPTOR_CORE : 0));
    }
    wgmma_fence();
    if constexpr (REACH == ALL)
        wgmma_m64n128k32<COUNT>(d, a, b);
    else
        wgmma_m64n64k32<COUNT>(d, a, b);
    wgmma_commit();
}

// Issues the batches of a period from BATCH on. The next batch's A is loaded while a batch is
// multiplied; after the last batch, that of the next period's first one.
template <class W, Purpose FOR, int BATCH, Reach REACH>
__device__ __forceinline__ void run_period(uint32_t *d, uint32_t (*even)[4], uint32_t (*odd)[4],
                                           uint32_t toeplitz, RingCursor &cursor)
{
    multiply<W, BATCH, REACH>(d, BATCH % 2 ? odd : even, toeplitz);
    if constexpr (BATCH + 1 < W::BATCHES) {
        wgmma_wait<1>();
        load_a<W, FOR, BATCH + 1>(BATCH % 2 ? even : odd, cursor.rows(W::STAGE), cursor);
        run_period<W, FOR, BATCH + 1, REACH>(d, even, odd, toeplitz, cursor);
    } else {
        cursor.release();
        wgmma_wait<1>();
        if (REACH != LOWER) {
            barrier_wait(cursor.full(), cursor.parity);
            load_a<W, FOR, 0>(even, cursor.rows(W::STAGE), cursor);
        }
    }
}

// Writes a warp's sums, OUT_ROWS rows at a time. The four elements of d from 4 r on are the
// thread's columns c, c + 1, c + 64 and c + 65 of row r.
struct SumWriter {
    // The warp's first column in the tile's first row, and the pitch in elements.
    uint32_t *sums;
    int64_t pitch;
    // Shared-memory address of the warp's staging buffer (staged only).
    uint32_t buffer;
    // Lane, and the thread's first column c.
    int lane, column;
    // Whether sums go through shared memory by bulk copies; whether they are added.
    bool staged, add;

    // d: the sums of rows row .. row + OUT_ROWS - 1.
    __device__ void write_rows(const uint32_t *d, int row) const
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

// Computes a tile: for each plane one UPPER period, periods - 2 ALL periods, one LOWER period. The
// upper map rows are complete before the last periods; they are written first, and the lower ones
// move to the first half of the registers. toeplitz: descriptor address of B for the first image
// row of the first plane.
template <class W, Purpose FOR>
__device__ void run_tile(const TensorJob &job, uint32_t toeplitz, RingCursor &cursor,
                         const SumWriter &writer, TileMaxima<FOR == BOUNDS> maxima)
{
    uint32_t d[64], even[4][4], odd[4][4];
#pragma unroll
    for (int i = 0; i < 64; i++)
        d[i] = 0;
    constexpr uint32_t DOWN = W::ARRAYS * XNCC_TENSOR_PERIOD *
                              DESCRIPTOR_CORE; // later image rows meet earlier rows of B
    const int planes = planes_of<W, FOR>(job);
    const uint32_t step = static_cast<uint32_t>(job.blocks.toeplitz) / 16; // from plane to plane
    barrier_wait(cursor.full(), cursor.parity);
    load_a<W, FOR, 0>(even, cursor.rows(W::STAGE), cursor);
    for (int plane = 0; plane < planes; plane++)
        run_period<W, FOR, 0, UPPER>(d, even, odd, toeplitz + plane * step, cursor);
    wgmma_wait<0>();
    uint32_t rows = toeplitz;
    for (int plane = 0; plane < planes; plane++) {
        if (plane > 0)
            rows = toeplitz + plane * step;
        for (int period = 1; period < job.blocks.periods - 1; period++)
            run_period<W, FOR, 0, ALL>(d, even, odd, rows -= DOWN, cursor);
    }
    wgmma_wait<0>();
    writer.write_rows(d, 0);
    maxima.template add_rows<OUT_ROWS>(d, 0);
    // m64n64k32 accumulates in 32 registers, but the lower rows are in the other 32. Products of
    // different width on overlapping registers make the compiler serialize all products (C7511).
    // The addition of job.zero, which it cannot see through, keeps the copy a copy.
#pragma unroll
    for (int i = 0; i < 32; i++)
        d[i] = d[32 + i] + job.zero;
    rows -= DOWN + (planes - 1) * step;
    for (int plane = 0; plane < planes; plane++) {
        if (plane > 0) {
            barrier_wait(cursor.full(), cursor.parity);
            load_a<W, FOR, 0>(even, cursor.rows(W::STAGE), cursor);
        }
        run_period<W, FOR, 0, LOWER>(d, even, odd, rows + plane * step, cursor);
    }
    wgmma_wait<0>();
    writer.write_rows(d, OUT_ROWS);
    maxima.template add_rows<OUT_ROWS>(d, OUT_ROWS);
}

// What the loader of a warpgroup does: it fills one stage of the ring after the other.
struct RingFiller {
    uint32_t ring, barriers;
    int stages, stage;
    uint32_t parity;

    // Loads a period of image rows: from word x, row y on.
    __device__ __forceinline__ void fill(const CUtensorMap &image, int x, int y, uint32_t bytes)
    {
        const uint32_t full = barriers + BARRIER * stage;
        barrier_wait(full + 8, parity);
        barrier_expect(full, bytes);
        box_load(ring + stage * bytes, &image, x, y, full);
        if (++stage == stages) {
            stage = 0;
            parity ^= 1;
        }
    }
};

// Loads the image rows of a warpgroup's tiles, period by period in the order of run_tile, into its
// ring. Called by one thread.
template <class W, Purpose FOR>
__device__ void load_tiles(const TensorJob &job, uint32_t ring, uint32_t barriers, int group)
{
    RingFiller to = { ring, barriers, job.blocks.stages, 0, 1 };
    for (int tile = group * gridDim.x + blockIdx.x; tile < job.tiles; tile += GROUPS * gridDim.x) {
        int x = tile % job.tiles_across * (XNCC_TENSOR_COLUMNS / 4) + job.x,
            y = tile / job.tiles_across * XNCC_TENSOR_ROWS + job.y +
                static_cast<int>(blockIdx.y) % job.slot_planes * job.plane_rows;
        if (FOR != GENERAL) {
            for (int period = 0; period < job.blocks.periods; period++, y += XNCC_TENSOR_PERIOD)
                to.fill(job.image, x, y, W::STAGE);
            continue;
        }
        const int planes = planes_of<W, FOR>(job), last = job.blocks.periods - 1;
        for (int first = 0, next; first <= last; first = next) {
            next = first == 0 ? 1 : first < last ? last : last + 1;
            for (int plane = 0; plane < planes; plane++)
                for (int period = first; period < next; period++)
                    to.fill(job.image, x, y + plane * job.plane_rows + XNCC_TENSOR_PERIOD * period,
                            W::STAGE);
        }
    }
}

// Loads the template's block, in pieces of 16 KB. Called by one thread.
__device__ void load_toeplitz(const TensorJob &job, uint32_t to, uint32_t barrier)
{
    constexpr uint32_t PIECE = 16384;
    uint32_t bytes = static_cast<uint32_t>(job.blocks.toeplitz);
    const unsigned char *from = reinterpret_cast<const unsigned char *>(job.toeplitz) +
                                blockIdx.y / static_cast<unsigned>(job.slot_planes) *
                                    job.slot_toeplitz;
    barrier_expect(barrier, bytes * static_cast<uint32_t>(job.planes));
    for (int plane = 0; plane < job.planes; plane++, from += job.plane_toeplitz, to += bytes)
        for (uint32_t at = 0; at < bytes; at += PIECE)
            bulk_load(to + at, from + at, min(PIECE, bytes - at), barrier);
}

// What a product warpgroup does: its tiles, one after the other.
template <class W, Purpose FOR>
__device__ void run_group(const TensorJob &job, uint32_t base, uint32_t ring, uint32_t buffers,
                          uint32_t barriers)
{
    int group = threadIdx.x / GROUP_THREADS, warp = threadIdx.x / 32 % 4, lane = threadIdx.x % 32,
        g = lane / 4, t = lane % 4;
    RingCursor cursor = { ring + (warp * 16 + g) * 8 + 4 * t,
                          barriers,
                          t >= 2 ? W::ROW - 8u : 0u,
                          static_cast<uint32_t>(job.blocks.stages),
                          0,
                          0,
                          lane == 0,
                          job.flip };
    uint32_t last = W::ARRAYS * (XNCC_TENSOR_PERIOD * job.blocks.periods - 1) *
                    DESCRIPTOR_CORE; // B of image row 0
    for (int tile = group * gridDim.x + blockIdx.x; tile < job.tiles; tile += GROUPS * gridDim.x) {
        uint32_t *sums = job.sums + blockIdx.y * job.slot_sums +
                         static_cast<int64_t>(tile / job.tiles_across * XNCC_TENSOR_ROWS) *
                             job.pitch +
                         tile % job.tiles_across * XNCC_TENSOR_COLUMNS + warp * OUT_COLUMNS;
        SumWriter writer = { sums,        job.pitch,     buffers + (group * 4 + warp) * OUT_BYTES,
                             lane,        8 * g + 2 * t, job.blocks.staged != 0,
                             job.add != 0 };
        run_tile<W, FOR>(job, base / 16 + last, cursor, writer,
                         TileMaxima<FOR == BOUNDS>{ job, tile, warp, lane, 8 * g + 2 * t, 0 });
    }
    if (job.blocks.staged && lane < OUT_ROWS)
        bulk_store_wait();
}

template <class W, Purpose FOR>
__global__ __launch_bounds__(THREADS, 1) void correlate_wgmma(const __grid_constant__ TensorJob job)
{
    extern __shared__ __align__(1024) unsigned char memory[];
    const int stages = job.blocks.stages;
    uint32_t base = shared_address(memory),
             ring = base + static_cast<uint32_t>(job.blocks.toeplitz) *
                               static_cast<uint32_t>(job.blocks.planes);
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
            // Nothing is multiplied or written before the template is here, so this wait is enough.
            // With pdl_after_products the template was laid out before the previous kernel of
            // products: this kernel can only have started because every block of that one had
            // waited for the template, or was itself let start by one that had.
            if (!job.pdl_after_products)
                wait_for_front();
            let_next_begin();
            load_toeplitz(job, base, whole);
        }
        if (loader < GROUPS)
            load_tiles<W, FOR>(job, ring + loader * stages * W::STAGE,
                               barriers + loader * stages * BARRIER, loader);
        if (loader == 0 && job.pdl_after_products)
            wait_for_front(); // kernels end in the order of their launches
    } else {
        asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(PRODUCT_REGISTERS));
        barrier_wait(whole, 0);
        run_group<W, FOR>(job, base, ring + group * stages * W::STAGE, buffers,
                          barriers + group * stages * BARRIER);
    }
}

using Kernel = void (*)(TensorJob);

// The instance for a template width; nullptr if there is none.
template <Purpose FOR> Kernel kernel_of(const xncc_tensor_blocks &b)
{
    return with_one_of<1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17>(
        2 * b.chunks + b.half,
        [](auto w) -> Kernel { return correlate_wgmma<Width<w / 2, w % 2>, FOR>; });
}

} // namespace

cudaError_t wgmma_set_max_shared_memory(const xncc_tensor_blocks &blocks, int most)
{
    return set_max_shared_memory(most, kernel_of<PLAIN>(blocks), kernel_of<GENERAL>(blocks),
                                 kernel_of<BOUNDS>(blocks));
}

cudaError_t wgmma_launch(const TensorJob &job, int processors, cudaStream_t stream)
{
    int most = processors / job.slots, blocks = job.tiles < most ? job.tiles : most > 1 ? most : 1;
    const dim3 grid = make_grid(blocks, job.slots);
    Kernel kernel = job.bound.terms[0]           ? kernel_of<BOUNDS>(job.blocks)
                    : job.flip || job.planes > 1 ? kernel_of<GENERAL>(job.blocks)
                                                 : kernel_of<PLAIN>(job.blocks);
    return launch(kernel, grid, THREADS, job.blocks.shared_bytes, stream, job.pdl, job);
}

} // namespace xncc
