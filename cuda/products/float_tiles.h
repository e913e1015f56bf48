// SPDX-License-Identifier: BSD-2-Clause
// X of floats and u32 by transforms of 64 x 64 points that stay in shared memory: the products of
// kernel float-tiles, for small templates. One launch reads the image and writes X. The blocks, and
// the bound of the error, are as in float_fft.h, with xncc_float_tiles_error
// (plan/cost_fft_cuda.h).
#ifndef XNCC_CUDA_PRODUCTS_FLOAT_TILES_H
#define XNCC_CUDA_PRODUCTS_FLOAT_TILES_H

#include "cuda/planes/float_image.h"

extern "C" {
#include "plan/cost_fft_cuda.h"
}

namespace xncc {

// Raises the dynamic shared-memory limit of the kernels on the current device.
cudaError_t float_tiles_set_max_shared_memory();

// Makes the template's spectrum, in the order in which launch_float_tiles reads it: 64 x 64 points.
cudaError_t launch_float_tiles_template(xncc_pixel pixel, const TemplateView &templ,
                                        const FloatConstants *constants, double2 *spectrum,
                                        cudaStream_t stream);

// Makes X of a band and the bounds of its errors.
cudaError_t launch_float_tiles(const FloatProductsJob &job, const FloatBlocks &blocks,
                               const double2 *spectrum, const FloatConstants *constants,
                               cudaStream_t stream);

} // namespace xncc

#endif
