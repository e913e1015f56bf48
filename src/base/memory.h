/* Host memory: every allocation of the library comes through here, so that tests can make any one
 * of them fail. */
#ifndef XNCC_BASE_MEMORY_H
#define XNCC_BASE_MEMORY_H

#include <stddef.h>
#include <stdint.h>

/* count * size bytes, zeroed, aligned to 64; NULL when the product overflows or there is no memory
 * (or for 0 bytes). */
void *xncc_alloc(uint64_t count, uint64_t size);

/* Frees what xncc_alloc gave; NULL is allowed. */
void xncc_free(void *memory);

/* For tests: the nth xncc_alloc from now (1: the next) returns NULL, and so does every later one
 * when persistent is not 0. 0 for nth turns this off. Returns how many allocations had been asked
 * for since the last call. */
uint64_t xncc_alloc_fail(uint64_t nth, int persistent);

/* 1 and the product when it fits 64 bits, else 0. */
static inline int xncc_mul_u64(uint64_t a, uint64_t b, uint64_t *product)
{
    if (b != 0 && a > UINT64_MAX / b)
        return 0;
    *product = a * b;
    return 1;
}

/* 1 and the sum when it fits 64 bits, else 0. */
static inline int xncc_add_u64(uint64_t a, uint64_t b, uint64_t *sum)
{
    *sum = a + b;
    return *sum >= a;
}

#endif
