// The part of cuFFT that kernel fft uses, found at run time. Nothing of cuFFT is needed to build or
// to start a program.
#ifndef XNCC_CUDA_RUNTIME_CUFFT_LOADER_H
#define XNCC_CUDA_RUNTIME_CUFFT_LOADER_H

#include "cuda/runtime/handles.h"

namespace xncc {

// cuFFT's own numbers, unchanged since its first version with 64-bit plans.
constexpr int FFT_SUCCESS = 0, FFT_ALLOC_FAILED = 2, FFT_FORWARD = -1, FFT_INVERSE = 1,
              FFT_Z2Z = 0x69;

struct FftLibrary {
    int (*create)(int *handle);
    int (*destroy)(int handle);
    int (*set_auto_allocation)(int handle, int automatic);
    int (*make_plan)(int handle, int rank, long long *extents, long long *in_embed,
                     long long in_stride, long long in_distance, long long *out_embed,
                     long long out_stride, long long out_distance, int type, long long batch,
                     size_t *area);
    int (*set_area)(int handle, void *area);
    int (*set_stream)(int handle, cudaStream_t stream);
    int (*execute)(int handle, double2 *in, double2 *out, int direction);
};

// nullptr where the library cannot be loaded or does not work with the driver. The first call loads
// it, which takes milliseconds, and it stays loaded; a device must be current.
const FftLibrary *fft_library();

// It was looked for in vain.
bool fft_library_missing();

} // namespace xncc

#endif
