/* A pool of threads that share out numbered tasks. Any number of threads may call it at once. */
#ifndef XNCC_BASE_POOL_H
#define XNCC_BASE_POOL_H

#include "base/error.h"

#include <stdint.h>

typedef struct xncc_pool xncc_pool;

/* One task: index is its number, slot the number of the thread within this run (0 .. threads-1),
 * for scratch memory. */
typedef void (*xncc_task_fn)(void *argument, uint64_t index, int32_t slot);

/* threads >= 1, the caller of xncc_pool_run counted. XNCC_ERROR_MEMORY. */
xncc_status xncc_pool_create(int32_t threads, xncc_pool **pool, xncc_error *error);
void xncc_pool_destroy(xncc_pool *pool);

int32_t xncc_pool_threads(const xncc_pool *pool);

/* Does tasks 0 .. count-1, in that order of starting, on the caller's thread and on those of the
 * pool that are free, and returns when all are done. Tasks of one run never share a slot at the
 * same time. */
void xncc_pool_run(xncc_pool *pool, uint64_t count, xncc_task_fn function, void *argument);

#endif
