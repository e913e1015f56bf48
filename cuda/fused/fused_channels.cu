// SPDX-License-Identifier: BSD-2-Clause
// Scores of two to four channels of one byte in one kernel (fused_channels.h), as fused_u8.cu does
// for one channel, with the arithmetic of channel_score.cu.
//
// Data mapping: that of fused_u8.cu. Each image plane has a ring of its own (image_ring.cuh). X of
// all channels accumulates in the same registers: its sum is below 2^32.
//
// Window sums: the scheme of channel_windows.cuh, with the sums of two channels in one array. An
// element is A + 2^16 B modulo 2^32, where A and B are prefix sums of what the windows of the even
// and of the odd channel gain and lose. That is linear, so the difference of two elements is the
// same form of two differences. In a window of up to 41 columns these are at most 41 * 255 < 2^15
// in size; so A is the low half with its sign, and B is what is left. The last channel of an odd
// number has an array of its own, and so has Q.
//
// Resources: dynamic shared memory blocks.shared_bytes: 9,280 bytes per array of prefix sums, per
// channel a ring of (padded template rows + 8) * 560 bytes, and the template's fragments. Up to 3
// blocks of 128 threads per multiprocessor (__launch_bounds__), so at most 168 registers per
// thread.
//
// Template parameters: CHUNKS and HALF, the bytes of a template row in products of 32
// (image_ring.cuh); SHIFT, the window's width modulo 2; TILES, whether the best score of each tile
// is asked for. The method and the number of channels are tests that are the same for all threads.
//
// Preconditions: xncc_fit_fused has checked that the template is at most 41 wide and that its sums
// over all channels fit 32 bits. Compute capability 8.0; below it the kernels are empty.
#include "cuda/fused/fused_channels.h"
#include "cuda/fused/image_ring.cuh"
#include "cuda/runtime/warp.cuh"
#include "cuda/score/channel_arith.cuh"

namespace xncc {

namespace {

static_assert(XNCC_TENSOR_FUSED_CHANNELS_WIDTH * 255 < 1 << 15,
              "what a row of a window gains or loses fits half an element");

struct FusedChannelsJob {
    ChannelJob job;
    // The B fragments of the template's planes, and bytes per plane.
    const uint4 *taps;
    int32_t bytes;
    // Template rows, including the zero rows above.
    int32_t rows;
};

// Elements of a map row in an array of prefix sums, and from array to array. The columns of the
// last lanes, which no window reaches, are all written to the same place.
constexpr int SUMS_ROW = XNCC_TENSOR_COLUMNS + 68, SUMS_ARRAY = ROWS * SUMS_ROW,
              LAST_LANE = SUMS_ROW - 4 * WORDS;
static_assert(SUMS_ARRAY * 4 == XNCC_TENSOR_FUSED_ARRAY &&
                  LAST_LANE >= XNCC_TENSOR_COLUMNS + XNCC_TENSOR_FUSED_CHANNELS_WIDTH + 2,
              "room for the columns of a strip's windows");

// Map rows that a block computes at a time, and batches of ROWS scored rows in them.
constexpr int BATCH = XNCC_TENSOR_FUSED_BATCH, SCORED = BATCH / ROWS;

constexpr int BLOCKS = XNCC_TENSOR_FUSED_CHANNEL_BLOCKS;

// The two halves of a difference of elements.
__device__ __forceinline__ uint32_t even_part(uint32_t v)
{
    return static_cast<uint32_t>(static_cast<int16_t>(v));
}
__device__ __forceinline__ uint32_t odd_part(uint32_t v)
{
    return static_cast<uint32_t>(static_cast<int32_t>(v + 0x8000u) >> 16);
}

// Writes S of two channels, summed along the row. to: the lane's columns.
__device__ __forceinline__ void write_pair(const OneByte::Row (&lead)[2],
                                           const OneByte::Row (&lag)[2], uint32_t *to)
{
    uint32_t before[WORDS], total = 0;
#pragma unroll
    for (int i = 0; i < WORDS; i++) {
        before[i] = total;
        total += dp4a_signed(lag[1].word[i], 0xffffffffu, __dp4a(lead[1].word[i], 0x01010101u, 0u))
                 << 16;
        total = dp4a_signed(lag[0].word[i], 0xffffffffu,
                            __dp4a(lead[0].word[i], 0x01010101u, total));
    }
    const uint32_t lower = sum_before(total);
#pragma unroll
    for (int i = 0; i < WORDS; i++) {
        uint32_t v[4];
        v[0] = before[i] + lower;
#pragma unroll
        for (int k = 1; k < 4; k++) {
            const uint32_t ones = 0x01010101u >> (32 - 8 * k), minus = 0xffffffffu >> (32 - 8 * k),
                           odd = dp4a_signed(lag[1].word[i], minus,
                                             __dp4a(lead[1].word[i], ones, 0u));
            v[k] = dp4a_signed(lag[0].word[i], minus,
                               __dp4a(lead[0].word[i], ones, v[0] + (odd << 16)));
        }
        *reinterpret_cast<uint4 *>(to + 4 * i) = make_uint4(v[0], v[1], v[2], v[3]);
    }
}

// Starts loading image row `row` of every channel. end: bytes of a ring; at: offset in each ring.
template <class Loader>
__device__ __forceinline__ void load_planes(const Loader &loader, const ChannelJob &job, int end,
                                            int at, int row)
{
    int64_t plane = 0;
#pragma unroll 1
    for (int c = 0; c < job.all.channels; c++, at += end, plane += job.all.plane)
        loader.load_row(at, row, plane);
}

// The lane's columns of the lead and the lag row of a channel. gone: ANDed onto the lag row.
struct RowPair {
    OneByte::Row lead, lag;

