// SPDX-License-Identifier: BSD-2-Clause
// The samples of exact_sums.cu, and what primes leave of them.
#ifndef XNCC_CUDA_PRODUCTS_EXACT_SAMPLES_CUH
#define XNCC_CUDA_PRODUCTS_EXACT_SAMPLES_CUH

#include "cuda/products/exact_state.cuh"

#include "cuda/planes/counted_sample.cuh"

namespace xncc {

// Of a pixel, with all channels.
static __device__ int64_t pixel_bytes(const ExactJob &job)
{
    return static_cast<int64_t>(xncc_pixel_digits(job.image.image.pixel)) * job.channels;
}

// Pixel (x, y) of the band, or of the template, in a channel. One that no window reaches does not
// count.
static __device__ __noinline__ Counted image_sample(const ExactJob &job, int channel, int x, int y)
{
    const FloatImage &of = job.image;
    if (x >= of.columns || y >= of.rows)
        return { false, 0.0 };
    const auto sample = [&](auto pixel) {
        return counted_sample<decltype(pixel)::value>(of.image, of.border, job.channels, of.x + x,
                                                      of.y + y, channel);
    };
    switch (of.image.pixel) {
    case XNCC_F32: return sample(std::integral_constant<xncc_pixel, XNCC_F32>());
    case XNCC_F64: return sample(std::integral_constant<xncc_pixel, XNCC_F64>());
    default: return sample(std::integral_constant<xncc_pixel, XNCC_U32>());
    }
}

static __device__ Counted templ_sample(const ExactJob &job, int channel, int x, int y)
{
    return { !job.mask || job.mask[y * job.templ.width + x] != 0,
             sample_in(job.image.image.pixel, job.templ.pixels + y * job.templ.pitch,
                       int64_t{ x } * job.channels + channel) };
}

// The value of sample (x, y) of the band in a channel.
static __device__ __forceinline__ double image_value(const ExactJob &job, int channel, int x, int y)
{
    const FloatImage &of = job.image;
    const int64_t left = of.x + x, top = of.y + y;
    if (job.varies || x >= of.columns || y >= of.rows || left < 0 || top < 0 ||
        left >= of.image.width || top >= of.image.height)
        return value_of(image_sample(job, channel, x, y));
    return sample_in(of.image.pixel,
                     static_cast<const unsigned char *>(of.image.data) + top * of.image.pitch,
                     left * job.channels + channel);
}

// What a prime leaves of samples. powers: powers_of.
struct SampleResidues {
    RootField field;
    const uint32_t *powers;
    int32_t unit;

    __device__ SampleResidues(const ExactJob &job, int prime)
        : field(prime), powers(powers_of(job, prime)), unit(state_of(job)->unit)
    {
    }
    // Of a finite sample, below 2 primes; of others anything.
    __device__ __forceinline__ uint32_t of(double v) const
    {
        constexpr int LOW = 29; // bits that are 0 in samples of f32
        const xncc_wide_part part = xncc_wide_part_of(v);
        if (!part.mantissa || !isfinite(v))
            return 0;
        const uint32_t *power = powers + (part.place - unit + LEAST_PLACE),
                       low = static_cast<uint32_t>(part.mantissa & ((1u << LOW) - 1u));
        uint64_t sum = (part.mantissa >> LOW) * power[LOW];
        if (low)
            sum += uint64_t{ low } * power[0];
        const uint32_t size = field.reduced(sum);
        return part.negative ? 2 * field.prime - size : size;
    }
};

} // namespace xncc

#endif
