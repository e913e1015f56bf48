// SPDX-License-Identifier: BSD-2-Clause
// How small_exact.cu holds the samples of a tile: as integers that are cut into limbs.
#ifndef XNCC_CUDA_DIRECT_EXACT_TILE_CUH
#define XNCC_CUDA_DIRECT_EXACT_TILE_CUH

#include "cuda/planes/sample_integer.cuh"

#include "math/general_score.h"
#include "math/long_score.h"

extern "C" {
#include "plan/cost_fft_cuda.h"
}

namespace xncc {

constexpr int TILE_WIDTH = 32, TILE_HEIGHT = 32; // windows of a tile
constexpr int TILE_THREADS = 256,
              TILE_DOWN = TILE_THREADS / TILE_WIDTH;  // threads, and rows of them
constexpr int TILE_TEMPL = XNCC_FLOAT_FUSED_TEMPLATE; // columns and rows of a template, at most
constexpr int TILE_TEMPL_PIXELS = TILE_TEMPL * TILE_TEMPL;
constexpr int TILE_PITCH = TILE_WIDTH + TILE_TEMPL - 1;
constexpr int MOST_CELLS = 6;

// Which pixels of windows count.
enum class Counts {
    WHOLE, // all of them
    SAME,  // the same of every window, by the template's mask: windows have T, T2 and n in common
    OWN    // those that the image decides
};

// The bits of a limb. With 27 bits, the sum of 256 products of two limbs is below 2^62, and that of
// 512 below 2^63; with 26 bits, that of 6 * 256 products is below 2^63.
template <int CELLS> constexpr int LIMB_BITS = CELLS <= 2 ? 27 : 26;

// The form in which samples of a tile are cut: an integer has CELLS cells of so many bits, and limb
// l is cell number cell[l] of it. All other cells are 0 in all samples.
template <int LIMBS_OF, int CELLS_OF, Counts COUNTS_OF> struct ExactForm {
    static constexpr int LIMBS = LIMBS_OF, CELLS = CELLS_OF;
    static constexpr Counts COUNTS = COUNTS_OF;
    static constexpr int BITS = LIMB_BITS<CELLS>, WEIGHTS = 2 * CELLS - 1;
    static constexpr int PAIRS = LIMBS * (LIMBS + 1) / 2;
    static constexpr bool GAPS = LIMBS < CELLS;
    // Windows of a thread, one below the other, and rows of the template at a time: what registers
    // hold.
    static constexpr bool WHOLE = COUNTS == Counts::WHOLE;
    static constexpr int EACH = WHOLE        ? (LIMBS <= 3   ? 4
                                                : LIMBS == 4 ? 2
                                                             : 1)
                                : LIMBS <= 2 ? 2
                                             : 1,
                         GROUP = !WHOLE || LIMBS > 4 ? 1
                                 : LIMBS > 2         ? 4
                                                     : 8;
    // Words of a number: 2^PIXELS_LOG2 pixels and 2^CHANNELS_LOG2 channels at most.
    static constexpr int PIXELS_LOG2 = 8, CHANNELS_LOG2 = 6, // XNCC_MAX_CHANNELS is 64
        WORDS = (2 * CELLS * BITS + 2 * (PIXELS_LOG2 + CHANNELS_LOG2) + 4 + 31) / 32;
    // The windows and samples of a part of a tile.
    static constexpr int HEIGHT = TILE_DOWN * EACH, ROWS = HEIGHT + TILE_TEMPL - 1,
                         SAMPLES = ROWS * TILE_PITCH;
    static_assert(TILE_HEIGHT % HEIGHT == 0 && TILE_TEMPL % GROUP == 0, "rows go by the group");

    // The number of a pair of limbs, l <= m.
    static __host__ __device__ constexpr int pair(int l, int m)
    {
        return l * LIMBS - l * (l - 1) / 2 + m - l;
    }
    // Calls function(l, m, number of the pair) for all pairs of limbs, l <= m.
    template <class Function> static __device__ __forceinline__ void each_pair(const Function &of)
    {
#pragma unroll
        for (int l = 0; l < LIMBS; l++)
#pragma unroll
            for (int m = l; m < LIMBS; m++)
                of(l, m, pair(l, m));
    }
};

// The sums of a channel of a window. Of products, those of a pair of limbs: with l < m, both
// products of one factor's limb l and the other's limb m.
template <class Form> struct ExactSums {
    int64_t X[Form::PAIRS], Q[Form::PAIRS], S[Form::LIMBS];
    // Counts::OWN:
    int64_t T2[Form::PAIRS], T[Form::LIMBS];
    uint32_t n;
};

// The shared memory of a block.
template <class Form> struct ExactTile {
    // A pixel of the template: its limbs and the sums of pairs of them, and 1 if it counts.
    static constexpr int COUNT = Form::PAIRS, PARTS = (Form::PAIRS + 4) / 4 * 4;
    // Planes of the image: limbs, and 1 if the pixel counts.
    static constexpr int PLANES = Form::LIMBS + (Form::COUNTS == Counts::OWN);

    int32_t templ[TILE_TEMPL_PIXELS][PARTS]; // column by column
    int64_t along[Form::COUNTS == Counts::WHOLE ? Form::ROWS * TILE_WIDTH : 1];
    // The template's own sums, if all windows have the same.
    unsigned long long T[Form::LIMBS], T2[Form::PAIRS];
    int32_t image[PLANES][Form::SAMPLES];

    static __device__ ExactTile &of_block()
    {
        extern __shared__ int4 memory[];
        return *reinterpret_cast<ExactTile *>(memory);
    }
};

// The cells of the limbs of a tile, and the unit of its samples.
struct ExactCut {
    int32_t unit, cell[MOST_CELLS];