    __device__ __forceinline__ RowPair(const unsigned char *columns, int lead_at, int lag_at,
                                       uint32_t gone)
        : lead(columns + lead_at), lag(columns + lag_at)
    {
#pragma unroll
        for (int i = 0; i < WORDS; i++)
            lag.word[i] &= gone;
    }
};

// Writes the prefix sums of the warp's map row. columns: the lane's columns of the first ring; end:
// bytes of a ring; row: the lane's columns in the first array.
__device__ __forceinline__ void write_rows(const ChannelJob &job, const unsigned char *columns,
                                           int end, int lead_at, int lag_at, uint32_t gone,
                                           uint32_t *row)
{
    OneByte::Squares squares;
    uint32_t *to = row + SUMS_ARRAY;
#pragma unroll 1
    for (int c = 0; c < job.read; c += 2, columns += 2 * end, to += SUMS_ARRAY) {
        const RowPair even(columns, lead_at, lag_at, gone);
        if (job.squared)
            squares.add(even.lead, even.lag);
        if (c + 1 < job.read) {
            const RowPair odd(columns + end, lead_at, lag_at, gone);
            if (job.squared)
                squares.add(odd.lead, odd.lag);
            if (job.summed)
                write_pair({ even.lead, odd.lead }, { even.lag, odd.lag }, to);
        } else if (job.summed) {
            OneByte::write_sums(even.lead, even.lag, to);
        }
    }
    if (job.squared)
        squares.write(row);
}

// Slides a thread's windows down by a map row. own: that row's prefixes at the thread's first
// column.
template <int SHIFT>
__device__ __forceinline__ void slide_windows(const ChannelJob &job, const uint32_t *own,
                                              ByteWindows *w)
{
    const int distance = job.all.window_width - SHIFT;
    if (job.squared)
        slide<Fp64, Apart, SHIFT>(w->q, own, distance);
#pragma unroll
    for (int c = 0; c < CHANNELS; c += 2) {
        own += SUMS_ARRAY;
        if (c + 1 < job.summed) {
            uint32_t leaving[4], entering[4];
            ColumnReader<Apart>::read<0>(own, leaving);
            ColumnReader<Apart>::read<SHIFT>(own + distance, entering);
#pragma unroll
            for (int i = 0; i < 4; i++) {
                const uint32_t change = entering[i] - leaving[i];
                w->s[c][i] = Fp64::slide_by(w->s[c][i], even_part(change), 0);
                w->s[c + 1][i] = Fp64::slide_by(w->s[c + 1][i], odd_part(change), 0);
            }
        } else if (c < job.summed) {
            slide<Fp64, Apart, SHIFT>(w->s[c], own, distance);
        }
    }
}

// Computes the scores of a batch again by general_score.h, for a thread's four columns. own: the
// prefixes of the first map row at its first column. windows: its windows at the batch's last row;
// the function goes up from there, taking the changes back. rows: map rows left, at least 1. Out of
// line and rarely called.
__device__ __noinline__ void rescore_batch(const ChannelJob &job, const uint32_t *own,
                                           const ByteWindows *windows,
                                           const RegisterProducts products, int x, int y, int rows)
{
    const int right = job.all.window_width;
#pragma unroll 1
    for (int i = 0; i < 4 && x + Apart::column(i) < job.all.width; i++) {
        uint32_t s[CHANNELS], q = windows->square(i);
        for (int c = 0; c < CHANNELS; c++)
            s[c] = windows->sum(c, i);
#pragma unroll 1
        for (int r = ROWS - 1; r >= 0; r--) {
            const uint32_t *row = own + r * SUMS_ROW + Apart::column(i);
            if (r < rows)
                job.all.map[(y + r) * job.all.map_pitch + x + Apart::column(i)] = exact_score(
                    job, s, q, products.x[r][i]);
            if (job.squared)
                q -= row[right] - row[0];
            for (int c = 0; c < job.summed; c++) {
                const uint32_t *sum = row + (1 + c / 2) * SUMS_ARRAY, change = sum[right] - sum[0];
                s[c] -= c % 2 ? odd_part(change) : even_part(change);
            }
        }
    }
}

// Walks down map rows y0 .. y1 - 1 of the block's strip. memory: dynamic shared memory.
template <int CHUNKS, int HALF, int SHIFT, bool TILES>
__device__ void walk(const FusedChannelsJob &p, unsigned char *memory, int y0, int y1)
{
    constexpr int PITCH = RING_PITCH<CHUNKS>;
    using Loader = RingLoader<PITCH>;
    const ChannelJob &job = p.job;
    const int channels = job.all.channels, x0 = first_column(), lane = threadIdx.x % WARP_LANES,
              warp = threadIdx.x / WARP_LANES;
    const int rows = p.rows, above = rows - job.all.window_height,
              end = (rows + XNCC_TENSOR_FUSED_SPARE) * PITCH;
    uint32_t *prefixes = reinterpret_cast<uint32_t *>(memory);
    unsigned char *ring = memory + xncc_fused_channels_windows(channels);
    const Loader loader(job.all.image, ring, x0, job.all.window_width);
    int row = y0 - above + warp; // next image row to load
    for (int i = warp; i < rows - 1 + BATCH; i += WARPS, row += WARPS)
        load_planes(loader, job, end, i * PITCH, row);
    int at = 0, lead_at = (rows - 1 + warp) * PITCH,
        lag_at = (above + warp > 0 ? above + warp - 1 : rows + XNCC_TENSOR_FUSED_SPARE - 1) * PITCH;
    uint4 *taps = reinterpret_cast<uint4 *>(ring + channels * end);
    // the rows of the arrays hold the sums of the first windows, one row each
    sum_first_channels<OneByte, PREFIX_ROW>(job, prefixes, x0, y0);
    const uint32_t *own = prefixes + Apart::first();
    ByteWindows windows;
    load_first_channels<OneByte, Apart, PREFIX_ROW>(job, own, &windows);
    wait_for_front();
    for (int i = threadIdx.x; i < channels * p.bytes / 16; i += THREADS)
        taps[i] = p.taps[i];
    // no window reaches the last lanes' columns, so their values do not matter; stay in the row
    const unsigned char *columns = ring + min(4 * WORDS * lane, PITCH - 4 * WORDS);
    uint32_t gone = warp == 0 ? 0u : ~0u; // nothing has left the first window
    row = y0 + job.all.window_height - 1 + BATCH + warp;
    int load_at = further<PITCH>(further<PITCH>(lead_at, end), end);
    const int x = x0 + Apart::first();
    float *to = job.all.map + y0 * job.all.map_pitch + x;
    TileMax<Apart, TILES> tiles(job.all.tiles, x, y0, job.all.width);
    for (int left = y1 - y0; left > 0; left -= BATCH) {
        Loader::wait();
        __syncthreads(); // the previous batch is done and this one's rows are loaded
        RegisterProducts products[SCORED] = {};
#pragma unroll 1
        for (int c = 0; c < channels; c++)
            multiply<BATCH, CHUNKS, HALF>(
                products, fragment_bytes(ring + c * end, warp, lane), at, end,
                reinterpret_cast<const uint32_t *>(taps) + c * (p.bytes / 4) +
                    TapLayout<CHUNKS, HALF>::first(lane),
                rows);
        at = further<PITCH>(further<PITCH>(at, end), end);
#pragma unroll 1
        for (int i = 0; i < SCORED; i++) {
            const int more = left - i * ROWS;
            if (more <= 0)
                break;
            if (i > 0)
                __syncthreads(); // the last rows' prefixes have been read
            write_rows(job, columns, end, lead_at, lag_at, gone,
                       prefixes + warp * SUMS_ROW + min(4 * WORDS * lane, LAST_LANE));
            gone = ~0u;
            lead_at = further<PITCH>(lead_at, end);
            lag_at = further<PITCH>(lag_at, end);
            __syncthreads();
            if (i == SCORED - 1) // the rows that leave the window are not read again
#pragma unroll
                for (int j = 0; j < SCORED;
                     j++, row += ROWS, load_at = further<PITCH>(load_at, end))
                    load_planes(loader, job, end, load_at, row);
            bool sure = true;
#pragma unroll
            for (int r = 0; r < ROWS; r++) {
                slide_windows<SHIFT>(job, own + r * SUMS_ROW, &windows);
                double num[4], var[4];
                byte_fractions(job, windows, products[0].x[r], num, var);
                float score[4];
                sure &= finish(job, num, var, score);
                if (r < more)
                    Apart::store(to, score, x, job.all.width, job.vector_columns);
                tiles.add(score, r < more);
                to += job.all.map_pitch;
            }
            if (__builtin_expect(!sure, 0)) {
                const ByteWindows copy = windows;
                rescore_batch(job, own, &copy, products[0], x, y1 - more, more);
                tiles.read(job.all.tiles, to - ROWS * job.all.map_pitch, job.all.map_pitch, x,
                           job.all.width, more);
            }
            tiles.end_batch(job.all.tiles, x, job.all.width, more);
            products[0] = products[SCORED - 1];
        }
    }
    Loader::wait();
}

// The scores of a band. blockIdx.x: strip; blockIdx.y: segment.
template <int CHUNKS, int HALF, int SHIFT, bool TILES>
__global__ __launch_bounds__(THREADS,
                             BLOCKS) void match_channels(const __grid_constant__ FusedChannelsJob p)
{
#if __CUDA_ARCH__ >= 800
    static_assert(SCORED == 2, "products are moved by one batch of rows");
    extern __shared__ __align__(16) unsigned char memory[];
    const ChannelScoreJob &all = p.job.all;
    const int y0 = blockIdx.y * p.job.segment, y1 = min(y0 + p.job.segment, all.height);
    if (all.skip)
        wait_for_front();
    if (y0 < y1 && !(all.skip && *all.skip))
        walk<CHUNKS, HALF, SHIFT, TILES>(p, memory, y0, y1);
#endif
}

using Kernel = void (*)(FusedChannelsJob);

// nullptr if the width has no kernel.
Kernel kernel_of(const xncc_tensor_blocks &b, bool tiles)
{
    return with_one_of<1, 2, 3>(2 * b.chunks + b.half, [&](auto halves) {
        constexpr int CHUNKS = halves / 2, HALF = halves % 2;
        return with_one_of<0, 1>(b.width % Apart::STEP, [&](auto odd) -> Kernel {
            return tiles ? match_channels<CHUNKS, HALF, odd, true>
                         : match_channels<CHUNKS, HALF, odd, false>;
        });
    });
}

} // namespace

cudaError_t fused_channels_set_max_shared_memory(const xncc_tensor_blocks &blocks, int most)
{
    return set_max_shared_memory(most, kernel_of(blocks, false), kernel_of(blocks, true));
}

cudaError_t launch_fused_channels(const ChannelScoreJob &all, const xncc_tensor_blocks &blocks,
                                  const unsigned char *taps, int processors, bool pdl,
                                  cudaStream_t stream)
{
    FusedChannelsJob p = { make_channel_job(all, Apart::STEP),
                           reinterpret_cast<const uint4 *>(taps),
                           static_cast<int32_t>(blocks.toeplitz),
                           xncc_tensor_fused_rows(all.window_height) };
    const dim3 grid = cut_strips(all, all.window_height, processors * blocks.stages, ROWS,
                                 &p.job.segment);
    return launch(kernel_of(blocks, all.tiles.best != nullptr), grid, THREADS, blocks.shared_bytes,
                  stream, pdl, p);
}

} // namespace xncc
