// SPDX-License-Identifier: BSD-2-Clause
// The samples of exact_sums.cu, as integers and as slices of them.
#ifndef XNCC_CUDA_PRODUCTS_EXACT_SAMPLES_CUH
#define XNCC_CUDA_PRODUCTS_EXACT_SAMPLES_CUH

#include "cuda/products/exact_state.cuh"

#include "cuda/planes/counted_sample.cuh"
#include "cuda/planes/sample_integer.cuh"

namespace xncc {

// The low 64 bits of v * 2^shift; what is shifted out below is left out.
static __device__ uint64_t shifted(xncc_u128 v, int32_t shift)
{
    return shift >= 0 ? shifted(v.low, shift) : shifted(v.high, 64 + shift) | shifted(v.low, shift);
}

// Slices low (y) and low + 1 (x) of an integer that has `slices` of them; from: the low 64 bits of
// its size times 2^(1 - low bits). A slice is the integer rounded to its units, less what it is
// rounded to units of the next one, if there is one; 0 behind the last one. It is at most 2^(bits -
// 1) in size, the last one 2^bits.
static __device__ double2 slices_from(uint64_t from, bool negative, int low, int slices, int bits)
{
    const auto rounded_to = [&](int next) {
        return static_cast<uint32_t>(((from >> next * bits) + 1) >> 1);
    };
    const uint32_t r[] = { rounded_to(0), rounded_to(1), rounded_to(2) };
    const auto slice = [&](int next) {
        const uint32_t above = low + next + 1 < slices ? r[next + 1] << bits : 0u;
        const double size = static_cast<int32_t>(low + next < slices ? r[next] - above : 0u);
        return negative ? -size : size;
    };
    return make_double2(slice(1), slice(0));
}

static __device__ double2 slices_of(const Integer &v, int low, int slices, int bits)
{
    return slices_from(shifted(v.mantissa, v.place - low * bits + 1), v.negative, low, slices,
                       bits);
}

static __device__ int length_of(uint64_t v)
{
    return 64 - __clzll(static_cast<long long>(v));
}

static __device__ int length_of(xncc_u128 v)
{
    return v.high ? 64 + length_of(v.high) : length_of(v.low);
}

// A bit for each slice that is not 0 of mantissa * 2^place; the mantissa is odd.
template <class Mantissa>
__device__ __forceinline__ uint64_t slices_in(Mantissa mantissa, int32_t place, int slices,
                                              int bits)
{
    const int first = place / bits, top = (place + length_of(mantissa) - 1) / bits;
    const bool carries = static_cast<uint32_t>(
        (shifted(mantissa, place - (top + 1) * bits + 1) + 1) >> 1);
    const int last = top + 1 < slices && carries ? top + 1 : top;
    return ((uint64_t{ 2 } << last) - 1u) & (~uint64_t{ 0 } << first);
}

static __device__ xncc_u128 square_of(const Integer &v)
{
    return xncc_u128_of_product(v.mantissa, v.mantissa);
}

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

// Loads COUNT adjacent samples of the band in a channel, from (x, y) on.
template <int COUNT>
__device__ __forceinline__ void load_samples(const ExactJob &job, int channel, int x, int y,
                                             double (&to)[COUNT])
{
    const FloatImage &of = job.image;
    const int64_t left = of.x + x, top = of.y + y;
    if (!job.varies && x + COUNT <= of.columns && y < of.rows && left >= 0 && top >= 0 &&
        left + COUNT <= of.image.width && top < of.image.height) {
        const unsigned char *row = static_cast<const unsigned char *>(of.image.data) +
                                   top * of.image.pitch;
#pragma unroll
        for (int i = 0; i < COUNT; i++)
            to[i] = sample_in(of.image.pixel, row, (left + i) * job.channels + channel);
    } else {
#pragma unroll
        for (int i = 0; i < COUNT; i++)
            to[i] = value_of(image_sample(job, channel, x + i, y));
    }
}

} // namespace xncc

#endif
