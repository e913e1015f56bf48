// SPDX-License-Identifier: BSD-2-Clause
// The state of the pretended runtime.
#include "pretend/state.h"

#include <sys/mman.h>

namespace pretended {

State &state()
{
    static State *all = new State; // never destroyed: used after main
    return *all;
}

thread_local cudaError_t last = cudaSuccess;
thread_local int current = 0;

void forbid(const std::string &what)
{
    if (state().misuse.empty())
        state().misuse = what;
}

void expect_device(const char *call)
{
    if (state().only >= 0 && current != state().only)
        forbid(std::string(call) + " on device " + std::to_string(current));
}

void expect_here(int device, const char *call)
{
    if (device != current)
        forbid(std::string(call) + " with what is of device " + std::to_string(device) +
               " on device " + std::to_string(current));
}

// The current device's default stream.
static Stream *default_stream()
{
    Stream *stream = &state().device[current].default_stream;
    stream->device = current;
    return stream;
}

Stream *stream_of(cudaStream_t stream, const char *call)
{
    Stream *of = reinterpret_cast<Stream *>(stream);
    if (!of)
        return default_stream();
    if (state().streams.count(of))
        return of;
    forbid(std::string(call) + " of a stream that does not exist");
    return default_stream();
}

Event *event_of(cudaEvent_t event, const char *call)
{
    static Event none;
    Event *of = reinterpret_cast<Event *>(event);
    if (state().events.count(of))
        return of;
    forbid(std::string(call) + " of an event that does not exist");
    return &none;
}

void end(Work *work)
{
    for (const uint64_t piece : *work)
        state().under_way.erase(piece);
    work->clear();
}

void end_all()
{
    state().under_way.clear();
}

void join(Work *to, const Work &from)
{
    for (const uint64_t piece : from)
        if (state().under_way.count(piece))
            to->insert(piece);
}

void put_on(Stream *stream, bool of_caller)
{
    if (stream->captures)
        return;
    state().under_way[++state().made] = of_caller;
    stream->behind.insert(state().made);
    state().device[stream->device].pieces++;
}

const char *waits_for(const Work &work)
{
    for (const uint64_t piece : work)
        if (state().under_way.count(piece))
            return "work";
    return nullptr;
}

cudaError_t failed(cudaError_t code)
{
    last = code;
    return code;
}

void *reserve(size_t bytes)
{
    constexpr size_t page = 4096;
    void *made = bytes > FREE_BYTES
                     ? MAP_FAILED
                     : mmap(nullptr, (bytes + page - 1) / page * page, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return made == MAP_FAILED ? nullptr : made;
}

} // namespace pretended
