// exactncc in C++: plans, and scans of images whose rows are still arriving.
// SPDX-License-Identifier: BSD-2-Clause
#ifndef EXACTNCC_CPP_PLAN_HPP
#define EXACTNCC_CPP_PLAN_HPP

#include "../parts.h"
#include "../plan.h"
#include "../scan.h"
#include "find.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace exactncc {

// The problem of matching a template in images like this one.
inline Problem problem(const xncc_image &image, const Template &templ, const MatchRule &rule = {},
                       Failure *failure = nullptr)
{
    detail::Call call(failure);
    Problem result;
    result.rule = rule;
    call.succeeds(xncc_problem_set(&result, &image, templ.get(), call.error()));
    return result;
}

// A problem bound to an engine, a kernel and a workspace. One thread at a time may use it.
class Plan {
  public:
    Plan() noexcept = default;
    Plan(const Context &context, const Problem &problem, const Preference &preference = {},
         Failure *failure = nullptr)
    {
        detail::Call call(failure);
        xncc_plan *made = nullptr;
        if (call.succeeds(
                xncc_plan_create(context.get(), &problem, &preference, &made, call.error())))
            handle_.reset(made, detail::Destroy<xncc_plan_destroy>{ context.share() });
    }
    Plan(Plan &&) noexcept = default;
    Plan &operator=(Plan &&) noexcept = default;
    explicit operator bool() const noexcept
    {
        return bool(handle_);
    }
    xncc_plan *get() const noexcept
    {
        return handle_.get();
    }
    // "" for an empty plan.
    std::string explain() const
    {
        char text[2048] = "";
        return handle_ ? xncc_plan_explain(get(), text, sizeof text) : text;
    }
    xncc_plan_info describe(Failure *failure = nullptr) const
    {
        detail::Call call(failure);
        xncc_plan_info info = XNCC_PLAN_INFO_INIT;
        call.succeeds(xncc_plan_describe(get(), &info, call.error()));
        return info;
    }
    void correlate(const xncc_image &image, const Template &templ, const xncc_map &map,
                   xncc_stream stream = nullptr, Failure *failure = nullptr)
    {
        detail::Call call(failure);
        call.succeeds(xncc_plan_correlate(get(), &image, templ.get(), &map, stream, call.error()));
    }
    // As exactncc::find.
    std::vector<xncc_match> find(const xncc_image &image, const Template &templ,
                                 const PeakRule &peaks = {}, xncc_stream stream = nullptr,
                                 Failure *failure = nullptr)
    {
        detail::Call call(failure);
        return detail::with_room<xncc_match>(
            peaks.top, [&](xncc_match *match, std::size_t room, std::size_t *found) {
                return call.succeeds(xncc_plan_find(get(), &image, templ.get(), &peaks, match, room,
                                                    found, stream, call.error()));
            });
    }
    // Writes the matches to the caller's array, of host memory, and returns their number.
    std::size_t find_into(const xncc_image &image, const Template &templ, span<xncc_match> match,
                          const PeakRule &peaks = {}, xncc_stream stream = nullptr,
                          Failure *failure = nullptr)
    {
        detail::Call call(failure);
        std::size_t found = 0;
        call.succeeds(xncc_plan_find(get(), &image, templ.get(), &peaks, match.data(), match.size(),
                                     &found, stream, call.error()));
        return found;
    }
    // The matches of each of several images. On a GPU, tell the plan how many images come at a time
    // (xncc_preference::images).
    std::vector<std::vector<xncc_match>>
    find_images(span<const xncc_image> images, const Template &templ, const PeakRule &peaks = {},
                xncc_stream stream = nullptr, Failure *failure = nullptr)
    {
        detail::Call call(failure);
        std::vector<std::vector<xncc_match>> result(images.size());
        std::vector<std::size_t> found(images.size());
        std::vector<xncc_match> match;
        std::size_t room = std::min<std::size_t>(peaks.top, 64), most = 0;
        for (;;) {
            match.resize(room * images.size());
            if (!call.succeeds(xncc_plan_find_images(get(), images.data(), images.size(),
                                                     templ.get(), &peaks, match.data(), room,
                                                     found.data(), stream, call.error())))
                return result;
            for (std::size_t count : found)
                most = std::max(most, count);
            if (most < room || room == peaks.top)
                break;
            room = room > peaks.top / 8 ? peaks.top : 8 * room;
        }
        for (std::size_t i = 0; i < result.size(); i++)
            result[i].assign(match.data() + i * room, match.data() + i * room + found[i]);
        return result;
    }
    // A part that one of several devices holds (exactncc/parts.h). number: 0 .. describe().devices
    // - 1.
    xncc_part part(std::int32_t number, Failure *failure = nullptr) const
    {
        detail::Call call(failure);
        xncc_part part = XNCC_PART_INIT;
        call.succeeds(xncc_plan_part(get(), number, &part, call.error()));
        return part;
    }
    // images, maps: one per part. streams: one per part, or none for the default streams.
    void correlate_parts(span<const xncc_image> images, const Template &templ,
                         span<const xncc_map> maps, span<const xncc_stream> streams = {},
                         Failure *failure = nullptr)
    {
        detail::Call call(failure);
        const std::size_t count = std::min(count_of(images, streams), maps.size());
        call.succeeds(xncc_plan_correlate_parts(get(), images.data(), count, templ.get(),
                                                maps.data(), streams.data(), call.error()));
    }
    std::vector<xncc_match> find_parts(span<const xncc_image> images, const Template &templ,
                                       const PeakRule &peaks = {},
                                       span<const xncc_stream> streams = {},
                                       Failure *failure = nullptr)
    {
        detail::Call call(failure);
        const std::size_t count = count_of(images, streams);
        return detail::with_room<xncc_match>(
            peaks.top, [&](xncc_match *match, std::size_t room, std::size_t *found) {
                return call.succeeds(xncc_plan_find_parts(get(), images.data(), count, templ.get(),
                                                          &peaks, match, room, found,
                                                          streams.data(), call.error()));
            });
    }
    // match, found: in device memory.
    void find_on_device(const xncc_image &image, const Template &templ, span<xncc_match> match,
                        std::uint32_t *found, const PeakRule &peaks = {},
                        xncc_stream stream = nullptr, Failure *failure = nullptr)
    {
        detail::Call call(failure);
        call.succeeds(xncc_plan_find_on_device(get(), &image, templ.get(), &peaks, match.data(),
                                               match.size(), found, stream, call.error()));
    }
    void convolve(const xncc_image &image, const Filter &filter, const xncc_map &out,
                  xncc_stream stream = nullptr, Failure *failure = nullptr)
    {
        detail::Call call(failure);
        call.succeeds(xncc_plan_convolve(get(), &image, filter.get(), &out, stream, call.error()));
    }

