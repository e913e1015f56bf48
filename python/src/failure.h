// Failures of the library as Python exceptions. SPDX-License-Identifier: BSD-2-Clause
#pragma once

#include <exactncc/exactncc.h>
#include <nanobind/nanobind.h>

#include <exception>
#include <string>

namespace nb = nanobind;

namespace binding {

// A failed call. Python receives the class of exactncc._errors that belongs to the status.
class Failure : public std::exception {
  public:
    Failure(xncc_status status, std::string text) : status_(status), text_(std::move(text))
    {
    }
    xncc_status status() const
    {
        return status_;
    }
    const char *what() const noexcept override
    {
        return text_.c_str();
    }

  private:
    xncc_status status_;
    std::string text_;
};

inline void check(xncc_status status, const xncc_error &error)
{
    if (status)
        throw Failure(status, error.text);
}

void bind_failures(nb::module_ &m);

} // namespace binding
