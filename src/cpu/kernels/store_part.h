/* SPDX-License-Identifier: BSD-2-Clause */
/* Stores at the end of a row, where a vector has more lanes than are left. */
#ifndef XNCC_CPU_KERNELS_STORE_PART_H
#define XNCC_CPU_KERNELS_STORE_PART_H

#include <stddef.h>
#include <string.h>

/* Stores the first `bytes` bytes of a vector. This is a function that is called because of gcc 11:
 * if a vector has two lanes, one is left at the end of a row, so that this store and that of a
 * whole vector have sizes that gcc knows. It then makes both unconditional, and stores whole
 * vectors past the end of the row. */
static __attribute__((noinline, unused)) void xncc_store_part(void *to, const void *vector,
                                                              size_t bytes)
{
    memcpy(to, vector, bytes);
}

#endif
