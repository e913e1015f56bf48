// SPDX-License-Identifier: BSD-2-Clause
// The work of a launch as a list of steps, each in as many shares as the launch has blocks. A block
// takes the next share of the list and waits until all shares of the steps before are done. Those
// that it waits for have been taken by blocks that run, so that no block waits for one that has not
// begun.
#ifndef XNCC_CUDA_PRODUCTS_SHARES_CUH
#define XNCC_CUDA_PRODUCTS_SHARES_CUH

#include "cuda/planes/float_image.h"

namespace xncc {

// The number of the next share: that of the step times the number of blocks, and the share's own.
// All that other blocks have written in the steps before is visible. first: the block has had none.
// All threads of the block call it together.
static __device__ uint32_t next_share(Shares *shares, bool first)
{
    __shared__ uint32_t number;
    __syncthreads(); // the share before is done, and its number has been read
    if (threadIdx.x == 0) {
        if (!first) {
            __threadfence();
            atomicAdd(&shares->done, 1u);
        }
        number = atomicAdd(&shares->taken, 1u);
        const uint32_t before = number / gridDim.x * gridDim.x;
        const volatile uint32_t *done = &shares->done;
        while (*done < before)
            __nanosleep(50);
        __threadfence();
    }
    __syncthreads();
    return number;
}

} // namespace xncc

#endif
