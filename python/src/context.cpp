// SPDX-License-Identifier: BSD-2-Clause
#include "context.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace binding {

namespace {

// The number of forks between the first process and this one.
std::atomic<unsigned> process{ 0 };

// A call with fewer products takes milliseconds, and is not worth a thread.
constexpr double LONG_CALL = 3e7;

constexpr auto TICK = std::chrono::milliseconds(20);

bool is_main_thread()
{
    const nb::object threading = nb::module_::import_("threading");
    return threading.attr("current_thread")().is(threading.attr("main_thread")());
}

xncc_status run_here(const Call &call, xncc_error *error)
{
    nb::gil_scoped_release release;
    return call(error);
}

// What the thread of a call tells the waiting one.
struct Result {
    std::mutex mutex;
    std::condition_variable changed;
    bool done = false;
    xncc_status status = XNCC_OK;
};

bool wait_a_tick(Result &result)
{
    nb::gil_scoped_release release;
    std::unique_lock<std::mutex> lock(result.mutex);
    return result.changed.wait_for(lock, TICK, [&] { return result.done; });
}

// Handles signals and reports progress until the call is done. Returns false if that raised an
// exception, which is then the current one of the thread.
bool attend(Context &context, nb::handle progress, Result &result)
{
    while (!wait_a_tick(result)) {
        if (PyErr_CheckSignals())
            return false;
        if (!progress.is_none()) {
            try {
                progress(context.progress());
            } catch (nb::python_error &error) {
                error.restore();
                return false;
            }
        }
    }
    return true;
}

xncc_status run_attended(Context &context, nb::handle progress, const Call &call, xncc_error *error)
{
    Result result;
    std::thread worker([&] {
        const xncc_status status = call(error);
        const std::lock_guard<std::mutex> lock(result.mutex);
        result.status = status;
        result.done = true;
        result.changed.notify_one();
    });
    const bool quiet = attend(context, progress, result);
    if (!quiet) {
        // Again and again: a call that has not begun yet does not notice.
        xncc_context *cancelled = context.use();
        do
            xncc_context_cancel(cancelled);
        while (!wait_a_tick(result));
    }
    worker.join();
    if (!quiet)
        throw nb::python_error();
    return result.status;
}

} // namespace

Context::Context(const xncc_context_options &options) : device_(options.device), process_(process)
{
    xncc_error error;
    xncc_status status;
    {
        nb::gil_scoped_release release;
        status = xncc_context_create(&options, &context_, &error);
    }
    check(status, error);
}

Context::~Context()
{
    if (ours())
        xncc_context_destroy(context_);
}

bool Context::ours() const
{
    return process_ == process;
}

xncc_context *Context::use() const
{
    if (!ours())
        throw Failure(XNCC_ERROR_ARGUMENT,
                      "this context was made before a fork and cannot be used in the child; make a "
                      "new one there, or start processes with the method 'spawn'");
    return context_;
}

void Context::cancel()
{
    cancellations_++;
    xncc_context_cancel(use());
}

std::string Context::warning() const
{
    char text[XNCC_ERROR_SIZE];
    return xncc_context_warning(use(), text, sizeof text);
}

double Context::progress() const
{
    return xncc_context_progress(use());
}

void run(Context &context, const Effort &effort, const Call &call)
{
    const unsigned before = context.cancellations();
    const bool attended = !effort.stays && (!effort.progress.is_none() ||
                                            (effort.products >= LONG_CALL && is_main_thread()));
    xncc_error error;
    xncc_status status;
    do {
        status = attended ? run_attended(context, effort.progress, call, &error)
                          : run_here(call, &error);
    } while (status == XNCC_ERROR_CANCELLED && context.cancellations() == before);
    check(status, error);
    if (!effort.progress.is_none())
        effort.progress(1.0);
}

void bind_context(nb::module_ &m)
{
    nb::class_<Context>(m, "Context")
        .def(
            "__init__",
            [](Context *self, int device, int cuda_index, int threads, uint64_t device_memory,
               const std::vector<int32_t> &cuda_list, bool every, bool strict) {
                xncc_context_options options = XNCC_CONTEXT_OPTIONS_INIT;
                options.device = xncc_device(device);
                options.cuda_index = cuda_index;
                options.threads = threads;
                options.device_memory = device_memory;
                options.cuda_list = cuda_list.data();
                options.cuda_count = every ? XNCC_EVERY_DEVICE : int32_t(cuda_list.size());
                options.strict = strict;
                new (self) Context(options);
            },
            nb::arg("device"), nb::arg("cuda_index"), nb::arg("threads"), nb::arg("device_memory"),
            nb::arg("cuda_list"), nb::arg("every"), nb::arg("strict"))
        .def("cancel", &Context::cancel)
        .def_prop_ro("ours", &Context::ours)
        .def_prop_ro("progress", &Context::progress)
        .def_prop_ro("warning", &Context::warning);
    m.def("forked", [] { process++; });
    m.def("devices", [] {
        nb::list all;
        for (size_t i = 0; i < xncc_device_count(); i++) {
            xncc_device_info info = XNCC_DEVICE_INFO_INIT;
            xncc_error error;
            check(xncc_device_describe(i, &info, &error), error);
            nb::dict entry;
            entry["device"] = info.device == XNCC_DEVICE_CUDA ? "cuda" : "cpu";
            entry["index"] = info.index;
            entry["usable"] = bool(info.usable);
            entry["name"] = std::string(info.name);
            entry["text"] = std::string(info.text);
            entry["processors"] = info.processors;
            entry["memory"] = info.memory;
            entry["compute_capability"] = nb::make_tuple(info.major, info.minor);
            all.append(entry);
        }
        return all;
    });
}

} // namespace binding
