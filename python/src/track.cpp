// Tracking. SPDX-License-Identifier: BSD-2-Clause
#include "calls.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <array>
#include <vector>

namespace binding {

namespace {

// The options of a call, made once.
struct TrackRule {
    xncc_track_options c;
    std::optional<xncc_track_check_options> check;
    std::vector<xncc_track_pass> coarse;
};

void make_rule(TrackRule *self, const std::string &method, const std::array<int32_t, 4> &extents,
               int32_t fit, int32_t oversample, bool back, double min_valid)
{
    xncc_track_options o = XNCC_TRACK_OPTIONS_INIT;
    xncc_error error;
    check(xncc_method_parse(method.c_str(), &o.method, &error), error);
    o.chip_width = extents[0];
    o.chip_height = extents[1];
    o.search_x = extents[2];
    o.search_y = extents[3];
    o.fit = xncc_track_fit(fit);
    o.oversample = oversample;
    o.back = back;
    o.min_valid = min_valid;
    new (self) TrackRule{ o, {}, {} };
}

// Marks outliers after tracking, or replaces them.
void set_check(TrackRule &self, double limit, bool replace)
{
    xncc_track_check_options o = XNCC_TRACK_CHECK_OPTIONS_INIT;
    o.limit = limit;
    o.replace = replace;
    self.check = o;
}

// Deforms the second image.
void set_deform(TrackRule &self, int32_t times, int32_t step_x, int32_t step_y)
{
    self.c.deform = times;
    self.c.deform_step_x = step_x;
    self.c.deform_step_y = step_y;
}

// Adds a coarse pass after those that there are.
void add_pass(TrackRule &self, const std::array<int32_t, 6> &extents)
{
    xncc_track_pass pass = XNCC_TRACK_PASS_INIT;
    pass.chip_width = extents[0];
    pass.chip_height = extents[1];
    pass.search_x = extents[2];
    pass.search_y = extents[3];
    pass.step_x = extents[4];
    pass.step_y = extents[5];
    self.coarse.push_back(pass);
}

// points: rows of x, y, dx and dy. Returns the bytes of an array of xncc_displacement.
nb::object track(Context &context, const Image &image1, const Image &image2, const TrackRule &rule,
                 nb::handle points, const Kernel &kernel, nb::handle progress)
{
    Buffer buffer;
    buffer.get_own(points, false);
    const size_t count = size_t(buffer->len) / sizeof(xncc_track_point);
    xncc_track_options options = rule.c;
    options.kernel = text_or_null(kernel);
    options.coarse = rule.coarse.data();
    options.coarse_count = rule.coarse.size();
    const auto found = room_for<xncc_displacement>(count, "displacements");
    const xncc_track_pair pair = { &image1.view(), &image2.view() };
    xncc_context *c = context.use();
    const double windows = (2.0 * options.search_x + 1) * (2.0 * options.search_y + 1);
    const Effort effort = { double(count) * windows * options.chip_width * options.chip_height,
                            progress };
    run(context, effort, [&](xncc_error *error) {
        const auto *point = static_cast<const xncc_track_point *>(buffer->buf);
        xncc_status status = xncc_track(c, &pair, 1, &options, point, count, found.get(), error);
        if (!status && rule.check)
            status = xncc_track_check(&*rule.check, found.get(), count, error);
        return status;
    });
    return bytes_of(found.get(), count * sizeof(xncc_displacement));
}

} // namespace

void bind_track(nb::module_ &m)
{
    nb::class_<TrackRule>(m, "TrackRule")
        .def(
            "__init__",
            [](TrackRule *self, const std::string &method, int32_t chip_width, int32_t chip_height,
               int32_t search_x, int32_t search_y, int32_t fit, int32_t oversample, bool back,
               double min_valid) {
                make_rule(self, method, { chip_width, chip_height, search_x, search_y }, fit,
                          oversample, back, min_valid);
            },
            nb::arg("method"), nb::arg("chip_width"), nb::arg("chip_height"), nb::arg("search_x"),
            nb::arg("search_y"), nb::arg("fit"), nb::arg("oversample"), nb::arg("back"),
            nb::arg("min_valid"))
        .def("check", &set_check, nb::arg("limit"), nb::arg("replace"))
        .def("deform", &set_deform, nb::arg("times"), nb::arg("step_x"), nb::arg("step_y"))
        .def(
            "coarse",
            [](TrackRule &self, int32_t chip_width, int32_t chip_height, int32_t search_x,
               int32_t search_y, int32_t step_x, int32_t step_y) {
                add_pass(self, { chip_width, chip_height, search_x, search_y, step_x, step_y });
            },
            nb::arg("chip_width"), nb::arg("chip_height"), nb::arg("search_x"), nb::arg("search_y"),
            nb::arg("step_x"), nb::arg("step_y"));
    m.def("track", &track, nb::arg("context"), nb::arg("image1"), nb::arg("image2"),
          nb::arg("rule"), nb::arg("points"), nb::arg("kernel").none(), nb::arg("progress").none());
}

} // namespace binding
