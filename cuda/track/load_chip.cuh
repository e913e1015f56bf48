// SPDX-License-Identifier: BSD-2-Clause
// Brings the pixels of a chip and of its search to shared memory, as planes of bytes.
#ifndef XNCC_CUDA_TRACK_LOAD_CHIP_CUH
#define XNCC_CUDA_TRACK_LOAD_CHIP_CUH

#include "cuda/planes/word_load.cuh"
#include "cuda/runtime/warp.cuh"
#include "cuda/track/chip_block.cuh"

namespace xncc {

constexpr int PIECE = 48; // columns of the window that a step of the products reads
constexpr int LEAD = 3;   // zero words before a row of the chip, for negative k - i
constexpr int COPIES = 4; // of the chip

// A group of lanes that reads a row together: the smallest power of two from 8 to 32 that has a
// lane per word, or else 32.
struct RowLanes {
    int32_t span, lane, first, step;

    __device__ explicit RowLanes(int32_t words)
    {
        span = words <= 8 ? 8 : words <= 16 ? 16 : 32;
        lane = static_cast<int32_t>(threadIdx.x) % span;
        first = static_cast<int32_t>(threadIdx.x) / span;
        step = static_cast<int32_t>(blockDim.x) / span;
    }
};

// Four samples as bytes: of plane p in word[p]. The aligned words that hold them are readable.
template <int PLANES>
__device__ __forceinline__ void load_samples(const unsigned char *from, uint32_t (&word)[PLANES])
{
    uint32_t raw[PLANES];
    load_words(from, raw);
    if (PLANES == 1) {
        word[0] = raw[0];
    } else {
        word[0] = __byte_perm(raw[0], raw[PLANES - 1], 0x6420);
        word[PLANES - 1] = __byte_perm(raw[0], raw[PLANES - 1], 0x7531);
    }
}

// Clears the samples of a word from sample `left` on.
template <int PLANES>
__device__ __forceinline__ void clear_from(int32_t left, uint32_t (&word)[PLANES])
{
    for (int p = 0; p < PLANES && left < 4; p++)
        word[p] = left > 0 ? word[p] & ((1u << (8 * left)) - 1) : 0;
}

// Four samples from sample x of a row on, as bytes: of plane p in word[p]. Samples from `end` on
// are 0. width: the samples of the row.
template <int PLANES>
__device__ __forceinline__ void read_samples(const unsigned char *row, int32_t x, int32_t end,
                                             int32_t width, uint32_t (&word)[PLANES])
{
    if (has_words(row, static_cast<int64_t>(x) * PLANES, PLANES,
                  static_cast<int64_t>(width) * PLANES)) {
        load_samples<PLANES>(row + static_cast<int64_t>(x) * PLANES, word);
    } else {
        for (int p = 0; p < PLANES; p++) {
            word[p] = 0;
            for (int i = 0; i < 4 && x + i < end; i++)
                word[p] |= static_cast<uint32_t>(row[static_cast<int64_t>(x + i) * PLANES + p])
                           << (8 * i);
        }
    }
    clear_from<PLANES>(end - x, word);
}

// Copies the pixels under the search to shared memory. INSIDE: all words that are read are inside
// of their rows, so that several reads are in flight.
template <int PLANES, bool INSIDE>
__device__ __forceinline__ void load_rows(const ChipBlock &b, int32_t rows, int32_t words,
                                          int32_t end)
{
    const ChipJob &job = b.job;
    const RowLanes lanes(words);
    for (int32_t i = lanes.lane; i < words; i += lanes.span)
#pragma unroll 4
        for (int32_t y = lanes.first; y < rows; y += lanes.step) {
            const unsigned char *row = job.scene + (b.place.y + y) * job.scene_pitch;
            uint32_t word[PLANES];
            if (INSIDE)
                load_samples<PLANES>(row + static_cast<int64_t>(b.place.x + 4 * i) * PLANES, word);
            else
                read_samples<PLANES>(row, b.place.x + 4 * i, end, job.scene_width, word);
            for (int p = 0; p < PLANES; p++)
                *reinterpret_cast<uint32_t *>(b.memory + p * job.layout.window_plane +
                                              y * job.layout.window_pitch + 4 * i) = word[p];
        }
}

template <int PLANES> __device__ void load_window(const ChipBlock &b)
{
    const int32_t rows = b.place.height + b.job.chip_height - 1,
                  end = b.place.x + b.place.width + b.job.chip_width - 1,
                  words = (end - b.place.x + 3) / 4;
    // with a word before and after
    if (b.place.x >= 4 && b.place.x + 4 * words + 4 <= b.job.scene_width)
        load_rows<PLANES, true>(b, rows, words, end);
    else
        load_rows<PLANES, false>(b, rows, words, end);
}

// S and Q of samples in a row.
struct RowSums {
    uint32_t S = 0;
    uint64_t Q = 0;

