// Filters and plans. SPDX-License-Identifier: BSD-2-Clause
#include "plan.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <mutex>
#include <new>
#include <vector>

namespace binding {

namespace {

// The coefficients of a convolution and their context, which outlives them.
class Filter {
  public:
    Filter(std::shared_ptr<Context> context, nb::handle coefficients,
           const xncc_filter_options &options)
        : context_(std::move(context))
    {
        Buffer buffer; // rows x columns of floats, tightly packed: made so by the caller
        buffer.get_own(coefficients, false);
        width = int32_t(buffer->shape[1]);
        height = int32_t(buffer->shape[0]);
        xncc_error error;
        check(xncc_filter_create(context_->use(), static_cast<const float *>(buffer->buf), width,
                                 height, &options, &filter_, &error),
              error);
    }
    ~Filter()
    {
        if (context_->ours())
            xncc_filter_destroy(filter_);
    }
    Filter(const Filter &) = delete;
    Filter &operator=(const Filter &) = delete;
    const xncc_filter *get() const
    {
        return filter_;
    }
    int32_t width, height;

  private:
    std::shared_ptr<Context> context_;
    xncc_filter *filter_ = nullptr;
};

// A plan and its context, which outlives it. Its calls wait for each other.
class Plan {
  public:
    Plan(std::shared_ptr<Context> context, const xncc_problem &problem,
         const xncc_preference &preference)
        : context_(std::move(context)), problem_(problem)
    {
        xncc_error error;
        xncc_status status;
        xncc_context *c = context_->use();
        {
            nb::gil_scoped_release release;
            status = xncc_plan_create(c, &problem, &preference, &plan_, &error);
        }
        check(status, error);
    }
    ~Plan()
    {
        if (!context_->ours())
            return;
        nb::gil_scoped_release release;
        xncc_plan_destroy(plan_);
    }
    Plan(const Plan &) = delete;
    Plan &operator=(const Plan &) = delete;

    using PlanCall = std::function<xncc_status(xncc_plan *, xncc_error *)>;
    void call(const Effort &effort, const PlanCall &body)
    {
        context_->use();
        run(*context_, effort, [&](xncc_error *error) {
            const std::lock_guard<std::mutex> lock(mutex_);
            return body(plan_, error);
        });
    }
    // Of a call on an image of the plan's problem.
    Effort effort(const Image &image, uint64_t stream, nb::handle progress) const
    {
        return effort_on(image.view(), double(problem_.templ_width) * problem_.templ_height, stream,
                         progress);
    }
    // The same with a result in device memory, for which the call does not wait.
    Effort effort(const Image &image, const Map &map, uint64_t stream, nb::handle progress) const
    {
        Effort effort = this->effort(image, stream, progress);
        effort.stays |= map.view().memory == XNCC_DEVICE;
        return effort;
    }
    const xncc_problem &problem() const
    {
        return problem_;
    }
    const xncc_plan *get() const
    {
        context_->use();
        return plan_;
    }

