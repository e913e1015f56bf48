// Contexts, and how a call runs: without the GIL, with progress, and so that Ctrl-C stops it.
// SPDX-License-Identifier: BSD-2-Clause
#pragma once

#include "failure.h"

#include <atomic>
#include <functional>
#include <string>
#include <vector>

namespace binding {

// A context of the process that made it. A child of fork() cannot use it and does not free it.
class Context {
  public:
    explicit Context(const xncc_context_options &options);
    ~Context();
    Context(const Context &) = delete;
    Context &operator=(const Context &) = delete;

    // The context, for a call. Throws in a child of fork().
    xncc_context *use() const;
    // Whether this process made the context.
    bool ours() const;
    // Cancels all running calls, which then fail.
    void cancel();
    double progress() const;
    // Which devices the context has stopped using, and why; "": none.
    std::string warning() const;
    unsigned cancellations() const
    {
        return cancellations_.load();
    }
    int device() const
    {
        return device_;
    }

  private:
    xncc_context *context_ = nullptr;
    int device_;
    unsigned process_;
    std::atomic<unsigned> cancellations_{ 0 };
};

// What decides how a call is run.
struct Effort {
    double products;     // about how many products of two pixels the CPU computes meanwhile
    nb::handle progress; // called with 0 .. 1 while the call runs; None: not
    bool stays = false;  // the call runs in the calling thread, whatever it costs
};

// Runs a call of the library without the GIL. Throws the failure of the call.
//
// A long call in the main thread, or with a progress function, runs in a thread of its own. The
// calling thread meanwhile handles signals and reports progress. An exception from either cancels
// the call and is then thrown here. A call that is cancelled for the sake of another one begins
// anew.
using Call = std::function<xncc_status(xncc_error *)>;
void run(Context &context, const Effort &effort, const Call &call);

void bind_context(nb::module_ &m);

} // namespace binding
