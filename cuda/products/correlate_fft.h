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
#include "cuda/runtime/cufft_loader.h"

extern "C" {
#include "plan/cost_fft_cuda.h"
}

namespace xncc {

// Owns a cuFFT plan (a "handle" in cuFFT's API).
class FftHandle {
  public:
    FftHandle() = default;
    ~FftHandle()
    {
        drop();
    }
    FftHandle(const FftHandle &) = delete;
    FftHandle &operator=(const FftHandle &) = delete;
    // Replaces the plan by one for `batch` complex 2-D transforms of blocks.width x blocks.height
    // points, contiguous in memory. *area: size in bytes of the work area that it needs. Returns a
    // cuFFT result code.
    int make(const FftLibrary *from, const xncc_fft_blocks &blocks, int32_t batch, size_t *area);
    // Sets the work area.
    int set_area(void *area) const
    {
        return library->set_area(handle, area);
    }
    // Transforms `data` in place. direction: FFT_FORWARD or FFT_INVERSE (unscaled).
    int execute(double2 *data, int direction, cudaStream_t stream) const;

  private:
    void drop();

    const FftLibrary *library = nullptr;
    int handle = 0;
};

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
    // Makes both cuFFT plans with a work area of at most most_area bytes, halving the batch as
    // necessary.
    xncc_status make_handles(const FftLibrary *library, uint64_t most_area, xncc_error *error);
    // Returns true if `spectrum` already holds this piece of this template, and records that it
    // will after the caller has computed it otherwise.
    bool spectrum_is_ready(const DeviceTemplate &templ, int32_t piece, cudaStream_t stream);
    cudaError_t transform_template(const Pass &pass, const DeviceTemplate &templ);
    cudaError_t transform_blocks(const Pass &pass);
    // The plan for one transform, used for the template.
    const FftHandle &single() const
    {
        return blocks.batch == 1 ? batch : one;
    }

    xncc_pixel pixel = XNCC_U8;
    xncc_fft_blocks blocks = {};
    // Pieces that the template is cut into, horizontally and vertically.
    int32_t across = 1, down = 1;
    // cuFFT plans for blocks.batch transforms, and for one (unused if the batch is one).
    FftHandle batch, one;
    // A batch of image blocks; 16-bit pixels: their product with the template's spectrum (8-bit
    // pixels multiply in place); the template's spectrum, one plane per byte; cuFFT's work area.
    double2 *data = nullptr, *product = nullptr, *spectrum = nullptr;
    void *area = nullptr;
    // Template (serial number, 0: none) and piece that `spectrum` holds, as far as eager calls
    // know. A captured graph may overwrite the spectrum at any launch, so once a call has been
    // captured the spectrum is recomputed every time.
    uint64_t serial = 0;
    int32_t held_piece = 0;
    bool captured = false;
};

} // namespace xncc

#endif