  private:
    friend class Scan; // keeps the plan alive

    // The number of parts: the call refuses it if it is not that of the plan.
    static std::size_t count_of(span<const xncc_image> images, span<const xncc_stream> streams)
    {
        return streams.size() > 0 ? std::min(images.size(), streams.size()) : images.size();
    }
    std::shared_ptr<xncc_plan> handle_;
};

// Every kernel of the library.
inline std::vector<xncc_kernel_info> kernels()
{
    std::vector<xncc_kernel_info> list(xncc_kernel_count(), XNCC_KERNEL_INFO_INIT);
    detail::Call call(nullptr);
    for (std::size_t i = 0; i < list.size(); i++)
        call.succeeds(xncc_kernel_describe(i, &list[i], call.error()));
    return list;
}

// The names of those that can serve a problem, fastest first.
inline std::vector<const char *> kernels(const Context &context, const Problem &problem)
{
    std::vector<const char *> names(xncc_kernel_list(context.get(), &problem, nullptr, 0));
    names.resize(std::min(names.size(),
                          xncc_kernel_list(context.get(), &problem, names.data(), names.size())));
    return names;
}

// A search of an image whose rows are still arriving.
class Scan {
  public:
    Scan() noexcept = default;
    // capacity: the largest number of matches.
    Scan(Plan &plan, const xncc_image &image, const Template &templ, std::size_t capacity,
         const PeakRule &peaks = {}, Failure *failure = nullptr)
        : capacity_(capacity)
    {
        detail::Call call(failure);
        xncc_scan *made = nullptr;
        using Needs = std::pair<Template, std::shared_ptr<xncc_plan>>;
        auto needs = std::make_shared<const Needs>(templ, plan.handle_);
        if (call.succeeds(xncc_scan_create(plan.get(), &image, templ.get(), &peaks, capacity, &made,
                                           call.error())))
            handle_ = Handle(made, { std::move(needs) });
    }
    explicit operator bool() const noexcept
    {
        return bool(handle_);
    }
    void rows(std::int32_t count, Failure *failure = nullptr)
    {
        detail::Call call(failure);
        call.succeeds(xncc_scan_rows(handle_.get(), count, call.error()));
    }
    std::vector<xncc_match> finish(xncc_stream stream = nullptr, Failure *failure = nullptr)
    {
        detail::Call call(failure);
        std::vector<xncc_match> match(capacity_);
        std::size_t found = 0;
        call.succeeds(xncc_scan_finish(handle_.get(), match.data(), &found, stream, call.error()));
        match.resize(found);
        return match;
    }

  private:
    using Handle = detail::Owner<xncc_scan, xncc_scan_destroy>;
    std::size_t capacity_ = 0;
    Handle handle_;
};

} // namespace exactncc

#endif
