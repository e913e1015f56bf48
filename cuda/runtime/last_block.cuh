// SPDX-License-Identifier: BSD-2-Clause
// The last block of a kernel.
#ifndef XNCC_CUDA_RUNTIME_LAST_BLOCK_CUH
#define XNCC_CUDA_RUNTIME_LAST_BLOCK_CUH

#include <cstdint>

namespace xncc {

// True in the last of gridDim.x blocks to increment a counter, which begins as 0. That block may
// then read what the other blocks wrote before, but must bypass its L1 cache (__ldcg). Called by
// all threads of a block.
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

} // namespace xncc

#endif
