// SPDX-License-Identifier: BSD-2-Clause
// X of floats and u32 by cuFFT's transforms in double, with a bound of the error per pair of
// blocks: the products of kernel float-fft.
//
//     X = IFFT(FFT(image block - pivot) * conj(FFT(template - pivot)))
//
// The blocks overlap as in correlate_fft.h, and two of them share a transform. The error of X is at
// most xncc_fft_double_error (plan/cost_fft_cuda.h) times the norms of what was transformed.
#ifndef XNCC_CUDA_PRODUCTS_FLOAT_FFT_H
#define XNCC_CUDA_PRODUCTS_FLOAT_FFT_H

#include "cuda/planes/float_image.h"
#include "cuda/products/fft_plans.h"

namespace xncc {

class FloatFft {
  public:
    // Makes the cuFFT plans. at: memory for a batch of transforms. area, most: cuFFT's work area
    // and its bytes.
    xncc_status make(const xncc_fft_blocks &decided, double2 *at, void *area, uint64_t most,
                     xncc_error *error);
    // Puts the template's spectrum on the stream.
    cudaError_t transform_template(const TemplateView &templ, const FloatBlocks &blocks,
                                   xncc_pixel pixel, const FloatConstants *constants,
                                   double2 *spectrum, cudaStream_t stream) const;
    // Puts X of a band and the bounds of its errors on the stream. blocks.squares must be 0.
    cudaError_t transform_blocks(const FloatProductsJob &job, const FloatBlocks &blocks,
                                 const double2 *spectrum, const FloatConstants *constants,
                                 cudaStream_t stream) const;

  private:
    cudaError_t transform_batch(const FloatProductsJob &job, const FloatBlocks &blocks,
                                const double2 *spectrum, const FloatConstants *constants,
                                int32_t first, cudaStream_t stream) const;

    FftPlans plans;
    int32_t batch = 1; // transforms at a time
    double2 *data = nullptr;
};

} // namespace xncc

#endif
