// exactncc in C++: how a call fails, and how objects are freed.
// SPDX-License-Identifier: BSD-2-Clause
#ifndef EXACTNCC_CPP_FAILURE_HPP
#define EXACTNCC_CPP_FAILURE_HPP

#include "../status.h"

#include <exception>
#include <memory>
#include <stdexcept>

namespace exactncc {

namespace detail {
class Call;
}

// Whether a call failed, and why. Every call that is given one overwrites it.
class Failure {
  public:
    // true: the call failed.
    explicit operator bool() const noexcept
    {
        return status_ != XNCC_OK;
    }
    xncc_status status() const noexcept
    {
        return status_;
    }
    // One line that says what was wrong and what to do; "" after a success.
    const char *text() const noexcept
    {
        return error_.text;
    }

  private:
    friend class detail::Call;
    xncc_status status_ = XNCC_OK;
    xncc_error error_ = {};
};

// A failure that was thrown. what() is its text.
class Error : public std::runtime_error {
  public:
    explicit Error(const Failure &failure)
        : std::runtime_error(failure.text()), status_(failure.status())
    {
    }
    xncc_status status() const noexcept
    {
        return status_;
    }

  private:
    xncc_status status_;
};

namespace detail {

// Where the outcome of one call goes: to the caller's Failure, or up as an Error.
class Call {
  public:
    explicit Call(Failure *failure) noexcept : to_(failure ? failure : &own_)
    {
        *to_ = Failure();
    }
    Call(const Call &) = delete;
    Call &operator=(const Call &) = delete;

    xncc_error *error() noexcept
    {
        return &to_->error_;
    }

    // Takes the status of a C call that was given error(). Returns whether it succeeded.
    bool succeeds(xncc_status status)
    {
        to_->status_ = status;
        if (status != XNCC_OK && to_ == &own_)
            raise();
        return status == XNCC_OK;
    }

  private:
    [[noreturn]] void raise() const
    {
#if defined(__cpp_exceptions)
        throw Error(own_);
#else
        std::terminate();
#endif
    }

    Failure own_;
    Failure *to_;
};

// Frees an object of the C library, and afterwards lets go of what the object needs.
template <auto destroy> struct Destroy {
    std::shared_ptr<const void> needs;

    template <class Object> void operator()(Object *object) const noexcept
    {
        destroy(object);
    }
};

template <class Object, auto destroy> using Owner = std::unique_ptr<Object, Destroy<destroy>>;

} // namespace detail

} // namespace exactncc

#endif
