// Arrays by DLPack. SPDX-License-Identifier: BSD-2-Clause
#include "view.h"

#include <cstdio> // nanobind/ndarray.h needs it

#include <nanobind/ndarray.h>

namespace binding {

namespace {

// What a DLPack capsule describes. The capsule's memory is kept until this object is freed.
class Tensor {
  public:
    explicit Tensor(nb::handle capsule)
    {
        if (!PyCapsule_CheckExact(capsule.ptr()) || !nb::try_cast(capsule, array_))
            throw Failure(XNCC_ERROR_ARGUMENT, "this is no DLPack capsule, or it is used already");
    }
    uint64_t address() const
    {
        return uint64_t(uintptr_t(array_.data_handle())) + array_.byte_offset();
    }
    // In elements, not in bytes.
    nb::tuple strides() const
    {
        nb::list all;
        for (size_t i = 0; i < array_.ndim(); i++)
            all.append(array_.stride(i));
        return nb::tuple(all);
    }

  private:
    nb::ndarray<nb::ro> array_;
};

} // namespace

void bind_tensors(nb::module_ &m)
{
    nb::class_<Tensor>(m, "Tensor")
        .def(nb::init<nb::handle>(), nb::arg("capsule"))
        .def_prop_ro("address", &Tensor::address)
        .def_prop_ro("strides", &Tensor::strides);
}

} // namespace binding
