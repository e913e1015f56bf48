// SPDX-License-Identifier: BSD-2-Clause
// PTX wrappers for Hopper (compute capability 9.0, target sm_90a): asynchronous matrix products,
// bulk copies and the memory barriers that they signal. One function per instruction, but products
// come in groups.
#ifndef XNCC_CUDA_PRODUCTS_WGMMA_PTX_CUH
#define XNCC_CUDA_PRODUCTS_WGMMA_PTX_CUH

#include <stdint.h>

namespace xncc {

// The 32-bit shared-memory address of p. All functions below take such addresses.
__device__ __forceinline__ uint32_t shared_address(const void *p)
{
    return static_cast<uint32_t>(__cvta_generic_to_shared(p));
}

// Memory barriers (mbarrier), 8 bytes each. A phase completes after `arrivals` arrivals and after
// all bytes that were announced have been written.
__device__ __forceinline__ void barrier_init(uint32_t barrier, int arrivals)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(arrivals));
}

// Arrives, and announces `bytes` bytes that asynchronous copies will write.
__device__ __forceinline__ void barrier_expect(uint32_t barrier, uint32_t bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes)
                 : "memory");
}

__device__ __forceinline__ void barrier_arrive(uint32_t barrier)
{
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier) : "memory");
}

// Spins until the phase of this parity (0 for the first phase) has completed.
__device__ __forceinline__ void barrier_wait(uint32_t barrier, uint32_t parity)
{
    asm volatile("{ .reg .pred p;\n"
                 "again: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n"
                 "@!p bra again; }" ::"r"(barrier),
                 "r"(parity)
                 : "memory");
}

// Copies contiguous bytes, a multiple of 16, from global to shared memory and reports them to the
// barrier.
__device__ __forceinline__ void bulk_load(uint32_t to, const void *from, uint32_t bytes,
                                          uint32_t barrier)
{
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::
            "r"(to),
        "l"(from), "r"(bytes), "r"(barrier)
        : "memory");
}

// Copies a two-dimensional box of a tensor map from element (x, y) on to shared memory and reports
// its bytes to the barrier. Elements outside the tensor become 0.
__device__ __forceinline__ void box_load(uint32_t to, const void *map, int x, int y,
                                         uint32_t barrier)
{
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
                 "[%0], [%1, {%2, %3}], [%4];" ::"r"(to),
                 "l"(map), "r"(x), "r"(y), "r"(barrier)
                 : "memory");
}

// Copies contiguous bytes from shared to global memory and commits the copy as a group. add: adds
// 32-bit integers to global memory, where otherwise it overwrites them.
__device__ __forceinline__ void bulk_store(void *to, uint32_t from, uint32_t bytes, bool add)
{
    if (add)
        asm volatile(
            "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%0], [%1], %2;" ::"l"(to),
            "r"(from), "r"(bytes)
            : "memory");
    else
        asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to),
                     "r"(from), "r"(bytes)
                     : "memory");
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}

// Waits until the calling thread's bulk stores have read shared memory, so that it may be reused.
__device__ __forceinline__ void bulk_store_wait()
{
    asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
}

// Makes ordinary writes to shared memory visible to bulk copies and matrix products.
__device__ __forceinline__ void proxy_fence()
{
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

// Orders register accesses before the following asynchronous products.
__device__ __forceinline__ void wgmma_fence()
{
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}

// Commits the products issued so far as a group.
__device__ __forceinline__ void wgmma_commit()
{
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}

// Waits until at most PENDING groups are still running.
template <int PENDING> __device__ __forceinline__ void wgmma_wait()
{
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(PENDING) : "memory");
}

