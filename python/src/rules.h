// The rules of matching and searching, and templates. SPDX-License-Identifier: BSD-2-Clause
#pragma once

#include "context.h"
#include "view.h"

#include <memory>
#include <string>

namespace binding {

using Kernel = std::optional<std::string>;

inline const char *text_or_null(const Kernel &kernel)
{
    return kernel ? kernel->c_str() : nullptr;
}

struct Rule {
    xncc_match_rule c;
};

// Which positions are matches.
struct Peaks {
    xncc_peak_rule c;

    // Room for all matches of a map of this extent.
    size_t capacity(const xncc_extent &extent, const xncc_template *templ) const;
};

// A template and its context, which outlives it.
class Template {
  public:
    Template(std::shared_ptr<Context> context, const Image &pixels);
    ~Template();
    Template(const Template &) = delete;
    Template &operator=(const Template &) = delete;

    const xncc_template *get() const
    {
        return templ_;
    }
    int32_t width() const
    {
        return xncc_template_width(templ_);
    }
    int32_t height() const
    {
        return xncc_template_height(templ_);
    }

  private:
    std::shared_ptr<Context> context_;
    xncc_template *templ_ = nullptr;
};

xncc_extent measure(const Rule &rule, const xncc_image &image, const Template &templ);
Effort effort_of(const xncc_image &image, double templ_pixels, nb::handle progress);

// A list of matches of one template as bytes: an array of xncc_candidate.
nb::object candidates_of(const xncc_match *match, size_t count, const Template &templ);
// Uninitialized memory for `count` things, with a failure that says what they are.
template <class T> std::unique_ptr<T[]> room_for(size_t count, const char *what)
{
    std::unique_ptr<T[]> room(new (std::nothrow) T[count ? count : 1]);
    if (!room)
        throw Failure(XNCC_ERROR_MEMORY, "no memory for " + std::to_string(count) + " " + what +
                                             "; give a smaller top");
    return room;
}

void bind_rules(nb::module_ &m);

} // namespace binding
