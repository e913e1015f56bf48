// SPDX-License-Identifier: BSD-2-Clause
#include "rules.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <cstring>

namespace binding {

namespace {

// The number of a name in a list of names.
template <size_t N>
int number_of(const char *what, const std::string &name, const char *const (&names)[N])
{
    std::string all;
    for (size_t i = 0; i < N; i++) {
        if (name == names[i])
            return int(i);
        all += std::string(i ? ", " : "") + names[i];
    }
    throw Failure(XNCC_ERROR_ARGUMENT,
                  std::string(what) + " '" + name + "' is not known; the names are " + all);
}

xncc_method method_of(const std::string &name)
{
    xncc_method method = XNCC_CCOEFF_NORMED;
    xncc_error error;
    check(xncc_method_parse(name.c_str(), &method, &error), error);
    return method;
}

const char *const MODES[] = { "valid", "same", "full" };
const char *const BORDERS[] = { "clamp", "zero", "mirror", "wrap", "overlap" };
const char *const FLATS[] = { "zero", "nan" };

Rule rule_of(const std::string &method, const std::string &mode, const std::string &border,
             const std::string &flat, double min_valid)
{
    Rule rule = { XNCC_MATCH_RULE_INIT };
    rule.c.method = method_of(method);
    rule.c.mode = xncc_mode(number_of("mode", mode, MODES));
    rule.c.border = xncc_border(number_of("border", border, BORDERS));
    rule.c.flat = xncc_flat(number_of("flat", flat, FLATS));
    rule.c.min_valid = min_valid;
    return rule;
}

} // namespace

size_t Peaks::capacity(const xncc_extent &extent, const xncc_template *templ) const
{
    int64_t d = c.min_distance;
    if (d < 0)
        d = std::min(xncc_template_width(templ), xncc_template_height(templ)) / 2;
    d = std::max<int64_t>(d, 1);
    // Matches that are at least d apart are in different cells of d x d positions.
    const auto cells = [d](int32_t side) { return (int64_t(side) + d - 1) / d; };
    return std::min(c.top, size_t(cells(extent.width) * cells(extent.height)));
}

Template::Template(std::shared_ptr<Context> context, const Image &pixels)
    : context_(std::move(context))
{
    xncc_error error;
    xncc_status status;
    xncc_context *c = context_->use();
    {
        nb::gil_scoped_release release;
        status = xncc_template_create(c, &pixels.view(), &templ_, &error);
    }
    check(status, error);
}

Template::~Template()
{
    if (!context_->ours())
        return;
    nb::gil_scoped_release release; // may wait for a device
    xncc_template_destroy(templ_);
}

xncc_extent measure(const Rule &rule, const xncc_image &image, const Template &templ)
{
    xncc_extent extent;
    xncc_error error;
    check(xncc_map_measure(rule.c.mode, image.width, image.height, templ.width(), templ.height(),
                           &extent, &error),
          error);
    return extent;
}

Effort effort_of(const xncc_image &image, double templ_pixels, nb::handle progress)
{
    return { double(image.width) * image.height * image.channels * templ_pixels, progress };
}

nb::object candidates_of(const xncc_match *match, size_t count, const Template &templ)
{
    const size_t size = sizeof(xncc_candidate);
    nb::object bytes = nb::steal(PyByteArray_FromStringAndSize(nullptr, Py_ssize_t(count * size)));
    if (!bytes.is_valid())
        throw nb::python_error();
    char *to = PyByteArray_AsString(bytes.ptr());
    for (size_t i = 0; i < count; i++) {
        const xncc_candidate candidate = { match[i], 0, templ.width(), templ.height() };
        std::memcpy(to + i * size, &candidate, size);
    }
    return bytes;
}

void bind_rules(nb::module_ &m)
{
    nb::class_<Rule>(m, "Rule")
        .def(
            "__init__",
            [](Rule *self, const std::string &method, const std::string &mode,
               const std::string &border, const std::string &flat, double min_valid) {
                new (self) Rule(rule_of(method, mode, border, flat, min_valid));
            },
            nb::arg("method"), nb::arg("mode"), nb::arg("border"), nb::arg("flat"),
            nb::arg("min_valid"))
        .def_prop_ro("is_distance",
                     [](const Rule &self) { return bool(xncc_method_is_distance(self.c.method)); });
    nb::class_<Peaks>(m, "Peaks")
        .def(
            "__init__",
            [](Peaks *self, std::optional<size_t> top, float min_score, float max_score,
               std::optional<int32_t> min_distance) {
                Peaks peaks = { XNCC_PEAK_RULE_INIT };
                peaks.c.top = top.value_or(XNCC_ALL);
                peaks.c.min_score = min_score;
                peaks.c.max_score = max_score;
                if (min_distance && *min_distance < 0)
                    throw Failure(XNCC_ERROR_ARGUMENT, "min_distance must not be negative");
                peaks.c.min_distance = min_distance.value_or(XNCC_AUTO);
                new (self) Peaks(peaks);
            },
            nb::arg("top").none(), nb::arg("min_score"), nb::arg("max_score"),
            nb::arg("min_distance").none());
    nb::class_<Template>(m, "Template")
        .def(nb::init<std::shared_ptr<Context>, const Image &>(), nb::arg("context"),
             nb::arg("pixels"))
        .def_prop_ro("shape",
                     [](const Template &self) {
                         return nb::make_tuple(self.height(), self.width(),
                                               xncc_template_channels(self.get()));
                     })
        .def_prop_ro("pixel",
                     [](const Template &self) { return int(xncc_template_pixel(self.get())); })
        .def_prop_ro("masked", [](const Template &self) {
            return bool(xncc_template_is_masked(self.get()));
        });
    m.def(
        "measure",
        [](const Rule &rule, const Image &image, const Template &templ) {
            const xncc_extent e = measure(rule, image.view(), templ);
            return nb::make_tuple(e.height, e.width);
        },
        nb::arg("rule"), nb::arg("image"), nb::arg("template"));
}

} // namespace binding
