// SPDX-License-Identifier: BSD-2-Clause
// The functions of cuFFT that kernel fft uses. They are loaded at run time, so neither the build
// nor the start of a program needs cuFFT.
#ifndef XNCC_CUDA_RUNTIME_CUFFT_LOADER_H
#define XNCC_CUDA_RUNTIME_CUFFT_LOADER_H

#include "cuda/runtime/handles.h"

namespace xncc {

// Constants of cuFFT's interface. They have not changed since its first version with 64-bit plans.
constexpr int FFT_SUCCESS = 0, FFT_ALLOC_FAILED = 2, FFT_FORWARD = -1, FFT_INVERSE = 1,
              FFT_Z2Z = 0x69;

// The function table. Each function is the one of cuFFT that is named beside it, and returns its
// cufftResult.
struct FftLibrary {
    int (*create)(int *handle);                            // cufftCreate
    int (*destroy)(int handle);                            // cufftDestroy
    int (*set_auto_allocation)(int handle, int automatic); // cufftSetAutoAllocation
    int (*make_plan)(int handle, int rank, long long *extents, long long *in_embed,
                     long long in_stride, long long in_distance, long long *out_embed,
                     long long out_stride, long long out_distance, int type, long long batch,
                     size_t *area);                                       // cufftMakePlanMany64
    int (*set_area)(int handle, void *area);                              // cufftSetWorkArea
    int (*set_stream)(int handle, cudaStream_t stream);                   // cufftSetStream
    int (*execute)(int handle, double2 *in, double2 *out, int direction); // cufftExecZ2Z
};

// Returns the table, or nullptr if cuFFT cannot be loaded or does not work with the driver. The
// first call loads the library, which takes milliseconds; it stays loaded. A device must be
// current. Any thread.
const FftLibrary *fft_library();

// True after fft_library() has failed. Does not load the library.
bool fft_library_missing();

} // namespace xncc

#endif
