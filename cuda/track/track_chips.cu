// SPDX-License-Identifier: BSD-2-Clause
// The kernel of tracking (track_chips.h): a block has a chip of w x h pixels. It computes the
// scores of all windows of the chip's search, and reads the map (read_map.cuh), which is never
// written to global memory.
//
// Method: the products of the chip with all windows are matrix products of bytes,
// mma.sync.m16n8k32 and m16n8k16. With C the chip and I the pixels under the search, for map
// elements (x0 + i, y), i = 0 .. 15,
//
//     X(x0 + i, y) = sum over rows r of the chip, and over k, of A[r][i][k] I[y + r][x0 + k]
//     A[r][i][k] = C[r][k - i], or 0 outside of the chip
//
// k runs over w + 15 columns, rounded up to pieces of 48. A lane reads the word C[r][k - i] ..
// C[r][k - i + 3] of its fragment from one of four copies of the chip, which are shifted by 0 to 3
// bytes. 16-bit samples are two planes of bytes: X = 65536 HH + 256 (HL + LH) + LL.
//
// S and Q of the windows slide along rows, then along columns, in shared memory. The sums are exact
// integers below 2^32 (track_chips_fit): S and Q of bytes and HL + LH; X and Q of 16 bits have 64
// bits. A score is that of math/score.h: numerator and variance are rounded to double
// once, and the quotient is that of quotient.cuh, or the plain formula in doubt.
//
// Data mapping: a warp computes 16 columns of the map and up to 8 TILES rows of it at a time, with
// 4 TILES sums per lane (three times as many for 16 bits). For rows r, r + 8, ... of the chip its
// fragments of I are the same but for one, so they stay in registers as a ring of TILES.
//
// Resources for 32 x 32 in 64 x 64, 8 bits: 96 threads, 23 KB of shared memory (5.7 the pixels, 17
// the sums of rows, in the place of which the sums of windows and the copies of the chip follow),
// 80 registers per thread, so 8 blocks per multiprocessor.
//
// Measured (H200, November 2026): 100,000 of these took 3.5 ms with another reading of the map,
// which compared each score with its eight neighbours: pixels 0.6, window sums 0.4, products 0.9,
// scores 0.5, reading 1.1. With 24 rows per warp, twice as many warps, and two thirds of the
// registers they took 3.8. docs/track.md has the times of calls.
//
// Preconditions: the job's layout is that of track_chips_fit; chips and windows are inside of their
// images. Bytes outside of an image are not read, those of its rows beyond a window may be.
#include "cuda/products/mma_ptx.cuh"
#include "cuda/runtime/shared_memory.h"
#include "cuda/track/chip_rule.cuh"
#include "cuda/track/read_map.cuh"
#include "cuda/track/window_slide.cuh"

