// SPDX-License-Identifier: BSD-2-Clause
// A sample of an image by its border, its mask and its no-data value.
#ifndef XNCC_CUDA_PLANES_COUNTED_SAMPLE_CUH
#define XNCC_CUDA_PLANES_COUNTED_SAMPLE_CUH

#include "image/samples.h"

namespace xncc {

// A sample, and whether its pixel counts.
struct Counted {
    bool counts;
    double v;
};

// The sample, or 0 if its pixel does not count.
static __device__ __forceinline__ double value_of(const Counted &sample)
{
    return sample.counts ? sample.v : 0.0;
}

// Sample i of a row of f32, f64 or u32.
static __device__ __forceinline__ double sample_in(xncc_pixel pixel, const unsigned char *row,
                                                   int64_t i)
{
    return pixel == XNCC_F32   ? xncc_sample_value(XNCC_F32, row, i)
           : pixel == XNCC_F64 ? xncc_sample_value(XNCC_F64, row, i)
                               : xncc_sample_value(XNCC_U32, row, i);
}

// Sample (x, y) of an image with so many channels. PIXEL: of the image, a constant for the
// compiler.
template <xncc_pixel PIXEL>
__device__ __forceinline__ Counted inner_sample(const xncc_image &of, int32_t channels, int64_t x,
                                                int64_t y, int channel)
{
    xncc_image image = of;
    image.pixel = PIXEL;
    const unsigned char *row = static_cast<const unsigned char *>(image.data) + y * image.pitch;
    const uint8_t *mask = image.mask ? image.mask + y * image.mask_pitch : nullptr;
    return { xncc_pixel_counts(&image, channels, row, mask, x) != 0,
             xncc_sample_value(PIXEL, row, x * channels + channel) };
}

// The same, also outside of the image.
template <xncc_pixel PIXEL>
__device__ __forceinline__ Counted counted_sample(const xncc_image &image, xncc_border border,
                                                  int32_t channels, int64_t x, int64_t y,
                                                  int channel)
{
    x = xncc_border_index(border, x, image.width);
    y = xncc_border_index(border, y, image.height);
    return x < 0 || y < 0 ? Counted{ border == XNCC_BORDER_ZERO, 0.0 }
                          : inner_sample<PIXEL>(image, channels, x, y, channel);
}

} // namespace xncc

#endif
