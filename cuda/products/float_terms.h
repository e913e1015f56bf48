// SPDX-License-Identifier: BSD-2-Clause
// The constants that the kernels for floats share: sums of the template, and the pivots.
#ifndef XNCC_CUDA_PRODUCTS_FLOAT_TERMS_H
#define XNCC_CUDA_PRODUCTS_FLOAT_TERMS_H

#include "cuda/planes/float_image.h"

namespace xncc {

// Makes the template's constants and its pivot, which is also the image's, unless
// launch_image_pivot makes another. samples: receives the template's samples less its pivot.
cudaError_t launch_template_terms(xncc_pixel pixel, const TemplateView &templ, xncc_method method,
                                  double *samples, FloatConstants *to, cudaStream_t stream);

// Makes the image's pivot for a centred method.
cudaError_t launch_image_pivot(const FloatImage &image, FloatConstants *to, cudaStream_t stream);

} // namespace xncc

#endif
