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

/* Memory that a call touches once costs more for its pages than for its contents, so large blocks
 * ask for large pages. Nothing is lost where there are none. */
static void ask_for_large_pages(char *memory, size_t bytes)
{
#if defined(MADV_HUGEPAGE)
    enum { PAGE = 2 << 20, LEAST = 4 * PAGE };
    const size_t skip = (PAGE - (uintptr_t)memory % PAGE) % PAGE;
    if (bytes >= LEAST)
        (void)madvise(memory + skip, (bytes - skip) / PAGE * PAGE, MADV_HUGEPAGE);
#else
    (void)memory;
    (void)bytes;
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
    char *whole = zeroed ? calloc(1, all) : malloc(all);
    if (!whole)
        return NULL;
    char *memory = whole + ALIGNMENT - (uintptr_t)whole % ALIGNMENT;
    ask_for_large_pages(memory, (size_t)bytes);
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
