// Several templates bound to plans, for images of one size. SPDX-License-Identifier: BSD-2-Clause
#include "calls.h"
#include "plan.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <mutex>

namespace binding {

namespace {

using Templates = std::vector<std::shared_ptr<Template>>;

// A batch with its context and its templates, which outlive it. Its calls wait for each other.
class Batch {
  public:
    Batch(std::shared_ptr<Context> context, const Image &image, Templates templs, const Rule &rule,
          const Peaks &peaks, const std::optional<Suppress> &suppress, const Kernel &kernel)
        : context_(std::move(context)), templs_(std::move(templs))
    {
        xncc_problem problem = XNCC_PROBLEM_INIT;
        xncc_preference preference = XNCC_PREFERENCE_INIT;
        xncc_batch_options options = XNCC_BATCH_OPTIONS_INIT;
        std::vector<const xncc_template *> list;
        xncc_error error;
        problem.rule = rule.c;
        check(xncc_problem_set(&problem, &image.view(), nullptr, &error), error);
        for (const auto &t : templs_) {
            list.push_back(t->get());
            capacity_ += peaks.capacity(measure(rule, image.view(), *t), t->get());
            products_ += double(t->width()) * t->height();
        }
        preference.kernel = text_or_null(kernel);
        preference.image_memory = preference.map_memory = image.view().memory;
        options.peaks = peaks.c;
        options.suppress = suppress ? &suppress->c : nullptr;
        options.capacity = capacity_;
        xncc_context *c = context_->use();
        xncc_status status;
        {
            nb::gil_scoped_release release;
            status = xncc_batch_create(c, &problem, &preference, list.data(), list.size(), &options,
                                       &batch_, &error);
        }
        check(status, error);
    }
    ~Batch()
    {
        if (!context_->ours())
            return;
        nb::gil_scoped_release release;
        xncc_batch_destroy(batch_);
    }
    Batch(const Batch &) = delete;
    Batch &operator=(const Batch &) = delete;

    nb::object find(const Image &image, uint64_t stream, nb::handle progress)
    {
        const auto match = room_for<xncc_candidate>(capacity_, "matches");
        size_t found = 0;
        context_->use();
        run(*context_, effort_on(image.view(), products_, stream, progress),
            [&](xncc_error *error) {
                const std::lock_guard<std::mutex> lock(mutex_);
                return xncc_batch_find(batch_, &image.view(), match.get(), &found,
                                       stream_of(stream), error);
            });
        return bytes_of(match.get(), found * sizeof(xncc_candidate));
    }

  private:
    std::shared_ptr<Context> context_;
    Templates templs_;
    size_t capacity_ = 0;
    double products_ = 0; // of all templates' pixels, per pixel of the image
    xncc_batch *batch_ = nullptr;
    std::mutex mutex_;
};

} // namespace

void bind_batches(nb::module_ &m)
{
    nb::class_<Batch>(m, "Batch")
        .def(nb::init<std::shared_ptr<Context>, const Image &, Templates, const Rule &,
                      const Peaks &, const std::optional<Suppress> &, const Kernel &>(),
             nb::arg("context"), nb::arg("image"), nb::arg("templates"), nb::arg("rule"),
             nb::arg("peaks"), nb::arg("suppress").none(), nb::arg("kernel").none())
        .def("find", &Batch::find, nb::arg("image"), nb::arg("stream"), nb::arg("progress").none());
}

} // namespace binding