    // Adds four samples.
    template <int PLANES> __device__ __forceinline__ void add(const uint32_t (&word)[PLANES])
    {
        S += __dp4a(word[0], 0x01010101u, 0u);
        Q += __dp4a(word[0], word[0], 0u);
        if (PLANES == 2) {
            const uint32_t high = word[PLANES - 1];
            S += 256 * __dp4a(high, 0x01010101u, 0u);
            Q += static_cast<uint64_t>(__dp4a(word[0], high, 0u)) * 512 +
                 (static_cast<uint64_t>(__dp4a(high, high, 0u)) << 16);
        }
    }
    __device__ __forceinline__ void slide(uint32_t enters, uint32_t leaves)
    {
        S += enters - leaves;
        Q += static_cast<uint64_t>(enters * enters) - static_cast<uint64_t>(leaves * leaves);
    }
};

// Lays the four copies of the chip out, and sums its samples, for each warp. INSIDE: as above.
template <int PLANES, bool INSIDE> __device__ void lay_out_chip(const ChipBlock &b)
{
    const ChipJob &job = b.job;
    const ChipLayout &l = job.layout;
    const int32_t words = 12 * l.pieces + LEAD, end = b.place.left + job.chip_width;
    const RowLanes lanes(words);
    const int32_t rounds = (job.chip_height + lanes.step - 1) / lanes.step;
    RowSums sums;
    auto read = [&](const unsigned char *row, int32_t x, uint32_t(&word)[PLANES]) {
        if (INSIDE) {
            load_samples<PLANES>(row + static_cast<int64_t>(b.place.left + x) * PLANES, word);
            clear_from<PLANES>(job.chip_width - x, word);
        } else {
            read_samples<PLANES>(row, b.place.left + x, end, job.from_width, word);
        }
    };
#pragma unroll 2
    for (int32_t round = 0; round < rounds; round++) {
        const int32_t y = lanes.first + round * lanes.step;
        const bool inside = y < job.chip_height;
        const unsigned char *row = job.from + (b.place.top + y) * job.from_pitch;
        for (int32_t j0 = 0; j0 < words; j0 += lanes.span) {
            const int32_t j = j0 + lanes.lane, x = 4 * (j - LEAD);
            uint32_t word[PLANES] = {}, before[PLANES] = {};
            if (inside && x >= 0 && x < job.chip_width)
                read(row, x, word);
            if (inside && lanes.lane == 0 && x >= 4 && x - 4 < job.chip_width)
                read(row, x - 4, before);
            if (j < words)
                sums.add<PLANES>(word);
            for (int p = 0; p < PLANES; p++) {
                const uint32_t near = __shfl_up_sync(WARP_ALL, word[p], 1, lanes.span),
                               left = lanes.lane ? near : before[p], here = word[p];
                uint4 *row_of_copies = reinterpret_cast<uint4 *>(b.memory + l.chip_at +
                                                                 p * l.chip_plane) +
                                       y * words;
                if (inside && j < words)
                    row_of_copies[j] = make_uint4(here, __funnelshift_l(left, here, 8),
                                                  __funnelshift_l(left, here, 16),
                                                  __funnelshift_l(left, here, 24));
            }
        }
    }
    const uint32_t sum = warp_sum(sums.S);
    const unsigned long long sum2 = warp_sum(static_cast<unsigned long long>(sums.Q));
    if (threadIdx.x % WARP_LANES == 0) {
        b.shared->templ_sum[threadIdx.x / WARP_LANES] = sum;
        b.shared->templ_sum2[threadIdx.x / WARP_LANES] = sum2;
    }
}

template <int PLANES> __device__ void load_chip(const ChipBlock &b)
{
    if (b.place.left >= 4 && b.place.left + b.job.chip_width + 8 <= b.job.from_width)
        lay_out_chip<PLANES, true>(b);
    else
        lay_out_chip<PLANES, false>(b);
}

} // namespace xncc

#endif
