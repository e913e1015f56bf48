// SPDX-License-Identifier: BSD-2-Clause
// Planes of doubles of images and templates of floats and u32, for windows of which not all pixels
// count, or with several channels (plan/float_sums.h).
#ifndef XNCC_CUDA_PLANES_FLOAT_PLANES_H
#define XNCC_CUDA_PLANES_FLOAT_PLANES_H

#include "cuda/planes/float_image.h"

extern "C" {
#include "plan/float_sums.h"
}

namespace xncc {

// What a plane has of a pixel that counts; 0 of the others.
enum class FloatPlane {
    VALUE,  // the sample less a pivot
    SQUARE, // its square, rounded
    COUNT   // 1
};

// The pixels that planes are made of.
struct FloatSource : FloatImage {
    int32_t channels;
    TemplateView templ;
    const uint8_t *mask; // of the template, tightly packed; nullptr: all of its pixels count
    uint64_t whole;      // its pixels that count
    xncc_method method;
    double pivot[XNCC_FLOAT_CHANNELS]; // of the template, and of the image unless the method is
                                       // centred
};

// A sample of the band.
struct SampleAt {
    int32_t x, y;
};
constexpr uint32_t MOST_FAR = 64;

// A list of windows of a band, in device memory. If there are more than it has room for, `count` is
// larger than that.
struct DoubtList {
    uint32_t *count;
    FloatDoubt *at;
    uint32_t room;
};

// What is known of a source, in device memory. T and T2 are sums of samples less the pivot.
struct FloatTerms {
    // A channel of the template. The norms are those of its planes VALUE and SQUARE, at least.
    struct Channel {
        xncc_bounded T, T2;
        double norm, norm_of_square;
        bool differs; // not all samples that count are equal
    } templ[XNCC_FLOAT_CHANNELS];
    // Of all channels: the sum of T2, the norm, the sum of norms of squares, and whether one
    // differs.
    xncc_bounded T2;
    double norm_of_all, norm_of_squares;
    bool differs;
    double image_pivot[XNCC_FLOAT_CHANNELS];
    // The bits of the largest size of a sample of the image that counts, less the pivot, as float,
    // rounded up.
    uint32_t largest;
    // Samples of the image that count, less the pivot, of which the planes have 0. Far ones are
    // larger than `limit` of their channel, and there are at most MOST_FAR of them; if there are
    // more, none is far. Bad ones are not finite; the list may have no room for all of them.
    double limit[XNCC_FLOAT_CHANNELS];
    uint32_t far_samples[XNCC_FLOAT_CHANNELS], bad_samples;
    SampleAt far_at[XNCC_FLOAT_CHANNELS][MOST_FAR], bad_at[XNCC_FLOAT_BAD];
    ExactWork exact;
    // The windows of the band that are in doubt by their maps of sums, if X is made again for them;
    // and those that are left to the next step.
    uint32_t doubts, hard;
    FloatDoubt doubt_at[XNCC_FLOAT_DOUBTS], hard_at[XNCC_FLOAT_HARD];
};
static_assert(sizeof(FloatTerms) <= XNCC_FLOAT_TERMS_BYTES, "the decision has less room");

// Makes the terms of the template, and the pivots and limits of the image.
cudaError_t launch_float_source_terms(const FloatSource &of, FloatTerms *to, cudaStream_t stream);

// Makes a plane of the template, tightly packed, and the constants with which kernel float-split
// transforms it, and planes of the image. together: it is one of those of all channels, whose
// products are added up.
cudaError_t launch_float_template_plane(const FloatSource &of, FloatPlane plane, int channel,
                                        bool together, const FloatTerms *terms, double *samples,
                                        FloatConstants *to, cudaStream_t stream);

// Makes planes of the image, of `count` channels. step: from one to the next, pitch: both in
// elements. Far and bad samples become 0; plane VALUE counts and lists them, and comes before plane
// SQUARE of its channel.
cudaError_t launch_float_image_planes(const FloatSource &of, FloatPlane plane, int first, int count,
                                      FloatTerms *terms, double *to, int64_t step, int64_t pitch,
                                      cudaStream_t stream);

// Integral images of the template, in doubles (float_integrals.cu): entry (x, y) is a sum over the
// pixels that count in the first x columns of the first y rows. So windows that the edges of the
// image clip get N, T and T2 of their rectangle of the template, each from four entries. Their
// numbers: of 1, which is exact; of the squares of the samples of all channels, less the pivot; and
// of these samples, of channel 0. The other channels follow.
enum { INTEGRAL_OF_COUNT, INTEGRAL_OF_SQUARES, INTEGRAL_OF_SAMPLES };

// The sum of a rectangle from four entries is off by at most so many units of 2^-53 of the sizes of
// all that the template has.
constexpr double INTEGRAL_ERROR = 13.0;

// Makes them, of (width + 1) * (height + 1) entries each, one behind the other.
cudaError_t launch_float_integrals(const FloatSource &of, double *to, cudaStream_t stream);

} // namespace xncc

#endif
