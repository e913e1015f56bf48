// The functions of one call. SPDX-License-Identifier: BSD-2-Clause
#include "calls.h"
#include "plan.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cstring>

namespace binding {

namespace {

void correlate(Context &context, const Image &image, const Template &templ, const Rule &rule,
               const Kernel &kernel, const Map &map, nb::handle progress)
{
    xncc_correlate_options options = XNCC_CORRELATE_OPTIONS_INIT;
    options.rule = rule.c;
    options.kernel = text_or_null(kernel);
    xncc_context *c = context.use();
    const double pixels = double(templ.width()) * templ.height();
    run(context, effort_of(image.view(), pixels, progress), [&](xncc_error *error) {
        return xncc_correlate(c, &image.view(), templ.get(), &options, &map.view(), error);
    });
}

nb::object find(Context &context, const Image &image, const Template &templ, const Rule &rule,
                const Peaks &peaks, const Kernel &kernel, nb::handle progress)
{
    xncc_find_options options = XNCC_FIND_OPTIONS_INIT;
    options.rule = rule.c;
    options.peaks = peaks.c;
    options.kernel = text_or_null(kernel);
    const size_t capacity = peaks.capacity(measure(rule, image.view(), templ), templ.get());
    const auto match = room_for<xncc_match>(capacity, "matches");
    size_t found = 0;
    xncc_context *c = context.use();
    const double pixels = double(templ.width()) * templ.height();
    run(context, effort_of(image.view(), pixels, progress), [&](xncc_error *error) {
        return xncc_find(c, &image.view(), templ.get(), &options, match.get(), capacity, &found,
                         error);
    });
    return candidates_of(match.get(), found, templ);
}

nb::object find_batch(Context &context, const Image &image,
                      const std::vector<const Template *> &templs, const Rule &rule,
                      const Peaks &peaks, const std::optional<Suppress> &suppress,
                      const Kernel &kernel, nb::handle progress)
{
    xncc_find_options options = XNCC_FIND_OPTIONS_INIT;
    options.rule = rule.c;
    options.peaks = peaks.c;
    options.kernel = text_or_null(kernel);
    std::vector<const xncc_template *> templ;
    size_t capacity = 0;
    double pixels = 0;
    for (const Template *t : templs) {
        templ.push_back(t->get());
        capacity += peaks.capacity(measure(rule, image.view(), *t), t->get());
        pixels += double(t->width()) * t->height();
    }
    const xncc_suppress_rule *merge = suppress ? &suppress->c : nullptr;
    const auto match = room_for<xncc_candidate>(capacity, "matches");
    size_t found = 0;
    xncc_context *c = context.use();
    run(context, effort_of(image.view(), pixels, progress), [&](xncc_error *error) {
        return xncc_find_batch(c, &image.view(), templ.data(), templ.size(), &options, merge,
                               match.get(), capacity, &found, error);
    });
    return bytes_of(match.get(), found * sizeof(xncc_candidate));
}

// Angles and scales as first, last and step; a step of None lets the library choose.
using Range = std::tuple<double, double, std::optional<double>>;

xncc_pose_range range_of(const Range &range)
{
    return { std::get<0>(range), std::get<1>(range), std::get<2>(range).value_or(XNCC_AUTO) };
}

// The options of poses that are not ranges.
struct Poses {
    xncc_pose_options c;
};

nb::object find_poses(Context &context, const Image &image,
                      const std::vector<const Template *> &templs, const Poses &poses,
                      const Range &angles, const Range &scales, const Kernel &kernel,
                      nb::handle progress)
{
    xncc_pose_options options = poses.c;
    options.angles = range_of(angles);
    options.scales = range_of(scales);
    options.kernel = text_or_null(kernel);
    std::vector<const xncc_template *> templ;
    double pixels = 0;
    for (const Template *t : templs) {
        templ.push_back(t->get());
        pixels += double(t->width()) * t->height();
    }
    const size_t most = 131072; // as many as the library keeps
    const size_t capacity = options.top < most ? options.top : most;
    const auto match = room_for<xncc_pose_match>(capacity, "matches");
    size_t found = 0;
    xncc_context *c = context.use();
    run(context, effort_of(image.view(), pixels, progress), [&](xncc_error *error) {
        return xncc_find_poses(c, &image.view(), templ.data(), templ.size(), &options, match.get(),
                               capacity, &found, error);
    });
    return bytes_of(match.get(), found * sizeof(xncc_pose_match));
}

nb::object refine(Context &context, const Image &image, const Template &templ, const Rule &rule,
                  nb::handle candidates, uint64_t stream, nb::handle progress)
{
    Buffer buffer;
    buffer.get_own(candidates, false);
    const size_t count = size_t(buffer->len) / sizeof(xncc_candidate);
    const auto match = room_for<xncc_match>(count, "matches");
    const char *from = static_cast<const char *>(buffer->buf);
    for (size_t i = 0; i < count; i++)
        std::memcpy(&match[i], from + i * sizeof(xncc_candidate), sizeof(xncc_match));
    const auto refined = room_for<xncc_refined>(count, "matches");
    xncc_context *c = context.use();
    Effort effort = effort_on(image.view(), 0, stream, progress);
    effort.products = 9.0 * double(count) * templ.width() * templ.height();
    run(context, effort, [&](xncc_error *error) {
        return xncc_refine_on_stream(c, &image.view(), templ.get(), &rule.c, match.get(), count,
                                     refined.get(), stream_of(stream), error);
    });
    return bytes_of(refined.get(), count * sizeof(xncc_refined));
}

// Reorders the candidates in place and returns how many are kept.
size_t suppress(const Rule &rule, nb::handle candidates, const Suppress &suppress)
{
    Buffer buffer;
    buffer.get_own(candidates, true);
    size_t kept = 0;
    xncc_error error;
    xncc_status status;
    {
        nb::gil_scoped_release release;
        status = xncc_suppress(rule.c.method, static_cast<xncc_candidate *>(buffer->buf),
                               size_t(buffer->len) / sizeof(xncc_candidate), &suppress.c, &kept,
                               &error);
    }
    check(status, error);
    return kept;
}

} // namespace

nb::object bytes_of(const void *data, size_t size)
{
    nb::object bytes = nb::steal(
        PyByteArray_FromStringAndSize(static_cast<const char *>(data), Py_ssize_t(size)));
    if (!bytes.is_valid())
        throw nb::python_error();
    return bytes;
}

void bind_calls(nb::module_ &m)
{
    nb::class_<Suppress>(m, "Suppress")
        .def(
            "__init__",
            [](Suppress *self, bool overlap, double limit, std::optional<size_t> top) {
                Suppress rule = { XNCC_SUPPRESS_RULE_INIT };
                rule.c.kind = overlap ? XNCC_SUPPRESS_OVERLAP : XNCC_SUPPRESS_DISTANCE;
                rule.c.limit = limit;
                rule.c.top = top.value_or(XNCC_ALL);
                new (self) Suppress(rule);
            },
            nb::arg("overlap"), nb::arg("limit"), nb::arg("top").none());
    nb::class_<Poses>(m, "Poses")
        .def(
            "__init__",
            [](Poses *self, int search, bool disc, bool any_polarity, bool refine, float min_score,
               double overlap, std::optional<size_t> top, double min_valid) {
                Poses poses = { XNCC_POSE_OPTIONS_INIT };
                poses.c.search = static_cast<xncc_pose_search>(search);
                poses.c.support = disc ? XNCC_SUPPORT_DISC : XNCC_SUPPORT_WHOLE;
                poses.c.any_polarity = any_polarity;
                poses.c.refine = refine;
                poses.c.min_score = min_score;
                poses.c.overlap = overlap;
                poses.c.top = top.value_or(XNCC_ALL);
                poses.c.min_valid = min_valid;
                new (self) Poses(poses);
            },
            nb::arg("search"), nb::arg("disc"), nb::arg("any_polarity"), nb::arg("refine"),
            nb::arg("min_score"), nb::arg("overlap"), nb::arg("top").none(), nb::arg("min_valid"));
    m.def("find_poses", &find_poses, nb::arg("context"), nb::arg("image"), nb::arg("templates"),
          nb::arg("poses"), nb::arg("angles"), nb::arg("scales"), nb::arg("kernel").none(),
          nb::arg("progress").none());
    m.def("correlate", &correlate, nb::arg("context"), nb::arg("image"), nb::arg("template"),
          nb::arg("rule"), nb::arg("kernel").none(), nb::arg("map"), nb::arg("progress").none());
    m.def("find", &find, nb::arg("context"), nb::arg("image"), nb::arg("template"), nb::arg("rule"),
          nb::arg("peaks"), nb::arg("kernel").none(), nb::arg("progress").none());
    m.def("find_batch", &find_batch, nb::arg("context"), nb::arg("image"), nb::arg("templates"),
          nb::arg("rule"), nb::arg("peaks"), nb::arg("suppress").none(), nb::arg("kernel").none(),
          nb::arg("progress").none());
    m.def("refine", &refine, nb::arg("context"), nb::arg("image"), nb::arg("template"),
          nb::arg("rule"), nb::arg("candidates"), nb::arg("stream"), nb::arg("progress").none());
    m.def("suppress", &suppress, nb::arg("rule"), nb::arg("candidates"), nb::arg("suppress"));
}

} // namespace binding
