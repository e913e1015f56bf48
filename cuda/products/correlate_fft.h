// SPDX-License-Identifier: BSD-2-Clause
// X by fast Fourier transforms in double precision, rounded to the exact integer: the kernel `fft`,
// for very large templates of 8 or 16 bits.
//
//     X = round(IFFT(FFT(image block) * conj(FFT(template))))
//
// The image is cut into blocks that overlap by the template's size less one (overlap-save); a batch
// of blocks is transformed at a time. cost_fft_cuda.c derives the error bound that makes rounding
// exact, and chooses the blocks so that it stays below 1/4. Templates too large for the bound are
// cut into pieces whose rounded sums are added.
#ifndef XNCC_CUDA_PRODUCTS_CORRELATE_FFT_H
#define XNCC_CUDA_PRODUCTS_CORRELATE_FFT_H

#include "cuda/products/correlate_family.h"
#include "cuda/products/fft_plans.h"

namespace xncc {

// What a plan owns for this kernel: cuFFT plans and device memory.
class Fft {
  public:
    // Makes everything for the blocks that xncc_fit_fft_cuda decided, in `memory`, which the caller
    // owns (xncc_fft_workspace has its size). XNCC_ERROR_UNSUPPORTED if cuFFT cannot be loaded or
    // needs more memory than the decision allows.
    xncc_status make(const xncc_problem &problem, const xncc_fft_blocks &blocks,
                     unsigned char *memory, xncc_error *error);

    // Puts the computation of X for a band on the stream. narrow: X fits 32 bits, and job.sums
    // holds uint32_t; otherwise uint64_t.
    xncc_status correlate(const CorrelateJob &job, bool narrow, const DeviceTemplate &templ,
                          cudaStream_t stream, xncc_error *error);

  private:
    struct Pass;
    cudaError_t transform_template(const Pass &pass, const DeviceTemplate &templ);
    cudaError_t transform_blocks(const Pass &pass);

    xncc_pixel pixel = XNCC_U8;
    xncc_fft_blocks blocks = {};
    // Pieces that the template is cut into, horizontally and vertically.
    int32_t across = 1, down = 1;
    FftPlans plans;
    SpectrumCache held;
    // A batch of image blocks; 16-bit pixels: their product with the template's spectrum (8-bit
    // pixels multiply in place); the template's spectrum, one plane per byte.
    double2 *data = nullptr, *product = nullptr, *spectrum = nullptr;
};

} // namespace xncc

#endif
