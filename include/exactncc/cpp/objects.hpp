// exactncc in C++: contexts, templates and filters.
// SPDX-License-Identifier: BSD-2-Clause
#ifndef EXACTNCC_CPP_OBJECTS_HPP
#define EXACTNCC_CPP_OBJECTS_HPP

#include "../context.h"
#include "../convolve.h"
#include "../template.h"
#include "image.hpp"
#include "options.hpp"
#include "span.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace exactncc {

// The engines and their threads. Several threads at once may use it.
class Context {
  public:
    explicit Context(const ContextOptions &options = {}, Failure *failure = nullptr)
    {
        detail::Call call(failure);
        xncc_context *made = nullptr;
        if (call.succeeds(xncc_context_create(&options, &made, call.error())))
            handle_.reset(made, detail::Destroy<xncc_context_destroy>());
    }
    explicit operator bool() const noexcept
    {
        return bool(handle_);
    }
    xncc_context *get() const noexcept
    {
        return handle_.get();
    }
    // Keeps the context alive, for owners beside those of this header.
    const std::shared_ptr<xncc_context> &share() const noexcept
    {
        return handle_;
    }
    double progress() const noexcept
    {
        return xncc_context_progress(get());
    }
    void cancel() const noexcept
    {
        xncc_context_cancel(get());
    }
    // Which of several devices the context has stopped using, and why; "": none.
    std::string warning() const
    {
        char text[XNCC_ERROR_SIZE];
        return xncc_context_warning(get(), text, sizeof text);
    }

  private:
    std::shared_ptr<xncc_context> handle_;
};

// The CPU, and every CUDA device.
inline std::vector<xncc_device_info> devices()
{
    std::vector<xncc_device_info> list(xncc_device_count(), XNCC_DEVICE_INFO_INIT);
    detail::Call call(nullptr);
    for (std::size_t i = 0; i < list.size(); i++)
        call.succeeds(xncc_device_describe(i, &list[i], call.error()));
    return list;
}

class Template {
  public:
    Template() noexcept = default;
    Template(const Context &context, const xncc_image &pixels, Failure *failure = nullptr)
    {
        detail::Call call(failure);
        xncc_template *made = nullptr;
        if (call.succeeds(xncc_template_create(context.get(), &pixels, &made, call.error())))
            handle_.reset(made, detail::Destroy<xncc_template_destroy>{ context.share() });
    }
    // The template of a pose (xncc_template_resample). context: that of this template.
    Template resample(const Context &context, double angle, double scale,
                      xncc_support support = XNCC_SUPPORT_WHOLE, Failure *failure = nullptr) const
    {
        detail::Call call(failure);
        xncc_template *made = nullptr;
        Template result;
        if (call.succeeds(
                xncc_template_resample(get(), angle, scale, support, &made, call.error())))
            result.handle_.reset(made, detail::Destroy<xncc_template_destroy>{ context.share() });
        return result;
    }
    explicit operator bool() const noexcept
    {
        return bool(handle_);
    }
    const xncc_template *get() const noexcept
    {
        return handle_.get();
    }
    // These must not be asked of an empty template.
    std::int32_t width() const noexcept
    {
        return xncc_template_width(get());
    }
    std::int32_t height() const noexcept
    {
        return xncc_template_height(get());
    }
    xncc_pixel pixel() const noexcept
    {
        return xncc_template_pixel(get());
    }
    std::int32_t channels() const noexcept
    {
        return xncc_template_channels(get());
    }
    bool is_masked() const noexcept
    {
        return xncc_template_is_masked(get()) != 0;
    }

  private:
    std::shared_ptr<xncc_template> handle_;
};

class Filter {
  public:
    Filter() noexcept = default;
    // coefficients: width x height of them, row by row.
    Filter(const Context &context, span<const float> coefficients, std::int32_t width,
           std::int32_t height, const FilterOptions &options = {}, Failure *failure = nullptr)
    {
        detail::Call call(failure);
        const std::int64_t row = std::int64_t(std::max(width, 0)) * std::int64_t(sizeof(float));
        xncc_filter *made = nullptr;
        if (call.succeeds(detail::check_room(coefficients.size() * sizeof(float), row, height, 0,
                                             call.error())) &&
            call.succeeds(xncc_filter_create(context.get(), coefficients.data(), width, height,
                                             &options, &made, call.error())))
            handle_.reset(made, detail::Destroy<xncc_filter_destroy>{ context.share() });
    }
    explicit operator bool() const noexcept
    {
        return bool(handle_);
    }
    const xncc_filter *get() const noexcept
    {
        return handle_.get();
    }

  private:
    std::shared_ptr<xncc_filter> handle_;
};

} // namespace exactncc

#endif
