// SPDX-License-Identifier: BSD-2-Clause
// What float_split.cu and split_units.cu share: the parameters of their kernels, and the launches
// of those that choose the units of samples in two parts (float_split.h).
#ifndef XNCC_CUDA_PRODUCTS_SPLIT_UNITS_CUH
#define XNCC_CUDA_PRODUCTS_SPLIT_UNITS_CUH

#include "cuda/products/float_split.h"

#include "cuda/planes/float_image.cuh"
#include "cuda/runtime/warp.cuh"

namespace xncc {

// A batch of blocks, or the template.
struct SplitJob {
    FloatProductsJob products;
    FloatConstants *constants;
    SplitBlocks set;
    double2 *turns; // factors of the transforms, of every side
    const double2 *row_turns, *column_turns;
    double2 *data, *to; // the transforms along the rows, and the products of their columns
    // Products of several channels: their sum so far; whether this is the first one, and the last.
    double2 *channels;
    bool begins, ends;
    int32_t first, batch;
};

// The products of levels (split_levels.cu).
struct LevelsJob {
    SplitJob split;      // its constants say whether there is anything to do
    bool makes_template; // the spectra of the template and the factors of the transforms, too
    bool makes_all;      // levels, also if one has all samples
    int32_t most;        // levels; if there are more, none is made
    FloatLevels *levels;
    const BlockSizes *sizes; // per block
    double2 *units;          // per level and block: as in SplitBlocks
    double *squares, *error; // the same: as in FloatBlocks
};

constexpr int SQUARE_ROWS = 8; // whose squares a thread adds up at a time

// Calls use(v) for the samples of column x of the band in SQUARE_ROWS rows from y on, less the
// pivot; 0 for those that no window reaches.
template <xncc_pixel PIXEL, class Use>
__device__ __forceinline__ void each_below(const FloatImage &of, int x, int y, double pivot,
                                           const Use &use)
{
    const unsigned char *from = float_column<PIXEL>(of, x, y, SQUARE_ROWS);
    if (from) {
#pragma unroll
        for (int k = 0; k < SQUARE_ROWS; k++)
            use(xncc_sum(xncc_sample_value(PIXEL, from + k * of.image.pitch, 0), -pivot));
    } else {
#pragma unroll 1
        for (int k = 0; k < SQUARE_ROWS; k++)
            use(float_value<PIXEL>(of, x, y + k, pivot));
    }
}

// Adds a warp's sum to a block's.
__device__ __forceinline__ void add_to(double *to, double square)
{
    square = warp_sum(square);
    if (threadIdx.x % WARP_LANES == 0 && square != 0.0)
        atomicAdd(to, square);
}

// The least power of two that is above a number, at most twice as large.
__device__ __forceinline__ double power_above(double v)
{
    return scalbn(1.0, ilogb(v) + 1);
}

// The norm of the leading parts of `count` samples, whose norm is at most `norm`, and of what is
// left, as they are transformed.
__device__ __forceinline__ double norm_of_both(double norm, double unit, double count, int bits)
{
    const double off = 0.5 * unit * sqrt(count), leading = norm + off, rest = scalbn(off, bits);
    return 1.01 * sqrt(leading * leading + rest * rest);
}

// Chooses the unit of the template's leading parts.
__device__ inline void choose_template_unit(const SplitJob &job)
{
    const double n = job.constants->templ.n, norm = job.constants->templ.norm,
                 unit = power_above(job.set.split.unit * norm / sqrt(n));
    *job.set.templ = make_double2(unit, norm_of_both(norm, unit, n, job.set.split.bits));
}

// Chooses the units of a block whose samples have this sum of squares, and the bound of X's error.
// templ: as in SplitBlocks; least: the unit of v' is no smaller.
__device__ inline void choose_unit(const SplitJob &job, double2 of_template, int block,
                                   double square, double least, double2 *units, double *bound)
{
    constexpr int TRIES = 4; // units that are tried
    const FloatBlocks &b = job.set.of;
    const FloatImage &of = job.products.image;
    const double templ = of_template.y, relative = job.set.split.relative;
    const int2 start = block_start(b, block);
    const double count = static_cast<double>(min(b.width, of.columns - start.x)) *
                         min(b.height, of.rows - start.y) * job.set.channels,
                 norm = 1.01 * sqrt(square + XNCC_WINDOW_TINY), of_templ = of_template.x;
    double unit = 0.5 * fmax(power_above(relative / 0.45 * norm * templ / of_templ), least),
           error = INFINITY;
    for (int i = 0; i < TRIES && !(error <= 0.45 * unit * of_templ); i++) {
        unit *= 2.0;
        error = relative * templ * norm_of_both(norm, unit, count, job.set.split.bits);
    }
    const bool in_range = norm * templ > 0x1p-900 && norm < 0x1p900 && templ < 0x1p900 &&
                          norm * templ < 0x1p900;
    *bound = in_range && error <= 0.45 * unit * of_templ
                 ? scalbn(error, -job.set.split.bits) + XNCC_WINDOW_TINY
                 : INFINITY;
    *units = norm < 0x1p900 ? make_double2(unit, unit * of_templ) : make_double2(NAN, NAN);
}

// Chooses the unit of the template's leading parts.
cudaError_t launch_template_unit(const SplitJob &job, cudaStream_t stream);

// Adds up the squares of the samples of all blocks of a band, in each of `count` images, and
// chooses units and bounds.
cudaError_t launch_units(const SplitJob &job, const FloatProductsJob *images, int count,
                         int processors, cudaStream_t stream);

// Raises the dynamic shared-memory limit of launch_levels' kernels.
cudaError_t split_levels_set_max_shared_memory();

// Chooses levels of the windows that wait for X (FloatLevels), and makes it.
cudaError_t launch_levels(const LevelsJob &job, int processors, cudaStream_t stream);

} // namespace xncc

#endif
