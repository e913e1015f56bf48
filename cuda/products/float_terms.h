// SPDX-License-Identifier: BSD-2-Clause
// The constants that the kernels for floats share: sums of the template, the pivots, and which
// samples are outliers.
#ifndef XNCC_CUDA_PRODUCTS_FLOAT_TERMS_H
#define XNCC_CUDA_PRODUCTS_FLOAT_TERMS_H

#include "cuda/planes/float_image.h"

namespace xncc {

// Makes the template's constants and its pivot, which is also the image's, unless
// launch_image_terms makes another. samples: receives the template's samples less its pivot.
cudaError_t launch_template_terms(xncc_pixel pixel, const TemplateView &templ, xncc_method method,
                                  double *samples, FloatConstants *to, cudaStream_t stream);

// Makes what is wanted of the image: its pivot, for a centred method; and the limit of its
// outliers.
struct ImageTerms {
    bool pivot, limit;
};
cudaError_t launch_image_terms(const FloatImage &image, ImageTerms wanted, FloatConstants *to,
                               cudaStream_t stream);

} // namespace xncc

#endif