  private:
    std::shared_ptr<Context> context_;
    xncc_problem problem_;
    xncc_plan *plan_ = nullptr;
    std::mutex mutex_;
};

void plan_correlate(Plan &plan, const Image &image, const Template &templ, const Map &map,
                    uint64_t stream, nb::handle progress)
{
    const Effort effort = plan.effort(image, map, stream, progress);
    plan.call(effort, [&](xncc_plan *p, xncc_error *error) {
        return xncc_plan_correlate(p, &image.view(), templ.get(), &map.view(), stream_of(stream),
                                   error);
    });
}

nb::object plan_find(Plan &plan, const Image &image, const Template &templ, const Peaks &peaks,
                     uint64_t stream, nb::handle progress)
{
    const Rule rule = { plan.problem().rule };
    const size_t capacity = peaks.capacity(measure(rule, image.view(), templ), templ.get());
    const auto match = room_for<xncc_match>(capacity, "matches");
    size_t found = 0;
    plan.call(plan.effort(image, stream, progress), [&](xncc_plan *p, xncc_error *error) {
        return xncc_plan_find(p, &image.view(), templ.get(), &peaks.c, match.get(), capacity,
                              &found, stream_of(stream), error);
    });
    return candidates_of(match.get(), found, templ);
}

// The matches of each image, as a list.
nb::list plan_find_images(Plan &plan, const std::vector<const Image *> &images,
                          const Template &templ, const Peaks &peaks, uint64_t stream,
                          nb::handle progress)
{
    const Rule rule = { plan.problem().rule };
    const size_t count = images.size();
    nb::list all;
    if (count == 0)
        return all;
    const size_t capacity = peaks.capacity(measure(rule, images[0]->view(), templ), templ.get());
    if (capacity > SIZE_MAX / sizeof(xncc_match) / count)
        throw std::bad_alloc();
    const auto match = room_for<xncc_match>(capacity * count, "matches");
    std::vector<xncc_image> view;
    std::vector<size_t> found(count);
    for (const Image *image : images)
        view.push_back(image->view());
    Effort effort = plan.effort(*images[0], stream, progress);
    effort.products *= double(count);
    plan.call(effort, [&](xncc_plan *p, xncc_error *error) {
        return xncc_plan_find_images(p, view.data(), count, templ.get(), &peaks.c, match.get(),
                                     capacity, found.data(), stream_of(stream), error);
    });
    for (size_t i = 0; i < count; i++)
        all.append(candidates_of(match.get() + i * capacity, found[i], templ));
    return all;
}

void plan_convolve(Plan &plan, const Image &image, const Filter &filter, const Map &map,
                   uint64_t stream, nb::handle progress)
{
    const Effort effort = plan.effort(image, map, stream, progress);
    plan.call(effort, [&](xncc_plan *p, xncc_error *error) {
        return xncc_plan_convolve(p, &image.view(), filter.get(), &map.view(), stream_of(stream),
                                  error);
    });
}

void convolve(Context &context, const Image &image, const Filter &filter, bool zero_border,
              const Kernel &kernel, const Map &map, nb::handle progress)
{
    xncc_convolve_options options = XNCC_CONVOLVE_OPTIONS_INIT;
    options.border = zero_border ? XNCC_BORDER_ZERO : XNCC_BORDER_CLAMP;
    options.kernel = text_or_null(kernel);
    xncc_context *c = context.use();
    const double pixels = double(filter.width) * filter.height;
    run(context, effort_of(image.view(), pixels, progress), [&](xncc_error *error) {
        return xncc_convolve(c, &image.view(), filter.get(), &options, &map.view(), error);
    });
}

nb::dict describe(const Plan &plan)
{
    xncc_plan_info info = XNCC_PLAN_INFO_INIT;
    xncc_error error;
    check(xncc_plan_describe(plan.get(), &info, &error), error);
    nb::dict d;
    d["engine"] = info.engine == XNCC_DEVICE_CUDA ? "cuda" : "cpu";
    d["kernel"] = info.kernel;
    d["capturable"] = bool(info.capturable);
    d["bands"] = info.bands;
    d["workspace_bytes"] = info.workspace_bytes;
    d["estimate_ms"] = info.estimate_ms;
    d["devices"] = info.devices;
    d["images"] = info.images;
    return d;
}

xncc_preference preference_of(const Kernel &kernel, const Image &image, bool map_on_device)
{
    xncc_preference preference = XNCC_PREFERENCE_INIT;
    preference.kernel = text_or_null(kernel);
    preference.image_memory = image.view().memory;
    preference.map_memory = map_on_device ? XNCC_DEVICE : XNCC_HOST;
    return preference;
}

std::unique_ptr<Plan> match_plan(std::shared_ptr<Context> context, const Image &image,
                                 const Template &templ, const Rule &rule, const Kernel &kernel,
                                 bool map_on_device, int32_t images)
{
    xncc_problem problem = XNCC_PROBLEM_INIT;
    xncc_error error;
    problem.rule = rule.c;
    check(xncc_problem_set(&problem, &image.view(), templ.get(), &error), error);
    xncc_preference preference = preference_of(kernel, image, map_on_device);
    preference.images = images;
    return std::make_unique<Plan>(std::move(context), problem, preference);
}

std::unique_ptr<Plan> convolve_plan(std::shared_ptr<Context> context, const Image &image,
                                    const Filter &filter, bool zero_border, const Kernel &kernel,
                                    bool map_on_device)
{
    xncc_problem problem = XNCC_PROBLEM_INIT;
    xncc_error error;
    check(xncc_problem_set(&problem, &image.view(), nullptr, &error), error);
    problem.task = XNCC_TASK_CONVOLVE;
    problem.templ_width = filter.width;
    problem.templ_height = filter.height;
    problem.rule.border = zero_border ? XNCC_BORDER_ZERO : XNCC_BORDER_CLAMP;
    return std::make_unique<Plan>(std::move(context), problem,
                                  preference_of(kernel, image, map_on_device));
}

nb::list kernels()
{
    nb::list all;
    for (size_t i = 0; i < xncc_kernel_count(); i++) {
        xncc_kernel_info info = XNCC_KERNEL_INFO_INIT;
        xncc_error error;
        check(xncc_kernel_describe(i, &info, &error), error);
        nb::dict d;
        d["name"] = info.name;
        d["engine"] = info.engine == XNCC_DEVICE_CUDA ? "cuda" : "cpu";
        d["matches"] = bool(info.tasks & (1u << XNCC_TASK_MATCH));
        d["convolves"] = bool(info.tasks & (1u << XNCC_TASK_CONVOLVE));
        all.append(d);
    }
    return all;
}

} // namespace

Effort effort_on(const xncc_image &image, double templ_pixels, uint64_t stream, nb::handle progress)
{
    Effort effort = effort_of(image, templ_pixels, progress);
    if (image.memory == XNCC_DEVICE)
        effort.products /= 1000; // a GPU is that much faster
    effort.stays = stream == 2;  // cudaStreamPerThread: another thread has another one
    return effort;
}

void bind_plans(nb::module_ &m)
{
    nb::class_<Filter>(m, "Filter")
        .def(
            "__init__",
            [](Filter *self, std::shared_ptr<Context> context, nb::handle coefficients,
               bool correlate, std::optional<std::pair<int32_t, int32_t>> anchor) {
                xncc_filter_options options = XNCC_FILTER_OPTIONS_INIT;
                options.correlate = correlate;
                if (anchor) {
                    options.anchor_x = anchor->first;
                    options.anchor_y = anchor->second;
                }
                new (self) Filter(std::move(context), coefficients, options);
            },
            nb::arg("context"), nb::arg("coefficients"), nb::arg("correlate"),
            nb::arg("anchor").none())
        .def_prop_ro("shape",
                     [](const Filter &self) { return nb::make_tuple(self.height, self.width); });
    nb::class_<Plan>(m, "Plan")
        .def("correlate", &plan_correlate, nb::arg("image"), nb::arg("template"), nb::arg("map"),
             nb::arg("stream"), nb::arg("progress").none())
        .def("find", &plan_find, nb::arg("image"), nb::arg("template"), nb::arg("peaks"),
             nb::arg("stream"), nb::arg("progress").none())
        .def("find_images", &plan_find_images, nb::arg("images"), nb::arg("template"),
             nb::arg("peaks"), nb::arg("stream"), nb::arg("progress").none())
        .def("convolve", &plan_convolve, nb::arg("image"), nb::arg("filter"), nb::arg("map"),
             nb::arg("stream"), nb::arg("progress").none())
        .def("describe", &describe)
        .def("explain", [](const Plan &self) {
            char text[2048];
            return std::string(xncc_plan_explain(self.get(), text, sizeof text));
        });
    m.def("match_plan", &match_plan, nb::arg("context"), nb::arg("image"), nb::arg("template"),
          nb::arg("rule"), nb::arg("kernel").none(), nb::arg("map_on_device"), nb::arg("images"));
    m.def("convolve_plan", &convolve_plan, nb::arg("context"), nb::arg("image"), nb::arg("filter"),
          nb::arg("zero_border"), nb::arg("kernel").none(), nb::arg("map_on_device"));
    m.def("convolve", &convolve, nb::arg("context"), nb::arg("image"), nb::arg("filter"),
          nb::arg("zero_border"), nb::arg("kernel").none(), nb::arg("map"),
          nb::arg("progress").none());
    m.def("kernels", &kernels);
}

} // namespace binding
