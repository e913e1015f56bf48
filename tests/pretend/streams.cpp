// SPDX-License-Identifier: BSD-2-Clause
// Streams, events and graphs.
#include "pretend/state.h"

using namespace pretended;

namespace {

// Makes a stream or an event.
template <class Object, class Handle>
cudaError_t make(std::set<Object *> State::*all, Handle *handle, const char *call)
{
    const Guard guard(state().lock);
    expect_device(call);
    Object *made = new Object;
    made->device = current;
    (state().*all).insert(made);
    *handle = reinterpret_cast<Handle>(made);
    return cudaSuccess;
}

// Destroys one, if it exists. Call it with the lock held.
template <class Object> void destroy(std::set<Object *> State::*all, Object *object)
{
    if ((state().*all).erase(object))
        delete object;
}

} // namespace

extern "C" {

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned)
{
    return FAILS(nullptr) ? failed(FAILED) : make(&State::streams, stream, __func__);
}

// What is on the stream still runs.
cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    const bool fails = FAILS(nullptr);
    const Guard guard(state().lock);
    destroy(&State::streams, stream_of(stream, __func__));
    return fails ? failed(FAILED) : cudaSuccess;
}

// A wait that fails reports work that failed; the work has ended.
cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    const char *detail;
    {
        const Guard guard(state().lock);
        detail = waits_for(stream_of(stream, __func__)->behind);
    }
    const bool fails = FAILS(detail);
    const Guard guard(state().lock);
    Stream *of = stream_of(stream, __func__);
    if (of->captures)
        return failed(cudaErrorStreamCaptureUnsupported);
    end(&of->behind);
    return fails ? failed(FAILED) : cudaSuccess;
}

cudaError_t cudaDeviceSynchronize(void)
{
    const bool fails = FAILS(state().under_way.empty() ? nullptr : "work");
    const Guard guard(state().lock);
    end_all();
    return fails ? failed(FAILED) : cudaSuccess;
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned)
{
    if (FAILS(nullptr))
        return failed(FAILED);
    const Guard guard(state().lock);
    const Event *of = event_of(event, __func__);
    state().followed += of->on_default;
    join(&stream_of(stream, __func__)->behind, of->behind);
    return cudaSuccess;
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus *status)
{
    if (FAILS(nullptr))
        return failed(FAILED);
    const Guard guard(state().lock);
    *status = stream_of(stream, __func__)->captures ? cudaStreamCaptureStatusActive
                                                    : cudaStreamCaptureStatusNone;
    return cudaSuccess;
}

// Graphs do nothing. The handle of one is its stream.

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode)
{
    const Guard guard(state().lock);
    stream_of(stream, __func__)->captures = true;
    return cudaSuccess;
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph)
{
    const Guard guard(state().lock);
    stream_of(stream, __func__)->captures = false;
    *graph = reinterpret_cast<cudaGraph_t>(stream);
    return cudaSuccess;
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t *ready, cudaGraph_t graph, unsigned long long)
{
    *ready = reinterpret_cast<cudaGraphExec_t>(graph);
    return cudaSuccess;
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t, cudaStream_t)
{
    return cudaSuccess;
}

cudaError_t cudaGraphDestroy(cudaGraph_t)
{
    return cudaSuccess;
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t)
{
    return cudaSuccess;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned)
{
    return FAILS(nullptr) ? failed(FAILED) : make(&State::events, event, __func__);
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    const bool fails = FAILS(nullptr);
    const Guard guard(state().lock);
    destroy(&State::events, event_of(event, __func__));
    return fails ? failed(FAILED) : cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    if (FAILS(nullptr))
        return failed(FAILED);
    const Guard guard(state().lock);
    expect_device(__func__);
    Work behind;
    expect_here(stream_of(stream, __func__)->device, __func__);
    expect_here(event_of(event, __func__)->device, __func__);
    event_of(event, __func__)->on_default = !stream;
    join(&behind, stream_of(stream, __func__)->behind);
    event_of(event, __func__)->behind.swap(behind);
    return cudaSuccess;
}

cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
    const char *detail;
    {
        const Guard guard(state().lock);
        detail = waits_for(event_of(event, __func__)->behind);
    }
    const bool fails = FAILS(detail);
    const Guard guard(state().lock);
    end(&event_of(event, __func__)->behind);
    return fails ? failed(FAILED) : cudaSuccess;
}
}
