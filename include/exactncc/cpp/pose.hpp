// exactncc in C++: templates at any rotation and scale. SPDX-License-Identifier: BSD-2-Clause
#ifndef EXACTNCC_CPP_POSE_HPP
#define EXACTNCC_CPP_POSE_HPP

#include "batch.hpp"
#include "find.hpp"

namespace exactncc {

// Returns the matches, best first: options.top of them, or with XNCC_ALL all there are. If there
// are more than about 1000 the image is searched again, with room for more.
inline std::vector<xncc_pose_match> find_poses(const Context &context, const xncc_image &image,
                                               span<const Template> templates,
                                               const PoseOptions &options = {},
                                               Failure *failure = nullptr)
{
    detail::Call call(failure);
    const std::vector<const xncc_template *> list = detail::pointers(templates);
    return detail::with_room<xncc_pose_match>(
        options.top, [&](xncc_pose_match *match, std::size_t room, std::size_t *found) {
            return call.succeeds(xncc_find_poses(context.get(), &image, list.data(), list.size(),
                                                 &options, match, room, found, call.error()));
        });
}

// The same for one template.
inline std::vector<xncc_pose_match> find_poses(const Context &context, const xncc_image &image,
                                               const Template &templ,
                                               const PoseOptions &options = {},
                                               Failure *failure = nullptr)
{
    return find_poses(context, image, span<const Template>(&templ, 1), options, failure);
}

} // namespace exactncc

#endif
