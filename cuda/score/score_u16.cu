// SPDX-License-Identifier: BSD-2-Clause
// Window sums and ccoeff_normed of 16-bit windows in one pass over the image and X (score_u8.h),
// as score_u8.cu does for 8 bits, from byte planes. With a pixel l + 256 h:
//
//     S = L + 256 H        Q = LL + 512 LH + 65536 HH        X = ll + 256 (lh + hl) + 65536 hh
//
// Every part is a sum of bytes or of products of bytes and fits 32 bits; lh + hl, which comes as
// one plane, does up to n = 33,025. num and var are below 2^63 (score.h: up to n = 46,341), exact
// in 64 bits and then rounded to double once, as in score.h; or, on devices with slow doubles, they
// become pairs of floats (math/float_float.h).
//
// Data mapping: that of score_u8.cu, with four prefix sums per map row (S, LL, LH, HH) instead of
// two.
//
// Resources: dynamic shared memory sizeof(Shared) = 61,696 bytes; 3 blocks of 128 threads per
// multiprocessor (__launch_bounds__), so at most 168 registers per thread.
//
// Measured (H200, November 2026, 8192 x 8192, whole match): n = 32 1.38 ms and n = 64 2.42 ms,
// against 3.05 and 4.28 ms with the sums and score of the other kernels. In pairs of floats n = 64
// takes 2.496 ms.
#include "cuda/runtime/score_arithmetic.h"
#include "cuda/runtime/warp.cuh"
#include "cuda/score/score_common.cuh"
#include "cuda/score/strip_windows.cuh"