namespace xncc {

namespace {

constexpr int FEW_TILES = 2, TILES_OF_MANY = 5;
constexpr int64_t MOST_PIXELS_U8 = 66051;  // n 255^2 < 2^32
constexpr int64_t MOST_PIXELS_U16 = 33025; // 2 n 255^2 < 2^32

// The fragments of the window: of each plane, three registers.
template <int PLANES> struct WindowPart {
    uint32_t word[PLANES][3];

    __device__ __forceinline__ void load(const unsigned char *at, int32_t plane)
    {
        for (int p = 0; p < PLANES; p++)
            for (int c = 0; c < 3; c++)
                word[p][c] = *reinterpret_cast<const uint32_t *>(at + p * plane + 16 * c);
    }
};

// d += the products of 48 columns.
__device__ __forceinline__ void multiply(uint32_t *d, const uint32_t *chip, const uint32_t *window)
{
    mma_m16n8k32(d, chip, make_uint2(window[0], window[1]));
    mma_m16n8k16(d, chip + 4, window[2]);
}

// Computes X of a unit: map columns x0 .. x0 + 15, rows y0 .. y0 + 8 TILES - 1. d[k]: the sums of
// weight 256^k.
template <int PLANES, int TILES>
__device__ __forceinline__ void multiply_unit(const ChipBlock &b, int32_t x0, int32_t y0,
                                              uint32_t (&d)[2 * PLANES - 1][TILES][4])
{
    const ChipLayout &l = b.job.layout;
    const int32_t lane = static_cast<int32_t>(threadIdx.x) % 32, g = lane / 4, t = lane % 4,
                  height = b.job.chip_height, row_words = COPIES * (12 * l.pieces + LEAD);
    const uint32_t *copy = reinterpret_cast<const uint32_t *>(b.memory + l.chip_at) +
                           COPIES * (LEAD + t - g / 4) + g % 4;
    const unsigned char *window = b.memory + (y0 + g) * l.window_pitch + x0 + 4 * t;
#pragma unroll
    for (int k = 0; k < 2 * PLANES - 1; k++)
#pragma unroll
        for (int i = 0; i < TILES * 4; i++)
            d[k][i / 4][i % 4] = 0;
    for (int32_t piece = 0; piece < l.pieces; piece++, copy += 12 * COPIES, window += PIECE)
        for (int32_t r0 = 0; r0 < min(height, 8); r0++) {
            WindowPart<PLANES> part[TILES]; // of rows r + 8 i, at (i + steps) % TILES
#pragma unroll
            for (int i = 0; i + 1 < TILES; i++)
                part[i].load(window + (r0 + 8 * i) * l.window_pitch, l.window_plane);
            for (int32_t first = r0; first < height; first += 8 * TILES)
#pragma unroll
                for (int u = 0; u < TILES; u++) {
                    const int32_t r = first + 8 * u;
                    if (r >= height)
                        break;
                    uint32_t a[PLANES][6];
#pragma unroll
                    for (int i = 0; i < 6 * PLANES; i++)
                        a[i / 6][i % 6] = copy[i / 6 * (l.chip_plane / 4) + r * row_words +
                                               COPIES * (i % 6 / 2 * 4 - i % 2 * 2)];
                    part[(u + TILES - 1) % TILES].load(
                        window + (r + 8 * (TILES - 1)) * l.window_pitch, l.window_plane);
#pragma unroll
                    for (int i = 0; i < TILES; i++)
#pragma unroll
                        for (int p = 0; p < PLANES * PLANES; p++)
                            multiply(d[p / PLANES + p % PLANES][i], a[p / PLANES],
                                     part[(u + i) % TILES].word[p % PLANES]);
                }
        }
}

// Replaces the S of each window of a unit by its score.
template <int PLANES, int TILES>
__device__ __forceinline__ void score_unit(const ChipBlock &b, const ChipRule<PLANES> &rule,
                                           int32_t x0, int32_t y0,
                                           const uint32_t (&d)[2 * PLANES - 1][TILES][4])
{
    const int32_t lane = static_cast<int32_t>(threadIdx.x) % 32;
#pragma unroll
    for (int i = 0; i < TILES * 4; i++) {
        const int32_t x = x0 + lane / 4 + i % 4 / 2 * 8, y = y0 + i / 4 * 8 + lane % 4 * 2 + i % 2;
        if (x >= b.place.width || y >= b.place.height)
            continue;
        uint32_t *at = b.sums() + y * b.job.layout.sums_pitch + x;
        uint64_t X = d[0][i / 4][i % 4], Q = at[b.job.map_width];
        if (PLANES == 2) {
            X += (static_cast<uint64_t>(d[1 % (2 * PLANES - 1)][i / 4][i % 4]) << 8) +
                 (static_cast<uint64_t>(d[2 * PLANES - 2][i / 4][i % 4]) << 16);
            Q |= static_cast<uint64_t>(at[2 * b.job.map_width]) << 32;
        }
        *at = __float_as_uint(rule.score(*at, Q, X));
    }
}

template <int PLANES, int TILES>
__global__ void __launch_bounds__(32 * MOST_WARPS, PLANES == 1 ? 3 : 1) track_chips(ChipJob job)
{
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
    extern __shared__ uint4 memory[];
    __shared__ ChipShared shared;
    const xncc_chip_place place = job.place[blockIdx.x];
    ChipRecord *record = reinterpret_cast<ChipRecord *>(
        job.record + static_cast<int64_t>(blockIdx.x) * job.record_bytes);
    const ChipBlock b = { job, place, reinterpret_cast<unsigned char *>(memory), &shared };
    if (place.width <= 0) {
        if (threadIdx.x == 0)
            record->x = -1;
        return;
    }
    load_window<PLANES>(b);
    __syncthreads();
    sum_rows<PLANES>(b);
    __syncthreads();
    sum_columns<PLANES>(b);
    __syncthreads();
    load_chip<PLANES>(b); // in the place of sums of rows
    __syncthreads();
    const ChipRule<PLANES> rule(b);
    const ChipLayout &l = job.layout;
    for (int32_t unit = static_cast<int32_t>(threadIdx.x) / 32; unit < l.units; unit += l.warps) {
        const int32_t x0 = unit % l.groups * 16, y0 = unit / l.groups * 8 * TILES;
        uint32_t d[2 * PLANES - 1][TILES][4];
        if (x0 >= place.width || y0 >= place.height)
            continue;
        multiply_unit<PLANES, TILES>(b, x0, y0, d);
        score_unit<PLANES, TILES>(b, rule, x0, y0, d);
    }
    __syncthreads();
    read_map(b, record);
#endif
}

} // namespace

bool track_chips_fit(ChipJob *job, int64_t most)
{
    const int64_t width = job->map_width, height = job->map_height, w = job->chip_width,
                  h = job->chip_height, planes = job->planes,
                  tiles = height <= 8 * FEW_TILES ? FEW_TILES : TILES_OF_MANY;
    if (w * h > (planes == 1 ? MOST_PIXELS_U8 : MOST_PIXELS_U16) || w > most || width > most ||
        h > most || height > most)
        return false;
    const int64_t pieces = ceil_div<int64_t>(w + 15, PIECE), groups = ceil_div<int64_t>(width, 16),
                  strips = ceil_div<int64_t>(height, 8 * tiles), units = groups * strips,
                  rounds = ceil_div<int64_t>(units, MOST_WARPS),
                  columns = 16 * (groups - 1) + PIECE * pieces,
                  reached = columns > width + w + 7 ? columns : width + w + 7,
                  pitch = reached / 32 * 32 + (reached % 32 > 16 ? 48 : 16),
                  plane = pitch * (8 * tiles * strips + h - 1),
                  sums_pitch = (planes + 1) * width | 1, sums_at = planes * plane,
                  rows_end = sums_at + 4 * sums_pitch * (height + h - 1),
                  chip_at = ceil_div<int64_t>(sums_at + 4 * sums_pitch * height, 16) * 16,
                  chip_plane = 4 * COPIES * (12 * pieces + LEAD) * h,
                  chip_end = chip_at + planes * chip_plane,
                  bytes = chip_end > rows_end ? chip_end : rows_end;
    job->layout = ChipLayout{ static_cast<int32_t>(pieces),
                              static_cast<int32_t>(tiles),
                              static_cast<int32_t>(units),
                              static_cast<int32_t>(groups),
                              static_cast<int32_t>(ceil_div(units, rounds)),
                              static_cast<int32_t>(pitch),
                              static_cast<int32_t>(plane),
                              static_cast<int32_t>(sums_at),
                              static_cast<int32_t>(sums_pitch),
                              static_cast<int32_t>(chip_at),
                              static_cast<int32_t>(chip_plane),
                              static_cast<int32_t>(bytes) };
    return bytes + static_cast<int64_t>(sizeof(ChipShared)) <= most;
}

cudaError_t track_set_max_shared_memory(int most)
{
    const int dynamic = most - static_cast<int>(sizeof(ChipShared));
    return set_max_shared_memory(dynamic, track_chips<1, FEW_TILES>, track_chips<1, TILES_OF_MANY>,
                                 track_chips<2, FEW_TILES>, track_chips<2, TILES_OF_MANY>);
}

cudaError_t track_chips_launch(const ChipJob &job, cudaStream_t stream)
{
    const bool few = job.layout.tiles == FEW_TILES;
    void (*const kernel)(
        ChipJob) = job.planes == 1
                       ? (few ? track_chips<1, FEW_TILES> : track_chips<1, TILES_OF_MANY>)
                       : (few ? track_chips<2, FEW_TILES> : track_chips<2, TILES_OF_MANY>);
    kernel<<<static_cast<unsigned>(job.count), static_cast<unsigned>(32 * job.layout.warps),
             static_cast<size_t>(job.layout.bytes), stream>>>(job);
    return cudaGetLastError();
}

} // namespace xncc
