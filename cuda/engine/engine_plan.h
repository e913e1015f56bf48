// SPDX-License-Identifier: BSD-2-Clause
// The state of the CUDA engine: one Engine per device, one xncc_engine_plan per plan; and what
// every call on a plan begins and ends with.
#ifndef XNCC_CUDA_ENGINE_ENGINE_PLAN_H
#define XNCC_CUDA_ENGINE_ENGINE_PLAN_H

#include "cuda/engine/batch_memory.h"
#include "cuda/engine/chip_reader.h"
#include "cuda/engine/workspace.h"
#include "cuda/peaks/collect.h"
#include "cuda/peaks/peak_workspace.h"
#include "cuda/planes/stage.h"
#include "cuda/products/correlate_family.h"
#include "cuda/products/correlate_fft.h"
#include "cuda/products/float_products.h"
#include "cuda/products/float_sums.h"

extern "C" {
#include "cuda/engine/cuda_engine.h"
#include "engine/engine.h"
}

namespace xncc {

// The engine of one device. Several threads may use it at once.
struct Engine {
    xncc_engine base;             // first, so that an xncc_engine pointer is an Engine pointer
    int32_t device = 0;           // CUDA's index
    int code_arch = 0;            // of the loaded machine code, as __CUDA_ARCH__
    uint64_t workspace_limit = 0; // bytes per plan; 0: a quarter of the free memory
    xncc_machine machine = {};    // the CUDA half, without `fft` and `workspace`
    ConstantCache *constant_caches[FAMILY_COUNT] = {}; // of this device; owned by the process
    xncc_pool *copiers = nullptr; // threads that copy host images to pinned memory
    std::atomic<ChipReader *> chip_reader{ nullptr }; // for the next run of chips; nullptr: none
    SpareMemory spare;                                // for the next batches of one search

    ~Engine()
    {
        destroy_chip_reader(chip_reader.load());
        xncc_pool_destroy(copiers);
    }
};

inline Engine *engine_of(xncc_engine *engine)
{
    return reinterpret_cast<Engine *>(engine);
}

// Searches with one template, and with several at a time.
struct Find {
    bool served = false; // the plan holds the map, and the device can search it
    PeakWorkspace search;
    PeakWorkspace batch;
    bool batch_made = false; // by the first batch
    Fetched own;
    Fetched *fetched = &own;
};

// Searches in several images at a time.
struct Stack {
    xncc_stack_plan of = {};          // the decision's
    xncc_engine_plan *plan = nullptr; // of the tall image; by the first call that needs it
    bool made = false;                // the rest is set
    PeakWorkspace search;
    PinnedMemory fetched; // the states of a piece, then their matches
    Stream side;          // images come from the host on it, while the stack before is searched
    // By turns:
    Event arrived[2]; // the images of a stack are on the device
    Event sent[2];    // its results are on the host, and the memory of its images is free
};

// The device's form of a template or filter. slots: its `prepared` array, in which slot 1 belongs
// to the CUDA engine.
inline const DeviceTemplate *device_template_of(void *const *slots)
{
    return static_cast<const DeviceTemplate *>(slots[1]);
}

} // namespace xncc

// The engine's half of a plan.
struct xncc_engine_plan {
    ~xncc_engine_plan()
    {
        for (int i = 0; i < templ_count; i++)
            templ_planes[i].xncc::DeviceTemplate::~DeviceTemplate();
        xncc_free(templ_planes);
    }

    xncc::Engine *engine = nullptr;
    xncc_problem problem = {};
    xncc_decision decision = {};
    const xncc_watch *watch = nullptr; // of the running call
    xncc::Workspace memory;            // all device memory
    bool planes_there = false;         // the byte planes of its only image are there already

