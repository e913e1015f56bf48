// How kernels read constant memory through the cache for indexed constants.
#ifndef XNCC_CUDA_RUNTIME_CONSTANT_READ_CUH
#define XNCC_CUDA_RUNTIME_CONSTANT_READ_CUH

namespace xncc {

// 0, in a way that the compiler cannot see to be the same in every lane. An address in the bank
// with this added is read through the cache for indexed constants; without, through the small one
// for uniform operands, where a miss holds up the warp (one H200, 27 x 27 filter: 0.09 ms against
// 0.51).
__device__ __forceinline__ int lane_zero()
{
    unsigned mask;
    asm("mov.u32 %0, %%lanemask_eq;" : "=r"(mask)); // one bit
    return __popc(mask) - 1;
}

} // namespace xncc

#endif
