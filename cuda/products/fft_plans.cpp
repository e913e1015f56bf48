// SPDX-License-Identifier: BSD-2-Clause
// Makes and runs cuFFT plans (fft_plans.h).
#include "cuda/products/fft_plans.h"

namespace xncc {

namespace {

// The CUDA error that stands for a cuFFT result code.
cudaError_t code_of(int result)
{
    return result == FFT_SUCCESS        ? cudaSuccess
           : result == FFT_ALLOC_FAILED ? cudaErrorMemoryAllocation
                                        : cudaErrorUnknown;
}

} // namespace

void FftHandle::drop()
{
    if (library)
        (void)library->destroy(handle);
    library = nullptr;
}

int FftHandle::make(const FftLibrary *from, const xncc_fft_blocks &blocks, int32_t batch,
                    size_t *bytes)
{
    drop();
    int result = from->create(&handle);
    if (result != FFT_SUCCESS)
        return result;
    library = from;
    result = library->set_auto_allocation(handle, 0);
    long long extents[] = { blocks.height, blocks.width }, distance = extents[0] * extents[1];
    if (result == FFT_SUCCESS)
        result = library->make_plan(handle, 2, extents, extents, 1, distance, extents, 1, distance,
                                    FFT_Z2Z, batch, bytes);
    return result;
}

cudaError_t FftHandle::execute(double2 *data, int direction, cudaStream_t stream) const
{
    int result = library->set_stream(handle, stream);
    if (result == FFT_SUCCESS)
        result = library->execute(handle, data, data, direction);
    return code_of(result);
}

xncc_status FftPlans::make(const char *kernel, xncc_fft_blocks *blocks, void *area, uint64_t most,
                           xncc_error *error)
{
    const FftLibrary *library = fft_library();
    if (!library)
        return xncc_fail(error, XNCC_ERROR_UNSUPPORTED,
                         "%s needs the cuFFT library, which cannot be loaded", kernel);
    size_t needed = 0, single_needed = 0;
    int result = several.make(library, *blocks, blocks->batch, &needed);
    // if this version of cuFFT needs a larger work area than was planned, use smaller batches
    for (; result == FFT_SUCCESS && needed > most && blocks->batch > 1;
         result = several.make(library, *blocks, blocks->batch, &needed))
        blocks->batch /= 2;
    batches = blocks->batch > 1;
    if (result == FFT_SUCCESS && batches)
        result = one.make(library, *blocks, 1, &single_needed);
    if (result != FFT_SUCCESS)
        return xncc_fail(error, result == FFT_ALLOC_FAILED ? XNCC_ERROR_MEMORY : XNCC_ERROR_DEVICE,
                         "cuFFT: planning transforms of %d x %d failed with result %d",
                         blocks->width, blocks->height, result);
    needed = needed > single_needed ? needed : single_needed;
    if (needed > most)
        return xncc_fail(
            error, XNCC_ERROR_UNSUPPORTED,
            "cuFFT: transforms of %d x %d need a work area of %llu bytes, and the plan has %llu",
            blocks->width, blocks->height, static_cast<unsigned long long>(needed),
            static_cast<unsigned long long>(most));
    if (several.set_area(area) != FFT_SUCCESS || (batches && one.set_area(area) != FFT_SUCCESS))
        return xncc_fail(error, XNCC_ERROR_DEVICE, "cuFFT: setting the work area failed");
    return XNCC_OK;
}

cudaError_t SpectrumCache::look_for(const DeviceTemplate &templ, int32_t piece, cudaStream_t stream,
                                    bool *ready)
{
    cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
    const cudaError_t code = cudaStreamIsCapturing(stream, &capture);
    captured = captured || capture != cudaStreamCaptureStatusNone;
    *ready = !captured && serial == templ.serial && held_piece == piece;
    serial = templ.serial;
    held_piece = piece;
    return code;
}

} // namespace xncc
