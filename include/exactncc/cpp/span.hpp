// exactncc in C++: borrowed views of adjacent elements.
// SPDX-License-Identifier: BSD-2-Clause
#ifndef EXACTNCC_CPP_SPAN_HPP
#define EXACTNCC_CPP_SPAN_HPP

#include <cstddef>
#include <iterator>
#include <type_traits>
#if __cplusplus >= 202002L
#include <span>
#endif

namespace exactncc {

#if __cplusplus >= 202002L
template <class T> using span = std::span<T>;
#else
// A borrowed view of adjacent elements, with the part of std::span that the calls below need.
template <class T> class span {
  public:
    constexpr span() noexcept = default;
    constexpr span(T *data, std::size_t size) noexcept : data_(data), size_(size)
    {
    }
    // Of a container or an array whose elements are T, or T without const.
    template <class Range,
              class Element = std::remove_pointer_t<decltype(std::data(std::declval<Range &>()))>,
              class = std::enable_if_t<std::is_convertible_v<Element (*)[], T (*)[]>>>
    constexpr span(Range &&range) noexcept : data_(std::data(range)), size_(std::size(range))
    {
    }
    constexpr T *data() const noexcept
    {
        return data_;
    }
    constexpr std::size_t size() const noexcept
    {
        return size_;
    }
    constexpr bool empty() const noexcept
    {
        return size_ == 0;
    }
    constexpr T *begin() const noexcept
    {
        return data_;
    }
    constexpr T *end() const noexcept
    {
        return data_ + size_;
    }
    constexpr T &operator[](std::size_t index) const
    {
        return data_[index];
    }

  private:
    T *data_ = nullptr;
    std::size_t size_ = 0;
};
#endif

} // namespace exactncc

#endif
