/* SPDX-License-Identifier: BSD-2-Clause */
/* A pool of threads that run numbered tasks. Several threads may use it at once. */
#ifndef XNCC_BASE_POOL_H
#define XNCC_BASE_POOL_H

#include "base/error.h"

#include <stdint.h>

typedef struct xncc_pool xncc_pool;

/* Runs one task. index: the number of the task. slot: the number of the thread within this run, 0
 * .. threads - 1, to select scratch memory. */
typedef void (*xncc_task_fn)(void *argument, uint64_t index, int32_t slot);

/* Makes a pool. threads: at least 1, including the caller of xncc_pool_run, so threads - 1 are
 * started. Returns XNCC_OK or XNCC_ERROR_MEMORY; *pool is then NULL. */
xncc_status xncc_pool_create(int32_t threads, xncc_pool **pool, xncc_error *error);

/* Ends the threads and frees the pool. NULL is allowed. No run may be in progress. */
void xncc_pool_destroy(xncc_pool *pool);

/* The number of threads given to xncc_pool_create. */
int32_t xncc_pool_threads(const xncc_pool *pool);

/* Runs the tasks 0 .. count - 1 on the caller's thread and the free threads of the pool, at most
 * `threads` in all, and returns when all have finished. They are started in ascending order. No two
 * running tasks of one run have the same slot; slots are below `threads`. threads: at least 1, and
 * no more than the pool has. */
void xncc_pool_run_on(xncc_pool *pool, int32_t threads, uint64_t count, xncc_task_fn function,
                      void *argument);

/* The same on all threads of the pool. */
void xncc_pool_run(xncc_pool *pool, uint64_t count, xncc_task_fn function, void *argument);

#endif
