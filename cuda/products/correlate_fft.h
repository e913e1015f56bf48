// X by fast Fourier transforms in double precision, rounded to the exact integer (cost_fft_cuda.c
// has the bound): blocks of the image that overlap by the template's size less one, a batch of them
// at a time.
#ifndef XNCC_CUDA_PRODUCTS_CORRELATE_FFT_H
#define XNCC_CUDA_PRODUCTS_CORRELATE_FFT_H

#include "cuda/products/correlate_family.h"
#include "cuda/runtime/cufft_loader.h"

extern "C" {
#include "plan/cost_fft_cuda.h"
}

namespace xncc {

// A handle of cuFFT.
class FftHandle {
  public:
    FftHandle() = default;
    ~FftHandle()
    {
        drop();
    }
    FftHandle(const FftHandle &) = delete;
    FftHandle &operator=(const FftHandle &) = delete;
    // Plans `batch` complex transforms side by side in memory, in place of what there was; *area:
    // the bytes it works in.
    int make(const FftLibrary *from, const xncc_fft_blocks &blocks, int32_t batch, size_t *area);
    int set_area(void *area) const
    {
        return library->set_area(handle, area);
    }
    // In place.
    int execute(double2 *data, int direction, cudaStream_t stream) const;

  private:
    void drop();

    const FftLibrary *library = nullptr;
    int handle = 0;
};

// A plan's share: handles and memory.
class Fft {
  public:
    // Takes what xncc_fit_fft_cuda decided.
    xncc_status make(const xncc_problem &problem, const xncc_fft_blocks &blocks, xncc_error *error);

    // X of a band. narrow: 32-bit integers.
    xncc_status correlate(const CorrelateJob &job, bool narrow, const DeviceTemplate &templ,
                          cudaStream_t stream, xncc_error *error);

  private:
    struct Pass;
    xncc_status make_handles(const FftLibrary *library, uint64_t most_area, xncc_error *error);
    bool holds(const DeviceTemplate &templ, int32_t piece, cudaStream_t stream);
    cudaError_t transform_template(const Pass &pass, const DeviceTemplate &templ);
    cudaError_t transform_blocks(const Pass &pass);
    const FftHandle &single() const
    {
        return blocks.batch == 1 ? batch : one;
    }

    xncc_pixel pixel = XNCC_U8;
    xncc_fft_blocks blocks = {};
    int32_t across = 1, down = 1; // pieces of the template
    FftHandle batch, one;         // a batch; one transform
    DeviceMemory data, product, spectrum, area;
    // Which piece of which template the spectrum is of, as far as eager calls know. A captured
    // graph may overwrite it whenever it is launched, so once there is one nothing is held.
    uint64_t serial = 0;
    int32_t held_piece = 0;
    bool captured = false;
};

} // namespace xncc

#endif
