// exactncc in C++: several templates on one image.
// SPDX-License-Identifier: BSD-2-Clause
#ifndef EXACTNCC_CPP_BATCH_HPP
#define EXACTNCC_CPP_BATCH_HPP

#include "../batch.h"
#include "plan.hpp"
#include "suppress.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace exactncc {

namespace detail {

inline std::vector<const xncc_template *> pointers(span<const Template> templates)
{
    std::vector<const xncc_template *> list;
    for (const Template &templ : templates)
        list.push_back(templ.get());
    return list;
}

} // namespace detail

// Returns the matches of all templates as one list, best first: options.peaks.top of each template,
// or with XNCC_ALL all there are. suppress_rule: nullptr: no match is suppressed. If there are more
// than about 1000 the image is searched again, with room for more.
inline std::vector<xncc_candidate> find_batch(const Context &context, const xncc_image &image,
                                              span<const Template> templates,
                                              const FindOptions &options = {},
                                              const xncc_suppress_rule *suppress_rule = nullptr,
                                              Failure *failure = nullptr)
{
    detail::Call call(failure);
    const std::vector<const xncc_template *> list = detail::pointers(templates);
    // A list that is full may lack matches of any template. So suppression waits until one is not.
    const std::size_t top = options.peaks.top, count = std::max<std::size_t>(list.size(), 1);
    std::vector<xncc_candidate> matches = detail::with_room<xncc_candidate>(
        top > XNCC_ALL / count ? XNCC_ALL : top * count,
        [&](xncc_candidate *match, std::size_t room, std::size_t *found) {
            return call.succeeds(xncc_find_batch(context.get(), &image, list.data(), list.size(),
                                                 &options, nullptr, match, room, found,
                                                 call.error()));
        });
    if (!suppress_rule || (failure && *failure))
        return matches;
    return suppress(options.rule.method, std::move(matches), *suppress_rule, failure);
}

// The best template at each position (xncc_batch_best), and its memory.
struct Best {
    Map score;                       // x0 and y0 are 0
    std::vector<std::int32_t> index; // as score.scores; -1: none

    xncc_best view() noexcept
    {
        return { score.view(), index.data(), 0 };
    }
};

// Templates bound to plans and workspace, for many images of one size. One thread at a time may use
// it.
class Batch {
  public:
    Batch() noexcept = default;
    // problem: of the image alone; Batch sets the sizes and masks of its templates to 0.
    Batch(const Context &context, Problem problem, span<const Template> templates,
          const BatchOptions &options = {}, const Preference &preference = {},
          Failure *failure = nullptr)
        : mode_(problem.rule.mode), width_(problem.image_width), height_(problem.image_height),
          capacity_(options.capacity)
    {
        detail::Call call(failure);
        using Needs = std::pair<Context, std::vector<Template>>;
        auto needs = std::make_shared<const Needs>(
            context, std::vector<Template>(templates.begin(), templates.end()));
        const std::vector<const xncc_template *> list = detail::pointers(needs->second);
        problem.templ_width = problem.templ_height = problem.templ_masked = 0;
        xncc_batch *made = nullptr;
        if (!call.succeeds(xncc_batch_create(context.get(), &problem, &preference, list.data(),
                                             list.size(), &options, &made, call.error())))
            return;
        for (const Template &templ : needs->second) {
            smallest_width_ = std::min(smallest_width_, templ.width());
            smallest_height_ = std::min(smallest_height_, templ.height());
        }
        handle_ = Handle(made, { std::move(needs) });
    }
    explicit operator bool() const noexcept
    {
        return bool(handle_);
    }
    xncc_batch *get() const noexcept
    {
        return handle_.get();
    }
    xncc_plan_info describe(std::size_t number, Failure *failure = nullptr) const
    {
        detail::Call call(failure);
        xncc_plan_info info = XNCC_PLAN_INFO_INIT;
        call.succeeds(xncc_batch_describe(get(), number, &info, call.error()));
        return info;
    }
    std::vector<xncc_candidate> find(const xncc_image &image, xncc_stream stream = nullptr,
                                     Failure *failure = nullptr)
    {
        detail::Call call(failure);
        std::vector<xncc_candidate> match(capacity_);
        std::size_t found = 0;
        call.succeeds(xncc_batch_find(get(), &image, match.data(), &found, stream, call.error()));
        match.resize(found);
        return match;
    }
    // Writes the maps to memory of the caller.
    void best(const xncc_image &image, const xncc_best &maps, xncc_stream stream = nullptr,
              Failure *failure = nullptr)
    {
        detail::Call call(failure);
        call.succeeds(xncc_batch_best(get(), &image, &maps, stream, call.error()));
    }
    // Returns the maps in host memory.
    Best best(const xncc_image &image, xncc_stream stream = nullptr, Failure *failure = nullptr)
    {
        const bool same = mode_ == XNCC_SAME;
        const std::int32_t width = same ? width_ : std::max(width_ - smallest_width_ + 1, 0);
        const std::int32_t height = same ? height_ : std::max(height_ - smallest_height_ + 1, 0);
        Best maps;
        maps.score = detail::make_map({ width, height, 0, 0 });
        maps.index.resize(maps.score.scores.size());
        best(image, maps.view(), stream, failure); // refuses an empty batch, and the mode full
        return failure && *failure ? Best() : maps;
    }

  private:
    using Handle = detail::Owner<xncc_batch, xncc_batch_destroy>;
    xncc_mode mode_ = XNCC_VALID;
    std::int32_t width_ = 0, height_ = 0;
    std::int32_t smallest_width_ = XNCC_MAX_SIDE, smallest_height_ = XNCC_MAX_SIDE;
    std::size_t capacity_ = 0;
    Handle handle_;
};

} // namespace exactncc

#endif
