// SPDX-License-Identifier: BSD-2-Clause
#include "view.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>

#include <cstring>
#include <type_traits>

namespace binding {

namespace {

// The pixel type of the elements of a buffer.
bool pixel_of(char format, Py_ssize_t bytes, xncc_pixel *pixel)
{
    const auto is_one_of = [=](const char *formats) {
        return format && std::strchr(formats, format);
    };
    const bool real = is_one_of("efd"), with_sign = real || is_one_of("bhilq");
    if (!with_sign && !is_one_of("?BHILQ"))
        return false;
#define TRY(value, name, type)                                                                     \
    if (std::is_floating_point_v<type> == real && std::is_signed_v<type> == with_sign &&           \
        Py_ssize_t(sizeof(type)) == bytes) {                                                       \
        *pixel = value;                                                                            \
        return true;                                                                               \
    }
    XNCC_EACH_PIXEL(TRY)
#undef TRY
    return false;
}

bool has_legal_sides(const Py_buffer &b)
{
    return b.shape[0] <= XNCC_MAX_SIDE && b.shape[1] <= XNCC_MAX_SIDE &&
           (b.ndim == 2 || b.shape[2] <= XNCC_MAX_CHANNELS);
}

} // namespace

Buffer::~Buffer()
{
    if (buffer_.obj)
        PyBuffer_Release(&buffer_);
}

bool Buffer::get(nb::handle object, bool writable)
{
    const int flags = PyBUF_STRIDES | PyBUF_FORMAT | (writable ? PyBUF_WRITABLE : 0);
    if (!PyObject_GetBuffer(object.ptr(), &buffer_, flags))
        return true;
    PyErr_Clear(); // says what the object lacks; the caller says what was wanted
    return false;
}

void Buffer::get_own(nb::handle array, bool writable)
{
    if (!get(array, writable))
        throw Failure(XNCC_ERROR_INTERNAL, "an array of the package has no buffer");
}

char Buffer::format() const
{
    const char *f = buffer_.format;
    if (*f == '@')
        f++;
    return f[0] && !f[1] ? f[0] : '\0';
}

bool Buffer::has_rows() const
{
    const Py_buffer &b = buffer_;
    if (b.ndim != 2 && b.ndim != 3)
        return false;
    const Py_ssize_t channels = b.ndim == 3 ? b.shape[2] : 1, pixel = channels * b.itemsize;
    if (!b.shape[0] || !b.shape[1] || !channels || !has_legal_sides(b))
        return false;
    const bool packed = (channels == 1 || b.strides[2] == b.itemsize) &&
                        (b.shape[1] == 1 || b.strides[1] == pixel);
    const bool ordered = b.shape[0] == 1 ||
                         (b.strides[0] >= b.shape[1] * pixel && b.strides[0] % b.itemsize == 0);
    return packed && ordered && reinterpret_cast<uintptr_t>(b.buf) % uintptr_t(b.itemsize) == 0;
}

bool Image::set(nb::handle array, nb::handle mask, std::optional<double> no_data)
{
    if (!data_.get(array, false) || !data_.has_rows() ||
        !pixel_of(data_.format(), data_->itemsize, &view_.pixel))
        return false;
    view_.data = data_->buf;
    view_.height = int32_t(data_->shape[0]);
    view_.width = int32_t(data_->shape[1]);
    view_.channels = data_->ndim == 3 ? int32_t(data_->shape[2]) : 1;
    view_.pitch = data_->shape[0] == 1 ? 0 : data_->strides[0];
    view_.has_no_data = no_data.has_value();
    view_.no_data = no_data.value_or(0.0);
    if (mask.is_none())
        return true;
    if (!mask_.get(mask, false))
        return false;
    const char format = mask_.format();
    if (mask_->ndim != 2 || mask_->shape[0] != data_->shape[0] ||
        mask_->shape[1] != data_->shape[1])
        throw Failure(XNCC_ERROR_ARGUMENT, "the mask must have the rows and columns of its image");
    if (!mask_.has_rows() || (format != '?' && format != 'B'))
        return false;
    view_.mask = static_cast<const uint8_t *>(mask_->buf);
    view_.mask_pitch = mask_->shape[0] == 1 ? 0 : mask_->strides[0];
    return true;
}

void Image::set_device(uint64_t data, const xncc_image &layout, uint64_t mask, nb::object owner)
{
    view_ = layout;
    view_.data = reinterpret_cast<const void *>(uintptr_t(data));
    view_.mask = reinterpret_cast<const uint8_t *>(uintptr_t(mask));
    view_.memory = XNCC_DEVICE;
    owner_ = std::move(owner);
}

bool Map::set(nb::handle array)
{
    if (!data_.get(array, true) || data_->ndim != 2 || data_.format() != 'f' || !data_.has_rows())
        return false;
    view_.data = static_cast<float *>(data_->buf);
    view_.height = int32_t(data_->shape[0]);
    view_.width = int32_t(data_->shape[1]);
    view_.pitch = data_->shape[0] == 1 ? 0 : data_->strides[0];
    view_.memory = XNCC_HOST;
    return true;
}

void Map::set_device(uint64_t data, int32_t width, int32_t height, int64_t pitch, nb::object owner)
{
    view_ = { reinterpret_cast<float *>(uintptr_t(data)), width, height, pitch, XNCC_DEVICE };
    owner_ = std::move(owner);
}

void bind_views(nb::module_ &m)
{
    nb::class_<Image>(m, "Image")
        .def(nb::init<>())
        .def("set", &Image::set, nb::arg("array"), nb::arg("mask").none(),
             nb::arg("no_data").none())
        .def(
            "set_device",
            [](Image &self, uint64_t data, int pixel, std::tuple<int32_t, int32_t, int32_t> shape,
               int64_t pitch, uint64_t mask, int64_t mask_pitch, std::optional<double> no_data,
               nb::object owner) {
                xncc_image layout{};
                layout.pixel = xncc_pixel(pixel);
                std::tie(layout.height, layout.width, layout.channels) = shape;
                layout.pitch = pitch;
                layout.mask_pitch = mask_pitch;
                layout.has_no_data = no_data.has_value();
                layout.no_data = no_data.value_or(0.0);
                self.set_device(data, layout, mask, std::move(owner));
            },
            nb::arg("data"), nb::arg("pixel"), nb::arg("shape"), nb::arg("pitch"), nb::arg("mask"),
            nb::arg("mask_pitch"), nb::arg("no_data").none(), nb::arg("owner"))
        .def_prop_ro("shape",
                     [](const Image &self) {
                         const xncc_image &v = self.view();
                         return nb::make_tuple(v.height, v.width, v.channels);
                     })
        .def_prop_ro("pixel", [](const Image &self) { return int(self.view().pixel); })
        .def_prop_ro("data",
                     [](const Image &self) { return uint64_t(uintptr_t(self.view().data)); })
        .def_prop_ro("pitch", [](const Image &self) { return self.view().pitch; })
        .def_prop_ro("masked",
                     [](const Image &self) { return self.view().mask || self.view().has_no_data; })
        .def_prop_ro(
            "owner",
            [](const Image &self) { return self.owner().is_valid() ? self.owner() : nb::none(); })
        .def_prop_ro("on_device",
                     [](const Image &self) { return self.view().memory == XNCC_DEVICE; });
    nb::class_<Map>(m, "Map")
        .def(nb::init<>())
        .def("set", &Map::set, nb::arg("array"))
        .def("set_device", &Map::set_device, nb::arg("data"), nb::arg("width"), nb::arg("height"),
             nb::arg("pitch"), nb::arg("owner"));
}

} // namespace binding