    template <class Form> __device__ __forceinline__ int at(int limb) const
    {
        return Form::GAPS ? cell[limb] : limb;
    }
    // The limbs of a sample.
    template <class Form>
    __device__ __forceinline__ void limbs_of(double v, int32_t (&to)[Form::LIMBS]) const
    {
        const Integer of = integer_of(v, unit);
#pragma unroll
        for (int l = 0; l < Form::LIMBS; l++) {
            const int32_t own = static_cast<int32_t>(
                shifted(of.mantissa, of.place - Form::BITS * at<Form>(l)) &
                ((1u << Form::BITS) - 1));
            to[l] = of.negative ? -own : own;
        }
    }
    // The words of a number of which limbs, or pairs of limbs, have sums.
    template <class Form>
    __device__ __forceinline__ void words_of(const int64_t (&sum)[Form::LIMBS],
                                             uint32_t (&to)[Form::WORDS]) const
    {
        add_cells<Form, Form::CELLS>(to, [&](int wanted) {
            int64_t own = 0;
#pragma unroll
            for (int l = 0; l < Form::LIMBS; l++)
                own += at<Form>(l) == wanted ? sum[l] : 0;
            return own;
        });
    }
    template <class Form>
    __device__ __forceinline__ void words_of_pairs(const int64_t (&sum)[Form::PAIRS],
                                                   uint32_t (&to)[Form::WORDS]) const
    {
        add_cells<Form, Form::WEIGHTS>(to, [&](int wanted) {
            int64_t own = 0;
            Form::each_pair([&](int l, int m, int pair) {
                own += at<Form>(l) + at<Form>(m) == wanted ? sum[pair] : 0;
            });
            return own;
        });
    }
    template <class Form, int COUNT, class Function>
    __device__ __forceinline__ static void add_cells(uint32_t (&to)[Form::WORDS],
                                                     const Function &sum_of)
    {
#pragma unroll
        for (int i = 0; i < Form::WORDS; i++)
            to[i] = 0;
#pragma unroll
        for (int k = 0; k < COUNT; k++)
            xncc_long_add(to, 1, Form::WORDS, sum_of(k), Form::BITS * k);
    }
};

} // namespace xncc

#endif
