// SPDX-License-Identifier: BSD-2-Clause
// Warp-wide matrix products of unsigned bytes on tensor cores, mma.sync.m16n8k32 and m16n8k16
// (compute capability 8.0 and later).
#ifndef XNCC_CUDA_PRODUCTS_MMA_PTX_CUH
#define XNCC_CUDA_PRODUCTS_MMA_PTX_CUH

#include <stdint.h>

namespace xncc {

// d += a b with 32-bit sums. a is 16 x 32 bytes (row major), b is 32 x 8 bytes (column major), d is
// 16 x 8. Fragments of a lane, with g = lane / 4 and t = lane % 4:
//
// - a[0], a[1]: rows g and g + 8, columns 4 t .. 4 t + 3. a[2], a[3]: the same, 16 columns on.
// - b.x: rows 4 t .. 4 t + 3 of column g. b.y: the same, 16 rows on.
// - d[0], d[1]: row g, columns 2 t and 2 t + 1. d[2], d[3]: row g + 8.
//
// Compiles to nothing below compute capability 8.0.
__device__ __forceinline__ void mma_m16n8k32(uint32_t *d, const uint32_t *a, uint2 b)
{
#if __CUDA_ARCH__ >= 800
    asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.u8.u8.s32 {%0, %1, %2, %3}, {%4, %5, %6, "
                 "%7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b.x), "r"(b.y));
#endif
}

// The same with 16 columns of a and 16 rows of b: a[0], a[1], and b.x alone.
__device__ __forceinline__ void mma_m16n8k16(uint32_t *d, const uint32_t *a, uint32_t b)
{
#if __CUDA_ARCH__ >= 800
    asm volatile("mma.sync.aligned.m16n8k16.row.col.s32.u8.u8.s32 {%0, %1, %2, %3}, {%4, %5}, "
                 "{%6}, {%0, %1, %2, %3};"
                 : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
                 : "r"(a[0]), "r"(a[1]), "r"(b));
#endif
}

} // namespace xncc

#endif
