// Views of arrays, which keep the arrays alive. SPDX-License-Identifier: BSD-2-Clause
#pragma once

#include "failure.h"

#include <nanobind/stl/optional.h>

namespace binding {

// A buffer of an object, held until the end of its scope.
class Buffer {
  public:
    Buffer() = default;
    ~Buffer();
    Buffer(const Buffer &) = delete;
    Buffer &operator=(const Buffer &) = delete;

    // Asks an object for its buffer. Returns false if it has none of this kind.
    bool get(nb::handle object, bool writable);
    // The same for an array that the package made, which has one.
    void get_own(nb::handle array, bool writable);
    // The letter of a native type, as in the module struct; 0 for any other.
    char format() const;
    // Whether the samples of a row are adjacent and the rows one after the other; so that a view
    // without a copy is possible.
    bool has_rows() const;

    const Py_buffer &operator*() const
    {
        return buffer_;
    }
    const Py_buffer *operator->() const
    {
        return &buffer_;
    }

  private:
    Py_buffer buffer_{};
};

// An image in host memory or on a device.
class Image {
  public:
    // Makes a view of an array in host memory, rows x columns or rows x columns x channels. Returns
    // false if the type or the strides do not allow a view.
    bool set(nb::handle array, nb::handle mask, std::optional<double> no_data);
    // Makes a view of device memory that `owner` keeps.
    void set_device(uint64_t data, const xncc_image &layout, uint64_t mask, nb::object owner);

    const xncc_image &view() const
    {
        return view_;
    }
    // Of device memory; invalid for host memory.
    const nb::object &owner() const
    {
        return owner_;
    }

  private:
    xncc_image view_{};
    Buffer data_, mask_;
    nb::object owner_;
};

// A map that a call writes.
class Map {
  public:
    bool set(nb::handle array);
    void set_device(uint64_t data, int32_t width, int32_t height, int64_t pitch, nb::object owner);

    const xncc_map &view() const
    {
        return view_;
    }

  private:
    xncc_map view_{};
    Buffer data_;
    nb::object owner_;
};

void bind_views(nb::module_ &m);
void bind_tensors(nb::module_ &m);

} // namespace binding
