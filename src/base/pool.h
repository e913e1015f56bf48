/* A pool of threads that share out numbered tasks. Any number of threads may call it at once. */
#ifndef CM_BASE_POOL_H
#define CM_BASE_POOL_H

#include "base/error.h"

#include <stdint.h>

typedef struct cm_pool cm_pool;

/* One task: index is its number, slot the number of the thread within this run (0 .. threads-1), for scratch memory. */
typedef void (*cm_task_fn)(void *argument, uint64_t index, int32_t slot);

/* threads >= 1, the caller of cm_pool_run counted. CM_ERROR_MEMORY. */
cm_status cm_pool_create(int32_t threads, cm_pool **pool, cm_error *error);
void cm_pool_destroy(cm_pool *pool);

int32_t cm_pool_threads(const cm_pool *pool);

/* Does tasks 0 .. count-1, in that order of starting, on the caller's thread and on those of the pool that are free,
 * and returns when all are done. Tasks of one run never share a slot at the same time. */
void cm_pool_run(cm_pool *pool, uint64_t count, cm_task_fn function, void *argument);

#endif
