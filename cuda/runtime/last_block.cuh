// SPDX-License-Identifier: BSD-2-Clause
// The last block of a kernel, and how it reads what the others wrote.
#ifndef XNCC_CUDA_RUNTIME_LAST_BLOCK_CUH
#define XNCC_CUDA_RUNTIME_LAST_BLOCK_CUH

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace xncc {

// True in the last of gridDim.x blocks to increment a counter, which begins as 0. That block may
// then read what the other blocks wrote before, but must bypass its L1 cache (read_of_others).
// Called by all threads of a block.
__device__ inline bool is_last_block(uint32_t *counter)
{
    __shared__ bool last;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0)
        last = atomicAdd(counter, 1u) == gridDim.x - 1;
    __syncthreads();
    __threadfence();
    return last;
}

// What another block wrote.
template <class T> __device__ T read_of_others(const T *from)
{
    static_assert(sizeof(T) % sizeof(uint32_t) == 0, "whole words");
    uint32_t word[sizeof(T) / sizeof(uint32_t)];
#pragma unroll
    for (size_t i = 0; i < sizeof word / sizeof *word; i++)
        word[i] = __ldcg(reinterpret_cast<const uint32_t *>(from) + i);
    T value;
    memcpy(&value, word, sizeof value);
    return value;
}

} // namespace xncc

#endif
