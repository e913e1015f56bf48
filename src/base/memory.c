/* SPDX-License-Identifier: BSD-2-Clause */
/* Host memory, and the switch that makes allocations fail in tests. */
#define _DEFAULT_SOURCE /* madvise */
#include "base/memory.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#if defined(__linux__)
#include <sys/mman.h>
#include <unistd.h>
#endif

enum { ALIGNMENT = 64 };
_Static_assert(sizeof(char *) <= _Alignof(max_align_t), "no room for the address before memory");

static atomic_ullong requests;
static atomic_ullong fail_at;
static atomic_int fail_persistent;
static atomic_ullong call_at;
static void (*call_function)(void *);
static void *call_argument;

uint64_t xncc_alloc_fail(uint64_t nth, int persistent)
{
    atomic_store(&fail_at, 0);
    atomic_store(&fail_persistent, persistent);
    uint64_t before = atomic_exchange(&requests, 0);
    atomic_store(&fail_at, nth);
    return before;
}

uint64_t xncc_alloc_call(uint64_t nth, void (*function)(void *), void *argument)
{
    atomic_store(&call_at, 0);
    call_function = function;
    call_argument = argument;
    uint64_t before = xncc_alloc_fail(0, 0);
    atomic_store(&call_at, nth);
    return before;
}

int xncc_alloc_must_fail(void)
{
    uint64_t now = atomic_fetch_add(&requests, 1) + 1;
    if (now == atomic_load(&call_at))
        call_function(call_argument);
    uint64_t at = atomic_load(&fail_at);
    return at != 0 && (now == at || (now > at && atomic_load(&fail_persistent)));
}

enum { LARGE = 8 << 20 }; /* bytes of a large block, at least */

/* Memory that a call touches once costs more for its pages than for its contents, so large blocks
 * ask for large pages. A heap may hand out what it has kept, which has been touched in small pages:
 * these are given back first, and read as 0 from then on. Returns 1 if all of the block does. */
static int begin_large(char *memory, size_t bytes)
{
#if defined(MADV_HUGEPAGE)
    const long page = sysconf(_SC_PAGESIZE);
    if (page < 1)
        return 0;
    const size_t unit = (size_t)page, before = (unit - (uintptr_t)memory % unit) % unit,
                 whole = (bytes - before) / unit * unit;
    memory[before] = 1; /* is 0 afterwards, unless another process shares the memory */
    const int given_back = madvise(memory + before, whole, MADV_DONTNEED) == 0;
    (void)madvise(memory + before, whole, MADV_HUGEPAGE);
    if (!given_back || memory[before] != 0)
        return 0;
    memset(memory, 0, before);
    memset(memory + before + whole, 0, bytes - before - whole);
    return 1;
#else
    (void)memory;
    (void)bytes;
    return 0;
#endif
}

static void *allocate(uint64_t count, uint64_t size, int zeroed)
{
    uint64_t bytes;
    if (!xncc_mul_u64(count, size, &bytes) || bytes == 0 || bytes > SIZE_MAX - 2 * ALIGNMENT ||
        xncc_alloc_must_fail())
        return NULL;
    bytes = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    /* What they return stands before the memory that is handed out: it is aligned to 16 bytes, so
     * that at least 16 are left there. */
    const size_t all = (size_t)bytes + ALIGNMENT;
    const int large = bytes >= LARGE;
    char *whole = zeroed && !large ? calloc(1, all) : malloc(all);
    if (!whole)
        return NULL;
    char *memory = whole + ALIGNMENT - (uintptr_t)whole % ALIGNMENT;
    if (large && !begin_large(memory, (size_t)bytes) && zeroed)
        memset(memory, 0, (size_t)bytes);
    memcpy(memory - sizeof whole, &whole, sizeof whole);
    return memory;
}

void *xncc_alloc(uint64_t count, uint64_t size)
{
    return allocate(count, size, 1);
}

void *xncc_alloc_unset(uint64_t count, uint64_t size)
{
    return allocate(count, size, 0);
}

void xncc_free(void *memory)
{
    char *whole;
    if (!memory)
        return;
    memcpy(&whole, (char *)memory - sizeof whole, sizeof whole);
    free(whole);
}
