// SPDX-License-Identifier: BSD-2-Clause
// Runs a kernel on the host, a thread block after the other: the threads of a block are fibers,
// which change at barriers and where a warp shares values. Included before the source of a kernel,
// which CMakeLists.txt has rewritten for it. What it checks: all threads meet at the same barriers,
// and nothing is written behind the shared memory. There is one of each variable of shared memory,
// since one block runs at a time.
#ifndef EMULATED_BLOCK_HPP
#define EMULATED_BLOCK_HPP

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <type_traits>
#include <vector>

#include <ucontext.h>

#include <cuda_runtime.h>

// The qualifiers of device code. Standard headers that use such names come before.
#undef __shared__
#undef __noinline__
#undef __forceinline__
#undef __launch_bounds__
#undef __grid_constant__
#undef __global__
#undef __device__
#undef __host__
#undef __constant__
#define __shared__ static
#define __noinline__
#define __forceinline__ inline
#define __launch_bounds__(...)
#define __grid_constant__
#define __global__
#define __device__
#define __host__
#define __constant__

static uint3 threadIdx, blockIdx;
static dim3 blockDim, gridDim;

namespace emulated {

constexpr int LANES = 32;
constexpr size_t STACK = 256 << 10, GUARD = 4096; // bytes of a fiber, and behind shared memory
constexpr unsigned char UNWRITTEN = 0xab;

enum class Wait { NOTHING, BLOCK, WARP, END };

struct Fiber {
    ucontext_t at;
    std::unique_ptr<char[]> stack;
    Wait wait;
    bool predicate; // what it brings to a barrier
    uint64_t value; // what it shares with its warp
};

inline std::vector<Fiber> fibers;
inline ucontext_t scheduler;
inline const std::function<void()> *body;
inline std::vector<unsigned char> memory; // shared, of the launch's size
inline int predicates;                    // of the last barrier

inline Fiber &own()
{
    return fibers[threadIdx.x];
}

inline void give_up(const char *what)
{
    std::printf("emulated: %s\n", what);
    std::exit(1);
}

inline void wait_for(Wait what)
{
    Fiber &fiber = own();
    const unsigned number = threadIdx.x;
    fiber.wait = what;
    swapcontext(&fiber.at, &scheduler);
    threadIdx.x = number;
}

inline int barrier(bool predicate)
{
    own().predicate = predicate;
    wait_for(Wait::BLOCK);
    return predicates;
}

// The value of another lane of the warp; all lanes take part.
template <class T> T from_lane(T value, int lane)
{
    static_assert(sizeof(T) <= sizeof(uint64_t), "a shuffle has at most 64 bits");
    std::memcpy(&own().value, &value, sizeof value);
    wait_for(Wait::WARP);
    std::memcpy(&value, &fibers[threadIdx.x / LANES * LANES + static_cast<unsigned>(lane)].value,
                sizeof value);
    wait_for(Wait::WARP); // all have read
    return value;
}

template <class To, class From> To same_bits(From from)
{
    static_assert(sizeof(To) == sizeof(From), "no bit is lost");
    To to;
    std::memcpy(&to, &from, sizeof to);
    return to;
}

inline int own_lane()
{
    return static_cast<int>(threadIdx.x % LANES);
}

inline void enter()
{
    (*body)();
    own().wait = Wait::END;
    swapcontext(&own().at, &scheduler);
}

// Lets some threads that wait for the same go on, if all that have not ended do.
inline bool release(size_t first, size_t end, Wait what)
{
    bool any = false;
    for (size_t i = first; i < end; i++) {
        if (fibers[i].wait == Wait::NOTHING ||
            (fibers[i].wait != what && fibers[i].wait != Wait::END))
            return false;
        any = any || fibers[i].wait == what;
    }
    for (size_t i = first; i < end && any; i++)
        if (fibers[i].wait == Wait::END)
            give_up("threads have ended that others wait for");
        else
            fibers[i].wait = Wait::NOTHING;
    return any;
}

// A bit of a fixed sequence.
inline bool coin()
{
    static uint32_t state = 1;
    state = state * 1664525u + 1013904223u;
    return state >> 31 != 0;
}

inline void run_block()
{
    for (Fiber &fiber : fibers) {
        getcontext(&fiber.at);
        fiber.at.uc_stack.ss_sp = fiber.stack.get();
        fiber.at.uc_stack.ss_size = STACK;
        fiber.at.uc_link = nullptr;
        makecontext(&fiber.at, enter, 0);
        fiber.wait = Wait::NOTHING;
    }
    // Forward or backward, and some warps later than others, so that a thread that writes too early
    // is found by those that come behind it.
    for (;;) {
        const bool backward = coin();
        bool later = false, any = false;
        for (size_t k = 0; k < fibers.size(); k += LANES) {
            const size_t first = backward ? fibers.size() - LANES - k : k;
            const bool waits = coin();
            for (size_t j = 0; j < LANES; j++) {
                const size_t i = first + (backward ? LANES - 1 - j : j);
                if (fibers[i].wait != Wait::NOTHING)
                    continue;
                later = later || waits;
                if (waits)
                    continue;
                threadIdx.x = static_cast<unsigned>(i);
                swapcontext(&scheduler, &fibers[i].at);
            }
        }
        for (size_t i = 0; i < fibers.size(); i += LANES)
            any = release(i, i + LANES, Wait::WARP) || any;
        if (any || later)
            continue;
        predicates = 0;
        for (const Fiber &fiber : fibers)
            predicates += fiber.wait == Wait::BLOCK && fiber.predicate;
        if (release(0, fibers.size(), Wait::BLOCK))
            continue;
        for (const Fiber &fiber : fibers)
            if (fiber.wait != Wait::END)
                give_up("threads wait at different barriers");
        return;
    }
}

inline unsigned char *shared_memory()
{
    return memory.data();
}

// kernel<<<blocks, threads, shared, stream>>>(arguments) is written as
// emulated::launch(kernel, blocks, threads, shared, stream, arguments).
template <class... Parameters, class... Arguments>
void launch(void (*kernel)(Parameters...), dim3 blocks, int threads, size_t shared, cudaStream_t,
            const Arguments &...arguments)
{
    if (threads % LANES)
        give_up("a block has whole warps");
    fibers.resize(static_cast<size_t>(threads));
    for (Fiber &fiber : fibers)
        if (!fiber.stack)
            fiber.stack.reset(new char[STACK]);
    const std::function<void()> call = [&] { kernel(arguments...); };
    body = &call;
    gridDim = blocks;
    blockDim = dim3(static_cast<unsigned>(threads));
    for (unsigned block = 0; block < blocks.x * blocks.y; block++) {
        blockIdx.x = block % blocks.x;
        blockIdx.y = block / blocks.x;
        memory.assign(shared + GUARD, UNWRITTEN);
        run_block();
        if (std::any_of(memory.end() - GUARD, memory.end(),
                        [](unsigned char byte) { return byte != UNWRITTEN; }))
            give_up("something was written behind the shared memory");
    }
}

} // namespace emulated

