// exactncc in C++: matching and convolution in one call.
// SPDX-License-Identifier: BSD-2-Clause
#ifndef EXACTNCC_CPP_FIND_HPP
#define EXACTNCC_CPP_FIND_HPP

#include "../refine.h"
#include "objects.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace exactncc {

namespace detail {

// Calls search(match, room, &found) with more and more room until all matches, or the first `top`,
// have found room. search returns whether it succeeded.
template <class Match, class Search>
std::vector<Match> with_room(std::size_t top, const Search &search)
{
    std::vector<Match> list;
    for (std::size_t room = std::min<std::size_t>(top, 1024);;) {
        std::size_t found = 0;
        list.clear();
        list.resize(room);
        if (!search(list.data(), room, &found))
            found = 0;
        if (found < room || room == top) {
            list.resize(found);
            return list;
        }
        room = room > top / 8 ? top : 8 * room;
    }
}

} // namespace detail

inline xncc_method parse_method(const std::string &name, Failure *failure = nullptr)
{
    detail::Call call(failure);
    xncc_method method = XNCC_CCOEFF_NORMED;
    call.succeeds(xncc_method_parse(name.c_str(), &method, call.error()));
    return method;
}

inline xncc_extent measure_map(xncc_mode mode, std::int32_t image_width, std::int32_t image_height,
                               std::int32_t templ_width, std::int32_t templ_height,
                               Failure *failure = nullptr)
{
    detail::Call call(failure);
    xncc_extent extent = {};
    call.succeeds(xncc_map_measure(mode, image_width, image_height, templ_width, templ_height,
                                   &extent, call.error()));
    return extent;
}

namespace detail {

// The extents of the map of an image and a template. They are 0 after a failure, and if the
// template is empty.
inline xncc_extent measure(const xncc_image &image, const Template &templ, xncc_mode mode,
                           Failure *failure)
{
    if (failure)
        *failure = Failure();
    return templ ? measure_map(mode, image.width, image.height, templ.width(), templ.height(),
                               failure)
                 : xncc_extent{ 0, 0, 0, 0 };
}

} // namespace detail

// Writes the scores to a map of the caller.
inline void correlate(const Context &context, const xncc_image &image, const Template &templ,
                      const xncc_map &map, const CorrelateOptions &options = {},
                      Failure *failure = nullptr)
{
    detail::Call call(failure);
    call.succeeds(xncc_correlate(context.get(), &image, templ.get(), &options, &map, call.error()));
}

// Returns the scores in host memory.
inline Map correlate(const Context &context, const xncc_image &image, const Template &templ,
                     const CorrelateOptions &options = {}, Failure *failure = nullptr)
{
    Map map = detail::make_map(detail::measure(image, templ, options.rule.mode, failure));
    if (failure && *failure)
        return map;
    correlate(context, image, templ, map.view(), options, failure); // refuses an empty template
    return failure && *failure ? Map() : map;
}

// Returns the matches, best first: options.peaks.top of them, or with XNCC_ALL all there are. If
// there are more than about 1000 the image is searched again, with room for more.
inline std::vector<xncc_match> find(const Context &context, const xncc_image &image,
                                    const Template &templ, const FindOptions &options = {},
                                    Failure *failure = nullptr)
{
    detail::Call call(failure);
    return detail::with_room<xncc_match>(
        options.peaks.top, [&](xncc_match *match, std::size_t room, std::size_t *found) {
            return call.succeeds(xncc_find(context.get(), &image, templ.get(), &options, match,
                                           room, found, call.error()));
        });
}

inline std::vector<xncc_refined> refine(const Context &context, const xncc_image &image,
                                        const Template &templ, span<const xncc_match> match,
                                        const MatchRule &rule = {}, Failure *failure = nullptr)
{
    detail::Call call(failure);
    std::vector<xncc_refined> refined(match.size());
    if (!call.succeeds(xncc_refine(context.get(), &image, templ.get(), &rule, match.data(),
                                   match.size(), refined.data(), call.error())))
        refined.clear();
    return refined;
}

// Writes the result to a map of the caller.
inline void convolve(const Context &context, const xncc_image &image, const Filter &filter,
                     const xncc_map &out, const ConvolveOptions &options = {},
                     Failure *failure = nullptr)
{
    detail::Call call(failure);
    call.succeeds(xncc_convolve(context.get(), &image, filter.get(), &options, &out, call.error()));
}

// Returns the result in host memory.
inline Map convolve(const Context &context, const xncc_image &image, const Filter &filter,
                    const ConvolveOptions &options = {}, Failure *failure = nullptr)
{
    const bool legal = image.width > 0 && image.height > 0;
    Map out = detail::make_map({ legal ? image.width : 0, legal ? image.height : 0, 0, 0 });
    convolve(context, image, filter, out.view(), options, failure);
    return failure && *failure ? Map() : out;
}

} // namespace exactncc

#endif