// clang-format off
#define XNCC_EIGHT(o) "+r"(d[o]), "+r"(d[o + 1]), "+r"(d[o + 2]), "+r"(d[o + 3]), "+r"(d[o + 4]), "+r"(d[o + 5]), "+r"(d[o + 6]), "+r"(d[o + 7])
#define XNCC_SUMS_64 XNCC_EIGHT(0), XNCC_EIGHT(8), XNCC_EIGHT(16), XNCC_EIGHT(24)
#define XNCC_SUMS_128 XNCC_SUMS_64, XNCC_EIGHT(32), XNCC_EIGHT(40), XNCC_EIGHT(48), XNCC_EIGHT(56)
#define XNCC_FACTORS(i) "r"(a[i][0]), "r"(a[i][1]), "r"(a[i][2]), "r"(a[i][3]), "l"(b[i])
// A product; a0 .. a3 and b: the numbers of its operands.
#define XNCC_PRODUCT_64(a0, a1, a2, a3, b) \
    "wgmma.mma_async.sync.aligned.m64n64k32.s32.u8.u8 " \
    "{%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31}, " \
    "{%" #a0 ",%" #a1 ",%" #a2 ",%" #a3 "}, %" #b ", 1;\n"
#define XNCC_PRODUCT_128(a0, a1, a2, a3, b) \
    "wgmma.mma_async.sync.aligned.m64n128k32.s32.u8.u8 " \
    "{%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31," \
    "%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,%42,%43,%44,%45,%46,%47,%48,%49,%50,%51,%52,%53,%54,%55,%56,%57,%58,%59,%60,%61,%62,%63}, " \
    "{%" #a0 ",%" #a1 ",%" #a2 ",%" #a3 "}, %" #b ", 1;\n"

// COUNT products in one statement; of_i: the numbers of the operands of product i.
#define XNCC_PRODUCTS(product, sums, of_0, of_1, of_2, of_3) \
    static_assert(COUNT >= 1 && COUNT <= 4, "products in a row"); \
    if constexpr (COUNT == 1) \
        asm volatile(product of_0 : sums : XNCC_FACTORS(0)); \
    else if constexpr (COUNT == 2) \
        asm volatile(product of_0 product of_1 : sums : XNCC_FACTORS(0), XNCC_FACTORS(1)); \
    else if constexpr (COUNT == 3) \
        asm volatile(product of_0 product of_1 product of_2 : sums : XNCC_FACTORS(0), XNCC_FACTORS(1), XNCC_FACTORS(2)); \
    else \
        asm volatile(product of_0 product of_1 product of_2 product of_3 : sums : XNCC_FACTORS(0), XNCC_FACTORS(1), XNCC_FACTORS(2), XNCC_FACTORS(3))

// d += the sum over i < COUNT of a[i] b[i], COUNT products in a row, with 32-bit sums of unsigned
// bytes, for a warpgroup. a[i] is 64 x 32 (registers), b[i] is 32 x 128 or 32 x 64 (a matrix
// descriptor of shared memory). Thread t of warp v holds d[4 j + 2 p + q] = row 16 v + 8 p + t / 4,
// column 8 j + 2 (t % 4) + q, with p, q = 0 or 1. The products are one statement, because the
// compiler's time for a statement is mostly that for the operands d.
template <int COUNT>
__device__ __forceinline__ void wgmma_m64n64k32(uint32_t *d, const uint32_t (*a)[4], const uint64_t *b)
{
    XNCC_PRODUCTS(XNCC_PRODUCT_64, XNCC_SUMS_64, (32, 33, 34, 35, 36), (37, 38, 39, 40, 41), (42, 43, 44, 45, 46), (47, 48, 49, 50, 51));
}

template <int COUNT>
__device__ __forceinline__ void wgmma_m64n128k32(uint32_t *d, const uint32_t (*a)[4], const uint64_t *b)
{
    XNCC_PRODUCTS(XNCC_PRODUCT_128, XNCC_SUMS_128, (64, 65, 66, 67, 68), (69, 70, 71, 72, 73), (74, 75, 76, 77, 78), (79, 80, 81, 82, 83));
}
#undef XNCC_EIGHT
#undef XNCC_SUMS_64
#undef XNCC_SUMS_128
#undef XNCC_FACTORS
#undef XNCC_PRODUCT_64
#undef XNCC_PRODUCT_128
#undef XNCC_PRODUCTS
// clang-format on

} // namespace xncc

#endif
