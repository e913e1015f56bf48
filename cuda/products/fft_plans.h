// SPDX-License-Identifier: BSD-2-Clause
// The cuFFT plans of a plan, and what is known of a template's spectrum.
#ifndef XNCC_CUDA_PRODUCTS_FFT_PLANS_H
#define XNCC_CUDA_PRODUCTS_FFT_PLANS_H

#include "cuda/planes/device_template.h"
#include "cuda/runtime/cufft_loader.h"

extern "C" {
#include "plan/cost_fft_cuda.h"
}

namespace xncc {

// Owns a cuFFT plan (a "handle" in cuFFT's API).
class FftHandle : Owner {
  public:
    ~FftHandle()
    {
        drop();
    }
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
    cudaError_t execute(double2 *data, int direction, cudaStream_t stream) const;

  private:
    void drop();

    const FftLibrary *library = nullptr;
    int handle = 0;
};

// The plans for a batch of transforms and for one of them.
class FftPlans {
  public:
    // Makes both with the work area at `area` of at most `most` bytes, halving blocks->batch as
    // necessary. kernel: its name. XNCC_ERROR_UNSUPPORTED if cuFFT cannot be loaded or needs more
    // memory.
    xncc_status make(const char *kernel, xncc_fft_blocks *blocks, void *area, uint64_t most,
                     xncc_error *error);
    const FftHandle &batch() const
    {
        return several;
    }
    const FftHandle &single() const
    {
        return batches ? one : several;
    }

  private:
    FftHandle several, one;
    bool batches = false; // `one` is made
};

// Which template's spectrum a plan's memory holds, as far as eager calls know. A captured graph may
// overwrite it at any launch, so once a call has been captured the spectrum is recomputed every
// time.
class SpectrumCache {
  public:
    // Sets *ready to whether the memory holds this piece of this template, and records that it
    // will after the caller has computed it otherwise.
    cudaError_t look_for(const DeviceTemplate &templ, int32_t piece, cudaStream_t stream,
                         bool *ready);
    void forget()
    {
        serial = 0;
    }

  private:
    uint64_t serial = 0; // of the template; 0: none
    int32_t held_piece = 0;
    bool captured = false;
};

} // namespace xncc

#endif
