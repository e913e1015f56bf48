// SPDX-License-Identifier: BSD-2-Clause
// S and Q of all windows of a chip's search, in shared memory: sums under rows of windows, which
// then slide down the columns.
#ifndef XNCC_CUDA_TRACK_WINDOW_SLIDE_CUH
#define XNCC_CUDA_TRACK_WINDOW_SLIDE_CUH

#include "cuda/track/load_chip.cuh"

namespace xncc {

// Four bytes of shared memory from any byte on.
__device__ __forceinline__ uint32_t word_at(const unsigned char *row, int32_t x)
{
    const uint32_t *words = reinterpret_cast<const uint32_t *>(row + (x & ~3));
    return __funnelshift_r(words[0], words[1], 8 * (x & 3));
}

template <int PLANES>
__device__ __forceinline__ uint32_t sample_of(const uint32_t (&word)[PLANES], int i)
{
    const uint32_t low = word[0] >> (8 * i) & 0xff;
    return PLANES == 1 ? low : low | (word[PLANES - 1] >> (8 * i) & 0xff) << 8;
}

// Sums the pixels under each row of a window: one thread per row of pixels.
template <int PLANES> __device__ void sum_rows(const ChipBlock &b)
{
    const ChipJob &job = b.job;
    const int32_t rows = b.place.height + job.chip_height - 1, w = job.chip_width;
    for (int32_t y = static_cast<int32_t>(threadIdx.x); y < rows;
         y += static_cast<int32_t>(blockDim.x)) {
        const unsigned char *row = b.memory + y * job.layout.window_pitch;
        uint32_t *to = b.sums() + y * job.layout.sums_pitch;
        RowSums sums;
        for (int32_t x = 0; x < w; x += 4) {
            uint32_t word[PLANES];
            for (int p = 0; p < PLANES; p++) {
                word[p] = *reinterpret_cast<const uint32_t *>(row + p * job.layout.window_plane +
                                                              x);
                if (w - x < 4)
                    word[p] &= (1u << (8 * (w - x))) - 1;
            }
            sums.add<PLANES>(word);
        }
        for (int32_t x = 0; x < b.place.width; x += 4) {
            uint32_t enters[PLANES], leaves[PLANES];
            for (int p = 0; p < PLANES; p++) {
                enters[p] = word_at(row + p * job.layout.window_plane, x + w);
                leaves[p] = word_at(row + p * job.layout.window_plane, x);
            }
            for (int i = 0; i < 4 && x + i < b.place.width; i++) {
                to[x + i] = sums.S;
                to[job.map_width + x + i] = static_cast<uint32_t>(sums.Q);
                if (PLANES == 2)
                    to[2 * job.map_width + x + i] = static_cast<uint32_t>(sums.Q >> 32);
                sums.slide(sample_of<PLANES>(enters, i), sample_of<PLANES>(leaves, i));
            }
        }
    }
}

// A column of sums of rows becomes sums of windows, in place. high: words from the low word of a
// sum to its high word, if Sum has 64 bits. Values are read four rows ahead, before any is
// replaced.
template <class Sum>
__device__ void sum_column(uint32_t *column, int32_t pitch, int32_t high, int32_t height,
                           int32_t window)
{
    constexpr int AHEAD = 4;
    constexpr bool WIDE = sizeof(Sum) == 8;
    auto read = [=](int32_t y) {
        const uint32_t *at = column + y * pitch;
        return WIDE ? static_cast<Sum>(static_cast<uint64_t>(at[high]) << 32 | at[0])
                    : static_cast<Sum>(at[0]);
    };
    Sum sum = 0;
    for (int32_t y = 0; y < window; y++)
        sum += read(y);
    for (int32_t y = 0; y < height; y += AHEAD) {
        Sum leaves[AHEAD], enters[AHEAD];
#pragma unroll
        for (int i = 0; i < AHEAD; i++) {
            const bool slides = y + i + 1 < height;
            leaves[i] = slides ? read(y + i) : 0;
            enters[i] = slides ? read(y + i + window) : 0;
        }
#pragma unroll
        for (int i = 0; i < AHEAD; i++) {
            if (y + i < height) {
                uint32_t *at = column + (y + i) * pitch;
                at[0] = static_cast<uint32_t>(sum);
                if (WIDE)
                    at[high] = static_cast<uint32_t>(static_cast<uint64_t>(sum) >> 32);
            }
            sum += enters[i] - leaves[i];
        }
    }
}

// Columns of S and of Q are summed by threads of their own.
template <int PLANES> __device__ void sum_columns(const ChipBlock &b)
{
    const ChipJob &job = b.job;
    for (int32_t c = static_cast<int32_t>(threadIdx.x); c < 2 * job.map_width;
         c += static_cast<int32_t>(blockDim.x)) {
        uint32_t *column = b.sums() + c;
        if (c % job.map_width >= b.place.width)
            continue;
        if (PLANES == 2 && c >= job.map_width)
            sum_column<uint64_t>(column, job.layout.sums_pitch, job.map_width, b.place.height,
                                 job.chip_height);
        else
            sum_column<uint32_t>(column, job.layout.sums_pitch, 0, b.place.height, job.chip_height);
    }
}

} // namespace xncc

#endif
