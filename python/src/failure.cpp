// SPDX-License-Identifier: BSD-2-Clause
#include "failure.h"

namespace binding {

void bind_failures(nb::module_ &m)
{
    nb::register_exception_translator(
        [](const std::exception_ptr &pointer, void *) {
            try {
                std::rethrow_exception(pointer);
            } catch (const Failure &failure) {
                try {
                    const nb::object type = nb::module_::import_("exactncc._errors")
                                                .attr("BY_STATUS")[nb::int_(int(failure.status()))];
                    const char *text = failure.what();
                    const nb::object message = nb::steal(PyUnicode_DecodeUTF8(
                        text, Py_ssize_t(std::char_traits<char>::length(text)), "replace"));
                    PyErr_SetObject(type.ptr(), message.ptr());
                } catch (nb::python_error &error) {
                    error.restore();
                }
            }
        },
        nullptr);
    m.def("version", [] { return xncc_version(); });
}

} // namespace binding
