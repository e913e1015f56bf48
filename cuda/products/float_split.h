// SPDX-License-Identifier: BSD-2-Clause
// X of floats and u32 by transforms of large blocks whose real part is the leading part of the
// samples and whose imaginary part is the rest, times a power of two: the products of kernel
// float-split. With v' and t' the leading parts of the samples of image and template,
//
//     X = sum v' t' + sum ((v - v') t + v' (t - t'))
//
// and a transform back has the first sum as its real part and the second one, times that power, as
// its imaginary part. The first sum is a multiple of the product of the units of v' and t', and is
// rounded to it, so that it is exact; the error of the second one is small since its terms are. So
// the error of X is a small part of that of a plain transform, plus XNCC_FLOAT_SPLIT_OWN units of
// 2^-53 relative to the samples of the window itself. docs/numerics.md has the bound.
#ifndef XNCC_CUDA_PRODUCTS_FLOAT_SPLIT_H
#define XNCC_CUDA_PRODUCTS_FLOAT_SPLIT_H

#include "cuda/planes/float_image.h"

extern "C" {
#include "plan/cost_fft_cuda.h"
#include "plan/cost_split_cuda.h"
}

namespace xncc {

// Blocks of one size, and what is known of them, in device memory.
struct SplitBlocks {
    FloatBlocks of; // of.squares and of.error are per block
    // Per block: the sum of the squares of what is larger than the limit of outliers.
    double *outside;
    xncc_split split; // units and bounds
    double2 *units;   // per block: the unit of v', and that of v' t'
    int32_t templ_width, templ_height;
    double2 *templ; // the unit of t', and a bound of the norm of what is transformed of it
    double2 *spectrum;
    // Products that are made together: of.error, units and templ are those of the first one. Those
    // of the next begin `step` elements behind, or the next element is it.
    int32_t together, step;
    // Channels whose products are added up: the sums of squares and the norms of a block and of the
    // template are over all of them.
    int32_t channels;
};

struct SplitJob; // split_units.cuh

class FloatSplit {
  public:
    // memory: of the size that xncc_split_workspace tells, `total`.
    cudaError_t make(const xncc_fft_blocks &blocks, int processors, unsigned char *memory);
    // Another kernel has the constants, and the memory keeps nothing from one call to the next: so
    // the levels also make the template's spectra.
    void serve(FloatConstants *constants)
    {
        state = constants;
        serves = true;
    }
    // Lays the blocks over a band.
    void cover(int32_t width, int32_t height);
    // The constants of the template and of the doubts, and where its samples in double go.
    FloatConstants *constants() const
    {
        return state;
    }
    double *samples() const
    {
        return templ_samples;
    }
    // Makes the factors of the transforms.
    cudaError_t begin(cudaStream_t stream) const;
    // Makes the template's spectra. The constants of the template are there. product: its number,
    // of several that are made together.
    cudaError_t transform_template(int product, cudaStream_t stream) const;
    // Puts X of the covered band and the bounds of its errors on the stream, for `count` templates.
    // The jobs differ in where X goes.
    cudaError_t transform_blocks(const FloatProductsJob *job, int count, cudaStream_t stream) const;
    // The same for the sum over `count` images of their products with the templates of these
    // numbers, whose constants have one norm, and so one unit. The jobs differ in their images.
    cudaError_t transform_channels(const FloatProductsJob *job, int count,
                                   cudaStream_t stream) const;
    // X again of the windows that wait for it, level by level, if the constants say so.
    // exact_follow: exact sums follow, so not if there are more than `most` levels, or if one level
    // has all samples.
    cudaError_t transform_levels(const FloatProductsJob &job, bool exact_follow, int most,
                                 cudaStream_t stream) const;
    // Keeps the bounds of a product's blocks as those of a sum, or adds them to it (step
    // float-sums).
    cudaError_t keep_errors(int product, int sum, bool adds, cudaStream_t stream) const;
    // Per sum, the bounds of the band's blocks.
    const double *errors_of_sums() const
    {
        return sum_error;
    }
    const FloatBlocks &blocks() const
    {
        return set.of;
    }
    // The levels, and their bounds of the error of X: per level, those of the band's blocks.
    FloatLevels *the_levels() const
    {
        return levels;
    }
    const double *errors_of_levels() const
    {
        return level_error;
    }
    // Per block of the band.
    BlockSizes *sizes_of_blocks() const
    {
        return block_sizes;
    }

  private:
    SplitJob make_job(int product) const;

    FloatConstants *state = nullptr;
    FloatLevels *levels = nullptr;
    BlockSizes *block_sizes = nullptr;
    double2 *level_units = nullptr;
    double *level_squares = nullptr, *level_error = nullptr;
    double *templ_samples = nullptr, *sum_error = nullptr;
    double2 *turns = nullptr, *data = nullptr, *other = nullptr;
    int64_t spectrum_step = 0; // elements, from one product's spectrum to the next one's
    SplitBlocks set = {};
    int32_t batch = 1; // blocks at a time
    int processors = 1;
    bool serves = false; // another kernel
};

} // namespace xncc

#endif
