// SPDX-License-Identifier: BSD-2-Clause
// The samples of exact_sums.cu, and what primes leave of them.
#ifndef XNCC_CUDA_PRODUCTS_EXACT_SAMPLES_CUH
#define XNCC_CUDA_PRODUCTS_EXACT_SAMPLES_CUH

#include "cuda/products/exact_state.cuh"

#include "cuda/planes/counted_sample.cuh"

namespace xncc {

// Where a pixel of the image is.
static __device__ __forceinline__ const unsigned char *pixel_at(const ExactJob &job, int64_t x,
                                                                int64_t y)
{
    const xncc_image &of = job.image.image;
    return static_cast<const unsigned char *>(of.data) + y * of.pitch +
           x * job.channels * static_cast<int64_t>(xncc_pixel_digits(of.pixel));
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

// The value of sample (x, y) of the band in a channel. One that no window reaches is 0.
static __device__ __forceinline__ double image_value(const ExactJob &job, int channel, int x, int y)
{
    const FloatImage &of = job.image;
    const int64_t left = of.x + x, top = of.y + y;
    if (job.varies || x >= of.columns || y >= of.rows || left < 0 || top < 0 ||
        left >= of.image.width || top >= of.image.height)
        return value_of(image_sample(job, channel, x, y));
    return sample_in(of.image.pixel, pixel_at(job, left, top), channel);
}

// What a prime leaves of samples. The powers of 2 are in shared memory.
struct SampleResidues {
    RootField field;

    __device__ explicit SampleResidues(const ExactJob &job)
        : field(0), powers(nullptr), unit(state_of(job)->unit)
    {
    }
    // Takes another prime. All threads of the block call this together.
    __device__ __forceinline__ void take(const ExactJob &job, int prime)
    {
        __shared__ uint32_t power[XNCC_EXACT_POWERS];
        if (powers && prime == field.number)
            return;
        __syncthreads(); // those of another prime have been read
        for (int i = static_cast<int>(threadIdx.x); i < XNCC_EXACT_POWERS; i += THREADS)
            power[i] = powers_of(job, prime)[i];
        __syncthreads();
        powers = power;
        field = RootField(prime);
    }
    __device__ __forceinline__ RootPrime divisor() const
    {
        return RootPrimes::at(field.number);
    }
    // Of a sample, below 2 primes; of one that is not finite, 0.
    __device__ __forceinline__ uint32_t of(double v) const
    {
        constexpr int LOW = 29; // bits that are 0 in samples of f32
        const xncc_wide_part part = xncc_wide_part_of(isfinite(v) ? v : 0.0);
        const uint32_t *power = powers + max(part.place - unit + LEAST_PLACE, 0),
                       low = static_cast<uint32_t>(part.mantissa & ((1u << LOW) - 1u));
        const uint32_t size = field.reduced((part.mantissa >> LOW) * power[LOW] +
                                            uint64_t{ low } * power[0]);
        return part.negative ? 2 * field.prime - size : size;
    }
    __device__ __forceinline__ uint2 of(double2 v) const
    {
        return make_uint2(of(v.x), of(v.y));
    }
    // Of the squares, below the prime. v: below 2 primes.
    __device__ __forceinline__ uint2 square(uint2 v) const
    {
        const RootPrime by = divisor();
        return make_uint2(by.residue_of(uint64_t{ v.x } * v.x),
                          by.residue_of(uint64_t{ v.y } * v.y));
    }

  private:
    const uint32_t *powers;
    int32_t unit;
};

// Makes row y of the samples of a pair of blocks (samples_of) in a channel.
template <xncc_pixel PIXEL>
__device__ __forceinline__ void make_sample_row(const ExactJob &job, const BlockPair &pair,
                                                int channel, int y, double2 *to)
{
    const FloatImage &of = job.image;
    const unsigned char *row[2]; // of samples that are loaded as they are
    for (int e = 0; e < 2; e++) {
        const int2 start = pair.start[e];
        const int64_t left = of.x + start.x, top = of.y + start.y + y;
        const bool inside = e < pair.count && !job.varies && left >= 0 && top >= 0 &&
                            start.x + job.blocks.width <= of.columns && start.y + y < of.rows &&
                            left + job.blocks.width <= of.image.width && top < of.image.height;
        row[e] = inside ? pixel_at(job, left, top) : nullptr;
    }
    const auto sample = [&](int e, int x) {
        if (row[e])
            return xncc_sample_value(PIXEL, row[e], int64_t{ x } * job.channels + channel);
        if (e >= pair.count)
            return 0.0;
        const Counted any = image_sample(job, channel, pair.start[e].x + x, pair.start[e].y + y);
        return !any.counts ? nan("") : isnan(any.v) ? 0.0 : any.v;
    };
#pragma unroll 4
    for (int x = static_cast<int>(threadIdx.x); x < job.blocks.width; x += THREADS)
        to[x] = make_double2(sample(0, x), sample(1, x));
}

// Makes the samples of a batch of pairs of blocks. A piece is a row of a channel.
static __device__ void make_samples(const ExactJob &job, int first, int index)
{
    const int rows = min(job.blocks.height, job.image.rows), channels = job.channels,
              pieces = rows * channels * pairs_in_batch(job, first);
    for (int piece = index; piece < pieces; piece += static_cast<int>(gridDim.x)) {
        const int y = piece % rows, channel = piece / rows % channels,
                  own = piece / rows / channels;
        const BlockPair pair(job, first + own);
        double2 *to = samples_of(job, own, channel) + int64_t{ y } * job.blocks.width;
        switch (job.image.image.pixel) {
        case XNCC_F32: make_sample_row<XNCC_F32>(job, pair, channel, y, to); break;
        case XNCC_F64: make_sample_row<XNCC_F64>(job, pair, channel, y, to); break;
        default: make_sample_row<XNCC_U32>(job, pair, channel, y, to); break;
        }
    }
}

} // namespace xncc

#endif