using std::isfinite;
using std::max;
using std::min;

// The runtime has no device to ask.
template <class... Parameters>
cudaError_t cudaFuncSetAttribute(void (*)(Parameters...), cudaFuncAttribute, int)
{
    return cudaSuccess;
}
#define cudaGetLastError() cudaSuccess

inline void __syncthreads()
{
    emulated::barrier(false);
}
inline int __syncthreads_or(int predicate)
{
    return emulated::barrier(predicate != 0) > 0;
}
inline int __syncthreads_and(int predicate)
{
    return emulated::barrier(predicate == 0) == 0;
}
inline int __syncthreads_count(int predicate)
{
    return emulated::barrier(predicate != 0);
}
template <class T> T __shfl_sync(unsigned, T value, int lane)
{
    return emulated::from_lane(value, lane);
}
template <class T> T __shfl_xor_sync(unsigned, T value, int step)
{
    return emulated::from_lane(value, emulated::own_lane() ^ step);
}
template <class T> T __shfl_up_sync(unsigned, T value, int step)
{
    const int lane = emulated::own_lane();
    return emulated::from_lane(value, lane < step ? lane : lane - step);
}
inline void __syncwarp()
{
    emulated::from_lane(0, 0);
}
inline unsigned __ballot_sync(unsigned mask, int predicate)
{
    unsigned all = 0;
    for (int lane = 0; lane < emulated::LANES; lane++)
        all |= (__shfl_sync(mask, predicate, lane) ? 1u : 0u) << lane;
    return all;
}
inline int __any_sync(unsigned mask, int predicate)
{
    return __ballot_sync(mask, predicate) != 0;
}
inline int __all_sync(unsigned mask, int predicate)
{
    return !__any_sync(mask, !predicate);
}
template <class T> T atomicAdd(T *to, std::common_type_t<T> value)
{
    const T before = *to;
    *to += value;
    return before;
}
template <class T> T atomicExch(T *to, std::common_type_t<T> value)
{
    const T before = *to;
    *to = value;
    return before;
}
template <class T> T atomicMin(T *to, std::common_type_t<T> value)
{
    return atomicExch(to, min(*to, value));
}
template <class T> T atomicMax(T *to, std::common_type_t<T> value)
{
    return atomicExch(to, max(*to, value));
}
template <class T> T atomicOr(T *to, std::common_type_t<T> value)
{
    return atomicExch(to, static_cast<T>(*to | value));
}
inline void __threadfence()
{
}
inline void __nanosleep(unsigned)
{
    emulated::give_up("a block waits for one that comes later");
}
inline unsigned __umulhi(unsigned a, unsigned b)
{
    return static_cast<unsigned>(static_cast<uint64_t>(a) * b >> 32);
}
inline int __popc(unsigned v)
{
    return __builtin_popcount(v);
}
inline int __ffs(int v)
{
    return __builtin_ffs(v);
}
inline int __ffsll(long long v)
{
    return __builtin_ffsll(v);
}
inline int __clzll(long long v)
{
    return v ? __builtin_clzll(static_cast<unsigned long long>(v)) : 64;
}
inline unsigned __float_as_uint(float v)
{
    return emulated::same_bits<unsigned>(v);
}
inline long long __double2ll_rn(double v) // of at most 2^62 in magnitude, or anything
{
    return std::fabs(v) <= 0x1p62 ? std::llrint(v) : 0;
}
inline int __double2hiint(double v)
{
    return static_cast<int>(emulated::same_bits<int64_t>(v) >> 32);
}
inline double __hiloint2double(int high, int low)
{
    return emulated::same_bits<double>(static_cast<uint64_t>(static_cast<uint32_t>(high)) << 32 |
                                       static_cast<uint32_t>(low));
}
template <class T> T __ldg(const T *from)
{
    return *from;
}
template <class T> T __ldcg(const T *from)
{
    return *from;
}

#endif