    // Matching.
    xncc::Axis x, y;            // the bands of the map; convolutions set only `map`
    xncc::Stage stage;          // textures over the image pixels under a band
    xncc::Fft fft;              // for kernel fft
    xncc::FloatProducts floats; // for kernels float-fft, float-split and float-tiles
    xncc::FloatSums float_sums; // for step float-sums
    bool may_use_pdl = false;   // whether tensor kernels may be launched early (pdl.cuh)
    xncc::DeviceTemplate *templ_planes = nullptr; // the byte planes of the template, or nullptr
    int templ_count = 0;                          // of them
    xncc::Find find;                              // the peak search on the device
    xncc::Stack stack;                            // the same for several images
    xncc::PinnedMemory pinned; // map rows on their way to the peak search on the host

    xncc::Upload upload; // copies host images

    // The stream order of calls.
    xncc::Event done;            // recorded after the last call's work
    cudaStream_t last = nullptr; // the stream of the last call
};

namespace xncc {

// True if scores are to be computed in pairs of floats.
inline bool fp64_is_slow_on(const xncc_engine_plan *plan)
{
    return plan->engine->machine.cuda.fp64_is_slow != 0;
}

// Adds a call to the progress of the context, whose unit is a map element.
inline void progress_begin(xncc_engine_plan *plan)
{
    xncc_progress_begin(plan->watch->progress,
                        static_cast<uint64_t>(plan->x.map) * static_cast<uint64_t>(plan->y.map));
}

// Reports that `rows` more rows of the map are done.
inline void progress_step(xncc_engine_plan *plan, int32_t rows)
{
    xncc_progress_step(plan->watch->progress,
                       static_cast<uint64_t>(plan->x.map) * static_cast<uint64_t>(rows));
}

// Begins the use of memory that the call before used, whose end is `done`. If that call was on
// another stream, *last, what follows waits for it on the device. For a captured graph, the caller
// provides this order.
inline cudaError_t follow(const Event &done, cudaStream_t *last, cudaStream_t stream)
{
    cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
    if (stream == *last)
        return cudaSuccess;
    cudaError_t code = cudaStreamIsCapturing(stream, &capture);
    if (code == cudaSuccess && capture == cudaStreamCaptureStatusNone) {
        code = cudaStreamWaitEvent(stream, done.get(), 0);
        if (code == cudaSuccess)
            *last = stream;
    }
    return code;
}

// Records the end of a call's work for the next follow(). *marked: false if nobody could wait for
// that end.
inline cudaError_t mark_end(const Event &done, cudaStream_t stream, bool *marked)
{
    cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
    cudaError_t code = cudaStreamIsCapturing(stream, &capture);
    *marked = true;
    if (code == cudaSuccess && capture == cudaStreamCaptureStatusNone) {
        code = cudaEventRecord(done.get(), stream);
        *marked = code == cudaSuccess;
    }
    return code;
}

// Begins a call in a scope of the plan's device.
inline xncc_status begin(xncc_engine_plan *plan, const DeviceScope &scope, cudaStream_t stream,
                         xncc_error *error)
{
    const xncc_status status = scope.status(error);
    return status ? status
                  : check(follow(plan->done, &plan->last, stream), "beginning the call", error);
}

// Ends a call: marks the end of its work on the stream, and waits for it if `wait` is set, or if
// the end cannot be marked, since nobody else could wait for it. A call that was cancelled before
// that wait was over is cancelled.
inline xncc_status finish(xncc_engine_plan *plan, cudaStream_t stream, bool wait, xncc_error *error)
{
    bool marked;
    xncc_status status = check(mark_end(plan->done, stream, &marked), "ending the call", error);
    if (wait || !marked) {
        const xncc_status waited = check(cudaStreamSynchronize(stream), "the work on the stream",
                                         status ? nullptr : error);
        status = status ? status : waited;
    }
    if (!status && wait)
        status = xncc_check_cancelled(plan->watch, error);
    return status;
}

// Ends a call that has come to `status`, as finish() does. Waits for the work of a cancelled call,
// so that its plan and its views can be used again. Returns the status of the call.
inline xncc_status finish_as(xncc_status status, xncc_engine_plan *plan, cudaStream_t stream,
                             bool wait, xncc_error *error)
{
    xncc_status ended = finish(plan, stream, wait || status == XNCC_ERROR_CANCELLED,
                               status ? nullptr : error);
    return status ? status : ended;
}

} // namespace xncc

#endif