namespace xncc {

namespace {

constexpr int BLOCKS = 3; // blocks per multiprocessor

constexpr int COLUMNS = Span<WORDS>::COLUMNS, PITCH = Span<WORDS>::PITCH;

// The window sums. S is complete, modulo 2^32, which is exact because n * 65535 < 2^32.
enum Part { S, LL, LH, HH, PARTS };

struct Shared {
    // For each map row of a batch: the changes of the sums, summed over the columns before.
    alignas(16) uint32_t sums[PARTS][ROWS][PITCH];
    // Image rows: per warp, low and high plane, this batch and the next, lead and lag row.
    alignas(16) unsigned char pixels[WARPS][2][2][2][COLUMNS];
};

// The low and the high bytes of four adjacent pixels.
struct Word {
    uint32_t low, high;
};

// The sums of a window.
struct Window {
    uint32_t s;
    uint64_t q, x;
};

// The score of a window; false if the plain formula must decide. PAIRS: in pairs of floats.
template <bool PAIRS>
__device__ __forceinline__ bool fast_score(const Job &job, const Window &w, float *score)
{
    uint32_t n = static_cast<uint32_t>(job.all.rule.n),
             sum = static_cast<uint32_t>(job.all.rule.sum);
    int64_t num = static_cast<int64_t>(n * w.x) -
                  static_cast<int64_t>(static_cast<uint64_t>(w.s) * sum);
    uint64_t var = n * w.q - static_cast<uint64_t>(w.s) * w.s;
    if (!PAIRS)
        return fast_quotient(s64_to_double(num), u64_to_double(var), job.unit, score);
    xncc_float_float spread = xncc_ff_from_s64(static_cast<int64_t>(var));
    return xncc_ff_quotient(xncc_ff_from_s64(num), spread, job.pair_unit,
                            xncc_ff_rsqrt_seed(spread), score) != 0;
}

// Q and X from their parts; see the top of the file.
__device__ __forceinline__ uint64_t parts_to_q(uint32_t ll, uint32_t lh, uint32_t hh)
{
    return ll + (static_cast<uint64_t>(lh) << 9) + (static_cast<uint64_t>(hh) << 16);
}

__device__ __forceinline__ uint64_t parts_to_x(uint32_t ll, uint32_t mixed, uint32_t hh)
{
    return ll + (static_cast<uint64_t>(mixed) << 8) + (static_cast<uint64_t>(hh) << 16);
}

// Computes the scores of a batch again by the plain formula, for a thread's four columns. windows:
// each part of the four columns at the batch's last row; the function goes up from there, taking
// the changes back. rows: map rows left, at least 1. Out of line and rarely called.
__device__ __noinline__ void rescore_batch(const Job &job, const Shared &shared,
                                           const uint32_t *windows, int x, int y, int rows)
{
    const int left = static_cast<int>(threadIdx.x) * 4, right = left + job.all.window_width;
    const int64_t step = job.all.sums_step;
#pragma unroll 1
    for (int i = 0; i < 4 && x + i < job.all.width; i++) {
        uint32_t w[PARTS] = { windows[i], windows[4 + i], windows[8 + i], windows[12 + i] };
#pragma unroll 1
        for (int r = ROWS - 1; r >= 0; r--) {
            const uint32_t *p = job.all.sums + (y + r) * job.all.sums_pitch + x + i;
            if (r < rows)
                job.all.map[(y + r) * job.all.map_pitch + x + i] = xncc_score_integer(
                    XNCC_CCOEFF_NORMED, &job.all.rule, w[S], parts_to_q(w[LL], w[LH], w[HH]),
                    parts_to_x(p[0], p[step], p[2 * step]));
            for (int k = 0; k < PARTS; k++)
                w[k] -= shared.sums[k][r][right + i] - shared.sums[k][r][left + i];
        }
    }
}

// The parts over the first `count` of four pixels: what the lead row adds less what the lag row
// takes away.
__device__ __forceinline__ void sum_pixels(const Word &in, const Word &out, int count,
                                           uint32_t *sums)
{
    const uint32_t all = 0xffffffffu >> (32 - 8 * count), ones = 0x01010101u & all;
    uint32_t low = dp4a_signed(out.low, all, __dp4a(in.low, ones, 0u)),
             high = dp4a_signed(out.high, all, __dp4a(in.high, ones, 0u));
    sums[S] = low + (high << 8);
    sums[LL] = __dp4a(in.low & all, in.low, 0u) - __dp4a(out.low & all, out.low, 0u);
    sums[LH] = __dp4a(in.low & all, in.high, 0u) - __dp4a(out.low & all, out.high, 0u);
    sums[HH] = __dp4a(in.high & all, in.high, 0u) - __dp4a(out.high & all, out.high, 0u);
}

// Writes the prefix sums of one map row to shared memory. lead, lag: the lane's words of the image
// rows. The barrier inside waits until the previous batch's prefixes have been read; the caller
// synchronizes again before it reads these.
__device__ __forceinline__ void prefix_row(const Word *lead, const Word *lag, Shared &shared,
                                           int warp, int lane)
{
    uint32_t total[PARTS] = {}, before[PARTS];
#pragma unroll
    for (int i = 0; i < WORDS; i++) {
        uint32_t word[PARTS];
        sum_pixels(lead[i], lag[i], 4, word);
#pragma unroll
        for (int k = 0; k < PARTS; k++)
            total[k] += word[k];
    }
#pragma unroll
    for (int k = 0; k < PARTS; k++)
        before[k] = total[k];
    scan(before[S], before[LL]);
    scan(before[LH], before[HH]);
#pragma unroll
    for (int k = 0; k < PARTS; k++)
        before[k] -= total[k];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < WORDS; i++) {
        uint32_t one[PARTS], two[PARTS], three[PARTS], four[PARTS];
        sum_pixels(lead[i], lag[i], 1, one);
        sum_pixels(lead[i], lag[i], 2, two);
        sum_pixels(lead[i], lag[i], 3, three);
        sum_pixels(lead[i], lag[i], 4, four);
#pragma unroll
        for (int k = 0; k < PARTS; k++) {
            *reinterpret_cast<uint4 *>(&shared.sums[k][warp][4 * (WORDS * lane + i)]) = make_uint4(
                before[k], before[k] + one[k], before[k] + two[k], before[k] + three[k]);
            before[k] += four[k];
        }
    }
}

// Prefix sums over all but the last row of the segment's first windows, into row 0 of `shared`:
// down the columns first, then along the row, one warp per part. Ends with a barrier.
__device__ void sum_first_windows(const Job &job, Shared &shared, int x0, int y0)
{
    const TensorPlane &image = job.all.image;
    const Word nothing = { 0, 0 };
    for (int word = threadIdx.x; word < COLUMNS / 4; word += THREADS) {
        const unsigned char *from = image.data + min(x0 + 4 * word, image.width - 4) +
                                    y0 * image.pitch;
        uint32_t columns[4][PARTS] = {};
#pragma unroll 4
        for (int j = 0; j < job.all.window_height - 1; j++, from += image.pitch) {
            Word in = { __ldg(reinterpret_cast<const uint32_t *>(from)),
                        __ldg(reinterpret_cast<const uint32_t *>(from + job.all.plane)) };
#pragma unroll
            for (int i = 0; i < 4; i++) {
                uint32_t byte = 0xffu << (8 * i), sums[PARTS];
                sum_pixels(Word{ in.low & byte, in.high & byte }, nothing, 4, sums);
#pragma unroll
                for (int k = 0; k < PARTS; k++)
                    columns[i][k] += sums[k];
            }
        }
#pragma unroll
        for (int k = 0; k < PARTS; k++)
            *reinterpret_cast<uint4 *>(&shared.sums[k][0][4 * word]) = make_uint4(
                columns[0][k], columns[1][k], columns[2][k], columns[3][k]);
    }
    __syncthreads();
    accumulate_row<uint32_t, WORDS>(shared.sums[threadIdx.x / WARP_LANES][0]);
    __syncthreads();
}
static_assert(static_cast<int>(PARTS) == WARPS, "one warp per part");

// A lane's words of an image row in shared memory.
__device__ __forceinline__ void load_words(const unsigned char *low, const unsigned char *high,
                                           int row, int lane, Word *words)
{
    const int at = row * COLUMNS + 4 * WORDS * lane;
#pragma unroll
    for (int i = 0; i < WORDS; i++)
        words[i] = Word{ *reinterpret_cast<const uint32_t *>(low + at + 4 * i),
                         *reinterpret_cast<const uint32_t *>(high + at + 4 * i) };
}

// A thread's four scores of a row; false if one of them must be computed again.
template <bool PAIRS>
__device__ __forceinline__ bool score_row(const Job &job, const uint32_t (*w)[4],
                                          const uint4 *products, float *f)
{
    const uint32_t *p[3] = { &products[0].x, &products[1].x, &products[2].x };
    bool sure = true;
#pragma unroll
    for (int i = 0; i < 4; i++) {
        Window window = { w[S][i], parts_to_q(w[LL][i], w[LH][i], w[HH][i]),
                          parts_to_x(p[0][i], p[1][i], p[2][i]) };
        sure &= fast_score<PAIRS>(job, window, &f[i]);
    }
    return sure;
}

// Walks down map rows y0 .. y1 - 1 of the block's strip.
template <bool PAIRS, int SHIFT, bool TILES>
__device__ void walk(const Job &job, Shared &shared, int y0, int y1)
{
    const int x0 = blockIdx.x * XNCC_TENSOR_COLUMNS, own = 4 * threadIdx.x, x = x0 + own;
    const int lane = threadIdx.x % WARP_LANES, warp = threadIdx.x / WARP_LANES,
              distance = job.all.window_width - SHIFT;
    const unsigned char *low = &shared.pixels[warp][0][0][0][0],
                        *high = &shared.pixels[warp][1][0][0][0];
    TensorPlane above = job.all.image;
    above.data += job.all.plane;
    RowLoader<WORDS> low_rows(job.all.image, job.all.window_width, job.all.window_height, low, x0,
                              y0),
        high_rows(above, job.all.window_width, job.all.window_height, high, x0, y0);
    low_rows.fetch(job);
    high_rows.fetch(job);
    sum_first_windows(job, shared, x0, y0);
    uint32_t windows[PARTS][4];
#pragma unroll
    for (int k = 0; k < PARTS; k++)
#pragma unroll
        for (int i = 0; i < 4; i++)
            windows[k][i] = shared.sums[k][0][own + job.all.window_width + i] -
                            shared.sums[k][0][own + i];
    const int64_t sums_pitch = job.all.sums_pitch, map_pitch = job.all.map_pitch,
                  step = job.all.sums_step;
    const uint32_t *sums = job.all.sums + y0 * sums_pitch + x;
    float *map = job.all.map + y0 * map_pitch + x;
    int turn = 0;
    TileMax<Adjacent, TILES> tiles(job.all.tiles, x, y0, job.all.width);
    for (int left = y1 - y0; left > 0; left -= ROWS, turn ^= 2) {
        Word lead[WORDS], lag[WORDS];
        asm volatile("cp.async.wait_group 0;" ::: "memory");
        __syncwarp();
        load_words(low, high, turn, lane, lead);
        load_words(low, high, turn + 1, lane, lag);
        low_rows.fetch(job);
        high_rows.fetch(job);
        prefix_row(lead, lag, shared, warp, lane);
        __syncthreads();
        bool sure = true;
        float *to = map;
#pragma unroll
        for (int r = 0; r < ROWS; r++, to += map_pitch, sums += sums_pitch) {
            const uint4 products[3] = { __ldcs(reinterpret_cast<const uint4 *>(sums)),
                                        __ldcs(reinterpret_cast<const uint4 *>(sums + step)),
                                        __ldcs(reinterpret_cast<const uint4 *>(sums + 2 * step)) };
#pragma unroll
            for (int k = 0; k < PARTS; k++)
                slide<Integers, Adjacent, SHIFT>(windows[k], &shared.sums[k][r][own], distance);
            float f[4];
            sure &= score_row<PAIRS>(job, windows, products, f);
            if (left > r)
                store(to, f, x, job.all.width, job.vector_columns);
            tiles.add(f, left > r);
        }
        if (__builtin_expect(!sure, 0)) {
            uint32_t copy[4 * PARTS];
#pragma unroll
            for (int k = 0; k < 4 * PARTS; k++)
                copy[k] = windows[k / 4][k % 4];
            rescore_batch(job, shared, copy, x, y1 - left, left);
            tiles.read(job.all.tiles, map, map_pitch, x, job.all.width, left);
        }
        tiles.end_batch(job.all.tiles, x, job.all.width, left);
        map = to;
    }
    asm volatile("cp.async.wait_group 0;" ::: "memory");
}

// blockIdx.x: strip; blockIdx.y: segment.
template <bool PAIRS, int SHIFT, bool TILES>
__global__ __launch_bounds__(THREADS, BLOCKS) void score_map_u16(const __grid_constant__ Job job)
{
#if __CUDA_ARCH__ >= 800
    extern __shared__ __align__(16) unsigned char memory[];
    int y0 = blockIdx.y * job.segment, y1 = min(y0 + job.segment, job.all.height);
    if constexpr (builds_arithmetic(PAIRS))
        if (y0 < y1 && !(job.all.skip && *job.all.skip))
            walk<PAIRS, SHIFT, TILES>(job, *reinterpret_cast<Shared *>(memory), y0, y1);
#endif
}

using Kernel = void (*)(Job);

// tiles: the best score of each tile is asked for.
Kernel kernel_of(bool pairs, bool tiles, int shift)
{
    return with_one_of<0, 1, 2, 3>(shift, [&](auto s) -> Kernel {
        if (pairs)
            return tiles ? score_map_u16<true, s, true> : score_map_u16<true, s, false>;
        return tiles ? score_map_u16<false, s, true> : score_map_u16<false, s, false>;
    });
}

} // namespace

cudaError_t score_u16_set_max_shared_memory()
{
    cudaError_t code = cudaSuccess;
    for (int i = 0; i < 16 && code == cudaSuccess; i++)
        code = set_max_shared_memory(static_cast<int>(sizeof(Shared)),
                                     kernel_of(i & 8, i & 4, i % 4));
    return code;
}

cudaError_t score_u16_launch(const TensorScoreJob &all, int processors, cudaStream_t stream)
{
    Job job = make_job(all, 4);
    dim3 grid = cut_strips(&job, processors, BLOCKS);
    kernel_of(all.fp64_is_slow, all.tiles.best != nullptr,
              all.window_width % 4)<<<grid, THREADS, sizeof(Shared), stream>>>(job);
    return cudaGetLastError();
}

} // namespace xncc
