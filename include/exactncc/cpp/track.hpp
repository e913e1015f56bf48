// exactncc in C++: where the parts of one image are in another.
// SPDX-License-Identifier: BSD-2-Clause
#ifndef EXACTNCC_CPP_TRACK_HPP
#define EXACTNCC_CPP_TRACK_HPP

#include "../track.h"
#include "objects.hpp"
#include "span.hpp"

#include <vector>

namespace exactncc {

// Tracks points in several pairs of images that have the same displacements.
inline std::vector<xncc_displacement> track(const Context &context,
                                            span<const xncc_track_pair> pairs,
                                            span<const xncc_track_point> points,
                                            const TrackOptions &options = {},
                                            Failure *failure = nullptr)
{
    detail::Call call(failure);
    std::vector<xncc_displacement> found(points.size());
    if (!call.succeeds(xncc_track(context.get(), pairs.data(), pairs.size(), &options,
                                  points.data(), points.size(), found.data(), call.error())))
        found.clear();
    return found;
}

// Tracks points from image1 to image2.
inline std::vector<xncc_displacement> track(const Context &context, const xncc_image &image1,
                                            const xncc_image &image2,
                                            span<const xncc_track_point> points,
                                            const TrackOptions &options = {},
                                            Failure *failure = nullptr)
{
    const xncc_track_pair pair = { &image1, &image2 };
    return track(context, span<const xncc_track_pair>(&pair, 1), points, options, failure);
}

// Tracks points in images that are read by rows.
inline std::vector<xncc_displacement> track(const Context &context, const TrackSource &source,
                                            span<const xncc_track_point> points,
                                            const TrackOptions &options = {},
                                            Failure *failure = nullptr)
{
    detail::Call call(failure);
    std::vector<xncc_displacement> found(points.size());
    if (!call.succeeds(xncc_track_rows(context.get(), &source, &options, points.data(),
                                       points.size(), found.data(), call.error())))
        found.clear();
    return found;
}

// Marks or replaces outliers.
inline void check_tracks(std::vector<xncc_displacement> &found,
                         const TrackCheckOptions &options = {}, Failure *failure = nullptr)
{
    detail::Call call(failure);
    call.succeeds(xncc_track_check(&options, found.data(), found.size(), call.error()));
}

} // namespace exactncc

#endif
