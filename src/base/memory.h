/* SPDX-License-Identifier: BSD-2-Clause */
/* Host memory. Every host allocation of the C code goes through xncc_alloc, so that tests can make
 * any one of them fail. */
#ifndef XNCC_BASE_MEMORY_H
#define XNCC_BASE_MEMORY_H

#include <stddef.h>
#include <stdint.h>

/* Allocates count * size bytes, zeroed and aligned to 64 bytes. Returns NULL if the product
 * overflows or is 0, or if there is no memory. Large memory has new pages, so that those that are
 * never touched take no time and no memory. */
void *xncc_alloc(uint64_t count, uint64_t size);

/* Allocates as xncc_alloc does, but the contents are undefined: for memory of which little may be
 * used, or that is written whole. */
void *xncc_alloc_unset(uint64_t count, uint64_t size);

/* Frees memory of these functions. NULL is allowed. */
void xncc_free(void *memory);

/* For tests; both functions count. Makes the nth xncc_alloc from now on return NULL (1: the next
 * one), and every later one too if persistent is not 0. nth = 0 ends this. Returns the number of
 * calls since the last call of this function. */
uint64_t xncc_alloc_fail(uint64_t nth, int persistent);

/* For tests. Calls function(argument) in the nth xncc_alloc from now on (1: the next one), before
 * it allocates. nth = 0 ends this. Returns as xncc_alloc_fail does, and ends what that began. */
uint64_t xncc_alloc_call(uint64_t nth, void (*function)(void *), void *argument);

/* For memory that is handed out again without xncc_alloc: counts the request as one of xncc_alloc.
 * Returns 1 if that would fail. */
int xncc_alloc_must_fail(void);

/* Returns 1 and writes the product if it fits 64 bits; returns 0 otherwise. */
static inline int xncc_mul_u64(uint64_t a, uint64_t b, uint64_t *product)
{
    if (b != 0 && a > UINT64_MAX / b)
        return 0;
    *product = a * b;
    return 1;
}

#endif
