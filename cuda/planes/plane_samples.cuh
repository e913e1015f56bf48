// SPDX-License-Identifier: BSD-2-Clause
// The template's samples as planes have them (float_planes.h).
#ifndef XNCC_CUDA_PLANES_PLANE_SAMPLES_CUH
#define XNCC_CUDA_PLANES_PLANE_SAMPLES_CUH

#include "cuda/planes/counted_sample.cuh"
#include "cuda/planes/float_planes.h"
#include "math/twofold.h"

namespace xncc {

struct TemplSample : Counted {
    double lost; // by the subtraction of the pivot
};

// Sample (x, y) of the template in a channel, less the pivot.
template <xncc_pixel PIXEL>
__device__ __forceinline__ TemplSample templ_at(const FloatSource &of, int64_t x, int64_t y,
                                                int channel)
{
    const double raw = xncc_sample_value(PIXEL, of.templ.pixels + y * of.templ.pitch,
                                         x * of.channels + channel),
                 pivot = of.pivot[channel], v = xncc_sum(raw, -pivot);
    return { { !of.mask || of.mask[y * of.templ.width + x] != 0, v },
             xncc_sum_error(raw, -pivot, v) };
}

} // namespace xncc

#endif
