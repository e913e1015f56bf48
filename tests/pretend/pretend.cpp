// SPDX-License-Identifier: BSD-2-Clause
// A CUDA runtime without a device. It answers like an H200: device memory is host memory, copies
// happen at once, and kernels are counted, not run. So all results are wrong. What is right is
// which kernels a program launches, and what it does when a call fails.
//
// Here is what tests ask and tell (pretend.h).
#include "pretend/state.h"

#include <string.h>

using namespace pretended;

extern "C" {

__attribute__((weak)) int pretend_fails(const char *, const char *, const void *)
{
    return 0;
}

int pretend_may_be_lost(const char *call, const char *detail)
{
    static const char *const names[] = { "cudaFree",
                                         "cudaFreeHost",
                                         "cudaEventDestroy",
                                         "cudaStreamDestroy",
                                         "cudaDestroyTextureObject",
                                         "cufftDestroy",
                                         "dlopen",
                                         "dlsym",
                                         "cudaGetDevice",
                                         "cudaSetDevice" };
    for (const char *name : names)
        if (strcmp(call, name) == 0)
            return 1;
    return strstr(call, "Synchronize") && !detail;
}

pretend_objects pretend_count(void)
{
    const State &s = state();
    const Guard guard(state().lock);
    return { static_cast<long>(s.memory.size()),   static_cast<long>(s.pinned.size()),
             static_cast<long>(s.events.size()),   static_cast<long>(s.streams.size()),
             static_cast<long>(s.textures.size()), static_cast<long>(s.transforms.size()) };
}

long pretend_count_all(const pretend_objects *o)
{
    return o->memory + o->pinned + o->events + o->streams + o->textures + o->transforms;
}

size_t pretend_under_way(void)
{
    const Guard guard(state().lock);
    size_t count = 0;
    for (const auto &one : state().under_way)
        count += one.second;
    return count;
}

long pretend_followed(void)
{
    const Guard guard(state().lock);
    const long count = state().followed;
    state().followed = 0;
    return count;
}

const char *pretend_last_error(void)
{
    return last == cudaSuccess ? nullptr : cudaGetErrorName(last);
}

void pretend_clear_error(void)
{
    last = cudaSuccess;
}

const char *pretend_misuse(void)
{
    static std::string text;
    const Guard guard(state().lock);
    text.swap(state().misuse);
    state().misuse.clear();
    return text.empty() ? nullptr : text.c_str();
}

void pretend_devices(int count, int only)
{
    const Guard guard(state().lock);
    state().devices = count;
    state().only = only;
}

int pretend_device(void)
{
    return current;
}

void pretend_set_device(int device)
{
    current = device;
}

unsigned long long pretend_pieces(int device)
{
    const Guard guard(state().lock);
    return state().device[device].pieces;
}

size_t pretend_peak(int device)
{
    const Guard guard(state().lock);
    return state().device[device].peak;
}

void pretend_forget(void)
{
    const Guard guard(state().lock);
    for (auto &one : state().device) {
        one.second.pieces = 0;
        one.second.peak = one.second.memory;
    }
}

void pretend_all_pinned(int pinned)
{
    const Guard guard(state().lock);
    state().all_pinned = pinned != 0;
}

// Tests that stop at a failure go on (EXACTNCC_PRETEND_GPU).
long __wrap_kit_failures(void)
{
    return 0;
}
}
