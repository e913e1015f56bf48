// SPDX-License-Identifier: BSD-2-Clause
// Integral images of a template of floats or u32, in doubles: entry (x, y) is a sum over the pixels
// that count in the first x columns of the first y rows. So windows that the edges of the image
// clip get N, T and T2 of their rectangle of the template, each from four entries.
#ifndef XNCC_CUDA_PLANES_FLOAT_INTEGRALS_H
#define XNCC_CUDA_PLANES_FLOAT_INTEGRALS_H

#include "cuda/planes/float_planes.h"

namespace xncc {

// Numbers of integral images: of 1, which is exact; of the squares of the samples of all channels,
// less the pivot; and of these samples, of channel 0. The other channels follow.
enum { INTEGRAL_OF_COUNT, INTEGRAL_OF_SQUARES, INTEGRAL_OF_SAMPLES };

// The sum of a rectangle from four entries is off by at most so many units of 2^-53 of the sizes of
// all that the template has (float_integrals.cu).
constexpr double INTEGRAL_ERROR = 13.0;

// Makes them, of (width + 1) * (height + 1) entries each, one behind the other.
cudaError_t launch_float_integrals(const FloatSource &of, double *to, cudaStream_t stream);

} // namespace xncc

#endif
