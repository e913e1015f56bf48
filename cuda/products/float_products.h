// SPDX-License-Identifier: BSD-2-Clause
// X of floats and u32 with bounds of the errors, by the transforms of kernel float-fft, float-split
// or float-tiles, and what a plan owns for them and for kernel float-fused.
#ifndef XNCC_CUDA_PRODUCTS_FLOAT_PRODUCTS_H
#define XNCC_CUDA_PRODUCTS_FLOAT_PRODUCTS_H

#include "cuda/products/float_fft.h"
#include "cuda/products/float_split.h"

namespace xncc {

inline TemplateView view_of(const DeviceTemplate &templ)
{
    return { templ.pixels.as<unsigned char>(), static_cast<int64_t>(templ.pitch), templ.width,
             templ.height };
}

class FloatProducts {
  public:
    // Makes everything for the blocks that were decided, in memory which the caller owns: `memory`
    // (xncc_fft_workspace or xncc_split_workspace has its size), and `of_doubts`, whose content
    // other kernels may overwrite between calls. XNCC_ERROR_UNSUPPORTED if float-fft cannot load
    // cuFFT. processors: of the device.
    xncc_status make(const xncc_problem &problem, const xncc_decision &decision, int processors,
                     unsigned char *memory, unsigned char *of_doubts, xncc_error *error);
    // Puts the computation of X and of the errors' bounds on the stream, and forgets the doubts of
    // the band before.
    xncc_status correlate(const FloatProductsJob &job, const DeviceTemplate &templ,
                          cudaStream_t stream, xncc_error *error);
    // Makes only the template's constants, and forgets the doubts: for kernel float-fused.
    xncc_status prepare_template(xncc_pixel pixel, xncc_method method, const DeviceTemplate &templ,
                                 cudaStream_t stream, xncc_error *error);
    // The blocks of the band that was correlated last.
    const FloatBlocks &last() const
    {
        return kernel == XNCC_KERNEL_FLOAT_SPLIT ? split.blocks() : blocks;
    }
    // Whether X can be made again level by level.
    bool has_levels() const
    {
        return split.blocks().width != 0;
    }
    // The transforms of kernel float-split, and of all kernels' levels.
    const FloatSplit &splits() const
    {
        return split;
    }
    FloatConstants *constants() const
    {
        return state;
    }

  private:
    cudaError_t describe(xncc_pixel pixel, xncc_method method, const DeviceTemplate &templ,
                         cudaStream_t stream);

    FloatFft fft;
    FloatSplit split;
    SpectrumCache held;
    xncc_kernel kernel = XNCC_KERNEL_FLOAT_FFT;
    FloatBlocks blocks = {};
    double2 *spectrum = nullptr;
    FloatConstants *state = nullptr;
    double *samples = nullptr; // of the template
};

} // namespace xncc

#endif
