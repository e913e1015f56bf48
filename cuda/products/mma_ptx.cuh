// One product of bytes on the tensor cores of compute capability 8.0 and later: d += a b, 16 x 8
// sums of 32 bits, 32 bytes of K.
#ifndef XNCC_CUDA_PRODUCTS_MMA_PTX_CUH
#define XNCC_CUDA_PRODUCTS_MMA_PTX_CUH

#include <stdint.h>

namespace xncc {

__device__ __forceinline__ void product(uint32_t *d, const uint32_t *a, uint2 b)
{
#if __CUDA_ARCH__ >= 800
    asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.u8.u8.s32 {%0, %1, %2, %3}, {%4, %5, %6, "
                 "%7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b.x), "r"(b.y));
#endif
}

} // namespace xncc

#endif
