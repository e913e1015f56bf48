// exactncc in C++: views of images and maps, and maps with memory.
// SPDX-License-Identifier: BSD-2-Clause
#ifndef EXACTNCC_CPP_IMAGE_HPP
#define EXACTNCC_CPP_IMAGE_HPP

#include "../image.h"
#include "../rules.h"
#include "failure.hpp"

#include <cstdint>
#include <cstdio>
#include <iterator>
#include <type_traits>
#include <vector>

namespace exactncc {

// The pixel type whose samples are T.
template <class T> constexpr xncc_pixel pixel_of() noexcept
{
    using Sample = std::remove_cv_t<T>;
    constexpr bool is_signed = std::is_signed_v<Sample>;
    if constexpr (std::is_same_v<Sample, float>)
        return XNCC_F32;
    else if constexpr (std::is_same_v<Sample, double>)
        return XNCC_F64;
    else if constexpr (sizeof(Sample) == 1)
        return is_signed ? XNCC_S8 : XNCC_U8;
    else if constexpr (sizeof(Sample) == 2)
        return is_signed ? XNCC_S16 : XNCC_U16;
    else
        return XNCC_U32;
    static_assert(std::is_arithmetic_v<Sample> && !std::is_same_v<Sample, bool> &&
                      !std::is_same_v<Sample, char> && !std::is_same_v<Sample, long double> &&
                      (sizeof(Sample) < 4 || std::is_floating_point_v<Sample> ||
                       (sizeof(Sample) == 4 && !is_signed)),
                  "exactncc: a sample is 8 or 16 bits, uint32_t, float or double");
}

// A view of pixels behind a pointer, in host or device memory. channels: samples per pixel. pitch:
// bytes per row; 0: tightly packed.
template <class T>
xncc_image view(const T *pixels, std::int32_t width, std::int32_t height, std::int32_t channels = 1,
                std::int64_t pitch = 0, xncc_memory memory = XNCC_HOST) noexcept
{
    xncc_image image = {};
    image.data = pixels;
    image.width = width;
    image.height = height;
    image.channels = channels;
    image.pitch = pitch;
    image.pixel = pixel_of<T>();
    image.memory = memory;
    return image;
}

// The same for a map.
inline xncc_map map_view(float *scores, std::int32_t width, std::int32_t height,
                         std::int64_t pitch = 0, xncc_memory memory = XNCC_HOST) noexcept
{
    return { scores, width, height, pitch, memory };
}

namespace detail {

// Whether `have` bytes hold `height` rows of `row` bytes that are `pitch` bytes apart. If not,
// writes why.
inline xncc_status check_room(std::uint64_t have, std::int64_t row, std::int64_t height,
                              std::int64_t pitch, xncc_error *error) noexcept
{
    const std::int64_t step = pitch ? pitch : row;
    const bool legal = row > 0 && height > 0 && step >= row;
    const auto last = static_cast<std::uint64_t>(height - 1);
    if (legal && have >= static_cast<std::uint64_t>(row) &&
        (!last ||
         (have - static_cast<std::uint64_t>(row)) / last >= static_cast<std::uint64_t>(step)))
        return XNCC_OK;
    if (legal)
        std::snprintf(
            error->text, sizeof error->text,
            "view: %llu bytes are too few for %lld rows of %lld bytes that are %lld bytes "
            "apart; give it the whole image, or smaller extents",
            static_cast<unsigned long long>(have), static_cast<long long>(height),
            static_cast<long long>(row), static_cast<long long>(step));
    else
        std::snprintf(
            error->text, sizeof error->text,
            "view: %lld rows of %lld bytes that are %lld bytes apart are no image; width, "
            "height and channels must be positive, and the pitch 0 or at least a row",
            static_cast<long long>(height), static_cast<long long>(row),
            static_cast<long long>(step));
    return XNCC_ERROR_ARGUMENT;
}

template <class Range>
using Element = std::remove_pointer_t<decltype(std::data(std::declval<Range &>()))>;

} // namespace detail

// A view of the pixels in a container, an array or a span, whose size is checked. The result is
// empty after a failure.
template <class Range, class T = detail::Element<Range>>
xncc_image view(Range &&pixels, std::int32_t width, std::int32_t height, std::int32_t channels = 1,
                std::int64_t pitch = 0, Failure *failure = nullptr)
{
    static_assert(std::is_lvalue_reference_v<Range> || std::is_trivially_copyable_v<Range>,
                  "exactncc: these pixels would be freed before the view is used");
    detail::Call call(failure);
    const bool legal = width > 0 && width <= XNCC_MAX_SIDE && channels > 0 &&
                       channels <= XNCC_MAX_CHANNELS;
    const std::int64_t row = legal ? std::int64_t(width) * channels * std::int64_t(sizeof(T)) : 0;
    if (!call.succeeds(
            detail::check_room(std::size(pixels) * sizeof(T), row, height, pitch, call.error())))
        return {};
    return view(static_cast<const T *>(std::data(pixels)), width, height, channels, pitch);
}

// A view of the floats in a container, an array or a span, as a map, whose size is checked. The
// result is empty after a failure.
template <class Range, class T = detail::Element<Range>>
xncc_map map_view(Range &&scores, std::int32_t width, std::int32_t height, std::int64_t pitch = 0,
                  Failure *failure = nullptr)
{
    static_assert(std::is_lvalue_reference_v<Range> || std::is_trivially_copyable_v<Range>,
                  "exactncc: these floats would be freed before the view is used");
    detail::Call call(failure);
    const bool legal = width > 0 && width <= XNCC_MAX_SIDE;
    const std::int64_t row = legal ? std::int64_t(width) * std::int64_t(sizeof(T)) : 0;
    if (!call.succeeds(
            detail::check_room(std::size(scores) * sizeof(T), row, height, pitch, call.error())))
        return {};
    return map_view(std::data(scores), width, height, pitch);
}

// A view of a rectangle of an image.
inline xncc_image crop(const xncc_image &image, std::int32_t x, std::int32_t y, std::int32_t width,
                       std::int32_t height, Failure *failure = nullptr)
{
    detail::Call call(failure);
    xncc_image part = {};
    call.succeeds(xncc_image_crop(&image, x, y, width, height, &part, call.error()));
    return part;
}

// A map and its memory.
struct Map {
    std::int32_t width = 0, height = 0; // elements
    std::int32_t x0 = 0, y0 = 0;        // the top-left pixel of the window of element (0, 0)
    std::vector<float> scores;          // row by row

    float at(std::int32_t x, std::int32_t y) const
    {
        return scores[std::size_t(y) * std::size_t(width) + std::size_t(x)];
    }
    xncc_map view() noexcept
    {
        return { scores.data(), width, height, 0, XNCC_HOST };
    }
};

namespace detail {

inline Map make_map(const xncc_extent &extent)
{
    return { extent.width, extent.height, extent.x0, extent.y0,
             std::vector<float>(std::size_t(extent.width) * std::size_t(extent.height)) };
}

} // namespace detail

} // namespace exactncc

#endif
