// exactncc in C++: one list of the matches of several templates.
// SPDX-License-Identifier: BSD-2-Clause
#ifndef EXACTNCC_CPP_SUPPRESS_HPP
#define EXACTNCC_CPP_SUPPRESS_HPP

#include "../suppress.h"
#include "objects.hpp"

#include <cstdint>
#include <vector>

namespace exactncc {

// Returns what is kept of the candidates, best first.
inline std::vector<xncc_candidate> suppress(xncc_method method,
                                            std::vector<xncc_candidate> candidates,
                                            const SuppressRule &rule = {},
                                            Failure *failure = nullptr)
{
    detail::Call call(failure);
    std::size_t kept = 0;
    call.succeeds(
        xncc_suppress(method, candidates.data(), candidates.size(), &rule, &kept, call.error()));
    candidates.resize(kept);
    return candidates;
}

class Suppressor {
  public:
    Suppressor() noexcept = default;
    Suppressor(const Context &context, std::size_t room, Failure *failure = nullptr)
    {
        detail::Call call(failure);
        xncc_suppressor *made = nullptr;
        if (call.succeeds(xncc_suppressor_create(context.get(), room, &made, call.error())))
            handle_ = Handle(made, { context.share() });
    }
    explicit operator bool() const noexcept
    {
        return bool(handle_);
    }
    xncc_suppressor *get() const noexcept
    {
        return handle_.get();
    }
    void clear(xncc_stream stream = nullptr, Failure *failure = nullptr)
    {
        detail::Call call(failure);
        call.succeeds(xncc_suppressor_clear(get(), stream, call.error()));
    }
    // Adds the *found matches of template number `number`, all in device memory.
    void add(const xncc_match *match, const std::uint32_t *found, std::int32_t number,
             const Template &templ, xncc_stream stream = nullptr, Failure *failure = nullptr)
    {
        detail::Call call(failure);
        call.succeeds(xncc_suppressor_add(get(), match, found, number, templ ? templ.width() : 0,
                                          templ ? templ.height() : 0, stream, call.error()));
    }
    // candidates: in device memory.
    void add(span<const xncc_candidate> candidates, xncc_stream stream = nullptr,
             Failure *failure = nullptr)
    {
        detail::Call call(failure);
        call.succeeds(xncc_suppressor_add_candidates(get(), candidates.data(), candidates.size(),
                                                     stream, call.error()));
    }
    // result, kept: in device memory.
    void run(xncc_method method, span<xncc_candidate> result, std::uint32_t *kept,
             const SuppressRule &rule = {}, xncc_stream stream = nullptr,
             Failure *failure = nullptr)
    {
        detail::Call call(failure);
        call.succeeds(xncc_suppressor_run(get(), method, &rule, result.data(), result.size(), kept,
                                          stream, call.error()));
    }

  private:
    using Handle = detail::Owner<xncc_suppressor, xncc_suppressor_destroy>;
    Handle handle_;
};

} // namespace exactncc

#endif
